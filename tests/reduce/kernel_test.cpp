#include "loupe/reduce/kernel.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>

#include "loupe/reduce/contraction.hpp"
#include "reduce/hostile_floats.hpp"
#include "support/catch.hpp"

using namespace loupe;

namespace {

// What the loops promise, element by element.
template <class Real>
LOUPE_NO_CONTRACTION BlockSums<Real> reduce_plainly(const std::vector<Real>& elements) {
  LOUPE_NO_CONTRACTION_HERE
  constexpr std::size_t lanes = 8;
  constexpr Real infinity = std::numeric_limits<Real>::infinity();
  constexpr bool is_narrow = std::is_same_v<Real, float>;
  struct Lane {
    Real minimum = infinity, maximum = -infinity, absolute_minimum = infinity;
    double sum = 0, absolute_sum = 0, high = 0, low = 0, stretch = 0;
    std::uint32_t zeros = 0;
    void flush(double term) {
      const double total = high + term;
      const double added = total - high;
      low += (high - (total - added)) + (term - added);
      high = total;
    }
  } lane[lanes];
  const std::size_t whole = elements.size() / lanes * lanes;
  for (std::size_t index = 0; index < elements.size(); ++index) {
    const Real number = elements[index];
    Lane& to = lane[index % lanes];
    if (number < to.minimum) to.minimum = number;
    if (number > to.maximum) to.maximum = number;
    if (std::fabs(number) < to.absolute_minimum) to.absolute_minimum = std::fabs(number);
    to.zeros += number == 0 ? 1 : 0;
    to.sum += static_cast<double>(number);
    to.absolute_sum += std::fabs(static_cast<double>(number));
    const double square = static_cast<double>(number) * static_cast<double>(number);
    if (!is_narrow && index < whole) {
      to.high += square;
    } else if (index >= whole) {
      to.flush(square);
    } else {
      to.stretch += square;
      if (index % 256 / lanes == 31 || index + lanes >= whole) {
        to.flush(to.stretch);
        to.stretch = 0;
      }
    }
  }
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t index = 0; index < half; ++index) {
      Lane& to = lane[index];
      const Lane& from = lane[index + half];
      if (from.minimum < to.minimum) to.minimum = from.minimum;
      if (from.maximum > to.maximum) to.maximum = from.maximum;
      if (from.absolute_minimum < to.absolute_minimum) to.absolute_minimum = from.absolute_minimum;
      to.zeros += from.zeros;
      to.sum += from.sum;
      to.absolute_sum += from.absolute_sum;
      to.low += from.low;
      to.flush(from.high);
    }
  }
  return {lane[0].minimum, lane[0].maximum,          lane[0].sum,  lane[0].absolute_sum, lane[0].high,
          lane[0].low,     lane[0].absolute_minimum, lane[0].zeros};
}

template <class Number>
bool same(Number a, Number b) {
  return std::memcmp(&a, &b, sizeof a) == 0 || (std::isnan(a) && std::isnan(b));
}

template <class Real>
void check_same(const BlockSums<Real>& a, const BlockSums<Real>& b) {
  CHECK(same(a.minimum, b.minimum));
  CHECK(same(a.maximum, b.maximum));
  CHECK(same(a.sum, b.sum));
  CHECK(same(a.absolute_sum, b.absolute_sum));
  CHECK(same(a.squares, b.squares));
  CHECK(same(a.squares_low, b.squares_low));
  CHECK(same(a.absolute_minimum, b.absolute_minimum));
  CHECK(a.zeros == b.zeros);
}

template <class Real, std::size_t bytes>
LOUPE_NO_CONTRACTION BlockSums<Real> reduce_in_vectors(const std::byte* elements, std::size_t count) {
  BlockSums<Real> out;
  detail::reduce_block<Real, bytes, true>(elements, count, out);
  return out;
}

template <class Real>
void check_all_widths() {
  for (const std::size_t count : {0u, 1u, 7u, 8u, 9u, 255u, 256u, 257u, 264u, 1000u, 4095u, 4096u}) {
    for (const auto& block : test::hostile_blocks<Real>(count, count)) {
      INFO(block.name << ", " << count);
      const auto expected = reduce_plainly(block.elements);
      std::vector<std::byte> memory(count * sizeof(Real) + 3);
      if (count != 0) std::memcpy(memory.data() + 3, block.elements.data(), count * sizeof(Real));
      check_same(reduce_in_vectors<Real, 16>(memory.data() + 3, count), expected);
      check_same(reduce_in_vectors<Real, 32>(memory.data() + 3, count), expected);
      check_same(reduce_in_vectors<Real, 64>(memory.data() + 3, count), expected);
    }
  }
}

}  // namespace

TEST_CASE("float blocks give the same bits in vectors of any width, and at any address") { check_all_widths<float>(); }

TEST_CASE("double blocks give the same bits in vectors of any width, and at any address") {
  check_all_widths<double>();
}

TEST_CASE("the sum of squares of similar floats is exact") {
  std::vector<float> elements(reduction_block);
  test::RandomNumbers random(5);
  std::uint64_t squares = 0;
  for (float& element : elements) {
    const std::uint64_t number = (1u << 23) + random.below(1u << 23);
    element = static_cast<float>(number);
    squares += number * number;
  }
  BlockSums<float> sums;
  detail::reduce_block<float, 32, false>(reinterpret_cast<const std::byte*>(elements.data()), elements.size(), sums);
  // More digits than a double has.
  CHECK(static_cast<std::uint64_t>(sums.squares) +
            static_cast<std::uint64_t>(static_cast<std::int64_t>(sums.squares_low)) ==
        squares);
}

TEST_CASE("deviations from a pivot are summed, of elements or of their magnitudes") {
  const std::vector<double> elements{-3, 5, -7, 9, -1, 3, 5, -7, 9, 11};
  const auto* bytes = reinterpret_cast<const std::byte*>(elements.data());
  double sum = 0;
  double squares = 0;
  detail::sum_deviations<16, false>(bytes, elements.size(), 2, sum, squares);
  CHECK(sum == 4);
  CHECK(squares == 25 + 9 + 81 + 49 + 9 + 1 + 9 + 81 + 49 + 81);
  detail::sum_deviations<32, true>(bytes, elements.size(), 2, sum, squares);
  CHECK(sum == 40);
  CHECK(squares == 1 + 9 + 25 + 49 + 1 + 1 + 9 + 25 + 49 + 81);
}

TEST_CASE("the product of a block is kept in mantissas and exponents") {
  std::vector<double> elements(19, 1e-300);
  elements[4] = -1e300;
  double mantissas[detail::lanes];
  std::int64_t exponents[detail::lanes];
  detail::multiply_lanes<double, 32>(reinterpret_cast<const std::byte*>(elements.data()), elements.size(), mantissas,
                                     exponents);
  double logarithm = 0;
  double sign = 1;
  for (std::size_t lane = 0; lane < detail::lanes; ++lane) {
    logarithm += std::log2(std::fabs(mantissas[lane])) + static_cast<double>(exponents[lane]);
    sign *= mantissas[lane] < 0 ? -1 : 1;
  }
  CHECK(logarithm == Approx(std::log2(10.0) * -300 * 17).epsilon(1e-13));
  CHECK(sign == -1);
}
