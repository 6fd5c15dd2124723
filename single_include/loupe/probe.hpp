// loupe 0.1.0: loupe/probe.hpp with everything it includes, in one file.
// SPDX-License-Identifier: Apache-2.0
// Written by single_include/amalgamate.py from include/loupe: change the headers there.
#pragma once

#if defined(LOUPE_SEPARATE_COMPILATION)
#error "the single header has its bodies inside: build with include/ for LOUPE_SEPARATE_COMPILATION"
#endif

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <version>
// ---- loupe/probe.hpp
#ifndef LOUPE_SINGLE_PROBE_HPP
#define LOUPE_SINGLE_PROBE_HPP
/// @file
/// What model code includes: `loupe::HookRef`, the cheapest header of loupe.

// ---- loupe/capture/hook_ref.hpp
#ifndef LOUPE_SINGLE_CAPTURE_HOOK_REF_HPP
#define LOUPE_SINGLE_CAPTURE_HOOK_REF_HPP
/// @file
/// The face of a hook that model code sees: a reference that costs one branch while nobody listens.

// ---- loupe/base/config.hpp
#ifndef LOUPE_SINGLE_BASE_CONFIG_HPP
#define LOUPE_SINGLE_BASE_CONFIG_HPP
/// @file
/// Version, feature switches and the ABI tag. Every macro that a user may set is listed here.
///
/// | macro | meaning | default |
/// | --- | --- | --- |
/// | `LOUPE_SEPARATE_COMPILATION` | bodies are compiled once, in the unit that includes `loupe/src.hpp` | unset: header-only |
/// | `LOUPE_NO_INTRINSICS` | portable code only, no run-time choice of instruction sets | unset |
/// | `LOUPE_DISABLE` | `HookRef` calls in `probe.hpp` compile to nothing | unset |

#if defined(__cplusplus) && __cplusplus < 202002L
#error "loupe needs C++20 or newer: compile with -std=c++20 or a later standard"
#endif

#define LOUPE_VERSION_MAJOR 0
#define LOUPE_VERSION_MINOR 1
#define LOUPE_VERSION_PATCH 0

#if defined(__cpp_lib_expected) && __cpp_lib_expected >= 202202L
#define LOUPE_HAS_STD_EXPECTED 1
#define LOUPE_ABI_EXPECTED e1
#else
#define LOUPE_HAS_STD_EXPECTED 0
#define LOUPE_ABI_EXPECTED e0
#endif

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
#define LOUPE_HAS_EXCEPTIONS 1
#define LOUPE_ABI_EXCEPTIONS x1
#else
#define LOUPE_HAS_EXCEPTIONS 0
#define LOUPE_ABI_EXCEPTIONS x0
#endif

#if !defined(LOUPE_NO_INTRINSICS) && defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define LOUPE_HAS_X86_DISPATCH 1
#define LOUPE_ABI_INTRINSICS i1
#else
#define LOUPE_HAS_X86_DISPATCH 0
#define LOUPE_ABI_INTRINSICS i0
#endif

#if defined(LOUPE_DISABLE)
#define LOUPE_ABI_PROBES p0
#else
#define LOUPE_ABI_PROBES p1
#endif

// loupe's own build of `loupe::compiled` says what it was built as.
#if defined(LOUPE_COMPILED_AS_CXX) && (LOUPE_COMPILED_AS_CXX >= 23) != (__cplusplus > 202002L)
#error "loupe::compiled was built in another C++ standard than this unit: set CMAKE_CXX_STANDARD before loupe is added"
#endif

/// The name of loupe's inline namespace: version, which `expected`, exceptions on or off, instruction-set dispatch,
/// probes. Units that differ in any of them get different symbols instead of a silent violation of the one-definition rule.
#define LOUPE_ABI LOUPE_ABI_JOIN(LOUPE_VERSION_MAJOR, LOUPE_VERSION_MINOR, LOUPE_ABI_EXPECTED, LOUPE_ABI_EXCEPTIONS, LOUPE_ABI_INTRINSICS, LOUPE_ABI_PROBES)
#define LOUPE_ABI_JOIN(major, minor, e, x, i, p) LOUPE_ABI_PASTE(major, minor, e, x, i, p)
#define LOUPE_ABI_PASTE(major, minor, e, x, i, p) v##major##_##minor##_##e##_##x##_##i##_##p

#if defined(LOUPE_SEPARATE_COMPILATION)
#define LOUPE_DECL
#else
#define LOUPE_DECL inline
#endif

#if defined(__GNUC__) || defined(__clang__)
#define LOUPE_ALWAYS_INLINE [[gnu::always_inline]] inline
#define LOUPE_NEVER_INLINE [[gnu::noinline]]
#define LOUPE_COLD [[gnu::cold]]
#else
#define LOUPE_ALWAYS_INLINE inline
#define LOUPE_NEVER_INLINE
#define LOUPE_COLD
#endif
#endif  // LOUPE_SINGLE_BASE_CONFIG_HPP
// ---- loupe/base/element_type_of.hpp
#ifndef LOUPE_SINGLE_BASE_ELEMENT_TYPE_OF_HPP
#define LOUPE_SINGLE_BASE_ELEMENT_TYPE_OF_HPP
/// @file
/// Element types and the C++ types that have one, without a standard header that costs: what `probe.hpp` can afford.

// ---- loupe/base/half.hpp
#ifndef LOUPE_SINGLE_BASE_HALF_HPP
#define LOUPE_SINGLE_BASE_HALF_HPP
/// @file
/// float16 and bfloat16 as storage types: loupe stores and converts them, it does not compute in them.

namespace loupe::inline LOUPE_ABI {

/// IEEE 754 binary16 bits.
struct Float16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(Float16, Float16) noexcept = default;
};

/// The upper half of a binary32.
struct BFloat16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(BFloat16, BFloat16) noexcept = default;
};

/// Exact.
constexpr float to_float(Float16 half) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(half.bits & 0x8000u) << 16;
  const std::uint32_t exponent = (half.bits >> 10) & 0x1Fu;
  std::uint32_t mantissa = half.bits & 0x3FFu;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000u | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  if (mantissa == 0) return std::bit_cast<float>(sign);
  const int shift = std::countl_zero(mantissa) - 21;
  mantissa = (mantissa << shift) & 0x3FFu;
  return std::bit_cast<float>(sign | (static_cast<std::uint32_t>(113 - shift) << 23) | (mantissa << 13));
}

/// Exact.
constexpr float to_float(BFloat16 half) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(half.bits) << 16);
}

/// Rounds to nearest, ties to even; too large becomes infinity, NaN stays NaN.
constexpr Float16 to_float16(float number) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(number);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u)
    return {static_cast<std::uint16_t>(sign | 0x7E00u | ((magnitude >> 13) & 0x3FFu))};
  if (magnitude >= 0x477FF000u) return {static_cast<std::uint16_t>(sign | 0x7C00u)};
  if (magnitude < 0x33000001u) return {sign};
  std::uint32_t rounded;
  std::uint32_t dropped;
  std::uint32_t half;
  if (magnitude < 0x38800000u) {
    const std::uint32_t shift = 126 - (magnitude >> 23);
    const std::uint32_t mantissa = (magnitude & 0x7FFFFFu) | 0x800000u;
    rounded = mantissa >> shift;
    dropped = mantissa & ((1u << shift) - 1);
    half = 1u << (shift - 1);
  } else {
    rounded = (magnitude - 0x38000000u) >> 13;
    dropped = magnitude & 0x1FFFu;
    half = 0x1000u;
  }
  if (dropped > half || (dropped == half && (rounded & 1u) != 0)) ++rounded;
  return {static_cast<std::uint16_t>(sign | rounded)};
}

/// A float that rounds to any narrower type as the double does. Rounding twice errs only where the float lies exactly
/// between two of the narrower numbers: it is nudged to the side of the double.
constexpr float to_float_for_rounding(double number) noexcept {
  const auto once = static_cast<float>(number);
  auto bits = std::bit_cast<std::uint32_t>(once);
  const double back = static_cast<double>(once);
  if (back != number && number == number && (bits & 0x7FFFFFFFu) < 0x7F800000u && (bits & 0x7FFFFFFFu) != 0 &&
      (bits & 1u) == 0) {
    const bool toward_larger = (number < 0 ? -number : number) > (back < 0 ? -back : back);
    bits = toward_larger ? bits + 1 : bits - 1;
  }
  return std::bit_cast<float>(bits);
}

/// As `to_float16(float)`, rounding once.
constexpr Float16 to_float16(double number) noexcept { return to_float16(to_float_for_rounding(number)); }

/// Rounds to nearest, ties to even; NaN stays NaN.
constexpr BFloat16 to_bfloat16(float number) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(number);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return {static_cast<std::uint16_t>((bits >> 16) | 0x40u)};
  return {static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16)};
}

/// As `to_bfloat16(float)`, rounding once.
constexpr BFloat16 to_bfloat16(double number) noexcept { return to_bfloat16(to_float_for_rounding(number)); }

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_HALF_HPP

namespace loupe::inline LOUPE_ABI {

/// Element types; `none` is the type of an empty view. A `string` element is a `std::string_view`.
enum class ElementType : std::uint8_t {
  none, boolean, int8, uint8, int16, uint16, int32, uint32, int64, uint64,
  float16, bfloat16, float32, float64, complex64, complex128, string
};

/// Real and imaginary part, laid out as `std::complex<float>`.
struct Complex64 {
  float real = 0;
  float imaginary = 0;
  friend constexpr bool operator==(Complex64, Complex64) noexcept = default;
};

/// Real and imaginary part, laid out as `std::complex<double>`.
struct Complex128 {
  double real = 0;
  double imaginary = 0;
  friend constexpr bool operator==(Complex128, Complex128) noexcept = default;
};

/// `std::complex<float or double>` and types that look like it, without `<complex>`.
template <class Type>
concept ComplexLike = requires(const Type& number) {
  typename Type::value_type;
  { number.real() } -> std::convertible_to<typename Type::value_type>;
  { number.imag() } -> std::convertible_to<typename Type::value_type>;
} && (std::same_as<typename Type::value_type, float> || std::same_as<typename Type::value_type, double>) &&
    sizeof(Type) == 2 * sizeof(typename Type::value_type);

/// The element type of a C++ type, `none` where it has none. Specialise for a framework's own scalar types
/// (`template <> inline constexpr loupe::ElementType loupe::element_type_of<my::half> = loupe::ElementType::float16;`).
template <class Type>
inline constexpr ElementType element_type_of = [] {
  if constexpr (std::same_as<Type, bool>) return ElementType::boolean;
  else if constexpr (std::integral<Type> && !std::same_as<Type, wchar_t> && !std::same_as<Type, char16_t> && !std::same_as<Type, char32_t>) {
    constexpr bool is_signed = std::is_signed_v<Type>;
    if constexpr (sizeof(Type) == 1) return is_signed ? ElementType::int8 : ElementType::uint8;
    else if constexpr (sizeof(Type) == 2) return is_signed ? ElementType::int16 : ElementType::uint16;
    else if constexpr (sizeof(Type) == 4) return is_signed ? ElementType::int32 : ElementType::uint32;
    else if constexpr (sizeof(Type) == 8) return is_signed ? ElementType::int64 : ElementType::uint64;
    else return ElementType::none;
  } else if constexpr (std::same_as<Type, float>) return ElementType::float32;
  else if constexpr (std::same_as<Type, double>) return ElementType::float64;
  else if constexpr (std::same_as<Type, Float16>) return ElementType::float16;
  else if constexpr (std::same_as<Type, BFloat16>) return ElementType::bfloat16;
  else if constexpr (std::same_as<Type, Complex64>) return ElementType::complex64;
  else if constexpr (std::same_as<Type, Complex128>) return ElementType::complex128;
  else if constexpr (ComplexLike<Type>)
    return sizeof(Type) == 8 ? ElementType::complex64 : ElementType::complex128;
  else return ElementType::none;
}();

/// A C++ type that a tensor can hold.
template <class Type>
concept Element = element_type_of<std::remove_cv_t<Type>> != ElementType::none;

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_ELEMENT_TYPE_OF_HPP

namespace loupe::inline LOUPE_ABI {

/// A name handed to a probe: a literal, a C string, or anything with `data()` and `size()`. Borrowed for the call.
struct ProbeName {
  const char* data = "";
  std::size_t size = 0;
  constexpr ProbeName(const char* text) noexcept : data(text), size(__builtin_strlen(text)) {}
  template <class Text>
    requires requires(const Text& text) {
      { text.data() } -> std::convertible_to<const char*>;
      { text.size() } -> std::convertible_to<std::size_t>;
    }
  constexpr ProbeName(const Text& text) noexcept : data(text.data()), size(text.size()) {}
};

/// A tensor handed to a probe: row-major, readable by the host.
struct ProbeTensor {
  const void* data = nullptr;
  ElementType type = ElementType::none;
  const std::int64_t* shape = nullptr;
  std::size_t rank = 0;
};

/// What a `HookRef` points to; kept by the hook.
struct ProbeTarget {
  bool armed = false;  ///< whether the open step wants anything at all
  void (*save)(void* context, ProbeName, const ProbeTensor&) noexcept = nullptr;
  void* context = nullptr;
};

/// A copyable reference to a hook for code that should not know its type. Default-constructed, or while the hook's open
/// step wants nothing, every call is one branch. Same thread rule as its hook, which must outlive it.
/// With `LOUPE_DISABLE` defined calls compile to nothing.
class HookRef {
 public:
  constexpr HookRef() noexcept = default;
  constexpr explicit HookRef(ProbeTarget& target) noexcept : target_(&target) {}

  /// Whether a call now could be saved: ask before computing something only for the probe.
  [[nodiscard]] bool armed() const noexcept {
#if defined(LOUPE_DISABLE)
    return false;
#else
    return target_ != nullptr && target_->armed;
#endif
  }

  /// Offers `count` contiguous elements as a rank-1 tensor.
  template <Element Type>
  void operator()(ProbeName name, const Type* data, std::size_t count) const noexcept {
    if (!armed()) return;
    const auto size = static_cast<std::int64_t>(count);
    target_->save(target_->context, name, {data, element_type_of<Type>, &size, 1});
  }

  /// Offers a row-major tensor of `rank` axes of the sizes `shape[0] … shape[rank - 1]`.
  template <Element Type>
  void operator()(ProbeName name, const Type* data, const std::int64_t* shape, std::size_t rank) const noexcept {
    if (armed()) target_->save(target_->context, name, {data, element_type_of<Type>, shape, rank});
  }

 private:
  ProbeTarget* target_ = nullptr;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_HOOK_REF_HPP
#endif  // LOUPE_SINGLE_PROBE_HPP
