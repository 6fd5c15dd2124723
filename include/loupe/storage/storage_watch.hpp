#pragma once
/// @file
/// Waiting for a storage to change, without looking again and again.

#include <cstdint>
#include <utility>

#include "loupe/base/clock.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/owner.hpp"

namespace loupe::inline LOUPE_ABI {

/// How a wait for changes ended.
enum class WatchOutcome : std::uint8_t { changed, deadline, interrupted };

/// Notices that objects may have come, changed or gone. Begin it before looking at the objects: what changes after the
/// look ends the next wait. A storage may be unable to notice some changes (those that another machine makes on a network
/// file system) or any, so a deadline must bound each wait. Move-only; belongs to one thread at a time.
class StorageWatch {
 public:
  /// How a storage tells of changes.
  class Source {
   public:
    virtual ~Source() = default;
    /// Is readable when there may be something to take; -1 if it can't be waited for.
    [[nodiscard]] virtual int descriptor() noexcept = 0;
    /// Takes all notifications that have come; whether any concerns the watched objects.
    virtual bool take() = 0;
  };

  /// One that notices nothing: its waits last until their deadlines.
  StorageWatch() noexcept = default;
  /// `source` may come as a `std::unique_ptr`.
  explicit StorageWatch(Owner<Source> source) noexcept : source_(std::move(source)) {}

  /// Whether any change can end a wait.
  [[nodiscard]] bool notices_changes() const noexcept { return static_cast<bool>(source_); }
  /// Waits for a change since the watch began, or since the wait before that ended with one.
  WatchOutcome wait_until(ClockRef clock, std::int64_t deadline_ns, Interrupt* interrupt) {
    while (true) {
      if (interrupt != nullptr && interrupt->requested()) return WatchOutcome::interrupted;
      if (source_ && source_->take()) return WatchOutcome::changed;
      if (clock.monotonic_ns() >= deadline_ns) return WatchOutcome::deadline;
      if (!clock.wait_until(deadline_ns, interrupt, source_ ? source_->descriptor() : -1))
        return WatchOutcome::interrupted;
    }
  }

 private:
  Owner<Source> source_;
};

}  // namespace loupe::inline LOUPE_ABI
