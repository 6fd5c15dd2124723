#include "loupe/rules/builtin/exploding_tensor.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::Statistic;
using loupe::rules::exploding_tensor;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float no_number = std::numeric_limits<float>::quiet_NaN();

}  // namespace

TEST_CASE("a tensor explodes by an element that is not finite, not by a sum that is too large") {
  StepStage stage(exploding_tensor());
  CHECK_FALSE(stage.step().show("t", std::vector<float>{3e38F, 3e38F}).fires());
  CHECK(stage.step().show("t", std::vector<float>{1, infinity}).fires());
  CHECK(stage.violation().element == 1);
  CHECK(stage.violation().value == 1);
  CHECK(stage.step().show("t", std::vector<float>{no_number, -infinity, no_number}).fires());
  CHECK(stage.violation().element == 0);
  CHECK(stage.violation().value == 3);
  CHECK_FALSE(stage.step().show("t", std::vector<int>{1, 2}).fires());
}

TEST_CASE("infinite elements are let pass if only NaN counts") {
  StepStage stage(exploding_tensor({.only_nan = true}));
  CHECK_FALSE(stage.step().show("t", std::vector<float>{1, infinity}).fires());
  CHECK(stage.step().show("t", std::vector<float>{1, no_number}).fires());
  CHECK(stage.violation().element == 1);
  CHECK(stage.step().show("t", std::vector<float>{infinity, no_number}).fires());
  CHECK_FALSE(stage.violation().element);
}

TEST_CASE("extremes that were saved tell of elements that are not finite, other reductions don't") {
  StepStage stage(exploding_tensor());
  CHECK(stage.step().show_reduced("t", {{Statistic::max, infinity}}).fires());
  CHECK(stage.step().show_reduced("t", {{Statistic::abs_min, no_number}}).fires());
  CHECK_FALSE(stage.step().show_reduced("t", {{Statistic::min, 0}}).fires());
  CHECK(stage.record().datapoints == 3);
  CHECK_FALSE(stage.step().show_reduced("t", {{Statistic::sum, infinity}, {Statistic::l2, no_number}}).fires());
  CHECK(stage.record().datapoints == 3);
}

TEST_CASE("only the chosen tensors are looked at: collections and patterns together") {
  StepStage stage(exploding_tensor({.tensors = {.collection_names = {"weights"}, .tensor_regex = {"^act"}}}));
  stage.in("weights", "w");
  CHECK_FALSE(stage.step().show("g", no_number).fires());
  CHECK(stage.step().show("w", no_number).fires());
  CHECK(stage.step().show("act1", no_number).fires());
}
