#include "loupe/base/mode.hpp"

#include "support/catch.hpp"

using loupe::Mode;

TEST_CASE("modes have smdebug's names and numbers, both ways") {
  CHECK(loupe::mode_name(Mode::train) == "TRAIN");
  CHECK(static_cast<int>(Mode::global) == 4);
  for (const Mode mode : loupe::all_modes) {
    CHECK(loupe::mode_from_name(loupe::mode_name(mode)) == mode);
    CHECK(loupe::mode_from_number(static_cast<long long>(mode)) == mode);
  }
  CHECK_FALSE(loupe::mode_from_name("train"));
  CHECK_FALSE(loupe::mode_from_number(0));
  CHECK_FALSE(loupe::mode_from_number(5));
  CHECK(loupe::mode_name(static_cast<Mode>(9)) == "INVALID");
}
