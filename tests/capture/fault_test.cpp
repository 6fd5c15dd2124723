#include "loupe/capture/hook.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"
#include "loupe/storage/fault.hpp"
#include "loupe/storage/memory.hpp"
#include "loupe/trial/trial.hpp"
#include "support/catch.hpp"

using loupe::AnyStorage;
using loupe::FaultPlan;
using loupe::FaultStorage;
using loupe::HookConfig;
using loupe::MemoryStorage;
using loupe::Mode;
using loupe::ModeStep;

namespace {

using Span = loupe::frameworks::Span;
using FaultyStorage = FaultStorage<MemoryStorage>;

constexpr std::int64_t step_count = 6;

HookConfig configuration() {
  HookConfig config;
  config.save.interval = 1;
  config.export_tensorboard = true;
  config.report = {.write = [](void*, std::string_view) {}};
  return config;
}

std::vector<float> weights_of(std::int64_t step) { return std::vector<float>(100, static_cast<float>(step)); }

/// A training loop that must not notice anything; gives what its hook has to say at the end.
template <class Hook>
loupe::CaptureFailures train(Hook&& hook) {
  for (std::int64_t number = 0; number < step_count; ++number) {
    auto step = hook.step(Mode::train);
    step.save("weights", weights_of(number)).save("number", number).scalar("loss", 0.5);
  }
  hook.close();
  return hook.failures();
}

/// The steps that a reader sees; all that it sees must be right.
std::vector<std::int64_t> check_readable(const MemoryStorage& storage) {
  loupe::TrialOptions options;
  options.environment = {{"SMDEBUG_TRAINING_END_DELAY_REFRESH", "0"}};
  options.open_deadline = 0;
  options.missing_event_deadline = 0;
  const loupe::Trial<MemoryStorage> trial(storage, options);
  CHECK(trial.problems().empty());
  std::vector<std::int64_t> seen;
  for (const ModeStep at : trial.steps()) {
    INFO("step " << at.value);
    const auto weights = trial.tensor("weights").value<float>(at.value);
    CHECK(std::vector<float>(weights.begin(), weights.end()) == weights_of(at.value));
    CHECK(trial.tensor("number").scalar(at.value) == static_cast<double>(at.value));
    seen.push_back(at.value);
  }
  return seen;
}

bool has_index(const MemoryStorage& storage) {
  bool found = false;
  REQUIRE(AnyStorage(storage).list("index/", {}, [&](const auto&) { return found = true, false; }));
  return found;
}

/// Fails the n-th operation, and `count - 1` after it, for n = 1, 2, 3, … until there is no n-th.
template <class... Policies>
void fail_each_operation(std::uint64_t count) {
  using Hook = loupe::Hook<Span, FaultyStorage, Policies...>;
  for (std::uint64_t n = 1;; ++n) {
    INFO("operations from " << n << " on, " << count << " of them");
    const MemoryStorage storage;
    const FaultPlan plan = FaultPlan::fail_nth(n, count);
    const loupe::CaptureFailures failures = train(Hook(configuration(), FaultyStorage(storage, plan)));
    if (plan.operations() < n) {
      CHECK(failures.count == 0);
      CHECK(check_readable(storage).size() == step_count);
      return;
    }
    CHECK(failures.count > 0);
    CHECK(failures.last.kind == loupe::ErrorKind::io);
    if (!has_index(storage)) continue;
    const auto seen = check_readable(storage);
    CHECK(seen.size() + failures.dropped_steps == step_count);
  }
}

}  // namespace

TEST_CASE("whatever operation of the storage fails, the loop goes on and the other steps are whole") {
  fail_each_operation<loupe::InlineExecutor>(1);
  fail_each_operation<loupe::ThreadExecutor>(1);
}

TEST_CASE("a storage that fails for a while costs the steps of that while") {
  fail_each_operation<loupe::InlineExecutor>(4);
}

TEST_CASE("a storage that fails for good costs everything after, and nothing before") {
  using Hook = loupe::Hook<Span, FaultyStorage, loupe::InlineExecutor>;
  std::size_t most_seen = 0;
  for (std::uint64_t n = 1;; ++n) {
    INFO("operations from " << n << " on");
    const MemoryStorage storage;
    const FaultPlan plan = FaultPlan::fail_nth(n, UINT64_MAX);
    const auto failures = train(Hook(configuration(), FaultyStorage(storage, plan)));
    if (plan.operations() < n) break;
    CHECK(failures.count > 0);
    if (!has_index(storage)) continue;
    const auto seen = check_readable(storage);
    for (std::size_t place = 0; place < seen.size(); ++place) CHECK(seen[place] == static_cast<std::int64_t>(place));
    CHECK(seen.size() >= most_seen);
    most_seen = seen.size();
  }
  CHECK(most_seen == step_count);
}

TEST_CASE("under Throw a failing storage is an exception of the step that it fails, and the hook can go on") {
  using Hook = loupe::Hook<Span, FaultyStorage, loupe::InlineExecutor, loupe::Throw>;
  const MemoryStorage storage;
  CHECK_THROWS_AS(Hook(configuration(), FaultyStorage(storage, FaultPlan::fail_nth(1))), loupe::IoFailure);
}
