#pragma once
/// @file
/// Numbers taken of a tensor, and thresholds on them: `l2_norm > 1e3`, `fraction_zero >= 0.9`, `change(mean) < 0`.

#include <cmath>
#include <concepts>
#include <optional>
#include <string_view>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/rules/evidence.hpp"
#include "loupe/rules/findings.hpp"
#include "loupe/rules/outcome.hpp"
#include "loupe/rules/per_tensor.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// A number taken of a tensor: what it needs, and the number, nothing where there is none. It may remember what it needs of
/// earlier steps; then it is asked once a step.
template <class Type>
concept Measure = std::copy_constructible<Type> && requires(Type& measure, const Evidence& tensor) {
  { std::as_const(measure).wanted() } -> std::same_as<Wanted>;
  { measure.of(tensor) } -> std::same_as<std::optional<double>>;
};

/// A statistic of a tensor.
struct StatisticMeasure {
  Statistic statistic;
  [[nodiscard]] Wanted wanted() const noexcept { return wants_statistics(statistic); }
  [[nodiscard]] std::optional<double> of(const Evidence& tensor) const noexcept { return tensor.statistic(statistic); }
};
inline constexpr StatisticMeasure minimum{Statistic::min};
inline constexpr StatisticMeasure maximum{Statistic::max};
inline constexpr StatisticMeasure mean{Statistic::mean};
inline constexpr StatisticMeasure standard_deviation{Statistic::std};
inline constexpr StatisticMeasure variance{Statistic::variance};
inline constexpr StatisticMeasure sum{Statistic::sum};
inline constexpr StatisticMeasure l1_norm{Statistic::l1};
inline constexpr StatisticMeasure l2_norm{Statistic::l2};
inline constexpr StatisticMeasure abs_mean{Statistic::abs_mean};
inline constexpr StatisticMeasure abs_max{Statistic::abs_max};
inline constexpr StatisticMeasure nan_count{Statistic::nan_count};

/// A statistic that counts elements, as a part of all elements, 0 to 1.
struct FractionMeasure {
  Statistic statistic;
  [[nodiscard]] Wanted wanted() const noexcept { return wants_statistics(statistic); }
  [[nodiscard]] std::optional<double> of(const Evidence& tensor) const noexcept {
    const auto count = tensor.statistic(statistic);
    if (!count || !tensor.has_value() || tensor.value.size() == 0) return std::nullopt;
    return *count / static_cast<double>(tensor.value.size());
  }
};
inline constexpr FractionMeasure fraction_zero{Statistic::zero_count};
inline constexpr FractionMeasure fraction_nan{Statistic::nan_count};

/// Two measures of one tensor, made one by `Operation`.
template <Measure Left, Measure Right, class Operation>
struct CombinedMeasure {
  Left left;
  Right right;
  [[nodiscard]] Wanted wanted() const {
    Wanted both = left.wanted();
    return both |= right.wanted();
  }
  [[nodiscard]] std::optional<double> of(const Evidence& tensor) {
    const auto one = left.of(tensor);
    const auto other = right.of(tensor);
    return one && other ? std::optional(Operation()(*one, *other)) : std::nullopt;
  }
};

namespace detail {
struct Plus { double operator()(double a, double b) const noexcept { return a + b; } };
struct Minus { double operator()(double a, double b) const noexcept { return a - b; } };
struct Times { double operator()(double a, double b) const noexcept { return a * b; } };
struct Over { double operator()(double a, double b) const noexcept { return a / b; } };
}  // namespace detail

template <Measure Left, Measure Right>
constexpr CombinedMeasure<Left, Right, detail::Plus> operator+(Left left, Right right) { return {std::move(left), std::move(right)}; }
template <Measure Left, Measure Right>
constexpr CombinedMeasure<Left, Right, detail::Minus> operator-(Left left, Right right) { return {std::move(left), std::move(right)}; }
template <Measure Left, Measure Right>
constexpr CombinedMeasure<Left, Right, detail::Times> operator*(Left left, Right right) { return {std::move(left), std::move(right)}; }
template <Measure Left, Measure Right>
constexpr CombinedMeasure<Left, Right, detail::Over> operator/(Left left, Right right) { return {std::move(left), std::move(right)}; }

/// What a measure was at the last step that had it; nothing at the first.
template <Measure Of>
class PreviousMeasure {
 public:
  explicit PreviousMeasure(Of measure) : measure_(std::move(measure)) {}
  [[nodiscard]] Wanted wanted() const { return measure_.wanted(); }
  [[nodiscard]] std::optional<double> of(const Evidence& tensor) {
    const auto now = measure_.of(tensor);
    return now ? std::exchange(last_.of(tensor), now) : std::nullopt;
  }

 private:
  Of measure_;
  PerTensor<std::optional<double>> last_;
};
template <Measure Of>
PreviousMeasure<Of> previous(Of measure) { return PreviousMeasure<Of>(std::move(measure)); }
/// By how much a measure has grown since the last step that had it.
template <Measure Of>
auto change(Of measure) { return measure - previous(measure); }

/// How a measure is held against a threshold. NaN meets no comparison.
enum class Comparison : std::uint8_t { above, at_least, below, at_most };

constexpr bool holds(Comparison comparison, double value, double threshold) noexcept {
  switch (comparison) {
    case Comparison::above: return value > threshold;
    case Comparison::at_least: return value >= threshold;
    case Comparison::below: return value < threshold;
    case Comparison::at_most: return value <= threshold;
  }
  return false;
}
constexpr std::string_view comparison_words(Comparison comparison) noexcept {
  switch (comparison) {
    case Comparison::above: return "is above the threshold";
    case Comparison::at_least: return "is not below the threshold";
    case Comparison::below: return "is below the threshold";
    case Comparison::at_most: return "is not above the threshold";
  }
  return "";
}

/// A measure held against a threshold: a condition on one tensor.
template <Measure Of>
struct ComparedMeasure {
  Of measure;
  Comparison comparison;
  double threshold;

  [[nodiscard]] Wanted wanted() const { return measure.wanted(); }
  [[nodiscard]] Outcome judge(const Evidence& tensor, Findings& findings) {
    const auto value = measure.of(tensor);
    if (!value) return Outcome::no_data;
    if (!holds(comparison, *value, threshold)) return Outcome::clear;
    findings.add(tensor, *value, threshold, comparison_words(comparison));
    return Outcome::fired;
  }
};
template <Measure Of>
constexpr ComparedMeasure<Of> operator>(Of measure, double threshold) { return {std::move(measure), Comparison::above, threshold}; }
template <Measure Of>
constexpr ComparedMeasure<Of> operator>=(Of measure, double threshold) { return {std::move(measure), Comparison::at_least, threshold}; }
template <Measure Of>
constexpr ComparedMeasure<Of> operator<(Of measure, double threshold) { return {std::move(measure), Comparison::below, threshold}; }
template <Measure Of>
constexpr ComparedMeasure<Of> operator<=(Of measure, double threshold) { return {std::move(measure), Comparison::at_most, threshold}; }

}  // namespace loupe::inline LOUPE_ABI::rules
