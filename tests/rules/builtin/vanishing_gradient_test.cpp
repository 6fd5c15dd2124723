#include "loupe/rules/builtin/vanishing_gradient.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::rules::vanishing_gradient;

namespace {

bool fires(double threshold, const std::vector<double>& gradient) {
  StepStage stage(vanishing_gradient({.threshold = threshold}));
  return stage.in("gradients", "g").step().show("g", gradient).fires();
}

}  // namespace

TEST_CASE("a gradient vanishes whose mean absolute value is strictly below the threshold") {
  CHECK(fires(1e-7, {1e-8, -1e-8}));
  CHECK_FALSE(fires(1e-7, {1e-7, -1e-7}));
  CHECK_FALSE(fires(1e-7, std::vector<double>(10, 1e308)));
  CHECK(fires(1e-300, {0, 0}));
  CHECK_FALSE(fires(0, {0, 0}));
}

TEST_CASE("a gradient with a NaN doesn't vanish, and the user is told") {
  StepStage stage(vanishing_gradient());
  stage.in("gradients", "g");
  CHECK_FALSE(stage.step().show("g", std::vector<float>{0, std::numeric_limits<float>::quiet_NaN()}).fires());
  CHECK_FALSE(stage.step().show("g", std::vector<float>{0, std::numeric_limits<float>::quiet_NaN()}).fires());
  REQUIRE(stage.record().warnings.size() == 1);
}

TEST_CASE("each gradient is judged by itself, others are not looked at") {
  StepStage stage(vanishing_gradient());
  stage.in("gradients", "a").in("gradients", "b");
  CHECK(stage.step().show("w", 0.0).show("a", 1.0).show("b", 0.0).fires());
  CHECK(stage.firing().total == 1);
  CHECK(stage.violation().tensor == "b");
  CHECK(stage.violation().worker == "worker_0");
  CHECK(stage.violation().value == 0);
  CHECK(stage.violation().threshold == 1e-7);
  CHECK(stage.record().datapoints == 2);
}

TEST_CASE("a saved mean of absolute values is as good as the gradient, another reduction is none") {
  StepStage stage(vanishing_gradient());
  stage.in("gradients", "g");
  CHECK(stage.step().show_reduced("g", {{loupe::Statistic::abs_mean, 1e-9}}).fires());
  CHECK_FALSE(stage.step().show_reduced("g", {{loupe::Statistic::l2, 0}}).fires());
  CHECK(stage.record().datapoints == 1);
}
