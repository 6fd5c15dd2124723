#pragma once
/// @file
/// Element types and the C++ types that have one, without a standard header that costs: what `probe.hpp` can afford.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "loupe/base/config.hpp"
#include "loupe/base/half.hpp"

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
