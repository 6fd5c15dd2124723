#pragma once
/// @file
/// AllZero: a tensor wholly or mostly zero (rules.md 5.8).

#include <string_view>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/rules/builtin/tensor_choice.hpp"
#include "loupe/rules/builtin/tensor_rule.hpp"

namespace loupe::inline LOUPE_ABI::rules {

struct AllZeroParameters {
  TensorChoice tensors = {};
  double threshold = 100;  ///< percent of zeros

  void visit(ParameterVisitor& visitor) {
    tensors.visit(visitor);
    visitor.number("threshold", threshold, {.low = 0, .high = 100, .is_low_open = true});
  }
};

/// Fires if at least `threshold` percent of a tensor's elements are zero. Zeros of either sign count, subnormal numbers and
/// NaN don't.
class AllZero : public TensorRule<AllZero> {
 public:
  static constexpr std::string_view name = "AllZero";
  using Parameters = AllZeroParameters;
  explicit AllZero(Parameters parameters = {}) : parameters_(std::move(parameters)), tensors_(parameters_.tensors.tensors()) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const {
    if (parameters_.tensors.empty()) return detail::nothing_chosen(name);
    return tensors_.check();
  }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return tensors_.decide(tensor, directory) ? wants_statistics({Statistic::zero_count, Statistic::abs_max, Statistic::l1}) : Wanted{};
  }
  Outcome judge(const Evidence& tensor, Findings& findings) const {
    const auto zeros = tensor.statistic(Statistic::zero_count);
    if (!zeros || !tensor.has_value()) return judge_reductions(tensor, findings);
    const auto count = static_cast<double>(tensor.value.size());
    if (count == 0) return Outcome::no_data;
    if (!(100 * *zeros >= parameters_.threshold * count)) return Outcome::clear;
    findings.add(tensor, 100 * *zeros / count, parameters_.threshold, "percent of its elements are zero");
    return Outcome::fired;
  }

 private:
  /// Without the elements, or their number, only a tensor that is zero throughout can be told.
  Outcome judge_reductions(const Evidence& tensor, Findings& findings) const {
    auto largest = tensor.statistic(Statistic::abs_max);
    if (!largest) largest = tensor.statistic(Statistic::l1);
    if (!largest) return Outcome::no_data;
    if (*largest == 0) {
      findings.add(tensor, 100, parameters_.threshold, "percent of its elements are zero");
      return Outcome::fired;
    }
    return parameters_.threshold == 100 ? Outcome::clear : Outcome::no_data;
  }

  Parameters parameters_;
  Tensors tensors_;
};

inline AllZero all_zero(AllZeroParameters parameters) { return AllZero(std::move(parameters)); }

}  // namespace loupe::inline LOUPE_ABI::rules
