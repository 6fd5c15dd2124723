#pragma once
/// @file
/// Environment variables as a value that is handed in, so that nothing reads the process's behind a caller's back.

#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/text.hpp"

namespace loupe::inline LOUPE_ABI {

/// The process's environment, or a fixed list of variables. The process's is read at each question: as always, no other
/// thread may change it meanwhile.
class Environment {
 public:
  /// The process's.
  Environment() = default;
  /// These variables and no others; of two with one name the last counts.
  Environment(std::initializer_list<std::pair<std::string_view, std::string_view>> variables) : Environment(none()) {
    for (const auto& [name, value] : variables) set(name, value);
  }
  /// One in which nothing is set.
  static Environment none() {
    Environment environment;
    environment.asks_process_ = false;
    return environment;
  }

  /// The value of a variable, nothing if it is not set.
  [[nodiscard]] std::optional<Text> get(std::string_view name) const {
    for (const auto& variable : variables_)
      if (variable.first == name) return variable.second;
    if (!asks_process_) return std::nullopt;
    const char* value = std::getenv(Text(name).c_str());
    return value != nullptr ? std::optional<Text>(value) : std::nullopt;
  }
  /// Sets a variable here; the process's environment stays as it is.
  void set(std::string_view name, std::string_view value) {
    for (auto& variable : variables_)
      if (variable.first == name) {
        variable.second = value;
        return;
      }
    variables_.emplace_back(name, value);
  }

 private:
  std::vector<std::pair<Text, Text>> variables_;
  bool asks_process_ = true;
};

}  // namespace loupe::inline LOUPE_ABI
