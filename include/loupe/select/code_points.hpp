#pragma once
/// @file
/// Names as Python sees them: as code points, some of which are word characters.

#include <cstdint>
#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/wire/utf8.hpp"

namespace loupe::inline LOUPE_ABI {

/// An inclusive range of code points.
struct CodePointRange {
  char32_t first;
  char32_t last;
  friend constexpr bool operator==(CodePointRange, CodePointRange) noexcept = default;
};

inline constexpr char32_t last_code_point = 0x10FFFF;

/// Takes the first code point off `text`, which must not be empty. A byte that begins no valid UTF-8 sequence is taken
/// alone and gives U+DC00 + byte, as Python's `surrogateescape`.
constexpr char32_t take_code_point(std::string_view& text) noexcept {
  const wire::CodePoint next = wire::decode_utf8(text);
  const auto lead = static_cast<std::uint8_t>(text.front());
  text.remove_prefix(next.is_valid ? next.size : 1);
  return next.is_valid ? next.value : 0xDC00u + lead;
}

/// The code points beyond ASCII that are no word characters: blanks, punctuation, symbols, private and invalid ones, by
/// blocks. Python asks the Unicode data base; combining marks, and signs within blocks of letters, differ from it.
inline constexpr CodePointRange wordless_ranges[] = {
    {0x80, 0xA9},     {0xAB, 0xB1},       {0xB4, 0xB4},       {0xB6, 0xB8},
    {0xBB, 0xBB},     {0xBF, 0xBF},       {0xD7, 0xD7},       {0xF7, 0xF7},
    {0x2C2, 0x2C5},   {0x2000, 0x206F},   {0x207A, 0x207E},   {0x208A, 0x208E},
    {0x20A0, 0x2101}, {0x2190, 0x245F},   {0x249C, 0x24E9},   {0x2500, 0x2775},
    {0x2794, 0x2BFF}, {0x2E00, 0x2E2E},   {0x2E30, 0x3004},   {0x3008, 0x3020},
    {0x3030, 0x3030}, {0x30FB, 0x30FB},   {0xD800, 0xF8FF},   {0xFE00, 0xFE6F},
    {0xFF00, 0xFF0F}, {0xFF1A, 0xFF20},   {0xFF3B, 0xFF40},   {0xFF5B, 0xFF65},
    {0xFFE0, 0xFFFF}, {0x1F000, 0x1F0FF}, {0x1F10D, 0x1FBEF}, {0xE0000, last_code_point},
};

/// Whether Python's `\w` matches: letters, digits and the underscore of any script, up to what `wordless_ranges` says.
constexpr bool is_word_character(char32_t code) noexcept {
  if (code < 0x80)
    return (code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') || code == '_' || (code >= 'a' && code <= 'z');
  for (const CodePointRange range : wordless_ranges)
    if (code <= range.last) return code < range.first;
  return true;
}

}  // namespace loupe::inline LOUPE_ABI
