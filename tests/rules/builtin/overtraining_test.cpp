#include "loupe/rules/builtin/overtraining.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::Mode;
using loupe::rules::overtraining;

namespace {

StepStage stage_of(loupe::rules::OvertrainingParameters parameters = {}) {
  StepStage stage(overtraining(parameters));
  stage.in("losses", "loss");
  return stage;
}

}  // namespace

TEST_CASE("a loss that stalls in training only doesn't fire, one that stalls in both does") {
  StepStage stage = stage_of({.patience_train = 2, .patience_validation = 2});
  double validation = 10;
  for (int round = 0; round < 6; ++round) {
    CHECK_FALSE(stage.step(Mode::train).show("loss", 1.0).fires());
    CHECK_FALSE(stage.step(Mode::eval).show("loss", validation -= 1).fires());
  }
  CHECK_FALSE(stage.step(Mode::eval).show("loss", validation).fires());
  CHECK(stage.step(Mode::eval).show("loss", validation).fires());
  CHECK(stage.step(Mode::train).show("loss", 1.0).fires());
}

TEST_CASE("without validation the rule can't fire") {
  StepStage stage = stage_of({.patience_train = 1, .patience_validation = 1});
  for (int step = 0; step < 5; ++step) CHECK_FALSE(stage.step(Mode::train).show("loss", 1.0).fires());
}

TEST_CASE("an improvement of less than delta is none, and neither is a loss that is not finite") {
  StepStage stage = stage_of({.patience_train = 1, .patience_validation = 2, .delta = 0.5});
  CHECK_FALSE(stage.step(Mode::train).show("loss", 2.0).fires());
  CHECK_FALSE(stage.step(Mode::train).show("loss", 1.6).fires());
  CHECK_FALSE(stage.step(Mode::eval).show("loss", 2.0).fires());
  CHECK_FALSE(stage.step(Mode::eval).show("loss", -std::numeric_limits<double>::infinity()).fires());
  CHECK(stage.step(Mode::eval).show("loss", 1.6).fires());
  CHECK_FALSE(stage.step(Mode::eval).show("loss", 1.4).fires());
}
