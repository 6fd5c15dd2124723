#pragma once
/// @file
/// Products of doubles that neither overflow nor underflow on the way.

#include <bit>
#include <cstddef>
#include <cstdint>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// A product of finite doubles: a sign, a mantissa of 106 bits and an exponent. Each multiplication errs by less than
/// 2^-102, so the order in which products are merged can't be seen in `value`, short of a coincidence in 2^-45.
class ScaledProduct {
 public:
  /// Multiplies by `mantissa * 2^exponent`; `mantissa` is finite.
  LOUPE_DECL void multiply(double mantissa, std::int64_t exponent = 0) noexcept;
  LOUPE_DECL void merge(const ScaledProduct& other) noexcept;
  /// The product rounded to a double: infinite when it is too large; 1 if there were no factors.
  [[nodiscard]] LOUPE_DECL double value() const noexcept;
  [[nodiscard]] bool is_zero() const noexcept { return is_zero_; }
  /// -1 or 1: the product of the factors' signs, also when the product is zero.
  [[nodiscard]] double sign() const noexcept { return is_negative_ ? -1 : 1; }

 private:
  LOUPE_DECL void multiply_magnitude(double high, double low) noexcept;

  double high_ = 1;  // in [1, 2)
  double low_ = 0;
  std::int64_t exponent_ = 0;
  bool is_negative_ = false;
  bool is_zero_ = false;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/reduce/scaled_product.ipp"
#endif
