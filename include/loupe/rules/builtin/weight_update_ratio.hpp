#pragma once
/// @file
/// WeightUpdateRatio: updates too large or too small for the weights (rules.md 5.6).

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/shape.hpp"
#include "loupe/rules/builtin/tensor_rule.hpp"
#include "loupe/rules/elements.hpp"
#include "loupe/rules/mean.hpp"
#include "loupe/rules/parameters.hpp"
#include "loupe/rules/per_tensor.hpp"
#include "loupe/rules/tensors.hpp"

namespace loupe::inline LOUPE_ABI::rules {

struct WeightUpdateRatioParameters {
  std::optional<std::int64_t> num_steps = {};  ///< compares with the earliest step at most so far back; nothing: the last one
  double large_threshold = 10.0;
  double small_threshold = 1e-8;
  double epsilon = 1e-9;                       ///< added to the mean of the weights

  void visit(ParameterVisitor& visitor) {
    visitor.integer("num_steps", num_steps, at_least(1));
    visitor.number("large_threshold", large_threshold, above(0));
    visitor.number("small_threshold", small_threshold, at_least(0));
    visitor.number("epsilon", epsilon, above(0));
  }
};

/// Fires if the mean absolute change of a weight since an earlier step, over the mean of its absolute values there, is above
/// or below a limit. Looks at collection `weights`. Steps are those of TRAIN from the first one on that has the weight,
/// global ones before. Frozen weights fire: leave them out of the collection.
class WeightUpdateRatio : public TensorRule<WeightUpdateRatio> {
 public:
  static constexpr std::string_view name = "WeightUpdateRatio";
  static constexpr std::string_view needed_collections[] = {"weights"};
  using Parameters = WeightUpdateRatioParameters;
  explicit WeightUpdateRatio(Parameters parameters = {}) : parameters_(parameters) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const {
    if (parameters_.small_threshold < parameters_.large_threshold) return {};
    return fail(ErrorKind::invalid_argument, name, "small_threshold must be below large_threshold");
  }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return weights_.decide(tensor, directory) ? wants_elements() : Wanted{};
  }
  Outcome judge(const Evidence& weight, Findings& findings) {
    if (!has_real_elements(weight.value) || weight.value.size() == 0) return Outcome::no_data;
    History& history = histories_.of(weight);
    const bool is_train = weight.at.mode.mode == Mode::train;
    if (is_train && !history.is_train) history = {.is_train = true, .steps = {}};
    if (history.is_train && !is_train) return Outcome::no_data;
    Saved now{history.is_train ? weight.at.mode.value : weight.at.step.value, weight.value.shape, {}};
    append_elements(weight.value, now.elements);
    std::vector<Saved>& steps = history.steps;
    if (parameters_.num_steps)
      while (!steps.empty() && steps.front().step < now.step - *parameters_.num_steps) steps.erase(steps.begin());
    const Outcome outcome = steps.empty() ? Outcome::no_data : compare(weight, steps.front(), now, findings);
    if (!parameters_.num_steps) steps.clear();
    steps.push_back(std::move(now));
    return outcome;
  }

 private:
  struct Saved {
    std::int64_t step = 0;
    Shape shape;
    std::vector<double> elements;
  };
  struct History {
    bool is_train = false;
    std::vector<Saved> steps;  ///< that a later one may be compared with, ascending
  };

  Outcome compare(const Evidence& weight, const Saved& before, const Saved& now, Findings& findings) const {
    if (before.shape != now.shape) return Outcome::no_data;
    const std::size_t count = now.elements.size();
    const double change = mean_of(count, [&](std::size_t at) { return std::abs(now.elements[at] - before.elements[at]); });
    const double size = mean_of(count, [&](std::size_t at) { return std::abs(before.elements[at]); });
    const double ratio = change / (size + parameters_.epsilon);
    if (!std::isfinite(ratio)) {
      findings.warn(weight.tensor.name, "was not judged: it has elements that are not finite");
      return Outcome::clear;
    }
    const bool is_large = ratio > parameters_.large_threshold;
    if (!is_large && !(ratio < parameters_.small_threshold)) return Outcome::clear;
    findings.add(weight, ratio, is_large ? parameters_.large_threshold : parameters_.small_threshold,
                 Text::join("the ratio of update to weight since step ", to_text(before.step).view(),
                            is_large ? " is too large" : " is too small"));
    return Outcome::fired;
  }

  Parameters parameters_;
  Tensors weights_ = Tensors::of("weights");
  PerTensor<History> histories_;
};

inline WeightUpdateRatio weight_update_ratio(WeightUpdateRatioParameters parameters = {}) { return WeightUpdateRatio(parameters); }

}  // namespace loupe::inline LOUPE_ABI::rules
