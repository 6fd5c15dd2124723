#pragma once
/// @file
/// Processes that tests start, listen to and kill.

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <exception>
#include <stdexcept>
#include <utility>

/// A child process that does one thing and ends, without the parent's destructors. A test that gives up kills it.
/// Nothing here sleeps: the child's end is waited for, and what it says comes through a pipe.
class ChildProcess {
 public:
  /// Starts `body`; an exception ends the child with status 1. The parent must not have other threads.
  template <class Body>
  explicit ChildProcess(Body&& body) {
    if (::pipe(pipe_) != 0) throw std::runtime_error("no pipe");
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("no process");
    if (pid_ != 0) {
      ::close(std::exchange(pipe_[1], -1));
      return;
    }
    ::close(pipe_[0]);
    try {
      if constexpr (requires { body(0); }) std::forward<Body>(body)(pipe_[1]);
      else std::forward<Body>(body)();
      ::_exit(0);
    } catch (const std::exception&) {
    }
    ::_exit(1);
  }
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() {
    kill();
    if (pipe_[0] >= 0) ::close(pipe_[0]);
  }

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  /// The end of the pipe that the body, called with the other end, writes to.
  [[nodiscard]] int output() const noexcept { return pipe_[0]; }

  /// Waits for the end and gives the exit status, -1 if the process was killed.
  int wait() {
    if (is_waited_for_) return status_;
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    is_waited_for_ = true;
    return status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  /// Kills the process and waits for its end.
  void kill() {
    if (is_waited_for_) return;
    ::kill(pid_, SIGKILL);
    wait();
  }
  /// Kills the process and leaves it as one that has ended and that nobody has waited for.
  void kill_and_leave() const {
    ::kill(pid_, SIGKILL);
    siginfo_t ended{};
    while (::waitid(P_PID, static_cast<id_t>(pid_), &ended, WEXITED | WNOWAIT) != 0 && errno == EINTR) {
    }
  }

  /// Reads up to `size` bytes that the child has written; 0 at its end, -1 if none came within the time.
  long read(void* to, std::size_t size, int timeout_ms) const {
    pollfd ready{pipe_[0], POLLIN, 0};
    if (::poll(&ready, 1, timeout_ms) <= 0) return -1;
    return ::read(pipe_[0], to, size);
  }

  /// In the child: stays until it is killed.
  [[noreturn]] static void wait_to_be_killed() {
    while (true) ::pause();
  }

 private:
  pid_t pid_ = -1;
  int pipe_[2] = {-1, -1};
  bool is_waited_for_ = false;
  int status_ = -1;
};
