#pragma once
/// @file
/// Comma-separated words, as smdebug's configurations write lists.

#include <string_view>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// The text without blanks (as Python's `strip` sees them in ASCII) at both ends.
constexpr std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t\n\r\f\v";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Calls `visit(std::string_view)` for each part between commas, without blanks around it; once for an empty text.
template <class Visitor>
constexpr void for_each_word(std::string_view text, Visitor&& visit) {
  while (true) {
    const auto comma = text.find(',');
    visit(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace loupe::inline LOUPE_ABI
