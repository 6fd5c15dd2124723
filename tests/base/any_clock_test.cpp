#include "loupe/base/any_clock.hpp"

#include <utility>

#include "loupe/base/manual_clock.hpp"
#include "support/catch.hpp"

using loupe::AnyClock;
using loupe::ManualClock;

static_assert(loupe::Clock<AnyClock> && loupe::Clock<const AnyClock>);
static_assert(!std::is_copy_constructible_v<AnyClock> && std::is_nothrow_move_constructible_v<AnyClock>);

TEST_CASE("an owned clock of any type shows that clock's time and waits as it does") {
  const ManualClock manual(100);
  AnyClock clock(manual);
  CHECK(clock.wall_ns() == 100);
  CHECK(clock.wait_until(200, nullptr));
  CHECK(manual.monotonic_ns() == 200);
  loupe::Interrupt interrupt;
  interrupt.request();
  CHECK_FALSE(clock.wait_until(300, &interrupt));
  CHECK(clock.monotonic_ns() == 200);
}

TEST_CASE("an owned clock of any type moves") {
  AnyClock first(ManualClock(1));
  AnyClock second(std::move(first));
  CHECK(second.wall_ns() == 1);
  second = AnyClock(ManualClock(2));
  CHECK(second.wall_ns() == 2);
  CHECK(AnyClock(loupe::SystemClock()).wall_ns() > 2);
}
