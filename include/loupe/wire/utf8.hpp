#pragma once
/// @file
/// UTF-8 as the Unicode standard defines it: shortest forms only, no surrogates, nothing above U+10FFFF.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI::wire {

/// What stands for bytes that are not UTF-8.
inline constexpr char32_t replacement_character = 0xFFFD;

/// One code point at the front of a text, or a piece that is none.
struct CodePoint {
  char32_t value = replacement_character;
  std::uint32_t size = 0;  ///< bytes it takes; of ill-formed bytes as many as one replacement stands for
  bool is_valid = false;
};

/// The code point at the front of `text`, which must not be empty. Ill-formed bytes are taken in *maximal subparts*
/// (Unicode 15, section 3.9), as Python's decoder replaces them.
constexpr CodePoint decode_utf8(std::string_view text) noexcept {
  const auto byte = [&](std::size_t index) { return static_cast<std::uint8_t>(text[index]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  if (lead < 0xC2 || lead > 0xF4) return {replacement_character, 1, false};
  const std::uint32_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // The second byte's range excludes overlong forms, surrogates and what lies above U+10FFFF.
  std::uint8_t lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  std::uint8_t highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  char32_t value = lead & (0x7Fu >> size);
  for (std::uint32_t index = 1; index < size; ++index) {
    if (index == text.size() || byte(index) < lowest || byte(index) > highest)
      return {replacement_character, index, false};
    value = (value << 6) | (byte(index) & 0x3Fu);
    lowest = 0x80;
    highest = 0xBF;
  }
  return {value, size, true};
}

/// Writes a code point, which must not be a surrogate or above U+10FFFF, to at most four bytes; returns how many.
constexpr std::size_t encode_utf8(char32_t value, char* out) noexcept {
  const auto put = [&](std::size_t index, char32_t bits) {
    out[index] = static_cast<char>(static_cast<std::uint8_t>(bits));
  };
  if (value < 0x80) {
    put(0, value);
    return 1;
  }
  if (value < 0x800) {
    put(0, 0xC0 | (value >> 6));
    put(1, 0x80 | (value & 0x3F));
    return 2;
  }
  if (value < 0x10000) {
    put(0, 0xE0 | (value >> 12));
    put(1, 0x80 | ((value >> 6) & 0x3F));
    put(2, 0x80 | (value & 0x3F));
    return 3;
  }
  put(0, 0xF0 | (value >> 18));
  put(1, 0x80 | ((value >> 12) & 0x3F));
  put(2, 0x80 | ((value >> 6) & 0x3F));
  put(3, 0x80 | (value & 0x3F));
  return 4;
}

/// Length of the longest prefix that is UTF-8; `text.size()` when all of it is.
inline std::size_t valid_utf8_size(std::string_view text) noexcept {
  std::size_t position = 0;
  while (position < text.size()) {
    if (text.size() - position >= 8) {
      std::uint64_t eight;
      std::memcpy(&eight, text.data() + position, 8);
      if ((eight & 0x8080808080808080u) == 0) {
        position += 8;
        continue;
      }
    }
    const CodePoint next = decode_utf8(text.substr(position));
    if (!next.is_valid) return position;
    position += next.size;
  }
  return position;
}

/// Whether all of `text` is UTF-8.
inline bool is_utf8(std::string_view text) noexcept { return valid_utf8_size(text) == text.size(); }

}  // namespace loupe::inline LOUPE_ABI::wire
