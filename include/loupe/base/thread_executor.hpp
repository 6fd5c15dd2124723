#pragma once
/// @file
/// One background thread that works off a bounded queue.

#include <pthread.h>

#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/executor.hpp"

namespace loupe::inline LOUPE_ABI {

/// Runs tasks in order on a thread of its own, which starts with the first task (frameworks may fork before); where the
/// system gives no thread, `post` gives false. The destructor works the queue off and joins. Safe for concurrent use, but
/// a task must not drain; neither copied nor moved.
class ThreadExecutor {
 public:
  static constexpr std::size_t default_capacity = 256;

  explicit ThreadExecutor(std::size_t capacity = default_capacity) : queue_(capacity == 0 ? 1 : capacity) {}
  ThreadExecutor(const ThreadExecutor&) = delete;
  ThreadExecutor& operator=(const ThreadExecutor&) = delete;
  ~ThreadExecutor() {
    {
      const std::lock_guard lock(mutex_);
      stops_ = true;
    }
    has_work_.notify_all();
    if (has_thread_) ::pthread_join(thread_, nullptr);
  }

  bool post(Task task) {
    {
      const std::lock_guard lock(mutex_);
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
    std::unique_lock lock(mutex_);
    is_idle_.wait(lock, [this] { return count_ == 0 && !is_working_; });
  }

 private:
  static void* work_of(void* self) noexcept {
    static_cast<ThreadExecutor*>(self)->work();
    return nullptr;
  }
  void work() noexcept {
    std::unique_lock lock(mutex_);
    while (true) {
      has_work_.wait(lock, [this] { return count_ != 0 || stops_; });
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

  std::mutex mutex_;
  std::condition_variable has_work_;
  std::condition_variable is_idle_;
  std::vector<Task> queue_;  // a ring
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  bool is_working_ = false;
  bool stops_ = false;
  bool has_thread_ = false;
  pthread_t thread_{};
};

}  // namespace loupe::inline LOUPE_ABI
