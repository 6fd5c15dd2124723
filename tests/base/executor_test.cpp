#include "loupe/base/executor.hpp"

#include <memory>
#include <thread>

#include "support/executor_conformance.hpp"

using loupe::InlineExecutor;
using loupe::Task;

namespace {

/// The least that an executor is.
struct ExecutorArchetype {
  bool post(Task) { return false; }
  void drain() {}
};
struct Forgetful {
  void post(Task) {}
  void drain() {}
};
struct Endless {
  bool post(Task) { return true; }
};

static_assert(loupe::Executor<ExecutorArchetype> && loupe::Executor<InlineExecutor>);
static_assert(!loupe::Executor<Forgetful> && !loupe::Executor<Endless> && !loupe::Executor<int>);

}  // namespace

TEST_CASE("running tasks at once is an executor") {
  executor_conformance([] { return std::make_unique<InlineExecutor>(); });
}

TEST_CASE("the inline executor runs a task in the thread that posts it, before it returns") {
  std::thread::id ran_in;
  InlineExecutor executor;
  CHECK(executor.post(Task([&]() noexcept { ran_in = std::this_thread::get_id(); })));
  CHECK(ran_in == std::this_thread::get_id());
}
