#include "loupe/select/any_pattern.hpp"

#include <utility>

#include "support/catch.hpp"

using namespace loupe;

namespace {
struct Counted {
  explicit Counted(int* alive) : alive_(alive) { ++*alive_; }
  Counted(const Counted& other) : alive_(other.alive_) { ++*alive_; }
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --*alive_; }
  result<bool> search(std::string_view name) const { return name == "x"; }
  int* alive_;
};
}  // namespace

static_assert(CompiledPattern<Counted>);
static_assert(!CompiledPattern<int>);

TEST_CASE("a pattern of any engine owns what it was made of") {
  int alive = 0;
  {
    AnyPattern pattern{Counted(&alive)};
    CHECK(alive == 1);
    AnyPattern moved = std::move(pattern);
    CHECK(alive == 1);
    CHECK(moved.search("x").value());
    moved = AnyPattern();
    CHECK(alive == 0);
    CHECK_FALSE(moved.search("x").value());
  }
  CHECK(alive == 0);
}
