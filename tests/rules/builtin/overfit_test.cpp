#include "loupe/rules/builtin/overfit.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::Mode;
using loupe::rules::overfit;

namespace {

StepStage stage_of(loupe::rules::OverfitParameters parameters = {}) {
  StepStage stage(overfit(std::move(parameters)));
  stage.in("losses", "loss");
  return stage;
}

}  // namespace

TEST_CASE("a validation loss a fifth above the training loss fires, at the second such step if there must be two") {
  StepStage stage = stage_of();
  CHECK_FALSE(stage.step(Mode::train).show("loss", 1.0).fires());
  CHECK(stage.step(Mode::eval).show("loss", 1.2).fires());
  CHECK(stage.violation().value == Approx(0.2));
  StepStage patient = stage_of({.patience = 2});
  CHECK_FALSE(patient.step(Mode::train).show("loss", 1.0).fires());
  CHECK_FALSE(patient.step(Mode::eval).show("loss", 1.2).fires());
  CHECK(patient.step(Mode::eval).show("loss", 1.2).fires());
}

TEST_CASE("means are taken of the training steps since the last validation, and of this validation") {
  StepStage stage = stage_of();
  CHECK_FALSE(stage.step(Mode::train).show("loss", 9.0).fires());
  CHECK_FALSE(stage.step(Mode::eval).show("loss", 9.0).fires());
  CHECK_FALSE(stage.step(Mode::train).show("loss", 1.0).fires());
  CHECK_FALSE(stage.step(Mode::train).show("loss", 3.0).fires());
  CHECK_FALSE(stage.step(Mode::eval).show("loss", 2.0).fires());
  CHECK_FALSE(stage.step(Mode::eval).show("loss", 2.3).fires());
  CHECK(stage.step(Mode::eval).show("loss", 2.6).fires());
}

TEST_CASE("without training there is nothing to compare with, and a training loss of 0 is passed by anything") {
  StepStage stage = stage_of();
  CHECK_FALSE(stage.step(Mode::eval).show("loss", 1.0).fires());
  CHECK_FALSE(stage.step(Mode::train).show("loss", 0.0).fires());
  CHECK(stage.step(Mode::eval).show("loss", 1e-9).fires());
  CHECK(stage.violation().value == std::numeric_limits<double>::infinity());
}

TEST_CASE("losses that are not finite are left out of the means") {
  StepStage stage = stage_of();
  CHECK_FALSE(stage.step(Mode::train).show("loss", 1.0).fires());
  CHECK_FALSE(stage.step(Mode::train).show("loss", std::numeric_limits<double>::quiet_NaN()).fires());
  CHECK_FALSE(stage.step(Mode::eval).show("loss", std::numeric_limits<double>::infinity()).fires());
  CHECK(stage.step(Mode::eval).show("loss", 1.2).fires());
  CHECK(stage.record().warnings.size() == 1);
}

TEST_CASE("XGBoost's metrics have their side in their name") {
  StepStage stage(overfit({.tensor_regex = {"rmse"}}));
  CHECK(stage.step().show("train-rmse", 1.0).show("validation-rmse", 1.2).fires());
  CHECK(stage.violation().tensor == "validation-rmse");
}
