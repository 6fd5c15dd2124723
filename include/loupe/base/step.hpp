#pragma once
/// @file
/// The two counters of a run as types that don't mix.

#include <compare>
#include <cstdint>

#include "loupe/base/config.hpp"
#include "loupe/base/mode.hpp"

namespace loupe::inline LOUPE_ABI {

/// The largest step that a run counts on from: no number that a file may hold makes counting overflow.
inline constexpr std::int64_t max_resumed_step = INT64_MAX / 2;

/// A global step: counts the steps of all modes from 0, and names files.
struct Step {
  std::int64_t value = 0;
  constexpr Step() noexcept = default;
  constexpr explicit Step(std::int64_t number) noexcept : value(number) {}
  friend constexpr auto operator<=>(Step, Step) noexcept = default;
};

/// A step within one mode, from 0; save decisions use it. For `Mode::global` it equals the global step.
struct ModeStep {
  Mode mode = Mode::global;
  std::int64_t value = 0;
  constexpr ModeStep() noexcept = default;
  constexpr ModeStep(Mode of, std::int64_t number) noexcept : mode(of), value(number) {}
  friend constexpr auto operator<=>(const ModeStep&, const ModeStep&) noexcept = default;
};

}  // namespace loupe::inline LOUPE_ABI
