#include <charconv>
#include <cstddef>

#include "loupe/wire/json_writer.hpp"
#include "loupe/wire/utf8.hpp"

namespace loupe::inline LOUPE_ABI::wire {

namespace detail {

/// Writes `\uXXXX` of a UTF-16 unit.
inline void append_unit(ByteBuffer& out, std::uint32_t unit) {
  constexpr char digits[] = "0123456789abcdef";
  const char escape[] = {
      '\\', 'u', digits[(unit >> 12) & 15], digits[(unit >> 8) & 15], digits[(unit >> 4) & 15], digits[unit & 15]};
  out.append(std::string_view(escape, sizeof escape));
}

/// What a character is escaped as with one letter; 0 if it isn't.
constexpr char escape_letter(char character) noexcept {
  switch (character) {
    case '"': return '"';
    case '\\': return '\\';
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return 0;
  }
}

constexpr bool is_plain_ascii(char character) noexcept {
  return character >= ' ' && character <= '~' && character != '"' && character != '\\';
}

}  // namespace detail

LOUPE_DECL void append_json_string(ByteBuffer& out, std::string_view text) {
  out.append('"');
  std::size_t position = 0;
  while (position < text.size()) {
    const std::size_t plain = position;
    while (position < text.size() && detail::is_plain_ascii(text[position])) ++position;
    out.append(text.substr(plain, position - plain));
    if (position == text.size()) break;
    if (const char letter = detail::escape_letter(text[position]); letter != 0) {
      const char escape[] = {'\\', letter};
      out.append(std::string_view(escape, 2));
      ++position;
      continue;
    }
    const CodePoint next = decode_utf8(text.substr(position));
    position += next.size;
    if (next.value < 0x10000) {
      detail::append_unit(out, next.value);
    } else {
      detail::append_unit(out, 0xD800 + ((next.value - 0x10000) >> 10));
      detail::append_unit(out, 0xDC00 + ((next.value - 0x10000) & 0x3FF));
    }
  }
  out.append('"');
}

LOUPE_DECL void append_json_number(ByteBuffer& out, std::int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

LOUPE_DECL void append_json_number(ByteBuffer& out, std::uint64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

LOUPE_DECL void append_json_number(ByteBuffer& out, double number) {
  if (!__builtin_isfinite(number)) {
    out.append(__builtin_isnan(number) ? std::string_view("NaN")
                                       : std::string_view(number > 0 ? "Infinity" : "-Infinity"));
    return;
  }
  // The shortest digits in the form d.ddde±xx; Python only places the point differently.
  char written[32];
  const auto end = std::to_chars(written, written + sizeof written, number, std::chars_format::scientific).ptr;
  std::string_view text(written, static_cast<std::size_t>(end - written));
  if (text.front() == '-') {
    out.append('-');
    text.remove_prefix(1);
  }
  const std::size_t mark = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + mark + (text[mark + 1] == '+' ? 2 : 1), text.data() + text.size(), exponent);
  if (exponent < -4 || exponent >= 16) {
    out.append(text);
    return;
  }
  char digits[20];
  std::size_t count = 0;
  for (const char character : text.substr(0, mark))
    if (character != '.') digits[count++] = character;
  const std::string_view all(digits, count);
  if (exponent < 0) {
    out.append(std::string_view("0."));
    out.append(std::string_view("000").substr(0, static_cast<std::size_t>(-exponent - 1)));
    out.append(all);
    return;
  }
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  out.append(all.substr(0, whole));
  for (std::size_t place = count; place < whole; ++place) out.append('0');
  out.append('.');
  out.append(whole < count ? all.substr(whole) : std::string_view("0"));
}

}  // namespace loupe::inline LOUPE_ABI::wire
