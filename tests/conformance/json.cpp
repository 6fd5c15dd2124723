#include "conformance/json.hpp"

#include <charconv>
#include <cmath>

#include "loupe/wire/json_reader.hpp"

namespace conformance {
namespace {

template <class Float>
Json shortest(Float number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
  char digits[64];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
  std::string text(digits, end);
  // Without a point a reader would take it for an integer, and lose the sign of zero.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return Number{std::move(text)};
}

void append_text(std::string& out, std::string_view text) {
  out += '"';
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      out += '\\';
      out += character;
    } else if (byte < 0x20) {
      constexpr std::string_view hex = "0123456789abcdef";
      out += "\\u00";
      out += hex[byte >> 4];
      out += hex[byte & 15];
    } else {
      out += character;
    }
  }
  out += '"';
}

void append(std::string& out, const Json& json);

struct Printer {
  std::string& out;
  void operator()(std::nullptr_t) const { out += "null"; }
  void operator()(bool truth) const { out += truth ? "true" : "false"; }
  void operator()(const Number& number) const { out += number.text; }
  void operator()(const std::string& text) const { append_text(out, text); }
  void operator()(const Array& array) const {
    out += '[';
    for (std::size_t i = 0; i < array.size(); ++i) {
      if (i != 0) out += ", ";
      append(out, array[i]);
    }
    out += ']';
  }
  void operator()(const Object& object) const {
    out += '{';
    for (std::size_t i = 0; i < object.size(); ++i) {
      if (i != 0) out += ", ";
      append_text(out, object[i].first);
      out += ": ";
      append(out, object[i].second);
    }
    out += '}';
  }
};

void append(std::string& out, const Json& json) { std::visit(Printer{out}, json.value); }

namespace wire = loupe::wire;

loupe::result<Json> read_value(wire::JsonReader& reader, std::string_view text);

loupe::result<Json> read_object(wire::JsonReader& reader, std::string_view text) {
  Object members;
  std::string scratch;
  LOUPE_TRY(reader.begin_object());
  while (true) {
    LOUPE_ASSIGN(const auto key, reader.next_key(scratch));
    if (!key) return Json(std::move(members));
    std::string name(*key);
    LOUPE_ASSIGN(Json member, read_value(reader, text));
    members.emplace_back(std::move(name), std::move(member));
  }
}

loupe::result<Json> read_array(wire::JsonReader& reader, std::string_view text) {
  Array items;
  LOUPE_TRY(reader.begin_array());
  while (true) {
    LOUPE_ASSIGN(const bool has_next, reader.next_element());
    if (!has_next) return Json(std::move(items));
    LOUPE_ASSIGN(Json item, read_value(reader, text));
    items.push_back(std::move(item));
  }
}

loupe::result<Json> read_value(wire::JsonReader& reader, std::string_view text) {
  LOUPE_ASSIGN(const wire::JsonType type, reader.peek());
  std::string scratch;
  switch (type) {
    case wire::JsonType::object: return read_object(reader, text);
    case wire::JsonType::array: return read_array(reader, text);
    case wire::JsonType::string: {
      LOUPE_ASSIGN(const std::string_view string, reader.read_string(scratch));
      return Json(string);
    }
    case wire::JsonType::boolean: {
      LOUPE_ASSIGN(const bool truth, reader.read_bool());
      return Json(truth);
    }
    case wire::JsonType::null: {
      LOUPE_TRY(reader.read_null());
      return Json();
    }
    case wire::JsonType::number: break;
  }
  const std::size_t begin = reader.offset();
  LOUPE_TRY(reader.skip_value());
  return Json(Number{std::string(text.substr(begin, reader.offset() - begin))});
}

}  // namespace

std::int64_t Json::integer(std::int64_t fallback) const noexcept {
  const Number* number = std::get_if<Number>(&value);
  std::int64_t found = 0;
  if (number == nullptr) return fallback;
  const char* last = number->text.data() + number->text.size();
  const auto [end, error] = std::from_chars(number->text.data(), last, found);
  return error == std::errc() && end == last ? found : fallback;
}

const Json& Json::operator[](std::string_view key) const noexcept {
  static constexpr Json absent;
  if (const Object* members = object())
    for (const auto& [name, member] : *members)
      if (name == key) return member;
  return absent;
}

Json json_number(double number) { return shortest(number); }
Json json_number(float number) { return shortest(number); }

std::string print(const Json& json) {
  std::string out;
  append(out, json);
  return out;
}

loupe::result<Json> parse(std::string_view text, std::string_view file) {
  wire::JsonReader reader(text, file);
  LOUPE_ASSIGN(Json json, read_value(reader, text));
  LOUPE_TRY(reader.finish());
  return json;
}

}  // namespace conformance
