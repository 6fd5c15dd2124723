#pragma once
/// @file
/// Tensors and results of the fixtures' tables.

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "loupe/base/array.hpp"
#include "loupe/base/half.hpp"
#include "loupe/base/scalar.hpp"
#include "reduce/random_numbers.hpp"
#include "support/table.hpp"

namespace test {

/// The rows of a table, their numbers read to the last bit.
class ExactTable {
 public:
  explicit ExactTable(const std::string& path) {
    document_.Parse<rapidjson::kParseFullPrecisionFlag>(read_test_data(path).c_str());
    if (document_.HasParseError() || document_["rows"].Empty()) throw "no table " + path;
  }
  auto rows() const { return document_["rows"].GetArray(); }

 private:
  rapidjson::Document document_;
};

inline double number_of(const rapidjson::Value& value) {
  if (value.IsBool()) return value.GetBool() ? 1 : 0;
  if (value.IsNumber()) return value.GetDouble();
  const std::string_view text = text_of(value);
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  return text == "Infinity" ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
}

inline void append_numbers(const rapidjson::Value& value, std::vector<double>& out) {
  if (!value.IsArray()) return out.push_back(number_of(value));
  for (const auto& part : value.GetArray()) append_numbers(part, out);
}

/// The tensor of a `{"dtype", "shape", "data"}`; a complex number is a pair in the data.
inline loupe::Array fixture_tensor(const rapidjson::Value& value) {
  loupe::Shape shape;
  for (const auto& extent : value["shape"].GetArray()) shape.push_back(extent.GetInt64());
  std::vector<double> numbers;
  append_numbers(value["data"], numbers);
  loupe::Array array = *loupe::Array::make(loupe::element_type_from_name(text_of(value["dtype"])), shape);
  std::byte* out = array.bytes().data();
  loupe::visit_element_type(array.type(), [&]<class Element>() {
    for (std::size_t index = 0; index < array.size(); ++index) {
      if constexpr (std::is_same_v<Element, loupe::Complex128>) {
        std::memcpy(out + 16 * index, &numbers[2 * index], 16);
      } else if constexpr (!std::is_void_v<Element> && !std::is_same_v<Element, std::string_view> &&
                           !std::is_same_v<Element, loupe::Complex64>) {
        const auto element = element_from<Element>(numbers[index]);
        std::memcpy(out + index * sizeof element, &element, sizeof element);
      }
    }
  });
  return array;
}

/// How far results of a type may be apart.
inline double tolerance_of(loupe::ElementType type) { return type == loupe::ElementType::float16 ? 2e-3 : 1e-6; }

}  // namespace test
