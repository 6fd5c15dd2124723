#include "loupe/base/any_executor.hpp"

#include <memory>
#include <utility>

#include "loupe/base/thread_executor.hpp"
#include "support/executor_conformance.hpp"

using loupe::AnyExecutor;
using loupe::InlineExecutor;
using loupe::Task;
using loupe::ThreadExecutor;

static_assert(!std::is_copy_constructible_v<AnyExecutor> && std::is_nothrow_move_constructible_v<AnyExecutor>);

TEST_CASE("an owned executor of any type is an executor") {
  executor_conformance([] { return std::make_unique<AnyExecutor>(InlineExecutor()); });
}

TEST_CASE("an owned executor that can't move is an executor") {
  executor_conformance([] { return std::make_unique<AnyExecutor>(std::in_place_type<ThreadExecutor>); });
}

TEST_CASE("an owned executor of any type moves, and gives its executor's answers") {
  struct Full {
    bool post(Task) { return false; }
    void drain() {}
  };
  AnyExecutor first{Full()};
  AnyExecutor second(std::move(first));
  CHECK_FALSE(second.post(Task()));
}
