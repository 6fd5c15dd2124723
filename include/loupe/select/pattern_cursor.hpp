#pragma once
/// @file
/// Reads the characters, numbers and escapes of a regular expression in Python's syntax.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/select/code_points.hpp"

namespace loupe::inline LOUPE_ABI {

/// A place in a pattern; `take…` functions move on if what they look for is there. Errors name the pattern and the place.
class PatternCursor {
 public:
  /// Reads at most `limit` code points; `is_cut` says whether there are more.
  PatternCursor(std::string_view pattern, std::size_t limit) : pattern_(pattern) {
    std::string_view rest = pattern;
    while (!rest.empty() && code_.size() < limit) code_.push_back(take_code_point(rest));
    is_cut_ = !rest.empty();
  }

  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }
  [[nodiscard]] bool at_end() const noexcept { return at_ == code_.size(); }
  [[nodiscard]] bool next_is(char32_t code) const noexcept { return !at_end() && code_[at_] == code; }
  [[nodiscard]] bool next_are(std::u32string_view codes) const noexcept {
    return code_.size() - at_ >= codes.size() && std::u32string_view(code_.data() + at_, codes.size()) == codes;
  }
  [[nodiscard]] std::size_t position() const noexcept { return at_; }
  void go_to(std::size_t position) noexcept { at_ = position; }

  /// The next character, which must be there.
  char32_t take_any() noexcept { return code_[at_++]; }
  bool take(char32_t code) noexcept {
    if (!next_is(code)) return false;
    ++at_;
    return true;
  }
  /// A digit's value.
  std::optional<char32_t> take_digit(char32_t base) noexcept {
    if (at_end()) return std::nullopt;
    const char32_t code = code_[at_];
    const char32_t value = code >= '0' && code <= '9'   ? code - '0'
                           : code >= 'a' && code <= 'f' ? code - 'a' + 10
                           : code >= 'A' && code <= 'F' ? code - 'A' + 10
                                                        : base;
    if (value >= base) return std::nullopt;
    ++at_;
    return value;
  }
  /// A decimal number; those above a million all read as more than that.
  std::optional<std::size_t> take_number() noexcept {
    std::optional<std::size_t> number;
    while (const auto digit = take_digit(10)) {
      number = number.value_or(0) * 10 + *digit;
      if (*number > 1'000'000) number = 1'000'001;
    }
    return number;
  }

  /// Passes over comments, `(?#…)`.
  result<void> skip_comments() {
    while (next_are(U"(?#")) {
      while (!take(')')) {
        if (at_end()) return invalid("unterminated comment");
        ++at_;
      }
    }
    return {};
  }
  /// The character of an octal escape, if three octal digits come next.
  result<std::optional<char32_t>> take_octal_escape() {
    const std::size_t start = at_;
    char32_t value = 0;
    for (int digits = 0; digits < 3; ++digits) {
      const auto digit = take_digit(8);
      if (!digit) {
        at_ = start;
        return std::nullopt;
      }
      value = value * 8 + *digit;
    }
    if (value > 0377) return invalid("octal escape out of range");
    return value;
  }
  /// The number of one to three octal digits: an escape in a character set, where it can't be a back-reference.
  result<char32_t> take_octal_member() {
    char32_t value = 0;
    int digits = 0;
    for (; digits < 3; ++digits) {
      const auto digit = take_digit(8);
      if (!digit) break;
      value = value * 8 + *digit;
    }
    if (digits == 0) return invalid("bad escape");
    if (value > 0377) return invalid("octal escape out of range");
    return value;
  }
  /// The character that an escape stands for, `code` being what came after the backslash: escapes that are the same
  /// inside and outside of character sets.
  result<char32_t> take_literal_escape(char32_t code) {
    const auto hexadecimal = [this](int digits) -> result<char32_t> {
      char32_t value = 0;
      for (; digits > 0; --digits) {
        const auto digit = take_digit(16);
        if (!digit) return invalid("incomplete escape");
        value = value * 16 + *digit;
      }
      if (value > last_code_point) return invalid("escape beyond U+10FFFF");
      return value;
    };
    switch (code) {
      case 'a': return U'\a';
      case 'f': return U'\f';
      case 'n': return U'\n';
      case 'r': return U'\r';
      case 't': return U'\t';
      case 'v': return U'\v';
      case 'x': return hexadecimal(2);
      case 'u': return hexadecimal(4);
      case 'U': return hexadecimal(8);
      case 'N': return lacking("named characters are not supported");
      default: break;
    }
    if (code == '0') {
      char32_t value = take_digit(8).value_or(0);
      if (const auto second = take_digit(8)) value = value * 8 + *second;
      return value;
    }
    if (code < 0x7F && is_word_character(code) && code != '_') return invalid("bad escape");
    return code;
  }

  [[nodiscard]] unexpected<Error> refuse(ErrorKind kind, std::string_view reason) const {
    return fail(kind, Text::join("pattern ", pattern_),
                Text::join(reason, " at position ", to_text(static_cast<long long>(at_)).view()));
  }
  [[nodiscard]] unexpected<Error> invalid(std::string_view reason) const {
    return refuse(ErrorKind::invalid_argument, reason);
  }
  [[nodiscard]] unexpected<Error> lacking(std::string_view what) const { return refuse(ErrorKind::unsupported, what); }

 private:
  std::string_view pattern_;
  std::vector<char32_t> code_;
  std::size_t at_ = 0;
  bool is_cut_ = false;
};

}  // namespace loupe::inline LOUPE_ABI
