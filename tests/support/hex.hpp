#pragma once
/// @file
/// Bytes as hexadecimal text.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// The bytes that `text` says; blanks and line ends don't count.
inline std::string from_hex(std::string_view text) {
  const auto nibble = [](char digit) { return digit <= '9' ? digit - '0' : digit - 'a' + 10; };
  std::string bytes;
  int high = -1;
  for (const char digit : text) {
    if (digit == ' ' || digit == '\n') continue;
    if (high < 0) {
      high = nibble(digit);
    } else {
      bytes += static_cast<char>(high * 16 + nibble(digit));
      high = -1;
    }
  }
  return bytes;
}

/// Lower-case digits with blanks between bytes: what a failed comparison shows.
inline std::string to_hex(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    const auto number = static_cast<std::uint8_t>(byte);
    if (!text.empty()) text += ' ';
    text += digits[number >> 4];
    text += digits[number & 15];
  }
  return text;
}
inline std::string to_hex(std::span<const std::byte> bytes) {
  return to_hex(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
}
