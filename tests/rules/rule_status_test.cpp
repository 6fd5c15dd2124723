#include "loupe/rules/rule_status.hpp"

#include <string>
#include <utility>

#include "loupe/rules/builtin/vanishing_gradient.hpp"
#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::rules::RuleStatus;

TEST_CASE("statuses have the service's names, and an end") {
  CHECK(loupe::rules::rule_status_name(RuleStatus::issues_found) == "IssuesFound");
  CHECK(loupe::rules::is_terminal(RuleStatus::stopped));
  CHECK_FALSE(loupe::rules::is_terminal(RuleStatus::stopping));
}

TEST_CASE("a status is cut between two characters") {
  const std::string text = std::string(1023, 'a') + "\xc3\xa4";
  CHECK(loupe::rules::status_details(text).size() == 1023);
  CHECK(loupe::rules::status_details("short") == "short");
}

TEST_CASE("a rule that fired says where, one that looked at nothing says that") {
  StepStage stage(loupe::rules::vanishing_gradient());
  stage.in("gradients", "g");
  CHECK(loupe::rules::status_details(stage.record()) == "no matching tensor was ever saved");
  CHECK(loupe::rules::final_status(stage.record()) == RuleStatus::no_issues_found);
  CHECK(stage.step_at(7).show("g", 0.0).fires());
  CHECK(loupe::rules::final_status(stage.record()) == RuleStatus::issues_found);
  CHECK(loupe::rules::status_details(stage.record()) ==
        "RuleEvaluationConditionMet: Evaluation of the rule VanishingGradient at step 7 resulted in the condition being met");
}

TEST_CASE("a report has the keys of smdebug's, and the last firing in words") {
  StepStage stage(loupe::rules::vanishing_gradient());
  stage.in("gradients", "g");
  CHECK(stage.step().show("g", 0.0).fires());
  loupe::ByteBuffer report;
  loupe::rules::append_rule_report(report, stage.record(), "threshold:1e-07\n");
  CHECK(std::as_const(report).text() ==
        R"({"RuleTriggered": 1, "Violations": 1, "Details": {"step": 0, "violations": [{"tensor": "g", "worker": "worker_0", "step": 0, )"
        R"("mode": "GLOBAL", "mode_step": 0, "value": 0.0, "threshold": 1e-07, "reason": "the mean of the absolute values is below the threshold"}], )"
        R"("violations_total": 1}, "Datapoints": 1, "RuleParameters": "threshold:1e-07\n"})");
}
