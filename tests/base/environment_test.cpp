#include "loupe/base/environment.hpp"

#include <stdlib.h>

#include "support/catch.hpp"

using loupe::Environment;

TEST_CASE("a fixed environment has its variables and no others") {
  const Environment environment{{"FIRST", "1"}, {"EMPTY", ""}, {"FIRST", "2"}};
  CHECK(environment.get("FIRST") == loupe::Text("2"));
  CHECK(environment.get("EMPTY") == loupe::Text());
  CHECK_FALSE(environment.get("PATH"));
  CHECK_FALSE(Environment::none().get("PATH"));
}

TEST_CASE("the process's environment is read when it is asked") {
  const Environment environment;
  REQUIRE(::unsetenv("LOUPE_ENVIRONMENT_TEST") == 0);
  CHECK_FALSE(environment.get("LOUPE_ENVIRONMENT_TEST"));
  REQUIRE(::setenv("LOUPE_ENVIRONMENT_TEST", "value", 1) == 0);
  CHECK(environment.get("LOUPE_ENVIRONMENT_TEST") == loupe::Text("value"));
  REQUIRE(::unsetenv("LOUPE_ENVIRONMENT_TEST") == 0);
}

TEST_CASE("setting a variable changes the object alone") {
  Environment environment;
  environment.set("LOUPE_ENVIRONMENT_TEST", "mine");
  CHECK(environment.get("LOUPE_ENVIRONMENT_TEST") == loupe::Text("mine"));
  CHECK(::getenv("LOUPE_ENVIRONMENT_TEST") == nullptr);
  CHECK_FALSE(Environment().get("LOUPE_ENVIRONMENT_TEST"));
  CHECK(environment.get("PATH").has_value() == (::getenv("PATH") != nullptr));
  environment.set("LOUPE_ENVIRONMENT_TEST", "other");
  CHECK(environment.get("LOUPE_ENVIRONMENT_TEST") == loupe::Text("other"));
}
