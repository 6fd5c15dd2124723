#include "loupe/format/config_values.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

using namespace loupe;
using format::ConfigValues;

namespace {

template <class Read>
auto read(std::string_view text, Read&& take) {
  ConfigValues values(text, "config.json");
  values.go_to("key");
  return take(values);
}
result<std::int64_t> number(std::string_view text) {
  return read(text, [](ConfigValues& values) { return values.read_number(); });
}
result<bool> flag(std::string_view text) {
  return read(text, [](ConfigValues& values) { return values.read_flag(); });
}

}  // namespace

TEST_CASE("numbers may be texts and lose their fraction") {
  CHECK(number("100").value() == 100);
  CHECK(number("-3").value() == -3);
  CHECK(number("2.7").value() == 2);
  CHECK(number("\" 42 \"").value() == 42);
  CHECK(number("\"+5\"").value() == 5);
  for (const char* text : {"\"\"", "\"abc\"", "\"2.5\"", "\"1 2\"", "\"99999999999999999999\"", "1e300", "\"+-1\""})
    CHECK(number(text).error().kind == ErrorKind::invalid_argument);
  for (const char* text : {"null", "[1]", "true", "{}"}) CHECK(number(text).error().kind == ErrorKind::invalid_type);
  CHECK(number("").error().kind == ErrorKind::corrupt);
}

TEST_CASE("truth values are those that smdebug takes") {
  for (const char* text : {"true", "\"true\"", "\"True\"", "1"}) CHECK(flag(text).value());
  for (const char* text : {"false", "\"false\"", "\"False\"", "0"}) CHECK_FALSE(flag(text).value());
  for (const char* text : {"\"FALSE\"", "\"maybe\"", "1.5", "2"})
    CHECK(flag(text).error().kind == ErrorKind::invalid_argument);
  for (const char* text : {"null", "[]"}) CHECK(flag(text).error().kind == ErrorKind::invalid_type);
}

TEST_CASE("words stand in a comma-separated text or in a list") {
  const auto words = [](std::string_view text, bool refuses_lists) -> result<std::vector<std::string>> {
    ConfigValues values(text, "config.json", refuses_lists);
    std::vector<std::string> found;
    LOUPE_TRY(values.read_words("words", [&](std::string_view word) -> result<void> {
      found.emplace_back(word);
      return {};
    }));
    return found;
  };
  CHECK(words("\"a, b\"", false).value() == std::vector<std::string>{"a", "b"});
  CHECK(words("[\"a,b\", 3]", false).value() == std::vector<std::string>{"a,b", "3"});
  CHECK(words("[]", false).value().empty());
  CHECK(words("[\"a\"]", true).error().kind == ErrorKind::invalid_type);
  CHECK(words("[null]", false).error().kind == ErrorKind::invalid_type);
}

TEST_CASE("an error names the file, the key, the place and what is allowed") {
  const auto outcome = number("  \"x\"");
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().object == "config.json");
  CHECK(outcome.error().detail == "key is \"x\", but must be a whole number");
  CHECK(outcome.error().offset == 5);
}
