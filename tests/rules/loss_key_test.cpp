#include "loupe/rules/loss_key.hpp"

#include "support/catch.hpp"

using loupe::Mode;
using loupe::rules::Evidence;
using loupe::rules::loss_key;
using loupe::rules::LossSide;

namespace {

Evidence loss(std::string_view name, Mode mode) { return {.tensor = {name, 0}, .worker = "w", .at = {loupe::Step(0), {mode, 0}}, .value = {}}; }

}  // namespace

TEST_CASE("a loss has the side of its step, unless its name has one") {
  CHECK(loss_key(loss("loss", Mode::train)).side == LossSide::train);
  CHECK(loss_key(loss("loss", Mode::eval)).side == LossSide::validation);
  CHECK(loss_key(loss("loss", Mode::global)).side == LossSide::neither);
  CHECK(loss_key(loss("train-rmse", Mode::global)).side == LossSide::train);
  CHECK(loss_key(loss("validation-rmse", Mode::train)).side == LossSide::validation);
  CHECK(loss_key(loss("validation-rmse", Mode::train)).name == "rmse");
  CHECK(loss_key(loss("cross-entropy", Mode::train)).name == "cross-entropy");
}

TEST_CASE("both sides of a loss share a state, other workers don't") {
  loupe::rules::PerLoss<int> states;
  states.of(loss("train-a", Mode::global), "a") = 1;
  CHECK(states.of(loss("validation-a", Mode::global), "a") == 1);
  Evidence other = loss("train-a", Mode::global);
  other.worker = "v";
  CHECK(states.of(other, "a") == 0);
}
