#include "loupe/select/save_config.hpp"

#include <utility>

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL result<void> ModeSaveConfig::validate(std::string_view owner) const {
  const auto refuse = [owner](std::string_view parameter, std::int64_t given, std::string_view allowed) {
    return fail(ErrorKind::invalid_argument, Text::join(owner, parameter),
                Text::join("is ", to_text(given).view(), ", but ", allowed));
  };
  if (interval < 1) return refuse("save_interval", interval, "must be at least 1");
  if (start_step < 0) return refuse("start_step", start_step, "must be at least 0");
  if (end_step && *end_step < 0) return refuse("end_step", *end_step, "must be at least 0, or absent for no end");
  for (const std::int64_t step : save_steps)
    if (step < 0) return refuse("save_steps", step, "its steps must be at least 0");
  if (end_step && *end_step != 0 && *end_step < start_step && save_steps.empty())
    return refuse("end_step", *end_step,
                  Text::join("start_step is ", to_text(start_step).view(),
                             ": nothing would be saved; to disable saving give end_step 0"));
  return {};
}

LOUPE_DECL ModeSaveConfig SaveConfig::of(Mode mode) const {
  const std::optional<ModeSaveConfig>* const own[] = {&train, &eval, &predict, &global};
  if (const std::size_t index = mode_index(mode); index < mode_count && *own[index]) return **own[index];
  return {interval, start_step, end_step, save_steps};
}

LOUPE_DECL result<void> SaveConfig::validate() const {
  LOUPE_TRY(ModeSaveConfig{interval, start_step, end_step, save_steps}.validate());
  return ModeSaveConfigs(*this).validate();
}

LOUPE_DECL ModeSaveConfigs::ModeSaveConfigs(const SaveConfig& config) {
  for (const Mode mode : all_modes) set(mode, config.of(mode));
}

LOUPE_DECL void ModeSaveConfigs::fill_from(const ModeSaveConfigs& defaults) {
  for (const Mode mode : all_modes)
    if (!of(mode)) set(mode, defaults.of(mode));
}

LOUPE_DECL void ModeSaveConfigs::place(Mode mode, std::size_t position) noexcept {
  std::size_t from = 0;
  while (from < mode_count && order_[from] != mode) ++from;
  if (from == mode_count || position >= mode_count) return;
  for (; from > position; --from) order_[from] = order_[from - 1];
  for (; from < position; ++from) order_[from] = order_[from + 1];
  order_[position] = mode;
}

LOUPE_DECL result<void> ModeSaveConfigs::validate() const {
  for (const Mode mode : all_modes)
    if (const auto& config = of(mode)) LOUPE_TRY(config->validate(Text::join(mode_config_name(mode), ".")));
  return {};
}

}  // namespace loupe::inline LOUPE_ABI
