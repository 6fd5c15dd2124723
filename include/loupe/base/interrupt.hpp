#pragma once
/// @file
/// A request to stop waiting, made from another thread.

#include <pthread.h>
#include <time.h>

#include <cstdint>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// Ends waits before their deadline. Any thread may call any member; the object must outlive the waits. Neither copied
/// nor moved.
class Interrupt {
 public:
  Interrupt() noexcept {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&was_requested_, &attributes);
    pthread_condattr_destroy(&attributes);
  }
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt() {
    pthread_cond_destroy(&was_requested_);
    pthread_mutex_destroy(&mutex_);
  }

  /// Ends all waits, the present ones and those to come.
  void request() noexcept {
    pthread_mutex_lock(&mutex_);
    is_requested_ = true;
    pthread_cond_broadcast(&was_requested_);
    pthread_mutex_unlock(&mutex_);
  }
  [[nodiscard]] bool requested() const noexcept {
    pthread_mutex_lock(&mutex_);
    const bool requested = is_requested_;
    pthread_mutex_unlock(&mutex_);
    return requested;
  }
  /// Waits until the request or until the monotonic clock shows `deadline_ns`; whether the deadline was reached.
  bool wait_until(std::int64_t deadline_ns) noexcept {
    timespec deadline;
    deadline.tv_sec = static_cast<time_t>(deadline_ns / 1'000'000'000);
    deadline.tv_nsec = static_cast<long>(deadline_ns % 1'000'000'000);
    pthread_mutex_lock(&mutex_);
    int outcome = 0;
    while (!is_requested_ && outcome == 0) outcome = pthread_cond_timedwait(&was_requested_, &mutex_, &deadline);
    const bool reached = !is_requested_;
    pthread_mutex_unlock(&mutex_);
    return reached;
  }

 private:
  mutable pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t was_requested_;
  bool is_requested_ = false;
};

}  // namespace loupe::inline LOUPE_ABI
