#include <bit>
#include <charconv>
#include <limits>
#include <system_error>

#include "loupe/wire/json_reader.hpp"
#include "loupe/wire/little_endian.hpp"
#include "loupe/wire/utf8.hpp"

namespace loupe::inline LOUPE_ABI::wire {

namespace detail {

/// Whether a byte can't simply be part of a string: a quote, a backslash, a control character, or not ASCII.
constexpr bool ends_plain_text(char character) noexcept {
  const auto byte = static_cast<std::uint8_t>(character);
  return byte < 0x20 || byte >= 0x80 || byte == '"' || byte == '\\';
}

/// The first byte from `position` on for which `ends_plain_text`, or `end`. Eight bytes at a time.
inline const char* skip_plain_text(const char* position, const char* end) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101u;
  while (end - position >= 8) {
    const auto eight = load_little_endian<std::uint64_t>(position);
    // Subtracting sets the high bit of bytes that are too small. A borrow reaches only bytes behind a true hit.
    const std::uint64_t hits =
        ((eight - ones * 0x20) | ((eight ^ (ones * '"')) - ones) | ((eight ^ (ones * '\\')) - ones) | eight) &
        (ones * 0x80);
    if (hits != 0) return position + std::countr_zero(hits) / 8;
    position += 8;
  }
  while (position != end && !ends_plain_text(*position)) ++position;
  return position;
}

constexpr bool is_digit(char character) noexcept { return character >= '0' && character <= '9'; }

/// Whether the number written as `token`, which is finite and not zero, is at least 1: overflow told from underflow.
inline bool is_large(std::string_view token) noexcept {
  std::int64_t exponent = 0;
  if (const auto mark = token.find_first_of("eE"); mark != std::string_view::npos) {
    std::string_view digits = token.substr(mark + 1);
    if (digits.front() == '+') digits.remove_prefix(1);
    const bool is_negative = digits.front() == '-';
    const auto [stop, status] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (status != std::errc()) return !is_negative;
    token = token.substr(0, mark);
  }
  if (token.front() == '-') token.remove_prefix(1);
  const auto first = static_cast<std::int64_t>(token.find_first_of("123456789"));
  const auto point = static_cast<std::int64_t>(token.substr(0, token.find('.')).size());
  const std::int64_t place = first < point ? point - first - 1 : point - first;
  return exponent >= -place;
}

}  // namespace detail

LOUPE_DECL bool JsonReader::scan_string(std::string_view& text, std::string* scratch) {
  const char* const first = cursor_ + 1;
  const char* position = first;
  while (true) {
    position = detail::skip_plain_text(position, end_);
    if (position == end_) [[unlikely]]
      return set_fault(cursor_, "the string has no end");
    if (*position == '"') [[likely]] {
      text = {first, static_cast<std::size_t>(position - first)};
      cursor_ = position + 1;
      return true;
    }
    if (*position == '\\') return scan_escaped(first, position, text, scratch);
    if (static_cast<std::uint8_t>(*position) < 0x20)
      return set_fault(position, "a control character stands in a string");
    const CodePoint next = decode_utf8({position, static_cast<std::size_t>(end_ - position)});
    if (!next.is_valid) return set_fault(position, "the text is not UTF-8");
    position += next.size;
  }
}

LOUPE_DECL bool JsonReader::scan_escaped(const char* first, const char* position, std::string_view& text,
                                         std::string* scratch) {
  if (scratch != nullptr) scratch->assign(first, position);
  while (true) {
    const char* const run = position;
    position = detail::skip_plain_text(position, end_);
    while (position != end_ && static_cast<std::uint8_t>(*position) >= 0x80) {
      const CodePoint next = decode_utf8({position, static_cast<std::size_t>(end_ - position)});
      if (!next.is_valid) return set_fault(position, "the text is not UTF-8");
      position += next.size;
    }
    if (scratch != nullptr) scratch->append(run, position);
    if (position == end_) return set_fault(cursor_, "the string has no end");
    if (*position == '"') break;
    if (*position == '\\') {
      if (!scan_escape(position, scratch)) return false;
    } else if (static_cast<std::uint8_t>(*position) < 0x20) {
      return set_fault(position, "a control character stands in a string");
    }
  }
  cursor_ = position + 1;
  text = scratch != nullptr ? std::string_view(*scratch) : std::string_view();
  return true;
}

LOUPE_DECL bool JsonReader::scan_escape(const char*& position, std::string* scratch) {
  const char* const escape = position++;
  char32_t value = 0;
  switch (position != end_ ? *position++ : '\0') {
    case '"': value = '"'; break;
    case '\\': value = '\\'; break;
    case '/': value = '/'; break;
    case 'b': value = '\b'; break;
    case 'f': value = '\f'; break;
    case 'n': value = '\n'; break;
    case 'r': value = '\r'; break;
    case 't': value = '\t'; break;
    case 'u': {
      if (!scan_hex(position, value)) return set_fault(escape, "\\u needs four hexadecimal digits");
      if (value >= 0xDC00 && value <= 0xDFFF) return set_fault(escape, "a low surrogate stands alone");
      if (value >= 0xD800 && value <= 0xDBFF) {
        char32_t low = 0;
        if (end_ - position < 2 || position[0] != '\\' || position[1] != 'u')
          return set_fault(escape, "a high surrogate stands alone");
        position += 2;
        if (!scan_hex(position, low)) return set_fault(escape, "\\u needs four hexadecimal digits");
        if (low < 0xDC00 || low > 0xDFFF) return set_fault(escape, "a high surrogate stands alone");
        value = 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00);
      }
      break;
    }
    default: return set_fault(escape, "no such escape");
  }
  if (scratch == nullptr) return true;
  char bytes[4];
  scratch->append(bytes, encode_utf8(value, bytes));
  return true;
}

LOUPE_DECL bool JsonReader::scan_hex(const char*& position, char32_t& unit) {
  unit = 0;
  for (int digit = 0; digit < 4; ++digit, ++position) {
    if (position == end_) return false;
    const char character = *position;
    unit <<= 4;
    if (detail::is_digit(character)) unit |= static_cast<char32_t>(character - '0');
    else if (character >= 'a' && character <= 'f') unit |= static_cast<char32_t>(character - 'a' + 10);
    else if (character >= 'A' && character <= 'F') unit |= static_cast<char32_t>(character - 'A' + 10);
    else return false;
  }
  return true;
}

LOUPE_DECL bool JsonReader::scan_integer(Integer& integer) {
  if (!expect_value()) return false;
  const char* position = cursor_;
  if (is_at('-')) {
    integer.is_negative = true;
    ++position;
  }
  if (position == end_ || !detail::is_digit(*position)) [[unlikely]]
    return set_fault(value_, "an integer is expected");
  const char* const digits = position;
  std::uint64_t magnitude = 0;
  // Eighteen digits always fit.
  const char* const unchecked_end = end_ - digits > 18 ? digits + 18 : end_;
  for (; position != unchecked_end && detail::is_digit(*position); ++position)
    magnitude = magnitude * 10 + static_cast<std::uint64_t>(*position - '0');
  for (; position != end_ && detail::is_digit(*position); ++position) {
    const auto digit = static_cast<std::uint64_t>(*position - '0');
    if (magnitude > (UINT64_MAX - digit) / 10)
      return set_fault(value_, "the integer is out of range");
    magnitude = magnitude * 10 + digit;
  }
  if (*digits == '0' && position - digits > 1) [[unlikely]]
    return set_fault(value_, "a number begins with a superfluous zero");
  if (position != end_ && (*position == '.' || *position == 'e' || *position == 'E')) [[unlikely]]
    return set_fault(value_, "an integer is expected");
  integer.magnitude = magnitude;
  cursor_ = position;
  wants_value_ = false;
  return true;
}

LOUPE_DECL bool JsonReader::scan_number(std::string_view& token) {
  const char* position = cursor_;
  const auto at_digit = [&] { return position != end_ && detail::is_digit(*position); };
  const auto skip_digits = [&] {
    while (at_digit()) ++position;
  };
  if (is_at('-')) ++position;
  if (!at_digit()) return set_fault(value_, "a number is expected");
  const bool has_zero = *position == '0';
  ++position;
  if (has_zero && at_digit()) return set_fault(value_, "a number begins with a superfluous zero");
  skip_digits();
  if (position != end_ && *position == '.') {
    ++position;
    if (!at_digit()) return set_fault(value_, "a decimal point needs digits");
    skip_digits();
  }
  if (position != end_ && (*position == 'e' || *position == 'E')) {
    ++position;
    if (position != end_ && (*position == '+' || *position == '-')) ++position;
    if (!at_digit()) return set_fault(value_, "an exponent needs digits");
    skip_digits();
  }
  token = {cursor_, static_cast<std::size_t>(position - cursor_)};
  cursor_ = position;
  wants_value_ = false;
  return true;
}

LOUPE_DECL bool JsonReader::scan_non_finite(double& number) {
  const std::string_view rest(cursor_, static_cast<std::size_t>(end_ - cursor_));
  if (rest.starts_with('N')) {
    number = std::numeric_limits<double>::quiet_NaN();
    return scan_word("NaN");
  }
  const bool is_negative = rest.starts_with('-');
  number = is_negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  return scan_word(is_negative ? "-Infinity" : "Infinity");
}

LOUPE_DECL bool JsonReader::scan_word(std::string_view word) {
  if (!std::string_view(cursor_, static_cast<std::size_t>(end_ - cursor_)).starts_with(word))
    return set_fault(value_, "a value is expected");
  cursor_ += word.size();
  wants_value_ = false;
  return true;
}

/// Whether a number that is written as a word comes next, and such are allowed.
LOUPE_DECL bool JsonReader::at_non_finite() const noexcept {
  if (!options_.allow_non_finite || cursor_ == end_) return false;
  return *cursor_ == 'N' || *cursor_ == 'I' || (*cursor_ == '-' && end_ - cursor_ > 1 && cursor_[1] == 'I');
}

LOUPE_DECL result<double> JsonReader::read_double() {
  if (!expect_value()) return failure();
  double number = 0;
  if (at_non_finite()) {
    if (!scan_non_finite(number)) return failure();
    return number;
  }
  std::string_view token;
  if (!scan_number(token)) return failure();
  const auto [stop, status] = std::from_chars(token.data(), token.data() + token.size(), number);
  if (status == std::errc::result_out_of_range)
    number = detail::is_large(token) ? std::numeric_limits<double>::infinity() : 0.0;
  if (__builtin_isinf(number)) {
    set_fault(value_, "the number is larger than any double");
    return failure();
  }
  if (status == std::errc::result_out_of_range && token.front() == '-') number = -0.0;
  return number;
}

LOUPE_DECL bool JsonReader::skip_scalar() {
  switch (token()) {
    case '"': {
      std::string_view text;
      return scan_string_value(text, nullptr);
    }
    case 't': return scan_word("true");
    case 'f': return scan_word("false");
    case 'n': return scan_word("null");
    default: break;
  }
  if (at_non_finite()) {
    double number;
    return scan_non_finite(number);
  }
  if (cursor_ == end_ || (*cursor_ != '-' && !detail::is_digit(*cursor_)))
    return set_fault(value_, "a value is expected");
  std::string_view number;
  return scan_number(number);
}

}  // namespace loupe::inline LOUPE_ABI::wire
