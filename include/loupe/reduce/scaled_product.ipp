#include "loupe/reduce/contraction.hpp"
#include "loupe/reduce/scaled_product.hpp"

namespace loupe::inline LOUPE_ABI {

namespace detail {

// Multiplies the pair `high + low` by another, the magnitudes of the highs being in [1, 2).
LOUPE_NO_CONTRACTION inline void multiply_pair(double& high, double& low, double by_high, double by_low) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  const auto upper_half = [](double number) noexcept {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(number) & ~std::uint64_t{0x7FFFFFF});
  };
  const double a = upper_half(high);
  const double a_rest = high - a;
  const double b = upper_half(by_high);
  const double b_rest = by_high - b;
  // The product of the highs with its rounding error (Dekker), and the cross terms.
  const double product = high * by_high;
  const double error = ((a * b - product) + a * b_rest + a_rest * b) + a_rest * b_rest;
  const double lesser = error + (high * by_low + low * by_high);
  high = product + lesser;
  low = lesser - (high - product);
}

}  // namespace detail

LOUPE_DECL void ScaledProduct::multiply_magnitude(double high, double low) noexcept {
  detail::multiply_pair(high_, low_, high, low);
  const double scale = high_ >= 2 ? 0.5 : high_ < 1 ? 2 : 1;
  high_ *= scale;
  low_ *= scale;
  if (scale == 0.5) ++exponent_;
  if (scale == 2) --exponent_;
}

LOUPE_DECL void ScaledProduct::multiply(double mantissa, std::int64_t exponent) noexcept {
  if (__builtin_signbit(mantissa)) is_negative_ = !is_negative_;
  if (mantissa == 0) {
    is_zero_ = true;
    return;
  }
  int shift = 0;
  const double half = __builtin_frexp(__builtin_fabs(mantissa), &shift);
  exponent_ += exponent + shift - 1;
  multiply_magnitude(2 * half, 0);
}

LOUPE_DECL void ScaledProduct::merge(const ScaledProduct& other) noexcept {
  if (other.is_negative_) is_negative_ = !is_negative_;
  is_zero_ = is_zero_ || other.is_zero_;
  exponent_ += other.exponent_;
  multiply_magnitude(other.high_, other.low_);
}

LOUPE_DECL double ScaledProduct::value() const noexcept {
  if (is_zero_) return 0 * sign();
  const std::int64_t limit = 4096;
  const std::int64_t exponent = exponent_ > limit ? limit : exponent_ < -limit ? -limit : exponent_;
  return sign() * __builtin_ldexp(high_ + low_, static_cast<int>(exponent));
}

}  // namespace loupe::inline LOUPE_ABI
