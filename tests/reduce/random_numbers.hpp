#pragma once
/// @file
/// Numbers for property tests: the same on every machine.

#include <bit>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "loupe/base/element_type.hpp"
#include "loupe/base/half.hpp"

namespace test {

class RandomNumbers {
 public:
  explicit RandomNumbers(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  /// Less than `limit`.
  std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }
  /// From -1 to 1.
  double unit() { return static_cast<double>(static_cast<std::int64_t>(engine_()) >> 11) * 0x1p-52; }
  /// Roughly normal.
  double normal() { return (unit() + unit() + unit()) * 1.7; }

  /// Any finite double or float, all exponents being equally likely.
  template <class Real>
  Real any_finite() {
    using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
    while (true) {
      const auto number = std::bit_cast<Real>(static_cast<Bits>(engine_()));
      if (number - number == 0) return number;
    }
  }

 private:
  std::mt19937_64 engine_;
};

/// `number` as an element; integers are cut off.
template <class Element>
Element element_from(double number) {
  if constexpr (std::is_same_v<Element, loupe::Float16>) return loupe::to_float16(number);
  else if constexpr (std::is_same_v<Element, loupe::BFloat16>) return loupe::to_bfloat16(static_cast<float>(number));
  else if constexpr (std::is_same_v<Element, bool>) return number > 0;
  else return static_cast<Element>(number);
}

template <class Element>
double as_double(Element element) {
  if constexpr (std::is_same_v<Element, loupe::Float16> || std::is_same_v<Element, loupe::BFloat16>)
    return static_cast<double>(loupe::to_float(element));
  else return static_cast<double>(element);
}

/// Elements around `middle`.
template <class Element>
std::vector<Element> elements_around(std::uint64_t seed, std::size_t count, double middle, double spread) {
  RandomNumbers random(seed);
  std::vector<Element> elements(count);
  for (auto&& element : elements) element = element_from<Element>(middle + spread * random.normal());
  return elements;
}

}  // namespace test
