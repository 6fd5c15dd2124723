#pragma once
/// @file
/// Where time comes from, so that tests take none.

#include <time.h>

#include <concepts>
#include <cstdint>

#include "loupe/base/config.hpp"
#include "loupe/base/interrupt.hpp"

namespace loupe::inline LOUPE_ABI {

/// A clock:
/// - `wall_ns()`: nanoseconds since the Unix epoch, for annotations;
/// - `monotonic_ns()`: nanoseconds that never go back, for durations and deadlines;
/// - `wait_until(deadline_ns, interrupt)`: waits until `monotonic_ns()` shows the deadline; false if the interrupt (which
///   may be null) was requested before.
template <class Type>
concept Clock = requires(Type& clock, std::int64_t deadline_ns, Interrupt* interrupt) {
  { clock.wall_ns() } noexcept -> std::same_as<std::int64_t>;
  { clock.monotonic_ns() } noexcept -> std::same_as<std::int64_t>;
  { clock.wait_until(deadline_ns, interrupt) } -> std::same_as<bool>;
};

/// The system's clocks. Safe for concurrent use.
class SystemClock {
 public:
  [[nodiscard]] std::int64_t wall_ns() const noexcept { return now(CLOCK_REALTIME); }
  [[nodiscard]] std::int64_t monotonic_ns() const noexcept { return now(CLOCK_MONOTONIC); }
  bool wait_until(std::int64_t deadline_ns, Interrupt* interrupt) const noexcept {
    if (interrupt != nullptr) return interrupt->wait_until(deadline_ns);
    const timespec deadline{static_cast<time_t>(deadline_ns / 1'000'000'000), static_cast<long>(deadline_ns % 1'000'000'000)};
    while (monotonic_ns() < deadline_ns) clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, nullptr);
    return true;
  }

 private:
  static std::int64_t now(clockid_t id) noexcept {
    timespec time{};
    clock_gettime(id, &time);
    return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
  }
};

/// A clock of any type, borrowed; two words.
class ClockRef {
 public:
  template <Clock Type>
    requires(!std::same_as<Type, ClockRef>)
  ClockRef(Type& clock) noexcept : clock_(&clock), functions_(&functions_of<Type>) {}

  [[nodiscard]] std::int64_t wall_ns() const noexcept { return functions_->wall_ns(clock_); }
  [[nodiscard]] std::int64_t monotonic_ns() const noexcept { return functions_->monotonic_ns(clock_); }
  bool wait_until(std::int64_t deadline_ns, Interrupt* interrupt) const {
    return functions_->wait_until(clock_, deadline_ns, interrupt);
  }

 private:
  struct Functions {
    std::int64_t (*wall_ns)(void*) noexcept;
    std::int64_t (*monotonic_ns)(void*) noexcept;
    bool (*wait_until)(void*, std::int64_t, Interrupt*);
  };
  template <class Type>
  static constexpr Functions functions_of = {
      [](void* clock) noexcept { return static_cast<Type*>(clock)->wall_ns(); },
      [](void* clock) noexcept { return static_cast<Type*>(clock)->monotonic_ns(); },
      [](void* clock, std::int64_t deadline_ns, Interrupt* interrupt) {
        return static_cast<Type*>(clock)->wait_until(deadline_ns, interrupt);
      },
  };
  void* clock_;
  const Functions* functions_;
};

}  // namespace loupe::inline LOUPE_ABI
