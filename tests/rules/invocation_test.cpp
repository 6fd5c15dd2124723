#include "loupe/rules/invocation.hpp"

#include <string>

#include "support/catch.hpp"

using loupe::ErrorKind;
using loupe::rules::NamedParameter;
using loupe::rules::read_rule_parameters;
using Parameters = std::vector<NamedParameter>;

TEST_CASE("a rule is invoked with its own parameters, its steps, its actions and its other trials") {
  const auto read = read_rule_parameters(Parameters{{"rule_to_invoke", "VanishingGradient"},
                                                    {"threshold", "0.1"},
                                                    {"start_step", "5"},
                                                    {"end_step", "10"},
                                                    {"action_json", R"({"name": "sms", "endpoint": "+1"})"},
                                                    {"base_trial", "s3://bucket/job"},
                                                    {"other_trial_10", "c"},
                                                    {"other_trial_2", "b"},
                                                    {"other_trials", "a"}});
  REQUIRE(read);
  CHECK(read->rule.name() == "VanishingGradient");
  CHECK(read->rule.parameters() == "threshold:0.1\n");
  CHECK(read->terms.start_step == 5);
  CHECK(read->terms.end_step == 10);
  CHECK(read->terms.ends_at_first_firing);
  CHECK(read->actions.actions.size() == 1);
  CHECK(read->other_trials == std::vector<loupe::Text>{"a", "b", "c"});
}

TEST_CASE("the first of the other trials is opened for the rule that compares with it") {
  struct Nothing final : loupe::rules::ReferenceRun {
    std::optional<loupe::Array> value(std::string_view, loupe::ModeStep) override { return std::nullopt; }
  };
  std::string opened;
  const auto open = [&](std::string_view path) -> loupe::result<std::shared_ptr<loupe::rules::ReferenceRun>> {
    opened = path;
    return std::make_shared<Nothing>();
  };
  const Parameters parameters{{"rule_to_invoke", "SimilarAcrossRuns"}, {"other_trial_1", "b"}, {"other_trial_0", "a"}};
  CHECK(read_rule_parameters(parameters, open));
  CHECK(opened == "a");
  CHECK(read_rule_parameters(parameters).error().kind == ErrorKind::insufficient_information_for_rule_invocation);
}

TEST_CASE("an invocation that can't be run is refused by what is wrong with it") {
  CHECK(read_rule_parameters(Parameters{{"threshold", "1"}}).error().kind == ErrorKind::insufficient_information_for_rule_invocation);
  CHECK(read_rule_parameters(Parameters{{"rule_to_invoke", "Nothing"}}).error().kind == ErrorKind::invalid_argument);
  CHECK(read_rule_parameters(Parameters{{"rule_to_invoke", "AllZero"}, {"source_s3_uri", "s3://b/rule.py"}}).error().kind == ErrorKind::unsupported);
  CHECK(read_rule_parameters(Parameters{{"rule_to_invoke", "VanishingGradient"}, {"start_step", "-1"}}).error().kind == ErrorKind::invalid_argument);
  CHECK(read_rule_parameters(Parameters{{"rule_to_invoke", "VanishingGradient"}, {"start_stap", "1"}}).error().kind == ErrorKind::invalid_argument);
  CHECK_FALSE(read_rule_parameters(Parameters{{"rule_to_invoke", "VanishingGradient"}, {"action_json", "{"}}));
}
