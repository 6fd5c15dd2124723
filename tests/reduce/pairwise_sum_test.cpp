#include "loupe/reduce/pairwise_sum.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

using loupe::pairwise_sum;

namespace {

// Hands out 1/1, 1/2, 1/3, … as floats.
struct Harmonic {
  std::vector<std::size_t> asked;
  std::size_t at = 0;
  void operator()(float* out, std::size_t count) {
    asked.push_back(count);
    for (std::size_t index = 0; index < count; ++index) out[index] = 1.0f / static_cast<float>(++at);
  }
};

float sum_of(std::int64_t count) {
  Harmonic next;
  return pairwise_sum<float, 8>(next, count);
}

}  // namespace

TEST_CASE("the order is numpy's") {
  // float(numpy.sum(numpy.float32(1) / numpy.arange(1, n + 1, dtype=numpy.float32))) of numpy 1.24.2
  CHECK(sum_of(0) == 0);
  CHECK(sum_of(7) == 2.5928573608398438f);
  CHECK(sum_of(100) == 5.187378406524658f);
  CHECK(sum_of(129) == 5.440899848937988f);
  CHECK(sum_of(300) == 6.282664775848389f);
  CHECK(sum_of(1000) == 7.485471725463867f);
}

TEST_CASE("numbers are asked for in order, at most 128 at once") {
  Harmonic next;
  pairwise_sum<float, 8>(next, 10'000);
  std::size_t all = 0;
  for (const std::size_t count : next.asked) {
    CHECK(count <= 128);
    all += count;
  }
  CHECK(all == 10'000);
}

TEST_CASE("each piece's sum is rounded as the caller wants") {
  Harmonic next;
  int pieces = 0;
  pairwise_sum<float, 8>(next, 20'000, [&](float sum) {
    ++pieces;
    return sum;
  });
  CHECK(pieces == 3);
}
