#include "loupe/base/thread_executor.hpp"

#include <pthread.h>

#include <utility>
#include <vector>

#include "loupe/base/home_process.hpp"
#include "loupe/base/mutex.hpp"

namespace loupe::inline LOUPE_ABI {

/// The queue and the thread. It stays where it is: the thread refers to it.
class ThreadExecutor::State {
 public:
  explicit State(std::size_t capacity) : queue_(capacity == 0 ? 1 : capacity) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  /// A forked child has a copy of the queue, but no thread, and perhaps a lock that nobody will ever release.
  [[nodiscard]] bool is_at_home() const noexcept { return home_.is_here(); }
  ~State() {
    {
      const MutexLock lock(mutex_);
      stops_ = true;
    }
    has_work_.notify_all();
    if (has_thread_) ::pthread_join(thread_, nullptr);
  }

  bool post(Task&& task) {
    {
      const MutexLock lock(mutex_);
      if (count_ == queue_.size()) return false;
      if (!has_thread_ && ::pthread_create(&thread_, nullptr, &work_of, this) != 0) return false;
      has_thread_ = true;
      queue_[(first_ + count_) % queue_.size()] = std::move(task);
      ++count_;
    }
    has_work_.notify_one();
    return true;
  }
  void drain() {
    const MutexLock lock(mutex_);
    while (count_ != 0 || is_working_) is_idle_.wait(lock);
  }

 private:
  static void* work_of(void* self) noexcept {
    static_cast<State*>(self)->work();
    return nullptr;
  }
  void work() noexcept {
    MutexLock lock(mutex_);
    while (true) {
      while (count_ == 0 && !stops_) has_work_.wait(lock);
      if (count_ == 0) return;
      {
        Task task = std::move(queue_[first_]);
        first_ = (first_ + 1) % queue_.size();
        --count_;
        is_working_ = true;
        lock.unlock();
        task();
      }
      lock.lock();
      is_working_ = false;
      if (count_ == 0) is_idle_.notify_all();
    }
  }

  const HomeProcess home_;
  Mutex mutex_;
  Condition has_work_;
  Condition is_idle_;
  std::vector<Task> queue_;  // a ring
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  bool is_working_ = false;
  bool stops_ = false;
  bool has_thread_ = false;
  pthread_t thread_{};
};

LOUPE_DECL ThreadExecutor::ThreadExecutor(std::size_t capacity) : state_(new State(capacity)) {}

LOUPE_DECL ThreadExecutor::~ThreadExecutor() {
  if (state_->is_at_home()) delete state_;
}

LOUPE_DECL bool ThreadExecutor::post(Task task) {
  return state_->is_at_home() && state_->post(std::move(task));
}

LOUPE_DECL void ThreadExecutor::drain() {
  if (state_->is_at_home()) state_->drain();
}

}  // namespace loupe::inline LOUPE_ABI
