#include "loupe/base/owner.hpp"

#include <memory>
#include <thread>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"

using loupe::Owner;
using loupe::OwnerCount;
using loupe::SharedOwner;

namespace {

struct Counted {
  explicit Counted(int& alive) : alive_(alive) { ++alive_; }
  virtual ~Counted() { --alive_; }
  int& alive_;
};
struct Derived final : Counted {
  using Counted::Counted;
};
struct Shared final : OwnerCount, Counted {
  using Counted::Counted;
};

}  // namespace

static_assert(!std::is_copy_constructible_v<Owner<Counted>>);
static_assert(!std::is_constructible_v<Owner<Derived>, std::unique_ptr<Counted>>);

TEST_CASE("an owner deletes what it owns, once") {
  int alive = 0;
  {
    Owner<Counted> owner(new Derived(alive));
    CHECK(alive == 1);
    Owner<Counted> next = std::move(owner);
    CHECK_FALSE(owner);
    CHECK(&*next == next.get());
    owner = std::move(next);
    CHECK(&owner->alive_ == &alive);
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
  CHECK_FALSE(Owner<Counted>());
}

TEST_CASE("an owner takes over from a unique_ptr, also of a derived type") {
  int alive = 0;
  {
    const Owner<Counted> owner = std::make_unique<Derived>(alive);
    CHECK(alive == 1);
  }
  CHECK(alive == 0);
}

TEST_CASE("a shared object is deleted with its last owner") {
  int alive = 0;
  SharedOwner<Shared> first(new Shared(alive));
  SharedOwner<Shared> second = first;
  CHECK(&*first == second.get());
  SharedOwner<Shared> third;
  third = second;
  first = {};
  CHECK_FALSE(first);
  second = std::move(third);
  CHECK(alive == 1);
  CHECK(&second->alive_ == &alive);
  const SharedOwner<Shared>& itself = second;
  second = itself;
  CHECK(alive == 1);
  second = {};
  CHECK(alive == 0);
}

TEST_CASE("owners of one object may come and go in several threads") {
  int alive = 0;
  SharedOwner<Shared> shared(new Shared(alive));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([shared] {
      for (int n = 0; n < 1000; ++n) const SharedOwner<Shared> copy = shared;
    });
  shared = {};
  for (auto& thread : threads) thread.join();
  threads.clear();
  CHECK(alive == 0);
}
