#include "loupe/reduce/custom.hpp"

#include <string_view>
#include <vector>

#include "loupe/reduce/fused.hpp"
#include "loupe/reduce/number_reader.hpp"
#include "loupe/reduce/numpy_definitions.hpp"
#include "reduce/strategy_suite.hpp"
#include "support/catch.hpp"

using namespace loupe;

namespace {

struct DeadFraction {
  static constexpr std::string_view name = "dead_fraction";
  static double value(const TensorView& view) {
    double dead = 0;
    NumberReader(view, false).for_each<double>([&](double number) { dead += number <= 0 ? 1 : 0; });
    return dead / static_cast<double>(view.size());
  }
};

struct Rank {
  static constexpr std::string_view name = "rank";
  static double value(const TensorView& view) { return static_cast<double>(view.rank()); }
};

struct Nameless {
  static double value(const TensorView&) { return 0; }
};
struct NamedPath {
  static constexpr std::string_view name = "a/b";
  static double value(const TensorView&) { return 0; }
};

static_assert(CustomReduction<DeadFraction>);
static_assert(!CustomReduction<Nameless>);
static_assert(!CustomReduction<NamedPath>);
static_assert(!CustomReduction<double>);

}  // namespace

TEST_CASE("a user's reductions are given beside the strategy's") {
  const std::vector<float> elements{0, -1, 2, 3};
  ReducedValues values;
  reduce_tensor<WithCustom<Fused, DeadFraction, Rank>>(TensorView(std::span<const float>(elements)), Statistic::max,
                                                       values);
  CHECK(values.find(Statistic::max)->as_double() == 3);
  REQUIRE(values.custom_count == 2);
  CHECK(values.custom[0].name == "dead_fraction");
  CHECK(values.find_custom("dead_fraction")->as_double() == 0.5);
  CHECK(values.find_custom("dead_fraction")->type() == ElementType::float64);
  CHECK(values.find_custom("rank")->as_double() == 1);
  CHECK(values.find_custom("other") == nullptr);
}

TEST_CASE("a strategy with a user's reductions is one") {
  test::check_reduction_strategy<WithCustom<Fused, DeadFraction>>();
  test::check_reduction_strategy<WithCustom<NumpyDefinitions, Rank>>();
}
