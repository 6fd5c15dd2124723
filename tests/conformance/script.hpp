#pragma once
/// @file
/// Hook scripts: what a training run does, without any framework (tests/data/fixtures/README.md).

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conformance/json.hpp"
#include "loupe/base/array.hpp"
#include "loupe/base/mode.hpp"
#include "loupe/base/result.hpp"

namespace conformance {

enum class OpKind { mode, step, tensor, scalar, custom, flush_custom, close };

/// One thing that the run does.
struct Op {
  OpKind kind = OpKind::step;
  std::string name;
  std::optional<loupe::Mode> mode;   ///< mode: nothing for one that there isn't
  std::vector<loupe::Array> values;  ///< one for each worker, or one for all
  std::vector<std::string> collections;
  double timestamp = 0;
  std::vector<std::string> only;  ///< the workers that do it; none: all

  [[nodiscard]] bool is_for(std::string_view worker) const;
  [[nodiscard]] const loupe::Array& value(std::size_t worker_number) const {
    return values.size() == 1 ? values[0] : values[worker_number];
  }
};

/// A collection that the hook begins with, and its patterns.
struct ScriptCollection {
  std::string name;
  std::vector<std::string> patterns;
};

struct Script {
  std::vector<std::pair<std::string, std::string>> files;        ///< put into the output folder beforehand
  std::vector<std::pair<std::string, std::string>> environment;  ///< set beforehand
  std::vector<std::string> workers{"worker_0"};
  Json config = Object{};                                        ///< the debughookconfig.json
  std::vector<ScriptCollection> default_collections;
  std::vector<std::string> included_collections{"losses"};       ///< saved whatever the configuration says
  std::vector<Op> ops;
};

/// Reads a script; `file` is for messages.
loupe::result<Script> read_script(std::string_view text, std::string_view file);

}  // namespace conformance
