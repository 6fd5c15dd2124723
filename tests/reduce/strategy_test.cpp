#include "loupe/reduce/strategy.hpp"

#include <cstdint>
#include <vector>

#include "loupe/reduce/fused.hpp"
#include "reduce/strategy_suite.hpp"
#include "support/catch.hpp"

using namespace loupe;

namespace {

// The smallest model of the concept: counts elements, as the sum of ones.
struct Counting {
  static constexpr StatisticSet provides{Statistic::sum};
  struct Partials {
    std::int64_t count = 0;
  };
  static Partials partials(const TensorView& view, StatisticSet) { return {view.size()}; }
  static void merge(Partials& into, const Partials& next) { into.count += next.count; }
  static result<Scalar> value(const Partials& partials, Statistic) { return Scalar::from(partials.count); }
};

struct WithoutMerge {
  static constexpr StatisticSet provides{Statistic::sum};
  struct Partials {};
  static Partials partials(const TensorView&, StatisticSet) { return {}; }
  static result<Scalar> value(const Partials&, Statistic) { return Scalar(); }
};

struct OfAnotherResult : Counting {
  static double value(const Partials&, Statistic) { return 0; }
};

static_assert(ReductionStrategy<Counting>);
static_assert(!ReductionStrategy<WithoutMerge>);
static_assert(!ReductionStrategy<OfAnotherResult>);
static_assert(!ReductionStrategy<int>);
static_assert(!ReductionStrategy<void>);

}  // namespace

TEST_CASE("the smallest strategy is one") { test::check_reduction_strategy<Counting>(); }

TEST_CASE("loupe's own definitions are a strategy") { test::check_reduction_strategy<Fused>(); }

TEST_CASE("only what is wanted and provided is given") {
  const std::vector<float> elements{1, 2, 3};
  const TensorView view{std::span<const float>(elements)};
  ReducedValues values;
  reduce_tensor<Counting>(view, {Statistic::sum, Statistic::min}, values);
  CHECK(values.present == StatisticSet(Statistic::sum));
  CHECK(values.find(Statistic::sum)->as_double() == 3);
  CHECK(values.find(Statistic::min) == nullptr);
  reduce_tensor<Counting>(view, Statistic::min, values);
  CHECK(values.present.empty());
  const ReduceFunction function = &reduce_tensor<Fused>;
  function(view, {Statistic::max, Statistic::l1}, values);
  CHECK(values.present == StatisticSet{Statistic::max, Statistic::l1});
}
