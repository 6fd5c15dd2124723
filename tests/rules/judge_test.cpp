#include "loupe/rules/judge.hpp"

#include "loupe/rules/builtin/exploding_tensor.hpp"
#include "loupe/rules/predicate.hpp"
#include "support/catch.hpp"
#include "support/step_stage.hpp"

using namespace loupe::rules;

namespace {

Rule above(std::string_view name, double threshold) { return when(any_of(Tensors::matching("^t$"), mean > threshold)).named(name); }

/// A judge that is shown a number as tensor `t` at one step after the other.
std::size_t judged(Judge& judge, std::int64_t step, double number) {
  const TestDirectory directory;
  const StepPlace at{loupe::Step(step), {loupe::Mode::global, step}};
  judge.begin_step(at);
  const std::uint32_t tensor = judge.number_of("t");
  loupe::ReducedValues reduced;
  const loupe::TensorView view(&number, loupe::ElementType::float64, loupe::Shape());
  loupe::reduce_tensor<loupe::Fused>(view, judge.wanted(tensor, directory).statistics, reduced);
  judge.look({{"t", tensor}, "worker_0", at, view, &reduced});
  return judge.end_step().size();
}

}  // namespace

TEST_CASE("rules are judged side by side, each by its own terms") {
  Judge judge;
  REQUIRE(judge.add(above("Always", 0)));
  REQUIRE(judge.add(above("Late", 0), {.start_step = 1}));
  REQUIRE(judge.add(above("Once", 0), {.ends_at_first_firing = true}));
  REQUIRE(judge.add(above("Early", 0), {.end_step = 1}));
  CHECK(judged(judge, 0, 1) == 3);
  CHECK(judged(judge, 1, 1) == 2);
  CHECK(judge.record(0).firings == 2);
  CHECK(judge.record(0).last->at.step == loupe::Step(1));
  CHECK(judge.record(1).datapoints == 1);
  CHECK(judge.record(2).has_ended);
  CHECK(judge.record(3).has_ended);
  CHECK_FALSE(judge.has_ended());
}

TEST_CASE("what the rules want of a tensor is wanted once, together") {
  Judge judge;
  REQUIRE(judge.add(above("Mean", 0)));
  REQUIRE(judge.add(exploding_tensor()));
  const TestDirectory directory;
  const Wanted& wanted = judge.wanted(judge.number_of("t"), directory);
  CHECK(wanted.statistics.contains(loupe::Statistic::mean));
  CHECK(wanted.statistics.contains(loupe::Statistic::nan_count));
  CHECK_FALSE(judge.wanted(judge.number_of("other"), directory).statistics.contains(loupe::Statistic::mean));
}

TEST_CASE("rules that can't be run are refused: of one name, of bad terms, too late") {
  Judge judge;
  REQUIRE(judge.add(above("A", 0)));
  CHECK_FALSE(judge.add(above("A", 1)));
  CHECK_FALSE(judge.add(above("B", 0), {.start_step = -1}));
  CHECK_FALSE(judge.add(above("B", 0), {.start_step = 2, .end_step = 1}));
  CHECK(judged(judge, 0, 1) == 1);
  CHECK(judge.add(above("B", 0)).error().kind == loupe::ErrorKind::invalid_state);
  CHECK(judge.size() == 1);
}
