#include "loupe/base/manual_clock.hpp"

#include <unistd.h>

#include <cstdint>

#include "support/catch.hpp"

using loupe::Interrupt;
using loupe::ManualClock;

static_assert(loupe::Clock<ManualClock> && loupe::Clock<const ManualClock>);

TEST_CASE("a manual clock shows the time it was set to") {
  const ManualClock clock(100);
  CHECK(clock.wall_ns() == 100);
  clock.advance(5);
  CHECK(clock.monotonic_ns() == 105);
  const ManualClock copy = clock;
  copy.advance(1);
  CHECK(clock.wall_ns() == 106);
}

TEST_CASE("a wait on a manual clock takes no time and ends at its deadline") {
  const ManualClock clock(100);
  constexpr std::int64_t far = INT64_MAX / 2;
  CHECK(clock.wait_until(far, nullptr));
  CHECK(clock.monotonic_ns() == far);
  CHECK(clock.wait_until(100, nullptr));
  CHECK(clock.monotonic_ns() == far);
  CHECK(clock.waits() == 2);
}

TEST_CASE("what is to happen during a wait on a manual clock happens before its deadline") {
  const ManualClock clock(100);
  std::int64_t happened_at = 0;
  clock.on_wait([&] { happened_at = clock.monotonic_ns(); });
  CHECK(clock.wait_until(200, nullptr));
  CHECK(happened_at == 100);
}

TEST_CASE("an interrupt ends a wait on a manual clock before its deadline") {
  const ManualClock clock(100);
  Interrupt interrupt;
  clock.on_wait([&] { interrupt.request(); });
  CHECK_FALSE(clock.wait_until(200, &interrupt));
  CHECK(clock.monotonic_ns() == 100);
}

TEST_CASE("a descriptor that becomes readable ends a wait on a manual clock before its deadline") {
  const ManualClock clock(100);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  CHECK(clock.wait_until(200, nullptr, ends[0]));
  CHECK(clock.monotonic_ns() == 200);
  clock.on_wait([&] { REQUIRE(::write(ends[1], "x", 1) == 1); });
  CHECK(clock.wait_until(300, nullptr, ends[0]));
  CHECK(clock.monotonic_ns() == 200);
  ::close(ends[0]);
  ::close(ends[1]);
}
