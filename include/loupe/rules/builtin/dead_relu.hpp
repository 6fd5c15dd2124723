#pragma once
/// @file
/// DeadRelu: units that never activate (rules.md 5.5).

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/rules/builtin/tensor_rule.hpp"
#include "loupe/rules/node_activity.hpp"
#include "loupe/rules/parameters.hpp"
#include "loupe/rules/per_tensor.hpp"
#include "loupe/rules/tensors.hpp"

namespace loupe::inline LOUPE_ABI::rules {

struct DeadReluParameters {
  std::vector<Text> tensor_regex = {".*relu_output"};
  double threshold_inactivity = 1.0;  ///< percent of the samples in which a living unit is active at least
  double threshold_layer = 50.0;      ///< percent of dead units that is let pass
  std::int64_t window_steps = 1;      ///< over how many of the last steps samples are counted

  void visit(ParameterVisitor& visitor) {
    visitor.list("tensor_regex", tensor_regex);
    visitor.number("threshold_inactivity", threshold_inactivity, between(0, 100));
    visitor.number("threshold_layer", threshold_layer, between(0, 100));
    visitor.integer("window_steps", window_steps, at_least(1));
  }
};

/// Fires if more than `threshold_layer` percent of the units of a layer are dead: their output was above 0 in less than
/// `threshold_inactivity` percent of the samples. A NaN is not above 0.
class DeadRelu : public TensorRule<DeadRelu> {
 public:
  static constexpr std::string_view name = "DeadRelu";
  using Parameters = DeadReluParameters;
  explicit DeadRelu(Parameters parameters = {}) : parameters_(std::move(parameters)), outputs_({}, parameters_.tensor_regex) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const { return outputs_.check(); }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return outputs_.decide(tensor, directory) ? wants_elements() : Wanted{};
  }
  Outcome judge(const Evidence& output, Findings& findings) {
    if (!has_real_elements(output.value) || output.value.size() == 0) return Outcome::no_data;
    NodeActivity& activity = activity_.of(output);
    activity.add(output.value, parameters_.window_steps, [](double value) { return value > 0; });
    const auto dead = static_cast<double>(activity.inactive_nodes(parameters_.threshold_inactivity));
    const auto nodes = static_cast<double>(activity.nodes());
    if (!(100 * dead > parameters_.threshold_layer * nodes)) return Outcome::clear;
    findings.add(output, 100 * dead / nodes, parameters_.threshold_layer,
                 Text::join("percent of its ", to_text(activity.nodes()).view(), " units are dead"));
    return Outcome::fired;
  }

 private:
  Parameters parameters_;
  Tensors outputs_;
  PerTensor<NodeActivity> activity_;
};

inline DeadRelu dead_relu(DeadReluParameters parameters = {}) { return DeadRelu(std::move(parameters)); }

}  // namespace loupe::inline LOUPE_ABI::rules
