#include "loupe/select/boost_regex.hpp"

#include <string>

#include "support/catch.hpp"

using namespace loupe;

TEST_CASE("Boost.Regex looks behind and refers back") {
  const auto behind = compile_boost_regex("-(?!x).+(?<!(auc|map))$");
  REQUIRE(behind);
  CHECK(behind->search("train-error").value());
  CHECK_FALSE(behind->search("train-auc").value());
  const auto twice = compile_boost_regex("(?P<letter>.)(?P=letter)");
  REQUIRE(twice);
  CHECK(twice->search("数数").value());
  CHECK_FALSE(twice->search("abab").value());
}

TEST_CASE("Boost.Regex matches code points, not bytes") {
  CHECK(compile_boost_regex("^.$").value().search("数").value());
  CHECK(compile_boost_regex("^[^a]$").value().search("é").value());
  CHECK(compile_boost_regex("^[é数]{2}$").value().search("数é").value());
  CHECK(compile_boost_regex("\\bé").value().search("a é").value());
  CHECK_FALSE(compile_boost_regex("\\bé").value().search("aé").value());
}

TEST_CASE("a look-behind of no fixed width is refused with the pattern's name") {
  const auto refused = compile_boost_regex("(?<!a+)b");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::invalid_argument);
  CHECK(refused.error().object == "pattern (?<!a+)b");
}

TEST_CASE("a search that Boost.Regex gives up is an error that names pattern and name") {
  const auto pattern = compile_boost_regex("^(\\w+\\s?)*$");
  REQUIRE(pattern);
  const auto outcome = pattern->search(std::string(60, 'a') + "!");
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == ErrorKind::limit_exceeded);
  CHECK(outcome.error().object == "pattern ^(\\w+\\s?)*$");
}
