#include "loupe/rules/builtin/tensor_variance.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::Statistic;
using loupe::rules::tensor_variance;
using loupe::rules::TensorVarianceParameters;

namespace {

TensorVarianceParameters limits(std::optional<double> most, std::optional<double> least) {
  return {.tensors = {.tensor_regex = {"t"}}, .max_threshold = most, .min_threshold = least};
}

}  // namespace

TEST_CASE("a variance above or below its limit fires, also of large numbers close together") {
  const std::vector<double> numbers{1e8, 1e8 + 1, 1e8 + 2};
  StepStage high(tensor_variance(limits(0.66, {})));
  CHECK(high.step().show("t", numbers).fires());
  CHECK(high.violation().value == Approx(2.0 / 3).epsilon(1e-9));
  StepStage low(tensor_variance(limits({}, 0.67)));
  CHECK(low.step().show("t", numbers).fires());
  CHECK(low.violation().threshold == 0.67);
  CHECK_FALSE(StepStage(tensor_variance(limits(0.67, 0.66))).step().show("t", numbers).fires());
}

TEST_CASE("a single number and numbers that are not finite have no variance to judge") {
  StepStage stage(tensor_variance(limits({}, 1)));
  CHECK_FALSE(stage.step().show("t", 3.0).fires());
  CHECK_FALSE(stage.step().show("t", std::vector<double>{1, std::numeric_limits<double>::infinity()}).fires());
  CHECK(stage.record().warnings.size() == 1);
}

TEST_CASE("a saved variance, or a saved standard deviation, is as good as the tensor") {
  StepStage stage(tensor_variance(limits(3, {})));
  CHECK(stage.step().show_reduced("t", {{Statistic::variance, 4}}).fires());
  CHECK(stage.step().show_reduced("t", {{Statistic::std, 2}}).fires());
  CHECK_FALSE(stage.step().show_reduced("t", {{Statistic::std, 1}}).fires());
}

TEST_CASE("without tensors or without limits there is nothing to judge by") {
  loupe::rules::Judge judge;
  for (const auto& parameters : {TensorVarianceParameters{.max_threshold = 1}, limits({}, {})}) {
    const auto refused = judge.add(tensor_variance(parameters));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == loupe::ErrorKind::insufficient_information_for_rule_invocation);
  }
}
