#include "loupe/base/interrupt.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL Interrupt::~Interrupt() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

LOUPE_DECL void Interrupt::request() noexcept {
  const MutexLock lock(mutex_);
  if (is_requested_) return;
  is_requested_ = true;
  if (descriptor_ >= 0) ::eventfd_write(descriptor_, 1);
  was_requested_.notify_all();
}

LOUPE_DECL bool Interrupt::requested() const noexcept {
  const MutexLock lock(mutex_);
  return is_requested_;
}

LOUPE_DECL bool Interrupt::reset() noexcept {
  const MutexLock lock(mutex_);
  if (!is_requested_) return false;
  is_requested_ = false;
  eventfd_t count;
  if (descriptor_ >= 0) ::eventfd_read(descriptor_, &count);
  return true;
}

LOUPE_DECL bool Interrupt::wait_until(std::int64_t deadline_ns) noexcept {
  const MutexLock lock(mutex_);
  while (!is_requested_ && was_requested_.wait_until(lock, deadline_ns)) {
  }
  return !is_requested_;
}

LOUPE_DECL int Interrupt::descriptor() noexcept {
  const MutexLock lock(mutex_);
  if (descriptor_ < 0) descriptor_ = ::eventfd(is_requested_ ? 1 : 0, EFD_CLOEXEC | EFD_NONBLOCK);
  return descriptor_;
}

}  // namespace loupe::inline LOUPE_ABI
