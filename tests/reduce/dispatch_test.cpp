#include "loupe/reduce/dispatch.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "reduce/hostile_floats.hpp"
#include "support/catch.hpp"

using namespace loupe;

namespace {

// The instruction sets that this processor has.
std::vector<InstructionSet> available_sets() {
  std::vector<InstructionSet> sets{InstructionSet::baseline};
  for (const InstructionSet set : {InstructionSet::avx2, InstructionSet::avx512})
    if (set <= best_instruction_set()) sets.push_back(set);
  return sets;
}

template <class Real>
std::vector<std::uint64_t> bits_of(const BlockSums<Real>& sums, bool is_counting) {
  std::vector<std::uint64_t> all;
  const auto add = [&](auto number) {
    // Which NaN it is doesn't matter.
    all.push_back(std::isnan(number) ? 1 : std::bit_cast<std::uint64_t>(static_cast<double>(number)));
  };
  add(sums.minimum);
  add(sums.maximum);
  add(sums.sum);
  add(sums.absolute_sum);
  add(sums.squares);
  add(sums.squares_low);
  if (is_counting) {
    add(sums.absolute_minimum);
    all.push_back(sums.zeros);
  }
  return all;
}

template <class Real, class Kernel>
std::vector<std::uint64_t> run(Kernel kernel, const std::vector<Real>& elements, bool is_counting) {
  BlockSums<Real> sums;
  kernel(reinterpret_cast<const std::byte*>(elements.data()), elements.size(), sums);
  return bits_of(sums, is_counting);
}

}  // namespace

TEST_CASE("all instruction sets that this processor has give the same bits") {
  const ReductionKernels& baseline = reduction_kernels(InstructionSet::baseline);
  for (const InstructionSet set : available_sets()) {
    const ReductionKernels& kernels = reduction_kernels(set);
    for (const std::size_t count : {1u, 8u, 13u, 300u, 1024u, 4096u}) {
      for (const auto& block : test::hostile_blocks<float>(count, count)) {
        INFO(static_cast<int>(set) << ", " << block.name << ", " << count);
        CHECK(run(kernels.floats, block.elements, false) == run(baseline.floats, block.elements, false));
        CHECK(run(kernels.floats_counting, block.elements, true) ==
              run(baseline.floats_counting, block.elements, true));
        CHECK(run(kernels.floats, block.elements, false) == run(kernels.floats_counting, block.elements, false));
      }
      for (const auto& block : test::hostile_blocks<double>(count, count)) {
        INFO(static_cast<int>(set) << ", " << block.name << ", " << count);
        CHECK(run(kernels.doubles, block.elements, false) == run(baseline.doubles, block.elements, false));
        CHECK(run(kernels.doubles_counting, block.elements, true) ==
              run(baseline.doubles_counting, block.elements, true));
        CHECK(run(kernels.doubles, block.elements, false) == run(kernels.doubles_counting, block.elements, false));
      }
    }
  }
}

TEST_CASE("products have the same bits in all instruction sets") {
  for (const InstructionSet set : available_sets()) {
    const ReductionKernels& kernels = reduction_kernels(set);
    const ReductionKernels& baseline = reduction_kernels(InstructionSet::baseline);
    const auto floats = test::elements_around<float>(6, 1001, 0.01, 3);
    const auto doubles = test::elements_around<double>(7, 1001, 0.01, 3);
    const auto check = [&](auto kernel, auto expected_kernel, const auto& elements) {
      double mantissas[2][detail::lanes];
      std::int64_t exponents[2][detail::lanes];
      const auto* bytes = reinterpret_cast<const std::byte*>(elements.data());
      kernel(bytes, elements.size(), mantissas[0], exponents[0]);
      expected_kernel(bytes, elements.size(), mantissas[1], exponents[1]);
      CHECK(std::memcmp(mantissas[0], mantissas[1], sizeof mantissas[0]) == 0);
      CHECK(std::memcmp(exponents[0], exponents[1], sizeof exponents[0]) == 0);
    };
    check(kernels.multiply_floats, baseline.multiply_floats, floats);
    check(kernels.multiply_doubles, baseline.multiply_doubles, doubles);
  }
}

TEST_CASE("every float16 and bfloat16 is widened exactly") {
  for (const InstructionSet set : available_sets()) {
    const ReductionKernels& kernels = reduction_kernels(set);
    for (std::uint32_t first = 0; first < 0x10000; first += 4000) {
      std::vector<std::uint16_t> halves;
      for (std::uint32_t bits = first; bits < first + 4000 && bits < 0x10000; ++bits)
        halves.push_back(static_cast<std::uint16_t>(bits));
      const auto* bytes = reinterpret_cast<const std::byte*>(halves.data());
      std::vector<float> wide(halves.size());
      const auto count_wrong = [&](auto make) {
        int wrong = 0;
        for (std::size_t index = 0; index < halves.size(); ++index) {
          const float expected = to_float(make(halves[index]));
          if (std::memcmp(&wide[index], &expected, sizeof expected) != 0) ++wrong;
        }
        return wrong;
      };
      kernels.widen_float16(bytes, halves.size(), wide.data());
      CHECK(count_wrong([](std::uint16_t bits) { return Float16{bits}; }) == 0);
      kernels.widen_bfloat16(bytes, halves.size(), wide.data());
      CHECK(count_wrong([](std::uint16_t bits) { return BFloat16{bits}; }) == 0);
    }
  }
}
