#pragma once
/// @file
/// An event record's fields as they stand in the file, before anything is made of the tensor's values.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/base/mode.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/shape.hpp"
#include "loupe/format/data_type.hpp"
#include "loupe/wire/protobuf.hpp"

namespace loupe::inline LOUPE_ABI::format {

/// What stands in a record besides the tensor.
struct EventHeader {
  double wall_time = 0;  ///< seconds since the Unix epoch
  std::int64_t step = 0;
  Mode mode = Mode::global;
  std::int64_t mode_step = 0;
};

/// A field of a TensorProto that holds values one by one, not as raw content: its number and how an element is written.
struct TypedField {
  std::uint32_t number = 0;
  wire::WireType form = wire::WireType::varint;
};

/// The typed field of an element type. Its elements are halves of complex numbers, and the bits of halves.
constexpr TypedField typed_field_of(ElementType type) noexcept {
  switch (type) {
    case ElementType::float32: return {5, wire::WireType::fixed32};
    case ElementType::float64: return {6, wire::WireType::fixed64};
    case ElementType::int8:
    case ElementType::uint8:
    case ElementType::int16:
    case ElementType::uint16:
    case ElementType::int32: return {7, wire::WireType::varint};
    case ElementType::string: return {8, wire::WireType::length_delimited};
    case ElementType::complex64: return {9, wire::WireType::fixed32};
    case ElementType::int64: return {10, wire::WireType::varint};
    case ElementType::boolean: return {11, wire::WireType::varint};
    case ElementType::complex128: return {12, wire::WireType::fixed64};
    case ElementType::float16:
    case ElementType::bfloat16: return {13, wire::WireType::varint};
    case ElementType::uint32: return {16, wire::WireType::varint};
    case ElementType::uint64: return {17, wire::WireType::varint};
    case ElementType::none: break;
  }
  return {};
}

/// A TensorProto. The bytes are the record's.
struct TensorMessage {
  DataType data_type = DataType::invalid;
  Shape shape;                         ///< at most 32 sizes, none negative, of countable product
  std::uint64_t elements = 1;          ///< that product
  std::span<const std::byte> content;  ///< raw elements, if not empty
  std::int64_t content_offset = 0;
  std::span<const std::byte> value;    ///< the message around: the parts of a TensorProto are the fields 8 in it
  std::int64_t value_offset = 0;

  /// The number of elements that stand in a typed field.
  LOUPE_DECL result<std::uint64_t> count(TypedField field, std::string_view file) const;
  /// Calls `visit(const Field&)` for each element of a typed field; what it returns stops at an error.
  template <class Visitor>
  result<void> for_each(TypedField field, std::string_view file, Visitor&& visit) const;
};

/// An Event with at most one Summary.Value. Where its plugin data don't say otherwise, the mode is global and the mode
/// step is the step.
struct EventMessage : EventHeader {
  bool has_value = false;  ///< else: a record without summary, to be skipped
  std::string_view tag;    ///< UTF-8
  TensorMessage tensor;
};

/// Reads the fields of an event record's payload. Any legal protobuf encoding is taken. Errors have `file` and the
/// offset in it, `offset` being that of the payload: `corrupt` for bytes that are no such message, several values in one
/// record, modes that don't exist, sizes that can't be; `unsupported` for a value that is no tensor;
/// `limit_exceeded` for a rank above 32.
LOUPE_DECL result<EventMessage> read_event_message(std::span<const std::byte> payload, std::string_view file,
                                                   std::int64_t offset);

template <class Visitor>
result<void> TensorMessage::for_each(TypedField field, std::string_view file, Visitor&& visit) const {
  wire::FieldReader outer(value, file, value_offset);
  while (true) {
    LOUPE_ASSIGN(const auto part, outer.next());
    if (!part) return {};
    if (!part->is(8, wire::WireType::length_delimited)) continue;
    wire::FieldReader inner(*part, file);
    while (true) {
      LOUPE_ASSIGN(const auto found, inner.next());
      if (!found) break;
      if (found->is(field.number, field.form)) {
        LOUPE_TRY(visit(*found));
      } else if (found->is(field.number, wire::WireType::length_delimited)) {
        wire::FieldReader packed(*found, file);
        while (true) {
          LOUPE_ASSIGN(const auto element, packed.next_packed(field.form));
          if (!element) break;
          LOUPE_TRY(visit(*element));
        }
      }
    }
  }
}

}  // namespace loupe::inline LOUPE_ABI::format

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/format/event_message.ipp"
#endif
