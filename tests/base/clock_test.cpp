#include "loupe/base/clock.hpp"

#include <unistd.h>

#include <cstdint>
#include <thread>

#include "support/catch.hpp"

using loupe::ClockRef;
using loupe::Interrupt;
using loupe::SystemClock;

namespace {

constexpr std::int64_t minute_ns = 60'000'000'000;

/// The least that a clock is.
struct ClockArchetype {
  std::int64_t wall_ns() noexcept { return 1; }
  std::int64_t monotonic_ns() noexcept { return 2; }
  bool wait_until(std::int64_t deadline_ns, Interrupt*) { return deadline_ns > 5; }
};
struct ThrowingClock : ClockArchetype {
  std::int64_t wall_ns() { return 1; }
};
struct ImpatientClock {
  std::int64_t wall_ns() noexcept { return 1; }
  std::int64_t monotonic_ns() noexcept { return 2; }
};
struct CoarseClock : ClockArchetype {
  double monotonic_ns() noexcept { return 2; }
};

static_assert(loupe::Clock<ClockArchetype> && loupe::Clock<SystemClock> && loupe::Clock<const SystemClock> &&
              loupe::Clock<ClockRef>);
static_assert(!loupe::Clock<ThrowingClock> && !loupe::Clock<ImpatientClock> && !loupe::Clock<CoarseClock> &&
              !loupe::Clock<int>);
static_assert(sizeof(ClockRef) == 2 * sizeof(void*));

/// A pipe with something to read from the moment `write` is called.
struct Pipe {
  Pipe() { REQUIRE(::pipe(ends) == 0); }
  ~Pipe() {
    ::close(ends[0]);
    ::close(ends[1]);
  }
  [[nodiscard]] bool write() const { return ::write(ends[1], "x", 1) == 1; }
  int ends[2] = {};
};

}  // namespace

TEST_CASE("monotonic time does not go back, and wall time is after 2020") {
  const SystemClock clock;
  const std::int64_t before = clock.monotonic_ns();
  CHECK(clock.monotonic_ns() >= before);
  CHECK(clock.wall_ns() > 1'577'836'800'000'000'000);
}

TEST_CASE("a wait without anybody who ends it lasts until its deadline") {
  const SystemClock clock;
  Interrupt interrupt;
  Pipe pipe;
  const auto reaches_deadline = [&](Interrupt* by, int descriptor) {
    const std::int64_t deadline = clock.monotonic_ns() + 2'000'000;
    return clock.wait_until(deadline, by, descriptor) && clock.monotonic_ns() >= deadline;
  };
  CHECK(reaches_deadline(nullptr, -1));
  CHECK(reaches_deadline(&interrupt, -1));
  CHECK(reaches_deadline(nullptr, pipe.ends[0]));
  CHECK(reaches_deadline(&interrupt, pipe.ends[0]));
}

TEST_CASE("a deadline that has passed ends a wait at once") {
  const SystemClock clock;
  Interrupt interrupt;
  for (const std::int64_t deadline : {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, clock.monotonic_ns()}) {
    CHECK(clock.wait_until(deadline, nullptr));
    CHECK(clock.wait_until(deadline, &interrupt));
    CHECK(clock.wait_until(deadline, &interrupt, 0));
  }
}

TEST_CASE("an interrupt ends a wait that would last forever") {
  const SystemClock clock;
  Pipe pipe;
  for (const int descriptor : {-1, pipe.ends[0]}) {
    Interrupt interrupt;
    std::thread other([&] { interrupt.request(); });
    CHECK_FALSE(clock.wait_until(INT64_MAX, &interrupt, descriptor));
    other.join();
    CHECK_FALSE(clock.wait_until(INT64_MAX, &interrupt, descriptor));
  }
}

TEST_CASE("a descriptor that becomes readable ends a wait that would last forever") {
  const SystemClock clock;
  Interrupt interrupt;
  Pipe pipe;
  std::thread other([&] { (void)pipe.write(); });
  CHECK(clock.wait_until(INT64_MAX, &interrupt, pipe.ends[0]));
  CHECK(clock.wait_until(INT64_MAX, nullptr, pipe.ends[0]));
  other.join();
}

TEST_CASE("a reference to a clock asks that clock") {
  ClockArchetype archetype;
  ClockRef ref(archetype);
  CHECK(ref.wall_ns() == 1);
  CHECK(ref.monotonic_ns() == 2);
  CHECK(ref.wait_until(6, nullptr));
  CHECK_FALSE(ref.wait_until(5, nullptr));
  CHECK(ref.wait_until(6, nullptr, 0));
  const SystemClock constant;
  Pipe pipe;
  REQUIRE(pipe.write());
  CHECK(ClockRef(constant).wait_until(constant.monotonic_ns() + minute_ns, nullptr, pipe.ends[0]));
}
