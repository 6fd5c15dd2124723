#include "loupe/trial/follower.hpp"

#include <vector>

#include "loupe/base/manual_clock.hpp"
#include "loupe/storage/fault.hpp"
#include "loupe/storage/local.hpp"
#include "loupe/storage/memory.hpp"
#include "support/catch.hpp"
#include "support/fake_run.hpp"
#include "support/temporary_folder.hpp"

using loupe::Mode;
using loupe::ModeStep;
using loupe::StepState;
using loupe::Steps;
using Numbers = std::vector<std::int64_t>;

namespace {

constexpr std::int64_t second = 1'000'000'000;

/// A follower of a run in memory whose clock the test turns.
struct Following {
  explicit Following(loupe::CatalogSettings settings = {}, loupe::Interrupt* interrupt = nullptr)
      : follower(run.storage(), std::move(settings),
                 {std::make_shared<const loupe::AnyClock>(clock), interrupt, second / 5, second}) {}
  [[nodiscard]] Numbers steps() const { return follower.snapshot()->steps(Mode::global, Steps::with_incomplete); }

  FakeRun run{loupe::AnyStorage(loupe::MemoryStorage())};
  loupe::ManualClock clock;
  loupe::Follower follower;
};

ModeStep global(std::int64_t step) { return {Mode::global, step}; }

}  // namespace

TEST_CASE("polling looks at once, then at each interval, and a last time at the deadline") {
  const loupe::ManualClock clock(0);
  const loupe::WaitSettings wait{std::make_shared<const loupe::AnyClock>(clock), nullptr, 100, 0};
  Numbers looks;
  const loupe::AnyStorage storage{loupe::MemoryStorage()};
  const auto outcome = loupe::poll_until(storage, {}, wait, 250, "a file", [&]() -> loupe::result<bool> {
    looks.push_back(clock.monotonic_ns());
    return false;
  });
  CHECK(looks == Numbers{0, 0, 100, 200, 250});
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == loupe::ErrorKind::timeout);
  CHECK(outcome.error().object == "a file");
}

TEST_CASE("polling ends with what it waits for, with a failure, or with the interrupt") {
  const loupe::ManualClock clock(0);
  loupe::Interrupt interrupt;
  const loupe::WaitSettings wait{std::make_shared<const loupe::AnyClock>(clock), &interrupt, 100, 0};
  const loupe::AnyStorage storage{loupe::MemoryStorage()};
  int looks = 0;
  CHECK(loupe::poll_until(storage, {}, wait, INT64_MAX, "x", [&]() -> loupe::result<bool> { return ++looks == 4; }));
  CHECK(clock.monotonic_ns() == 200);
  const auto failed = loupe::poll_until(storage, {}, wait, INT64_MAX, "x", []() -> loupe::result<bool> { return loupe::fail(loupe::ErrorKind::io, "x", "gone"); });
  CHECK(failed.error().kind == loupe::ErrorKind::io);
  interrupt.request();
  const auto cancelled = loupe::poll_until(storage, {}, wait, INT64_MAX, "x", []() -> loupe::result<bool> { return false; });
  CHECK(cancelled.error().kind == loupe::ErrorKind::cancelled);
}

TEST_CASE("a refresh reads what is new") {
  Following at;
  at.run.save({0});
  REQUIRE(at.follower.refresh_if_due());
  CHECK(at.steps() == Numbers{0});
  at.run.save({1});
  CHECK(at.steps() == Numbers{0});
  REQUIRE(at.follower.refresh_if_due());
  CHECK(at.steps() == Numbers{0, 1});
  CHECK(at.clock.waits() == 0);
}

TEST_CASE("a run that has ended is read again after the delay, and then never") {
  Following at;
  at.run.save({0, 1}).end();
  at.clock.on_wait([&] { at.run.save({2}); });
  REQUIRE(at.follower.refresh_if_due());
  CHECK(at.clock.waits() == 1);
  CHECK(at.steps() == Numbers{0, 1, 2});
  CHECK(at.follower.snapshot()->loaded_all());
  CHECK(at.follower.snapshot()->last_complete_step() == 2);
  at.run.save({3});
  REQUIRE(at.follower.refresh_if_due());
  CHECK(at.steps() == Numbers{0, 1, 2});
}

TEST_CASE("an explicit refresh doesn't wait for the last files, and the first one after the delay is the last") {
  Following at;
  at.run.save({0}).end();
  REQUIRE(at.follower.refresh());
  CHECK(at.steps() == Numbers{0});
  CHECK_FALSE(at.follower.snapshot()->loaded_all());
  at.run.save({1});
  at.clock.advance(second);
  REQUIRE(at.follower.refresh());
  CHECK(at.steps() == Numbers{0, 1});
  CHECK(at.follower.snapshot()->loaded_all());
  CHECK(at.clock.waits() == 0);
}

TEST_CASE("nobody waits for the last files of a run that has ended long ago") {
  const TemporaryFolder folder;
  const loupe::AnyStorage storage{loupe::LocalStorage(folder.path())};
  FakeRun(storage).save({0, 1}).end();
  const auto age = GENERATE(std::int64_t{-10}, std::int64_t{30}, std::int64_t{600});
  const loupe::ManualClock clock(loupe::SystemClock().wall_ns() + age * second);
  loupe::Follower follower(storage, {}, {std::make_shared<const loupe::AnyClock>(clock), nullptr, second / 5, second});
  REQUIRE(follower.refresh_if_due());
  CHECK(follower.snapshot()->loaded_all());
  // A minute more than the delay, for clocks of two machines differ.
  CHECK(clock.waits() == (age == 600 ? 0 : 1));
}

TEST_CASE("the wait for the last files can be interrupted, and the trial stays usable") {
  loupe::Interrupt interrupt;
  Following at({}, &interrupt);
  at.run.save({0}).end();
  interrupt.request();
  const auto outcome = at.follower.refresh_if_due();
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == loupe::ErrorKind::cancelled);
  CHECK(at.steps() == Numbers{0});
  CHECK_FALSE(at.follower.snapshot()->loaded_all());
}

TEST_CASE("without refreshing only an explicit refresh reads") {
  Following at;
  at.follower.set_refreshes(false);
  at.run.save({0});
  REQUIRE(at.follower.refresh_if_due());
  CHECK(at.steps().empty());
  REQUIRE(at.follower.refresh());
  CHECK(at.steps() == Numbers{0});
}

TEST_CASE("waiting for steps ends when the last of them has come") {
  Following at;
  at.run.save({0});
  int waits = 0;
  at.clock.on_wait([&] { at.run.save({++waits}); });
  const std::vector<ModeStep> wanted = {global(0), global(2)};
  REQUIRE(at.follower.wait_for_steps(wanted, INT64_MAX));
  CHECK(waits == 2);
}

TEST_CASE("waiting for a step that was skipped fails, while the run goes on and after") {
  Following at;
  at.run.save({0, 2});
  const std::vector<ModeStep> skipped = {global(1)};
  const auto running = at.follower.wait_for_steps(skipped, INT64_MAX);
  REQUIRE_FALSE(running);
  CHECK(running.error().kind == loupe::ErrorKind::step_unavailable);
  CHECK(running.error().step == 1);
  at.run.end();
  const auto ended = at.follower.wait_for_steps(skipped, INT64_MAX);
  CHECK(ended.error().kind == loupe::ErrorKind::step_unavailable);
}

TEST_CASE("waiting for a step behind the end of the run says how far it went") {
  Following at;
  at.run.save({0, 2});
  at.clock.on_wait([&] { at.run.end(); });
  const std::vector<ModeStep> beyond = {global(9)};
  const auto outcome = at.follower.wait_for_steps(beyond, INT64_MAX);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == loupe::ErrorKind::no_more_data);
  CHECK(outcome.error().step == 9);
  CHECK(outcome.error().last_step == 2);
  const std::vector<ModeStep> other = {ModeStep(Mode::eval, 0)};
  CHECK(at.follower.wait_for_steps(other, INT64_MAX).error().last_step == -1);
}

TEST_CASE("waiting for a step ends at the deadline, naming the step") {
  Following at;
  at.run.save({0});
  const std::vector<ModeStep> wanted = {ModeStep(Mode::train, 5)};
  const std::int64_t deadline = at.clock.monotonic_ns() + 10 * second;
  const auto outcome = at.follower.wait_for_steps(wanted, deadline);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == loupe::ErrorKind::timeout);
  CHECK(outcome.error().step == 5);
  CHECK(outcome.error().message() == "step 5 of mode TRAIN: waited until the deadline");
  CHECK(outcome.error().mode == Mode::train);
  CHECK(at.clock.monotonic_ns() == deadline);
}

TEST_CASE("waiting refreshes even where that was turned off, and puts that back") {
  Following at;
  at.follower.set_refreshes(false);
  at.run.save({0});
  const std::vector<ModeStep> wanted = {global(0)};
  REQUIRE(at.follower.wait_for_steps(wanted, INT64_MAX));
  CHECK_FALSE(at.follower.refreshes());
}

TEST_CASE("waiting as smdebug does leaves refreshing off, or on when it failed") {
  loupe::CatalogSettings settings;
  settings.quirks = loupe::reader_quirks<loupe::compat::Smdebug>;
  Following at(settings);
  at.run.save({0, 2});
  const std::vector<ModeStep> there = {global(0)};
  const std::vector<ModeStep> skipped = {global(1)};
  REQUIRE(at.follower.wait_for_steps(there, INT64_MAX));
  CHECK_FALSE(at.follower.refreshes());
  REQUIRE_FALSE(at.follower.wait_for_steps(skipped, INT64_MAX));
  CHECK(at.follower.refreshes());
}

TEST_CASE("a storage that fails once fails one refresh, the next one is whole") {
  loupe::MemoryStorage memory;
  FakeRun run{loupe::AnyStorage(memory)};
  run.save({0, 1, 2}).end();
  const loupe::ManualClock clock;
  for (std::uint64_t n = 1; n <= 8; ++n) {
    loupe::Follower follower(loupe::AnyStorage(loupe::FaultStorage(memory, loupe::FaultPlan::fail_nth(n))), {},
                             {std::make_shared<const loupe::AnyClock>(clock), nullptr, second, 0});
    (void)follower.refresh_if_due();
    REQUIRE(follower.refresh_if_due());
    CAPTURE(n);
    CHECK(follower.snapshot()->loaded_all());
    CHECK(follower.snapshot()->steps(Mode::global, Steps::complete) == Numbers{0, 1, 2});
  }
}
