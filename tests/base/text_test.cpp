#include "loupe/base/text.hpp"

#include <limits>
#include <string>
#include <string_view>

#include "support/catch.hpp"

using loupe::Text;

TEST_CASE("a text keeps a deep copy of what it was made from") {
  std::string source = "gradient/fc1";
  const Text text = source;
  source[0] = 'X';
  CHECK(text == "gradient/fc1");
  const Text copy = text;
  CHECK(copy == text);
  CHECK(copy.c_str() != text.c_str());
  CHECK(std::string(text.c_str()) == "gradient/fc1");
}

TEST_CASE("a moved-from text is empty") {
  Text from = "loss";
  const Text to = std::move(from);
  CHECK(to == "loss");
  CHECK(from.empty());
  CHECK(std::string(from.c_str()).empty());
}

TEST_CASE("a text keeps any bytes, NUL included") {
  const std::string_view bytes("a\0b", 3);
  const Text text = bytes;
  CHECK(text.size() == 3);
  CHECK(text.view() == bytes);
}

TEST_CASE("parts are joined in order") {
  CHECK(Text::join("a", std::string("b"), std::string_view("c")) == "abc");
  CHECK(Text::join("", "").empty());
}

TEST_CASE("numbers become decimal text over their whole range") {
  CHECK(loupe::to_text(0) == "0");
  CHECK(loupe::to_text(-17) == "-17");
  CHECK(loupe::to_text(std::numeric_limits<long long>::min()) == "-9223372036854775808");
  CHECK(loupe::to_text(std::numeric_limits<long long>::max()) == "9223372036854775807");
}

TEST_CASE("texts are ordered by their bytes") {
  CHECK(Text("a") < Text("b"));
  CHECK(Text("a") < Text("ab"));
  CHECK(Text("Z") < Text("a"));
}

TEST_CASE("a text compares with anything that is characters") {
  const Text text = "b";
  CHECK(text == std::string("b"));
  CHECK(std::string("b") == text);
  CHECK(text == std::string_view("b"));
  CHECK("b" == text);
  CHECK(text != Text("c"));
  CHECK(text < std::string("c"));
  CHECK("a" < text);
}
