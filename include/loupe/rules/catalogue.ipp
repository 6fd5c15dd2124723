#include <utility>

#include "loupe/rules/builtin/all_zero.hpp"
#include "loupe/rules/builtin/check_input_images.hpp"
#include "loupe/rules/builtin/class_imbalance.hpp"
#include "loupe/rules/builtin/confusion.hpp"
#include "loupe/rules/builtin/dead_relu.hpp"
#include "loupe/rules/builtin/exploding_tensor.hpp"
#include "loupe/rules/builtin/feature_importance_overweight.hpp"
#include "loupe/rules/builtin/loss_not_decreasing.hpp"
#include "loupe/rules/builtin/nlp_sequence_ratio.hpp"
#include "loupe/rules/builtin/overfit.hpp"
#include "loupe/rules/builtin/overtraining.hpp"
#include "loupe/rules/builtin/poor_weight_initialization.hpp"
#include "loupe/rules/builtin/saturated_activation.hpp"
#include "loupe/rules/builtin/similar_across_runs.hpp"
#include "loupe/rules/builtin/stalled_training_rule.hpp"
#include "loupe/rules/builtin/tensor_variance.hpp"
#include "loupe/rules/builtin/tree_depth.hpp"
#include "loupe/rules/builtin/unchanged_tensor.hpp"
#include "loupe/rules/builtin/vanishing_gradient.hpp"
#include "loupe/rules/builtin/weight_update_ratio.hpp"
#include "loupe/rules/catalogue.hpp"

namespace loupe::inline LOUPE_ABI::rules {

namespace detail {

/// A list of the built-in rules, in the order of rules.md.
template <class... Rules>
struct RuleList {
  static constexpr std::string_view names[] = {Rules::name...};

  static result<Rule> make(std::string_view class_name, std::span<const NamedParameter> parameters, const std::shared_ptr<ReferenceRun>& other) {
    result<Rule> made = unknown(class_name);
    (void)((Rules::name == class_name && (made = make_one<Rules>(parameters, other), true)) || ...);
    return made;
  }

 private:
  template <class Type>
  static result<Rule> make_one(std::span<const NamedParameter> given, const std::shared_ptr<ReferenceRun>& other) {
    typename Type::Parameters parameters;
    if constexpr (requires { parameters.other = other; }) parameters.other = other;
    LOUPE_TRY(read_parameters(Type::name, given, parameters));
    Rule rule{Type(std::move(parameters))};
    LOUPE_TRY(rule.check());
    return rule;
  }
  static unexpected<Error> unknown(std::string_view class_name) {
    const std::string_view nearest = nearest_name(class_name, names);
    return fail(ErrorKind::invalid_argument, Text::join("rule ", class_name),
                nearest.empty() ? Text::join("there is no such built-in rule; there are: ", joined(names).view())
                                : Text::join("there is no such built-in rule; did you mean ", nearest, "?"));
  }
};

using BuiltinRules = RuleList<VanishingGradient, ExplodingTensor, PoorWeightInitialization, SaturatedActivation, DeadRelu,
                              WeightUpdateRatio, TensorVariance, AllZero, ClassImbalance, LossNotDecreasing, Overfit, Overtraining,
                              SimilarAcrossRuns, StalledTrainingRule, UnchangedTensor, CheckInputImages, NLPSequenceRatio, Confusion,
                              TreeDepth, FeatureImportanceOverweight>;

}  // namespace detail

LOUPE_DECL std::span<const std::string_view> builtin_rule_names() noexcept { return detail::BuiltinRules::names; }

LOUPE_DECL result<Rule> make_builtin_rule(std::string_view class_name, std::span<const NamedParameter> parameters,
                                          std::shared_ptr<ReferenceRun> other) {
  return detail::BuiltinRules::make(class_name, parameters, other);
}

}  // namespace loupe::inline LOUPE_ABI::rules
