#pragma once
/// @file
/// LossNotDecreasing: the loss does not fall fast enough (rules.md 5.10).

#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/rules/builtin/tensor_choice.hpp"
#include "loupe/rules/builtin/tensor_rule.hpp"
#include "loupe/rules/elements.hpp"
#include "loupe/rules/per_tensor.hpp"

namespace loupe::inline LOUPE_ABI::rules {

struct LossNotDecreasingParameters {
  TensorChoice tensors = {};
  bool use_losses_collection = true;       ///< collection `losses` is looked at too
  std::int64_t num_steps = 10;             ///< between the two losses that are compared, at least
  double diff_percent = 0.1;               ///< by how much the loss must fall
  double increase_threshold_percent = 5;   ///< by how much it may rise
  Text mode = {};                          ///< `EVAL`, `TRAIN`, `GLOBAL`; nothing: the first of them with two steps of the loss

  void visit(ParameterVisitor& visitor) {
    tensors.visit(visitor);
    visitor.flag("use_losses_collection", use_losses_collection);
    visitor.integer("num_steps", num_steps, at_least(1));
    visitor.number("diff_percent", diff_percent, strictly_between(0, 100));
    visitor.number("increase_threshold_percent", increase_threshold_percent, strictly_between(0, 100));
    static constexpr std::string_view modes[] = {"", "EVAL", "TRAIN", "GLOBAL"};
    visitor.word("mode", mode, modes);
  }
};

/// Compares each loss, every `num_steps` steps, with the newest one at least as far back: fires if it rose by more than
/// `increase_threshold_percent` percent, or didn't rise but fell by less than `diff_percent`, or is not finite.
class LossNotDecreasing : public TensorRule<LossNotDecreasing> {
 public:
  static constexpr std::string_view name = "LossNotDecreasing";
  using Parameters = LossNotDecreasingParameters;
  explicit LossNotDecreasing(Parameters parameters = {}) : parameters_(std::move(parameters)), losses_(chosen(parameters_)) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const {
    if (parameters_.tensors.empty() && !parameters_.use_losses_collection) return detail::nothing_chosen(name);
    return losses_.check();
  }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return losses_.decide(tensor, directory) ? wants_elements() : Wanted{};
  }
  Outcome judge(const Evidence& loss, Findings& findings) {
    const auto number = only_element(loss.value);
    if (!number) {
      if (loss.has_value()) findings.warn(loss.tensor.name, "was not judged: it is not a single number");
      return Outcome::no_data;
    }
    History& history = histories_.of(loss);
    const Mode mode = loss.at.mode.mode;
    std::optional<Comparison> compared[mode_count];
    if (mode != Mode::global) compared[mode_index(mode)] = history.of(mode).advance(loss.at.mode.value, *number, parameters_.num_steps);
    compared[mode_index(Mode::global)] = history.of(Mode::global).advance(loss.at.step.value, *number, parameters_.num_steps);
    const auto& comparison = compared[mode_index(judged_mode(history))];
    return comparison ? compare(loss, *comparison, findings) : Outcome::no_data;
  }

 private:
  struct Saved {
    std::int64_t step = 0;
    double loss = 0;
  };
  struct Comparison {
    Saved before, now;
  };
  /// The losses of one mode's steps.
  struct Sequence {
    std::vector<Saved> steps;  ///< from the newest one on that a later one may be compared with
    std::int64_t count = 0;
    std::int64_t last = -1;    ///< the last step at which a comparison was due

    std::optional<Comparison> advance(std::int64_t step, double loss, std::int64_t num_steps) {
      ++count;
      std::optional<Comparison> comparison;
      if (step >= last + num_steps) {
        last = step;
        while (steps.size() > 1 && steps[1].step <= step - num_steps) steps.erase(steps.begin());
        if (!steps.empty() && steps.front().step <= step - num_steps) comparison = {steps.front(), {step, loss}};
      }
      steps.push_back({step, loss});
      return comparison;
    }
  };
  struct History {
    Sequence modes[mode_count];
    [[nodiscard]] Sequence& of(Mode mode) noexcept { return modes[mode_index(mode)]; }
  };

  static Tensors chosen(const Parameters& parameters) {
    std::vector<Text> collections = parameters.tensors.collection_names;
    if (parameters.use_losses_collection) collections.emplace_back("losses");
    return Tensors(std::move(collections), parameters.tensors.tensor_regex);
  }
  /// The mode whose steps count by now.
  [[nodiscard]] Mode judged_mode(History& history) const {
    if (parameters_.mode == "EVAL") return Mode::eval;
    if (parameters_.mode == "TRAIN") return Mode::train;
    if (parameters_.mode == "GLOBAL") return Mode::global;
    for (const Mode mode : {Mode::eval, Mode::train})
      if (history.of(mode).count >= 2) return mode;
    return Mode::global;
  }
  Outcome compare(const Evidence& loss, const Comparison& comparison, Findings& findings) const {
    const double before = comparison.before.loss;
    const double now = comparison.now.loss;
    const Text since = Text::join(" since step ", to_text(comparison.before.step).view());
    if (!std::isfinite(before)) return Outcome::no_data;
    if (!std::isfinite(now)) {
      findings.add(loss, now, before, "the loss is not finite");
      return Outcome::fired;
    }
    const double percent = before == now ? 0 : 100 * (now - before) / std::abs(before);
    if (now > before) {
      if (!(percent > parameters_.increase_threshold_percent)) return Outcome::clear;
      findings.add(loss, percent, parameters_.increase_threshold_percent, Text::join("percent is how much the loss has risen", since.view()));
    } else {
      if (!(-percent < parameters_.diff_percent)) return Outcome::clear;
      findings.add(loss, 0 - percent, parameters_.diff_percent, Text::join("percent is how little the loss has fallen", since.view()));
    }
    return Outcome::fired;
  }

  Parameters parameters_;
  Tensors losses_;
  PerTensor<History> histories_;
};

inline LossNotDecreasing loss_not_decreasing(LossNotDecreasingParameters parameters = {}) {
  return LossNotDecreasing(std::move(parameters));
}

}  // namespace loupe::inline LOUPE_ABI::rules
