#pragma once
/// @file
/// Follows a run: refreshes what is known of it, and waits for more.

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>

#include "loupe/base/any_clock.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/step.hpp"
#include "loupe/storage/any_storage.hpp"
#include "loupe/trial/catalog.hpp"
#include "loupe/trial/snapshot.hpp"

namespace loupe::inline LOUPE_ABI {

/// How a trial waits. Durations are nanoseconds of the monotonic clock.
struct WaitSettings {
  std::shared_ptr<const AnyClock> clock;  ///< never null
  Interrupt* interrupt = nullptr;         ///< a request ends every wait with `cancelled`
  std::int64_t poll_interval = 0;         ///< how long a look at the storage stays good at most
  std::int64_t end_delay = 0;             ///< how long after the end marker stragglers' files may appear
};

/// Waits until `done()` says yes or fails; looks at once, then whenever objects under the prefixes change, at least once
/// in each poll interval, and a last time at the deadline (`INT64_MAX`: none). `timeout` or `cancelled` otherwise;
/// `waited_for` is what the error is about.
LOUPE_DECL result<void> poll_until(const AnyStorage& storage, std::span<const std::string_view> prefixes, const WaitSettings& wait,
                                   std::int64_t deadline, std::string_view waited_for, FunctionRef<result<bool>()> done);

/// Whether the run that writes into a storage has ended: its end marker, if it is there.
LOUPE_DECL result<std::optional<ObjectInfo>> find_end_marker(const AnyStorage& storage);

/// Keeps the newest snapshot of a trial. Refreshes are exclusive; everything may be called by any thread.
class Follower {
 public:
  LOUPE_DECL Follower(AnyStorage storage, CatalogSettings settings, WaitSettings wait);

  [[nodiscard]] LOUPE_DECL std::shared_ptr<const Snapshot> snapshot() const;
  /// Reads new index files once, for the last time if the run has ended `end_delay` ago.
  LOUPE_DECL result<void> refresh();
  /// Reads new index files unless all are loaded or refreshing is off. When the run has ended it reads a last time
  /// `end_delay` after its end, or after that was first seen if the storage doesn't say when it was, and never again.
  LOUPE_DECL result<void> refresh_if_due();
  /// Whether the step can be read, after a refresh.
  LOUPE_DECL result<StepState> has_passed_step(ModeStep at);
  /// Waits until each of the steps can be read, refreshing even where that was turned off. `step_unavailable` or
  /// `no_more_data` if one will never come; `timeout` at the deadline of the monotonic clock.
  LOUPE_DECL result<void> wait_for_steps(std::span<const ModeStep> steps, std::int64_t deadline);

  [[nodiscard]] bool refreshes() const noexcept { return refreshes_.load(std::memory_order_relaxed); }
  /// Whether a `RefreshScope` ends as smdebug's scopes do.
  [[nodiscard]] bool scopes_set_opposite() const noexcept { return scopes_set_opposite_; }
  void set_refreshes(bool on) noexcept { refreshes_.store(on, std::memory_order_relaxed); }

 private:
  LOUPE_DECL result<void> look_for_end();
  LOUPE_DECL result<void> read_locked();
  LOUPE_DECL result<void> finish_locked();
  LOUPE_DECL void publish();

  AnyStorage storage_;
  WaitSettings wait_;
  bool scopes_set_opposite_;
  std::atomic<bool> refreshes_{true};
  std::mutex refresh_mutex_;                       ///< guards the next two
  std::optional<std::int64_t> last_files_due_;     ///< monotonic; known once the run has ended
  Catalog catalog_;
  mutable std::mutex snapshot_mutex_;              ///< guards `snapshot_`
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/trial/follower.ipp"
#endif
