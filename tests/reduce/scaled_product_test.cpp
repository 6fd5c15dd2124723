#include "loupe/reduce/scaled_product.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "reduce/random_numbers.hpp"
#include "support/catch.hpp"

using loupe::ScaledProduct;

namespace {
double product_of(const std::vector<double>& factors) {
  ScaledProduct product;
  for (const double factor : factors) product.multiply(factor);
  return product.value();
}
}  // namespace

TEST_CASE("a product may leave the range of doubles and come back") {
  CHECK(product_of({1e300, 1e300, 1e-300, 1e-300}) == Approx(1).epsilon(1e-15));
  CHECK(product_of({0x1p1000, 0x1p1000, 0x1p-1000, 0x1p-1000}) == 1);
  CHECK(product_of({0x1p-1074, 0x1p-1074, 0x1p1000, 0x1p1000}) == 0x1p-148);
  CHECK(product_of({}) == 1);
}

TEST_CASE("a product beyond the doubles is infinite, below them zero") {
  CHECK(product_of({1e300, -1e300}) == -std::numeric_limits<double>::infinity());
  CHECK(product_of({1e-300, 1e-300}) == 0);
  CHECK(std::signbit(product_of({-1e-300, 1e-300})));
  CHECK(product_of({0x1p-1000, 0x1p-74}) == std::numeric_limits<double>::denorm_min());
}

TEST_CASE("products of integers are exact up to 2^53") {
  CHECK(product_of({3, -5, 7, 11, 13}) == -15015);
  double factorial = 1;
  ScaledProduct product;
  for (int factor = 1; factor <= 18; ++factor) {
    factorial *= factor;
    product.multiply(factor);
    CHECK(product.value() == factorial);
  }
}

TEST_CASE("zero wins, and its sign is that of all factors") {
  CHECK(product_of({0, -3}) == 0);
  CHECK(std::signbit(product_of({0, -3})));
  CHECK_FALSE(std::signbit(product_of({-0.0, -3})));
  ScaledProduct product;
  product.multiply(0);
  CHECK(product.is_zero());
  CHECK(product.sign() == 1);
}

TEST_CASE("an exponent given apart is multiplied in") {
  ScaledProduct product;
  product.multiply(1.5, 100'000);
  product.multiply(2, -100'000);
  CHECK(product.value() == 3);
}

TEST_CASE("grouping can't be seen in the rounded product") {
  test::RandomNumbers random(3);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> factors(2 + random.below(200));
    for (double& factor : factors) factor = random.any_finite<double>();
    ScaledProduct whole;
    ScaledProduct left;
    ScaledProduct right;
    const std::size_t cut = random.below(factors.size());
    for (std::size_t index = 0; index < factors.size(); ++index) {
      whole.multiply(factors[index]);
      (index < cut ? left : right).multiply(factors[index]);
    }
    left.merge(right);
    // The exponents of any doubles may add up to something beyond a double; powers of two bring the product back.
    while (!(std::fabs(whole.value()) > 1e-3 && std::fabs(whole.value()) < 1e3)) {
      const std::int64_t step = std::fabs(whole.value()) >= 1e3 ? -8 : 8;
      whole.multiply(1, step);
      left.multiply(1, step);
    }
    CHECK(std::bit_cast<std::uint64_t>(whole.value()) == std::bit_cast<std::uint64_t>(left.value()));
  }
}
