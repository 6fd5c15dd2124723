#include "loupe/wire/protobuf.hpp"

namespace loupe::inline LOUPE_ABI::wire {

LOUPE_DECL unexpected<Error> FieldReader::corrupt(const char* detail) const {
  return fail_at(ErrorKind::corrupt, file_, position(), std::string_view(detail));
}

LOUPE_DECL const char* FieldReader::read_long_varint(std::uint64_t& number) noexcept {
  number = 0;
  const std::byte* position = cursor_;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (position == end_) return "a number is cut off";
    const auto byte = static_cast<std::uint8_t>(*position++);
    // Of the tenth byte only one bit has room.
    if (shift == 63 && byte > 1) return "a number has more than 64 bits";
    number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) {
      cursor_ = position;
      return nullptr;
    }
  }
  return "a number has more than 64 bits";
}

LOUPE_DECL const char* FieldReader::read(Field& field) noexcept {
  std::uint64_t tag = 0;
  const std::byte* const start = cursor_;
  if (const char* fault = read_varint(tag); fault != nullptr) return fault;
  if (tag > UINT32_MAX || (tag >> 3) == 0) {
    cursor_ = start;
    return "a field has an impossible number";
  }
  field.number = static_cast<std::uint32_t>(tag >> 3);
  field.type = static_cast<WireType>(tag & 7);
  field.offset = position();
  return read_value(field);
}

LOUPE_DECL const char* FieldReader::read_value(Field& field) noexcept {
  const auto left = static_cast<std::size_t>(end_ - cursor_);
  switch (field.type) {
    case WireType::varint: return read_varint(field.bits);
    case WireType::fixed64:
      if (left < 8) return "a number is cut off";
      field.bits = load_little_endian<std::uint64_t>(cursor_);
      cursor_ += 8;
      return nullptr;
    case WireType::fixed32:
      if (left < 4) return "a number is cut off";
      field.bits = load_little_endian<std::uint32_t>(cursor_);
      cursor_ += 4;
      return nullptr;
    case WireType::length_delimited: {
      std::uint64_t size = 0;
      if (const char* fault = read_varint(size); fault != nullptr) return fault;
      if (size > static_cast<std::uint64_t>(end_ - cursor_)) return "a field is longer than its message";
      field.bytes = {cursor_, static_cast<std::size_t>(size)};
      field.offset = position();
      cursor_ += size;
      return nullptr;
    }
  }
  const int form = static_cast<int>(field.type);
  return form == 3 || form == 4 ? "a field is a group, which is not supported" : "a field has no known form";
}

}  // namespace loupe::inline LOUPE_ABI::wire
