#pragma once
/// @file
/// The element types of tensors: every one that DLPack or the smdebug format can hold.

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "loupe/base/config.hpp"
#include "loupe/base/element_type_of.hpp"

namespace loupe::inline LOUPE_ABI {

template <>
inline constexpr ElementType element_type_of<std::string_view> = ElementType::string;

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

/// numpy's name of the type (`bool`, `int8`, …, `complex128`, `str`; `bfloat16`); `none` for none, and for numbers that
/// are no type.
constexpr std::string_view element_type_name(ElementType type) noexcept {
  constexpr std::string_view names[] = {"none",  "bool",   "int8",    "uint8",    "int16",   "uint16",  "int32",     "uint32",     "int64",
                                        "uint64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128", "str"};
  const auto number = static_cast<std::size_t>(type);
  return names[number <= static_cast<std::size_t>(ElementType::string) ? number : 0];
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

}  // namespace loupe::inline LOUPE_ABI
