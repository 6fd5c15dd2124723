#pragma once
/// @file
/// The hook: what a training loop or an inference engine hands its tensors to.
///
/// This header is enough to use a hook; constructing one needs `loupe/hook.hpp`, which brings the bodies.

#include <concepts>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "loupe/base/clock.hpp"
#include "loupe/base/compatibility.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/contained.hpp"
#include "loupe/base/error_policy.hpp"
#include "loupe/base/executor.hpp"
#include "loupe/base/policies.hpp"
#include "loupe/capture/framework.hpp"
#include "loupe/capture/fwd.hpp"
#include "loupe/capture/hook_ref.hpp"
#include "loupe/capture/recorder.hpp"
#include "loupe/capture/step_scope.hpp"
#include "loupe/ranks/concept.hpp"
#include "loupe/reduce/strategy.hpp"
#include "loupe/storage/concept.hpp"

namespace loupe::inline LOUPE_ABI {

/// The hook of one choice of policies; name it through `Hook`.
///
/// A hook belongs to one thread at a time. It captures what its configuration selects, and never harms the training
/// under `Count`: a failing call is counted and reported, and the loop goes on.
template <class FrameworkType, class StorageType, class RanksType, class StrategyType, class ErrorsType, class ClockType,
          class ExecutorType, class CompatibilityType>
class BasicHook {
 public:
  using Framework = FrameworkType;
  using Step = StepScope<BasicHook>;
  /// What a call gives: `void`, or `result<void>` under `Expect`.
  template <class Value>
  using Outcome = typename ErrorsType::template type<Value>;

  /// Opens the trial. `parts` are objects of the hook's policies, in any order; those not given are default-constructed,
  /// the storage from `config.out_dir`. A wrong configuration, or a folder that must not be written, is refused by
  /// exception whatever the error policy; a disk that fails makes a hook under `Count` stand aside: it saves nothing, and
  /// `failures()` says why. Without exceptions it stands aside in either case; use `create`.
  template <class... Parts>
    requires((std::same_as<std::remove_cvref_t<Parts>, StorageType> || std::same_as<std::remove_cvref_t<Parts>, RanksType> ||
              std::same_as<std::remove_cvref_t<Parts>, ClockType> || std::same_as<std::remove_cvref_t<Parts>, ExecutorType>) && ...)
  explicit BasicHook(const HookConfig& config, Parts&&... parts)
      : recorder_(detail::RecorderFactory<StrategyType, CompatibilityType>::template construct<StorageType, RanksType, ClockType,
                                                                                               ExecutorType, ErrorsType>(
            config, std::forward<Parts>(parts)...)) {}

  /// As the constructor, but gives any error as a value.
  template <class... Parts>
  static result<BasicHook> create(const HookConfig& config, Parts&&... parts) {
    LOUPE_ASSIGN(RecorderOwner recorder,
                 (detail::RecorderFactory<StrategyType, CompatibilityType>::template make<StorageType, RanksType, ClockType, ExecutorType>(
                     config, std::forward<Parts>(parts)...)));
    return BasicHook(std::move(recorder));
  }

  /// A hook that was moved from may be assigned to and destroyed, no more. Its open step goes along, but a `StepScope`
  /// doesn't follow: the step stays open until the next one begins.
  BasicHook(BasicHook&&) noexcept = default;
  BasicHook& operator=(BasicHook&&) noexcept = default;
  /// Closes the hook; a failure is counted.
  ~BasicHook() {
    if (!recorder_) return;
    absorb(recorder_->close());
    recorder_->summarise();
  }

  /// Sets the mode of the steps to come.
  Outcome<void> set_mode(Mode mode) { return finish(recorder_->set_mode(mode)); }

  /// Opens the next step, closing the open one: the global step and the mode's step go up by one (the first are 0).
  Outcome<Step> step(Mode mode) {
    result<void> begun = begin_step_in(mode);
    if constexpr (std::same_as<ErrorsType, Count>) {  // as below, but without a `result<Step>` to compile
      if (begun) return Step(*this);
      absorb(std::move(begun));
      return Step();
    } else {
      if (!begun) return finish(result<Step>(fail(std::move(begun).error())));
      return finish(result<Step>(Step(*this)));
    }
  }
  /// Opens the next step in the present mode.
  Outcome<Step> step() { return step(recorder_->mode()); }

  /// The long form of `step()`: open …
  Outcome<void> begin_step() { return finish(recorder_->begin_step()); }
  /// … and close. Not needed before `begin_step` or `close`, which do it.
  Outcome<void> end_step() { return finish(recorder_->end_step()); }
  /// Closes the step and absorbs a failure.
  void end_step_quietly() noexcept { absorb(recorder_->end_step()); }

  /// Whether the open step wants anything.
  [[nodiscard]] bool armed() const noexcept { return recorder_->target.armed; }

  /// Offers a tensor; it is saved, or reduced, if a collection that has it is due at this step. A tensor that is not due
  /// costs a branch or a look at its name; its elements are read only if due. Outside of a step nothing is due. Of two
  /// tensors of one name in a step the reader finds the last; of one without elements nothing is kept.
  template <class Tensor>
  LOUPE_ALWAYS_INLINE Outcome<void> save(std::string_view name, const Tensor& tensor) {
    if (!recorder_->target.armed) [[likely]]
      return done();
    return offer(name, tensor);
  }

  /// Saves one number as tensor `scalar/<name>`, whatever the save configuration says. `value` is a number, a text, or
  /// a tensor of one element.
  template <class Value>
  Outcome<void> save_scalar(std::string_view name, const Value& value, const ScalarOptions& options = {}) {
    if constexpr (std::is_arithmetic_v<Value>) {
      return finish(recorder_->record_scalar(name, {&value, element_type_of<Value>, {1}}, options));
    } else if constexpr (std::convertible_to<const Value&, std::string_view>) {
      const std::string_view text = value;
      return finish(recorder_->record_scalar(name, {&text, ElementType::string, {1}}, options));
    } else {
      return finish(
          with_view(value, [&](const TensorView& view) { return recorder_->record_scalar(name, view, options); }));
    }
  }

  /// Puts a tensor into collections by name and offers it; `collections` empty means collection `default`.
  template <class Tensor>
  Outcome<void> save_tensor(std::string_view name, const Tensor& tensor,
                            std::span<const std::string_view> collections = {}) {
    return finish(
        with_view(tensor, [&](const TensorView& view) { return recorder_->record_custom(name, view, collections); }));
  }
  /// Writes custom tensors that wait (only `compat::Smdebug` lets them wait).
  Outcome<void> flush_custom() { return finish(recorder_->flush_custom()); }

  /// A collection by name, created if missing; never null on success. Change it before the first step: later it is an
  /// error to ask (nothing would come of the change).
  [[nodiscard]] Outcome<Collection*> collection(std::string_view name) { return finish(recorder_->collection(name)); }
  /// Adds a collection or replaces the one of that name; refused after the first step.
  Outcome<void> add_collection(const Collection& collection) { return finish(recorder_->add_collection(collection)); }

  /// Attaches rules, which judge what is saved in the step in which it is saved: `loupe/rules/attach.hpp`. Once, before the
  /// first step.
  template <class... Rules>
  Outcome<void> rules(Rules&&... rules) {
    static_assert(requires { attach_rules(*this, std::forward<Rules>(rules)...); },
                  "loupe: rules are attached by loupe/rules/attach.hpp: include it, and hand rules of namespace loupe::rules");
    return finish(attach_rules(*this, std::forward<Rules>(rules)...));
  }
  /// What the rules made of the open step, or of the one before; see `StepScope::verdict`.
  [[nodiscard]] StepVerdict verdict() { return recorder_->verdict(); }
  /// The part of the hook that is no template, for parts of loupe that extend it.
  [[nodiscard]] Recorder& recorder() noexcept { return *recorder_; }

  /// Waits until all closed steps are written.
  Outcome<void> flush() { return finish(recorder_->flush()); }
  /// Closes the open step, waits for the writer, writes collections and end marker. Again: nothing.
  Outcome<void> close() {
    auto outcome = recorder_->close();
    if (ErrorsType::counts && !outcome) recorder_->absorb(outcome.error());
    recorder_->summarise();
    return ErrorsType::finish(std::move(outcome));
  }

  /// A reference for code that should not know the hook's type; valid while the hook lives, moved or not.
  [[nodiscard]] HookRef ref() const noexcept { return HookRef(recorder_->target); }
  [[nodiscard]] CaptureFailures failures() const { return recorder_->failures(); }
  [[nodiscard]] CaptureCounts counts() const { return recorder_->counts(); }
  [[nodiscard]] Mode mode() const noexcept { return recorder_->mode(); }
  /// The global step, -1 before the first. Also of a hook that was moved from, for the scope that it has left behind.
  [[nodiscard]] loupe::Step current_step() const noexcept { return recorder_ ? recorder_->step() : loupe::Step(-1); }
  /// The step of a mode, -1 before its first.
  [[nodiscard]] ModeStep current_step(Mode mode) const noexcept { return recorder_->mode_step(mode); }

 private:
  explicit BasicHook(RecorderOwner recorder) noexcept : recorder_(std::move(recorder)) {}

  /// At a step at which something is due. Kept out of the caller's code, which is the training loop, and apart from
  /// `look_up` so that a tensor that is passed over needs no stack frame.
  template <class Tensor>
  LOUPE_NEVER_INLINE Outcome<void> offer(std::string_view name, const Tensor& tensor) {
    if (recorder_->known_names->pass_over_next(name)) [[likely]]
      return done();
    return look_up(name, tensor);
  }
  template <class Tensor>
  LOUPE_NEVER_INLINE Outcome<void> look_up(std::string_view name, const Tensor& tensor) {
    if (recorder_->known_names->pass_over_successor(name)) return done();
    const Selection selection = recorder_->select(name);
    if (!selection) return done();
    return finish(with_view(tensor, [&](const TensorView& view) { return recorder_->record(selection, view); }));
  }
  /// Calls `call` with a view of a tensor, or of what a lazy expression computes; what computing throws is an error.
  template <class Tensor, class Call>
  static result<void> with_view(const Tensor& tensor, Call&& call) {
    static_assert(SavesTensor<FrameworkType, Tensor>,
                  "loupe: this hook's Framework has no view(tensor) for this type: hand it a tensor of the framework, "
                  "a loupe::TensorView, or specialise the framework for your type; text goes to save_scalar");
    if constexpr (Views<FrameworkType, Tensor>) {
      return call(FrameworkType::view(tensor));
    } else {
      return contained("evaluate an expression", [&]() -> result<void> {
        const auto evaluated = FrameworkType::evaluate(tensor);
        return call(FrameworkType::view(evaluated));
      });
    }
  }
  result<void> begin_step_in(Mode mode) {
    LOUPE_TRY(recorder_->set_mode(mode));
    return recorder_->begin_step();
  }
  /// Success, at no cost where it is `void`.
  static Outcome<void> done() {
    if constexpr (!std::is_void_v<Outcome<void>>) return {};
  }
  template <class Value>
  Outcome<Value> finish(result<Value>&& outcome) {
    if constexpr (ErrorsType::counts) {
      if (!outcome) recorder_->absorb(outcome.error());
    }
    return ErrorsType::finish(std::move(outcome));
  }
  void absorb(result<void>&& outcome) noexcept {
    if (!outcome) recorder_->absorb(std::move(outcome).error());
  }

  RecorderOwner recorder_;
};

namespace detail {

template <class Policy>
struct IsStorage : std::bool_constant<Storage<Policy>> {};
template <class Policy>
struct IsRankScheme : std::bool_constant<RankScheme<Policy>> {};
template <class Policy>
struct IsReductionStrategy : std::bool_constant<ReductionStrategy<Policy>> {};
template <class Policy>
struct IsErrorPolicy : std::bool_constant<ErrorPolicy<Policy>> {};
template <class Policy>
struct IsClock : std::bool_constant<Clock<Policy>> {};
template <class Policy>
struct IsExecutor : std::bool_constant<Executor<Policy>> {};
template <class Policy>
struct IsCompatibility : std::bool_constant<compat::Compatibility<Policy>> {};

/// Sorts a hook's policies into their slots.
template <class FrameworkType, class... Policies>
struct HookPolicies {
  using StorageSlot = PolicySlot<IsStorage, LocalStorage>;
  using RanksSlot = PolicySlot<IsRankScheme, ranks::Single>;
  using StrategySlot = PolicySlot<IsReductionStrategy, Fused>;
  using ErrorsSlot = PolicySlot<IsErrorPolicy, Count>;
  using ClockSlot = PolicySlot<IsClock, SystemClock>;
  using ExecutorSlot = PolicySlot<IsExecutor, ThreadExecutor>;
  using CompatibilitySlot = PolicySlot<IsCompatibility, compat::Native>;

  static_assert(Framework<FrameworkType>,
                "loupe::Hook: the first argument must model loupe::Framework (see capture/framework.hpp for what it needs)");
  static_assert(((slots_of_policy<Policies, StorageSlot, RanksSlot, StrategySlot, ErrorsSlot, ClockSlot, ExecutorSlot,
                                  CompatibilitySlot> == 1) && ...),
                "loupe::Hook: each policy must model exactly one of Storage, RankScheme, ReductionStrategy, ErrorPolicy, "
                "Clock, Executor, compat::Compatibility");
  static_assert(policies_in_slot<StorageSlot, Policies...> <= 1, "loupe::Hook: two storages were given; a hook has one");
  static_assert(policies_in_slot<RanksSlot, Policies...> <= 1, "loupe::Hook: two rank schemes were given; a hook has one");
  static_assert(policies_in_slot<StrategySlot, Policies...> <= 1,
                "loupe::Hook: two reduction strategies were given; a hook has one");
  static_assert(policies_in_slot<ErrorsSlot, Policies...> <= 1, "loupe::Hook: two error policies were given; a hook has one");
  static_assert(policies_in_slot<ClockSlot, Policies...> <= 1, "loupe::Hook: two clocks were given; a hook has one");
  static_assert(policies_in_slot<ExecutorSlot, Policies...> <= 1, "loupe::Hook: two executors were given; a hook has one");

  using type = BasicHook<FrameworkType, policy_of<StorageSlot, Policies...>, policy_of<RanksSlot, Policies...>,
                         policy_of<StrategySlot, Policies...>, policy_of<ErrorsSlot, Policies...>,
                         policy_of<ClockSlot, Policies...>, policy_of<ExecutorSlot, Policies...>,
                         policy_of<CompatibilitySlot, Policies...>>;
};

}  // namespace detail

/// A hook for a framework. Policies in any order, each recognised by the concept it models: Storage (default
/// `LocalStorage`), RankScheme (`ranks::Single`), ReductionStrategy (`Fused`), ErrorPolicy (`Count`), Clock
/// (`SystemClock`), Executor (`ThreadExecutor`; `InlineExecutor` writes in the training thread), and
/// `compat::Smdebug`.
template <class FrameworkType, class... Policies>
using Hook = typename detail::HookPolicies<FrameworkType, Policies...>::type;

}  // namespace loupe::inline LOUPE_ABI
