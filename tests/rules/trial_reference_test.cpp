#include "loupe/rules/trial_reference.hpp"

#include "loupe/rules/builtin/similar_across_runs.hpp"
#include "loupe/rules/evaluation.hpp"
#include "loupe/storage/memory.hpp"
#include "loupe/trial/trial.hpp"
#include "support/catch.hpp"
#include "support/fake_run.hpp"

using namespace loupe::rules;

TEST_CASE("a trial is compared with another by the steps of their modes") {
  loupe::MemoryStorage base, other;
  FakeRun base_run{loupe::AnyStorage(base)}, other_run{loupe::AnyStorage(other)};
  base_run.workers(1).save({0, 1, 2}).end();
  other_run.workers(1).save({0, 1});
  other_run.step(2).tensor("a", {2.5F}).write();
  other_run.end();
  const loupe::Trial<loupe::MemoryStorage> base_trial(base, {.end_delay = 0}), other_trial(other, {.end_delay = 0});
  TrialReference reference(other_trial.core().value());
  CHECK(reference.value("a", {loupe::Mode::global, 1}));
  CHECK_FALSE(reference.value("a", {loupe::Mode::global, 9}));
  CHECK_FALSE(reference.value("b", {loupe::Mode::global, 1}));
  Judge judge;
  REQUIRE(judge.add(similar_across_runs({.other = std::make_shared<TrialReference>(other_trial.core().value())})));
  std::vector<std::int64_t> fired;
  REQUIRE(evaluate(base_trial, judge, [&](const Firing& firing) { fired.push_back(firing.at.step.value); }));
  CHECK(fired == std::vector<std::int64_t>{2});
}
