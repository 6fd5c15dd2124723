#include "loupe/reduce/exact_sum.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "reduce/random_numbers.hpp"
#include "support/catch.hpp"

using loupe::ExactSum;

namespace {

double sum_of(const std::vector<double>& terms) {
  ExactSum sum;
  for (const double term : terms) sum.add(term);
  return sum.value();
}

// Shewchuk's algorithm, as in Python's math.fsum.
double shewchuk_sum(const std::vector<double>& terms) {
  std::vector<double> partials;
  for (double x : terms) {
    std::size_t used = 0;
    for (double y : partials) {
      if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
      const double high = x + y;
      const double low = y - (high - x);
      if (low != 0) partials[used++] = low;
      x = high;
    }
    partials.resize(used);
    partials.push_back(x);
  }
  double high = 0;
  double low = 0;
  std::size_t rest = partials.size();
  while (rest > 0) {
    const double x = high;
    const double y = partials[--rest];
    high = x + y;
    low = y - (high - x);
    if (low != 0) break;
  }
  if (rest > 0 && ((low < 0 && partials[rest - 1] < 0) || (low > 0 && partials[rest - 1] > 0))) {
    const double twice = low * 2;
    const double x = high + twice;
    if (twice == x - high) high = x;
  }
  return high;
}

}  // namespace

TEST_CASE("terms that cancel leave what they hid") {
  CHECK(sum_of({1e308, 1, -1e308}) == 1);
  CHECK(sum_of({1e16, 1, 1e-16, -1e16}) == 1);
  CHECK(sum_of({5e-324, 1e300, -1e300}) == 5e-324);
  CHECK(sum_of({}) == 0);
  CHECK(sum_of({-0.0}) == 0);
}

TEST_CASE("a sum is rounded once, ties to even") {
  CHECK(sum_of({1, 0x1p-53}) == 1);
  CHECK(sum_of({1, 0x1p-53, 0x1p-200}) == 1 + 0x1p-52);
  CHECK(sum_of({1 + 0x1p-52, 0x1p-53}) == 1 + 0x1p-51);
  CHECK(sum_of({-1, -0x1p-53, -0x1p-1074}) == -1 - 0x1p-52);
  CHECK(sum_of({0x1p53, 1, -0x1p-1074}) == 0x1p53);
}

TEST_CASE("sums of subnormal numbers are subnormal") {
  constexpr double least = std::numeric_limits<double>::denorm_min();
  CHECK(sum_of({least, least, least}) == 3 * least);
  CHECK(sum_of({std::numeric_limits<double>::min(), -least}) == std::numeric_limits<double>::min() - least);
  CHECK(sum_of({-least, -least}) == -2 * least);
}

TEST_CASE("a sum beyond the doubles is infinite, and may come back") {
  constexpr double most = std::numeric_limits<double>::max();
  CHECK(sum_of({most, most}) == std::numeric_limits<double>::infinity());
  CHECK(sum_of({-most, -most}) == -std::numeric_limits<double>::infinity());
  CHECK(sum_of({most, most, -most}) == most);
  CHECK(sum_of({most, 0x1p970}) == std::numeric_limits<double>::infinity());
  CHECK(sum_of({most, 0x1p969}) == most);
}

TEST_CASE("infinities and NaN behave as in a sum of doubles") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(sum_of({1, infinity}) == infinity);
  CHECK(sum_of({-infinity, 1e308}) == -infinity);
  CHECK(std::isnan(sum_of({infinity, -infinity})));
  CHECK(std::isnan(sum_of({std::nan(""), infinity})));
}

TEST_CASE("sums of any doubles are those of Shewchuk's algorithm") {
  test::RandomNumbers random(1);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> terms(1 + random.below(100));
    const bool is_narrow = round % 2 == 0;
    for (double& term : terms)
      term = is_narrow ? random.unit() * 0x1p-1000 : std::ldexp(random.any_finite<double>(), -60);
    if (round % 3 == 0)
      for (std::size_t index = 1; index < terms.size(); index += 2) terms[index] = -terms[index - 1] * (1 + 0x1p-52);
    CHECK(sum_of(terms) == shewchuk_sum(terms));
  }
}

TEST_CASE("neither order nor grouping matters") {
  test::RandomNumbers random(2);
  for (int round = 0; round < 100; ++round) {
    std::vector<double> terms(2 + random.below(50));
    for (double& term : terms) term = random.any_finite<double>();
    ExactSum forward;
    ExactSum backward;
    ExactSum left;
    ExactSum right;
    const std::size_t cut = random.below(terms.size());
    for (std::size_t index = 0; index < terms.size(); ++index) {
      forward.add(terms[index]);
      backward.add(terms[terms.size() - 1 - index]);
      (index < cut ? left : right).add(terms[index]);
    }
    right.merge(left);
    CHECK(std::bit_cast<std::uint64_t>(forward.value()) == std::bit_cast<std::uint64_t>(backward.value()));
    CHECK(std::bit_cast<std::uint64_t>(forward.value()) == std::bit_cast<std::uint64_t>(right.value()));
  }
}

TEST_CASE("2^60 terms don't overflow the limbs") {
  for (const double term : {1 + 0x1p-52, -0x1.fffffffffffffp0, 0x1.fffffffffffffp900}) {
    ExactSum sum;
    sum.add(term);
    sum.add(0x1p-300);
    for (int doubling = 0; doubling < 60; ++doubling) {
      const ExactSum same(sum);
      sum.merge(same);
    }
    CHECK(sum.value() == std::ldexp(term, 60));
    sum.add(std::ldexp(-term, 60));
    CHECK(sum.value() == 0x1p-240);
  }
}

TEST_CASE("products are added without rounding") {
  ExactSum sum;
  sum.add_product(1 + 0x1p-52, 1 + 0x1p-52);
  sum.add(-1);
  sum.add(-0x1p-51);
  CHECK(sum.value() == 0x1p-104);
  ExactSum scaled;
  scaled.add_product(0x1.5555555555555p500, 0x1.3333333333333p-300);
  scaled.add_product(-0x1.5555555555555p500, 0x1.3333333333333p-300);
  CHECK(scaled.value() == 0);
  ExactSum huge;
  huge.add_product(1e200, 1e200);
  CHECK(huge.value() == std::numeric_limits<double>::infinity());
  ExactSum tiny;
  tiny.add_product(1e-200, 1e-200);
  CHECK(tiny.value() == 0);
}

TEST_CASE("a sum expands to three doubles that are the sum") {
  ExactSum sum;
  for (const double term : {1e30, 1.0, 1e-25}) sum.add(term);
  double parts[3];
  sum.expand(parts);
  CHECK(parts[0] == sum.value());
  for (const double part : parts) sum.add(-part);
  CHECK(std::fabs(sum.value()) < 1e-15);
  ExactSum infinite;
  infinite.add(std::numeric_limits<double>::infinity());
  infinite.expand(parts);
  CHECK(parts[0] == std::numeric_limits<double>::infinity());
  CHECK(parts[1] == 0);
}

TEST_CASE("a copy goes its own way") {
  ExactSum sum;
  sum.add(1);
  ExactSum copy(sum);
  copy.add(1e300);
  sum.add(2);
  CHECK(sum.value() == 3);
  CHECK(copy.value() == 1e300);
  copy = sum;
  CHECK(copy.value() == 3);
}
