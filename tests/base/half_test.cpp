#include "loupe/base/half.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "support/catch.hpp"

using loupe::BFloat16;
using loupe::Float16;
using loupe::to_bfloat16;
using loupe::to_float;
using loupe::to_float16;

TEST_CASE("every float16 survives the way through float and double") {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Float16 half{static_cast<std::uint16_t>(bits)};
    const float number = to_float(half);
    if (std::isnan(number)) {
      CHECK(std::isnan(to_float(to_float16(number))));
      continue;
    }
    if (to_float16(number).bits != bits || to_float16(static_cast<double>(number)).bits != bits) FAIL("bits " << bits);
  }
}

TEST_CASE("known float16 numbers have their bits") {
  CHECK(to_float16(1.0f).bits == 0x3C00);
  CHECK(to_float16(-2.0f).bits == 0xC000);
  CHECK(to_float16(65504.0f).bits == 0x7BFF);
  CHECK(to_float16(65520.0f).bits == 0x7C00);
  CHECK(to_float16(65519.99f).bits == 0x7BFF);
  CHECK(to_float16(5.9604645e-8f).bits == 0x0001);
  CHECK(to_float16(2.9802322e-8f).bits == 0x0000);
  CHECK(to_float16(-0.0f).bits == 0x8000);
  CHECK(to_float(Float16{0x0001}) == 5.9604644775390625e-8f);
  CHECK(to_float(Float16{0x7C00}) == std::numeric_limits<float>::infinity());
}

TEST_CASE("rounding to float16 picks the nearest, and the even one of two") {
  std::mt19937 random(7);
  for (int round = 0; round < 200000; ++round) {
    const auto magnitude = static_cast<std::uint16_t>(random() % 0x7BFF);
    const double below = static_cast<double>(to_float(Float16{magnitude}));
    const double above = static_cast<double>(to_float(Float16{static_cast<std::uint16_t>(magnitude + 1)}));
    const double part = static_cast<double>(random()) / 4294967296.0;
    const double number = below + (above - below) * part;
    const double middle = below + (above - below) / 2;
    const std::uint16_t expected = number < middle || (number == middle && magnitude % 2 == 0)
                                       ? magnitude
                                       : static_cast<std::uint16_t>(magnitude + 1);
    if (to_float16(number).bits != expected) FAIL("number " << number);
    if (to_float16(-number).bits != (expected | 0x8000)) FAIL("number " << -number);
  }
  const double tie = 1.0 + 1.0 / 2048;
  CHECK(to_float16(tie).bits == 0x3C00);
  CHECK(to_float16(std::nextafter(tie, 2.0)).bits == 0x3C01);
  CHECK(to_float16(std::nextafter(tie, 0.0)).bits == 0x3C00);
}

TEST_CASE("bfloat16 is the rounded upper half of a float") {
  CHECK(to_bfloat16(1.0f).bits == 0x3F80);
  CHECK(to_bfloat16(1 + 0x1p-8).bits == 0x3F80);             // a tie
  CHECK(to_bfloat16(1 + 0x1p-8 + 0x1p-40).bits == 0x3F81);   // as a float the same tie
  CHECK(to_bfloat16(-1 - 0x1p-8 - 0x1p-40).bits == 0xBF81);
  CHECK(to_bfloat16(1 + 3 * 0x1p-8 - 0x1p-40).bits == 0x3F81);
  CHECK(to_float(BFloat16{0x3F80}) == 1.0f);
  CHECK(to_bfloat16(std::numeric_limits<float>::max()).bits == 0x7F80);
  CHECK(std::isnan(to_float(to_bfloat16(std::numeric_limits<float>::quiet_NaN()))));
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float number = to_float(BFloat16{static_cast<std::uint16_t>(bits)});
    if (!std::isnan(number) && to_bfloat16(number).bits != bits) FAIL("bits " << bits);
  }
}
