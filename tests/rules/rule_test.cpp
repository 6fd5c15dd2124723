#include "loupe/rules/rule.hpp"

#include <utility>

#include "support/catch.hpp"

using namespace loupe::rules;

namespace {

/// Fires at every `period`-th step.
struct Periodic {
  static constexpr std::string_view name = "Periodic";
  std::int64_t period = 2;
  std::int64_t steps = 0;

  void visit(ParameterVisitor& visitor) { visitor.integer("period", period, at_least(1)); }
  Wanted wants(const TensorName&, const Directory&) { return {}; }
  void look(const Evidence&, Findings&) {}
  Outcome conclude(const StepPlace&, Findings&) { return outcome_of(++steps % period == 0); }
};
static_assert(RulePredicate<Periodic>);
static_assert(!RulePredicate<int>);

}  // namespace

TEST_CASE("a rule has the name of its type or the one that it is given") {
  CHECK(Rule(Periodic()).name() == "Periodic");
  CHECK(Rule("Mine", Periodic()).name() == "Mine");
  CHECK(Rule(Periodic()).parameters() == "period:2\n");
}

TEST_CASE("a copy of a rule that has seen nothing starts afresh, one of a rule at work goes on where that is") {
  Findings findings;
  Rule original = Periodic{.period = 2};
  Rule copy = original;
  CHECK(original.conclude({}, findings) == Outcome::clear);
  CHECK(copy.conclude({}, findings) == Outcome::clear);
  Rule later = original;
  CHECK(original.conclude({}, findings) == Outcome::fired);
  CHECK(later.conclude({}, findings) == Outcome::fired);
  later = copy;
  CHECK(later.conclude({}, findings) == Outcome::fired);
}

TEST_CASE("what a rule doesn't have it needn't have") {
  Findings findings;
  Rule rule = Periodic();
  CHECK_FALSE(rule.has_ended());
  CHECK(rule.idle(0, findings) == Outcome::no_data);
  CHECK(rule.check());
  CHECK_FALSE(Rule(Periodic{.period = 0}).check());
}
