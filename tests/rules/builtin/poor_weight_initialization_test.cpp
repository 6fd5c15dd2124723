#include "loupe/rules/builtin/poor_weight_initialization.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::rules::poor_weight_initialization;
using loupe::rules::PoorWeightInitializationParameters;

namespace {

/// Numbers of a population variance.
std::vector<double> of_variance(double variance) { return {-std::sqrt(variance), std::sqrt(variance)}; }

StepStage stage_of(PoorWeightInitializationParameters parameters = {}) {
  StepStage stage(poor_weight_initialization(std::move(parameters)));
  stage.in("gradients", "g").in("losses", "loss");
  return stage;
}

}  // namespace

TEST_CASE("layers differ too much if one's variance is more than ten times another's") {
  StepStage stage = stage_of();
  CHECK(stage.step().show("a/relu_input", of_variance(1)).show("b/relu_input", of_variance(11)).fires());
  CHECK(stage.violation().tensor == "b/relu_input");
  CHECK(stage.violation().value == Approx(11));
  CHECK_FALSE(stage.step().show("a/relu_input", of_variance(1)).show("b/relu_input", of_variance(9)).fires());
  CHECK_FALSE(stage.step().show("a/relu_input", of_variance(1)).fires());
  CHECK(stage.step().show("a/relu_input", of_variance(0)).show("b/relu_input", of_variance(1)).fires());
  CHECK_FALSE(stage.step().show("a/relu_input", of_variance(0)).show("b/relu_input", of_variance(0)).fires());
}

TEST_CASE("layers of different workers are not compared, and one that is not finite is left out") {
  StepStage stage = stage_of();
  CHECK_FALSE(stage.step().show("a/relu_input", of_variance(1), {}, "worker_0").show("b/relu_input", of_variance(11), {}, "worker_1").fires());
  const std::vector<double> infinite{1, std::numeric_limits<double>::infinity()};
  CHECK_FALSE(stage.step().show("a/relu_input", of_variance(1)).show("b/relu_input", infinite).fires());
  CHECK(stage.record().warnings.size() == 1);
}

TEST_CASE("a gradient is too narrow by its percentiles, whatever its extremes") {
  std::vector<float> narrow(100, 0.0F);
  narrow[0] = 1;
  StepStage stage = stage_of();
  CHECK(stage.step().show("g", narrow).fires());
  CHECK(stage.violation().value == 0);
  CHECK_FALSE(stage.step().show("g", std::vector<float>{-0.001F, 0, 0.001F}).fires());
}

TEST_CASE("a loss without a new minimum for so many steps fires") {
  StepStage stage = stage_of({.patience = 2});
  CHECK_FALSE(stage.step().show("loss", 1.0).fires());
  CHECK_FALSE(stage.step().show("loss", 1.0).fires());
  CHECK(stage.step().show("loss", std::numeric_limits<double>::quiet_NaN()).fires());
  CHECK_FALSE(stage.step().show("loss", 0.5).fires());
}

TEST_CASE("only the first steps with anything to judge are judged") {
  StepStage stage = stage_of({.steps = 2});
  for (int step = 0; step < 5; ++step) CHECK_FALSE(stage.step().show("other", 1.0).fires());
  CHECK(stage.step().show("g", std::vector<float>{0, 0}).fires());
  CHECK(stage.step().show("g", std::vector<float>{0, 0}).fires());
  CHECK(stage.record().has_ended);
  CHECK_FALSE(stage.step().show("g", std::vector<float>{0, 0}).fires());
}
