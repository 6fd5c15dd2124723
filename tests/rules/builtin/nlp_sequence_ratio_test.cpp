#include "loupe/rules/builtin/nlp_sequence_ratio.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::rules::nlp_sequence_ratio;
using Tokens = std::vector<std::int64_t>;

namespace {

bool fires(const Tokens& tokens, loupe::rules::NLPSequenceRatioParameters parameters = {}) {
  return StepStage(nlp_sequence_ratio(std::move(parameters))).step().show("embedding0_input_0", tokens).fires();
}

}  // namespace

TEST_CASE("more than half of the tokens being padding fires, half doesn't") {
  CHECK_FALSE(fires({0, 0, 5, 7}));
  CHECK(fires({0, 0, 0, 5}));
}

TEST_CASE("each token has a threshold of its own") {
  CHECK(fires({1, 2, 3, 4}, {.token_values = {0, 2}, .token_thresholds_percent = {50, 20}}));
  CHECK_FALSE(fires({1, 2, 3, 4}, {.token_values = {0, 2}, .token_thresholds_percent = {50, 25}}));
  loupe::rules::Judge judge;
  CHECK_FALSE(judge.add(nlp_sequence_ratio({.token_values = {0, 1}})));
}

TEST_CASE("numbers are compared exactly, NaN with nothing") {
  CHECK_FALSE(fires({9007199254740993}, {.token_values = {9007199254740992.0}}));
  StepStage stage(nlp_sequence_ratio());
  CHECK_FALSE(stage.step().show("embedding0_input_0", std::vector<float>{std::numeric_limits<float>::quiet_NaN()}).fires());
  CHECK(stage.step().show("embedding0_input_0", std::vector<float>{0, -0.0F, 1}).fires());
}
