#pragma once
/// @file
/// When numbers are taken for equal, as numpy.allclose does (rules.md section 4).

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "loupe/base/config.hpp"
#include "loupe/rules/parameters.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// How far apart two numbers may be: |a - b| ≤ atol + rtol · |b|, b being the reference. Equal infinities are close, others
/// not; NaN is close to NaN only with `equal_nan`.
struct Closeness {
  double rtol = 1e-5;
  double atol = 1e-8;
  bool equal_nan = false;

  void visit(ParameterVisitor& visitor) {
    visitor.number("rtol", rtol, at_least(0));
    visitor.number("atol", atol, at_least(0));
    visitor.flag("equal_nan", equal_nan);
  }
  [[nodiscard]] bool are_close(double number, double reference) const noexcept {
    if (std::isnan(number) || std::isnan(reference)) return equal_nan && std::isnan(number) && std::isnan(reference);
    if (std::isinf(number) || std::isinf(reference)) return number == reference;
    return std::abs(number - reference) <= atol + rtol * std::abs(reference);
  }
  [[nodiscard]] bool are_close(std::span<const double> numbers, std::span<const double> references) const noexcept {
    return std::equal(numbers.begin(), numbers.end(), references.begin(), references.end(),
                      [this](double number, double reference) { return are_close(number, reference); });
  }
};

/// The largest absolute difference of two rows of the same length; pairs with a NaN are left out.
inline double largest_difference(std::span<const double> numbers, std::span<const double> references) noexcept {
  double largest = 0;
  for (std::size_t index = 0; index < numbers.size(); ++index)
    if (numbers[index] != references[index]) largest = std::fmax(largest, std::abs(numbers[index] - references[index]));
  return largest;
}

}  // namespace loupe::inline LOUPE_ABI::rules
