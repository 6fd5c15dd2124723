#include "loupe/rules/closeness.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"

using loupe::rules::Closeness;

TEST_CASE("numbers are close by numpy's rule: the reference's size counts, infinities are close to themselves") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const Closeness tenth{.rtol = 0.1, .atol = 0};
  CHECK(tenth.are_close(90.0, 100.0));
  CHECK_FALSE(tenth.are_close(100.0, 90.0));
  CHECK(tenth.are_close(infinity, infinity));
  CHECK_FALSE(tenth.are_close(infinity, -infinity));
  CHECK_FALSE(tenth.are_close(infinity, 1.0));
  CHECK(Closeness().are_close(1e-9, 0.0));
}

TEST_CASE("rows of different lengths are not close, and the largest difference leaves NaN out") {
  const std::vector<double> row{1, 2, std::numeric_limits<double>::quiet_NaN()};
  CHECK_FALSE(Closeness().are_close(row, std::vector<double>{1, 2}));
  CHECK(loupe::rules::largest_difference(row, std::vector<double>{1, 5, 7}) == 3);
}
