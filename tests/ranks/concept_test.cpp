#include "loupe/ranks/concept.hpp"

#include "loupe/ranks/explicit_rank.hpp"
#include "loupe/ranks/single.hpp"
#include "support/catch.hpp"

namespace {

struct Archetype {
  std::int64_t rank() const { return 3; }
  std::int64_t world_size() const { return 4; }
  loupe::Text worker_name() const { return "host-3"; }
};
struct Unnamed {
  std::int64_t rank() const { return 3; }
  std::int64_t world_size() const { return 4; }
};

}  // namespace

TEST_CASE("a rank scheme gives rank, world size and name") {
  CHECK(loupe::RankScheme<Archetype>);
  CHECK(loupe::RankScheme<loupe::ranks::Single>);
  CHECK(loupe::RankScheme<loupe::ranks::Explicit>);
  CHECK_FALSE(loupe::RankScheme<Unnamed>);
  CHECK_FALSE(loupe::RankScheme<int>);
}
