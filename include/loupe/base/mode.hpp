#pragma once
/// @file
/// The modes of a run, with the numbers and names that smdebug's files use.

#include <cstdint>
#include <optional>
#include <string_view>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// What the model is doing in a step. `global` is both the mode of a loop that never sets one and the counter over all modes.
enum class Mode : std::uint8_t { train = 1, eval = 2, predict = 3, global = 4 };

/// All modes in the order in which smdebug lists them.
inline constexpr Mode all_modes[] = {Mode::train, Mode::eval, Mode::predict, Mode::global};

/// The number of modes, and a mode's place in an array of that size.
inline constexpr std::size_t mode_count = 4;
constexpr std::size_t mode_index(Mode mode) noexcept { return static_cast<std::size_t>(mode) - 1; }

/// The upper-case name that index and collections files hold: `TRAIN EVAL PREDICT GLOBAL`.
constexpr std::string_view mode_name(Mode mode) noexcept {
  constexpr std::string_view names[] = {"TRAIN", "EVAL", "PREDICT", "GLOBAL"};
  const auto index = mode_index(mode);
  return index < mode_count ? names[index] : std::string_view("INVALID");
}

/// The mode of an exact upper-case name, or nothing.
constexpr std::optional<Mode> mode_from_name(std::string_view name) noexcept {
  for (Mode mode : all_modes)
    if (mode_name(mode) == name) return mode;
  return std::nullopt;
}

/// The mode of a number 1 to 4 as event files hold it, or nothing.
constexpr std::optional<Mode> mode_from_number(long long number) noexcept {
  if (number < 1 || number > static_cast<long long>(mode_count)) return std::nullopt;
  return static_cast<Mode>(number);
}

}  // namespace loupe::inline LOUPE_ABI
