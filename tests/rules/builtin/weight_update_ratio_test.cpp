#include "loupe/rules/builtin/weight_update_ratio.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::Mode;
using loupe::rules::weight_update_ratio;
using Weights = std::vector<double>;

namespace {

StepStage stage_of(loupe::rules::WeightUpdateRatioParameters parameters = {}) {
  StepStage stage(weight_update_ratio(parameters));
  stage.in("weights", "w");
  return stage;
}

/// Whether the step from one value to another fires.
bool fires(const Weights& before, const Weights& after) {
  StepStage stage = stage_of();
  CHECK_FALSE(stage.step().show("w", before).fires());
  return stage.step().show("w", after).fires();
}

}  // namespace

TEST_CASE("a weight fires that doesn't change, or by more than ten times itself") {
  CHECK(fires({1, 1}, {1, 1}));
  CHECK(fires({1, 1}, {12, 12}));
  CHECK(fires({0, 0}, {1, 1}));
  CHECK_FALSE(fires({1, 1}, {1.1, 0.9}));
  CHECK_FALSE(fires({1, 1}, {11, 11}));
}

TEST_CASE("a weight that is not finite doesn't fire, nor one whose shape has changed") {
  CHECK_FALSE(fires({1, 1}, {1, std::numeric_limits<double>::quiet_NaN()}));
  CHECK_FALSE(fires({1, std::numeric_limits<double>::infinity()}, {1, 1}));
  CHECK_FALSE(fires({1, 1}, {1, 1, 1}));
}

TEST_CASE("the partner is the last step, or the earliest one within num_steps") {
  StepStage last = stage_of();
  CHECK_FALSE(last.step_at(0).show("w", 1.0).fires());
  CHECK_FALSE(last.step_at(3).show("w", 2.0).fires());
  CHECK(last.step_at(6).show("w", 2.0).fires());
  StepStage window = stage_of({.num_steps = 6});
  CHECK_FALSE(window.step_at(0).show("w", 1.0).fires());
  CHECK_FALSE(window.step_at(3).show("w", 2.0).fires());
  CHECK_FALSE(window.step_at(6).show("w", 2.0).fires());
  CHECK(window.step_at(9).show("w", 2.0).fires());
  CHECK(window.violation().reason.view().find("since step 3") != std::string_view::npos);
}

TEST_CASE("from the first TRAIN step on only TRAIN steps count") {
  StepStage stage = stage_of();
  CHECK_FALSE(stage.step(Mode::eval).show("w", 1.0).fires());
  CHECK_FALSE(stage.step(Mode::train).show("w", 1.0).fires());
  CHECK_FALSE(stage.step(Mode::eval).show("w", 1.0).fires());
  CHECK(stage.step(Mode::train).show("w", 1.0).fires());
}

TEST_CASE("thresholds the wrong way round are refused") {
  loupe::rules::Judge judge;
  CHECK_FALSE(judge.add(weight_update_ratio({.large_threshold = 1, .small_threshold = 1})));
}
