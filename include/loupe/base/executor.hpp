#pragma once
/// @file
/// Where work is done that the training thread must not wait for.

#include <concepts>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/base/task.hpp"

namespace loupe::inline LOUPE_ABI {

/// Runs tasks, in the caller or elsewhere:
/// - `post(task)`: takes the task and gives true, or false, leaving it undone, when there is no room;
/// - `drain()`: waits until all tasks that were taken have ended.
/// The destructor drains.
template <class Type>
concept Executor = requires(Type& executor, Task task) {
  { executor.post(std::move(task)) } -> std::same_as<bool>;
  { executor.drain() } -> std::same_as<void>;
};

/// Runs each task at once in the thread that posts it.
class InlineExecutor {
 public:
  bool post(Task task) noexcept {
    task();
    return true;
  }
  void drain() noexcept {}
};

}  // namespace loupe::inline LOUPE_ABI
