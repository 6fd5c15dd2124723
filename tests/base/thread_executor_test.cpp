#include "loupe/base/thread_executor.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "support/child_process.hpp"
#include "support/executor_conformance.hpp"

using loupe::Task;
using loupe::ThreadExecutor;

static_assert(loupe::Executor<ThreadExecutor>);

TEST_CASE("a background thread is an executor, whatever its queue holds") {
  const std::size_t capacity = GENERATE(0u, 1u, 2u, 256u);
  executor_conformance([capacity] { return std::make_unique<ThreadExecutor>(capacity); });
}

TEST_CASE("a background thread does its tasks in order, one at a time, and none in the caller's thread") {
  std::vector<int> order;
  std::thread::id ran_in;
  {
    ThreadExecutor executor;
    for (int i = 0; i < 100; ++i)
      REQUIRE(executor.post(Task([&order, &ran_in, i]() noexcept {
        order.push_back(i);
        ran_in = std::this_thread::get_id();
      })));
  }
  CHECK(ran_in != std::this_thread::get_id());
  REQUIRE(order.size() == 100);
  for (int i = 0; i < 100; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("a full queue refuses tasks, and has room again when it was drained") {
  std::mutex gate;
  std::atomic<int> done = 0;
  ThreadExecutor executor(2);
  std::unique_lock closed(gate);
  std::atomic<bool> is_working = false;
  REQUIRE(executor.post(Task([&]() noexcept {
    is_working = true;
    is_working.notify_one();
    const std::lock_guard pass(gate);
    ++done;
  })));
  is_working.wait(false);
  const auto count = [&done]() noexcept { ++done; };
  CHECK(executor.post(Task(count)));
  CHECK(executor.post(Task(count)));
  CHECK_FALSE(executor.post(Task(count)));
  CHECK(done == 0);
  closed.unlock();
  executor.drain();
  CHECK(done == 3);
  CHECK(executor.post(Task(count)));
  executor.drain();
  CHECK(done == 4);
}

TEST_CASE("a task may post another") {
  std::atomic<int> done = 0;
  {
    ThreadExecutor executor;
    REQUIRE(executor.post(Task([&]() noexcept {
      if (executor.post(Task([&done]() noexcept { ++done; }))) ++done;
    })));
    executor.drain();
    CHECK(done == 2);
  }
}

TEST_CASE("an executor without tasks starts no thread and ends at once") {
  ThreadExecutor executor;
  executor.drain();
}

TEST_CASE("a child forked after the first task neither waits for the thread that it lacks nor takes tasks") {
  std::optional<ThreadExecutor> executor(std::in_place);
  std::atomic<bool> goes_on = false;
  REQUIRE(executor->post(Task([&goes_on]() noexcept {
    while (!goes_on) std::this_thread::yield();
  })));
  ChildProcess child([&] {
    if (executor->post(Task([]() noexcept {}))) ::_exit(2);
    executor->drain();
    executor.reset();
  });
  CHECK(child.wait() == 0);
  goes_on = true;
  executor->drain();
}

TEST_CASE("where the system gives no thread tasks are refused") {
  ChildProcess process([] {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);  // limits don't bind the superuser
    const rlimit none{0, 0};
    if (::setrlimit(RLIMIT_NPROC, &none) != 0) ::_exit(3);
    ThreadExecutor executor;
    bool is_done = false;
    if (executor.post(Task([&is_done]() noexcept { is_done = true; }))) ::_exit(4);
    executor.drain();
    if (is_done) ::_exit(5);
  });
  CHECK(process.wait() == 0);
}
