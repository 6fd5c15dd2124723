#include "loupe/rules/builtin/unchanged_tensor.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::rules::unchanged_tensor;

namespace {

StepStage stage_of(loupe::rules::UnchangedTensorParameters parameters = {}) {
  parameters.tensors = {.tensor_regex = {"t"}};
  return StepStage(unchanged_tensor(std::move(parameters)));
}

}  // namespace

TEST_CASE("a tensor is unchanged at the third step at which it is the same, whichever steps those are") {
  StepStage stage = stage_of();
  CHECK_FALSE(stage.step_at(0).show("t", 1.0).fires());
  CHECK_FALSE(stage.step_at(10).show("t", 1.0).fires());
  CHECK_FALSE(stage.step_at(11).show("other", 1.0).fires());
  CHECK(stage.step_at(20).show("t", 1.0).fires());
  CHECK(stage.violation().reason.view().find("since step 0") != std::string_view::npos);
  CHECK(stage.step_at(21).show("t", 1.0).fires());
  CHECK_FALSE(stage.step_at(22).show("t", 2.0).fires());
}

TEST_CASE("a slow drift is a change once it is beyond the tolerance") {
  StepStage stage = stage_of({.num_steps = 3, .closeness = {.rtol = 0, .atol = 1}});
  CHECK_FALSE(stage.step().show("t", 0.0).fires());
  CHECK_FALSE(stage.step().show("t", 0.75).fires());
  CHECK_FALSE(stage.step().show("t", 1.5).fires());
  CHECK(stage.step().show("t", 1.5).fires());
}

TEST_CASE("NaN is equal to NaN only if that is asked for") {
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  const auto third_fires = [&](bool equal_nan) {
    StepStage stage = stage_of({.closeness = {.equal_nan = equal_nan}});
    stage.step().show("t", not_a_number).fires();
    stage.step().show("t", not_a_number).fires();
    return stage.step().show("t", not_a_number).fires();
  };
  CHECK_FALSE(third_fires(false));
  CHECK(third_fires(true));
}

TEST_CASE("workers are not compared with one another, nor tensors of different shapes") {
  StepStage stage = stage_of({.num_steps = 2});
  CHECK_FALSE(stage.step().show("t", 1.0, "worker_0").fires());
  CHECK_FALSE(stage.step().show("t", 1.0, "worker_1").fires());
  CHECK_FALSE(stage.step().show("t", std::vector<double>{1}, {1}, "worker_0").fires());
}
