#include "loupe/rules/builtin/loss_not_decreasing.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::Mode;
using loupe::rules::loss_not_decreasing;

namespace {

StepStage stage_of(loupe::rules::LossNotDecreasingParameters parameters = {}) {
  StepStage stage(loss_not_decreasing(std::move(parameters)));
  stage.in("losses", "loss");
  return stage;
}

/// Whether a loss fires that goes from one value to another in ten steps.
bool fires(double before, double after) {
  StepStage stage = stage_of();
  for (std::int64_t step = 0; step < 19; ++step) CHECK_FALSE(stage.step_at(step).show("loss", before).fires());
  return stage.step_at(19).show("loss", after).fires();
}

}  // namespace

TEST_CASE("losses saved every third step are compared at 21 with 9, at 33 with 21") {
  StepStage stage = stage_of();
  std::vector<std::string> compared;
  for (std::int64_t step = 0; step <= 36; step += 3)
    if (stage.step_at(step).show("loss", 1.0).fires())
      compared.push_back(std::to_string(step) + ": " + std::string(stage.violation().reason.view()));
  REQUIRE(compared.size() == 2);
  CHECK(compared[0].starts_with("21: "));
  CHECK(compared[0].ends_with("since step 9"));
  CHECK(compared[1].starts_with("33: "));
  CHECK(compared[1].ends_with("since step 21"));
}

TEST_CASE("a loss must fall by diff_percent, unless it rises by no more than is let pass") {
  CHECK(fires(100, 99.95));
  CHECK_FALSE(fires(100, 99.8));
  CHECK_FALSE(fires(100, 104));
  CHECK(fires(100, 106));
  CHECK(fires(0, 0));
  CHECK(fires(0, 1e-9));
  CHECK_FALSE(fires(-1, -2));
}

TEST_CASE("a loss that is not finite fires, one that was not is no partner") {
  CHECK(fires(1, std::numeric_limits<double>::quiet_NaN()));
  CHECK(fires(1, std::numeric_limits<double>::infinity()));
  CHECK_FALSE(fires(std::numeric_limits<double>::quiet_NaN(), 1));
}

TEST_CASE("the mode is EVAL, else TRAIN, else all steps, from two steps of the loss on, or the one that is given") {
  StepStage train = stage_of({.num_steps = 1});
  CHECK_FALSE(train.step(Mode::train).show("loss", 1.0).fires());
  CHECK(train.step(Mode::train).show("loss", 1.0).fires());
  CHECK_FALSE(train.step(Mode::eval).show("loss", 1.0).fires());
  CHECK(train.step(Mode::eval).show("loss", 1.0).fires());
  CHECK_FALSE(train.step(Mode::train).show("loss", 1.0).fires());
  StepStage given = stage_of({.num_steps = 1, .mode = "TRAIN"});
  CHECK_FALSE(given.step(Mode::eval).show("loss", 1.0).fires());
  CHECK_FALSE(given.step(Mode::eval).show("loss", 1.0).fires());
  CHECK_FALSE(given.step(Mode::train).show("loss", 1.0).fires());
  CHECK(given.step(Mode::train).show("loss", 1.0).fires());
}

TEST_CASE("a loss of several numbers is not judged, and told once") {
  StepStage stage = stage_of({.num_steps = 1});
  for (int step = 0; step < 3; ++step) CHECK_FALSE(stage.step().show("loss", std::vector<float>{1, 1}).fires());
  CHECK(stage.record().warnings.size() == 1);
  CHECK(stage.record().datapoints == 0);
}

TEST_CASE("without a choice of tensors and without the losses collection there is nothing to look at") {
  loupe::rules::Judge judge;
  const auto refused = judge.add(loss_not_decreasing({.use_losses_collection = false}));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == loupe::ErrorKind::insufficient_information_for_rule_invocation);
  CHECK_FALSE(judge.add(loss_not_decreasing({.diff_percent = 0})));
  CHECK_FALSE(judge.add(loss_not_decreasing({.mode = "PREDICT"})));
}
