#include "loupe/trial/trial_options.hpp"

#include "support/catch.hpp"

namespace {
constexpr std::int64_t second = 1'000'000'000;
}

TEST_CASE("tunables are smdebug's defaults when nothing says otherwise") {
  const auto settled = loupe::settle({.environment = {{"HOME", "/home/me"}}});
  REQUIRE(settled);
  CHECK(settled->end_delay == second);
  CHECK(settled->incomplete_window == 1000);
  CHECK(settled->missing_event_deadline == 200 * second);
}

TEST_CASE("smdebug's variables set the tunables") {
  const auto settled = loupe::settle({.environment = {{"SMDEBUG_TRAINING_END_DELAY_REFRESH", "0"},
                                                      {"SMDEBUG_INCOMPLETE_STEP_WAIT_WINDOW", " 10 "},
                                                      {"SMDEBUG_MISSING_EVENT_FILE_RETRY_LIMIT", "5"}}});
  REQUIRE(settled);
  CHECK(settled->end_delay == 0);
  CHECK(settled->incomplete_window == 10);
  CHECK(settled->missing_event_deadline == 10 * second);
}

TEST_CASE("options go before variables") {
  const auto settled = loupe::settle({.environment = {{"SMDEBUG_TRAINING_END_DELAY_REFRESH", "7"}}, .end_delay = 3});
  REQUIRE(settled);
  CHECK(settled->end_delay == 3);
}

TEST_CASE("a variable that is no whole number is an error that names it") {
  for (const char* text : {"", "soon", "1.5", "-1", "99999999999999999999", "9000000000000000000"}) {
    const auto settled = loupe::settle({.environment = {{"SMDEBUG_TRAINING_END_DELAY_REFRESH", text}}});
    CAPTURE(text);
    REQUIRE_FALSE(settled);
    CHECK(settled.error().kind == loupe::ErrorKind::invalid_argument);
    CHECK(settled.error().object == "SMDEBUG_TRAINING_END_DELAY_REFRESH");
  }
}

TEST_CASE("options that can't be kept are refused") {
  const loupe::Environment none{{"HOME", ""}};
  CHECK_FALSE(loupe::settle({.environment = none, .end_delay = -1}));
  CHECK_FALSE(loupe::settle({.environment = none, .open_deadline = -1}));
  CHECK_FALSE(loupe::settle({.environment = none, .poll_interval = 0}));
  CHECK_FALSE(loupe::settle({.range = {5, 5}, .environment = none}));
}

TEST_CASE("a path loses the blanks around it, and a leading tilde is the home directory") {
  const loupe::Environment environment{{"HOME", "/home/me"}};
  CHECK(loupe::trial_root("  runs/1 \n", environment) == "runs/1");
  CHECK(loupe::trial_root("~/runs/1", environment) == "/home/me/runs/1");
  CHECK(loupe::trial_root("~", environment) == "/home/me");
  CHECK(loupe::trial_root("~other/runs", environment) == "~other/runs");
  CHECK(loupe::trial_root("with blank/x", environment) == "with blank/x");
  CHECK(loupe::trial_root(" \t", environment) == "");
}
