#pragma once
/// @file
/// What a rule says of a step: three values, because "nothing was looked at" is not "no issue".

#include <cstdint>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// What a rule, or a part of one, says of a step.
enum class Outcome : std::uint8_t {
  no_data,  ///< nothing that it looks at was there
  clear,    ///< there is no issue
  fired,    ///< its condition is met
};

/// Kleene's `and`: clear if either is, fired if both are.
constexpr Outcome both(Outcome one, Outcome other) noexcept {
  if (one == Outcome::clear || other == Outcome::clear) return Outcome::clear;
  return one == Outcome::fired && other == Outcome::fired ? Outcome::fired : Outcome::no_data;
}

/// Kleene's `or`: fired if either is, clear if both are.
constexpr Outcome either(Outcome one, Outcome other) noexcept {
  if (one == Outcome::fired || other == Outcome::fired) return Outcome::fired;
  return one == Outcome::clear && other == Outcome::clear ? Outcome::clear : Outcome::no_data;
}

/// Kleene's `not`: nothing known stays nothing known.
constexpr Outcome negated(Outcome of) noexcept {
  return of == Outcome::fired ? Outcome::clear : of == Outcome::clear ? Outcome::fired : Outcome::no_data;
}

/// Whether a condition that could be judged is met.
constexpr Outcome outcome_of(bool is_met) noexcept { return is_met ? Outcome::fired : Outcome::clear; }

}  // namespace loupe::inline LOUPE_ABI::rules
