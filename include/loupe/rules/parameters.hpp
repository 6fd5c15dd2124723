#pragma once
/// @file
/// Parameters of rules: one description of each rule's, from which follow how they are read from strings, checked and
/// printed (rules.md section 3).

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/function_ref.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/text.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// Which numbers a parameter may have; never NaN or infinite.
struct NumberRange {
  double low = -std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::max();
  bool is_low_open = false;   ///< `low` itself is not allowed
  bool is_high_open = false;
  [[nodiscard]] constexpr bool contains(double number) const noexcept {
    return (is_low_open ? number > low : number >= low) && (is_high_open ? number < high : number <= high);
  }
};
constexpr NumberRange any_number() noexcept { return {}; }
constexpr NumberRange at_least(double low) noexcept { return {.low = low}; }
constexpr NumberRange above(double low) noexcept { return {.low = low, .is_low_open = true}; }
constexpr NumberRange between(double low, double high) noexcept { return {.low = low, .high = high}; }
/// Neither end itself.
constexpr NumberRange strictly_between(double low, double high) noexcept {
  return {.low = low, .high = high, .is_low_open = true, .is_high_open = true};
}

/// Visits the parameters of a rule. A rule describes them once:
///
/// ```cpp
/// void visit(ParameterVisitor& visitor) {
///   visitor.number("threshold", threshold, at_least(0));
///   visitor.flag("only_nan", only_nan);
/// }
/// ```
/// Integers have `low` and `high` as their ends, whole numbers both.
class ParameterVisitor {
 public:
  virtual ~ParameterVisitor() = default;
  virtual void number(std::string_view name, double& value, NumberRange range) = 0;
  virtual void number(std::string_view name, std::optional<double>& value, NumberRange range) = 0;
  virtual void integer(std::string_view name, std::int64_t& value, NumberRange range) = 0;
  virtual void integer(std::string_view name, std::optional<std::int64_t>& value, NumberRange range) = 0;
  virtual void flag(std::string_view name, bool& value) = 0;
  virtual void text(std::string_view name, Text& value) = 0;
  virtual void list(std::string_view name, std::vector<Text>& value) = 0;
  virtual void numbers(std::string_view name, std::vector<double>& value, NumberRange range) = 0;
  /// One of some words.
  virtual void word(std::string_view name, Text& value, std::span<const std::string_view> allowed) = 0;
};

/// A parameter as the service sends it.
struct NamedParameter {
  Text name;
  Text value;
};

/// Something whose parameters can be visited.
template <class Parameters>
concept VisitableParameters = requires(Parameters& parameters, ParameterVisitor& visitor) { parameters.visit(visitor); };

namespace detail {
/// The visits, for parameters of any type: a call of their `visit`.
using VisitParameters = FunctionRef<void(ParameterVisitor&)>;
LOUPE_DECL result<void> read_parameters(std::string_view rule, std::span<const NamedParameter> given, VisitParameters visit);
LOUPE_DECL result<void> check_parameters(std::string_view rule, VisitParameters visit);
LOUPE_DECL Text parameters_text(VisitParameters visit);
/// Words with commas between.
LOUPE_DECL Text joined(std::span<const std::string_view> words);
}  // namespace detail

/// Reads parameters from strings, strictly: `invalid_argument`, naming rule, parameter and what is allowed, for a name
/// that is unknown (with the nearest known one) or given twice, and for a value that doesn't parse or is out of range.
template <VisitableParameters Parameters>
result<void> read_parameters(std::string_view rule, std::span<const NamedParameter> given, Parameters& parameters) {
  return detail::read_parameters(rule, given, [&](ParameterVisitor& visitor) { parameters.visit(visitor); });
}
/// Checks the ranges of parameters that were given in code.
template <VisitableParameters Parameters>
result<void> check_parameters(std::string_view rule, Parameters parameters) {
  return detail::check_parameters(rule, [&](ParameterVisitor& visitor) { parameters.visit(visitor); });
}
/// `name:value`, one a line, as smdebug's reports have them; what is not given is left out.
template <VisitableParameters Parameters>
Text parameters_text(Parameters parameters) {
  return detail::parameters_text([&](ParameterVisitor& visitor) { parameters.visit(visitor); });
}

/// The nearest of some names, by Levenshtein's distance; empty if none is near enough to be meant.
LOUPE_DECL std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

/// Splits a list: a JSON array of strings or numbers, or text at commas that are not inside brackets of any kind, blanks
/// around the parts taken away. Empty text is an empty list.
LOUPE_DECL result<std::vector<Text>> split_list(std::string_view text);

}  // namespace loupe::inline LOUPE_ABI::rules

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/rules/parameters.ipp"
#endif
