#include "loupe/wire/json_reader.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace wire = loupe::wire;
using loupe::ErrorKind;
using wire::JsonReader;
using wire::JsonType;
using namespace std::string_view_literals;

namespace {

/// Whether the document is valid as a whole, by skipping over it.
bool is_valid(std::string_view text, wire::JsonOptions options = {}) {
  JsonReader json(text, "doc.json", options);
  return json.skip_value() && json.finish();
}

/// The error of skipping over the document.
loupe::Error error_of(std::string_view text) {
  JsonReader json(text, "doc.json");
  if (auto skipped = json.skip_value(); !skipped) return skipped.error();
  auto finished = json.finish();
  REQUIRE_FALSE(finished);
  return finished.error();
}

std::string string_of(std::string_view text) {
  JsonReader json(text, "doc.json");
  std::string scratch;
  auto read = json.read_string(scratch);
  REQUIRE(read);
  return std::string(*read);
}

double double_of(std::string_view text) {
  JsonReader json(text, "doc.json");
  auto read = json.read_double();
  REQUIRE(read);
  return *read;
}

}  // namespace

TEST_CASE("a document is read in the order of its text") {
  JsonReader json(R"( {"name" : "a", "list":[1, -2 ,3.5] , "on":true,"off":false,"none":null, "in": {"x": {}}} )",
                  "doc.json");
  std::string scratch;
  REQUIRE(json.peek().value() == JsonType::object);
  REQUIRE(json.begin_object());
  REQUIRE(json.next_key(scratch).value() == "name");
  REQUIRE(json.peek().value() == JsonType::string);
  REQUIRE(json.read_string(scratch).value() == "a");
  REQUIRE(json.next_key(scratch).value() == "list");
  REQUIRE(json.peek().value() == JsonType::array);
  REQUIRE(json.begin_array());
  REQUIRE(json.next_element().value());
  REQUIRE(json.peek().value() == JsonType::number);
  REQUIRE(json.read_uint64().value() == 1);
  REQUIRE(json.next_element().value());
  REQUIRE(json.read_int64().value() == -2);
  REQUIRE(json.next_element().value());
  REQUIRE(json.read_double().value() == 3.5);
  REQUIRE_FALSE(json.next_element().value());
  REQUIRE(json.next_key(scratch).value() == "on");
  REQUIRE(json.peek().value() == JsonType::boolean);
  REQUIRE(json.read_bool().value());
  REQUIRE(json.next_key(scratch).value() == "off");
  REQUIRE_FALSE(json.read_bool().value());
  REQUIRE(json.next_key(scratch).value() == "none");
  REQUIRE(json.peek().value() == JsonType::null);
  REQUIRE(json.read_null());
  REQUIRE(json.next_key(scratch).value() == "in");
  REQUIRE(json.skip_value());
  REQUIRE_FALSE(json.next_key(scratch).value());
  REQUIRE(json.finish());
}

TEST_CASE("a string without escapes is a view into the text") {
  const std::string_view text = "\"gr\u00fcn and a long tail of letters\"";
  JsonReader json(text, "doc.json");
  std::string scratch = "untouched";
  const std::string_view read = json.read_string(scratch).value();
  CHECK(read.data() == text.data() + 1);
  CHECK(read.size() == text.size() - 2);
  CHECK(scratch == "untouched");
}

TEST_CASE("escapes are decoded") {
  CHECK(string_of(R"("\"\\\/\b\f\n\r\t")") == "\"\\/\b\f\n\r\t");
  CHECK(string_of(R"("\u0041\u00e9\u20AC\ud83d\uDE00")") == "A\u00e9\u20ac\U0001F600");
  CHECK(string_of(R"("a\u0000b")") == "a\0b"sv);
  CHECK(string_of("\"plain text, \u00e9, then \\n and \u20ac and more text behind\"") ==
        "plain text, \u00e9, then \n and \u20ac and more text behind");
}

TEST_CASE("escaped keys are decoded too") {
  JsonReader json(R"({"\u006bey": 1})", "doc.json");
  std::string scratch;
  REQUIRE(json.begin_object());
  CHECK(json.next_key(scratch).value() == "key");
  CHECK(json.read_int64().value() == 1);
}

TEST_CASE("strings that JSON doesn't allow are errors") {
  for (const std::string_view text : {R"(")"sv,
                                      R"("a)"sv,
                                      R"("\x")"sv,
                                      R"("\)"sv,
                                      R"("\u12")"sv,
                                      R"("\u12g4")"sv,
                                      R"("\ud800")"sv,
                                      R"("\ud800\n")"sv,
                                      R"("\ud800\u0041")"sv,
                                      R"("\udc00")"sv,
                                      R"("\ud83d\ud83d\ude00")"sv,
                                      "\"a\nb\""sv,
                                      "\"\x01\""sv,
                                      "\"\0\""sv,
                                      "\"\xff\""sv,
                                      "\"\\n\xff\""sv,
                                      "\"\\n\x01\""sv,
                                      "\"\xed\xa0\x80\""sv,
                                      "\"\xe2\x82\""sv,
                                      "\"\\n"sv,
                                      "'a'"sv}) {
    CAPTURE(text);
    CHECK_FALSE(is_valid(text));
    JsonReader json(text, "doc.json");
    std::string scratch;
    CHECK_FALSE(json.read_string(scratch));
  }
}

TEST_CASE("a quote, escape or bad byte is found at any distance from the string's start") {
  for (std::size_t length = 0; length < 40; ++length) {
    const std::string plain(length, 'x');
    CHECK(string_of("\"" + plain + "\"") == plain);
    CHECK(string_of("\"" + plain + "\\t" + plain + "\"") == plain + "\t" + plain);
    CHECK(string_of("\"" + plain + "\u00e9" + plain + "\"") == plain + "\u00e9" + plain);
    CHECK_FALSE(is_valid("\"" + plain + "\x1f" + plain + "\""));
    CHECK_FALSE(is_valid("\"" + plain + "\x80" + plain + "\""));
    CHECK_FALSE(is_valid("\"" + plain));
  }
}

TEST_CASE("integers are read up to the limits of their types and not beyond") {
  const auto int64_of = [](std::string_view text) { return JsonReader(text, "doc.json").read_int64(); };
  const auto uint64_of = [](std::string_view text) { return JsonReader(text, "doc.json").read_uint64(); };
  CHECK(int64_of("0").value() == 0);
  CHECK(int64_of("-0").value() == 0);
  CHECK(int64_of("9223372036854775807").value() == std::numeric_limits<std::int64_t>::max());
  CHECK(int64_of("-9223372036854775808").value() == std::numeric_limits<std::int64_t>::min());
  CHECK(uint64_of("18446744073709551615").value() == std::numeric_limits<std::uint64_t>::max());
  CHECK(uint64_of("-0").value() == 0);
  for (const std::string_view text :
       {"9223372036854775808", "-9223372036854775809", "18446744073709551616", "99999999999999999999999"})
    CHECK(int64_of(text).error().kind == ErrorKind::corrupt);
  for (const std::string_view text : {"18446744073709551616", "184467440737095516150", "-1"})
    CHECK(uint64_of(text).error().kind == ErrorKind::corrupt);
  for (const std::string_view text : {"1.0", "1e3", "01", "-", "+1", "", "true", "\"1\"", ".5"}) {
    CAPTURE(text);
    CHECK_FALSE(int64_of(text));
    CHECK_FALSE(uint64_of(text));
  }
}

TEST_CASE("doubles are the nearest to what is written") {
  CHECK(double_of("0") == 0);
  CHECK(std::signbit(double_of("-0")));
  CHECK(double_of("0.1") == 0.1);
  CHECK(double_of("-12.5E+2") == -1250);
  CHECK(double_of("1e-5") == 1e-5);
  CHECK(double_of("9007199254740993") == 9007199254740992.0);
  CHECK(double_of("1.7976931348623157e308") == std::numeric_limits<double>::max());
  CHECK(double_of("5e-324") == 5e-324);
  CHECK(double_of("123456789012345678901234567890") == 123456789012345678901234567890.0);
}

TEST_CASE("a number too small for a double is zero, one too large is an error") {
  CHECK(double_of("1e-400") == 0);
  CHECK(std::signbit(double_of("-1e-400")));
  CHECK(double_of("0.000000001e-99999999999999999999") == 0);
  CHECK(double_of("0e99999999999999999999") == 0);
  CHECK(double_of("0." + std::string(500, '0') + "1e1") == 0);
  CHECK(double_of("0." + std::string(400, '0') + "1e400") == 0.1);
  for (const std::string& text : {std::string("1e309"), std::string("-1e309"), std::string("1e99999999999999999999"),
                                  std::string(400, '9'), "0.001e" + std::string(30, '9')}) {
    CAPTURE(text);
    CHECK_FALSE(JsonReader(text, "doc.json").read_double());
  }
}

TEST_CASE("numbers that JSON doesn't allow are errors") {
  for (const std::string_view text :
       {"",    "-",     "+1", "01",  "-01", "1.",       ".5",        "1.e1", "1e",  "1e+", "1e1.5",
        "0x1", "1_000", "1a", "--1", "NaN", "Infinity", "-Infinity", "nan",  "inf", "-a"}) {
    CAPTURE(text);
    CHECK_FALSE(is_valid(text));
    JsonReader json(text, "doc.json");
    CHECK_FALSE((json.read_double() && json.finish()));
  }
}

TEST_CASE("Python's words for numbers that are not finite are taken only when asked for") {
  constexpr wire::JsonOptions python{.allow_non_finite = true};
  CHECK(std::isnan(JsonReader("NaN", "doc.json", python).read_double().value()));
  CHECK(JsonReader("Infinity", "doc.json", python).read_double().value() == std::numeric_limits<double>::infinity());
  CHECK(JsonReader("-Infinity", "doc.json", python).read_double().value() == -std::numeric_limits<double>::infinity());
  CHECK(JsonReader("NaN", "doc.json", python).peek().value() == JsonType::number);
  CHECK(JsonReader("-1", "doc.json", python).read_double().value() == -1);
  CHECK(is_valid("[NaN, Infinity, -Infinity]", python));
  CHECK_FALSE(is_valid("[NaN, Infinity, -Infinity]"));
  CHECK_FALSE(is_valid("[-Inf]", python));
  CHECK_FALSE(is_valid("[NaNs]", python));
  CHECK_FALSE(JsonReader("NaN", "doc.json").peek());
}

TEST_CASE("documents that JSON doesn't allow are errors") {
  for (const std::string_view text : {"",
                                      " ",
                                      "{",
                                      "[",
                                      "}",
                                      "]",
                                      "{]",
                                      "[}",
                                      "[1",
                                      "[1,",
                                      "[,1]",
                                      "[1,]",
                                      "[1 2]",
                                      "[1,,2]",
                                      "{,}",
                                      "{1:2}",
                                      "{\"a\"}",
                                      "{\"a\":}",
                                      "{\"a\" 1}",
                                      "{\"a\":1,}",
                                      "{\"a\":1 \"b\":2}",
                                      "{\"a\":1",
                                      "tru",
                                      "truex",
                                      "nulls",
                                      "True",
                                      "1 2",
                                      "[] []",
                                      "\xef\xbb\xbf[]",
                                      "/**/1",
                                      "[1]x"}) {
    CAPTURE(text);
    CHECK_FALSE(is_valid(text));
  }
  for (const std::string_view text :
       {"[]", "{}", "\t[\r\n]\n", "[[],{}]", "{\"a\":[{\"b\":null}],\"a\":0}", "true", "\"x\"", " 1 "}) {
    CAPTURE(text);
    CHECK(is_valid(text));
  }
}

TEST_CASE("nesting is followed to 64 levels and refused beyond, in arrays, objects and skipped values") {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  CHECK(is_valid(nested(64)));
  CHECK(error_of(nested(65)).kind == ErrorKind::limit_exceeded);
  CHECK(error_of(nested(65)).offset == 64);
  CHECK(error_of(std::string(100000, '[')).kind == ErrorKind::limit_exceeded);
  std::string objects;
  for (int depth = 0; depth < 64; ++depth) objects += "{\"k\":";
  CHECK(is_valid(objects + "1" + std::string(64, '}')));
  CHECK_FALSE(is_valid(objects + "[]" + std::string(64, '}')));
}

TEST_CASE("an error names the file and the offset") {
  const auto check = [](std::string_view text, std::int64_t offset) {
    CAPTURE(text);
    const loupe::Error error = error_of(text);
    CHECK(error.kind == ErrorKind::corrupt);
    CHECK(error.object == "doc.json");
    CHECK(error.offset == offset);
    CHECK_FALSE(error.detail.empty());
  };
  check("", 0);
  check("[1, x]", 4);
  check("[1, 02]", 4);
  check("[\"ab\xff\"]", 4);
  check("{\"a\": \"\\q\"}", 7);
  check("{\"a\" 1}", 5);
  check("[1] 2", 4);
  check("[1", 2);
}

TEST_CASE("a caller's own error names the value that it is about") {
  JsonReader json(R"({"mode":  "SLEEP"})", "index.json");
  std::string scratch;
  REQUIRE(json.begin_object());
  REQUIRE(json.next_key(scratch));
  REQUIRE(json.read_string(scratch));
  const loupe::Error error = json.fail_here("no such mode").error();
  CHECK(error.object == "index.json");
  CHECK(error.offset == 10);
  CHECK(error.detail == "no such mode");
}

TEST_CASE("a value of another type than asked for is an error") {
  std::string scratch;
  CHECK_FALSE(JsonReader("[1]", "doc.json").begin_object());
  CHECK_FALSE(JsonReader("{}", "doc.json").begin_array());
  CHECK_FALSE(JsonReader("1", "doc.json").read_string(scratch));
  CHECK_FALSE(JsonReader("\"1\"", "doc.json").read_double());
  CHECK_FALSE(JsonReader("1", "doc.json").read_bool());
  CHECK_FALSE(JsonReader("false", "doc.json").read_null());
}

TEST_CASE("asking for what can't stand there is an error of the caller") {
  std::string scratch;
  JsonReader json("[1, {\"a\": 2}]", "doc.json");
  CHECK(json.next_element().error().kind == ErrorKind::invalid_state);
  CHECK(json.next_key(scratch).error().kind == ErrorKind::invalid_state);
  REQUIRE(json.begin_array());
  CHECK(json.read_int64().error().kind == ErrorKind::invalid_state);
  CHECK(json.next_key(scratch).error().kind == ErrorKind::invalid_state);
  REQUIRE(json.next_element());
  CHECK(json.next_element().error().kind == ErrorKind::invalid_state);
  REQUIRE(json.read_int64());
  REQUIRE(json.next_element());
  REQUIRE(json.begin_object());
  CHECK(json.next_element().error().kind == ErrorKind::invalid_state);
  CHECK(json.read_null().error().kind == ErrorKind::invalid_state);
  CHECK_FALSE(json.finish());
}
