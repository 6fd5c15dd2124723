#include "loupe/trial/tensor.hpp"

#include <string>
#include <vector>

#include "loupe/storage/memory.hpp"
#include "loupe/trial/trial.hpp"
#include "support/catch.hpp"
#include "support/fake_run.hpp"

using loupe::Mode;
using loupe::ModeStep;

namespace {

/// A finished run of one worker: `loss` at every step, `w` at even ones; steps 0, 2, 4 are training, 1 and 3 evaluation.
loupe::Trial<loupe::MemoryStorage> trial_of_five_steps() {
  const loupe::MemoryStorage memory;
  FakeRun run{loupe::AnyStorage(memory)};
  run.workers(1);
  for (std::int64_t step = 0; step < 5; ++step) {
    const bool trains = step % 2 == 0;
    auto saved = run.step(step, trains ? Mode::train : Mode::eval, step / 2);
    saved.tensor("loss", {static_cast<float>(step) + 0.5F});
    if (trains) saved.tensor("w", {1, 2, 3, static_cast<float>(step)}, {2, 2}).shape("w", {2, 2}, "original");
    saved.write();
  }
  run.end();
  return loupe::Trial<loupe::MemoryStorage>(memory, {.end_delay = 0});
}

std::vector<std::int64_t> numbers(const std::vector<ModeStep>& steps) {
  std::vector<std::int64_t> found;
  for (const ModeStep step : steps) found.push_back(step.value);
  return found;
}

}  // namespace

TEST_CASE("a step is a global step as number or Step, and a mode's step as ModeStep") {
  CHECK(loupe::AtStep(3) == ModeStep(Mode::global, 3));
  CHECK(loupe::AtStep(loupe::Step(3)) == ModeStep(Mode::global, 3));
  CHECK(loupe::AtStep(ModeStep(Mode::eval, 3)) == ModeStep(Mode::eval, 3));
  STATIC_REQUIRE_FALSE(std::is_convertible_v<bool, loupe::AtStep>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<double, loupe::AtStep>);
}

TEST_CASE("steps of a mode can be handed on as they come") {
  const auto trial = trial_of_five_steps();
  const auto loss = trial.tensor("loss");
  std::vector<double> losses;
  for (const ModeStep step : trial.steps(Mode::eval)) losses.push_back(loss.scalar(step));
  CHECK(losses == std::vector<double>{1.5, 3.5});
}

TEST_CASE("a value comes as an array, as typed values, or where it lies") {
  const auto trial = trial_of_five_steps();
  const auto w = trial.tensor("w");
  const loupe::Array array = w.value(4);
  CHECK(array.shape() == loupe::Shape{2, 2});
  CHECK(array.elements<float>()[3] == 4);
  const loupe::Values<double> values = w.value<double>(ModeStep(Mode::train, 1));
  CHECK(values[3] == 2);
  const loupe::ValueView view = w.view(0);
  CHECK(view.shape() == loupe::Shape{2, 2});
  CHECK(w.shape(0) == loupe::Shape{2, 2});
  CHECK(w.name() == "w");
  CHECK(w.original_name() == "original");
  CHECK_FALSE(trial.tensor("loss").original_name());
}

TEST_CASE("a scalar is the value of a tensor of one element") {
  const auto trial = trial_of_five_steps();
  CHECK(trial.tensor("loss").scalar(2) == 2.5);
  CHECK_THROWS_AS(trial.tensor("w").scalar(2), loupe::InvalidType);
}

TEST_CASE("a tensor's steps, previous steps and values agree") {
  const auto trial = trial_of_five_steps();
  const auto w = trial.tensor("w");
  CHECK(numbers(w.steps()) == std::vector<std::int64_t>{0, 2, 4});
  CHECK(numbers(w.steps(Mode::train)) == std::vector<std::int64_t>{0, 1, 2});
  CHECK(w.steps(Mode::eval).empty());
  CHECK(numbers(w.prev_steps(3)) == std::vector<std::int64_t>{0, 2});
  CHECK(numbers(w.prev_steps(4, 2)) == std::vector<std::int64_t>{2, 4});
  CHECK(numbers(w.prev_steps(ModeStep(Mode::train, 1), 1)) == std::vector<std::int64_t>{1});
  const auto values = w.values(Mode::train);
  REQUIRE(values.size() == 3);
  CHECK(values[2].first == ModeStep(Mode::train, 2));
  CHECK(values[2].second.elements<float>()[3] == 4);
  CHECK(w.workers(2) == std::vector<std::string>{"worker_0"});
  CHECK_THROWS_AS(w.workers(1), loupe::TensorUnavailableForStep);
}

TEST_CASE("reductions that were not saved are computed") {
  const auto trial = trial_of_five_steps();
  const auto w = trial.tensor("w");
  CHECK(w.reduction_value(4, loupe::Statistic::sum).number.as_double() == 10);
  CHECK(w.reduction_value(4, "max").number.as_double() == 4);
  CHECK(w.reduction_values(4).empty());
}

TEST_CASE("a tensor and its views outlive their trial") {
  std::optional<loupe::Trial<loupe::MemoryStorage>> trial = trial_of_five_steps();
  const auto w = trial->tensor("w");
  const auto view = w.view(4);
  trial.reset();
  CHECK(w.value(0).size() == 4);
  CHECK(view.copy()->elements<float>()[3] == 4);
}
