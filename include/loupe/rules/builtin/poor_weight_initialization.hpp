#pragma once
/// @file
/// PoorWeightInitialization: signs, in the first steps, of weights that were badly drawn (rules.md 5.3).

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/rules/elements.hpp"
#include "loupe/rules/mean.hpp"
#include "loupe/rules/parameters.hpp"
#include "loupe/rules/per_tensor.hpp"
#include "loupe/rules/rule.hpp"
#include "loupe/rules/tensors.hpp"

namespace loupe::inline LOUPE_ABI::rules {

struct PoorWeightInitializationParameters {
  std::vector<Text> activation_inputs_regex = {".*relu_input"};
  double threshold = 10.0;             ///< of the largest variance of activation inputs over the smallest
  double distribution_range = 0.001;   ///< of a gradient's 95th percentile less its 5th
  std::int64_t patience = 5;           ///< steps without a new minimum after which a loss no longer decreases
  std::int64_t steps = 10;             ///< how many steps are judged

  void visit(ParameterVisitor& visitor) {
    visitor.list("activation_inputs_regex", activation_inputs_regex);
    visitor.number("threshold", threshold, above(0));
    visitor.number("distribution_range", distribution_range, at_least(0));
    visitor.integer("patience", patience, at_least(1));
    visitor.integer("steps", steps, at_least(1));
  }
};

/// Fires if the variances of the activation inputs of a worker's layers differ too much, or a gradient's distribution is too
/// narrow, or a loss no longer decreases. Judges the first steps that have any of them, then ends. Looks at collections
/// `gradients` and `losses` besides the activation inputs.
class PoorWeightInitialization {
 public:
  static constexpr std::string_view name = "PoorWeightInitialization";
  using Parameters = PoorWeightInitializationParameters;
  explicit PoorWeightInitialization(Parameters parameters = {})
      : parameters_(std::move(parameters)), inputs_({}, parameters_.activation_inputs_regex) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const { return inputs_.check(); }
  [[nodiscard]] bool has_ended() const noexcept { return judged_steps_ >= parameters_.steps; }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    Wanted wanted;
    if (inputs_.decide(tensor, directory)) wanted |= wants_statistics(Statistic::variance);
    if (gradients_.decide(tensor, directory)) wanted |= wants_elements();
    if (losses_.decide(tensor, directory)) wanted |= wants_elements();
    return wanted;
  }
  void look(const Evidence& tensor, Findings& findings) {
    if (inputs_.selects(tensor.tensor.number)) look_at_input(tensor, findings);
    if (gradients_.selects(tensor.tensor.number)) look_at_gradient(tensor, findings);
    if (losses_.selects(tensor.tensor.number)) look_at_loss(tensor, findings);
  }
  Outcome conclude(const StepPlace&, Findings& findings) {
    for (const auto& [worker, layers] : layers_) {
      if (layers.count < 2) continue;
      note(Outcome::clear);
      const double ratio = layers.largest > 0 ? layers.largest / layers.smallest : 1;  // x / 0 is infinite
      if (!(ratio > parameters_.threshold)) continue;
      findings.add({layers.largest_layer, worker, {}, ratio, parameters_.threshold,
                    Text::join("is how many times the variance of ", layers.smallest_layer.view(), " its own variance is")});
      note(Outcome::fired);
    }
    layers_.clear();
    const Outcome outcome = std::exchange(outcome_, Outcome::no_data);
    if (outcome != Outcome::no_data) ++judged_steps_;
    return outcome;
  }

 private:
  struct Layers {
    std::int64_t count = 0;
    double smallest = 0, largest = 0;
    Text smallest_layer, largest_layer;
  };
  struct Loss {
    double best = std::numeric_limits<double>::infinity();
    std::int64_t without_progress = 0;  ///< steps since
  };

  void note(Outcome outcome) noexcept { outcome_ = std::max(outcome_, outcome); }
  void look_at_input(const Evidence& input, Findings& findings) {
    const auto variance = input.statistic(Statistic::variance);
    if (!variance) return;
    findings.count_datapoint();
    if (!std::isfinite(*variance)) return findings.warn(input.tensor.name, "was left out: it has elements that are not finite");
    Layers& layers = layers_[input.worker];
    if (layers.count == 0 || *variance < layers.smallest) {
      layers.smallest = *variance;
      layers.smallest_layer = input.tensor.name;
    }
    if (layers.count == 0 || *variance > layers.largest) {
      layers.largest = *variance;
      layers.largest_layer = input.tensor.name;
    }
    ++layers.count;
  }
  void look_at_gradient(const Evidence& gradient, Findings& findings) {
    if (!has_real_elements(gradient.value) || gradient.value.size() == 0) return;
    findings.count_datapoint();
    elements_.clear();
    append_elements(gradient.value, elements_);
    if (!std::all_of(elements_.begin(), elements_.end(), [](double element) { return std::isfinite(element); }))
      return findings.warn(gradient.tensor.name, "was left out: it has elements that are not finite");
    note(Outcome::clear);
    const double low = percentile(elements_, 5);
    const double range = percentile(elements_, 95) - low;
    if (!(range < parameters_.distribution_range)) return;
    findings.add(gradient, range, parameters_.distribution_range, "the gradient's 95th percentile is too near its 5th");
    note(Outcome::fired);
  }
  void look_at_loss(const Evidence& tensor, Findings& findings) {
    const auto number = only_element(tensor.value);
    if (!number) {
      if (tensor.has_value()) findings.warn(tensor.tensor.name, "was left out as a loss: it is not a single number");
      return;
    }
    findings.count_datapoint();
    note(Outcome::clear);
    Loss& loss = best_.of(tensor);
    if (std::isfinite(*number) && *number < loss.best) {
      loss = {*number, 0};
      return;
    }
    if (++loss.without_progress < parameters_.patience) return;
    findings.add(tensor, static_cast<double>(loss.without_progress), static_cast<double>(parameters_.patience),
                 "steps have passed without a new minimum of the loss");
    note(Outcome::fired);
  }

  Parameters parameters_;
  Tensors inputs_;
  Tensors gradients_ = Tensors::of("gradients");
  Tensors losses_ = Tensors::of("losses");
  std::map<Text, Layers, std::less<>> layers_;  ///< of the open step, by worker
  PerTensor<Loss> best_;
  std::vector<double> elements_;
  std::int64_t judged_steps_ = 0;
  Outcome outcome_ = Outcome::no_data;          ///< of the open step
};

inline PoorWeightInitialization poor_weight_initialization(PoorWeightInitializationParameters parameters = {}) {
  return PoorWeightInitialization(std::move(parameters));
}

}  // namespace loupe::inline LOUPE_ABI::rules
