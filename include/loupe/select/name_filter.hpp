#pragma once
/// @file
/// Which names a list of regular expressions selects, without a regex engine wherever one isn't needed.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/select/any_pattern.hpp"

namespace loupe::inline LOUPE_ABI {

/// A pattern as code.
using NamePredicate = bool (*)(std::string_view name) noexcept;

/// The code of a pattern of the default collections (semantics.md section 5.3), or null for other patterns.
LOUPE_DECL NamePredicate known_pattern(std::string_view pattern) noexcept;

/// A list of patterns in Python's syntax; a name is selected if any of them is found anywhere in it. Literals, with or
/// without anchors, and the patterns of the default collections are matched directly, with exactly their meaning as
/// regular expressions; others are compiled, once, by the engine. A pattern that the engine refuses selects nothing and
/// leaves its error: a trial must be readable whatever its collections say. Const calls are safe from several threads.
class NameFilter {
 public:
  /// Null stands for `compile_python_regex`.
  explicit NameFilter(PatternCompiler engine = nullptr) noexcept : engine_(engine) {}
  explicit NameFilter(std::span<const Text> patterns, PatternCompiler engine = nullptr) : engine_(engine) {
    for (const Text& pattern : patterns) add(pattern);
  }

  LOUPE_DECL void add(std::string_view pattern);
  /// Whether the name is selected. An error if no pattern is found and an engine gave up on one (`limit_exceeded`).
  [[nodiscard]] LOUPE_DECL result<bool> search(std::string_view name) const;
  /// The same, taking a pattern on which the engine gives up as not found.
  [[nodiscard]] bool matches(std::string_view name) const { return search(name).value_or(false); }

  [[nodiscard]] bool empty() const noexcept { return rules_.empty() && errors_.empty(); }
  /// Why patterns were refused.
  [[nodiscard]] std::span<const Error> errors() const noexcept { return errors_; }

 private:
  enum class Kind : std::uint8_t { contains, prefix, suffix, equal, predicate, engine };
  struct Rule {
    Kind kind = Kind::contains;
    Text literal;
    NamePredicate predicate = nullptr;
    AnyPattern pattern;
  };
  LOUPE_DECL static bool read_literal(std::string_view pattern, Rule& rule);
  PatternCompiler engine_ = nullptr;
  std::vector<Rule> rules_;
  std::vector<Error> errors_;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/select/name_filter.ipp"
#endif
