#include "loupe/rules/builtin/all_zero.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::Statistic;
using loupe::rules::all_zero;

namespace {

StepStage stage_of(double threshold) { return StepStage(all_zero({.tensors = {.tensor_regex = {"t"}}, .threshold = threshold})); }

}  // namespace

TEST_CASE("a tensor of zeros of either sign is all zero") {
  CHECK(stage_of(100).step().show("t", std::vector<float>{0, -0.0F, 0}).fires());
  CHECK_FALSE(stage_of(100).step().show("t", std::vector<float>{0, std::numeric_limits<float>::denorm_min()}).fires());
  CHECK_FALSE(stage_of(100).step().show("t", std::vector<float>{0, std::numeric_limits<float>::quiet_NaN()}).fires());
  CHECK(stage_of(100).step().show("t", std::vector<int>{0, 0}).fires());
}

TEST_CASE("the part of zeros is compared without rounding") {
  CHECK(stage_of(66).step().show("t", std::vector<float>{0, 0, 1}).fires());
  CHECK_FALSE(stage_of(67).step().show("t", std::vector<float>{0, 0, 1}).fires());
}

TEST_CASE("a saved reduction tells a tensor that is zero throughout, and no other") {
  StepStage all = stage_of(100);
  CHECK(all.step().show_reduced("t", {{Statistic::l1, 0}}).fires());
  CHECK_FALSE(all.step().show_reduced("t", {{Statistic::abs_max, 1}}).fires());
  StepStage half = stage_of(50);
  CHECK(half.step().show_reduced("t", {{Statistic::abs_max, 0}}).fires());
  CHECK_FALSE(half.step().show_reduced("t", {{Statistic::abs_max, 1}}).fires());
  CHECK(half.record().datapoints == 1);
}

TEST_CASE("an empty tensor is not judged, and a threshold of 0 is refused") {
  StepStage stage = stage_of(100);
  CHECK_FALSE(stage.step().show("t", std::vector<float>{}).fires());
  CHECK(stage.record().datapoints == 0);
  loupe::rules::Judge judge;
  CHECK_FALSE(judge.add(all_zero({.tensors = {.tensor_regex = {"t"}}, .threshold = 0})));
}
