#pragma once
/// @file
/// A clock that tests turn by hand.

#include <poll.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "loupe/base/clock.hpp"
#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// Shows the time it was set to. A wait takes no time: it calls `on_wait`, in which a test lets happen what the wait is
/// for, and, unless that has ended the wait, sets the clock to its deadline. Copies share the time. Safe for concurrent
/// use.
class ManualClock {
 public:
  explicit ManualClock(std::int64_t start_ns = 1'600'000'000'000'000'000) : state_(std::make_shared<State>(start_ns)) {}

  [[nodiscard]] std::int64_t wall_ns() const noexcept { return now(); }
  [[nodiscard]] std::int64_t monotonic_ns() const noexcept { return now(); }
  bool wait_until(std::int64_t deadline_ns, Interrupt* interrupt, int descriptor = -1) const {
    std::function<void()> happens;
    {
      const std::lock_guard lock(state_->mutex);
      ++state_->waits;
      happens = state_->on_wait;
    }
    if (happens) happens();
    if (interrupt != nullptr && interrupt->requested()) return false;
    pollfd polled{descriptor, POLLIN, 0};
    if (descriptor >= 0 && ::poll(&polled, 1, 0) > 0) return true;
    const std::lock_guard lock(state_->mutex);
    if (state_->now_ns < deadline_ns) state_->now_ns = deadline_ns;
    return true;
  }

  void advance(std::int64_t nanoseconds) const {
    const std::lock_guard lock(state_->mutex);
    state_->now_ns += nanoseconds;
  }
  /// What happens during each wait.
  void on_wait(std::function<void()> happens) const {
    const std::lock_guard lock(state_->mutex);
    state_->on_wait = std::move(happens);
  }
  /// How often someone has waited.
  [[nodiscard]] int waits() const {
    const std::lock_guard lock(state_->mutex);
    return state_->waits;
  }

 private:
  struct State {
    explicit State(std::int64_t start_ns) : now_ns(start_ns) {}
    std::mutex mutex;
    std::int64_t now_ns;
    int waits = 0;
    std::function<void()> on_wait;
  };
  [[nodiscard]] std::int64_t now() const noexcept {
    const std::lock_guard lock(state_->mutex);
    return state_->now_ns;
  }
  std::shared_ptr<State> state_;
};

}  // namespace loupe::inline LOUPE_ABI
