#include "loupe/capture/counters.hpp"

#include "support/catch.hpp"

TEST_CASE("before the first step all counters stand at -1") {
  const loupe::Counters counters;
  CHECK(counters.global == -1);
  CHECK(counters.last_saved == -1);
  for (const loupe::Mode mode : loupe::all_modes) CHECK(counters.modes[loupe::mode_index(mode)] == -1);
  CHECK_FALSE(counters.restored);
}
