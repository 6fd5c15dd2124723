#pragma once
/// @file
/// Blocks of floating-point numbers that bring out differences between ways of adding them.

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "reduce/random_numbers.hpp"

namespace test {

template <class Real>
struct NamedBlock {
  std::string name;
  std::vector<Real> elements;
};

/// Blocks of `count` elements.
template <class Real>
std::vector<NamedBlock<Real>> hostile_blocks(std::size_t count, std::uint64_t seed) {
  using Limits = std::numeric_limits<Real>;
  RandomNumbers random(seed);
  const auto fill = [&](auto&& make) {
    std::vector<Real> elements(count);
    for (Real& element : elements) element = static_cast<Real>(make());
    return elements;
  };
  std::vector<NamedBlock<Real>> blocks{
      {"normal", fill([&] { return random.normal(); })},
      {"far from zero", fill([&] { return 1e7 + random.normal(); })},
      {"constant", fill([] { return 0.1; })},
      {"zeros of both signs", fill([&] { return random.bits() % 2 == 0 ? 0.0 : -0.0; })},
      {"half zeros", fill([&] { return random.bits() % 2 == 0 ? 0.0 : random.normal(); })},
      {"subnormal", fill([&] { return random.unit() * static_cast<double>(Limits::min()) / 4; })},
      {"any finite", fill([&] { return random.any_finite<Real>(); })},
      {"one outlier", fill([&] { return random.normal(); })},
      {"infinite",
       fill([&] { return random.below(50) == 0 ? static_cast<double>(Limits::infinity()) : random.normal(); })},
      {"both infinities", fill([&] {
         return random.below(3) == 0 ? (random.bits() % 2 == 0 ? 1 : -1) * static_cast<double>(Limits::infinity()) : 1;
       })},
      {"NaN", fill([&] { return random.below(50) == 0 ? static_cast<double>(Limits::quiet_NaN()) : random.normal(); })},
      {"all NaN", fill([] { return static_cast<double>(Limits::quiet_NaN()); })}};
  if (count > 2) blocks[7].elements[count / 2] = Limits::max() / 2;
  return blocks;
}

}  // namespace test
