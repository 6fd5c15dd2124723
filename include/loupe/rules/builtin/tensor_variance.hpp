#pragma once
/// @file
/// TensorVariance: a variance too high or too low (rules.md 5.7).

#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/rules/builtin/tensor_choice.hpp"
#include "loupe/rules/builtin/tensor_rule.hpp"

namespace loupe::inline LOUPE_ABI::rules {

struct TensorVarianceParameters {
  TensorChoice tensors = {};
  std::optional<double> max_threshold = {};
  std::optional<double> min_threshold = {};

  void visit(ParameterVisitor& visitor) {
    tensors.visit(visitor);
    visitor.number("max_threshold", max_threshold, any_number());
    visitor.number("min_threshold", min_threshold, any_number());
  }
};

/// Fires if the population variance of a tensor is above or below a limit. A tensor of one element isn't judged.
class TensorVariance : public TensorRule<TensorVariance> {
 public:
  static constexpr std::string_view name = "TensorVariance";
  using Parameters = TensorVarianceParameters;
  explicit TensorVariance(Parameters parameters = {}) : parameters_(std::move(parameters)), tensors_(parameters_.tensors.tensors()) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const {
    if (parameters_.tensors.empty()) return detail::nothing_chosen(name);
    if (!parameters_.max_threshold && !parameters_.min_threshold)
      return fail(ErrorKind::insufficient_information_for_rule_invocation, name,
                  "one of max_threshold and min_threshold must be given");
    return tensors_.check();
  }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return tensors_.decide(tensor, directory) ? wants_statistics({Statistic::variance, Statistic::std}) : Wanted{};
  }
  Outcome judge(const Evidence& tensor, Findings& findings) const {
    if (tensor.has_value() && tensor.value.size() == 1) return Outcome::no_data;
    auto variance = tensor.statistic(Statistic::variance);
    if (!variance)
      if (const auto deviation = tensor.statistic(Statistic::std)) variance = *deviation * *deviation;
    if (!variance) return Outcome::no_data;
    if (!std::isfinite(*variance)) {
      findings.warn(tensor.tensor.name, "was not judged: its variance is not finite");
      return Outcome::clear;
    }
    if (parameters_.max_threshold && *variance > *parameters_.max_threshold) {
      findings.add(tensor, *variance, *parameters_.max_threshold, "the variance is above the threshold");
      return Outcome::fired;
    }
    if (parameters_.min_threshold && *variance < *parameters_.min_threshold) {
      findings.add(tensor, *variance, *parameters_.min_threshold, "the variance is below the threshold");
      return Outcome::fired;
    }
    return Outcome::clear;
  }

 private:
  Parameters parameters_;
  Tensors tensors_;
};

inline TensorVariance tensor_variance(TensorVarianceParameters parameters) { return TensorVariance(std::move(parameters)); }

}  // namespace loupe::inline LOUPE_ABI::rules
