#pragma once
/// @file
/// Policy packs in any order: each policy is recognised by the concept it models.

#include <cstddef>
#include <type_traits>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// A policy slot: a trait that recognises its policies, and the policy when none is named. `Recognises<Policy>::value`
/// is true for the types that belong to the slot.
template <template <class> class Recognises, class Default>
struct PolicySlot {
  using fallback = Default;
  template <class Policy>
  static constexpr bool recognises = Recognises<Policy>::value;
};

/// How many of the policies belong to the slot.
template <class Slot, class... Policies>
inline constexpr std::size_t policies_in_slot = (std::size_t{0} + ... + (Slot::template recognises<Policies> ? 1 : 0));

/// How many slots a policy belongs to; must be one.
template <class Policy, class... Slots>
inline constexpr std::size_t slots_of_policy = (std::size_t{0} + ... + (Slots::template recognises<Policy> ? 1 : 0));

namespace detail {
template <class Slot, class... Policies>
struct PickPolicy {
  using type = typename Slot::fallback;
};
template <class Slot, class First, class... Rest>
struct PickPolicy<Slot, First, Rest...>
    : std::conditional_t<Slot::template recognises<First>, std::type_identity<First>, PickPolicy<Slot, Rest...>> {};
}  // namespace detail

/// The policy of a slot: the one named in the pack, else the slot's default.
template <class Slot, class... Policies>
using policy_of = typename detail::PickPolicy<Slot, Policies...>::type;

}  // namespace loupe::inline LOUPE_ABI
