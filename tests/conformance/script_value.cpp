#include "conformance/script_value.hpp"

#include <charconv>
#include <concepts>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "loupe/base/element_type.hpp"
#include "loupe/base/half.hpp"

namespace conformance {
namespace {

using loupe::ElementType;
using loupe::ErrorKind;
using loupe::fail;
using loupe::result;

template <class Type>
Type parsed(const std::string& text) {
  Type number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

/// A number, a truth value, or the name of a number that JSON doesn't have.
template <std::floating_point Type>
Type floating(const Json& json) {
  if (const auto* number = std::get_if<Number>(&json.value)) return parsed<Type>(number->text);
  if (const std::string* name = json.text()) {
    if (*name == "Infinity") return std::numeric_limits<Type>::infinity();
    if (*name == "-Infinity") return -std::numeric_limits<Type>::infinity();
    return std::numeric_limits<Type>::quiet_NaN();
  }
  return json.truth() ? Type{1} : Type{0};
}

template <class Type>
inline constexpr bool is_complex = std::same_as<Type, loupe::Complex64> || std::same_as<Type, loupe::Complex128>;

/// As numpy converts a double.
template <class Type>
Type converted(double number) {
  if constexpr (std::same_as<Type, bool>) return number != 0;
  else if constexpr (std::same_as<Type, loupe::Float16>) return loupe::to_float16(number);
  else if constexpr (std::same_as<Type, loupe::BFloat16>) return loupe::to_bfloat16(static_cast<float>(number));
  else if constexpr (is_complex<Type>) return {static_cast<decltype(Type::real)>(number), 0};
  else if constexpr (std::same_as<Type, std::uint64_t>) return static_cast<Type>(number);
  else if constexpr (std::integral<Type>) return static_cast<Type>(static_cast<std::int64_t>(number));
  else return static_cast<Type>(number);
}

/// The element that `items` begins with; a complex number takes two items.
template <class Type>
Type element(const Json* const* items) {
  const Json& json = **items;
  if constexpr (std::same_as<Type, bool>) return floating<double>(json) != 0;
  else if constexpr (is_complex<Type>) {
    using Part = decltype(Type::real);
    return {floating<Part>(json), floating<Part>(*items[1])};
  } else if constexpr (std::integral<Type>) {
    const auto* number = std::get_if<Number>(&json.value);
    if (number == nullptr || number->text.find_first_of(".eE") != std::string::npos)
      return converted<Type>(floating<double>(json));
    return parsed<Type>(number->text);
  } else if constexpr (std::floating_point<Type>) return floating<Type>(json);
  else return converted<Type>(floating<double>(json));
}

/// The innermost items of nested lists, in order.
void flatten(const Json& json, std::vector<const Json*>& items) {
  if (const Array* list = json.array()) {
    for (const Json& item : *list) flatten(item, items);
  } else {
    items.push_back(&json);
  }
}

result<loupe::Shape> shape_of(const Json& value) {
  const Array* sizes = value["shape"].array();
  if (sizes == nullptr || !loupe::Extents::fits(sizes->size()))
    return fail(ErrorKind::invalid_argument, "script", "a value needs a shape");
  loupe::Shape shape;
  for (const Json& size : *sizes) shape.push_back(size.integer(-1));
  if (!element_count(shape)) return fail(ErrorKind::invalid_argument, "script", "a value's shape can't be counted");
  return shape;
}

result<void> fill_linear(loupe::Array& array, const Array& line) {
  if (line.size() != 2) return fail(ErrorKind::invalid_argument, "script", "linear needs two numbers");
  const double first = floating<double>(line[0]);
  const double slope = floating<double>(line[1]);
  loupe::visit_element_type(array.type(), [&]<class Type>() {
    if constexpr (!std::is_void_v<Type> && !std::same_as<Type, std::string_view>) {
      const auto elements = array.elements<Type>();
      for (std::size_t i = 0; i < elements.size(); ++i)
        elements[i] = converted<Type>(first + slope * static_cast<double>(i));
    }
  });
  return {};
}

result<void> fill_data(loupe::Array& array, const std::vector<const Json*>& items) {
  const std::size_t items_each = loupe::is_complex(array.type()) ? 2 : 1;
  if (items.size() != array.size() * items_each)
    return fail(ErrorKind::invalid_argument, "script", "a value's data and shape disagree");
  loupe::visit_element_type(array.type(), [&]<class Type>() {
    if constexpr (!std::is_void_v<Type> && !std::same_as<Type, std::string_view>) {
      const auto elements = array.elements<Type>();
      for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = element<Type>(&items[i * items_each]);
    }
  });
  return {};
}

}  // namespace

result<loupe::Array> tensor_value(const Json& value) {
  const std::string* name = value["dtype"].text();
  const ElementType type = name != nullptr ? loupe::element_type_from_name(*name) : ElementType::none;
  if (type == ElementType::none) return fail(ErrorKind::invalid_argument, "script", "a value needs a dtype");
  LOUPE_ASSIGN(const loupe::Shape shape, shape_of(value));
  std::vector<const Json*> items;
  flatten(value["data"], items);
  if (type == ElementType::string) {
    std::vector<std::string> texts;
    for (const Json* item : items) texts.push_back(item->text() != nullptr ? *item->text() : std::string());
    return loupe::Array::strings(std::move(texts), shape);
  }
  LOUPE_ASSIGN(loupe::Array array, loupe::Array::make(type, shape));
  if (const Array* line = value["linear"].array()) LOUPE_TRY(fill_linear(array, *line));
  else LOUPE_TRY(fill_data(array, items));
  return array;
}

result<loupe::Array> scalar_value(const Json& value) {
  if (value.object() != nullptr) return tensor_value(value);
  if (const std::string* text = value.text(); text != nullptr) {
    if (*text != "NaN" && *text != "Infinity" && *text != "-Infinity") return loupe::Array::strings({*text}, {1});
  }
  ElementType type = ElementType::float64;
  if (std::holds_alternative<bool>(value.value)) type = ElementType::boolean;
  if (const auto* number = std::get_if<Number>(&value.value))
    if (number->text.find_first_of(".eE") == std::string::npos) type = ElementType::int64;
  if (value.is_null() || value.array() != nullptr)
    return fail(ErrorKind::invalid_type, "script", "a scalar must be a number, a text or a truth value");
  LOUPE_ASSIGN(loupe::Array array, loupe::Array::make(type, {1}));
  LOUPE_TRY(fill_data(array, {&value}));
  return array;
}

}  // namespace conformance
