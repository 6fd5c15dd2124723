#pragma once
/// @file
/// Conditions that are put together: on one tensor, on the tensors of a step, on several steps.
///
/// ```cpp
/// auto dead = when(any_of("activations", fraction_zero > 0.9)).for_steps(5).named("DeadUnits");
/// auto wild = when(any_of("gradients", l2_norm > 1e3 && !(nan_count > 0))).named("Wild");
/// auto many = when(count_of("weights", change(l2_norm) > 0) >= 3).named("Growing");
/// ```

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <string_view>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/rules/measure.hpp"
#include "loupe/rules/rule.hpp"
#include "loupe/rules/tensors.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// A condition on one tensor. Asked once for each tensor and step; adds a violation where it says `fired`.
template <class Type>
concept TensorPredicate = std::copy_constructible<Type> && requires(Type& condition, const Evidence& tensor, Findings& findings) {
  { std::as_const(condition).wanted() } -> std::same_as<Wanted>;
  { condition.judge(tensor, findings) } -> std::same_as<Outcome>;
};

/// Two conditions on one tensor.
template <TensorPredicate Left, TensorPredicate Right, Outcome (*combine)(Outcome, Outcome) noexcept>
struct CombinedTensorPredicate {
  Left left;
  Right right;
  [[nodiscard]] Wanted wanted() const {
    Wanted all = left.wanted();
    return all |= right.wanted();
  }
  [[nodiscard]] Outcome judge(const Evidence& tensor, Findings& findings) {
    const Outcome one = left.judge(tensor, findings);
    return combine(one, right.judge(tensor, findings));
  }
};
/// A condition on one tensor that is not met.
template <TensorPredicate Of>
struct NegatedTensorPredicate {
  Of condition;
  [[nodiscard]] Wanted wanted() const { return condition.wanted(); }
  [[nodiscard]] Outcome judge(const Evidence& tensor, Findings& findings) {
    Findings unused;  // what it finds is what is right
    const Outcome outcome = negated(condition.judge(tensor, unused));
    if (outcome == Outcome::fired) findings.add(tensor, 0, 0, "a condition is not met");
    return outcome;
  }
};
template <TensorPredicate Left, TensorPredicate Right>
constexpr CombinedTensorPredicate<Left, Right, both> operator&&(Left left, Right right) { return {std::move(left), std::move(right)}; }
template <TensorPredicate Left, TensorPredicate Right>
constexpr CombinedTensorPredicate<Left, Right, either> operator||(Left left, Right right) { return {std::move(left), std::move(right)}; }
template <TensorPredicate Of>
constexpr NegatedTensorPredicate<Of> operator!(Of condition) { return {std::move(condition)}; }

/// How many tensors of a step there must be of which a condition is met.
enum class Quantity : std::uint8_t { any, all, count };

/// A condition on the tensors of a step, by a condition on each: any of them, all of them, or so many of them. Tensors of
/// which the condition can't be judged don't count; without any there is no data.
template <TensorPredicate Condition>
class QuantifiedPredicate {
 public:
  QuantifiedPredicate(Tensors tensors, Condition condition, Quantity quantity) noexcept
      : tensors_(std::move(tensors)), condition_(std::move(condition)), quantity_(quantity) {}
  /// For `Quantity::count`: how the number of tensors is held against a threshold.
  QuantifiedPredicate compared(Comparison comparison, double threshold) && {
    comparison_ = comparison;
    threshold_ = threshold;
    return std::move(*this);
  }
  [[nodiscard]] result<void> check() const { return tensors_.check(); }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return tensors_.decide(tensor, directory) ? condition_.wanted() : Wanted{};
  }
  void look(const Evidence& tensor, Findings& findings) {
    if (!tensors_.selects(tensor.tensor.number)) return;
    const Outcome outcome = condition_.judge(tensor, findings);
    if (outcome == Outcome::no_data) return;
    findings.count_datapoint();
    ++judged_;
    if (outcome == Outcome::fired) ++met_;
  }
  Outcome conclude(const StepPlace&, Findings&) noexcept {
    const auto judged = std::exchange(judged_, 0);
    const auto met = std::exchange(met_, 0);
    if (judged == 0) return Outcome::no_data;
    switch (quantity_) {
      case Quantity::any: return outcome_of(met > 0);
      case Quantity::all: return outcome_of(met == judged);
      case Quantity::count: return outcome_of(holds(comparison_, static_cast<double>(met), threshold_));
    }
    return Outcome::no_data;
  }

 private:
  Tensors tensors_;
  Condition condition_;
  Quantity quantity_;
  Comparison comparison_ = Comparison::above;
  double threshold_ = 0;
  std::int64_t judged_ = 0;
  std::int64_t met_ = 0;
};
template <TensorPredicate Condition>
QuantifiedPredicate<Condition> any_of(Tensors tensors, Condition condition) { return {std::move(tensors), std::move(condition), Quantity::any}; }
template <TensorPredicate Condition>
QuantifiedPredicate<Condition> any_of(std::string_view collection, Condition condition) { return any_of(Tensors::of(collection), std::move(condition)); }
template <TensorPredicate Condition>
QuantifiedPredicate<Condition> all_of(Tensors tensors, Condition condition) { return {std::move(tensors), std::move(condition), Quantity::all}; }
template <TensorPredicate Condition>
QuantifiedPredicate<Condition> all_of(std::string_view collection, Condition condition) { return all_of(Tensors::of(collection), std::move(condition)); }

/// The number of tensors of which a condition is met, to be held against a threshold: `count_of("weights", …) >= 3`.
template <TensorPredicate Condition>
struct CountOfTensors {
  Tensors tensors;
  Condition condition;
  QuantifiedPredicate<Condition> held(Comparison comparison, double threshold) && {
    return QuantifiedPredicate<Condition>(std::move(tensors), std::move(condition), Quantity::count).compared(comparison, threshold);
  }
};
template <TensorPredicate Condition>
CountOfTensors<Condition> count_of(Tensors tensors, Condition condition) { return {std::move(tensors), std::move(condition)}; }
template <TensorPredicate Condition>
CountOfTensors<Condition> count_of(std::string_view collection, Condition condition) { return {Tensors::of(collection), std::move(condition)}; }
template <class Condition>
auto operator>(CountOfTensors<Condition> count, double threshold) { return std::move(count).held(Comparison::above, threshold); }
template <class Condition>
auto operator>=(CountOfTensors<Condition> count, double threshold) { return std::move(count).held(Comparison::at_least, threshold); }
template <class Condition>
auto operator<(CountOfTensors<Condition> count, double threshold) { return std::move(count).held(Comparison::below, threshold); }
template <class Condition>
auto operator<=(CountOfTensors<Condition> count, double threshold) { return std::move(count).held(Comparison::at_most, threshold); }

/// Two conditions on a step.
template <RulePredicate Left, RulePredicate Right, Outcome (*combine)(Outcome, Outcome) noexcept>
class CombinedPredicate {
 public:
  CombinedPredicate(Left left, Right right) : left_(std::move(left)), right_(std::move(right)) {}
  [[nodiscard]] result<void> check() const {
    LOUPE_TRY(check_part(left_));
    return check_part(right_);
  }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    Wanted all = left_.wants(tensor, directory);
    return all |= right_.wants(tensor, directory);
  }
  void look(const Evidence& tensor, Findings& findings) {
    left_.look(tensor, findings);
    right_.look(tensor, findings);
  }
  Outcome conclude(const StepPlace& at, Findings& findings) {
    const Outcome one = left_.conclude(at, findings);
    return combine(one, right_.conclude(at, findings));
  }

 private:
  template <class Part>
  static result<void> check_part(const Part& part) {
    if constexpr (requires { part.check(); }) return part.check();
    else return {};
  }
  Left left_;
  Right right_;
};
template <RulePredicate Left, RulePredicate Right>
CombinedPredicate<Left, Right, both> operator&&(Left left, Right right) { return {std::move(left), std::move(right)}; }
template <RulePredicate Left, RulePredicate Right>
CombinedPredicate<Left, Right, either> operator||(Left left, Right right) { return {std::move(left), std::move(right)}; }

/// A condition on a step that is not met.
template <RulePredicate Of>
class NegatedPredicate {
 public:
  explicit NegatedPredicate(Of condition) : condition_(std::move(condition)) {}
  [[nodiscard]] result<void> check() const {
    if constexpr (requires { condition_.check(); }) return condition_.check();
    else return {};
  }
  Wanted wants(const TensorName& tensor, const Directory& directory) { return condition_.wants(tensor, directory); }
  void look(const Evidence& tensor, Findings& findings) {
    findings.count_datapoint();
    condition_.look(tensor, unused_);
  }
  Outcome conclude(const StepPlace& at, Findings& findings) {
    const Outcome outcome = negated(condition_.conclude(at, unused_));
    unused_.begin_step();
    if (outcome == Outcome::fired) findings.add({{}, {}, {}, 0, 0, "a condition is not met"});
    return outcome;
  }

 private:
  Of condition_;
  Findings unused_;  ///< what the condition finds is what is right
};
template <RulePredicate Of>
NegatedPredicate<Of> operator!(Of condition) { return NegatedPredicate<Of>(std::move(condition)); }

/// Fires if a condition is met for the `steps`-th time in a row. Steps without data are passed over.
template <RulePredicate Of>
class RepeatedPredicate {
 public:
  RepeatedPredicate(std::int64_t steps, Of condition) : steps_(steps), condition_(std::move(condition)) {}
  [[nodiscard]] result<void> check() const {
    if (steps_ < 1) return fail(ErrorKind::invalid_argument, "for_steps", "it must be at least 1");
    if constexpr (requires { condition_.check(); }) return condition_.check();
    else return {};
  }
  Wanted wants(const TensorName& tensor, const Directory& directory) { return condition_.wants(tensor, directory); }
  void look(const Evidence& tensor, Findings& findings) { condition_.look(tensor, findings); }
  Outcome conclude(const StepPlace& at, Findings& findings) {
    const Outcome outcome = condition_.conclude(at, findings);
    if (outcome == Outcome::clear) met_ = 0;
    if (outcome != Outcome::fired) return outcome;
    return outcome_of(++met_ >= steps_);
  }

 private:
  std::int64_t steps_;
  Of condition_;
  std::int64_t met_ = 0;
};
template <RulePredicate Of>
RepeatedPredicate<Of> for_steps(std::int64_t steps, Of condition) { return {steps, std::move(condition)}; }

/// A condition that is to become a rule.
template <RulePredicate Of>
struct When {
  Of condition;
  [[nodiscard]] When<RepeatedPredicate<Of>> for_steps(std::int64_t steps) && { return {{steps, std::move(condition)}}; }
  [[nodiscard]] Rule named(std::string_view name) && { return Rule(name, std::move(condition)); }
};
template <RulePredicate Of>
When<Of> when(Of condition) { return {std::move(condition)}; }

/// A rule by what is said of each tensor: `judge(evidence)` gives whether the condition is met, or an `Outcome`.
template <class Judge>
class CalledTensorPredicate {
 public:
  CalledTensorPredicate(Wanted wanted, Judge judge) : wanted_(wanted), judge_(std::move(judge)) {}
  [[nodiscard]] Wanted wanted() const noexcept { return wanted_; }
  [[nodiscard]] Outcome judge(const Evidence& tensor, Findings& findings) {
    Outcome outcome;
    if constexpr (std::same_as<decltype(judge_(tensor)), bool>) outcome = outcome_of(judge_(tensor));
    else outcome = judge_(tensor);
    if (outcome == Outcome::fired) findings.add(tensor, 0, 0, "the condition is met");
    return outcome;
  }

 private:
  Wanted wanted_;
  Judge judge_;
};
/// A condition on one tensor that is a callable: `any_of("weights", tensor_is(wants_elements(), [](const Evidence& w) { … }))`.
template <class Judge>
CalledTensorPredicate<Judge> tensor_is(Wanted wanted, Judge judge) { return {wanted, std::move(judge)}; }

}  // namespace loupe::inline LOUPE_ABI::rules
