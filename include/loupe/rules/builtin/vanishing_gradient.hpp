#pragma once
/// @file
/// VanishingGradient: gradients so small that nothing is learned (rules.md 5.1).

#include <cmath>
#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/rules/builtin/tensor_rule.hpp"
#include "loupe/rules/parameters.hpp"
#include "loupe/rules/tensors.hpp"

namespace loupe::inline LOUPE_ABI::rules {

struct VanishingGradientParameters {
  double threshold = 1e-7;  ///< of the mean of absolute values

  void visit(ParameterVisitor& visitor) { visitor.number("threshold", threshold, at_least(0)); }
};

/// Fires if the mean of the absolute values of any gradient is below the threshold. A gradient with elements that are
/// not finite doesn't fire. Looks at collection `gradients`.
class VanishingGradient : public TensorRule<VanishingGradient> {
 public:
  static constexpr std::string_view name = "VanishingGradient";
  static constexpr std::string_view needed_collections[] = {"gradients"};
  using Parameters = VanishingGradientParameters;
  explicit VanishingGradient(Parameters parameters = {}) : parameters_(parameters) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return gradients_.decide(tensor, directory) ? wants_statistics(Statistic::abs_mean) : Wanted{};
  }
  Outcome judge(const Evidence& gradient, Findings& findings) const {
    const auto mean = gradient.statistic(Statistic::abs_mean);
    if (!mean) return Outcome::no_data;
    if (!std::isfinite(*mean)) findings.warn(gradient.tensor.name, "has elements that are not finite");
    if (!(*mean < parameters_.threshold)) return Outcome::clear;
    findings.add(gradient, *mean, parameters_.threshold, "the mean of the absolute values is below the threshold");
    return Outcome::fired;
  }

 private:
  Parameters parameters_;
  Tensors gradients_ = Tensors::of("gradients");
};

inline VanishingGradient vanishing_gradient(VanishingGradientParameters parameters = {}) { return VanishingGradient(parameters); }

}  // namespace loupe::inline LOUPE_ABI::rules
