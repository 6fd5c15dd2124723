#include "loupe/base/interrupt.hpp"

#include <poll.h>

#include <cstdint>
#include <thread>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"

using loupe::Interrupt;

static_assert(!std::is_copy_constructible_v<Interrupt> && !std::is_move_constructible_v<Interrupt>);

namespace {
bool is_readable(int descriptor) {
  pollfd polled{descriptor, POLLIN, 0};
  return ::poll(&polled, 1, 0) == 1;
}
}  // namespace

TEST_CASE("a request ends the waits of all threads") {
  Interrupt interrupt;
  std::vector<std::thread> waiting;
  for (int i = 0; i < 4; ++i)
    waiting.emplace_back([&] {
      if (interrupt.wait_until(INT64_MAX)) std::abort();
    });
  interrupt.request();
  for (std::thread& thread : waiting) thread.join();
  CHECK(interrupt.requested());
}

TEST_CASE("a wait ends at its deadline, and at once if that has passed") {
  Interrupt interrupt;
  CHECK(interrupt.wait_until(0));
  CHECK(interrupt.wait_until(INT64_MIN));
  interrupt.request();
  CHECK_FALSE(interrupt.wait_until(0));
}

TEST_CASE("a request can be forgotten") {
  Interrupt interrupt;
  CHECK_FALSE(interrupt.reset());
  interrupt.request();
  interrupt.request();
  CHECK(interrupt.reset());
  CHECK_FALSE(interrupt.requested());
  CHECK(interrupt.wait_until(0));
  interrupt.request();
  CHECK(interrupt.requested());
}

TEST_CASE("the descriptor is readable while the interrupt is requested, whichever came first") {
  Interrupt interrupt;
  const int descriptor = interrupt.descriptor();
  REQUIRE(descriptor >= 0);
  CHECK(interrupt.descriptor() == descriptor);
  CHECK_FALSE(is_readable(descriptor));
  interrupt.request();
  CHECK(is_readable(descriptor));
  CHECK(is_readable(descriptor));
  interrupt.reset();
  CHECK_FALSE(is_readable(descriptor));

  Interrupt requested;
  requested.request();
  CHECK(is_readable(requested.descriptor()));
}
