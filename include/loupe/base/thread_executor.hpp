#pragma once
/// @file
/// One background thread that works off a bounded queue.

#include <cstddef>

#include "loupe/base/config.hpp"
#include "loupe/base/executor.hpp"

namespace loupe::inline LOUPE_ABI {

/// Runs tasks in order on a thread of its own, which starts with the first task (frameworks may fork before); where the
/// system gives no thread, `post` gives false. The destructor works the queue off and joins. In a child forked
/// later there is no thread: `post` gives false, and nothing is waited for. Safe for concurrent use, but a task must not
/// drain; neither copied nor moved.
class ThreadExecutor {
 public:
  static constexpr std::size_t default_capacity = 256;

  LOUPE_DECL explicit ThreadExecutor(std::size_t capacity = default_capacity);
  ThreadExecutor(const ThreadExecutor&) = delete;
  ThreadExecutor& operator=(const ThreadExecutor&) = delete;
  LOUPE_DECL ~ThreadExecutor();

  LOUPE_DECL bool post(Task task);
  LOUPE_DECL void drain();

 private:
  class State;
  State* state_;  // out of sight: locks and a queue are more than a program that has a hook needs to see
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/base/thread_executor.ipp"
#endif
