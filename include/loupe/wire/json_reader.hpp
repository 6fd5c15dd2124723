#pragma once
/// @file
/// A pull reader for JSON: no document in memory, strings as views into the text, every error with file and offset.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"

namespace loupe::inline LOUPE_ABI::wire {

/// Kinds of JSON values.
enum class JsonType : std::uint8_t { object, array, string, number, boolean, null };

/// What a reader takes beyond RFC 8259.
struct JsonOptions {
  /// The literals `NaN`, `Infinity` and `-Infinity`, which Python writes, are numbers.
  bool allow_non_finite = false;
};

/// Reads one JSON document front to back. The caller says what it expects next:
///
/// ```cpp
/// JsonReader json(text, "index.json");
/// std::string scratch;
/// LOUPE_TRY(json.begin_object());
/// while (true) {
///   LOUPE_ASSIGN(const auto key, json.next_key(scratch));
///   if (!key) break;
///   if (*key == "shape") {
///     LOUPE_TRY(json.begin_array());
///     …
///   } else {
///     LOUPE_TRY(json.skip_value());
///   }
/// }
/// LOUPE_TRY(json.finish());
/// ```
///
/// The whole document is checked on the way, skipped parts included: UTF-8, escapes and surrogate pairs, control
/// characters, numbers, nesting of at most `max_depth`. Duplicate keys are reported as they come.
/// Errors are `corrupt` (or `limit_exceeded` for the depth) with the file and byte offset; after one the reader is only
/// good for destruction. Asking for what the state doesn't allow (a key in an array) is `invalid_state`.
/// The text must outlive the reader and all views it gave. One thread at a time.
class JsonReader {
 public:
  static constexpr unsigned max_depth = 64;

  /// `file` names the text in errors.
  JsonReader(std::string_view text, std::string_view file, JsonOptions options = {}) noexcept
      : begin_(text.data()),
        cursor_(begin_),
        end_(begin_ + text.size()),
        file_(file),
        options_(options) {}

  /// The kind of the value that comes next.
  [[nodiscard]] LOUPE_DECL result<JsonType> peek();

  result<void> begin_object() { return outcome(open('{')); }
  /// The next key of the object begun last; nothing at its end, which thereby is left. The view is into the text, or
  /// into `scratch` if the key has escapes.
  result<std::optional<std::string_view>> next_key(std::string& scratch) {
    std::string_view key;
    const Next next = step_object(key, &scratch);
    if (next == Next::element) [[likely]]
      return std::optional(key);
    if (next == Next::end) return std::optional<std::string_view>();
    return failure();
  }

  result<void> begin_array() { return outcome(open('[')); }
  /// Whether the array begun last has another element, which is read next; at its end the array is left.
  result<bool> next_element() {
    const Next next = step_array();
    if (next == Next::fault) [[unlikely]]
      return failure();
    return next == Next::element;
  }

  /// The text of a string, which is UTF-8: a view into the document, or into `scratch` if there are escapes.
  result<std::string_view> read_string(std::string& scratch) {
    std::string_view text;
    if (scan_string_value(text, &scratch)) [[likely]]
      return text;
    return failure();
  }
  /// An integer without fraction or exponent. One that doesn't fit is an error.
  result<std::int64_t> read_int64() {
    Integer integer;
    constexpr std::uint64_t limit = INT64_MAX;
    if (!scan_integer(integer)) [[unlikely]]
      return failure();
    if (integer.magnitude > limit + (integer.is_negative ? 1 : 0)) [[unlikely]]
      return out_of_range();
    return static_cast<std::int64_t>(integer.is_negative ? 0 - integer.magnitude : integer.magnitude);
  }
  /// As `read_int64`, for numbers from 0 on.
  result<std::uint64_t> read_uint64() {
    Integer integer;
    if (!scan_integer(integer)) [[unlikely]]
      return failure();
    if (integer.is_negative && integer.magnitude != 0) [[unlikely]]
      return out_of_range();
    return integer.magnitude;
  }
  /// Any number, rounded to the nearest double. One beyond the largest double is an error, one too small is zero.
  LOUPE_DECL result<double> read_double();
  LOUPE_DECL result<bool> read_bool();
  LOUPE_DECL result<void> read_null();
  /// Passes over a value of any kind, checking it.
  result<void> skip_value() { return outcome(skip()); }

  /// Checks that the document is complete and that nothing but white space follows it.
  LOUPE_DECL result<void> finish();

  /// Byte offset of what is read next.
  [[nodiscard]] std::size_t offset() const noexcept { return static_cast<std::size_t>(cursor_ - begin_); }
  /// An error of the caller's about the value read last: `corrupt` with the file and the offset where it began.
  [[nodiscard]] LOUPE_DECL unexpected<Error> fail_here(Text detail) const;

 private:
  enum class Next : std::uint8_t { element, end, fault };
  struct Integer {
    std::uint64_t magnitude = 0;
    bool is_negative = false;
  };

  /// These return false after `set_fault`.
  LOUPE_DECL bool open(char bracket);
  LOUPE_DECL bool expect_value();
  LOUPE_DECL bool scan_string_value(std::string_view& text, std::string* scratch);
  LOUPE_DECL bool scan_string(std::string_view& text, std::string* scratch);
  LOUPE_DECL bool scan_escaped(const char* first, const char* position, std::string_view& text, std::string* scratch);
  LOUPE_DECL bool scan_escape(const char*& position, std::string* scratch);
  LOUPE_DECL bool scan_hex(const char*& position, char32_t& unit);
  LOUPE_DECL bool scan_integer(Integer& integer);
  LOUPE_DECL bool scan_number(std::string_view& token);
  LOUPE_DECL bool scan_non_finite(double& number);
  LOUPE_DECL bool scan_word(std::string_view word);
  LOUPE_DECL bool skip();
  LOUPE_DECL bool skip_scalar();
  [[nodiscard]] LOUPE_DECL bool at_non_finite() const noexcept;

  LOUPE_DECL Next step_object(std::string_view& key, std::string* scratch);
  LOUPE_DECL Next step_array();
  void close() noexcept {
    --depth_;
    is_first_ = false;
  }
  [[nodiscard]] bool in_object() const noexcept { return depth_ > 0 && ((objects_ >> (depth_ - 1)) & 1u) != 0; }
  [[nodiscard]] bool in_array() const noexcept { return depth_ > 0 && !in_object(); }

  /// The next character that is no white space; 0 at the end.
  char token() noexcept {
    // Python writes one blank or none before each token.
    const char* position = cursor_;
    if (position != end_ && *position == ' ') cursor_ = ++position;
    if (position != end_ && *position > ' ') [[likely]]
      return *position;
    return distant_token();
  }
  /// Whether that is `character`, once white space was passed.
  [[nodiscard]] bool is_at(char character) const noexcept { return cursor_ != end_ && *cursor_ == character; }
  LOUPE_DECL char distant_token() noexcept;

  LOUPE_DECL bool set_fault(const char* at, const char* detail, ErrorKind kind = ErrorKind::corrupt) noexcept;
  [[nodiscard]] LOUPE_DECL unexpected<Error> failure() const;
  [[nodiscard]] LOUPE_DECL unexpected<Error> out_of_range();
  result<void> outcome(bool is_good) const {
    if (is_good) [[likely]]
      return {};
    return failure();
  }

  const char* begin_;
  const char* cursor_;
  const char* end_;
  const char* value_ = begin_;  ///< where the value or key read last begins
  std::string_view file_;
  std::uint64_t objects_ = 0;   ///< bit d: the container at depth d + 1 is an object
  unsigned depth_ = 0;
  bool is_first_ = false;       ///< the container begun last has had no element yet
  bool wants_value_ = true;     ///< a value must come next, not a key, an element or an end
  JsonOptions options_;
  ErrorKind fault_kind_ = ErrorKind::corrupt;
  const char* fault_ = "";
  const char* fault_at_ = begin_;
};

}  // namespace loupe::inline LOUPE_ABI::wire

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/wire/json_reader.ipp"
#include "loupe/wire/json_reader_scan.ipp"
#endif
