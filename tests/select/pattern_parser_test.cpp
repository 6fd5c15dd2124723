#include "loupe/select/pattern_parser.hpp"

#include <string>

#include "loupe/select/pattern_program.hpp"
#include "loupe/select/perl_pattern.hpp"
#include "support/catch.hpp"

using namespace loupe;

static_assert(PatternSink<PatternProgram>);
static_assert(PatternSink<PerlPattern>);

namespace {
std::string refusal(std::string_view pattern, ErrorKind kind) {
  PatternProgram program;
  const auto outcome = PatternParser<PatternProgram>(pattern, program).parse();
  CAPTURE(pattern);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == kind);
  return outcome.error().detail.c_str();
}
}  // namespace

TEST_CASE("what Python refuses is refused with the reason and the position") {
  for (const char* pattern :
       {"(",      ")",    "a)",    "[a",    "[]",      "*a",  "a**",   "a{3,2}", "^*",  "(?P<1>a)", "(?P<a>.)(?P<a>.)",
        "(?P=a)", "\\1",  "(\\1)", "[z-a]", "[a-\\d]", "\\q", "[\\q]", "\\x1",   "a\\", "(?<=a*)b", "(?<!a|bc)d",
        "(?<a",   "(?#a", "(?i",   "\\777"})
    refusal(pattern, ErrorKind::invalid_argument);
  CHECK(refusal("ab[z-a]", ErrorKind::invalid_argument) == "bad character range at position 6");
}

TEST_CASE("what loupe lacks is unsupported") {
  for (const char* pattern : {"(a)\\1", "(?x)a b", "(?i:a)", "(a)?(?(1)b|c)", "\\N{DASH}", "(?>a)"})
    refusal(pattern, ErrorKind::unsupported);
}

TEST_CASE("a pattern that is too large or too deep is refused before any memory is spent on it") {
  refusal(std::string(max_pattern_size + 1, 'a'), ErrorKind::limit_exceeded);
  refusal("(((a{30}){30}){30}){30}", ErrorKind::limit_exceeded);
  refusal("a{1000000000}", ErrorKind::limit_exceeded);
  refusal(std::string(60, '(') + std::string(60, ')'), ErrorKind::limit_exceeded);
}
