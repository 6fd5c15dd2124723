#include "loupe/base/step.hpp"

#include <type_traits>

#include "support/catch.hpp"

static_assert(!std::is_convertible_v<loupe::Step, loupe::ModeStep>);
static_assert(!std::is_convertible_v<loupe::ModeStep, loupe::Step>);
static_assert(!std::is_convertible_v<int, loupe::Step>);

TEST_CASE("global steps and mode steps are ordered, each among its own") {
  CHECK(loupe::Step(3) < loupe::Step(4));
  CHECK(loupe::ModeStep(loupe::Mode::train, 3) < loupe::ModeStep(loupe::Mode::train, 4));
  CHECK(loupe::ModeStep(loupe::Mode::train, 3) != loupe::ModeStep(loupe::Mode::eval, 3));
}
