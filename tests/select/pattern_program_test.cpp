#include "loupe/select/pattern_program.hpp"

#include <string>

#include "support/catch.hpp"

using namespace loupe;

namespace {
/// Whether the pattern is found in the text.
bool finds(std::string_view pattern, std::string_view text) {
  PatternProgram program;
  REQUIRE(PatternParser<PatternProgram>(pattern, program).parse());
  return program.search(text).value();
}
}  // namespace

TEST_CASE("alternatives, groups and repetitions match as they nest") {
  CHECK(finds("^(a|b(c|d){2}|e)$", "bcd"));
  CHECK_FALSE(finds("^(a|b(c|d){2}|e)$", "bc"));
  CHECK(finds("^(ab?){2,3}$", "abaab"));
  CHECK_FALSE(finds("^(ab?){2,3}$", "abaaaab"));
  CHECK(finds("^(|a)b$", "b"));
  CHECK(finds("^(a*)*$", "aaa"));
  CHECK(finds("^(?:a+|b*)+c{0}$", "aabba"));
  CHECK(finds("^x{,2}$", "xx"));
  CHECK_FALSE(finds("^x{,2}$", "xxx"));
}

TEST_CASE("anchors stand where Python's do") {
  CHECK(finds("a$", "a\n"));
  CHECK_FALSE(finds("a\\Z", "a\n"));
  CHECK_FALSE(finds("a$", "a\n\n"));
  CHECK(finds("(?m)^b$", "a\nb\nc"));
  CHECK_FALSE(finds("^b", "a\nb"));
  CHECK(finds("\\bé\\b", "a é b"));
  CHECK_FALSE(finds("\\B", ""));
  CHECK(finds("\\Bb", "ab"));
}

TEST_CASE("looking around consumes nothing") {
  CHECK(finds("^(?=a)a(?!b)c?$", "ac"));
  CHECK(finds("(?<=a)b", "ab"));
  CHECK_FALSE(finds("(?<!a)b", "ab"));
  CHECK(finds("(?<!aa)b", "ab"));
  CHECK(finds("^((?!bias).)*$", "weight"));
  CHECK_FALSE(finds("^((?!bias).)*$", "a_bias_b"));
  CHECK(finds("(?=(?<=a)b)(?<!b)b", "ab"));
}

TEST_CASE("a search that has no bound gives up instead of running on") {
  PatternProgram program;
  REQUIRE(PatternParser<PatternProgram>("((?=((?=((?=.*x).)*z).)*).)*y", program).parse());
  CHECK_FALSE(program.search(std::string(4000, 'a')));
  CHECK_FALSE(program.search(std::string(PatternProgram::max_text + 1, 'a')));
}
