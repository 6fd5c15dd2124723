#include "loupe/trial/step_reader.hpp"

#include <string>
#include <utility>
#include <vector>

#include "loupe/storage/memory.hpp"
#include "loupe/trial/trial.hpp"
#include "support/catch.hpp"
#include "support/fake_run.hpp"

using loupe::SavedTensor;
using loupe::Statistic;
using loupe::TensorRequest;

namespace {

using MemoryTrial = loupe::Trial<loupe::MemoryStorage>;

/// A run of one or more workers in memory, and what its step 0 gives.
struct Stage {
  explicit Stage(int workers = 1) { run.workers(workers); }
  /// Worker, tensor, first element (or `-` without a value) and mean of each tensor that is shown.
  std::vector<std::string> read(TensorRequest request = {.any = true, .statistics = Statistic::mean}) {
    run.end();
    const MemoryTrial trial(memory, {.end_delay = 0});
    const auto snapshot = trial.snapshot();
    loupe::StepReader reader(*trial.core());
    std::vector<std::string> shown;
    const loupe::StepRecord* const step = snapshot->step(0);
    REQUIRE(step != nullptr);
    reader.read(
        snapshot, *step, [&](const loupe::Interned& tensor) { return tensor.name == "skipped" ? TensorRequest{} : request; },
        [&](const SavedTensor& saved) {
          const loupe::Scalar* const mean = saved.reduced->find(Statistic::mean);
          std::string line(saved.worker->name.view());
          line.append(" ").append(saved.tensor->name.view()).append(saved.value.has_tensor() ? " value" : " -");
          if (mean != nullptr) line.append(" ").append(std::to_string(static_cast<int>(mean->as_double())));
          shown.push_back(std::move(line));
        },
        [&](const loupe::Error& error) { faults.push_back(std::string(error.object.view())); });
    return shown;
  }

  loupe::MemoryStorage memory;
  FakeRun run{loupe::AnyStorage(memory)};
  std::vector<std::string> faults;
};
using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("tensors come worker by worker, in the order in which each was saved") {
  Stage stage(2);
  stage.run.step(0, "worker_1").tensor("b", {1.0F}).tensor("a", {2.0F}).write();
  stage.run.step(0, "worker_0").tensor("a", {3.0F}).tensor("skipped", {0.0F}).tensor("b", {4.0F}).write();
  CHECK(stage.read() == Lines{"worker_0 a value 3", "worker_0 b value 4", "worker_1 b value 1", "worker_1 a value 2"});
}

TEST_CASE("a statistic is the saved one, else that of the value, else there is none") {
  Stage stage;
  stage.run.step(0).tensor("smdebug/reductions/mean/a", {7.0F}).tensor("a", {1.0F}).tensor("smdebug/reductions/mean/b", {8.0F})
      .tensor("smdebug/reductions/max/c", {9.0F}).write();
  CHECK(stage.read() == Lines{"worker_0 a value 7", "worker_0 b - 8"});
}

TEST_CASE("what can't be read is told, and the rest is shown") {
  Stage stage;
  stage.run.step(0).tensor("a", {1.0F}).entry("broken", 1'000'000, 30).tensor("b", {2.0F}).write();
  CHECK(stage.read() == Lines{"worker_0 a value 1", "worker_0 b value 2"});
  CHECK(stage.faults == Lines{"broken"});
}
