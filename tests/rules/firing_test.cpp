#include "loupe/rules/firing.hpp"

#include <limits>
#include <utility>

#include "support/catch.hpp"

using loupe::rules::Firing;

TEST_CASE("a firing is a sentence that says who, where, what and how much") {
  Firing firing{.rule = "R", .at = {loupe::Step(12), {loupe::Mode::train, 10}}};
  CHECK(firing.sentence() == "R fired at step 12 (TRAIN 10)");
  firing.violations.push_back({"w", "worker_1", 3, 2.5, 1, "it is too large"});
  firing.total = 1;
  CHECK(firing.sentence() == "R fired at step 12 (TRAIN 10): w of worker_1, element 3: it is too large (2.5, threshold 1.0)");
  firing.total = 5;
  firing.at.mode = {loupe::Mode::global, 12};
  firing.violations[0] = {{}, {}, {}, std::numeric_limits<double>::infinity(), 1, "it is too large"};
  CHECK(firing.sentence() == "R fired at step 12: it is too large (Infinity, threshold 1.0); 4 more");
}

TEST_CASE("a firing is a line of JSON, numbers that JSON doesn't have are strings") {
  const Firing firing{.rule = "R\"", .at = {loupe::Step(1), {loupe::Mode::eval, 0}},
                      .violations = {{"w", "worker_0", {}, std::numeric_limits<double>::quiet_NaN(), 1, "no"}}, .total = 1};
  loupe::ByteBuffer line;
  firing.append_json(line);
  CHECK(std::as_const(line).text() ==
        R"({"rule": "R\"", "step": 1, "mode": "EVAL", "mode_step": 0, "violations": [{"tensor": "w", "worker": "worker_0", "step": 1, )"
        R"("mode": "EVAL", "mode_step": 0, "value": "NaN", "threshold": 1.0, "reason": "no"}], "violations_total": 1})");
}
