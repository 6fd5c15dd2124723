#pragma once
/// @file
/// A trial: what a run has saved, to be asked by name and step, while the run goes on or after.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "loupe/base/any_clock.hpp"
#include "loupe/base/clock.hpp"
#include "loupe/base/compatibility.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/error_policy.hpp"
#include "loupe/base/policies.hpp"
#include "loupe/reduce/fused.hpp"
#include "loupe/reduce/numpy_definitions.hpp"
#include "loupe/reduce/strategy.hpp"
#include "loupe/storage/any_storage.hpp"
#include "loupe/storage/concept.hpp"
#include "loupe/storage/local.hpp"
#include "loupe/trial/fwd.hpp"
#include "loupe/trial/refresh_scope.hpp"
#include "loupe/trial/tensor.hpp"
#include "loupe/trial/trial_core.hpp"
#include "loupe/trial/trial_policies.hpp"

namespace loupe::inline LOUPE_ABI {

/// The trial of one choice of policies; name it through `Trial`.
///
/// Opening waits for the run's collections files and reads its index; queries refresh what they need (semantics.md
/// 11.2). Steps of a mode other than `Mode::global` are mode steps. Under `Expect` a trial that could not be opened
/// gives its error in every call, and `opened()` tells. Any thread may ask; refreshes take turns.
template <class StorageType, class ErrorsType, class ClockType, class StrategyType, class CompatibilityType, class PatternsType,
          class CompletenessType>
class BasicTrial {
 public:
  using Tensor = loupe::Tensor<ErrorsType>;
  template <class Value>
  using Outcome = typename ErrorsType::template type<Value>;

  /// Opens the trial at a path of the storage; blanks around it don't count.
  explicit BasicTrial(std::string_view path, TrialOptions options = {}, ClockType clock = ClockType())
      : BasicTrial(trial_root(path, options.environment), std::move(options), std::move(clock)) {}
  /// Opens the trial that fills a storage.
  explicit BasicTrial(StorageType storage, TrialOptions options = {}, ClockType clock = ClockType())
      : BasicTrial(std::move(storage), std::move(options), std::move(clock), Text()) {}

  /// Whether the trial could be opened. Under `Throw` a trial that exists always was.
  [[nodiscard]] Outcome<void> opened() const {
    return finish<void>([](TrialCore&) { return result<void>(); });
  }
  /// The last component of the path unless the options say otherwise; empty if the trial could not be opened.
  [[nodiscard]] std::string_view name() const noexcept { return core_ ? (*core_)->name().view() : std::string_view(); }
  [[nodiscard]] std::string_view path() const noexcept { return core_ ? (*core_)->path().view() : std::string_view(); }

  /// A tensor by name; `tensor_unavailable` if none of that name was ever saved.
  [[nodiscard]] Outcome<Tensor> tensor(std::string_view name) const {
    return ErrorsType::finish([&]() -> result<Tensor> {
      if (!core_) return unexpected<Error>(core_.error());
      LOUPE_ASSIGN(const Interned* found, (*core_)->find(name));
      if (found == nullptr) return fail(Error{.kind = ErrorKind::tensor_unavailable, .object = name, .reason = Absence::never_saved});
      return Tensor(*core_, found);
    }());
  }
  [[nodiscard]] Outcome<bool> has_tensor(std::string_view name) const {
    return finish<bool>([&](TrialCore& core) -> result<bool> {
      LOUPE_ASSIGN(const Interned* found, core.find(name));
      return found != nullptr;
    });
  }
  /// Names of tensors, sorted: `tensor_names({.step = ModeStep(Mode::train, 10), .regex = {"relu"}})`.
  [[nodiscard]] Outcome<std::vector<std::string>> tensor_names(const NameQuery& query = {}) const {
    return finish<std::vector<std::string>>([&](TrialCore& core) { return core.tensor_names(query); });
  }

  /// Steps of a mode, ascending.
  [[nodiscard]] Outcome<std::vector<ModeStep>> steps(Mode mode = Mode::global, Steps which = Steps::complete) const {
    return finish<std::vector<ModeStep>>([&](TrialCore& core) { return detail::mode_steps(mode, core.steps(mode, which)); });
  }
  /// The modes seen so far, never `Mode::global`. Doesn't refresh.
  [[nodiscard]] Outcome<std::vector<Mode>> modes() const {
    return finish<std::vector<Mode>>([](TrialCore& core) { return core.snapshot()->modes(); });
  }
  /// Mode and mode step of a global step, if it is known.
  [[nodiscard]] Outcome<std::optional<ModeStep>> mode_step(Step global_step) const {
    return finish<std::optional<ModeStep>>([&](TrialCore& core) { return core.mode_step(global_step.value); });
  }
  /// The global step of a mode step, if it is known.
  [[nodiscard]] Outcome<std::optional<Step>> global_step(ModeStep at) const {
    return finish<std::optional<Step>>([&](TrialCore& core) -> result<std::optional<Step>> {
      LOUPE_ASSIGN(const std::optional<std::int64_t> found, core.global_step(at));
      return found ? std::optional(Step(*found)) : std::nullopt;
    });
  }
  /// Names of the workers, from the collections files, sorted.
  [[nodiscard]] Outcome<std::vector<std::string>> workers() const {
    return finish<std::vector<std::string>>([](TrialCore& core) { return core.workers(); });
  }
  /// How many workers save, as the run says.
  [[nodiscard]] Outcome<std::int64_t> num_workers() const {
    return finish<std::int64_t>([](TrialCore& core) { return core.collections().num_workers(); });
  }
  /// Names of the workers that have written a global step so far. Doesn't refresh.
  [[nodiscard]] Outcome<std::vector<std::string>> workers(Step global_step) const {
    return finish<std::vector<std::string>>([&](TrialCore& core) {
      const auto known = core.snapshot();
      const auto names = known->workers(global_step.value);
      return std::vector<std::string>(names.begin(), names.end());
    });
  }

  /// The collections of the run. Doesn't refresh.
  [[nodiscard]] Outcome<std::vector<Collection>> collections() const {
    return finish<std::vector<Collection>>([](TrialCore& core) {
      std::vector<Collection> all;
      for (const Collection& collection : core.collections().all()) all.push_back(collection);
      return all;
    });
  }
  /// A collection by name; an empty one if the run has none of that name.
  [[nodiscard]] Outcome<Collection> collection(std::string_view name) const {
    return finish<Collection>([&](TrialCore& core) -> result<Collection> {
      const Collection* found = core.collections().all().find(name);
      return found != nullptr ? *found : Collection{.name = name};
    });
  }
  /// Values of the tensors of collection `inputs` at a step, by the number in which their names end.
  [[nodiscard]] Outcome<std::vector<Array>> inputs(AtStep step) const {
    return finish<std::vector<Array>>([&](TrialCore& core) { return core.numbered_values({.collection = "inputs"}, step); });
  }
  /// Values of the tensors that are named `label…`.
  [[nodiscard]] Outcome<std::vector<Array>> labels(AtStep step) const {
    return finish<std::vector<Array>>([&](TrialCore& core) { return core.numbered_values({.regex = {"labels*"}}, step); });
  }
  /// Values of the tensors that are named `prediction…`.
  [[nodiscard]] Outcome<std::vector<Array>> predictions(AtStep step) const {
    return finish<std::vector<Array>>([&](TrialCore& core) { return core.numbered_values({.regex = {"predictions*"}}, step); });
  }

  /// Whether a step can be read, may still come, or never will.
  [[nodiscard]] Outcome<StepState> has_passed_step(AtStep step) const {
    return finish<StepState>([&](TrialCore& core) { return core.follower().has_passed_step(step); });
  }
  /// Waits until all the steps can be read, at most `timeout` nanoseconds if one is given. `step_unavailable` or
  /// `no_more_data` if one never will; `timeout`, `cancelled`.
  Outcome<void> wait_for_steps(const std::vector<AtStep>& steps, std::optional<std::int64_t> timeout = {}) const {
    return finish<void>([&](TrialCore& core) {
      const std::vector<ModeStep> wanted(steps.begin(), steps.end());
      return core.wait_for_steps(wanted, timeout);
    });
  }
  /// Reads what is new, whether refreshing is on or off.
  Outcome<void> refresh() const {
    return finish<void>([](TrialCore& core) { return core.follower().refresh(); });
  }
  /// Until the end of the scope's life, queries answer from what is known.
  [[nodiscard]] Outcome<RefreshScope> no_refresh() const { return scope(false); }
  /// Until the end of the scope's life, queries refresh.
  [[nodiscard]] Outcome<RefreshScope> with_refresh() const { return scope(true); }

  /// Whether the run has ended and all its files were seen. Doesn't refresh; nor do the next two.
  [[nodiscard]] bool loaded_all_steps() const { return core_ && (*core_)->snapshot()->loaded_all(); }
  /// The largest global step that is known to be complete, -1 if none.
  [[nodiscard]] std::int64_t last_complete_step() const { return core_ ? (*core_)->snapshot()->last_complete_step() : -1; }
  /// The index key from which the next refresh lists; empty: from the start.
  [[nodiscard]] std::string last_index_token() const {
    return core_ ? std::string((*core_)->snapshot()->token()) : std::string();
  }
  /// What could not be used of the trial's index and collections files: one error each, with file and offset.
  [[nodiscard]] std::vector<Error> problems() const { return core_ ? (*core_)->problems() : std::vector<Error>{core_.error()}; }
  /// An immutable state of the trial, for many questions to the same moment; null if the trial could not be opened.
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const { return core_ ? (*core_)->snapshot() : nullptr; }

  /// The trial behind its policies, or why it could not be opened: for code that reads whole steps, as rules do.
  [[nodiscard]] const result<std::shared_ptr<TrialCore>>& core() const noexcept { return core_; }

  /// Trials are the same if name and path are.
  friend bool operator==(const BasicTrial& a, const BasicTrial& b) noexcept { return a.name() == b.name() && a.path() == b.path(); }

 private:
  BasicTrial(Text root, TrialOptions options, ClockType clock)
      : BasicTrial(StorageType(root), std::move(options), std::move(clock), root) {}
  BasicTrial(StorageType storage, TrialOptions options, ClockType clock, Text path)
      : core_(TrialCore::open(
            TrialParts{
                .storage = AnyStorage(std::move(storage)),
                .clock = std::make_shared<const AnyClock>(std::move(clock)),
                .path = std::move(path),
                .engine = PatternsType::compiler,
                .compute = [](const TensorView& view, Statistic statistic) -> result<Scalar> {
                  if (!StatisticSet(StrategyType::provides).contains(statistic))
                    return fail(ErrorKind::unsupported, statistic_name(statistic), "the trial's reduction strategy doesn't give it");
                  return StrategyType::value(StrategyType::partials(view, statistic), statistic);
                },
                .reduce = &reduce_tensor<StrategyType>,
                .required_workers = &CompletenessType::required_workers,
                .quirks = reader_quirks<CompatibilityType>,
            },
            std::move(options))) {
    if constexpr (!std::is_same_v<Outcome<void>, result<void>>)
      if (!core_) ErrorsType::finish(result<void>(unexpected<Error>(core_.error())));
  }
  template <class Value, class Question>
  Outcome<Value> finish(Question&& question) const {
    if (!core_) return ErrorsType::finish(result<Value>(unexpected<Error>(core_.error())));
    return ErrorsType::finish(result<Value>(question(**core_)));
  }
  Outcome<RefreshScope> scope(bool on) const {
    return finish<RefreshScope>([&](TrialCore& core) { return RefreshScope(core.follower(), on); });
  }

  result<std::shared_ptr<TrialCore>> core_;
};

}  // namespace loupe::inline LOUPE_ABI
