#include "loupe/trial/trial.hpp"

#include <string>
#include <thread>
#include <vector>

#include "loupe/base/manual_clock.hpp"
#include "loupe/storage/memory.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/fake_run.hpp"

using loupe::ErrorKind;
using loupe::Mode;
using loupe::ModeStep;

namespace {

using Throwing = loupe::Trial<loupe::MemoryStorage, loupe::ManualClock>;
using Expecting = loupe::Trial<loupe::MemoryStorage, loupe::ManualClock, loupe::Expect>;

/// The value of a call under either error policy; under `Expect` the call must have succeeded.
template <class Value>
Value&& take(Value&& value) {
  return std::forward<Value>(value);
}
template <class Value>
Value take(loupe::result<Value>&& outcome) {
  REQUIRE(outcome);
  return *std::move(outcome);
}

struct Run : FakeRun {
  Run() : FakeRun(loupe::AnyStorage(loupe::MemoryStorage())) {}
  explicit Run(const loupe::MemoryStorage& memory_) : FakeRun(loupe::AnyStorage(memory_)), memory(memory_) {}
  static Run make() { return Run(loupe::MemoryStorage()); }
  loupe::MemoryStorage memory;
};

/// Asks the same of both forms: the exception must be of the kind's type and the `result` have the same error.
template <ErrorKind kind, class Call>
loupe::Error error_of(const Run& run, Call&& call) {
  const loupe::TrialOptions options{.environment = {{"SMDEBUG_MISSING_EVENT_FILE_RETRY_LIMIT", "0"}}, .end_delay = 0};
  loupe::Error thrown;
  try {
    const Throwing trial(run.memory, options);
    (void)call(trial);
    FAIL("nothing was thrown");
  } catch (const loupe::ExceptionOf<kind>& exception) {
    thrown = exception.error();
    CHECK(std::string_view(exception.what()) == exception.error().message().view());
  }
  const Expecting trial(run.memory, options);
  const auto outcome = call(trial);
  REQUIRE_FALSE(outcome.has_value());
  CHECK(outcome.error().kind == kind);
  CHECK(outcome.error().message() == thrown.message());
  return thrown;
}

}  // namespace

TEST_CASE("both forms tell of a tensor that was never saved") {
  Run run = Run::make();
  run.workers(1).save({0});
  const auto error = error_of<ErrorKind::tensor_unavailable>(run, [](const auto& trial) { return trial.tensor("zz"); });
  CHECK(error.object == "zz");
}

TEST_CASE("both forms tell of a value that was not saved at a step, and why") {
  Run run = Run::make();
  run.workers(1).save({0});
  run.step(1).reduction("min", "a", 1).write();
  run.step(2).tensor("b", {1}).write();
  run.step(3).tensor("a", {1}).write_index();
  run.end();
  const auto value_at = [](std::int64_t step) {
    return [step](const auto& trial) { return take(trial.tensor("a")).value(step); };
  };
  const auto reduced = error_of<ErrorKind::tensor_unavailable_for_step>(run, value_at(1));
  CHECK(reduced.reason == loupe::Absence::only_reduced);
  CHECK(reduced.has_reductions);
  CHECK(error_of<ErrorKind::tensor_unavailable_for_step>(run, value_at(2)).reason == loupe::Absence::never_saved);
  CHECK(error_of<ErrorKind::tensor_unavailable_for_step>(run, value_at(3)).reason == loupe::Absence::lost);
}

TEST_CASE("both forms tell of a shape that was not saved") {
  Run run = Run::make();
  run.workers(1);
  run.step(0).reduction("min", "a", 1).write();
  error_of<ErrorKind::shape_unavailable_for_step>(run, [](const auto& trial) { return take(trial.tensor("a")).shape(0); });
}

TEST_CASE("both forms tell of steps that were skipped, that are to come, and that never will") {
  Run run = Run::make();
  run.workers(1).save({0, 2});
  const auto value_at = [](std::int64_t step) {
    return [step](const auto& trial) { return take(trial.tensor("a")).value(step); };
  };
  CHECK(error_of<ErrorKind::step_unavailable>(run, value_at(1)).step == 1);
  CHECK(error_of<ErrorKind::step_not_yet_available>(run, value_at(3)).reason == loupe::Absence::not_yet);
  run.end();
  error_of<ErrorKind::step_unavailable>(run, value_at(3));
  const auto past = error_of<ErrorKind::no_more_data>(run, [](const auto& trial) { return trial.wait_for_steps({9}); });
  CHECK(past.last_step == 2);
}

TEST_CASE("both forms tell of a worker that has nothing") {
  Run run = Run::make();
  run.workers(1).save({0});
  const auto error = error_of<ErrorKind::invalid_worker>(run, [](const auto& trial) { return take(trial.tensor("a")).value(0, "worker_7"); });
  CHECK(error.object == "worker_7");
}

TEST_CASE("both forms tell of wrong arguments and types") {
  Run run = Run::make();
  run.workers(1).save({0});
  error_of<ErrorKind::invalid_argument>(run, [](const auto& trial) { return trial.tensor_names({.regex = {"a"}, .collection = "b"}); });
  error_of<ErrorKind::invalid_argument>(run, [](const auto& trial) { return take(trial.tensor("a")).reduction_value(0, "median"); });
  error_of<ErrorKind::invalid_type>(run, [](const auto& trial) { return take(trial.tensor("a")).template value<std::int32_t>(0); });
}

TEST_CASE("both forms tell of a wait that was too long") {
  Run run = Run::make();
  run.workers(1).save({0});
  const auto error = error_of<ErrorKind::timeout>(run, [](const auto& trial) { return trial.wait_for_steps({0, 5}, 1'000'000'000); });
  CHECK(error.step == 5);
}

TEST_CASE("both forms tell of a trial that can't be opened, under Expect in every call") {
  Run run = Run::make();
  run.end();
  CHECK_THROWS_AS(Throwing(run.memory), loupe::MissingCollectionFiles);
  const Expecting trial(run.memory);
  REQUIRE_FALSE(trial.opened());
  CHECK(trial.opened().error().kind == ErrorKind::missing_collection_files);
  CHECK(trial.tensor("a").error().kind == ErrorKind::missing_collection_files);
  CHECK(trial.steps().error().kind == ErrorKind::missing_collection_files);
  CHECK(trial.no_refresh().error().kind == ErrorKind::missing_collection_files);
  CHECK(trial.problems().size() == 1);
  CHECK(trial.snapshot() == nullptr);
  CHECK(trial.name().empty());
}

TEST_CASE("an unreadable index file is an error where smdebug is imitated, and only there") {
  Run run = Run::make();
  run.workers(1).save({0}).put("index/000000000/000000000001_worker_0.json", "{");
  CHECK(Throwing(run.memory).problems().size() == 1);
  using Imitating = loupe::Trial<loupe::MemoryStorage, loupe::ManualClock, loupe::compat::Smdebug>;
  CHECK_THROWS_AS(Imitating(run.memory), loupe::IndexReaderException);
}

TEST_CASE("a trial is opened from its path") {
  const loupe::TrialOptions options{.end_delay = 0};
  const loupe::Trial<> trial{" " + test_data("fixtures/trials/pt_cnn_default") + " ", options};
  CHECK(trial.name() == "pt_cnn_default");
  CHECK(trial.num_workers() == 1);
  CHECK(trial.tensor("SmallNet_fc.bias").value(ModeStep(Mode::eval, 0)).shape() == loupe::Shape{3});
  CHECK(trial.collection("losses").include_regex.size() == 1);
  CHECK(trial.collection("nothing").name == "nothing");
  CHECK(trial.collections().size() >= 6);
  CHECK(trial == loupe::Trial<>{test_data("fixtures/trials/pt_cnn_default"), options});
  CHECK_FALSE(trial == loupe::Trial<>{test_data("fixtures/trials/pt_shapes"), options});
}

TEST_CASE("what smdebug can't read loupe can: every type with its own numbers") {
  const loupe::Trial<> trial{test_data("fixtures/trials/dtypes"), {.end_delay = 0}};
  CHECK(trial.tensor("int8").value<std::int8_t>(0)[3] == -128);
  CHECK(trial.tensor("int16").value<std::int16_t>(0)[3] == -32768);
  CHECK(trial.tensor("uint64").value<std::uint64_t>(0)[2] == UINT64_MAX);
  CHECK(trial.tensor("complex64").value<loupe::Complex64>(0)[1].imaginary == 2);
  CHECK(trial.tensor("str").value(0).elements<std::string_view>()[0] == "alpha");
}

TEST_CASE("a damaged record makes only its own tensor unavailable") {
  const loupe::Trial<loupe::Expect> trial{test_data("fixtures/trials/bad_checksums"), {.end_delay = 0}};
  const auto a = trial.tensor("a");
  REQUIRE(a);
  CHECK(a->value(0));
  const auto damaged = a->value(2);
  REQUIRE_FALSE(damaged);
  CHECK(damaged.error().reason == loupe::Absence::corrupt);
  CHECK(trial.tensor("b")->value(1));
}

TEST_CASE("a scope without refreshing answers from what is known, and ends") {
  Run run = Run::make();
  run.workers(1).save({0});
  const Throwing trial(run.memory);
  {
    const auto scope = trial.no_refresh();
    run.save({1});
    CHECK(trial.steps().size() == 1);
    {
      const auto inner = trial.with_refresh();
      CHECK(trial.steps().size() == 2);
    }
    run.save({2});
    CHECK(trial.steps().size() == 2);
  }
  CHECK(trial.steps().size() == 3);
}

TEST_CASE("a growing run is followed: steps appear, and after the end nothing more is asked of the storage") {
  Run run = Run::make();
  run.workers(1).save({0});
  const Throwing trial(run.memory, {.end_delay = 0});
  CHECK(trial.steps().size() == 1);
  CHECK(trial.has_passed_step(1) == loupe::StepState::not_yet_available);
  run.save({1}).end();
  CHECK(trial.steps().size() == 2);
  CHECK(trial.loaded_all_steps());
  CHECK(trial.last_complete_step() == 1);
  CHECK(trial.has_passed_step(2) == loupe::StepState::unavailable);
  run.save({2});
  CHECK(trial.steps().size() == 2);
}

TEST_CASE("a wait ends at an interrupt from another thread") {
  Run run = Run::make();
  run.workers(1).save({0});
  loupe::Interrupt interrupt;
  const loupe::Trial<loupe::MemoryStorage, loupe::Expect> trial(run.memory, {.interrupt = &interrupt});
  std::thread stopper([&] { interrupt.request(); });
  const auto outcome = trial.wait_for_steps({5});
  stopper.join();
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == ErrorKind::cancelled);
}

TEST_CASE("a step counts as complete when any worker has written it, where the policy says so") {
  Run run = Run::make();
  run.workers(2).save({0, 1}, {"worker_0"});
  CHECK(Throwing(run.memory).steps().empty());
  CHECK(loupe::Trial<loupe::MemoryStorage, loupe::ManualClock, loupe::AnyWorker>(run.memory).steps().size() == 2);
}

TEST_CASE("many threads may ask while one refreshes") {
  Run run = Run::make();
  run.workers(1).save({0});
  const Throwing trial(run.memory, {.end_delay = 0});
  constexpr std::int64_t last = 60;
  std::thread writer([&] {
    for (std::int64_t step = 1; step <= last; ++step)
      (void)run.memory.put(loupe::format::index_key(step, "worker_0"),
                           std::as_bytes(std::span(std::string_view(R"({"meta": {"mode": "GLOBAL", "mode_step": 0}, "shape_payload": [{"tensorname": "s", "originalname": "s", "shape": [1]}]})"))),
                           loupe::PutMode::replace);
    (void)run.memory.put(loupe::format::end_marker_key, {}, loupe::PutMode::replace);
  });
  std::vector<std::thread> readers;
  std::vector<int> wrong(4, 0);
  for (std::size_t reader = 0; reader < wrong.size(); ++reader)
    readers.emplace_back([&, reader] {
      std::size_t before = 0;
      while (before < static_cast<std::size_t>(last) + 1) {
        const std::size_t now = trial.steps(Mode::global, loupe::Steps::with_incomplete).size();
        if (now < before || trial.tensor("a").scalar(0) != 0) ++wrong[reader];
        before = now;
      }
    });
  writer.join();
  for (std::thread& reader : readers) reader.join();
  CHECK(wrong == std::vector<int>(4, 0));
}
