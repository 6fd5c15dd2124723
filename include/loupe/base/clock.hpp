#pragma once
/// @file
/// Where time comes from, so that tests take none.

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "loupe/base/config.hpp"
#include "loupe/base/interrupt.hpp"

namespace loupe::inline LOUPE_ABI {

/// A clock:
/// - `wall_ns()`: nanoseconds since the Unix epoch, for annotations;
/// - `monotonic_ns()`: nanoseconds that never go back, for durations and deadlines;
/// - `wait_until(deadline_ns, interrupt)`: waits until `monotonic_ns()` shows the deadline; false if the interrupt (which
///   may be null) was requested before.
///
/// It may also have `wait_until(deadline_ns, interrupt, descriptor)`, a wait that ends early, with true, when the file
/// descriptor becomes readable; without it such waits last until their deadline.
template <class Type>
concept Clock = requires(Type& clock, std::int64_t deadline_ns, Interrupt* interrupt) {
  { clock.wall_ns() } noexcept -> std::same_as<std::int64_t>;
  { clock.monotonic_ns() } noexcept -> std::same_as<std::int64_t>;
  { clock.wait_until(deadline_ns, interrupt) } -> std::same_as<bool>;
};

/// The system's clocks. Safe for concurrent use.
class SystemClock {
 public:
  [[nodiscard]] LOUPE_DECL std::int64_t wall_ns() const noexcept;
  [[nodiscard]] LOUPE_DECL std::int64_t monotonic_ns() const noexcept;
  LOUPE_DECL bool wait_until(std::int64_t deadline_ns, Interrupt* interrupt, int descriptor = -1) const noexcept;
};

/// A clock of any type, borrowed; two words.
class ClockRef {
 public:
  template <Clock Type>
    requires(!std::same_as<std::remove_const_t<Type>, ClockRef>)
  ClockRef(Type& clock) noexcept
      : clock_(const_cast<void*>(static_cast<const void*>(__builtin_addressof(clock)))),
        functions_(&functions_of<Type>) {}

  [[nodiscard]] std::int64_t wall_ns() const noexcept { return functions_->wall_ns(clock_); }
  [[nodiscard]] std::int64_t monotonic_ns() const noexcept { return functions_->monotonic_ns(clock_); }
  bool wait_until(std::int64_t deadline_ns, Interrupt* interrupt, int descriptor = -1) const {
    return functions_->wait_until(clock_, deadline_ns, interrupt, descriptor);
  }

 private:
  struct Functions {
    std::int64_t (*wall_ns)(void*) noexcept;
    std::int64_t (*monotonic_ns)(void*) noexcept;
    bool (*wait_until)(void*, std::int64_t, Interrupt*, int);
  };
  template <class Type>
  static constexpr Functions functions_of = {
      [](void* clock) noexcept { return static_cast<Type*>(clock)->wall_ns(); },
      [](void* clock) noexcept { return static_cast<Type*>(clock)->monotonic_ns(); },
      [](void* clock, std::int64_t deadline_ns, Interrupt* interrupt, int descriptor) {
        if constexpr (requires(Type& of) { of.wait_until(deadline_ns, interrupt, descriptor); })
          return static_cast<Type*>(clock)->wait_until(deadline_ns, interrupt, descriptor);
        else return static_cast<Type*>(clock)->wait_until(deadline_ns, interrupt);
      },
  };
  void* clock_;
  const Functions* functions_;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/base/clock.ipp"
#endif
