#include "loupe/select/python_regex.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/table.hpp"

using namespace loupe;

namespace {

bool finds(std::string_view pattern, std::string_view name) {
  const auto compiled = compile_python_regex(pattern);
  REQUIRE(compiled);
  return compiled->search(name).value();
}

}  // namespace

TEST_CASE("loupe's own engine finds what Python's re finds, all but back-references") {
  const Table table("regex_matches");
  std::vector<std::string> names;
  for (const auto& row : table.rows())
    if (text_of(row["in"]) == ".*") names = texts_of(row["out"]);
  for (const auto& row : table.rows()) {
    CAPTURE(text_of(row["in"]));
    const auto pattern = compile_python_regex(text_of(row["in"]));
    if (text_of(row["in"]) == "(.)\\1") {
      CHECK(pattern.error().kind == ErrorKind::unsupported);
      continue;
    }
    REQUIRE(pattern.has_value() != is_refused(row["out"]));
    if (!pattern) {
      CHECK(pattern.error().kind == ErrorKind::invalid_argument);
      continue;
    }
    std::vector<std::string> found;
    for (const std::string& name : names)
      if (pattern->search(name).value()) found.push_back(name);
    CHECK(found == texts_of(row["out"]));
  }
}

TEST_CASE("loupe's own engine looks ahead and behind") {
  CHECK(finds("(?<=/)fc", "net/fc"));
  CHECK_FALSE(finds("(?<=/)fc", "fc"));
  CHECK(finds("(?<!(auc|map))$", "train-error"));
  CHECK_FALSE(finds("^.*(?<!(auc|map))\\Z", "train-auc"));
  CHECK(finds("a(?=.*(?<!x)b)c", "acxbb"));
  CHECK_FALSE(finds("a(?=.*(?<!x)b)c", "acxb"));
}

TEST_CASE("an error about a pattern names the pattern and the position") {
  const auto refused = compile_python_regex("ab)c");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().object == "pattern ab)c");
  CHECK(refused.error().detail == "unbalanced parenthesis at position 2");
}

TEST_CASE("no pattern makes a search slow or deep") {
  for (const char* evil : {"(a*)*$b", "(a|a)*b", "^(\\w+\\s?)*$", "(a?){300}a{300}b", "((a*)*)*c", "(.*)*(.*)*(.*)*!",
                           "a.*b.*c", "((?=.*x).)*y", "(((a{9}){9}){9}){9}", "((?=((?=((?=.*x).)*z).)*).)*y",
                           "(?:(?!(?:(?!b.{900})a)*c)a)*d"}) {
    CAPTURE(evil);
    const auto pattern = compile_python_regex(evil);
    if (!pattern) {
      CHECK(pattern.error().kind == ErrorKind::limit_exceeded);
      continue;
    }
    const auto found = pattern->search(std::string(3000, 'a') + "?");
    if (found) CHECK_FALSE(*found);
    else CHECK(found.error().kind == ErrorKind::limit_exceeded);
  }
}

TEST_CASE("a name longer than a search allows is an error") {
  const auto pattern = compile_python_regex("b[bc]");
  REQUIRE(pattern);
  CHECK(pattern->search(std::string(8192, 'a')).value() == false);
  CHECK(pattern->search(std::string(8193, 'a')).error().kind == ErrorKind::limit_exceeded);
}
