#include "loupe/wire/json_writer.hpp"

#include <bit>
#include <charconv>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <string_view>

#include "support/catch.hpp"

namespace wire = loupe::wire;
using loupe::ByteBuffer;
using namespace std::string_view_literals;

namespace {

std::string string_of(std::string_view text) {
  ByteBuffer out;
  wire::append_json_string(out, text);
  return std::string(out.text());
}

std::string number_of(double number) {
  ByteBuffer out;
  wire::append_json_number(out, number);
  return std::string(out.text());
}

}  // namespace

TEST_CASE("separators are Python's, and containers may be empty") {
  ByteBuffer out;
  wire::JsonWriter json(out);
  json.begin_object();
  json.key("meta").begin_object().key("mode").string("TRAIN").key("mode_step").number(7).end_object();
  json.key("list").begin_array().number(-1).begin_array().end_array().boolean(true).null().end_array();
  json.key("empty").begin_object().end_object();
  json.key("last").boolean(false).end_object();
  CHECK(out.text() ==
        R"({"meta": {"mode": "TRAIN", "mode_step": 7}, "list": [-1, [], true, null], "empty": {}, "last": false})");
}

TEST_CASE("a document is appended to what the buffer holds") {
  ByteBuffer out;
  out.append("before "sv);
  wire::JsonWriter(out).begin_array().string("x").end_array();
  CHECK(out.text() == R"(before ["x"])");
}

TEST_CASE("strings are ASCII with Python's escapes") {
  CHECK(string_of("") == R"("")");
  CHECK(string_of("a/b\"c\\d") == R"("a/b\"c\\d")");
  CHECK(string_of("\b\f\n\r\t") == R"("\b\f\n\r\t")");
  CHECK(string_of("\0\x01\x1f ~\x7f"sv) == R"("\u0000\u0001\u001f ~\u007f")");
  CHECK(string_of("\u00e9\u20ac\uffff") == R"("\u00e9\u20ac\uffff")");
  CHECK(string_of("\U0001F600\U0010FFFF") == R"("\ud83d\ude00\udbff\udfff")");
}

TEST_CASE("bytes that are not UTF-8 become replacement characters") {
  CHECK(string_of("a\xFFz") == R"("a\ufffdz")");
  CHECK(string_of("\xF0\x9F\x98") == R"("\ufffd")");
  CHECK(string_of("\xED\xA0\x80") == R"("\ufffd\ufffd\ufffd")");
}

TEST_CASE("integers of both signs are written to their limits") {
  ByteBuffer out;
  wire::JsonWriter(out)
      .begin_array()
      .number(std::numeric_limits<std::int64_t>::min())
      .number(std::numeric_limits<std::int64_t>::max())
      .number(std::numeric_limits<std::uint64_t>::max())
      .number(std::uint8_t{200})
      .end_array();
  CHECK(out.text() == "[-9223372036854775808, 9223372036854775807, 18446744073709551615, 200]");
}

TEST_CASE("floats are written as Python's repr writes them") {
  const struct {
    double number;
    std::string_view text;
  } cases[] = {{0.0, "0.0"},
               {-0.0, "-0.0"},
               {1.0, "1.0"},
               {-1.5, "-1.5"},
               {0.1, "0.1"},
               {100.0, "100.0"},
               {123456.789, "123456.789"},
               {0.0001, "0.0001"},
               {0.00012345, "0.00012345"},
               {0.00001, "1e-05"},
               {-1.5e-7, "-1.5e-07"},
               {1e15, "1000000000000000.0"},
               {9007199254740993.0, "9007199254740992.0"},
               {1234567890123456.7, "1234567890123456.8"},
               {1e16, "1e+16"},
               {1.2345e16, "1.2345e+16"},
               {1e22, "1e+22"},
               {1e23, "1e+23"},
               {1e100, "1e+100"},
               {5e-324, "5e-324"},
               {2.2250738585072014e-308, "2.2250738585072014e-308"},
               {1.7976931348623157e308, "1.7976931348623157e+308"},
               {1600000000.5, "1600000000.5"},
               {2.0 / 3.0, "0.6666666666666666"}};
  for (const auto& [number, text] : cases) CHECK(number_of(number) == text);
  CHECK(number_of(std::numeric_limits<double>::quiet_NaN()) == "NaN");
  CHECK(number_of(std::numeric_limits<double>::infinity()) == "Infinity");
  CHECK(number_of(-std::numeric_limits<double>::infinity()) == "-Infinity");
}

TEST_CASE("every written float reads back as the same bits") {
  std::mt19937_64 random(20260101);
  for (int round = 0; round < 20000; ++round) {
    const std::uint64_t bits = random();
    const double number = std::bit_cast<double>(bits);
    if (!(number - number == 0)) continue;
    const std::string text = number_of(number);
    double back = 0;
    const auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), back);
    if (status != std::errc() || stop != text.data() + text.size() || std::bit_cast<std::uint64_t>(back) != bits)
      FAIL(text << " for bits " << bits);
  }
}
