#pragma once
/// @file
/// Means and percentiles of numbers that rules have at hand (rules.md section 4).

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// The mean of `number(0)` … `number(count - 1)`, in eight partial sums. Where a sum would overflow it is a running mean,
/// which doesn't; NaN and infinities pass through. `count` is at least 1.
template <class Number>
double mean_of(std::size_t count, Number number) {
  double sums[8] = {};
  for (std::size_t index = 0; index < count; ++index) sums[index % 8] += number(index);
  const double sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  if (std::isfinite(sum)) return sum / static_cast<double>(count);
  double mean = 0;
  for (std::size_t index = 0; index < count; ++index) {
    const double next = number(index);
    if (!std::isfinite(next)) return sum;
    mean += next / static_cast<double>(index + 1) - mean / static_cast<double>(index + 1);
  }
  return mean;
}

/// The percentile of numbers by linear interpolation between ranks, as numpy's default; the numbers are put into another
/// order. At least one number, none of them NaN; `percent` is 0 to 100.
inline double percentile(std::span<double> numbers, double percent) {
  const double rank = percent / 100 * static_cast<double>(numbers.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const auto nth = numbers.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(numbers.begin(), nth, numbers.end());
  const double fraction = rank - static_cast<double>(below);
  if (fraction == 0) return *nth;
  const double above = *std::min_element(nth + 1, numbers.end());
  return *nth + (above - *nth) * fraction;
}

}  // namespace loupe::inline LOUPE_ABI::rules
