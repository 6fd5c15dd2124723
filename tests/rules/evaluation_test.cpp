#include "loupe/rules/evaluation.hpp"

#include <string>
#include <vector>

#include "loupe/base/manual_clock.hpp"
#include "loupe/capture/claim.hpp"
#include "loupe/format/layout.hpp"
#include "loupe/rules/builtin/exploding_tensor.hpp"
#include "loupe/rules/predicate.hpp"
#include "loupe/storage/memory.hpp"
#include "loupe/trial/trial.hpp"
#include "support/catch.hpp"
#include "support/fake_run.hpp"

using namespace loupe::rules;
using loupe::Mode;

namespace {

constexpr std::int64_t second = 1'000'000'000;
using MemoryTrial = loupe::Trial<loupe::MemoryStorage, loupe::ManualClock>;

/// A run in memory whose tensor `a` is the number of its step, the trial over it, and a rule that fires at some steps.
struct Watched {
  explicit Watched(double threshold = -1, RuleTerms terms = {}, int workers = 1) {
    run.workers(workers);
    REQUIRE(judge.add(when(any_of(Tensors::matching("^a$"), mean > threshold)).named("Above"), terms));
  }
  loupe::result<EvaluationEnd> evaluate(EvaluationOptions options = {}) {
    const MemoryTrial trial(memory, {.end_delay = 0}, clock);
    return loupe::rules::evaluate(trial, judge, [this](const Firing& firing) { fired.push_back(firing.at.step.value); }, options);
  }

  loupe::MemoryStorage memory;
  FakeRun run{loupe::AnyStorage(memory)};
  loupe::ManualClock clock;
  Judge judge;
  std::vector<std::int64_t> fired;
};
using Numbers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("each step of a run that has ended is judged once, in order") {
  Watched watched(1);
  watched.run.save({0, 3, 1, 7}).end();
  CHECK(watched.evaluate() == EvaluationEnd::no_more_data);
  CHECK(watched.fired == Numbers{3, 7});
  CHECK(watched.judge.record(0).datapoints == 4);
}

TEST_CASE("steps before the first one of interest and from the end on are left out") {
  Watched watched;
  watched.run.save({0, 1, 2, 3, 4}).end();
  CHECK(watched.evaluate({.start_step = 1, .end_step = 3}) == EvaluationEnd::end_step);
  CHECK(watched.fired == Numbers{1, 2});
  Watched by_rule(-1, {.start_step = 3, .end_step = 4});
  by_rule.run.save({0, 1, 2, 3, 4}).end();
  CHECK(by_rule.evaluate() == EvaluationEnd::rules_ended);
  CHECK(by_rule.fired == Numbers{3});
}

TEST_CASE("a rule that ends at its first firing ends the evaluation, if it is the only one") {
  Watched watched(0, {.ends_at_first_firing = true});
  watched.run.save({0, 1, 2}).end();
  CHECK(watched.evaluate() == EvaluationEnd::rules_ended);
  CHECK(watched.fired == Numbers{1});
}

TEST_CASE("a run that is written is followed to its end, without a wait of a fixed length") {
  Watched watched;
  watched.run.save({0});
  std::int64_t next = 1;
  watched.clock.on_wait([&] {
    if (next < 4) watched.run.save({next++});
    else watched.run.end();
  });
  CHECK(watched.evaluate() == EvaluationEnd::no_more_data);
  CHECK(watched.fired == Numbers{0, 1, 2, 3});
}

TEST_CASE("without following what is there is judged, and the rest later") {
  Watched watched;
  watched.run.save({0});
  const MemoryTrial trial(watched.memory, {.end_delay = 0}, watched.clock);
  Evaluation evaluation(*trial.core(), watched.judge, {.follows = false});
  const auto note = [&](const Firing& firing) { watched.fired.push_back(firing.at.step.value); };
  CHECK(evaluation.run(note) == EvaluationEnd::caught_up);
  CHECK(evaluation.next_step() == 1);
  watched.run.save({1});
  CHECK(evaluation.run(note) == EvaluationEnd::caught_up);
  CHECK(watched.fired == Numbers{0, 1});
}

TEST_CASE("a step that a worker hasn't written yet waits until the run has ended") {
  Watched watched(-1, {}, 2);
  watched.run.save({0}, {"worker_0", "worker_1"}).save({1, 2}, {"worker_0"});
  CHECK(watched.evaluate({.follows = false}) == EvaluationEnd::caught_up);
  CHECK(watched.fired == Numbers{0});
  watched.run.end();
  CHECK(watched.evaluate({.start_step = 1}) == EvaluationEnd::no_more_data);
  CHECK(watched.fired == Numbers{0, 1, 2});
}

TEST_CASE("a rule looks at tensors in the order in which the step saved them, worker by worker") {
  Watched watched;
  watched.run.workers(2);
  for (const char* worker : {"worker_1", "worker_0"}) {
    auto step = watched.run.step(0, worker);
    step.tensor("z", {1.0F}).tensor("b", {1.0F}).tensor("a", {1.0F}).write();
  }
  watched.run.end();
  Judge judge;
  std::vector<std::string> seen;
  const auto look = tensor_is(wants_elements(), [&](const Evidence& tensor) {
    seen.push_back(std::string(tensor.worker) + " " + std::string(tensor.tensor.name));
    return false;
  });
  REQUIRE(judge.add(when(any_of(Tensors(), look)).named("Look")));
  const MemoryTrial trial(watched.memory, {.end_delay = 0}, watched.clock);
  REQUIRE(evaluate(trial, judge, [](const Firing&) {}));
  CHECK(seen == std::vector<std::string>{"worker_0 z", "worker_0 b", "worker_0 a", "worker_1 z", "worker_1 b", "worker_1 a"});
}

TEST_CASE("the wait for steps can be interrupted") {
  Watched watched;
  watched.run.save({0});
  loupe::Interrupt interrupt;
  watched.clock.on_wait([&] { interrupt.request(); });
  const MemoryTrial trial(watched.memory, {.interrupt = &interrupt}, watched.clock);
  const auto outcome = evaluate(trial, watched.judge, [](const Firing&) {});
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == loupe::ErrorKind::cancelled);
}

TEST_CASE("a tensor that can't be read is told and the others are judged") {
  Watched watched;
  watched.run.step(0).tensor("a", {1.0F}).entry("broken", 1'000'000, 20).write();
  watched.run.end();
  REQUIRE(watched.judge.add(exploding_tensor()));
  const MemoryTrial trial(watched.memory, {.end_delay = 0}, watched.clock);
  Evaluation evaluation(*trial.core(), watched.judge);
  CHECK(evaluation.run([&](const Firing& firing) { watched.fired.push_back(firing.at.step.value); }) == EvaluationEnd::no_more_data);
  CHECK(watched.fired == Numbers{0});
  REQUIRE(evaluation.problems().size() == 1);
  CHECK(evaluation.problems()[0].object == "broken");
}

TEST_CASE("a run whose process is gone is judged as far as it goes") {
  Watched watched;
  watched.run.save({0, 1}).put(loupe::format::claim_key, "loupe pid 999999999999 start 1 host nowhere\n");
  watched.clock.on_wait([&] {
    if (watched.clock.waits() > 5)
      watched.run.put(loupe::format::claim_key, loupe::ClaimOwner{INT64_MAX / 2, 1, loupe::ClaimOwner::this_process().host}.line().view());
  });
  CHECK(watched.evaluate() == EvaluationEnd::writer_died);
  CHECK(watched.fired == Numbers{0, 1});
}
