#pragma once
/// @file
/// At which steps a collection is saved (semantics.md section 2).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/mode.hpp"
#include "loupe/base/result.hpp"

namespace loupe::inline LOUPE_ABI {

/// The interval when none is given.
inline constexpr std::int64_t default_save_interval = 500;

/// The settings of one mode; steps are mode steps. A step is saved if `save_steps` lists it, or if it is a multiple of
/// `interval` with `start_step <= step < end_step`. Multiples count from 0, not from `start_step`.
struct ModeSaveConfig {
  std::int64_t interval = default_save_interval;
  std::int64_t start_step = 0;
  std::optional<std::int64_t> end_step = {};  ///< exclusive; 0 disables the interval altogether
  std::vector<std::int64_t> save_steps = {};  ///< saved besides, wherever start and end are

  /// Whether the step is to be saved. Defined for any settings: an interval below 1 has no multiples.
  [[nodiscard]] bool should_save(std::int64_t mode_step) const noexcept {
    for (const std::int64_t step : save_steps)
      if (step == mode_step) return true;
    if (interval < 1 || mode_step < start_step || (end_step && mode_step >= *end_step)) return false;
    return mode_step % interval == 0;
  }
  /// Refuses settings that no one can mean: an interval below 1, negative steps, and an end before the start that
  /// nothing makes up for. `owner` (such as `train.`) goes before the parameter's name in the error.
  [[nodiscard]] LOUPE_DECL result<void> validate(std::string_view owner = {}) const;

  friend bool operator==(const ModeSaveConfig&, const ModeSaveConfig&) = default;
};

/// The settings of a hook: the same for all modes, or others for a mode that has its own.
/// `SaveConfig{.interval = 10, .eval = ModeSaveConfig{.interval = 1}}`.
struct SaveConfig {
  std::int64_t interval = default_save_interval;
  std::int64_t start_step = 0;
  std::optional<std::int64_t> end_step = {};
  std::vector<std::int64_t> save_steps = {};
  std::optional<ModeSaveConfig> train = {};
  std::optional<ModeSaveConfig> eval = {};
  std::optional<ModeSaveConfig> predict = {};
  std::optional<ModeSaveConfig> global = {};

  /// The settings that hold for a mode.
  [[nodiscard]] LOUPE_DECL ModeSaveConfig of(Mode mode) const;
  [[nodiscard]] LOUPE_DECL result<void> validate() const;

  friend bool operator==(const SaveConfig&, const SaveConfig&) = default;
};

/// What a collection holds: the settings of each mode, or nothing for a mode that takes the hook's. Remembers in which
/// order a file lists the modes.
class ModeSaveConfigs {
 public:
  /// No mode has settings of its own.
  ModeSaveConfigs() = default;
  /// Every mode has settings.
  LOUPE_DECL ModeSaveConfigs(const SaveConfig& config);

  [[nodiscard]] const std::optional<ModeSaveConfig>& of(Mode mode) const noexcept { return configs_[mode_index(mode)]; }
  void set(Mode mode, std::optional<ModeSaveConfig> config) { configs_[mode_index(mode)] = std::move(config); }
  /// Gives the modes without settings those of `defaults`.
  LOUPE_DECL void fill_from(const ModeSaveConfigs& defaults);
  /// The mode that stands at `position` (0 to 3) in a file.
  [[nodiscard]] Mode mode_at(std::size_t position) const noexcept { return order_[position]; }
  /// Moves a mode to `position`, those between one further back.
  LOUPE_DECL void place(Mode mode, std::size_t position) noexcept;
  [[nodiscard]] LOUPE_DECL result<void> validate() const;

  /// Compares settings, not their order.
  friend bool operator==(const ModeSaveConfigs& a, const ModeSaveConfigs& b) noexcept {
    for (const Mode mode : all_modes)
      if (a.of(mode) != b.of(mode)) return false;
    return true;
  }

 private:
  std::optional<ModeSaveConfig> configs_[mode_count];
  Mode order_[mode_count] = {Mode::train, Mode::eval, Mode::predict, Mode::global};
};

/// The lower-case name of a mode as configurations write it: `train eval predict global`.
constexpr std::string_view mode_config_name(Mode mode) noexcept {
  constexpr std::string_view names[] = {"train", "eval", "predict", "global"};
  const std::size_t index = mode_index(mode);
  return index < mode_count ? names[index] : std::string_view("invalid");
}

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/select/save_config.ipp"
#endif
