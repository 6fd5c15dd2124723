#include "loupe/ranks/single.hpp"

#include "support/catch.hpp"

TEST_CASE("a process alone is worker_0 of 1") {
  const loupe::ranks::Single ranks;
  CHECK(ranks.rank() == 0);
  CHECK(ranks.world_size() == 1);
  CHECK(ranks.worker_name() == "worker_0");
}
