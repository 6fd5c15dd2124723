#include "loupe/capture/hook_config_json.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/storage/local.hpp"

namespace loupe::inline LOUPE_ABI {

namespace detail {

/// Appends a file's bytes to `out`; errors name the whole path.
inline result<void> read_file(std::string_view path, ByteBuffer& out) {
  const std::size_t slash = path.rfind('/');
  const bool has_folder = slash != std::string_view::npos;
  const LocalStorage folder(has_folder ? (slash == 0 ? path.substr(0, 1) : path.substr(0, slash))
                                       : std::string_view("."));
  auto read = folder.read(has_folder ? path.substr(slash + 1) : path, {}, out);
  if (!read) {
    Error error = std::move(read).error();
    error.object = path;
    return fail(std::move(error));
  }
  return {};
}

/// The `LocalPath` of a configuration file that need not be there.
inline result<Text> local_path_of(std::string_view path) {
  ByteBuffer text;
  if (auto read = read_file(path, text); !read) {
    if (read.error().kind == ErrorKind::not_found) return Text();
    return fail(std::move(read).error());
  }
  LOUPE_ASSIGN(std::optional<Text> local_path, format::parse_local_path(text.text(), path));
  return local_path ? *std::move(local_path) : Text();
}

/// What `USE_SMDEBUG` says: a word for yes or no, in any case; not set means yes.
inline result<bool> uses_smdebug(const Environment& environment) {
  const auto value = environment.get("USE_SMDEBUG");
  if (!value) return true;
  const auto is_one_of = [&](auto... words) {
    const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; };
    const std::string_view given = *value;
    return (std::equal(given.begin(), given.end(), words.begin(), words.end(), same) || ...);
  };
  using namespace std::string_view_literals;
  if (is_one_of("y"sv, "yes"sv, "t"sv, "true"sv, "on"sv, "1"sv)) return true;
  if (is_one_of("n"sv, "no"sv, "f"sv, "false"sv, "off"sv, "0"sv)) return false;
  return fail(ErrorKind::invalid_argument, "USE_SMDEBUG",
              Text::join("is \"", value->view(), "\", but must be y, yes, t, true, on, 1, n, no, f, false, off or 0"));
}

}  // namespace detail

LOUPE_DECL result<HookConfig> read_hook_config(std::string_view text, std::string_view file,
                                               const HookConfigSurroundings& surroundings) {
  const Environment& environment = surroundings.environment;
  HookConfig config;
  config.defaults = surroundings.defaults;
  config.in_sagemaker_job = format::in_sagemaker_job(environment);
  LOUPE_ASSIGN(
      format::HookParameters given,
      format::parse_hook_config(text, file, {surroundings.defaults, config.in_sagemaker_job, surroundings.quirks}));
  config.out_dir = std::move(given.out_dir);
  config.save = std::move(given.save);
  config.reductions = std::move(given.reductions);
  config.collections = std::move(given.collections);
  config.include_regex = std::move(given.include_regex);
  config.save_all = given.save_all;
  config.include_workers = given.include_all_workers ? IncludeWorkers::all : IncludeWorkers::one;
  config.export_tensorboard = given.export_tensorboard;
  config.tensorboard_dir = std::move(given.tensorboard_dir);
  config.dry_run = given.dry_run;
  if (config.in_sagemaker_job) {
    LOUPE_ASSIGN(config.tensorboard_dir, detail::local_path_of(format::tensorboard_config_path(environment)));
  }
  LOUPE_ASSIGN(config.checkpoint_dir, detail::local_path_of(format::checkpoint_config_path(environment)));
  return config;
}

LOUPE_DECL result<HookConfig> read_hook_config_file(std::string_view path, const HookConfigSurroundings& surroundings) {
  LOUPE_ASSIGN(const bool is_enabled,
               path.empty() ? detail::uses_smdebug(surroundings.environment) : result<bool>(true));
  if (!is_enabled) {
    HookConfig config;
    config.enabled = false;
    return config;
  }
  const Text file = path.empty() ? format::hook_config_path(surroundings.environment) : Text(path);
  ByteBuffer text;
  LOUPE_TRY(detail::read_file(file, text));
  return read_hook_config(text.text(), file, surroundings);
}

}  // namespace loupe::inline LOUPE_ABI
