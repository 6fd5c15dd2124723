#pragma once
/// @file
/// A hook that is not there: the interface of `Hook` with nothing behind it.

#include <span>
#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/base/mode.hpp"
#include "loupe/capture/hook_ref.hpp"
#include "loupe/capture/recorder.hpp"

namespace loupe::inline LOUPE_ABI {

/// A step of a `NullHook`.
struct [[nodiscard]] NullStep {
  constexpr NullStep() noexcept {}
  constexpr ~NullStep() {}
  [[nodiscard]] static constexpr bool armed() noexcept { return false; }
  template <class Tensor>
  constexpr NullStep& save(std::string_view, const Tensor&) noexcept {
    return *this;
  }
  template <class Number>
  constexpr NullStep& scalar(std::string_view, const Number&, const ScalarOptions& = {}) noexcept {
    return *this;
  }
  constexpr void end() noexcept {}
};

/// Takes the place of a hook where capture is switched off at compile time: every call is empty and compiles to nothing.
struct NullHook {
  constexpr void set_mode(Mode) noexcept {}
  static constexpr NullStep step() noexcept { return {}; }
  static constexpr NullStep step(Mode) noexcept { return {}; }
  constexpr void begin_step() noexcept {}
  constexpr void end_step() noexcept {}
  [[nodiscard]] static constexpr bool armed() noexcept { return false; }
  template <class Tensor>
  constexpr void save(std::string_view, const Tensor&) noexcept {}
  template <class Number>
  constexpr void save_scalar(std::string_view, const Number&, const ScalarOptions& = {}) noexcept {}
  template <class Tensor>
  constexpr void save_tensor(std::string_view, const Tensor&, std::span<const std::string_view> = {}) noexcept {}
  constexpr void flush_custom() noexcept {}
  constexpr void flush() noexcept {}
  constexpr void close() noexcept {}
  [[nodiscard]] static constexpr HookRef ref() noexcept { return {}; }
};

}  // namespace loupe::inline LOUPE_ABI
