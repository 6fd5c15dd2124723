#include <bit>
#include <cstring>

#include "loupe/reduce/contraction.hpp"
#include "loupe/reduce/exact_sum.hpp"

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL ExactSum::ExactSum(const ExactSum& other) noexcept { *this = other; }

LOUPE_DECL ExactSum& ExactSum::operator=(const ExactSum& other) noexcept {
  if (this == &other) return *this;
  special_ = other.special_;
  low_ = other.low_;
  high_ = other.high_;
  terms_ = other.terms_;
  for (int limb = low_; limb < high_; ++limb) limbs_[limb] = other.limbs_[limb];
  return *this;
}

LOUPE_DECL void ExactSum::open(int first, int last) noexcept {
  if (low_ >= high_) low_ = high_ = first;
  while (low_ > first) limbs_[--low_] = 0;
  while (high_ < last) limbs_[high_++] = 0;
}

LOUPE_DECL void ExactSum::carry() noexcept {
  constexpr std::int64_t base = std::int64_t{1} << 32;
  for (int limb = low_; limb < high_; ++limb) {
    const bool is_top = limb + 1 == high_;
    if (is_top && limbs_[limb] > -base && limbs_[limb] < base) break;
    if (is_top) limbs_[high_++] = 0;
    const std::int64_t over = limbs_[limb] >> 32;
    limbs_[limb] -= over * base;
    limbs_[limb + 1] += over;
  }
  terms_ = 2;
}

LOUPE_DECL void ExactSum::add(double term) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(term);
  const auto exponent = static_cast<int>((bits >> 52) & 0x7FF);
  if (exponent == 0x7FF) {
    special_ += term;
    return;
  }
  std::uint64_t mantissa = bits & 0xFFFFFFFFFFFFFu;
  if (exponent != 0) mantissa |= std::uint64_t{1} << 52;
  if (mantissa == 0) return;
  const int place = exponent != 0 ? exponent - 1 : 0;
  const int limb = place >> 5;
  const int shift = place & 31;
  // The mantissa, shifted, spans up to three limbs.
  const auto lowest = static_cast<std::int64_t>((mantissa << shift) & 0xFFFFFFFFu);
  const std::uint64_t rest = (mantissa >> (32 - shift));
  const auto middle = static_cast<std::int64_t>(rest & 0xFFFFFFFFu);
  const auto highest = static_cast<std::int64_t>(rest >> 32);
  if (limb < low_ || limb + 3 > high_) open(limb, limb + 3);
  if ((bits >> 63) == 0) {
    limbs_[limb] += lowest;
    limbs_[limb + 1] += middle;
    limbs_[limb + 2] += highest;
  } else {
    limbs_[limb] -= lowest;
    limbs_[limb + 1] -= middle;
    limbs_[limb + 2] -= highest;
  }
  if (++terms_ >= std::uint32_t{1} << 29) carry();
}

LOUPE_DECL void ExactSum::add_product(double a, double b) noexcept {
  const double product = a * b;
  const double magnitude = product < 0 ? -product : product;
  if (!(magnitude >= 0x1p-960 && magnitude <= 0x1p1000)) {
    add(product);
    return;
  }
  // Halves of at most 27 bits, whose products are exact (that of the lower halves nearly).
  const auto upper_half = [](double number) noexcept {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(number) & ~std::uint64_t{0x7FFFFFF});
  };
  const double a_high = upper_half(a);
  const double b_high = upper_half(b);
  const double a_low = a - a_high;
  const double b_low = b - b_high;
  add(a_high * b_high);
  add(a_high * b_low);
  add(a_low * b_high);
  add(a_low * b_low);
}

LOUPE_DECL void ExactSum::merge(const ExactSum& other) noexcept {
  special_ += other.special_;
  if (other.low_ >= other.high_) return;
  if (terms_ + other.terms_ >= std::uint32_t{1} << 29) carry();
  open(other.low_, other.high_);
  for (int limb = other.low_; limb < other.high_; ++limb) limbs_[limb] += other.limbs_[limb];
  terms_ += other.terms_;
}

LOUPE_DECL double ExactSum::value() const noexcept {
  if (special_ != 0) return special_;
  // Digits of base 2^32, all positive, carries being passed upward; of the negated sum if it is negative.
  std::uint64_t digits[limb_count + 1];
  const auto spread = [&](std::int64_t factor) {
    std::int64_t over = 0;
    for (int limb = low_; limb < high_; ++limb) {
      const std::int64_t total = factor * limbs_[limb] + over;
      digits[limb] = static_cast<std::uint64_t>(total) & 0xFFFFFFFFu;
      over = total >> 32;
    }
    digits[high_] = static_cast<std::uint64_t>(over);
    return over;
  };
  const bool is_negative = spread(1) < 0;
  if (is_negative) spread(-1);
  int top = high_;
  while (top >= low_ && digits[top] == 0) --top;
  if (top < low_) return 0;
  const auto digit = [&](int limb) { return limb >= low_ && limb <= top ? digits[limb] : 0; };
  const double sign = is_negative ? -1.0 : 1.0;
  const int leading = 32 * top + 31 - std::countl_zero(static_cast<std::uint32_t>(digits[top]));
  const int lowest = leading - 52;  // the place of the result's last bit
  if (lowest <= 0) return sign * std::bit_cast<double>(digit(0) | (digit(1) << 32));
  if (lowest > 2045) return sign * __builtin_inf();
  const int limb = lowest >> 5;
  const int shift = lowest & 31;
  std::uint64_t mantissa =
      (digit(limb) >> shift) | (digit(limb + 1) << (32 - shift)) | ((digit(limb + 2) << 32) << (32 - shift));
  mantissa &= 0x1FFFFFFFFFFFFFu;
  const int half_place = lowest - 1;
  const std::uint64_t half_digit = digit(half_place >> 5);
  const std::uint64_t half = (half_digit >> (half_place & 31)) & 1u;
  bool is_more = (half_digit & ((std::uint64_t{1} << (half_place & 31)) - 1)) != 0;
  for (int below = (half_place >> 5) - 1; !is_more && below >= low_; --below) is_more = digits[below] != 0;
  if (half != 0 && (is_more || (mantissa & 1u) != 0)) ++mantissa;
  // A mantissa with its leading one at bit 52 adds one to the exponent field.
  return sign * std::bit_cast<double>((static_cast<std::uint64_t>(lowest) << 52) + mantissa);
}

LOUPE_DECL void ExactSum::expand(double (&parts)[3]) const noexcept {
  parts[0] = value();
  parts[1] = parts[2] = 0;
  if (special_ != 0 || parts[0] - parts[0] != 0) return;
  ExactSum rest(*this);
  rest.add(-parts[0]);
  parts[1] = rest.value();
  rest.add(-parts[1]);
  parts[2] = rest.value();
}

}  // namespace loupe::inline LOUPE_ABI
