#include "loupe/rules/mean.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"

namespace {

double mean(const std::vector<double>& numbers) {
  return loupe::rules::mean_of(numbers.size(), [&](std::size_t at) { return numbers[at]; });
}
double percentile(std::vector<double> numbers, double percent) { return loupe::rules::percentile(numbers, percent); }

}  // namespace

TEST_CASE("a mean of numbers whose sum overflows is finite, one of numbers that aren't is not") {
  CHECK(mean({1, 2, 3}) == 2);
  CHECK(mean(std::vector<double>(10, 1e308)) == Approx(1e308));
  CHECK(mean({1, std::numeric_limits<double>::infinity()}) == std::numeric_limits<double>::infinity());
  CHECK(std::isnan(mean({1, std::numeric_limits<double>::quiet_NaN()})));
}

TEST_CASE("a percentile lies between ranks as numpy's does") {
  CHECK(percentile({4, 1, 3, 2}, 0) == 1);
  CHECK(percentile({4, 1, 3, 2}, 100) == 4);
  CHECK(percentile({4, 1, 3, 2}, 50) == 2.5);
  CHECK(percentile({4, 1, 3, 2}, 95) == Approx(3.85));
  CHECK(percentile({7}, 5) == 7);
}
