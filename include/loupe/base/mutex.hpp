#pragma once
/// @file
/// A lock and a condition to wait for, without `<mutex>` and `<condition_variable>`, which cost a compiler more than
/// most of loupe's headers do.

#include <pthread.h>
#include <time.h>

#include <cstdint>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// As `std::mutex`; its lock is `MutexLock`.
class Mutex {
 public:
  Mutex() noexcept = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  ~Mutex() { ::pthread_mutex_destroy(&mutex_); }

 private:
  friend class MutexLock;
  friend class Condition;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

/// Holds a mutex while it lives, but for the time between `unlock` and `lock`.
class MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) noexcept : mutex_(mutex) { lock(); }
  /// Leaves locking to `lock`.
  struct Deferred {};
  MutexLock(Mutex& mutex, Deferred) noexcept : mutex_(mutex) {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  ~MutexLock() {
    if (is_locked_) ::pthread_mutex_unlock(&mutex_.mutex_);
  }
  void lock() noexcept {
    ::pthread_mutex_lock(&mutex_.mutex_);
    is_locked_ = true;
  }
  void unlock() noexcept {
    is_locked_ = false;
    ::pthread_mutex_unlock(&mutex_.mutex_);
  }

 private:
  friend class Condition;
  Mutex& mutex_;
  bool is_locked_ = false;
};

/// As `std::condition_variable`, with deadlines of the monotonic clock. A wait may end for no reason: ask again.
class Condition {
 public:
  Condition() noexcept {
    pthread_condattr_t attributes;
    ::pthread_condattr_init(&attributes);
    ::pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    ::pthread_cond_init(&condition_, &attributes);
    ::pthread_condattr_destroy(&attributes);
  }
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;
  ~Condition() { ::pthread_cond_destroy(&condition_); }

  void notify_one() noexcept { ::pthread_cond_signal(&condition_); }
  void notify_all() noexcept { ::pthread_cond_broadcast(&condition_); }
  /// Unlocks, waits to be notified, and locks again.
  void wait(const MutexLock& lock) noexcept { ::pthread_cond_wait(&condition_, &lock.mutex_.mutex_); }
  /// The same until the monotonic clock shows `deadline_ns`; false if it does.
  bool wait_until(const MutexLock& lock, std::int64_t deadline_ns) noexcept {
    const std::int64_t from_zero = deadline_ns > 0 ? deadline_ns : 0;
    const timespec deadline{static_cast<time_t>(from_zero / 1'000'000'000),
                            static_cast<long>(from_zero % 1'000'000'000)};
    return ::pthread_cond_timedwait(&condition_, &lock.mutex_.mutex_, &deadline) == 0;
  }

 private:
  pthread_cond_t condition_;
};

}  // namespace loupe::inline LOUPE_ABI
