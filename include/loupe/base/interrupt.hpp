#pragma once
/// @file
/// A request to stop waiting, made from another thread.

#include <cstdint>

#include "loupe/base/config.hpp"
#include "loupe/base/mutex.hpp"

namespace loupe::inline LOUPE_ABI {

/// Ends waits before their deadline. Any thread may call any member; the object must outlive the waits. Neither copied
/// nor moved.
class Interrupt {
 public:
  Interrupt() noexcept = default;
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  LOUPE_DECL ~Interrupt();

  /// Ends all waits, the present ones and those to come.
  LOUPE_DECL void request() noexcept;
  [[nodiscard]] LOUPE_DECL bool requested() const noexcept;
  /// Forgets the request, so that waits to come wait again. Whether there was one.
  LOUPE_DECL bool reset() noexcept;
  /// Waits until the request or until the monotonic clock shows `deadline_ns`; whether the deadline was reached.
  LOUPE_DECL bool wait_until(std::int64_t deadline_ns) noexcept;
  /// A file descriptor, readable while the interrupt is requested, for waits that poll several; -1 if the process can
  /// have no more. It stays the interrupt's own.
  LOUPE_DECL int descriptor() noexcept;

 private:
  mutable Mutex mutex_;
  Condition was_requested_;
  int descriptor_ = -1;  // opened by the first who asks for it
  bool is_requested_ = false;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/base/interrupt.ipp"
#endif
