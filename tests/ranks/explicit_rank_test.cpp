#include "loupe/ranks/explicit_rank.hpp"

#include "support/catch.hpp"

using loupe::ranks::Explicit;

TEST_CASE("a given rank names its worker") {
  const auto ranks = Explicit::make(12, 16);
  REQUIRE(ranks);
  CHECK(ranks->rank() == 12);
  CHECK(ranks->world_size() == 16);
  CHECK(ranks->worker_name() == "worker_12");
}

TEST_CASE("ranks that can't be are refused by a sentence that says what is allowed") {
  CHECK(Explicit::make(4, 4).error().detail == "is 4, but must be from 0 to 3");
  CHECK(Explicit::make(-1, 4).error().object == "rank");
  CHECK(Explicit::make(0, 0).error().object == "world_size");
}
