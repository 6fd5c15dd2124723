#include "loupe/rules/measure.hpp"

#include <limits>
#include <optional>

#include "support/catch.hpp"

using namespace loupe::rules;
using loupe::Statistic;

namespace {

/// Evidence with a mean.
class WithMean {
 public:
  explicit WithMean(double mean, std::uint32_t number = 0) : number_(number) { reduced_.set(Statistic::mean, loupe::Scalar::from(mean)); }
  [[nodiscard]] Evidence evidence() const { return {.tensor = {"t", number_}, .worker = "worker_0", .at = {}, .value = {}, .reduced = &reduced_}; }

 private:
  std::uint32_t number_;
  loupe::ReducedValues reduced_;
};

}  // namespace

TEST_CASE("a measure is a number, or nothing where what it needs isn't there") {
  CHECK(mean.of(WithMean(2).evidence()) == 2);
  CHECK_FALSE(maximum.of(WithMean(2).evidence()));
  CHECK_FALSE(fraction_zero.of(WithMean(2).evidence()));
  CHECK_FALSE((mean + maximum).of(WithMean(2).evidence()));
  CHECK((mean * mean - mean / mean).of(WithMean(2).evidence()) == 3);
  CHECK((mean + maximum).wanted().statistics == loupe::StatisticSet{Statistic::mean, Statistic::max});
}

TEST_CASE("a previous measure is that of the last step, tensor by tensor") {
  auto last = previous(mean);
  CHECK_FALSE(last.of(WithMean(1).evidence()));
  CHECK_FALSE(last.of(WithMean(5, 1).evidence()));
  CHECK(last.of(WithMean(2).evidence()) == 1);
  CHECK(last.of(WithMean(3).evidence()) == 2);
}

TEST_CASE("a comparison holds strictly or not as it says, and never with NaN") {
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  for (const Comparison comparison : {Comparison::above, Comparison::at_least, Comparison::below, Comparison::at_most}) {
    CHECK(holds(comparison, 1, 1) == (comparison == Comparison::at_least || comparison == Comparison::at_most));
    CHECK(holds(comparison, 2, 1) == (comparison == Comparison::above || comparison == Comparison::at_least));
    CHECK(holds(comparison, 0, 1) == (comparison == Comparison::below || comparison == Comparison::at_most));
    CHECK_FALSE(holds(comparison, not_a_number, 1));
    CHECK_FALSE(comparison_words(comparison).empty());
  }
}
