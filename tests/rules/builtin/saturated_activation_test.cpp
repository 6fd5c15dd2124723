#include "loupe/rules/builtin/saturated_activation.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::rules::saturated_activation;

TEST_CASE("a tanh layer is saturated if the inputs of more than half of its nodes lie where it is flat") {
  StepStage stage(saturated_activation());
  CHECK(stage.step().show("tanh_input", std::vector<float>{10, 10, 10, 0, 10, 10, 10, 0}, {2, 4}).fires());
  CHECK(stage.violation().value == 75);
  CHECK_FALSE(stage.step().show("tanh_input", std::vector<float>{10, 10, 0, 0, 10, 10, 0, 0}, {2, 4}).fires());
}

TEST_CASE("which limits hold is told by the layer's name") {
  const std::vector<float> twelve{12, -12};
  CHECK(StepStage(saturated_activation()).step().show("tanh_input", twelve).fires());
  CHECK_FALSE(StepStage(saturated_activation()).step().show("sigmoid_input", twelve).fires());
  CHECK(StepStage(saturated_activation()).step().show("sigmoid_input", std::vector<float>{17, -23}).fires());
  StepStage other(saturated_activation({.tensors = {.tensor_regex = {"input"}}}));
  CHECK_FALSE(other.step().show("relu_input", std::vector<float>{100}).fires());
  CHECK(other.record().warnings.size() == 1);
  CHECK(other.record().datapoints == 0);
}

TEST_CASE("inputs that are not finite are not active, and the reason says so") {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  StepStage stage(saturated_activation());
  CHECK(stage.step().show("tanh_input", std::vector<float>{infinity, -infinity, std::numeric_limits<float>::quiet_NaN()}).fires());
  CHECK(stage.violation().reason.view().find("not finite") != std::string_view::npos);
}

TEST_CASE("limits that leave no room are refused") {
  loupe::rules::Judge judge;
  const auto refused = judge.add(saturated_activation({.threshold_tanh_min = 1, .threshold_tanh_max = 1}));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == loupe::ErrorKind::invalid_argument);
}
