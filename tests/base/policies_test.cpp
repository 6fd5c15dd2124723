#include "loupe/base/policies.hpp"

#include <type_traits>

#include "support/catch.hpp"

namespace {

struct Red {};
struct Blue {};
struct Round {};
struct Square {};
template <class Policy>
struct IsColour : std::bool_constant<std::is_same_v<Policy, Red> || std::is_same_v<Policy, Blue>> {};
template <class Policy>
struct IsForm : std::bool_constant<std::is_same_v<Policy, Round> || std::is_same_v<Policy, Square>> {};
using Colour = loupe::PolicySlot<IsColour, Red>;
using Form = loupe::PolicySlot<IsForm, Round>;

static_assert(std::is_same_v<loupe::policy_of<Colour>, Red>);
static_assert(std::is_same_v<loupe::policy_of<Colour, Square, Blue>, Blue>);
static_assert(std::is_same_v<loupe::policy_of<Form, Blue, Square>, loupe::policy_of<Form, Square, Blue>>);

}  // namespace

TEST_CASE("policies are counted by slot, so that a misuse can be named") {
  CHECK(loupe::policies_in_slot<Colour, Red, Blue, Round> == 2);
  CHECK(loupe::slots_of_policy<Red, Colour, Form> == 1);
  CHECK(loupe::slots_of_policy<int, Colour, Form> == 0);
}
