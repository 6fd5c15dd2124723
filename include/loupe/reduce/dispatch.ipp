#include <bit>
#include <cstring>

#include "loupe/reduce/dispatch.hpp"

namespace loupe::inline LOUPE_ABI {
namespace detail {

// Four float16 numbers, each in the lower half of 32 bits, as floats. Exact.
LOUPE_ALWAYS_INLINE void widen_four(const Vector<std::uint32_t, 16>& half, std::byte* out) noexcept {
  using Bits = Vector<std::uint32_t, 16>;
  using Floats = Vector<float, 16>;
  const Bits sign = (half & 0x8000u) << 16;
  const Bits magnitude = (half & 0x7FFFu) << 13;
  const Bits normal = magnitude + (magnitude >= 0x0F800000u ? Bits{} + (224u << 23) : Bits{} + (112u << 23));
  // A subnormal number is the mantissa of a float between 2^-14 and 2^-13, less 2^-14.
  const Bits subnormal = (Bits)((Floats)(magnitude + (113u << 23)) - 0x1p-14f);
  const Bits bits = sign | (magnitude < 0x00800000u ? subnormal : normal);
  std::memcpy(out, &bits, sizeof bits);
}

// `Half` is Float16 or BFloat16.
template <class Half>
LOUPE_ALWAYS_INLINE void widen_block(const std::byte* elements, std::size_t count, float* out) noexcept {
  using Halves = Vector<std::uint16_t, 16>;
  using Bits = Vector<std::uint32_t, 16>;
  auto* to = reinterpret_cast<std::byte*>(out);
  const std::size_t whole = count / lanes * lanes;
  for (std::size_t element = 0; element < whole; element += lanes) {
    Halves halves;
    std::memcpy(&halves, elements + 2 * element, sizeof halves);
    static_assert(std::endian::native == std::endian::little);
    if constexpr (std::is_same_v<Half, Float16>) {
      widen_four((Bits)__builtin_shufflevector(halves, Halves{}, 0, 8, 1, 9, 2, 10, 3, 11), to + 4 * element);
      widen_four((Bits)__builtin_shufflevector(halves, Halves{}, 4, 12, 5, 13, 6, 14, 7, 15), to + 4 * element + 16);
    } else {
      const Halves first = __builtin_shufflevector(halves, Halves{}, 8, 0, 9, 1, 10, 2, 11, 3);
      const Halves second = __builtin_shufflevector(halves, Halves{}, 12, 4, 13, 5, 14, 6, 15, 7);
      std::memcpy(to + 4 * element, &first, sizeof first);
      std::memcpy(to + 4 * element + 16, &second, sizeof second);
    }
  }
  for (std::size_t element = whole; element < count; ++element) {
    Half half;
    std::memcpy(&half, elements + 2 * element, sizeof half);
    out[element] = to_float(half);
  }
}

// The loops over floats may contract their only product, which is exact; see kernel.hpp.
#define LOUPE_REDUCTION_KERNELS(set, bytes, ...)                                                                       \
  __VA_ARGS__ inline void floats_##set(const std::byte* elements, std::size_t count, BlockSums<float>& out) noexcept { \
    reduce_block<float, bytes, false>(elements, count, out);                                                           \
  }                                                                                                                    \
  __VA_ARGS__ inline void floats_counting_##set(const std::byte* elements, std::size_t count,                          \
                                                BlockSums<float>& out) noexcept {                                      \
    reduce_block<float, bytes, true>(elements, count, out);                                                            \
  }                                                                                                                    \
  LOUPE_NO_CONTRACTION __VA_ARGS__ inline void doubles_##set(const std::byte* elements, std::size_t count,             \
                                                             BlockSums<double>& out) noexcept {                        \
    reduce_block<double, bytes, false>(elements, count, out);                                                          \
  }                                                                                                                    \
  LOUPE_NO_CONTRACTION __VA_ARGS__ inline void doubles_counting_##set(const std::byte* elements, std::size_t count,    \
                                                                      BlockSums<double>& out) noexcept {               \
    reduce_block<double, bytes, true>(elements, count, out);                                                           \
  }                                                                                                                    \
  __VA_ARGS__ inline void multiply_floats_##set(const std::byte* elements, std::size_t count,                          \
                                                double(&mantissas)[lanes], std::int64_t(&exponents)[lanes]) noexcept { \
    multiply_lanes<float, bytes>(elements, count, mantissas, exponents);                                               \
  }                                                                                                                    \
  __VA_ARGS__ inline void multiply_doubles_##set(const std::byte* elements, std::size_t count,                         \
                                                 double(&mantissas)[lanes],                                            \
                                                 std::int64_t(&exponents)[lanes]) noexcept {                           \
    multiply_lanes<double, bytes>(elements, count, mantissas, exponents);                                              \
  }                                                                                                                    \
  __VA_ARGS__ inline void widen_float16_##set(const std::byte* elements, std::size_t count, float* out) noexcept {     \
    widen_block<Float16>(elements, count, out);                                                                        \
  }                                                                                                                    \
  __VA_ARGS__ inline void widen_bfloat16_##set(const std::byte* elements, std::size_t count, float* out) noexcept {    \
    widen_block<BFloat16>(elements, count, out);                                                                       \
  }                                                                                                                    \
  inline constexpr ReductionKernels kernels_##set = {                                                                  \
      floats_##set,          floats_counting_##set,  doubles_##set,       doubles_counting_##set,                      \
      multiply_floats_##set, multiply_doubles_##set, widen_float16_##set, widen_bfloat16_##set};

LOUPE_REDUCTION_KERNELS(baseline, 16)
#if LOUPE_HAS_X86_DISPATCH
LOUPE_REDUCTION_KERNELS(avx2, 32, [[gnu::target("avx2,fma")]])
LOUPE_REDUCTION_KERNELS(avx512, 64, [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]])
#endif
#undef LOUPE_REDUCTION_KERNELS

}  // namespace detail

LOUPE_DECL InstructionSet best_instruction_set() noexcept {
#if LOUPE_HAS_X86_DISPATCH
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return InstructionSet::baseline;
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return has_avx512 ? InstructionSet::avx512 : InstructionSet::avx2;
#else
  return InstructionSet::baseline;
#endif
}

LOUPE_DECL const ReductionKernels& reduction_kernels([[maybe_unused]] InstructionSet set) noexcept {
#if LOUPE_HAS_X86_DISPATCH
  if (set == InstructionSet::avx512) return detail::kernels_avx512;
  if (set == InstructionSet::avx2) return detail::kernels_avx2;
#endif
  return detail::kernels_baseline;
}

}  // namespace loupe::inline LOUPE_ABI
