#pragma once
/// @file
/// A clock of any type, owned.

#include <concepts>
#include <cstdint>
#include <utility>

#include "loupe/base/clock.hpp"
#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// Owns a clock whose type is known only at construction. Move-only. Safe for concurrent use if the clock is.
class AnyClock {
 public:
  template <class Type>
    requires(!std::same_as<Type, AnyClock>)
  explicit AnyClock(Type clock)
      : AnyClock(new Type(std::move(clock)), [](void* owned) noexcept { delete static_cast<Type*>(owned); }) {
    static_assert(Clock<Type>, "loupe::AnyClock: the type must model loupe::Clock; see loupe/base/clock.hpp");
  }
  AnyClock(AnyClock&& other) noexcept
      : clock_(std::exchange(other.clock_, nullptr)),
        destroy_(other.destroy_),
        ref_(other.ref_) {}
  AnyClock& operator=(AnyClock&& other) noexcept {
    std::swap(clock_, other.clock_);
    std::swap(destroy_, other.destroy_);
    std::swap(ref_, other.ref_);
    return *this;
  }
  ~AnyClock() {
    if (clock_ != nullptr) destroy_(clock_);
  }

  [[nodiscard]] std::int64_t wall_ns() const noexcept { return ref_.wall_ns(); }
  [[nodiscard]] std::int64_t monotonic_ns() const noexcept { return ref_.monotonic_ns(); }
  bool wait_until(std::int64_t deadline_ns, Interrupt* interrupt, int descriptor = -1) const {
    return ref_.wait_until(deadline_ns, interrupt, descriptor);
  }

 private:
  template <class Type>
  AnyClock(Type* clock, void (*destroy)(void*) noexcept) noexcept : clock_(clock),
                                                                    destroy_(destroy),
                                                                    ref_(*clock) {}

  void* clock_;
  void (*destroy_)(void*) noexcept;
  ClockRef ref_;
};

}  // namespace loupe::inline LOUPE_ABI
