/// @file
/// Any text as JSON: it is refused or read, skipping and reading agree, and what was read can be written and read again.
#include <string>
#include <string_view>

#include "fuzz/driver.hpp"
#include "loupe/base/byte_buffer.hpp"
#include "loupe/wire/json_reader.hpp"
#include "loupe/wire/json_writer.hpp"
#include "loupe/wire/utf8.hpp"

namespace {

using loupe::result;
namespace wire = loupe::wire;

/// Numbers as integers where they are some.
result<void> copy_number(std::string_view text, wire::JsonReader& json, wire::JsonWriter& out) {
  wire::JsonReader as_integer(text.substr(json.offset()), "integer", {.allow_non_finite = true});
  if (const auto integer = as_integer.read_int64()) {
    LOUPE_ASSIGN(const std::int64_t same, json.read_int64());
    fuzz::require(*integer == same, "an integer is the same wherever it stands");
    out.number(same);
    return {};
  }
  wire::JsonReader as_unsigned(text.substr(json.offset()), "unsigned", {.allow_non_finite = true});
  if (as_unsigned.read_uint64()) {
    LOUPE_ASSIGN(const std::uint64_t integer, json.read_uint64());
    out.number(integer);
    return {};
  }
  LOUPE_ASSIGN(const double number, json.read_double());
  out.number(number);
  return {};
}

result<void> copy(std::string_view text, wire::JsonReader& json, wire::JsonWriter& out) {
  std::string scratch;
  LOUPE_ASSIGN(const wire::JsonType type, json.peek());
  switch (type) {
    case wire::JsonType::object:
      LOUPE_TRY(json.begin_object());
      out.begin_object();
      while (true) {
        LOUPE_ASSIGN(const auto key, json.next_key(scratch));
        if (!key) break;
        fuzz::require(wire::is_utf8(*key), "keys are UTF-8");
        out.key(*key);
        LOUPE_TRY(copy(text, json, out));
      }
      out.end_object();
      return {};
    case wire::JsonType::array:
      LOUPE_TRY(json.begin_array());
      out.begin_array();
      while (true) {
        LOUPE_ASSIGN(const bool has_more, json.next_element());
        if (!has_more) break;
        LOUPE_TRY(copy(text, json, out));
      }
      out.end_array();
      return {};
    case wire::JsonType::string: {
      LOUPE_ASSIGN(const std::string_view value, json.read_string(scratch));
      fuzz::require(wire::is_utf8(value), "strings are UTF-8");
      out.string(value);
      return {};
    }
    case wire::JsonType::number: return copy_number(text, json, out);
    case wire::JsonType::boolean: {
      LOUPE_ASSIGN(const bool value, json.read_bool());
      out.boolean(value);
      return {};
    }
    case wire::JsonType::null: out.null(); return json.read_null();
  }
  return {};
}

/// Copies a document; false if it is refused.
bool rewrite(std::string_view text, loupe::ByteBuffer& out) {
  wire::JsonReader json(text, "doc.json", {.allow_non_finite = true});
  wire::JsonWriter writer(out);
  result<void> outcome = copy(text, json, writer);
  if (outcome) outcome = json.finish();
  if (outcome) return true;
  fuzz::require(outcome.error().offset >= 0 && outcome.error().offset <= static_cast<std::int64_t>(text.size()),
                "an error's offset lies in the text");
  fuzz::require(outcome.error().kind != loupe::ErrorKind::invalid_state, "the calls were in order");
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text(data, size);
  wire::JsonReader skipping(text, "doc.json", {.allow_non_finite = true});
  const bool is_skipped = skipping.skip_value() && skipping.finish();
  loupe::ByteBuffer once;
  if (!rewrite(text, once)) return 0;
  fuzz::require(is_skipped, "what can be read can be skipped");
  loupe::ByteBuffer twice;
  fuzz::require(rewrite(once.text(), twice), "what was written can be read");
  fuzz::require(once.text() == twice.text(), "what was read from it is the same");
  loupe::ByteBuffer string;
  wire::append_json_string(string, text);
  wire::JsonReader reading(string.text(), "string.json");
  std::string scratch;
  const auto back = reading.read_string(scratch);
  fuzz::require(back.has_value(), "any text can be written as a string");
  fuzz::require(!wire::is_utf8(text) || *back == text, "a string of UTF-8 survives");
  return 0;
}
