#include "loupe/rules/catalogue.hpp"

#include <string>

#include "support/catch.hpp"

using loupe::ErrorKind;
using loupe::rules::builtin_rule_names;
using loupe::rules::make_builtin_rule;
using loupe::rules::NamedParameter;

TEST_CASE("each built-in rule is made from its name, with its defaults unless it needs to be told what to look at") {
  for (const std::string_view name : builtin_rule_names()) {
    CAPTURE(name);
    const auto made = make_builtin_rule(name, {});
    if (made) CHECK(made->name() == name);
    else CHECK(made.error().kind == ErrorKind::insufficient_information_for_rule_invocation);
  }
}

TEST_CASE("parameters come as strings and are told back") {
  const NamedParameter given[] = {{"threshold", "0.5"}};
  const auto made = make_builtin_rule("VanishingGradient", given);
  REQUIRE(made);
  CHECK(made->parameters() == "threshold:0.5\n");
}

TEST_CASE("an unknown rule is refused with the nearest name, a bad parameter by its own") {
  const auto unknown = make_builtin_rule("ExplodingTensors", {});
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message() == "rule ExplodingTensors: there is no such built-in rule; did you mean ExplodingTensor?");
  CHECK(make_builtin_rule("Xyz", {}).error().message().view().find("VanishingGradient") != std::string_view::npos);
  const NamedParameter bad[] = {{"threshold", "-1"}};
  CHECK(make_builtin_rule("VanishingGradient", bad).error().kind == ErrorKind::invalid_argument);
  const NamedParameter without_choice[] = {{"max_threshold", "1"}};
  CHECK(make_builtin_rule("TensorVariance", without_choice).error().kind == ErrorKind::insufficient_information_for_rule_invocation);
}
