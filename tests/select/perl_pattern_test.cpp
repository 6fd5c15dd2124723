#include "loupe/select/perl_pattern.hpp"

#include <string>

#include "support/catch.hpp"

using namespace loupe;

namespace {
std::string perl(std::string_view pattern) {
  PerlPattern out;
  REQUIRE(PatternParser<PerlPattern>(pattern, out).parse());
  std::string text;
  for (const wchar_t letter : out.text()) text += letter < 0x80 ? static_cast<char>(letter) : '?';
  return text;
}
}  // namespace

TEST_CASE("classes, case and Python's anchors are spelled out in Perl's syntax") {
  CHECK(perl("^(?P<n>a|b)c*?(?#no)$") == "(?:\\A(a|b)(?:c){0,}(?=\\x0a?\\z))");
  CHECK(perl("(?i)ab[^c]\\d") == "(?:[Aa][Bb][\\x00-BD-bd-?][0-9])");
  CHECK(perl("(?<!x)\\.\\Z") == "(?:(?<!x)\\.\\z)");
  CHECK(perl("[]-]\\n") == "(?:[\\-\\]]\\x0a)");
  CHECK(perl("(?s).(?=a){2}") == "(?:(?:[^\\x0a]|\\x0a)(?:(?=a)){2,2})");
  CHECK(perl("(a)\\1") == "(?:(a)(?:\\1))");
}
