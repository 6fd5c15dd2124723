#include "loupe/base/interrupt.hpp"

#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

namespace loupe::inline LOUPE_ABI {

namespace detail {

class PthreadLock {
 public:
  explicit PthreadLock(pthread_mutex_t& mutex) noexcept : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
  PthreadLock(const PthreadLock&) = delete;
  PthreadLock& operator=(const PthreadLock&) = delete;
  ~PthreadLock() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t& mutex_;
};

}  // namespace detail

LOUPE_DECL Interrupt::Interrupt() noexcept {
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&was_requested_, &attributes);
  pthread_condattr_destroy(&attributes);
}

LOUPE_DECL Interrupt::~Interrupt() {
  if (descriptor_ >= 0) ::close(descriptor_);
  pthread_cond_destroy(&was_requested_);
  pthread_mutex_destroy(&mutex_);
}

LOUPE_DECL void Interrupt::request() noexcept {
  const detail::PthreadLock lock(mutex_);
  if (is_requested_) return;
  is_requested_ = true;
  if (descriptor_ >= 0) ::eventfd_write(descriptor_, 1);
  pthread_cond_broadcast(&was_requested_);
}

LOUPE_DECL bool Interrupt::requested() const noexcept {
  const detail::PthreadLock lock(mutex_);
  return is_requested_;
}

LOUPE_DECL bool Interrupt::reset() noexcept {
  const detail::PthreadLock lock(mutex_);
  if (!is_requested_) return false;
  is_requested_ = false;
  eventfd_t count;
  if (descriptor_ >= 0) ::eventfd_read(descriptor_, &count);
  return true;
}

LOUPE_DECL bool Interrupt::wait_until(std::int64_t deadline_ns) noexcept {
  const std::int64_t from_zero = deadline_ns > 0 ? deadline_ns : 0;
  const timespec deadline{static_cast<time_t>(from_zero / 1'000'000'000), static_cast<long>(from_zero % 1'000'000'000)};
  const detail::PthreadLock lock(mutex_);
  int outcome = 0;
  while (!is_requested_ && outcome == 0) outcome = pthread_cond_timedwait(&was_requested_, &mutex_, &deadline);
  return !is_requested_;
}

LOUPE_DECL int Interrupt::descriptor() noexcept {
  const detail::PthreadLock lock(mutex_);
  if (descriptor_ < 0) descriptor_ = ::eventfd(is_requested_ ? 1 : 0, EFD_CLOEXEC | EFD_NONBLOCK);
  return descriptor_;
}

}  // namespace loupe::inline LOUPE_ABI
