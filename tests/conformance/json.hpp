#pragma once
/// @file
/// JSON values for the documents of the conformance programs.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "loupe/base/result.hpp"

namespace conformance {

struct Json;
using Array = std::vector<Json>;
/// In the order in which the members were added.
using Object = std::vector<std::pair<std::string, Json>>;

/// The text of a number, as it is to stand in the document.
struct Number {
  std::string text;
};

struct Json {
  std::variant<std::nullptr_t, bool, Number, std::string, Array, Object> value = nullptr;

  Json() = default;
  Json(std::nullptr_t) {}
  Json(bool truth) : value(truth) {}
  Json(int number) : Json(static_cast<long long>(number)) {}
  Json(std::int64_t number) : value(Number{std::to_string(number)}) {}
  Json(long long number) : value(Number{std::to_string(number)}) {}
  Json(std::uint64_t number) : value(Number{std::to_string(number)}) {}
  Json(Number number) : value(std::move(number)) {}
  Json(std::string text) : value(std::move(text)) {}
  Json(std::string_view text) : value(std::string(text)) {}
  Json(const char* text) : value(std::string(text)) {}
  Json(Array array) : value(std::move(array)) {}
  Json(Object object) : value(std::move(object)) {}

  [[nodiscard]] bool is_null() const noexcept { return std::holds_alternative<std::nullptr_t>(value); }
  [[nodiscard]] const std::string* text() const noexcept { return std::get_if<std::string>(&value); }
  [[nodiscard]] const Array* array() const noexcept { return std::get_if<Array>(&value); }
  [[nodiscard]] const Object* object() const noexcept { return std::get_if<Object>(&value); }
  [[nodiscard]] bool truth() const noexcept {
    const bool* found = std::get_if<bool>(&value);
    return found != nullptr && *found;
  }
  /// The number as an integer, `fallback` if it is none.
  [[nodiscard]] std::int64_t integer(std::int64_t fallback = 0) const noexcept;
  /// A member of an object; null if there is none.
  [[nodiscard]] const Json& operator[](std::string_view key) const noexcept;
};

/// The shortest text that gives the number back; NaN and infinities as the strings of the document.
Json json_number(double number);
Json json_number(float number);

/// The whole value on one line.
std::string print(const Json& json);

/// Reads a document; `file` is for messages.
loupe::result<Json> parse(std::string_view text, std::string_view file);

}  // namespace conformance
