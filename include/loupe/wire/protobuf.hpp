#pragma once
/// @file
/// The protobuf wire format, without a schema: fields of a message one after the other.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/wire/little_endian.hpp"

namespace loupe::inline LOUPE_ABI::wire {

/// How a field's value is written. Groups, which are long out of use, are an error.
enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, length_delimited = 2, fixed32 = 5 };

/// One field of a message.
struct Field {
  std::uint32_t number = 0;
  WireType type = WireType::varint;
  std::uint64_t bits = 0;            ///< the value of a varint or fixed field
  std::span<const std::byte> bytes;  ///< the value of a length-delimited field
  std::int64_t offset = 0;           ///< where the value begins in the file

  /// Whether it is field `wanted` in the form `form`. A known number in another form counts as unknown, as in protobuf.
  [[nodiscard]] constexpr bool is(std::uint32_t wanted, WireType form) const noexcept {
    return number == wanted && type == form;
  }
  [[nodiscard]] std::string_view text() const noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  [[nodiscard]] constexpr double as_double() const noexcept { return std::bit_cast<double>(bits); }
  [[nodiscard]] constexpr float as_float() const noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  }
};

/// Walks the fields of a message in the order of its bytes. Everything read is checked against the message's end.
/// `file` and `offset` (of the message's first byte) say in errors where it is; the bytes and `file` must outlive the
/// reader and its fields. One thread at a time.
class FieldReader {
 public:
  FieldReader(std::span<const std::byte> message, std::string_view file, std::int64_t offset) noexcept
      : begin_(message.data()),
        cursor_(begin_),
        end_(begin_ + message.size()),
        file_(file),
        offset_(offset) {}
  /// The message that a field holds.
  FieldReader(const Field& field, std::string_view file) noexcept : FieldReader(field.bytes, file, field.offset) {}

  /// The next field, or nothing at the end. Malformed bytes are `corrupt`.
  result<std::optional<Field>> next() {
    Field field;
    if (cursor_ == end_) return std::optional<Field>();
    if (const char* fault = read(field); fault != nullptr) [[unlikely]]
      return corrupt(fault);
    return std::optional(field);
  }

  /// The next number of a packed field that was opened as a message, or nothing at its end. `form` is that of a single
  /// number; the field's number is left 0.
  result<std::optional<Field>> next_packed(WireType form) {
    Field element;
    if (cursor_ == end_) return std::optional<Field>();
    element.type = form;
    element.offset = position();
    if (const char* fault = read_value(element); fault != nullptr) [[unlikely]]
      return corrupt(fault);
    return std::optional(element);
  }

 private:
  /// These return what is wrong, or null.
  const char* read_varint(std::uint64_t& number) noexcept {
    if (cursor_ != end_ && static_cast<std::uint8_t>(*cursor_) < 0x80) [[likely]] {
      number = static_cast<std::uint8_t>(*cursor_++);
      return nullptr;
    }
    return read_long_varint(number);
  }
  LOUPE_DECL const char* read_long_varint(std::uint64_t& number) noexcept;
  LOUPE_DECL const char* read(Field& field) noexcept;
  LOUPE_DECL const char* read_value(Field& field) noexcept;
  [[nodiscard]] std::int64_t position() const noexcept { return offset_ + (cursor_ - begin_); }
  [[nodiscard]] LOUPE_DECL unexpected<Error> corrupt(const char* detail) const;

  const std::byte* begin_;
  const std::byte* cursor_;
  const std::byte* end_;
  std::string_view file_;
  std::int64_t offset_;
};

/// Bytes of a varint.
constexpr std::size_t varint_size(std::uint64_t number) noexcept {
  return (static_cast<std::size_t>(std::bit_width(number | 1)) + 6) / 7;
}
/// Bytes of a varint field; field numbers up to 15 take one byte.
constexpr std::size_t varint_field_size(std::uint64_t number) noexcept { return 1 + varint_size(number); }
/// Bytes of a length-delimited field that holds `size` bytes.
constexpr std::uint64_t bytes_field_size(std::uint64_t size) noexcept { return 1 + varint_size(size) + size; }

/// Writes fields with numbers up to 15 to memory that the caller has measured: sizes come before what they count, so
/// they must be known first.
class FieldWriter {
 public:
  /// Writes to `out`, which must hold all that is written.
  explicit FieldWriter(std::byte* out) noexcept : cursor_(out) {}

  void varint(std::uint32_t number, std::uint64_t value) noexcept {
    tag(number, WireType::varint);
    put_varint(value);
  }
  void fixed64(std::uint32_t number, double value) noexcept {
    tag(number, WireType::fixed64);
    store_little_endian(cursor_, value);
    cursor_ += sizeof value;
  }
  void fixed32(std::uint32_t number, float value) noexcept {
    tag(number, WireType::fixed32);
    store_little_endian(cursor_, value);
    cursor_ += sizeof value;
  }
  /// Tag and size of a length-delimited field, whose `size` bytes are written next.
  void header(std::uint32_t number, std::uint64_t size) noexcept {
    tag(number, WireType::length_delimited);
    put_varint(size);
  }
  void text(std::uint32_t number, std::string_view value) noexcept {
    header(number, value.size());
    raw(value);
  }
  /// Bytes that belong to a field whose header was written.
  void raw(std::string_view bytes) noexcept {
    if (!bytes.empty()) std::memcpy(cursor_, bytes.data(), bytes.size());
    cursor_ += bytes.size();
  }
  /// Where the next byte goes, for a caller who writes it himself and says how many were written.
  [[nodiscard]] std::byte* position() const noexcept { return cursor_; }
  void advance(std::size_t count) noexcept { cursor_ += count; }

 private:
  void tag(std::uint32_t number, WireType type) noexcept {
    *cursor_++ = static_cast<std::byte>((number << 3) | static_cast<std::uint32_t>(type));
  }
  void put_varint(std::uint64_t value) noexcept {
    for (; value >= 0x80; value >>= 7) *cursor_++ = static_cast<std::byte>(value | 0x80);
    *cursor_++ = static_cast<std::byte>(value);
  }

  std::byte* cursor_;
};

}  // namespace loupe::inline LOUPE_ABI::wire

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/wire/protobuf.ipp"
#endif
