#pragma once
/// @file
/// Sums of doubles without rounding: what makes merging associative.

#include <cstdint>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// The exact sum of any doubles: a fixed-point number with one digit (a limb of 32 bits) for each 32 binary places from
/// 2^-1074 to 2^1100. Adding is exact, so neither the order of the terms nor the cutting into partial sums matters; only
/// `value` rounds, once. Infinities and NaN behave as in a sum of doubles. Only the limbs in use are kept initialised.
///
/// After the "small superaccumulator" of R. M. Neal, Fast exact summation using small and large superaccumulators (2015).
class ExactSum {
 public:
  ExactSum() noexcept {}  // NOLINT: limbs outside [low_, high_) are never read
  LOUPE_DECL ExactSum(const ExactSum& other) noexcept;
  LOUPE_DECL ExactSum& operator=(const ExactSum& other) noexcept;

  LOUPE_DECL void add(double term) noexcept;
  /// Adds `a * b` with a relative error below 2^-105. Where the product overflows or is below 2^-960 it is rounded.
  LOUPE_DECL void add_product(double a, double b) noexcept;
  LOUPE_DECL void merge(const ExactSum& other) noexcept;

  /// The sum rounded to nearest, ties to even; 0 if there were no terms.
  [[nodiscard]] LOUPE_DECL double value() const noexcept;
  /// The sum as three doubles of falling size; the first is `value()`. Together they have 159 bits.
  LOUPE_DECL void expand(double (&parts)[3]) const noexcept;

 private:
  static constexpr int limb_count = 70;
  LOUPE_DECL void open(int first, int last) noexcept;
  LOUPE_DECL void carry() noexcept;

  std::int64_t limbs_[limb_count];  // limb i counts in units of 2^(32 i - 1074)
  double special_ = 0;              // the sum of terms that are not finite
  int low_ = limb_count;
  int high_ = 0;
  std::uint32_t terms_ = 0;  // an upper bound of |limb| / 2^32
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/reduce/exact_sum.ipp"
#endif
