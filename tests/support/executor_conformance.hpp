#pragma once
/// @file
/// What any executor must do: users may run theirs through it, too.

#include <atomic>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "loupe/base/executor.hpp"
#include "support/catch.hpp"

/// Runs the suite; call it in a test case. `make()` gives a pointer to a new executor.
template <class Make>
void executor_conformance(Make make) {
  using Type = typename decltype(make())::element_type;
  static_assert(loupe::Executor<Type>);
  const auto post = [](Type& executor, auto callable) {
    while (!executor.post(loupe::Task(callable))) executor.drain();
  };

  SECTION("draining waits until all tasks have ended") {
    std::atomic<int> done = 0;
    const auto executor = make();
    executor->drain();
    for (int round = 1; round <= 20; ++round) {
      for (int i = 0; i < 50; ++i) post(*executor, [&done]() noexcept { ++done; });
      executor->drain();
      CHECK(done == 50 * round);
    }
  }
  SECTION("the destructor drains") {
    std::atomic<int> done = 0;
    {
      const auto executor = make();
      for (int i = 0; i < 100; ++i) post(*executor, [&done]() noexcept { ++done; });
    }
    CHECK(done == 100);
  }
  SECTION("tasks that one thread posts see what it did before, and draining shows what they did") {
    int plain = 0;
    const auto executor = make();
    for (int i = 0; i < 100; ++i) {
      ++plain;
      post(*executor, [&plain]() noexcept { plain *= 2; });
      executor->drain();
      plain /= 2;
    }
    CHECK(plain == 100);
  }
  SECTION("a task is destroyed after it has ended") {
    const auto witness = std::make_shared<int>(0);
    const auto executor = make();
    post(*executor, [witness]() noexcept { ++*witness; });
    executor->drain();
    CHECK(*witness == 1);
    CHECK(witness.use_count() == 1);
  }
  SECTION("many threads may post at once") {
    std::atomic<int> done = 0;
    const auto executor = make();
    std::vector<std::thread> posting;
    for (int i = 0; i < 4; ++i)
      posting.emplace_back([&] {
        for (int n = 0; n < 250; ++n) post(*executor, [&done]() noexcept { ++done; });
      });
    for (std::thread& thread : posting) thread.join();
    executor->drain();
    CHECK(done == 1000);
  }
}
