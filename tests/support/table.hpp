#pragma once
/// @file
/// The tables of tests/data/fixtures: questions and smdebug's answers.

#include <rapidjson/document.h>

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "support/data.hpp"

/// The bytes of a file below tests/data.
inline std::string read_test_data(std::string_view relative) {
  std::ifstream file(test_data(relative), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// A table: `rows()` are objects with the members `in` and `out`.
class Table {
 public:
  explicit Table(std::string_view name) {
    document_.Parse(read_test_data(std::string("fixtures/tables/").append(name).append(".json")).c_str());
    if (document_.HasParseError() || document_["rows"].Empty()) throw std::string("no table ").append(name);
  }
  auto rows() const { return document_["rows"].GetArray(); }

 private:
  rapidjson::Document document_;
};

inline std::string_view text_of(const rapidjson::Value& value) { return {value.GetString(), value.GetStringLength()}; }

inline std::vector<std::string> texts_of(const rapidjson::Value& list) {
  std::vector<std::string> texts;
  for (const auto& text : list.GetArray()) texts.emplace_back(text_of(text));
  return texts;
}

/// Whether the answer is that smdebug raises an exception.
inline bool is_refused(const rapidjson::Value& answer) { return answer.IsObject() && answer.HasMember("error"); }
