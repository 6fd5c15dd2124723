#pragma once
/// @file
/// The element types of tensors: every one that DLPack or the smdebug format can hold.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
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

/// Calls `visitor.template operator()<T>()` with the C++ type of `type` (`bool`, `std::int8_t` … `Complex128`,
/// `std::string_view`). For `none` it calls it with `void`.
template <class Visitor>
constexpr decltype(auto) visit_element_type(ElementType type, Visitor&& visitor) {
  switch (type) {
    case ElementType::boolean: return visitor.template operator()<bool>();
    case ElementType::int8: return visitor.template operator()<std::int8_t>();
    case ElementType::uint8: return visitor.template operator()<std::uint8_t>();
    case ElementType::int16: return visitor.template operator()<std::int16_t>();
    case ElementType::uint16: return visitor.template operator()<std::uint16_t>();
    case ElementType::int32: return visitor.template operator()<std::int32_t>();
    case ElementType::uint32: return visitor.template operator()<std::uint32_t>();
    case ElementType::int64: return visitor.template operator()<std::int64_t>();
    case ElementType::uint64: return visitor.template operator()<std::uint64_t>();
    case ElementType::float16: return visitor.template operator()<Float16>();
    case ElementType::bfloat16: return visitor.template operator()<BFloat16>();
    case ElementType::float32: return visitor.template operator()<float>();
    case ElementType::float64: return visitor.template operator()<double>();
    case ElementType::complex64: return visitor.template operator()<Complex64>();
    case ElementType::complex128: return visitor.template operator()<Complex128>();
    case ElementType::string: return visitor.template operator()<std::string_view>();
    case ElementType::none: break;
  }
  return visitor.template operator()<void>();
}

/// Bytes of one element in memory; 0 for `none`. A string element is a `std::string_view` in memory.
constexpr std::size_t element_size(ElementType type) noexcept {
  return visit_element_type(type, []<class Element>() -> std::size_t {
    if constexpr (std::is_void_v<Element>)
      return 0;
    else
      return sizeof(Element);
  });
}

/// numpy's name of the type (`bool`, `int8`, …, `complex128`, `str`; `bfloat16`); `none` for none.
constexpr std::string_view element_type_name(ElementType type) noexcept {
  constexpr std::string_view names[] = {"none",  "bool",   "int8",    "uint8",    "int16",   "uint16",  "int32",     "uint32",     "int64",
                                        "uint64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128", "str"};
  return names[static_cast<std::size_t>(type)];
}

/// The type of a numpy name, or `none`.
constexpr ElementType element_type_from_name(std::string_view name) noexcept {
  for (int number = 1; number <= static_cast<int>(ElementType::string); ++number)
    if (element_type_name(static_cast<ElementType>(number)) == name) return static_cast<ElementType>(number);
  return ElementType::none;
}

constexpr bool is_complex(ElementType type) noexcept {
  return type == ElementType::complex64 || type == ElementType::complex128;
}
constexpr bool is_floating(ElementType type) noexcept {
  return type >= ElementType::float16 && type <= ElementType::float64;
}
constexpr bool is_signed_integer(ElementType type) noexcept {
  return type == ElementType::int8 || type == ElementType::int16 || type == ElementType::int32 || type == ElementType::int64;
}
constexpr bool is_unsigned_integer(ElementType type) noexcept {
  return type == ElementType::uint8 || type == ElementType::uint16 || type == ElementType::uint32 || type == ElementType::uint64;
}

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
  else if constexpr (std::same_as<Type, std::string_view>) return ElementType::string;
  else if constexpr (ComplexLike<Type>)
    return sizeof(Type) == 8 ? ElementType::complex64 : ElementType::complex128;
  else return ElementType::none;
}();

/// A C++ type that a tensor can hold.
template <class Type>
concept Element = element_type_of<std::remove_cv_t<Type>> != ElementType::none;

}  // namespace loupe::inline LOUPE_ABI
