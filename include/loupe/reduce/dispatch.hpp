#pragma once
/// @file
/// The loops of kernel.hpp compiled for several instruction sets, one of which is chosen at run time. All give the same
/// bits.

#include <cstddef>
#include <cstdint>

#include "loupe/base/config.hpp"
#include "loupe/base/half.hpp"
#include "loupe/reduce/kernel.hpp"

namespace loupe::inline LOUPE_ABI {

/// What the loops are compiled for. `baseline` is what the whole program is compiled for (SSE2 on x86-64).
enum class InstructionSet : std::uint8_t { baseline, avx2, avx512 };

/// The best set that this processor has and loupe was built with; with `LOUPE_NO_INTRINSICS` always `baseline`.
[[nodiscard]] LOUPE_DECL InstructionSet best_instruction_set() noexcept;

/// The loops for one instruction set. Each takes at most `reduction_block` elements of any alignment; the counting ones
/// also fill `absolute_minimum` and `zeros`.
struct ReductionKernels {
  using Floats = void (*)(const std::byte* elements, std::size_t count, BlockSums<float>& out) noexcept;
  using Doubles = void (*)(const std::byte* elements, std::size_t count, BlockSums<double>& out) noexcept;
  using Widen = void (*)(const std::byte* elements, std::size_t count, float* out) noexcept;
  using Multiply = void (*)(const std::byte* elements, std::size_t count, double (&mantissas)[detail::lanes],
                            std::int64_t (&exponents)[detail::lanes]) noexcept;
  Floats floats;
  Floats floats_counting;
  Doubles doubles;
  Doubles doubles_counting;
  Multiply multiply_floats;
  Multiply multiply_doubles;
  Widen widen_float16;
  Widen widen_bfloat16;
};

/// The loops for `set`, which the processor must have.
[[nodiscard]] LOUPE_DECL const ReductionKernels& reduction_kernels(InstructionSet set) noexcept;

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/reduce/dispatch.ipp"
#endif
