#pragma once
/// @file
/// SaturatedActivation: inputs of tanh and sigmoid layers where the function is flat (rules.md 5.4).

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/rules/builtin/tensor_choice.hpp"
#include "loupe/rules/builtin/tensor_rule.hpp"
#include "loupe/rules/node_activity.hpp"
#include "loupe/rules/per_tensor.hpp"

namespace loupe::inline LOUPE_ABI::rules {

struct SaturatedActivationParameters {
  TensorChoice tensors = {.tensor_regex = {".*tanh_input|.*sigmoid_input"}};
  double threshold_tanh_min = -9.4999;     ///< an input is active if it lies between the two
  double threshold_tanh_max = 9.4999;
  double threshold_sigmoid_min = -23;
  double threshold_sigmoid_max = 16.99999;
  double threshold_inactivity = 1.0;       ///< percent of the samples in which a node that isn't saturated is active at least
  double threshold_layer = 50.0;           ///< percent of saturated nodes that is let pass
  std::int64_t window_steps = 1;           ///< over how many of the last steps samples are counted

  void visit(ParameterVisitor& visitor) {
    tensors.visit(visitor);
    visitor.number("threshold_tanh_min", threshold_tanh_min, any_number());
    visitor.number("threshold_tanh_max", threshold_tanh_max, any_number());
    visitor.number("threshold_sigmoid_min", threshold_sigmoid_min, any_number());
    visitor.number("threshold_sigmoid_max", threshold_sigmoid_max, any_number());
    visitor.number("threshold_inactivity", threshold_inactivity, between(0, 100));
    visitor.number("threshold_layer", threshold_layer, between(0, 100));
    visitor.integer("window_steps", window_steps, at_least(1));
  }
};

/// Fires if more than `threshold_layer` percent of the nodes of a layer are saturated: active in less than
/// `threshold_inactivity` percent of the samples. Inputs that are not finite are not active: they can't carry a gradient
/// either. Which function a layer has is told by its name.
class SaturatedActivation : public TensorRule<SaturatedActivation> {
 public:
  static constexpr std::string_view name = "SaturatedActivation";
  using Parameters = SaturatedActivationParameters;
  explicit SaturatedActivation(Parameters parameters = {})
      : parameters_(std::move(parameters)), inputs_(parameters_.tensors.tensors()) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const {
    if (parameters_.tensors.empty()) return detail::nothing_chosen(name);
    if (!(parameters_.threshold_tanh_min < parameters_.threshold_tanh_max) ||
        !(parameters_.threshold_sigmoid_min < parameters_.threshold_sigmoid_max))
      return fail(ErrorKind::invalid_argument, name, "the lower threshold of a function must be below the upper one");
    return inputs_.check();
  }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return inputs_.decide(tensor, directory) ? wants_elements() : Wanted{};
  }
  Outcome judge(const Evidence& input, Findings& findings) {
    if (!has_real_elements(input.value) || input.value.size() == 0) return Outcome::no_data;
    const bool is_tanh = input.tensor.name.find("tanh") != std::string_view::npos;
    if (!is_tanh && input.tensor.name.find("sigmoid") == std::string_view::npos) {
      findings.warn(input.tensor.name, "was not judged: its name says neither tanh nor sigmoid");
      return Outcome::no_data;
    }
    const double low = is_tanh ? parameters_.threshold_tanh_min : parameters_.threshold_sigmoid_min;
    const double high = is_tanh ? parameters_.threshold_tanh_max : parameters_.threshold_sigmoid_max;
    NodeActivity& activity = activity_.of(input);
    bool all_finite = true;
    activity.add(input.value, parameters_.window_steps, [&](double value) {
      all_finite = all_finite && value - value == 0;
      return low < value && value < high;
    });
    const auto saturated = static_cast<double>(activity.inactive_nodes(parameters_.threshold_inactivity));
    const auto nodes = static_cast<double>(activity.nodes());
    if (!(100 * saturated > parameters_.threshold_layer * nodes)) return Outcome::clear;
    findings.add(input, 100 * saturated / nodes, parameters_.threshold_layer,
                 Text::join("percent of its ", to_text(activity.nodes()).view(), " nodes are saturated",
                            all_finite ? "" : "; it has elements that are not finite"));
    return Outcome::fired;
  }

 private:
  Parameters parameters_;
  Tensors inputs_;
  PerTensor<NodeActivity> activity_;
};

inline SaturatedActivation saturated_activation(SaturatedActivationParameters parameters = {}) {
  return SaturatedActivation(std::move(parameters));
}

}  // namespace loupe::inline LOUPE_ABI::rules
