#include "loupe/base/task.hpp"

#include <memory>
#include <type_traits>
#include <utility>

#include "support/catch.hpp"

using loupe::Task;

namespace {
struct Throwing {
  void operator()() {}
};
}  // namespace

static_assert(!std::is_copy_constructible_v<Task> && std::is_nothrow_move_constructible_v<Task>);
static_assert(!std::is_constructible_v<Task, Throwing>, "work that may throw is no task");

TEST_CASE("a task does its work when it is called, and an empty one nothing") {
  int calls = 0;
  Task task([&]() noexcept { ++calls; });
  CHECK(static_cast<bool>(task));
  CHECK(calls == 0);
  task();
  task();
  CHECK(calls == 2);
  Task empty;
  CHECK_FALSE(static_cast<bool>(empty));
  empty();
}

TEST_CASE("a task owns its callable, which need not be copyable") {
  const auto witness = std::make_shared<int>(0);
  {
    Task task([owned = std::make_unique<std::shared_ptr<int>>(witness)]() noexcept { ++**owned; });
    task();
    CHECK(witness.use_count() == 2);
  }
  CHECK(witness.use_count() == 1);
  CHECK(*witness == 1);
}

TEST_CASE("a moved task leaves an empty one, and assignment destroys what was there") {
  const auto first = std::make_shared<int>(0);
  const auto second = std::make_shared<int>(0);
  Task task([first]() noexcept { ++*first; });
  Task moved(std::move(task));
  CHECK_FALSE(static_cast<bool>(task));
  moved();
  CHECK(*first == 1);
  moved = Task([second]() noexcept { ++*second; });
  CHECK(first.use_count() == 1);
  moved();
  CHECK(*second == 1);
  Task& itself = moved;
  moved = std::move(itself);
  moved();
  CHECK(*second == 2);
}

TEST_CASE("a task holds a callable of four words") {
  struct {
    long words[4] = {1, 2, 3, 4};
  } state;
  static long sum;
  sum = 0;
  Task task([state]() noexcept {
    for (const long word : state.words) sum += word;
  });
  Task moved(std::move(task));
  moved();
  CHECK(sum == 10);
}
