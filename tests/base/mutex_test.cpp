#include "loupe/base/mutex.hpp"

#include <chrono>
#include <thread>
#include <vector>

#include "support/catch.hpp"

using loupe::Condition;
using loupe::Mutex;
using loupe::MutexLock;

namespace {

std::int64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

TEST_CASE("a mutex lets one thread in at a time") {
  Mutex mutex;
  int count = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int n = 0; n < 1000; ++n) {
        const MutexLock lock(mutex);
        ++count;
      }
    });
  for (auto& thread : threads) thread.join();
  CHECK(count == 4000);
}

TEST_CASE("a lock can be given up in between, and for good") {
  Mutex mutex;
  const auto can_be_had = [&] {
    bool was_free = false;
    std::thread([&] {
      const MutexLock lock(mutex);
      was_free = true;
    }).join();
    return was_free;
  };
  MutexLock lock(mutex);
  lock.unlock();
  CHECK(can_be_had());
  lock.lock();
  lock.unlock();
  CHECK(can_be_had());
}

TEST_CASE("a deferred lock is none until it is taken") {
  Mutex mutex;
  {
    const MutexLock never_taken(mutex, MutexLock::Deferred());
    const MutexLock other(mutex);
  }
  {
    MutexLock taken(mutex, MutexLock::Deferred());
    taken.lock();
  }
  const MutexLock after(mutex);
}

TEST_CASE("a condition wakes one who waits, or all") {
  Mutex mutex;
  Condition changed;
  int tickets = 0;
  int served = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] {
      const MutexLock lock(mutex);
      while (tickets == 0) changed.wait(lock);
      --tickets;
      ++served;
    });
  {
    const MutexLock lock(mutex);
    tickets = 1;
  }
  changed.notify_one();
  {
    const MutexLock lock(mutex);
    tickets += 2;
  }
  changed.notify_all();
  for (auto& thread : threads) thread.join();
  CHECK(served == 3);
}

TEST_CASE("a wait ends at its deadline") {
  Mutex mutex;
  Condition never;
  const MutexLock lock(mutex);
  const std::int64_t start = monotonic_ns();
  const std::int64_t deadline = start + 20'000'000;
  while (never.wait_until(lock, deadline)) {
  }
  CHECK(monotonic_ns() >= deadline);
  CHECK_FALSE(never.wait_until(lock, start));
  CHECK_FALSE(never.wait_until(lock, INT64_MIN));
}
