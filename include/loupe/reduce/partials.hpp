#pragma once
/// @file
/// What one pass over a tensor leaves behind: sums and extremes from which every statistic follows, and which merge.

#include <cstddef>
#include <cstdint>
#include <limits>

#include "loupe/base/config.hpp"
#include "loupe/base/element_type.hpp"
#include "loupe/base/tensor_view.hpp"
#include "loupe/reduce/exact_sum.hpp"
#include "loupe/reduce/scaled_product.hpp"
#include "loupe/reduce/statistic.hpp"

namespace loupe::inline LOUPE_ABI {

struct ReductionKernels;

/// Numbers of elements that are not finite.
struct NonFinite {
  std::int64_t nan = 0;
  std::int64_t positive_infinity = 0;
  std::int64_t negative_infinity = 0;

  [[nodiscard]] bool none() const noexcept { return nan == 0 && positive_infinity == 0 && negative_infinity == 0; }
  void merge(const NonFinite& other) noexcept {
    nan += other.nan;
    positive_infinity += other.positive_infinity;
    negative_infinity += other.negative_infinity;
  }
};

/// The sum and the sum of squares of a sequence. Blocks with an element that is not finite are left out: with it, every
/// result is NaN or infinite anyway, as `non_finite` says.
struct Moments {
  ExactSum sum;
  ExactSum squares;
  NonFinite non_finite;

  /// The sum; NaN or infinite as a sum of doubles would be.
  [[nodiscard]] LOUPE_DECL double total() const noexcept;
  LOUPE_DECL void merge(const Moments& other) noexcept;
};

/// Sums of integers modulo 2^64, and the extremes of those of 64 bits.
struct IntegerPartials {
  std::uint64_t sum = 0;
  std::uint64_t absolute_sum = 0;
  std::uint64_t product = 1;
  std::uint64_t absolute_product = 1;
  std::int64_t minimum = std::numeric_limits<std::int64_t>::max();             ///< of int64
  std::int64_t maximum = std::numeric_limits<std::int64_t>::min();
  std::uint64_t absolute_minimum = std::numeric_limits<std::uint64_t>::max();  ///< of int64 and uint64
  std::uint64_t absolute_maximum = 0;

  LOUPE_DECL void merge(const IntegerPartials& other) noexcept;
};

/// What one pass over a tensor, or over a piece of one, leaves behind. Merging is associative: pieces cut at multiples of
/// `reduction_block` elements have partials that merge to those of the whole, in whatever groups.
struct Partials {
  ElementType type = ElementType::none;
  StatisticSet wanted;
  std::int64_t count = 0;
  std::int64_t zeros = 0;                                    ///< where `abs_min` or `zero_count` is wanted
  std::int64_t first_non_finite = -1;
  double minimum = std::numeric_limits<double>::infinity();  ///< extremes pass NaN over; not of 64-bit integers
  double maximum = -std::numeric_limits<double>::infinity();
  double absolute_minimum = std::numeric_limits<double>::infinity();  ///< where `abs_min` or `zero_count` is wanted
  Moments real;           ///< of the elements, of complex ones the real parts
  Moments imaginary;
  Moments absolute;       ///< of absolute values; see `absolute_squares`
  NonFinite non_finite;   ///< of the elements; infinite complex numbers count as positive
  IntegerPartials integer;
  ScaledProduct product;  ///< where wanted; of finite elements and the signs of infinite ones; complex: of magnitudes

  /// The pass. The view has a tensor of valid shape in host memory. A tensor of strings has partials without any value.
  [[nodiscard]] static LOUPE_DECL Partials of(const TensorView& view, StatisticSet wanted);
  /// The pass with the loops of one instruction set.
  [[nodiscard]] static LOUPE_DECL Partials of(const TensorView& view, StatisticSet wanted,
                                              const ReductionKernels& kernels);
  /// Takes in the partials of the elements that follow.
  LOUPE_DECL void merge(const Partials& next) noexcept;

  /// The sum of the elements (of complex ones the real parts), or of their absolute values: NaN if an element is, infinite
  /// if one is, NaN where infinities cancel.
  [[nodiscard]] LOUPE_DECL double total(bool of_absolute) const noexcept;
  /// The squares of the absolute values: those of the elements, unless these were doubles on the way, of which squares
  /// are rounded; then each mean has its own, rounded so that it doesn't spoil the differences from that mean.
  [[nodiscard]] LOUPE_DECL const ExactSum& absolute_squares() const noexcept;
  /// The sum of squared differences of the elements from their mean, or of their absolute values from theirs: NaN if an
  /// element is not finite, infinite if squares overflow. However small it is beside the squares, it is as precise as
  /// the elements allow.
  [[nodiscard]] LOUPE_DECL double squared_deviations(bool of_absolute) const noexcept;
  /// The square root of the sum of squares.
  [[nodiscard]] LOUPE_DECL double euclidean_norm() const noexcept;
  /// The product of the elements, or of their magnitudes (of complex elements the latter).
  [[nodiscard]] LOUPE_DECL double product_value(bool of_absolute) const noexcept;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/reduce/partials.ipp"
#include "loupe/reduce/partials_pass.ipp"
#endif
