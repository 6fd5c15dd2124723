#pragma once
/// @file
/// The policies of a trial, and how a pack of them is sorted.

#include <concepts>
#include <cstdint>
#include <type_traits>

#include "loupe/base/clock.hpp"
#include "loupe/base/compatibility.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/error_policy.hpp"
#include "loupe/base/policies.hpp"
#include "loupe/reduce/fwd.hpp"
#include "loupe/reduce/strategy.hpp"
#include "loupe/select/any_pattern.hpp"
#include "loupe/select/python_regex.hpp"
#include "loupe/storage/concept.hpp"
#include "loupe/trial/fwd.hpp"

namespace loupe::inline LOUPE_ABI {

class LocalStorage;

/// When is a step complete? A policy says how many of the workers must have written it.
template <class Policy>
concept Completeness = requires(std::uint32_t num_workers) {
  { Policy::required_workers(num_workers) } -> std::same_as<std::uint32_t>;
};

/// A step is complete when all workers have written it: smdebug's rule.
struct AllWorkers {
  static std::uint32_t required_workers(std::uint32_t num_workers) noexcept { return num_workers; }
};
/// A step is complete when any worker has written it: for runs whose workers save different steps.
struct AnyWorker {
  static std::uint32_t required_workers(std::uint32_t) noexcept { return 1; }
};

/// A regex engine as a policy: `Patterns<&compile_boost_regex>`.
template <PatternCompiler engine>
struct Patterns {
  static constexpr PatternCompiler compiler = engine;
};

/// A policy that names a regex engine.
template <class Policy>
concept PatternEngine = requires {
  { Policy::compiler } -> std::convertible_to<PatternCompiler>;
};

namespace detail {

/// Which policy belongs to which slot of a trial.
struct TrialSlots {
  template <class Policy>
  struct IsStorage : std::bool_constant<loupe::Storage<Policy>> {};
  template <class Policy>
  struct IsErrors : std::bool_constant<ErrorPolicy<Policy>> {};
  template <class Policy>
  struct IsClock : std::bool_constant<loupe::Clock<Policy>> {};
  template <class Policy>
  struct IsStrategy : std::bool_constant<ReductionStrategy<Policy>> {};
  template <class Policy>
  struct IsCompatibility : std::bool_constant<compat::Compatibility<Policy>> {};
  template <class Policy>
  struct IsPatterns : std::bool_constant<PatternEngine<Policy>> {};
  template <class Policy>
  struct IsCompleteness : std::bool_constant<loupe::Completeness<Policy>> {};

  using Storage = PolicySlot<IsStorage, LocalStorage>;
  using Errors = PolicySlot<IsErrors, DefaultErrorPolicy>;
  using Clock = PolicySlot<IsClock, SystemClock>;
  using Compatibility = PolicySlot<IsCompatibility, compat::Native>;
  using Engine = PolicySlot<IsPatterns, Patterns<&compile_python_regex>>;
  using Completeness = PolicySlot<IsCompleteness, AllWorkers>;
  /// Reductions are computed as smdebug computes them where smdebug is imitated.
  template <class... Policies>
  using Strategy = PolicySlot<IsStrategy, std::conditional_t<std::same_as<policy_of<Compatibility, Policies...>, compat::Smdebug>,
                                                             NumpyDefinitions, Fused>>;
};

/// Sorts a trial's policies into their slots.
template <class... Policies>
struct TrialPolicies {
  using Strategy = TrialSlots::Strategy<Policies...>;

  static_assert(((slots_of_policy<Policies, TrialSlots::Storage, TrialSlots::Errors, TrialSlots::Clock, Strategy,
                                  TrialSlots::Compatibility, TrialSlots::Engine, TrialSlots::Completeness> == 1) && ...),
                "loupe::Trial: each policy must model exactly one of Storage, ErrorPolicy, Clock, ReductionStrategy, "
                "compat::Compatibility, PatternEngine, Completeness");
  static_assert(policies_in_slot<TrialSlots::Storage, Policies...> <= 1, "loupe::Trial: two storages were given; a trial has one");
  static_assert(policies_in_slot<TrialSlots::Errors, Policies...> <= 1, "loupe::Trial: two error policies were given; a trial has one");
  static_assert(policies_in_slot<TrialSlots::Clock, Policies...> <= 1, "loupe::Trial: two clocks were given; a trial has one");
  static_assert(policies_in_slot<Strategy, Policies...> <= 1, "loupe::Trial: two reduction strategies were given; a trial has one");
  static_assert(policies_in_slot<TrialSlots::Compatibility, Policies...> <= 1,
                "loupe::Trial: two compatibility policies were given; a trial has one");
  static_assert(policies_in_slot<TrialSlots::Engine, Policies...> <= 1, "loupe::Trial: two regex engines were given; a trial has one");
  static_assert(policies_in_slot<TrialSlots::Completeness, Policies...> <= 1,
                "loupe::Trial: two rules of completeness were given; a trial has one");

  static_assert(!policy_of<TrialSlots::Errors, Policies...>::counts, "loupe::Trial: its error policy must be Throw or Expect");

  using type = BasicTrial<policy_of<TrialSlots::Storage, Policies...>, policy_of<TrialSlots::Errors, Policies...>,
                          policy_of<TrialSlots::Clock, Policies...>, policy_of<Strategy, Policies...>,
                          policy_of<TrialSlots::Compatibility, Policies...>, policy_of<TrialSlots::Engine, Policies...>,
                          policy_of<TrialSlots::Completeness, Policies...>>;
};

}  // namespace detail

/// A trial. Policies in any order, each recognised by the concept it models: Storage (default `LocalStorage`),
/// ErrorPolicy (`Throw`; without exceptions `Expect`), Clock (`SystemClock`), ReductionStrategy for reductions that were
/// not saved (`Fused`), PatternEngine (`compile_python_regex`), Completeness (`AllWorkers`), and `compat::Smdebug`.
template <class... Policies>
using Trial = typename detail::TrialPolicies<Policies...>::type;

}  // namespace loupe::inline LOUPE_ABI
