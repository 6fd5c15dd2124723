#pragma once
/// @file
/// Overfit: a validation loss much above the training loss (rules.md 5.11).

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/rules/builtin/tensor_rule.hpp"
#include "loupe/rules/elements.hpp"
#include "loupe/rules/loss_key.hpp"
#include "loupe/rules/parameters.hpp"
#include "loupe/rules/tensors.hpp"

namespace loupe::inline LOUPE_ABI::rules {

struct OverfitParameters {
  std::vector<Text> tensor_regex = {};  ///< nothing: collection `losses`
  std::int64_t patience = 1;            ///< validation steps in a row
  double ratio_threshold = 0.1;         ///< of the difference over the training loss

  void visit(ParameterVisitor& visitor) {
    visitor.list("tensor_regex", tensor_regex);
    visitor.integer("patience", patience, at_least(1));
    visitor.number("ratio_threshold", ratio_threshold, at_least(0));
  }
};

/// Compares, at each validation step, the mean of this block of validation losses with that of the training losses since the
/// block before; fires if it was too much above for `patience` of them in a row. Losses that are not finite are left out.
class Overfit : public TensorRule<Overfit> {
 public:
  static constexpr std::string_view name = "Overfit";
  using Parameters = OverfitParameters;
  explicit Overfit(Parameters parameters = {})
      : parameters_(std::move(parameters)),
        losses_(parameters_.tensor_regex.empty() ? Tensors::of("losses") : Tensors({}, parameters_.tensor_regex)) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const { return losses_.check(); }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return losses_.decide(tensor, directory) ? wants_elements() : Wanted{};
  }
  Outcome judge(const Evidence& loss, Findings& findings) {
    const LossKey key = loss_key(loss);
    if (key.side == LossSide::neither) return Outcome::no_data;
    const auto number = only_element(loss.value);
    if (!number) {
      if (loss.has_value()) findings.warn(loss.tensor.name, "was not judged: it is not a single number");
      return Outcome::no_data;
    }
    if (!std::isfinite(*number)) {
      findings.warn(loss.tensor.name, "has values that are not finite; they were left out");
      return Outcome::no_data;
    }
    Blocks& blocks = blocks_.of(loss, key.name);
    if (key.side == LossSide::train) {
      if (blocks.is_validating) blocks.train = blocks.validation = {};
      blocks.is_validating = false;
      blocks.train.add(*number);
      return Outcome::clear;
    }
    blocks.is_validating = true;
    blocks.validation.add(*number);
    return blocks.train.count == 0 ? Outcome::no_data : compare(loss, blocks, findings);
  }

 private:
  struct Mean {
    std::int64_t count = 0;
    double value = 0;
    void add(double number) noexcept {
      ++count;
      value += number / static_cast<double>(count) - value / static_cast<double>(count);
    }
  };
  struct Blocks {
    Mean train, validation;
    bool is_validating = false;
    std::int64_t above = 0;  ///< validation steps in a row at which the ratio was too large
  };

  Outcome compare(const Evidence& loss, Blocks& blocks, Findings& findings) const {
    const double train = blocks.train.value;
    const double validation = blocks.validation.value;
    const double ratio = train != 0        ? (validation - train) / std::abs(train)
                         : validation > 0 ? std::numeric_limits<double>::infinity()
                                          : 0;
    blocks.above = ratio > parameters_.ratio_threshold ? blocks.above + 1 : 0;
    if (blocks.above < parameters_.patience) return Outcome::clear;
    findings.add(loss, ratio, parameters_.ratio_threshold, "is how much of the training loss the validation loss is above it");
    return Outcome::fired;
  }

  Parameters parameters_;
  Tensors losses_;
  PerLoss<Blocks> blocks_;
};

inline Overfit overfit(OverfitParameters parameters = {}) { return Overfit(std::move(parameters)); }

}  // namespace loupe::inline LOUPE_ABI::rules
