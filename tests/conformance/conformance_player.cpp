/// Plays a hook script: tests/data/fixtures/README.md says what that is.
///
///     conformance_player SCRIPT.json OUT_DIR

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/folder.hpp"
#include "conformance/script.hpp"
#include "conformance/script_storage.hpp"
#include "loupe/base/environment.hpp"
#include "loupe/capture/hook_config_json.hpp"
#include "loupe/format/layout.hpp"
#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"
#include "loupe/reduce/numpy_definitions.hpp"

namespace {

using namespace conformance;

/// A worker by its name; the chief is the one that smdebug takes for it.
class ScriptRanks {
 public:
  ScriptRanks(std::string_view worker, std::size_t number, std::size_t count)
      : worker_(worker),
        rank_(worker == "worker_0" ? 0 : static_cast<std::int64_t>(number) + 1),
        count_(static_cast<std::int64_t>(count)) {}
  [[nodiscard]] std::int64_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::int64_t world_size() const noexcept { return count_; }
  [[nodiscard]] loupe::Text worker_name() const { return worker_; }

 private:
  loupe::Text worker_;
  std::int64_t rank_;
  std::int64_t count_;
};

using Hook = loupe::Hook<loupe::frameworks::Span, ScriptStorage, ScriptRanks, loupe::NumpyDefinitions, loupe::Expect,
                         loupe::InlineExecutor, loupe::compat::Smdebug>;

/// The value of a `result`, or the end of the program.
template <class Value>
Value must(loupe::result<Value>&& outcome) {
  if (!outcome) throw std::runtime_error(outcome.error().message().c_str());
  if constexpr (!std::is_void_v<Value>) return *std::move(outcome);
}

/// The defaults of a script's hook, with what they refer to.
class ScriptDefaults {
 public:
  explicit ScriptDefaults(const Script& script)
      : included_(script.included_collections.begin(), script.included_collections.end()) {
    for (const ScriptCollection& collection : script.default_collections)
      collections_.push_back(
          {collection.name, collection.patterns.empty() ? std::string_view() : collection.patterns[0]});
  }
  [[nodiscard]] loupe::FrameworkDefaults get() const { return {"script", collections_, included_}; }

 private:
  std::vector<loupe::DefaultCollection> collections_;
  std::vector<std::string_view> included_;
};

/// The script's variables and no others. Relative paths of configuration files are paths below the output folder.
loupe::Environment environment_of(const Script& script, const std::string& folder) {
  loupe::Environment environment{{"", ""}};
  for (const auto& [name, value] : script.environment) {
    const bool is_path = name.ends_with("_CONFIG_FILE_PATH") && !value.starts_with('/');
    environment.set(name, is_path ? folder + "/" + value : value);
  }
  return environment;
}

/// One worker's run.
class Player {
 public:
  Player(const Script& script, const std::string& folder, std::size_t number)
      : script_(script),
        number_(number),
        defaults_(script),
        storage_(folder),
        hook_(must(Hook::create(config(folder), storage_, ScriptRanks(worker(), number, script.workers.size())))) {
    for (const ScriptCollection& collection : script.default_collections)
      for (std::size_t i = 1; i < collection.patterns.size(); ++i)
        must(hook_.collection(collection.name))->include(collection.patterns[i]);
  }

  /// Plays to the end; a run that isn't closed there leaves its folder as a killed process does.
  void play() {
    bool is_closed = false;
    for (const Op& op : script_.ops) {
      if (!op.is_for(worker())) continue;
      if (auto done = play(op); !done)
        std::fprintf(stderr, "%s: %s\n", worker().c_str(), done.error().message().c_str());
      is_closed = is_closed || op.kind == OpKind::close;
    }
    if (is_closed) return;
    storage_.kill(hook_.counts().tensors > tensors_before_step_);
    (void)hook_.end_step();
  }

 private:
  [[nodiscard]] const std::string& worker() const { return script_.workers[number_]; }

  loupe::HookConfig config(const std::string& folder) const {
    Json json = script_.config;
    std::get<Object>(json.value).emplace_back("LocalPath", folder);
    loupe::HookConfig config = must(loupe::read_hook_config(
        print(json), "the script's configuration",
        {environment_of(script_, folder), defaults_.get(), loupe::format::hook_config_quirks<loupe::compat::Smdebug>}));
    if (!config.checkpoint_dir.empty() && !config.checkpoint_dir.view().starts_with('/'))
      config.checkpoint_dir = loupe::Text::join(folder, "/", config.checkpoint_dir.view());
    return config;
  }

  loupe::result<void> play(const Op& op) {
    switch (op.kind) {
      case OpKind::mode: return hook_.set_mode(op.mode.value_or(loupe::Mode{}));
      case OpKind::step: {
        auto begun = hook_.begin_step();
        tensors_before_step_ = hook_.counts().tensors;
        return begun;
      }
      case OpKind::tensor: return hook_.save(op.name, op.value(number_).view());
      case OpKind::scalar:
        return hook_.save_scalar(op.name, op.value(number_).view(), {.timestamp = op.timestamp});
      case OpKind::custom: {
        const std::vector<std::string_view> collections(op.collections.begin(), op.collections.end());
        return hook_.save_tensor(op.name, op.value(number_).view(), collections);
      }
      case OpKind::flush_custom: return hook_.flush_custom();
      case OpKind::close: return hook_.close();
    }
    return {};
  }

  const Script& script_;
  std::size_t number_;
  ScriptDefaults defaults_;
  ScriptStorage storage_;
  Hook hook_;
  std::uint64_t tensors_before_step_ = 0;
};

void put_files(const Script& script, const std::string& folder) {
  std::filesystem::create_directories(folder);
  for (const auto& [name, content] : script.files) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << content;
  }
}

void play(const std::string& file, const std::string& folder) {
  const Script script = must(read_script(read_file(file), file));
  put_files(script, folder);
  const std::filesystem::path end_marker = std::filesystem::path(folder) / loupe::format::end_marker_key;
  for (std::size_t number = 0; number < script.workers.size(); ++number) {
    // The scripts' end marker stands after the last worker; each hook writes one, and none starts where there is one.
    if (number != 0) std::filesystem::remove(end_marker);
    // Never destroyed: the hook of a run that is killed must not clean up.
    (new Player(script, folder, number))->play();
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("usage: conformance_player SCRIPT.json OUT_DIR\n", stderr);
    return 2;
  }
  try {
    play(arguments[1], arguments[2]);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "conformance_player: %s\n", problem.what());
    std::_Exit(1);
  }
  std::_Exit(0);
}
