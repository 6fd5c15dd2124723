#include "loupe/wire/utf8.hpp"

#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace wire = loupe::wire;
using namespace std::string_view_literals;

namespace {

/// The text with each ill-formed piece replaced, as Python's `decode("utf-8", "replace")`.
std::u32string replaced(std::string_view text) {
  std::u32string out;
  while (!text.empty()) {
    const wire::CodePoint next = wire::decode_utf8(text);
    out.push_back(next.value);
    text.remove_prefix(next.size);
  }
  return out;
}

}  // namespace

TEST_CASE("every code point that is no surrogate survives encoding and decoding") {
  for (char32_t value = 0; value <= 0x10FFFF; ++value) {
    if (value >= 0xD800 && value <= 0xDFFF) continue;
    char bytes[4];
    const std::size_t size = wire::encode_utf8(value, bytes);
    const wire::CodePoint decoded = wire::decode_utf8({bytes, size});
    if (!decoded.is_valid || decoded.value != value || decoded.size != size)
      FAIL("code point " << std::uint32_t{value});
  }
}

TEST_CASE("overlong forms, surrogates and numbers above U+10FFFF are not UTF-8") {
  for (const std::string_view text :
       {"\x80"sv, "\xC0\x80"sv, "\xC1\xBF"sv, "\xE0\x9F\xBF"sv, "\xED\xA0\x80"sv, "\xED\xBF\xBF"sv,
        "\xF0\x8F\xBF\xBF"sv, "\xF4\x90\x80\x80"sv, "\xF5\x80\x80\x80"sv, "\xFF"sv, "\xE2\x82"sv}) {
    CHECK_FALSE(wire::decode_utf8(text).is_valid);
    CHECK_FALSE(wire::is_utf8(text));
  }
}

TEST_CASE("ill-formed bytes are replaced by maximal subparts, as Python does") {
  CHECK(replaced("a\xF0\x9F\x98z") == U"a\uFFFDz");
  CHECK(replaced("\xE2\x82") == U"\uFFFD");
  CHECK(replaced("\xED\xA0\x80") == U"\uFFFD\uFFFD\uFFFD");
  CHECK(replaced("\xF0\x80\x80\x41") == U"\uFFFD\uFFFD\uFFFDA");
  CHECK(replaced("\xC3\xA9\xFF\xC3") == U"\u00E9\uFFFD\uFFFD");
  CHECK(replaced("\xF4\x8F\xBF\xBF\xF4\x90") == U"\U0010FFFF\uFFFD\uFFFD");
}

TEST_CASE("the valid prefix ends before the first ill-formed byte, wherever it stands") {
  for (std::size_t place = 0; place < 40; ++place) {
    std::string text(40, 'x');
    CHECK(wire::valid_utf8_size(text) == 40);
    text[place] = '\xC3';
    CHECK(wire::valid_utf8_size(text) == place);
    if (place + 1 < text.size()) {
      text[place + 1] = '\xA9';
      CHECK(wire::is_utf8(text));
    }
  }
}
