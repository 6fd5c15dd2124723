#pragma once
/// @file
/// Tells a process of firings by a signal.

#include <signal.h>
#include <sys/types.h>

#include <cerrno>
#include <memory>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/text.hpp"
#include "loupe/rules/firing_sink.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// Sends a signal to a process at each firing: how a rule that runs elsewhere stops a training.
class SignalSink final : public FiringSink {
 public:
  /// `process` is a process id above 0: never a group, and never all processes.
  SignalSink(pid_t process, int signal) noexcept : process_(process), signal_(signal) {}
  result<void> fired(const Firing&) override {
    const Text object = Text::join("process ", to_text(process_).view());
    if (process_ <= 0) return fail(ErrorKind::invalid_argument, object, "a signal is sent to one process, by an id above 0");
    if (::kill(process_, signal_) == 0) return {};
    return fail(Error{.kind = errno == ESRCH ? ErrorKind::not_found : errno == EPERM ? ErrorKind::permission_denied : ErrorKind::io,
                      .object = object,
                      .detail = Text::join("signal ", to_text(signal_).view(), " can't be sent"),
                      .os_error = errno});
  }

 private:
  pid_t process_;
  int signal_;
};
/// `send_signal(pid)`: asks a process to end, or sends another signal.
inline std::shared_ptr<SignalSink> send_signal(pid_t process, int signal = SIGTERM) { return std::make_shared<SignalSink>(process, signal); }

}  // namespace loupe::inline LOUPE_ABI::rules
