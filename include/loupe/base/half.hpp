#pragma once
/// @file
/// float16 and bfloat16 as storage types: loupe stores and converts them, it does not compute in them.

#include <bit>
#include <cstdint>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// IEEE 754 binary16 bits.
struct Float16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(Float16, Float16) noexcept = default;
};

/// The upper half of a binary32.
struct BFloat16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(BFloat16, BFloat16) noexcept = default;
};

/// Exact.
constexpr float to_float(Float16 half) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(half.bits & 0x8000u) << 16;
  const std::uint32_t exponent = (half.bits >> 10) & 0x1Fu;
  std::uint32_t mantissa = half.bits & 0x3FFu;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000u | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  if (mantissa == 0) return std::bit_cast<float>(sign);
  const int shift = std::countl_zero(mantissa) - 21;
  mantissa = (mantissa << shift) & 0x3FFu;
  return std::bit_cast<float>(sign | (static_cast<std::uint32_t>(113 - shift) << 23) | (mantissa << 13));
}

/// Exact.
constexpr float to_float(BFloat16 half) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(half.bits) << 16);
}

/// Rounds to nearest, ties to even; too large becomes infinity, NaN stays NaN.
constexpr Float16 to_float16(float number) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(number);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u)
    return {static_cast<std::uint16_t>(sign | 0x7E00u | ((magnitude >> 13) & 0x3FFu))};
  if (magnitude >= 0x477FF000u) return {static_cast<std::uint16_t>(sign | 0x7C00u)};
  if (magnitude < 0x33000001u) return {sign};
  std::uint32_t rounded;
  std::uint32_t dropped;
  std::uint32_t half;
  if (magnitude < 0x38800000u) {
    const std::uint32_t shift = 126 - (magnitude >> 23);
    const std::uint32_t mantissa = (magnitude & 0x7FFFFFu) | 0x800000u;
    rounded = mantissa >> shift;
    dropped = mantissa & ((1u << shift) - 1);
    half = 1u << (shift - 1);
  } else {
    rounded = (magnitude - 0x38000000u) >> 13;
    dropped = magnitude & 0x1FFFu;
    half = 0x1000u;
  }
  if (dropped > half || (dropped == half && (rounded & 1u) != 0)) ++rounded;
  return {static_cast<std::uint16_t>(sign | rounded)};
}

/// A float that rounds to any narrower type as the double does. Rounding twice errs only where the float lies exactly
/// between two of the narrower numbers: it is nudged to the side of the double.
constexpr float to_float_for_rounding(double number) noexcept {
  const auto once = static_cast<float>(number);
  auto bits = std::bit_cast<std::uint32_t>(once);
  const double back = static_cast<double>(once);
  if (back != number && number == number && (bits & 0x7FFFFFFFu) < 0x7F800000u && (bits & 0x7FFFFFFFu) != 0 &&
      (bits & 1u) == 0) {
    const bool toward_larger = (number < 0 ? -number : number) > (back < 0 ? -back : back);
    bits = toward_larger ? bits + 1 : bits - 1;
  }
  return std::bit_cast<float>(bits);
}

/// As `to_float16(float)`, rounding once.
constexpr Float16 to_float16(double number) noexcept { return to_float16(to_float_for_rounding(number)); }

/// Rounds to nearest, ties to even; NaN stays NaN.
constexpr BFloat16 to_bfloat16(float number) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(number);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return {static_cast<std::uint16_t>((bits >> 16) | 0x40u)};
  return {static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16)};
}

/// As `to_bfloat16(float)`, rounding once.
constexpr BFloat16 to_bfloat16(double number) noexcept { return to_bfloat16(to_float_for_rounding(number)); }

}  // namespace loupe::inline LOUPE_ABI
