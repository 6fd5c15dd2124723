#pragma once
/// @file
/// The loop over one block of elements. Its results depend on the elements and their order alone: element i goes to lane
/// i mod 8 whatever the width of the vectors, and the lanes are combined in one fixed tree.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/reduce/contraction.hpp"

namespace loupe::inline LOUPE_ABI {

/// The number of elements in a block: what is read at once, and summed by plain addition. Pieces of a tensor that are cut
/// at multiples of it have partials that merge to exactly those of the whole.
inline constexpr std::size_t reduction_block = 4096;

/// What one pass over a block gives. Extremes pass NaN over (infinite, of the wrong sign, if there was nothing else);
/// if any element is NaN or infinite, `squares` is too.
template <class Real>
struct BlockSums {
  Real minimum;
  Real maximum;
  double sum;
  double absolute_sum;
  double squares;         ///< the sum of squares is `squares + squares_low`
  double squares_low;
  Real absolute_minimum;  ///< where asked for
  std::uint32_t zeros;    ///< where asked for
};

namespace detail {

inline constexpr std::size_t lanes = 8;

template <class Type, std::size_t bytes>
struct VectorOf {
  typedef Type type __attribute__((vector_size(bytes)));
};
template <class Type, std::size_t bytes>
using Vector = typename VectorOf<Type, bytes>::type;

#if defined(__clang__)
#define LOUPE_UNROLL(count) _Pragma(LOUPE_UNROLL_TEXT(unroll count))
#define LOUPE_UNROLL_TEXT(text) #text
#else
#define LOUPE_UNROLL(count) _Pragma(LOUPE_UNROLL_TEXT(GCC unroll count))
#define LOUPE_UNROLL_TEXT(text) #text
#endif

// g++ 12 turns this into one instruction, and __builtin_convertvector into four.
template <class Wide, class Narrow, std::size_t... lane>
LOUPE_ALWAYS_INLINE void widen(const Narrow& narrow, Wide& wide, std::index_sequence<lane...>) noexcept {
  wide = Wide{static_cast<double>(narrow[lane])...};
}

// Stores an array of vectors, one at a time: taken as a whole, its address would keep g++ from holding it in registers.
template <class Element, class Lanes, std::size_t parts>
LOUPE_ALWAYS_INLINE void store_lanes(const Lanes (&vectors)[parts], Element (&out)[lanes]) noexcept {
  static_assert(sizeof vectors == sizeof out);
  LOUPE_UNROLL(8)
  for (std::size_t part = 0; part < parts; ++part)
    std::memcpy(out + part * (lanes / parts), &vectors[part], sizeof(Lanes));
}

// Asks for memory that the loop will come to: the pause at a block's end would otherwise let the memory bus run dry.
LOUPE_ALWAYS_INLINE void prefetch_behind(const std::byte* address) noexcept {
  constexpr std::uintptr_t distance = 3072;
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(address) + distance));
}

// Adds `term` to the pair `high + low`: the rounding error of the sum, which is a double itself (Knuth), goes to `low`.
template <class Number>
LOUPE_ALWAYS_INLINE void add_with_error(Number& high, Number& low, const Number& term) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  const Number total = high + term;
  const Number added = total - high;
  low += (high - (total - added)) + (term - added);
  high = total;
}

// Adds the square of a float, which is exact: a fused multiply-add gives the same bits in half the time.
template <class Number>
LOUPE_ALWAYS_INLINE void add_exact_square(Number& sum, const Number& number) noexcept {
  LOUPE_CONTRACTION_HERE
  sum += number * number;
}

// Signed zeros and NaN are compared as the vectors do it.
template <class Real>
LOUPE_ALWAYS_INLINE Real smaller(Real a, Real b) noexcept {
  return a < b ? a : b;
}
template <class Real>
LOUPE_ALWAYS_INLINE Real larger(Real a, Real b) noexcept {
  return a > b ? a : b;
}

// What the lanes have seen. Their sums of squares are `squares + squares_low`.
template <class Real>
struct LaneSums {
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  Real minimum[lanes], maximum[lanes], absolute_minimum[lanes];
  Bits zeros[lanes];
  double sum[lanes], absolute_sum[lanes], squares[lanes], squares_low[lanes];
};

// Gives the elements left over, fewer than there are lanes, to the first lanes, and combines the lanes.
template <class Real>
LOUPE_NO_CONTRACTION void combine_lanes(LaneSums<Real>& lane, const std::byte* elements, std::size_t count,
                                        BlockSums<Real>& out) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  for (std::size_t to = 0; to < count; ++to) {
    Real number;
    std::memcpy(&number, elements + to * sizeof number, sizeof number);
    const auto absolute = static_cast<Real>(__builtin_fabs(static_cast<double>(number)));
    lane.minimum[to] = smaller(number, lane.minimum[to]);
    lane.maximum[to] = larger(number, lane.maximum[to]);
    lane.absolute_minimum[to] = smaller(absolute, lane.absolute_minimum[to]);
    lane.zeros[to] += number == 0 ? 1 : 0;
    lane.sum[to] += static_cast<double>(number);
    lane.absolute_sum[to] += static_cast<double>(absolute);
    const double square = static_cast<double>(number) * static_cast<double>(number);
    add_with_error(lane.squares[to], lane.squares_low[to], square);
  }
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t to = 0; to < half; ++to) {
      const std::size_t from = to + half;
      lane.minimum[to] = smaller(lane.minimum[from], lane.minimum[to]);
      lane.maximum[to] = larger(lane.maximum[from], lane.maximum[to]);
      lane.absolute_minimum[to] = smaller(lane.absolute_minimum[from], lane.absolute_minimum[to]);
      lane.zeros[to] += lane.zeros[from];
      lane.sum[to] += lane.sum[from];
      lane.absolute_sum[to] += lane.absolute_sum[from];
      lane.squares_low[to] += lane.squares_low[from];
      add_with_error(lane.squares[to], lane.squares_low[to], lane.squares[from]);
    }
  }
  out.minimum = lane.minimum[0];
  out.maximum = lane.maximum[0];
  out.sum = lane.sum[0];
  out.absolute_sum = lane.absolute_sum[0];
  out.squares = lane.squares[0];
  out.squares_low = lane.squares_low[0];
  out.absolute_minimum = lane.absolute_minimum[0];
  out.zeros = static_cast<std::uint32_t>(lane.zeros[0]);
}

/// The pass over a block of at most `reduction_block` elements of type `Real` (float or double) of any alignment.
/// `bytes` is the width of the vectors in which the eight lanes lie: 16, 32 or 64.
///
/// Squares of floats are exact in double. They are summed over 256 elements, of which each lane then has 32: as long as
/// the elements are of the same order of magnitude, that sum is exact too, and so is the pair in which these sums are
/// collected. A variance is therefore sound even if it is tiny beside the mean. Squares of doubles are summed plainly;
/// see `sum_deviations`.
template <class Real, std::size_t bytes, bool counting>
LOUPE_ALWAYS_INLINE void reduce_block(const std::byte* elements, std::size_t count, BlockSums<Real>& out) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  constexpr bool is_narrow = sizeof(Real) < sizeof(double);
  constexpr std::size_t wide_lanes = bytes / sizeof(double);
  constexpr std::size_t wides = lanes / wide_lanes;
  constexpr std::size_t real_lanes = bytes / sizeof(Real) < lanes ? bytes / sizeof(Real) : lanes;
  constexpr std::size_t reals = lanes / real_lanes;
  using Bits = std::conditional_t<is_narrow, std::uint32_t, std::uint64_t>;
  using RealVector = Vector<Real, real_lanes * sizeof(Real)>;
  using BitVector = Vector<Bits, real_lanes * sizeof(Real)>;
  using Wide = Vector<double, bytes>;
  using WideBits = Vector<std::uint64_t, bytes>;
  using Half = Vector<Real, wide_lanes * sizeof(Real)>;           // as many elements as `Wide` has
  constexpr Real infinity = std::numeric_limits<Real>::infinity();
  constexpr std::uint64_t magnitude = ~(std::uint64_t{1} << 63);  // all bits of a double but the sign
  constexpr auto real_magnitude = static_cast<Bits>(magnitude >> (64 - 8 * sizeof(Real)));

  RealVector minimum[reals];
  RealVector maximum[reals];
  RealVector absolute_minimum[reals];
  BitVector zeros[reals];
  Wide sum[wides];
  Wide absolute_sum[wides];
  Wide squares[wides];
  Wide squares_high[wides];
  Wide squares_low[wides];
  LOUPE_UNROLL(8)
  for (std::size_t part = 0; part < reals; ++part) {
    minimum[part] = RealVector{} + infinity;
    maximum[part] = RealVector{} - infinity;
    absolute_minimum[part] = RealVector{} + infinity;
    zeros[part] = BitVector{};
  }
  LOUPE_UNROLL(8)
  for (std::size_t part = 0; part < wides; ++part)
    sum[part] = absolute_sum[part] = squares[part] = squares_high[part] = squares_low[part] = Wide{};

  const std::size_t whole = count / lanes * lanes;
  constexpr std::size_t stretch = is_narrow ? 256 : reduction_block;
  for (std::size_t first = 0; first < whole; first += stretch) {
    const std::size_t last = whole - first < stretch ? whole : first + stretch;
    LOUPE_UNROLL(2)
    for (std::size_t element = first; element < last; element += lanes) {
      const std::byte* address = elements + element * sizeof(Real);
      prefetch_behind(address);
      LOUPE_UNROLL(8)
      for (std::size_t part = 0; part < reals; ++part) {
        RealVector number;
        std::memcpy(&number, address + part * sizeof number, sizeof number);
        minimum[part] = number < minimum[part] ? number : minimum[part];
        maximum[part] = number > maximum[part] ? number : maximum[part];
        if constexpr (counting) {
          const BitVector absolute_bits = (BitVector)number & real_magnitude;
          const RealVector absolute = (RealVector)absolute_bits;
          absolute_minimum[part] = absolute < absolute_minimum[part] ? absolute : absolute_minimum[part];
          zeros[part] -= (BitVector)(absolute_bits == BitVector{});
        }
      }
      LOUPE_UNROLL(8)
      for (std::size_t part = 0; part < wides; ++part) {
        Half narrow;
        Wide number;
        std::memcpy(&narrow, address + part * sizeof narrow, sizeof narrow);
        if constexpr (is_narrow) widen(narrow, number, std::make_index_sequence<wide_lanes>());
        else number = narrow;
        sum[part] += number;
        absolute_sum[part] += (Wide)((WideBits)number & magnitude);
        if constexpr (is_narrow) add_exact_square(squares[part], number);
        else squares[part] += number * number;
      }
    }
    if constexpr (is_narrow) {
      LOUPE_UNROLL(8)
      for (std::size_t part = 0; part < wides; ++part) {
        add_with_error(squares_high[part], squares_low[part], squares[part]);
        squares[part] = Wide{};
      }
    }
  }

  LaneSums<Real> lane;
  store_lanes(minimum, lane.minimum);
  store_lanes(maximum, lane.maximum);
  store_lanes(sum, lane.sum);
  store_lanes(absolute_sum, lane.absolute_sum);
  store_lanes(is_narrow ? squares_high : squares, lane.squares);
  store_lanes(squares_low, lane.squares_low);
  store_lanes(absolute_minimum, lane.absolute_minimum);
  store_lanes(zeros, lane.zeros);
  combine_lanes(lane, elements + whole * sizeof(Real), count - whole, out);
}

/// The sums of `d` and of its square, where d is the element, or its absolute value, less `pivot`.
template <std::size_t bytes, bool absolute>
LOUPE_ALWAYS_INLINE void sum_deviations(const std::byte* elements, std::size_t count, double pivot, double& sum,
                                        double& squares) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  constexpr std::size_t wide_lanes = bytes / sizeof(double);
  constexpr std::size_t wides = lanes / wide_lanes;
  using Wide = Vector<double, bytes>;
  using WideBits = Vector<std::uint64_t, bytes>;
  constexpr std::uint64_t magnitude = absolute ? ~(std::uint64_t{1} << 63) : ~std::uint64_t{0};
  Wide sums[wides];
  Wide square_sums[wides];
  LOUPE_UNROLL(8)
  for (std::size_t part = 0; part < wides; ++part) sums[part] = square_sums[part] = Wide{};
  const std::size_t whole = count / lanes * lanes;
  for (std::size_t element = 0; element < whole; element += lanes) {
    LOUPE_UNROLL(8)
    for (std::size_t part = 0; part < wides; ++part) {
      Wide number;
      std::memcpy(&number, elements + element * sizeof(double) + part * sizeof number, sizeof number);
      number = (Wide)((WideBits)number & magnitude) - pivot;
      sums[part] += number;
      square_sums[part] += number * number;
    }
  }
  double lane_sums[lanes];
  double lane_squares[lanes];
  store_lanes(sums, lane_sums);
  store_lanes(square_sums, lane_squares);
  for (std::size_t element = whole; element < count; ++element) {
    std::uint64_t bits;
    std::memcpy(&bits, elements + element * sizeof bits, sizeof bits);
    const double deviation = std::bit_cast<double>(bits & magnitude) - pivot;
    lane_sums[element - whole] += deviation;
    lane_squares[element - whole] += deviation * deviation;
  }
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t to = 0; to < half; ++to) {
      lane_sums[to] += lane_sums[to + half];
      lane_squares[to] += lane_squares[to + half];
    }
  }
  sum = lane_sums[0];
  squares = lane_squares[0];
}

/// The product of a block's elements, all of them finite, normal and not zero: that of each lane is
/// `mantissas * 2^exponents`. The mantissas are multiplied as numbers in [1, 2), the exponents added, so that nothing
/// overflows.
template <class Real, std::size_t bytes>
LOUPE_ALWAYS_INLINE void multiply_lanes(const std::byte* elements, std::size_t count, double (&mantissas)[lanes],
                                        std::int64_t (&exponents)[lanes]) noexcept {
  constexpr std::size_t wide_lanes = bytes / sizeof(double);
  constexpr std::size_t wides = lanes / wide_lanes;
  using Wide = Vector<double, bytes>;
  using WideBits = Vector<std::uint64_t, bytes>;
  using Half = Vector<Real, wide_lanes * sizeof(Real)>;
  constexpr std::uint64_t bias = 1023;
  constexpr std::uint64_t one = bias << 52;  // the bits of 1.0
  constexpr std::uint64_t mantissa_and_sign = 0x800FFFFFFFFFFFFFu;
  Wide product[wides];
  WideBits exponent[wides];
  LOUPE_UNROLL(8)
  for (std::size_t part = 0; part < wides; ++part) {
    product[part] = Wide{} + 1.0;
    exponent[part] = WideBits{};
  }
  const std::size_t whole = count / lanes * lanes;
  // A last group that isn't whole is filled up with ones.
  Real rest[lanes] = {1, 1, 1, 1, 1, 1, 1, 1};
  std::memcpy(rest, elements + whole * sizeof(Real), (count - whole) * sizeof(Real));
  for (std::size_t element = 0; element <= whole; element += lanes) {
    const auto* address =
        element < whole ? elements + element * sizeof(Real) : reinterpret_cast<const std::byte*>(rest);
    LOUPE_UNROLL(8)
    for (std::size_t part = 0; part < wides; ++part) {
      Half narrow;
      Wide number;
      std::memcpy(&narrow, address + part * sizeof narrow, sizeof narrow);
      if constexpr (sizeof(Real) < sizeof(double)) widen(narrow, number, std::make_index_sequence<wide_lanes>());
      else number = narrow;
      exponent[part] += (((WideBits)number >> 52) & 0x7FFu) - bias;
      product[part] *= (Wide)(((WideBits)number & mantissa_and_sign) | one);
    }
  }
  store_lanes(product, mantissas);
  store_lanes(exponent, exponents);
}

}  // namespace detail
}  // namespace loupe::inline LOUPE_ABI
