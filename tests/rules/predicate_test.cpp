#include "loupe/rules/predicate.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using namespace loupe::rules;
using Floats = std::vector<float>;

namespace {

template <class Condition>
StepStage stage_of(Condition condition) {
  StepStage stage(when(std::move(condition)).named("Test"));
  stage.in("c", "a").in("c", "b").in("d", "x");
  return stage;
}

}  // namespace

TEST_CASE("any, all or so many tensors of a collection meet a condition") {
  const auto large = l2_norm > 10;
  CHECK(stage_of(any_of("c", large)).step().show("a", 1.0).show("b", 11.0).fires());
  CHECK_FALSE(stage_of(any_of("c", large)).step().show("a", 1.0).show("x", 11.0).fires());
  CHECK_FALSE(stage_of(all_of("c", large)).step().show("a", 1.0).show("b", 11.0).fires());
  CHECK(stage_of(all_of("c", large)).step().show("a", 12.0).show("b", 11.0).fires());
  CHECK(stage_of(count_of("c", large) >= 2).step().show("a", 12.0).show("b", 11.0).fires());
  CHECK_FALSE(stage_of(count_of("c", large) > 2).step().show("a", 12.0).show("b", 11.0).fires());
  CHECK(stage_of(count_of("c", large) < 1).step().show("a", 1.0).fires());
  CHECK(stage_of(count_of("c", large) <= 1).step().show("a", 1.0).fires());
}

TEST_CASE("what fired is told with the tensor, the number and the threshold") {
  StepStage stage = stage_of(any_of("c", mean >= 2));
  CHECK(stage.step().show("a", 1.0).show("b", Floats{1, 3}).fires());
  CHECK(stage.violation().tensor == "b");
  CHECK(stage.violation().value == 2);
  CHECK(stage.violation().threshold == 2);
}

TEST_CASE("conditions on a tensor are put together by and, or, not") {
  const auto between = mean > 0 && mean < 2;
  CHECK(stage_of(any_of("c", between)).step().show("a", 1.0).fires());
  CHECK_FALSE(stage_of(any_of("c", between)).step().show("a", 3.0).fires());
  CHECK(stage_of(any_of("c", mean < 0 || mean > 2)).step().show("a", 3.0).fires());
  CHECK(stage_of(any_of("c", !(mean < 0))).step().show("a", 3.0).fires());
  CHECK_FALSE(stage_of(any_of("c", !(mean < 0))).step().show("a", -3.0).fires());
}

TEST_CASE("measures of one tensor are put together, NaN meets no comparison") {
  CHECK(stage_of(any_of("c", maximum - minimum > 2)).step().show("a", Floats{0, 3}).fires());
  CHECK(stage_of(any_of("c", l1_norm / l2_norm <= 1)).step().show("a", Floats{0, 3}).fires());
  CHECK(stage_of(any_of("c", mean + mean * mean >= 6)).step().show("a", 2.0).fires());
  CHECK(stage_of(any_of("c", fraction_zero >= 0.5)).step().show("a", Floats{0, 3}).fires());
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(stage_of(any_of("c", mean > 0 || mean <= 0)).step().show("a", not_a_number).fires());
  CHECK(stage_of(any_of("c", fraction_nan > 0)).step().show("a", not_a_number).fires());
}

TEST_CASE("a change is that since the last step that had the tensor, of each worker's own") {
  StepStage stage = stage_of(any_of("c", change(mean) > 1));
  CHECK_FALSE(stage.step().show("a", 5.0).fires());
  CHECK_FALSE(stage.step().show("b", 1.0).fires());
  CHECK_FALSE(stage.step().show("a", 9.0, "worker_1").fires());
  CHECK(stage.step().show("a", 7.0).fires());
  CHECK(stage.violation().value == 2);
  CHECK_FALSE(stage.step().show("a", 7.0).fires());
}

TEST_CASE("conditions on a step are put together by and, or, not, where nothing was seen nothing is said") {
  const auto one = any_of("c", mean > 0);
  const auto other = any_of("d", mean > 0);
  CHECK(stage_of(one && other).step().show("a", 1.0).show("x", 1.0).fires());
  CHECK_FALSE(stage_of(one && other).step().show("a", 1.0).fires());
  CHECK(stage_of(one || other).step().show("a", 1.0).fires());
  CHECK_FALSE(stage_of(!one).step().show("a", 1.0).fires());
  CHECK(stage_of(!one).step().show("a", 0.0).fires());
  CHECK_FALSE(stage_of(!one).step().show("x", 0.0).fires());
  CHECK(stage_of(!one && other).step().show("a", 0.0).show("x", 1.0).fires());
}

TEST_CASE("a condition for several steps must be met in a row, steps without data don't count") {
  StepStage stage(when(any_of("c", mean > 0)).for_steps(3).named("Test"));
  stage.in("c", "a");
  CHECK_FALSE(stage.step().show("a", 1.0).fires());
  CHECK_FALSE(stage.step().show("a", 1.0).fires());
  CHECK_FALSE(stage.step().fires());
  CHECK(stage.step().show("a", 1.0).fires());
  CHECK(stage.step().show("a", 1.0).fires());
  CHECK_FALSE(stage.step().show("a", 0.0).fires());
  CHECK_FALSE(stage.step().show("a", 1.0).fires());
  Judge judge;
  CHECK_FALSE(judge.add(when(any_of("c", mean > 0)).for_steps(0).named("Test")));
}

TEST_CASE("a condition may be a callable") {
  const auto has_one = tensor_is(wants_elements(), [](const Evidence& tensor) { return tensor.value.size() == 1; });
  CHECK(stage_of(any_of("c", has_one)).step().show("a", 1.0).fires());
  CHECK_FALSE(stage_of(any_of("c", has_one)).step().show("a", Floats{1, 2}).fires());
  const auto unsure = tensor_is(wants_elements(), [](const Evidence&) { return Outcome::no_data; });
  StepStage stage = stage_of(any_of("c", unsure));
  CHECK_FALSE(stage.step().show("a", 1.0).fires());
  CHECK(stage.record().datapoints == 0);
}

TEST_CASE("a pattern that can't be read is refused when the rule is added") {
  Judge judge;
  CHECK_FALSE(judge.add(when(any_of(Tensors::matching("("), mean > 0)).named("Test")));
  CHECK_FALSE(judge.add(when(any_of("c", mean > 0) && !any_of(Tensors::matching("("), mean > 0)).named("Test")));
}
