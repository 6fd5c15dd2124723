#pragma once
/// @file
/// Hook configurations: `debughookconfig.json` and its neighbours (format.md section 13).

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "loupe/base/compatibility.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/environment.hpp"
#include "loupe/base/result.hpp"
#include "loupe/select/collection.hpp"
#include "loupe/select/framework_defaults.hpp"
#include "loupe/select/reduction_config.hpp"
#include "loupe/select/save_config.hpp"

namespace loupe::inline LOUPE_ABI::format {

/// What a hook configuration says, with everything resolved that it leaves open.
struct HookParameters {
  Text out_dir = "/opt/ml/output/tensors";
  SaveConfig save;
  ReductionConfig reductions = ReductionConfig::raw_only();
  /// The collections that are listed, each once: to be saved, and to take the place of what was there before. They
  /// begin with the patterns that the framework gives to collections of their name.
  std::vector<Collection> collections;
  std::vector<Text> include_regex;  ///< for collection `default`
  bool save_all = false;
  bool include_all_workers = false;
  bool export_tensorboard = false;
  Text tensorboard_dir;  ///< empty: none is named
  bool dry_run = false;
};

/// What smdebug makes of hook configurations and loupe doesn't (semantics.md 19-20 and 19-21). The defaults are loupe's.
struct HookConfigQuirks {
  bool ignores_dry_run = false;
  bool flags_need_reductions = false;  ///< `save_raw_tensor`, `save_shape`: real booleans, and only beside `reductions`
  bool refuses_lists = false;          ///< lists must be texts of comma-separated words
  bool takes_any_include_workers = false;  ///< whatever isn't `all` means one
  bool takes_any_number = false;           ///< no bounds for intervals and steps
  bool collections_forget_framework =
      false;                               ///< a listed collection has 500 for interval, even where a hook has another
};
template <compat::Compatibility Policy>
inline constexpr HookConfigQuirks hook_config_quirks = {};
template <>
inline constexpr HookConfigQuirks hook_config_quirks<compat::Smdebug> = {
    .ignores_dry_run = true,
    .flags_need_reductions = true,
    .refuses_lists = true,
    .takes_any_include_workers = true,
    .takes_any_number = true,
    .collections_forget_framework = true,
};

/// What surrounds a hook configuration.
struct HookConfigContext {
  FrameworkDefaults defaults = frameworkless_defaults;
  bool in_sagemaker_job =
      false;  ///< then TensorBoard is configured by a file of its own, and its keys here are ignored
  HookConfigQuirks quirks = {};
};

/// Reads a hook configuration; `file` names it in errors. Numbers may be texts, truth values the texts `true`, `True`,
/// `false`, `False` or 0 and 1, lists comma-separated texts or JSON lists (as which a pattern may have commas). A number
/// with a fraction is cut, as smdebug does. Unknown keys are ignored. Errors name the file, the key, the place and what
/// is allowed: `corrupt` for no JSON, `invalid_type` for a value of the wrong kind, `invalid_argument` for another.
LOUPE_DECL result<HookParameters> parse_hook_config(std::string_view text, std::string_view file,
                                                    const HookConfigContext& context = {});

/// Reads the TensorBoard or checkpoint configuration (format.md 13.2, 13.3): its `LocalPath`, if it has one.
LOUPE_DECL result<std::optional<Text>> parse_local_path(std::string_view text, std::string_view file);

/// Where the configuration files are, by the environment variable or SageMaker's fixed path.
inline Text hook_config_path(const Environment& environment) {
  return environment.get("SMDEBUG_CONFIG_FILE_PATH").value_or("/opt/ml/input/config/debughookconfig.json");
}
inline Text tensorboard_config_path(const Environment& environment) {
  return environment.get("TENSORBOARD_CONFIG_FILE_PATH").value_or("/opt/ml/input/config/tensorboardoutputconfig.json");
}
inline Text checkpoint_config_path(const Environment& environment) {
  return environment.get("CHECKPOINT_CONFIG_FILE_PATH").value_or("/opt/ml/input/config/checkpointconfig.json");
}
/// Whether this is a SageMaker job, which the mere presence of `TRAINING_JOB_NAME` says.
inline bool in_sagemaker_job(const Environment& environment) {
  return environment.get("TRAINING_JOB_NAME").has_value();
}

}  // namespace loupe::inline LOUPE_ABI::format

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/format/hook_config.ipp"
#endif
