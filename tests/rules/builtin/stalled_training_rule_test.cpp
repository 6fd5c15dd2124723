#include "loupe/rules/builtin/stalled_training_rule.hpp"

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::rules::stalled_training_rule;

namespace {

constexpr std::int64_t second = 1'000'000'000;

}  // namespace

TEST_CASE("a run without a new step for longer than the threshold fires once") {
  StepStage stage(stalled_training_rule({.threshold = 10}));
  CHECK(stage.judge().idle(100 * second).empty());
  CHECK(stage.judge().idle(110 * second).empty());
  REQUIRE(stage.judge().idle(111 * second).size() == 1);
  CHECK(stage.judge().idle(200 * second).empty());
  CHECK(stage.record().last->violations[0].value == 11);
  CHECK(stage.record().has_ended);
}

TEST_CASE("each new step starts the clock afresh") {
  StepStage stage(stalled_training_rule({.threshold = 10}));
  CHECK(stage.judge().idle(0).empty());
  CHECK_FALSE(stage.step().fires());
  CHECK(stage.judge().idle(50 * second).empty());
  CHECK(stage.judge().idle(60 * second).empty());
  CHECK(stage.judge().idle(61 * second).size() == 1);
}

TEST_CASE("to stop a training its name must be known") {
  loupe::rules::Judge judge;
  CHECK_FALSE(judge.add(stalled_training_rule({.stop_training_on_fire = true})));
  CHECK(judge.add(stalled_training_rule({.stop_training_on_fire = true, .training_job_name_prefix = "job"})));
}
