#pragma once
/// @file
/// Hook configurations from `debughookconfig.json` and the environment (format.md section 13, semantics.md section 16).

#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/base/environment.hpp"
#include "loupe/base/error_policy.hpp"
#include "loupe/base/result.hpp"
#include "loupe/capture/configuration.hpp"
#include "loupe/format/hook_config.hpp"
#include "loupe/select/framework_defaults.hpp"

namespace loupe::inline LOUPE_ABI {

/// What a configuration file is read with.
struct HookConfigSurroundings {
  /// Names the files of SageMaker jobs and says whether this is one; by default the process's.
  Environment environment = {};
  /// What the framework's hooks begin with.
  FrameworkDefaults defaults = frameworkless_defaults;
  /// smdebug's peculiarities: `format::hook_config_quirks<compat::Smdebug>`.
  format::HookConfigQuirks quirks = {};
};

/// A hook's configuration from the text of a `debughookconfig.json`; `file` names it in errors. The environment names the
/// files that say where checkpoints are and, in a SageMaker job, TensorBoard's output goes; they may be missing.
LOUPE_DECL result<HookConfig> read_hook_config(std::string_view text, std::string_view file,
                                               const HookConfigSurroundings& surroundings = {});
/// The same from a file; an empty path means the one that the environment names (`SMDEBUG_CONFIG_FILE_PATH`, else
/// SageMaker's), unless `USE_SMDEBUG` switches hooks off: then there is no need of one. `not_found` if it is missing.
LOUPE_DECL result<HookConfig> read_hook_config_file(std::string_view path,
                                                    const HookConfigSurroundings& surroundings = {});

/// As `read_hook_config`; throws an error, or gives a `result` if `Errors` is `Expect`.
template <ErrorPolicy Errors = DefaultErrorPolicy>
typename Errors::template type<HookConfig> config_from_json(std::string_view text, std::string_view file,
                                                            const HookConfigSurroundings& surroundings = {}) {
  return Errors::finish(read_hook_config(text, file, surroundings));
}
/// As `read_hook_config_file` for the file that the environment names; throws an error, or gives a `result` if `Errors` is
/// `Expect`.
template <ErrorPolicy Errors = DefaultErrorPolicy>
typename Errors::template type<HookConfig> config_from_environment(const HookConfigSurroundings& surroundings = {}) {
  return Errors::finish(read_hook_config_file({}, surroundings));
}

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/capture/hook_config_json.ipp"
#endif
