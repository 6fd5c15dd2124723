#pragma once
/// @file
/// Protobuf messages for tests, legal and otherwise: fields in any order and of any kind.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

/// Bytes of a message, field after field.
class Proto {
 public:
  Proto& varint(std::uint32_t number, std::uint64_t value) {
    tag(number, 0);
    put(value);
    return *this;
  }
  Proto& fixed64(std::uint32_t number, double value) {
    tag(number, 1);
    return raw(std::bit_cast<std::uint64_t>(value), 8);
  }
  Proto& fixed32(std::uint32_t number, float value) {
    tag(number, 5);
    return raw(std::bit_cast<std::uint32_t>(value), 4);
  }
  Proto& text(std::uint32_t number, std::string_view value) {
    tag(number, 2);
    put(value.size());
    bytes_ += value;
    return *this;
  }
  Proto& message(std::uint32_t number, const Proto& value) { return text(number, value.bytes_); }
  /// Numbers without tags: the inside of a packed field.
  Proto& packed_varint(std::uint64_t value) {
    put(value);
    return *this;
  }
  Proto& packed_float(float value) { return raw(std::bit_cast<std::uint32_t>(value), 4); }
  Proto& packed_double(double value) { return raw(std::bit_cast<std::uint64_t>(value), 8); }
  Proto& append(const Proto& other) {
    bytes_ += other.bytes_;
    return *this;
  }

  [[nodiscard]] const std::string& text() const { return bytes_; }
  [[nodiscard]] std::span<const std::byte> bytes() const { return std::as_bytes(std::span(bytes_)); }

 private:
  void tag(std::uint32_t number, std::uint32_t type) { put((std::uint64_t{number} << 3) | type); }
  void put(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  Proto& raw(std::uint64_t value, int size) {
    for (; size > 0; --size, value >>= 8) bytes_ += static_cast<char>(value);
    return *this;
  }

  std::string bytes_;
};

/// A TensorShapeProto.
inline Proto shape_proto(std::initializer_list<std::int64_t> sizes) {
  Proto shape;
  for (const std::int64_t size : sizes) shape.message(2, Proto().varint(1, static_cast<std::uint64_t>(size)));
  return shape;
}

/// An Event with one value of the name `t`, at step 3, that holds a TensorProto.
inline Proto event_proto(const Proto& tensor) {
  return Proto().fixed64(1, 1.5).varint(2, 3).message(5, Proto().message(1, Proto().text(1, "t").message(8, tensor)));
}
