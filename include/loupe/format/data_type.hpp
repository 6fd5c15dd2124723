#pragma once
/// @file
/// The numbers that event files hold for element types: TensorFlow's DataType (format.md 4.1).

#include <cstdint>

#include "loupe/base/config.hpp"
#include "loupe/base/element_type.hpp"

namespace loupe::inline LOUPE_ABI::format {

/// DataType of TensorFlow, as far as loupe reads or writes it.
enum class DataType : std::int32_t {
  invalid = 0,  ///< not set: smdebug writes strings so
  float32 = 1,
  float64 = 2,
  int32 = 3,
  uint8 = 4,
  int16 = 5,
  int8 = 6,
  string = 7,
  complex64 = 8,
  int64 = 9,
  boolean = 10,
  qint8 = 11,
  quint8 = 12,
  qint32 = 13,
  bfloat16 = 14,
  qint16 = 15,
  quint16 = 16,
  uint16 = 17,
  complex128 = 18,
  float16 = 19,
  uint32 = 22,
  uint64 = 23,
};

/// The element type of a number; quantized types are the integers that they consist of. `none` for numbers that loupe
/// doesn't read, and for `invalid`.
constexpr ElementType element_type_from(DataType type) noexcept {
  switch (type) {
    case DataType::invalid: return ElementType::none;
    case DataType::float32: return ElementType::float32;
    case DataType::float64: return ElementType::float64;
    case DataType::int32:
    case DataType::qint32: return ElementType::int32;
    case DataType::uint8:
    case DataType::quint8: return ElementType::uint8;
    case DataType::int16:
    case DataType::qint16: return ElementType::int16;
    case DataType::int8:
    case DataType::qint8: return ElementType::int8;
    case DataType::string: return ElementType::string;
    case DataType::complex64: return ElementType::complex64;
    case DataType::int64: return ElementType::int64;
    case DataType::boolean: return ElementType::boolean;
    case DataType::bfloat16: return ElementType::bfloat16;
    case DataType::uint16:
    case DataType::quint16: return ElementType::uint16;
    case DataType::complex128: return ElementType::complex128;
    case DataType::float16: return ElementType::float16;
    case DataType::uint32: return ElementType::uint32;
    case DataType::uint64: return ElementType::uint64;
  }
  return ElementType::none;
}

/// The number under which elements of a type are written; `invalid` for strings and `none`.
constexpr DataType data_type_of(ElementType type) noexcept {
  switch (type) {
    case ElementType::boolean: return DataType::boolean;
    case ElementType::int8: return DataType::int8;
    case ElementType::uint8: return DataType::uint8;
    case ElementType::int16: return DataType::int16;
    case ElementType::uint16: return DataType::uint16;
    case ElementType::int32: return DataType::int32;
    case ElementType::uint32: return DataType::uint32;
    case ElementType::int64: return DataType::int64;
    case ElementType::uint64: return DataType::uint64;
    case ElementType::float16: return DataType::float16;
    case ElementType::bfloat16: return DataType::bfloat16;
    case ElementType::float32: return DataType::float32;
    case ElementType::float64: return DataType::float64;
    case ElementType::complex64: return DataType::complex64;
    case ElementType::complex128: return DataType::complex128;
    case ElementType::string:
    case ElementType::none: break;
  }
  return DataType::invalid;
}

}  // namespace loupe::inline LOUPE_ABI::format
