#include "loupe/capture/step_judge.hpp"

#include "support/catch.hpp"

using loupe::StepVerdict;

TEST_CASE("a training that is to end doesn't apply its last update either") {
  static_assert(!StepVerdict().stop() && !StepVerdict().skip());
  static_assert(StepVerdict{.fired = 1, .wants_skip = true}.skip());
  static_assert(!StepVerdict{.fired = 1, .wants_skip = true}.stop());
  CHECK(StepVerdict{.fired = 1, .wants_stop = true}.skip());
}
