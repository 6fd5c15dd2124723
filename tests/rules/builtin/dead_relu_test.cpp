#include "loupe/rules/builtin/dead_relu.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::rules::dead_relu;

TEST_CASE("a layer is dead if more than half of its units are, not if just half are") {
  StepStage stage(dead_relu());
  CHECK_FALSE(stage.step().show("relu_output", std::vector<float>{0, 0, 0, 1, 0, 0, 0, 0}, {4, 2}).fires());
  CHECK(stage.step().show("relu_output", std::vector<float>(8, 0.0F), {4, 2}).fires());
  CHECK(stage.violation().value == 100);
  CHECK(stage.violation().threshold == 50);
}

TEST_CASE("a unit is dead if it is active in less than so many percent of the samples") {
  const std::vector<float> once{1, 0, 0, 0};
  CHECK_FALSE(StepStage(dead_relu({.threshold_inactivity = 25})).step().show("relu_output", once, {4, 1}).fires());
  CHECK(StepStage(dead_relu({.threshold_inactivity = 26})).step().show("relu_output", once, {4, 1}).fires());
}

TEST_CASE("negative zero, NaN and negative outputs are not active") {
  const std::vector<float> outputs{-0.0F, std::numeric_limits<float>::quiet_NaN(), -1};
  CHECK(StepStage(dead_relu()).step().show("relu_output", outputs).fires());
}

TEST_CASE("samples of several steps are counted together if the window says so") {
  StepStage stage(dead_relu({.window_steps = 2}));
  CHECK_FALSE(stage.step().show("relu_output", std::vector<float>{1, 1}, {1, 2}).fires());
  CHECK_FALSE(stage.step().show("relu_output", std::vector<float>{0, 0}, {1, 2}).fires());
  CHECK(stage.step().show("relu_output", std::vector<float>{0, 0}, {1, 2}).fires());
}

TEST_CASE("each worker's layer is judged by itself, and an empty one not at all") {
  StepStage stage(dead_relu());
  CHECK(stage.step().show("relu_output", std::vector<float>{1}, {}, "worker_0").show("relu_output", std::vector<float>{0}, {}, "worker_1").fires());
  CHECK(stage.violation().worker == "worker_1");
  CHECK_FALSE(stage.step().show("relu_output", std::vector<float>{}, {0, 4}).fires());
  CHECK(stage.record().datapoints == 2);
}
