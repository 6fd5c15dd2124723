#include "loupe/trial/refresh_scope.hpp"

#include <stdexcept>
#include <utility>

#include "loupe/base/manual_clock.hpp"
#include "loupe/storage/memory.hpp"
#include "loupe/trial/follower.hpp"
#include "support/catch.hpp"

namespace {

struct Followed {
  explicit Followed(const loupe::ReaderQuirks& quirks = {})
      : follower(loupe::AnyStorage(loupe::MemoryStorage()), {.quirks = quirks},
                 {std::make_shared<const loupe::AnyClock>(loupe::ManualClock()), nullptr, 1, 0}) {}
  loupe::Follower follower;
};

}  // namespace

TEST_CASE("a scope puts back what was there before") {
  Followed at;
  {
    const loupe::RefreshScope off(at.follower, false);
    CHECK_FALSE(at.follower.refreshes());
    {
      const loupe::RefreshScope on(at.follower, true);
      CHECK(at.follower.refreshes());
    }
    CHECK_FALSE(at.follower.refreshes());
  }
  CHECK(at.follower.refreshes());
}

TEST_CASE("a scope that is left by an exception puts back what was there before") {
  Followed at;
  const auto leave = [&] {
    const loupe::RefreshScope off(at.follower, false);
    throw std::runtime_error("left");
  };
  CHECK_THROWS(leave());
  CHECK(at.follower.refreshes());
}

TEST_CASE("a scope that was moved ends once") {
  Followed at;
  {
    loupe::RefreshScope first(at.follower, false);
    const loupe::RefreshScope second(std::move(first));
    CHECK_FALSE(at.follower.refreshes());
  }
  CHECK(at.follower.refreshes());
}

TEST_CASE("a scope of a trial that imitates smdebug sets the opposite, and nothing when it is left by an exception") {
  Followed at({.scopes_set_opposite = true});
  at.follower.set_refreshes(false);
  { const loupe::RefreshScope off(at.follower, false); }
  CHECK(at.follower.refreshes());
  { const loupe::RefreshScope on(at.follower, true); }
  CHECK_FALSE(at.follower.refreshes());
  const auto leave = [&] {
    const loupe::RefreshScope on(at.follower, true);
    throw std::runtime_error("left");
  };
  CHECK_THROWS(leave());
  CHECK(at.follower.refreshes());
}
