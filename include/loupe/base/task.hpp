#pragma once
/// @file
/// A piece of work that is handed to an executor.

#include <concepts>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// A piece of work: a callable of at most four words that neither throws nor returns anything. Move-only, never allocates.
class Task {
 public:
  Task() noexcept = default;
  template <class Callable>
    requires(!std::same_as<std::remove_cvref_t<Callable>, Task> &&
             std::is_nothrow_invocable_v<std::remove_cvref_t<Callable>&>)
  Task(Callable&& callable) noexcept {
    using Stored = std::remove_cvref_t<Callable>;
    static_assert(sizeof(Stored) <= sizeof memory_ && alignof(Stored) <= alignof(std::max_align_t),
                  "loupe::Task: the callable is larger than four words: let it hold a pointer to its state");
    static_assert(std::is_nothrow_move_constructible_v<Stored>, "loupe::Task: the callable must move without throwing");
    ::new (static_cast<void*>(memory_)) Stored(std::forward<Callable>(callable));
    handle_ = [](Action action, std::byte* self, std::byte* other) noexcept {
      auto& stored = *std::launder(reinterpret_cast<Stored*>(self));
      if (action == Action::call) stored();
      if (action == Action::move) ::new (static_cast<void*>(other)) Stored(std::move(stored));
      if (action != Action::call) stored.~Stored();
    };
  }
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {
    if (handle_ != nullptr) handle_(Action::move, other.memory_, memory_);
  }
  Task& operator=(Task&& other) noexcept {
    if (this == &other) return *this;
    if (handle_ != nullptr) handle_(Action::destroy, memory_, nullptr);
    handle_ = std::exchange(other.handle_, nullptr);
    if (handle_ != nullptr) handle_(Action::move, other.memory_, memory_);
    return *this;
  }
  ~Task() {
    if (handle_ != nullptr) handle_(Action::destroy, memory_, nullptr);
  }
  /// Does the work; a task may be called once or more, and an empty one does nothing.
  void operator()() noexcept {
    if (handle_ != nullptr) handle_(Action::call, memory_, nullptr);
  }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

 private:
  enum class Action { call, move, destroy };
  alignas(std::max_align_t) std::byte memory_[4 * sizeof(void*)];
  void (*handle_)(Action, std::byte* self, std::byte* other) noexcept = nullptr;
};

}  // namespace loupe::inline LOUPE_ABI
