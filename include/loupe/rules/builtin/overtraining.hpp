#pragma once
/// @file
/// Overtraining: neither the training loss nor the validation loss improves any more (rules.md 5.12).

#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/rules/builtin/tensor_rule.hpp"
#include "loupe/rules/elements.hpp"
#include "loupe/rules/loss_key.hpp"
#include "loupe/rules/parameters.hpp"
#include "loupe/rules/tensors.hpp"

namespace loupe::inline LOUPE_ABI::rules {

struct OvertrainingParameters {
  std::int64_t patience_train = 5;        ///< training steps without a new optimum
  std::int64_t patience_validation = 10;  ///< validation steps without one
  double delta = 0.01;                    ///< by how much a new optimum is below the last one

  void visit(ParameterVisitor& visitor) {
    visitor.integer("patience_train", patience_train, at_least(1));
    visitor.integer("patience_validation", patience_validation, at_least(1));
    visitor.number("delta", delta, at_least(0));
  }
};

/// Fires at steps at which a loss of collection `losses` has had no new optimum for so long in training and in validation.
class Overtraining : public TensorRule<Overtraining> {
 public:
  static constexpr std::string_view name = "Overtraining";
  static constexpr std::string_view needed_collections[] = {"losses"};
  using Parameters = OvertrainingParameters;
  explicit Overtraining(Parameters parameters = {}) : parameters_(parameters) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
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
    Sides& sides = sides_.of(loss, key.name);
    (key.side == LossSide::train ? sides.train : sides.validation).add(*number, parameters_.delta);
    if (sides.train.without_optimum < parameters_.patience_train || sides.validation.without_optimum < parameters_.patience_validation)
      return Outcome::clear;
    findings.add(loss, static_cast<double>(sides.validation.without_optimum), static_cast<double>(parameters_.patience_validation),
                 Text::join("validation steps have passed without a new optimum, and ", to_text(sides.train.without_optimum).view(),
                            " of training"));
    return Outcome::fired;
  }

 private:
  struct Side {
    double best = std::numeric_limits<double>::infinity();
    std::int64_t without_optimum = 0;
    void add(double loss, double delta) noexcept {
      if (!std::isfinite(loss) || !(loss < best - delta)) {
        ++without_optimum;
        return;
      }
      best = loss;
      without_optimum = 0;
    }
  };
  struct Sides {
    Side train, validation;
  };

  Parameters parameters_;
  Tensors losses_ = Tensors::of("losses");
  PerLoss<Sides> sides_;
};

inline Overtraining overtraining(OvertrainingParameters parameters = {}) { return Overtraining(parameters); }

}  // namespace loupe::inline LOUPE_ABI::rules
