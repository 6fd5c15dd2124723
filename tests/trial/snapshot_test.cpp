#include "loupe/trial/snapshot.hpp"

#include <string_view>
#include <vector>

#include "loupe/storage/memory.hpp"
#include "loupe/trial/catalog.hpp"
#include "support/catch.hpp"
#include "support/fake_run.hpp"

using loupe::Mode;
using loupe::ModeStep;
using loupe::StepState;
using loupe::Steps;
using Numbers = std::vector<std::int64_t>;
using Names = std::vector<std::string_view>;

namespace {

/// A run in memory, and snapshots of it.
struct Run : FakeRun {
  explicit Run(loupe::CatalogSettings given = {}) : FakeRun(loupe::AnyStorage(loupe::MemoryStorage())), settings(std::move(given)) {}
  std::shared_ptr<const loupe::Snapshot> snapshot(bool has_ended = false) const {
    loupe::Catalog catalog(storage(), settings);
    REQUIRE(catalog.read());
    if (has_ended) catalog.finish();
    return catalog.snapshot();
  }
  loupe::CatalogSettings settings;
};

const loupe::Interned* tensor(const loupe::Snapshot& snapshot, std::string_view name) {
  const loupe::TensorRecord* record = snapshot.tensor(name);
  REQUIRE(record != nullptr);
  return record->tensor;
}

loupe::CatalogSettings three_workers() {
  loupe::CatalogSettings settings;
  settings.required_workers = 3;
  settings.last_worker = "worker_2";
  return settings;
}

}  // namespace

TEST_CASE("an empty trial has no steps, names or modes") {
  const auto snapshot = Run().snapshot();
  CHECK(snapshot->steps(Mode::global, Steps::with_incomplete).empty());
  CHECK(snapshot->names().empty());
  CHECK(snapshot->modes().empty());
  CHECK(snapshot->last_complete_step() == -1);
  CHECK(snapshot->last_step(Mode::global) == -1);
  CHECK(*snapshot->passed(ModeStep(Mode::global, 0)) == StepState::not_yet_available);
}

TEST_CASE("steps of a mode are its mode steps, steps of all modes are global") {
  Run run;
  run.step(0, Mode::train, 0).tensor("a", {1}).write();
  run.step(3, Mode::eval, 0).tensor("a", {1}).write();
  run.step(5, Mode::train, 2).tensor("b", {1}).write();
  const auto snapshot = run.snapshot();
  CHECK(snapshot->steps(Mode::global, Steps::complete) == Numbers{0, 3, 5});
  CHECK(snapshot->steps(Mode::train, Steps::complete) == Numbers{0, 2});
  CHECK(snapshot->steps(Mode::eval, Steps::complete) == Numbers{0});
  CHECK(snapshot->steps(Mode::predict, Steps::complete).empty());
  CHECK(snapshot->modes() == std::vector<Mode>{Mode::train, Mode::eval});
  CHECK(snapshot->mode_step(5) == ModeStep(Mode::train, 2));
  CHECK_FALSE(snapshot->mode_step(4));
  CHECK(snapshot->global_step(ModeStep(Mode::train, 2)) == 5);
  CHECK_FALSE(snapshot->global_step(ModeStep(Mode::train, 1)));
  CHECK(snapshot->global_step(ModeStep(Mode::global, 77)) == 77);
  CHECK(snapshot->last_step(Mode::train) == 2);
}

TEST_CASE("names are those of all tensors, of a mode or of a step, sorted by their bytes") {
  Run run;
  run.step(0, Mode::train, 0).tensor("größe", {1}).tensor("b", {1}).reduction("min", "c", 1).write();
  run.step(1, Mode::eval, 0).tensor("b", {1}).shape("a", {2}).write();
  const auto snapshot = run.snapshot();
  CHECK(snapshot->names() == Names{"a", "b", "c", "größe"});
  CHECK(snapshot->names(Mode::train) == Names{"b", "c", "größe"});
  CHECK(snapshot->names(Mode::eval) == Names{"a", "b"});
  CHECK(snapshot->names(loupe::Step(1)) == Names{"a", "b"});
  CHECK(snapshot->names(loupe::Step(2)).empty());
}

TEST_CASE("the first file that names a step decides its mode, and later ones of the same mode step join it") {
  Run run;
  run.step(0, Mode::train, 0).tensor("a", {1}).write();
  run.step(1, Mode::train, 1).tensor("a", {2}).tensor("b", {2}).write();
  run.step(2, Mode::train, 1).tensor("a", {3}).tensor("c", {3}).write();
  const auto snapshot = run.snapshot();
  CHECK(snapshot->global_step(ModeStep(Mode::train, 1)) == 1);
  CHECK(snapshot->steps(Mode::global, Steps::complete) == Numbers{0, 1, 2});
  CHECK(snapshot->steps(tensor(*snapshot, "a"), Mode::global, Steps::complete) == Numbers{0, 1});
  CHECK(snapshot->steps(tensor(*snapshot, "c"), Mode::global, Steps::complete) == Numbers{1});
  const auto place = snapshot->locate(tensor(*snapshot, "a"), ModeStep(Mode::train, 1), {});
  REQUIRE((place && *place));
  CHECK((*place)->find(loupe::value_part).block->global_step == 2);
  const auto other = snapshot->locate(tensor(*snapshot, "b"), ModeStep(Mode::global, 2), {});
  REQUIRE((other && *other));
  CHECK((*other)->find(loupe::value_part).block->global_step == 1);
}

TEST_CASE("a worker is the one asked for, or the first by name that has anything of the tensor") {
  Run run(three_workers());
  run.save({0}, {"worker_2", "worker_10", "worker_1"});
  run.step(0, "worker_0").tensor("b", {1}).write();
  const auto snapshot = run.snapshot();
  const auto* a = tensor(*snapshot, "a");
  const auto first = snapshot->locate(a, ModeStep(Mode::global, 0), {});
  REQUIRE((first && *first));
  CHECK((*first)->worker() == "worker_1");
  const auto named = snapshot->locate(a, ModeStep(Mode::global, 0), "worker_2");
  REQUIRE((named && *named));
  CHECK((*named)->worker() == "worker_2");
  const auto wrong = snapshot->locate(a, ModeStep(Mode::global, 0), "worker_0");
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().kind == loupe::ErrorKind::invalid_worker);
  CHECK(wrong.error().object == "worker_0");
  const auto absent = snapshot->locate(a, ModeStep(Mode::global, 1), "nobody");
  REQUIRE(absent);
  CHECK_FALSE(*absent);
  CHECK(snapshot->workers(0) == Names{"worker_0", "worker_1", "worker_10", "worker_2"});
  CHECK(snapshot->workers(a, ModeStep(Mode::global, 0)) == Names{"worker_1", "worker_10", "worker_2"});
}

TEST_CASE("value, shape and reductions of a tensor are parts of one step") {
  Run run;
  run.step(0).tensor("a", {1, 2}).shape("a", {2}, "original").reduction("abs_mean", "a", 1.5f).reduction("median", "a", 2).write();
  const auto snapshot = run.snapshot();
  const auto place = snapshot->locate(tensor(*snapshot, "a"), ModeStep(Mode::global, 0), {});
  REQUIRE((place && *place));
  CHECK((*place)->find(loupe::value_part));
  const auto shape = (*place)->find(loupe::shape_part);
  REQUIRE(shape);
  CHECK(shape.block->shape(*shape.entry) == loupe::Shape{2});
  const auto reductions = (*place)->reductions();
  REQUIRE(reductions.size() == 2);
  CHECK(snapshot->reduction(reductions[0]).name == "abs_mean");
  CHECK(snapshot->reduction(reductions[0]).statistic == loupe::Statistic::abs_mean);
  CHECK(snapshot->reduction(reductions[1]).name == "median");
  CHECK_FALSE(snapshot->reduction(reductions[1]).statistic);
  CHECK(snapshot->reduction_part("median") == reductions[1]);
  CHECK_FALSE(snapshot->reduction_part("mode"));
  REQUIRE(snapshot->tensor("a")->original_name != nullptr);
  CHECK(snapshot->tensor("a")->original_name->name == "original");
}

TEST_CASE("whether a step has passed, one worker") {
  Run run;
  run.save({0, 1, 2, 3, 5, 6});
  const auto running = run.snapshot();
  const auto ended = run.snapshot(true);
  CHECK(*running->passed(ModeStep(Mode::global, 3)) == StepState::available);
  CHECK(*running->passed(ModeStep(Mode::global, 4)) == StepState::unavailable);
  CHECK(*ended->passed(ModeStep(Mode::global, 4)) == StepState::unavailable);
  CHECK(*running->passed(ModeStep(Mode::global, 8)) == StepState::not_yet_available);
  CHECK(*ended->passed(ModeStep(Mode::global, 8)) == StepState::unavailable);
}

TEST_CASE("whether a step has passed, three workers of which one falls behind") {
  Run run(three_workers());
  run.save({0, 1, 2}, {"worker_0", "worker_1", "worker_2"});
  run.save({4, 5, 6}, {"worker_0", "worker_1"});
  const auto running = run.snapshot();
  const auto ended = run.snapshot(true);
  CHECK(running->last_complete_step() == 2);
  CHECK(*running->passed(ModeStep(Mode::global, 2)) == StepState::available);
  for (const std::int64_t step : {3, 4, 5, 6, 8}) CHECK(*running->passed(ModeStep(Mode::global, step)) == StepState::not_yet_available);
  for (const std::int64_t step : {2, 4, 5, 6}) CHECK(*ended->passed(ModeStep(Mode::global, step)) == StepState::available);
  CHECK(*ended->passed(ModeStep(Mode::global, 8)) == StepState::unavailable);
  CHECK(running->steps(Mode::global, Steps::complete) == Numbers{0, 1, 2});
  CHECK(running->steps(Mode::global, Steps::with_incomplete) == Numbers{0, 1, 2, 4, 5, 6});
  CHECK(ended->steps(Mode::global, Steps::complete) == Numbers{0, 1, 2, 4, 5, 6});
  run.save({7}, {"worker_0", "worker_1", "worker_2"});
  const auto later = run.snapshot();
  CHECK(*later->passed(ModeStep(Mode::global, 4)) == StepState::available);
  CHECK(*later->passed(ModeStep(Mode::global, 3)) == StepState::unavailable);
}

TEST_CASE("an incomplete step of a mode counts as complete when all is loaded, unless smdebug is imitated") {
  const auto passed = [](const loupe::ReaderQuirks& quirks) {
    loupe::CatalogSettings settings = three_workers();
    settings.quirks = quirks;
    Run run(settings);
    run.step(10, Mode::eval, 2).tensor("a", {1}).write();
    return run.snapshot(true)->passed(ModeStep(Mode::eval, 2));
  };
  CHECK(*passed({}) == StepState::available);
  REQUIRE_FALSE(passed({.passed_step_looks_up_mode_step = true}));
  CHECK(passed({.passed_step_looks_up_mode_step = true}).error().kind == loupe::ErrorKind::not_found);
}

TEST_CASE("a tensor's steps are complete when the trial's are, not by comparing mode steps with global ones") {
  const auto steps = [](const loupe::ReaderQuirks& quirks) {
    loupe::CatalogSettings settings = three_workers();
    settings.quirks = quirks;
    Run run(settings);
    for (const std::string_view worker : {"worker_0", "worker_1", "worker_2"}) run.step(100, Mode::train, 0, worker).tensor("a", {1}).write();
    run.step(101, Mode::eval, 7).tensor("a", {1}).write();
    const auto snapshot = run.snapshot();
    return snapshot->steps(tensor(*snapshot, "a"), Mode::eval, Steps::complete);
  };
  CHECK(steps({}).empty());
  CHECK(steps({.tensor_steps_by_mode_step = true}) == Numbers{7});
}

TEST_CASE("previous steps end with the step itself and are as many as asked for") {
  Run run;
  for (std::int64_t step = 0; step < 10; ++step) {
    auto saved = run.step(2 * step, Mode::train, step);
    saved.tensor("b", {1});
    if (step % 2 == 0) saved.tensor("a", {1});
    saved.write();
  }
  const auto snapshot = run.snapshot();
  const auto* a = tensor(*snapshot, "a");
  CHECK(snapshot->previous_steps(a, ModeStep(Mode::train, 5), 2) == Numbers{2, 4});
  CHECK(snapshot->previous_steps(a, ModeStep(Mode::train, 4), 2) == Numbers{2, 4});
  CHECK(snapshot->previous_steps(a, ModeStep(Mode::train, 5), std::nullopt) == Numbers{0, 2, 4});
  CHECK(snapshot->previous_steps(a, ModeStep(Mode::global, 8), 2) == Numbers{4, 8});
  CHECK(snapshot->previous_steps(a, ModeStep(Mode::global, 9), std::nullopt) == Numbers{0, 4, 8});
  CHECK(snapshot->previous_steps(a, ModeStep(Mode::train, -1), 3).empty());
  CHECK(snapshot->previous_steps(a, ModeStep(Mode::train, INT64_MAX), 1) == Numbers{8});
}
