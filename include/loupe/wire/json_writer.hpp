#pragma once
/// @file
/// Writes JSON as Python's `json.dumps` does by default, byte for byte (format.md section 11).

#include <concepts>
#include <cstdint>
#include <string_view>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI::wire {

/// Appends `text` as a JSON string: ASCII only, other characters as lower-case `\uXXXX`, above U+FFFF as surrogate
/// pairs. Bytes that are not UTF-8 become U+FFFD (`\ufffd`), one for each maximal subpart, so that the document is
/// always valid.
LOUPE_DECL void append_json_string(ByteBuffer& out, std::string_view text);

/// Appends a float as Python's `repr` does: the shortest digits that read back as the same double, with an exponent
/// below 1e-4 and from 1e16 on; `NaN`, `Infinity`, `-Infinity`.
LOUPE_DECL void append_json_number(ByteBuffer& out, double number);
LOUPE_DECL void append_json_number(ByteBuffer& out, std::int64_t number);
LOUPE_DECL void append_json_number(ByteBuffer& out, std::uint64_t number);

/// Appends one document to a buffer; separators are put in by themselves. The caller opens and closes containers in
/// order and gives a key before each value of an object. One thread at a time.
class JsonWriter {
 public:
  explicit JsonWriter(ByteBuffer& out) noexcept : out_(out) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name) {
    separate();
    append_json_string(out_, name);
    out_.append(std::string_view(": "));
    needs_comma_ = false;
    return *this;
  }

  JsonWriter& string(std::string_view text) {
    separate();
    append_json_string(out_, text);
    return *this;
  }
  template <class Number>
    requires((std::integral<Number> && !std::same_as<Number, bool>) || std::same_as<Number, double>)
  JsonWriter& number(Number number) {
    separate();
    if constexpr (std::same_as<Number, double>) append_json_number(out_, number);
    else if constexpr (std::signed_integral<Number>) append_json_number(out_, static_cast<std::int64_t>(number));
    else append_json_number(out_, static_cast<std::uint64_t>(number));
    return *this;
  }
  JsonWriter& boolean(bool value) { return word(value ? "true" : "false"); }
  JsonWriter& null() { return word("null"); }

 private:
  JsonWriter& open(char bracket) {
    separate();
    out_.append(bracket);
    needs_comma_ = false;
    return *this;
  }
  JsonWriter& close(char bracket) {
    out_.append(bracket);
    needs_comma_ = true;
    return *this;
  }
  JsonWriter& word(std::string_view text) {
    separate();
    out_.append(text);
    return *this;
  }
  /// Before a value or key: a comma, if something stands before it. What follows a value needs one.
  void separate() {
    if (needs_comma_) out_.append(std::string_view(", "));
    needs_comma_ = true;
  }

  ByteBuffer& out_;
  bool needs_comma_ = false;
};

}  // namespace loupe::inline LOUPE_ABI::wire

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/wire/json_writer.ipp"
#endif
