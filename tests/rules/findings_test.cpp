#include "loupe/rules/findings.hpp"

#include <string>

#include "support/catch.hpp"

using loupe::rules::Evidence;
using loupe::rules::Findings;

TEST_CASE("violations of a step are counted, and kept up to a limit") {
  Findings findings;
  const Evidence by{.tensor = {"w", 0}, .worker = "worker_1", .at = {}, .value = {}};
  for (int number = 0; number < 150; ++number) findings.add(by, number, 10, "reason", number);
  CHECK(findings.total() == 150);
  REQUIRE(findings.violations().size() == loupe::rules::max_violations);
  CHECK(findings.violations()[3].tensor == "w");
  CHECK(findings.violations()[3].worker == "worker_1");
  CHECK(findings.violations()[3].element == 3);
  CHECK(findings.take().size() == loupe::rules::max_violations);
  findings.begin_step();
  CHECK(findings.total() == 0);
}

TEST_CASE("a warning is given once for each tensor and sentence, and there are not endlessly many") {
  Findings findings;
  for (int times = 0; times < 2; ++times) {
    findings.warn("a", "one");
    findings.warn("a", "two");
    findings.warn("b", "one");
  }
  CHECK(findings.warnings().size() == 3);
  CHECK(findings.warnings()[0] == "a: one");
  for (int number = 0; number < 2000; ++number) findings.warn(std::to_string(number), "one");
  CHECK(findings.warnings().size() == 1000);
}

TEST_CASE("datapoints are counted over all steps") {
  Findings findings;
  findings.count_datapoint();
  findings.begin_step();
  findings.count_datapoint();
  CHECK(findings.datapoints() == 2);
}
