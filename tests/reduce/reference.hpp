#pragma once
/// @file
/// The statistics worked out plainly in long double, to hold the fused ones against.

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "loupe/reduce/statistic.hpp"
#include "reduce/random_numbers.hpp"

namespace test {

/// All statistics of real numbers; NaN for extremes of nothing.
template <class Element>
class Reference {
 public:
  explicit Reference(const std::vector<Element>& elements) {
    for (const Element element : elements) numbers_.push_back(static_cast<long double>(as_double(element)));
    if constexpr (std::is_integral_v<Element>)
      for (std::size_t index = 0; index < elements.size(); ++index)
        numbers_[index] = static_cast<long double>(elements[index]);
  }

  long double operator[](loupe::Statistic statistic) const {
    using loupe::Statistic;
    std::vector<long double> numbers = numbers_;
    if (loupe::is_absolute(statistic))
      for (long double& number : numbers) number = std::fabs(number);
    const auto size = static_cast<long double>(numbers.size());
    switch (loupe::without_absolute(statistic)) {
      case Statistic::min: return extreme(numbers, [](long double a, long double b) { return a < b; });
      case Statistic::max: return extreme(numbers, [](long double a, long double b) { return a > b; });
      case Statistic::mean: return sum(numbers) / size;
      case Statistic::variance: return variance(numbers);
      case Statistic::std: return std::sqrt(variance(numbers));
      case Statistic::sum: return sum(numbers);
      case Statistic::prod: {
        long double product = 1;
        for (const long double number : numbers) product *= number;
        return product;
      }
      case Statistic::l1: {
        for (long double& number : numbers) number = std::fabs(number);
        return sum(numbers);
      }
      case Statistic::l2: {
        for (long double& number : numbers) number *= number;
        return std::sqrt(sum(numbers));
      }
      default: return static_cast<long double>(count(statistic));
    }
  }

  std::int64_t count(loupe::Statistic statistic) const {
    using loupe::Statistic;
    std::int64_t found = 0;
    for (std::size_t index = 0; index < numbers_.size(); ++index) {
      const long double number = numbers_[index];
      if (statistic == Statistic::first_non_finite && !std::isfinite(number)) return static_cast<std::int64_t>(index);
      if (statistic == Statistic::nan_count) found += std::isnan(number);
      if (statistic == Statistic::positive_infinity_count) found += std::isinf(number) && number > 0;
      if (statistic == Statistic::negative_infinity_count) found += std::isinf(number) && number < 0;
      if (statistic == Statistic::zero_count) found += number == 0;
    }
    return statistic == Statistic::first_non_finite ? -1 : found;
  }

 private:
  template <class Before>
  static long double extreme(const std::vector<long double>& numbers, Before before) {
    if (numbers.empty()) return std::numeric_limits<long double>::quiet_NaN();
    long double best = numbers[0];
    for (const long double number : numbers) {
      if (std::isnan(number)) return number;
      if (before(number, best)) best = number;
    }
    return best;
  }
  // Neumaier's compensated sum.
  static long double sum(const std::vector<long double>& numbers) {
    long double total = 0;
    long double lost = 0;
    for (const long double number : numbers) {
      const long double next = total + number;
      lost += std::fabs(total) >= std::fabs(number) ? (total - next) + number : (number - next) + total;
      total = next;
    }
    return std::isfinite(total) ? total + lost : total;
  }
  static long double variance(const std::vector<long double>& numbers) {
    const auto size = static_cast<long double>(numbers.size());
    const long double mean = sum(numbers) / size;
    std::vector<long double> squares;
    for (const long double number : numbers) squares.push_back((number - mean) * (number - mean));
    return sum(squares) / size;
  }

  std::vector<long double> numbers_;
};

/// Whether two numbers are equal up to a relative error; NaN equals NaN.
inline bool agrees(long double value, long double expected, long double tolerance) {
  if (std::isnan(expected)) return std::isnan(value);
  if (std::isinf(expected) || std::isinf(value)) return value == expected;
  return std::fabs(value - expected) <= tolerance * std::fabs(expected);
}

}  // namespace test
