#pragma once
/// @file
/// One tensor of a trial, over all its steps.

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/array.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/error_policy.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/step.hpp"
#include "loupe/reduce/statistic.hpp"
#include "loupe/trial/trial_core.hpp"
#include "loupe/trial/value.hpp"

namespace loupe::inline LOUPE_ABI {

/// A step as it is asked for: a plain number or a `Step` is a global step, a `ModeStep` counts within its mode.
struct AtStep : ModeStep {
  template <std::integral Number>
    requires(!std::same_as<Number, bool>)
  constexpr AtStep(Number global_step) noexcept : ModeStep(Mode::global, static_cast<std::int64_t>(global_step)) {}
  constexpr AtStep(Step step) noexcept : ModeStep(Mode::global, step.value) {}
  constexpr AtStep(ModeStep step) noexcept : ModeStep(step) {}
};

namespace detail {
/// Steps with the mode that they are counted in.
inline result<std::vector<ModeStep>> mode_steps(Mode mode, const result<std::vector<std::int64_t>>& steps) {
  if (!steps) return unexpected<Error>(steps.error());
  std::vector<ModeStep> found;
  found.reserve(steps->size());
  for (const std::int64_t step : *steps) found.emplace_back(mode, step);
  return found;
}
}  // namespace detail

/// A tensor of a trial. Calls give values, or `result`s, as the trial's error policy says. A worker that is not named is
/// the first one, by name, that has anything of the tensor at the step. Cheap to copy; keeps the trial's data alive; any
/// thread may use it.
template <class ErrorsType>
class Tensor {
 public:
  template <class Value>
  using Outcome = typename ErrorsType::template type<Value>;

  Tensor(std::shared_ptr<TrialCore> trial, const Interned* tensor) noexcept : trial_(std::move(trial)), tensor_(tensor) {}

  [[nodiscard]] std::string_view name() const noexcept { return tensor_->name; }
  /// What the framework calls it, known where shapes were saved.
  [[nodiscard]] std::optional<std::string> original_name() const {
    const auto known = trial_->snapshot();
    const TensorRecord* record = known->tensor(tensor_->name);
    if (record == nullptr || record->original_name == nullptr) return std::nullopt;
    return std::string(record->original_name->name.view());
  }

  /// The value, owned. Errors: `tensor_unavailable_for_step` with the reason and the reductions there are,
  /// `step_unavailable`, `step_not_yet_available`, `invalid_worker`.
  [[nodiscard]] Outcome<Array> value(AtStep step, std::string_view worker = {}) const {
    return finish<Array>([&]() -> result<Array> {
      LOUPE_ASSIGN(const ValueView seen, trial_->tensors().value(tensor_, step, worker));
      return seen.copy();
    });
  }
  /// The value with elements of `Type`, widened where a narrower type was saved; `invalid_type` where numbers might not fit.
  template <Element Type>
  [[nodiscard]] Outcome<Values<Type>> value(AtStep step, std::string_view worker = {}) const {
    return finish<Values<Type>>([&]() -> result<Values<Type>> {
      LOUPE_ASSIGN(const ValueView seen, trial_->tensors().value(tensor_, step, worker));
      return typed_copy<Type>(seen.view(), tensor_->name);
    });
  }
  /// The value where it lies, without a copy.
  [[nodiscard]] Outcome<ValueView> view(AtStep step, std::string_view worker = {}) const {
    return finish<ValueView>([&] { return trial_->tensors().value(tensor_, step, worker); });
  }
  /// The value of a tensor that holds one number; `invalid_type` otherwise.
  [[nodiscard]] Outcome<double> scalar(AtStep step, std::string_view worker = {}) const {
    return finish<double>([&]() -> result<double> {
      LOUPE_ASSIGN(const ValueView seen, trial_->tensors().value(tensor_, step, worker));
      const Scalar number = load_scalar(seen.view());
      if (!number.has_value()) return fail(ErrorKind::invalid_type, tensor_->name, "the value is not a single number");
      return number.as_double();
    });
  }
  [[nodiscard]] Outcome<Shape> shape(AtStep step, std::string_view worker = {}) const {
    return finish<Shape>([&] { return trial_->tensors().shape(tensor_, step, worker); });
  }

  /// A reduction: the saved one, else computed from the value by the trial's strategy.
  [[nodiscard]] Outcome<ReductionValue> reduction_value(AtStep step, Statistic statistic, std::string_view worker = {}) const {
    return reduction_value(step, statistic_name(statistic), worker);
  }
  /// The same by name (`min`, `abs_l2`, or that of a custom reduction).
  [[nodiscard]] Outcome<ReductionValue> reduction_value(AtStep step, std::string_view name, std::string_view worker = {}) const {
    return finish<ReductionValue>([&] { return trial_->tensors().reduction(tensor_, step, name, worker); });
  }
  /// All reductions that were saved; none is no error.
  [[nodiscard]] Outcome<std::vector<ReductionValue>> reduction_values(AtStep step, std::string_view worker = {}) const {
    return finish<std::vector<ReductionValue>>([&] { return trial_->tensors().saved_reductions(tensor_, step, worker); });
  }

  /// Values at all complete steps of a mode, with their steps; the first failure is the answer.
  [[nodiscard]] Outcome<std::vector<std::pair<ModeStep, Array>>> values(Mode mode = Mode::global, std::string_view worker = {}) const {
    return finish<std::vector<std::pair<ModeStep, Array>>>([&]() -> result<std::vector<std::pair<ModeStep, Array>>> {
      std::vector<std::pair<ModeStep, Array>> found;
      LOUPE_ASSIGN(const std::vector<std::int64_t> steps, trial_->steps(tensor_, mode, Steps::complete));
      for (const std::int64_t step : steps) {
        LOUPE_ASSIGN(const ValueView seen, trial_->tensors().value(tensor_, {mode, step}, worker));
        LOUPE_ASSIGN(Array copy, seen.copy());
        found.emplace_back(ModeStep(mode, step), std::move(copy));
      }
      return found;
    });
  }
  /// Steps of a mode at which anything of the tensor was saved, ascending.
  [[nodiscard]] Outcome<std::vector<ModeStep>> steps(Mode mode = Mode::global, Steps which = Steps::complete) const {
    return finish<std::vector<ModeStep>>([&] { return detail::mode_steps(mode, trial_->steps(tensor_, mode, which)); });
  }
  /// The last `count` of those steps that are not after `step`; all of them if no count, or 0, is given.
  [[nodiscard]] Outcome<std::vector<ModeStep>> prev_steps(AtStep step, std::size_t count = 0) const {
    return finish<std::vector<ModeStep>>([&] {
      return detail::mode_steps(step.mode, trial_->previous_steps(tensor_, step, count == 0 ? std::nullopt : std::optional(count)));
    });
  }
  /// Workers that have anything of the tensor at a step, in the order in which their files were loaded.
  [[nodiscard]] Outcome<std::vector<std::string>> workers(AtStep step) const {
    return finish<std::vector<std::string>>([&] { return trial_->workers(tensor_, step); });
  }

 private:
  template <class Value, class Question>
  Outcome<Value> finish(Question&& question) const {
    return ErrorsType::finish(result<Value>(question()));
  }

  std::shared_ptr<TrialCore> trial_;
  const Interned* tensor_;
};

}  // namespace loupe::inline LOUPE_ABI
