#include "loupe/select/pattern_cursor.hpp"

#include "support/catch.hpp"

using namespace loupe;

TEST_CASE("a cursor takes what is there and stays where something else is") {
  PatternCursor cursor("a12é", 10);
  CHECK_FALSE(cursor.take('b'));
  CHECK(cursor.take('a'));
  CHECK(cursor.next_are(U"12"));
  CHECK(cursor.take_number() == 12);
  CHECK_FALSE(cursor.take_number());
  CHECK(cursor.take_any() == U'é');
  CHECK(cursor.at_end());
  CHECK_FALSE(cursor.next_are(U"x"));
}

TEST_CASE("a pattern above the limit is cut, and says so") {
  CHECK_FALSE(PatternCursor("éé", 2).is_cut());
  CHECK(PatternCursor("ééa", 2).is_cut());
}

TEST_CASE("huge numbers don't overflow") {
  CHECK(*PatternCursor("99999999999999999999999999", 99).take_number() > 1'000'000);
}

TEST_CASE("escapes stand for the characters that Python reads") {
  const auto escape = [](std::string_view rest) {
    PatternCursor cursor(rest, 20);
    return cursor.take_literal_escape(cursor.take_any());
  };
  CHECK(escape("n").value() == '\n');
  CHECK(escape("x41").value() == 'A');
  CHECK(escape("u00e9").value() == U'é');
  CHECK(escape("U0001f600").value() == U'😀');
  CHECK(escape("012").value() == 012);
  CHECK(escape("-").value() == '-');
  CHECK(escape("x4").error().kind == ErrorKind::invalid_argument);
  CHECK(escape("U00110000").error().kind == ErrorKind::invalid_argument);
  CHECK(escape("q").error().kind == ErrorKind::invalid_argument);
  CHECK(escape("N{DASH}").error().kind == ErrorKind::unsupported);
  CHECK(PatternCursor("141x", 9).take_octal_escape().value() == U'a');
  CHECK(PatternCursor("14", 9).take_octal_escape().value() == std::nullopt);
  CHECK_FALSE(PatternCursor("777", 9).take_octal_escape());
  CHECK(PatternCursor("14x", 9).take_octal_member().value() == U'\f');
  CHECK(PatternCursor("1411", 9).take_octal_member().value() == U'a');
  CHECK_FALSE(PatternCursor("8", 9).take_octal_member());
  CHECK_FALSE(PatternCursor("400", 9).take_octal_member());
}
