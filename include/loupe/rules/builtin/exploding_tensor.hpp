#pragma once
/// @file
/// ExplodingTensor: elements that are not finite (rules.md 5.2).

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/rules/builtin/tensor_choice.hpp"
#include "loupe/rules/builtin/tensor_rule.hpp"

namespace loupe::inline LOUPE_ABI::rules {

struct ExplodingTensorParameters {
  TensorChoice tensors = {};  ///< all if none are chosen
  bool only_nan = false;      ///< infinite elements are let pass

  void visit(ParameterVisitor& visitor) {
    tensors.visit(visitor);
    visitor.flag("only_nan", only_nan);
  }
};

/// Fires if any element of a tensor is NaN or infinite. Where only reductions were saved, extremes that are not finite tell
/// as much.
class ExplodingTensor : public TensorRule<ExplodingTensor> {
 public:
  static constexpr std::string_view name = "ExplodingTensor";
  using Parameters = ExplodingTensorParameters;
  explicit ExplodingTensor(Parameters parameters = {}) : parameters_(std::move(parameters)), tensors_(parameters_.tensors.tensors()) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const { return tensors_.check(); }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return tensors_.decide(tensor, directory) ? wants_statistics(looked_at) : Wanted{};
  }
  Outcome judge(const Evidence& tensor, Findings& findings) const {
    const auto nan = tensor.statistic(Statistic::nan_count);
    const auto positive = tensor.statistic(Statistic::positive_infinity_count);
    const auto negative = tensor.statistic(Statistic::negative_infinity_count);
    if (!nan || !positive || !negative) return judge_extremes(tensor, findings);
    const double infinite = parameters_.only_nan ? 0 : *positive + *negative;
    if (*nan + infinite == 0) return Outcome::clear;
    const auto first = tensor.statistic(Statistic::first_non_finite);
    // With only_nan the first element that isn't finite may be an infinite one, which is let pass.
    const bool is_first_known = first && *first >= 0 && !(parameters_.only_nan && *positive + *negative > 0);
    findings.add(tensor, *nan + infinite, 0, parameters_.only_nan ? "there are elements that are NaN" : "there are elements that are NaN or infinite",
                 is_first_known ? std::optional(static_cast<std::int64_t>(*first)) : std::nullopt);
    return Outcome::fired;
  }

 private:
  static constexpr StatisticSet extremes{Statistic::min, Statistic::max, Statistic::abs_min, Statistic::abs_max};
  static constexpr StatisticSet looked_at = StatisticSet{Statistic::nan_count, Statistic::positive_infinity_count,
                                                         Statistic::negative_infinity_count, Statistic::first_non_finite} | extremes;
  Outcome judge_extremes(const Evidence& tensor, Findings& findings) const {
    Outcome outcome = Outcome::no_data;
    for (const Statistic statistic : extremes) {
      const auto extreme = tensor.statistic(statistic);
      if (!extreme) continue;
      const bool is_bad = std::isnan(*extreme) || (!parameters_.only_nan && std::isinf(*extreme));
      if (is_bad) findings.add(tensor, *extreme, 0, "an extreme is not finite, so an element isn't");
      if (is_bad) return Outcome::fired;
      outcome = Outcome::clear;
    }
    return outcome;
  }

  Parameters parameters_;
  Tensors tensors_;
};

inline ExplodingTensor exploding_tensor(ExplodingTensorParameters parameters = {}) { return ExplodingTensor(std::move(parameters)); }

}  // namespace loupe::inline LOUPE_ABI::rules
