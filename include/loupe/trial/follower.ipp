#include <algorithm>
#include <utility>

#include "loupe/format/layout.hpp"
#include "loupe/trial/follower.hpp"
#include "loupe/trial/refresh_scope.hpp"

namespace loupe::inline LOUPE_ABI {

namespace detail {
inline std::int64_t later(std::int64_t now, std::int64_t wait) noexcept { return now > INT64_MAX - wait ? INT64_MAX : now + wait; }
}  // namespace detail

LOUPE_DECL result<void> poll_until(const AnyStorage& storage, std::span<const std::string_view> prefixes, const WaitSettings& wait,
                                   std::int64_t deadline, std::string_view waited_for, FunctionRef<result<bool>()> done) {
  LOUPE_ASSIGN(bool is_done, done());
  if (is_done) return {};
  StorageWatch watch = storage.watch(prefixes);
  while (true) {
    const std::int64_t now = wait.clock->monotonic_ns();
    LOUPE_ASSIGN(is_done, done());
    if (is_done) return {};
    if (now >= deadline) return fail(ErrorKind::timeout, waited_for, "waited until the deadline");
    if (watch.wait_until(*wait.clock, std::min(detail::later(now, wait.poll_interval), deadline), wait.interrupt) == WatchOutcome::interrupted)
      return fail(ErrorKind::cancelled, waited_for, "the wait was interrupted");
  }
}

LOUPE_DECL result<std::optional<ObjectInfo>> find_end_marker(const AnyStorage& storage) {
  const result<ObjectInfo> marker = storage.stat(format::end_marker_key);
  if (marker) return std::optional(*marker);
  if (marker.error().kind == ErrorKind::not_found) return std::optional<ObjectInfo>();
  return unexpected<Error>(marker.error());
}

LOUPE_DECL Follower::Follower(AnyStorage storage, CatalogSettings settings, WaitSettings wait)
    : storage_(storage), wait_(wait), scopes_set_opposite_(settings.quirks.scopes_set_opposite),
      catalog_(std::move(storage), std::move(settings)), snapshot_(catalog_.snapshot()) {}

LOUPE_DECL std::shared_ptr<const Snapshot> Follower::snapshot() const {
  const std::lock_guard lock(snapshot_mutex_);
  return snapshot_;
}

LOUPE_DECL result<void> Follower::read_locked() {
  const result<void> outcome = catalog_.read();
  publish();
  return outcome;
}

LOUPE_DECL void Follower::publish() {
  std::shared_ptr<const Snapshot> newest = catalog_.snapshot();
  const std::lock_guard lock(snapshot_mutex_);
  snapshot_ = std::move(newest);
}

LOUPE_DECL result<void> Follower::look_for_end() {
  if (last_files_due_) return {};
  LOUPE_ASSIGN(const std::optional<ObjectInfo> marker, find_end_marker(storage_));
  if (!marker) return {};
  // How far the clocks of the machines that write and read may be apart.
  constexpr std::int64_t skew = 60'000'000'000;
  const std::int64_t age = marker->modified_ns > 0 ? wait_.clock->wall_ns() - marker->modified_ns : 0;
  const std::int64_t now = wait_.clock->monotonic_ns();
  last_files_due_ = age >= skew && age - skew >= wait_.end_delay ? now : detail::later(now, wait_.end_delay);
  return {};
}

LOUPE_DECL result<void> Follower::finish_locked() {
  LOUPE_TRY(read_locked());  // also what could not be read the last time
  catalog_.finish();
  publish();
  return {};
}

LOUPE_DECL result<void> Follower::refresh() {
  const std::lock_guard lock(refresh_mutex_);
  LOUPE_TRY(look_for_end());
  const bool is_last = last_files_due_ && wait_.clock->monotonic_ns() >= *last_files_due_;
  LOUPE_TRY(read_locked());
  return is_last ? finish_locked() : result<void>();
}

LOUPE_DECL result<void> Follower::refresh_if_due() {
  if (!refreshes() || snapshot()->loaded_all()) return {};
  const std::lock_guard lock(refresh_mutex_);
  if (snapshot()->loaded_all()) return {};
  LOUPE_TRY(look_for_end());
  LOUPE_TRY(read_locked());
  if (!last_files_due_) return {};
  if (wait_.clock->monotonic_ns() < *last_files_due_ && !wait_.clock->wait_until(*last_files_due_, wait_.interrupt))
    return fail(ErrorKind::cancelled, format::end_marker_key, "the wait for the run's last files was interrupted");
  return finish_locked();
}

LOUPE_DECL result<StepState> Follower::has_passed_step(ModeStep at) {
  LOUPE_TRY(refresh_if_due());
  return snapshot()->passed(at);
}

LOUPE_DECL result<void> Follower::wait_for_steps(std::span<const ModeStep> steps, std::int64_t deadline) {
  RefreshScope scope(*this, true);
  const auto wait = [&](ModeStep at) {
    const std::string_view prefixes[] = {format::index_prefix, format::end_marker_key};
    const Text step = Text::join("step ", to_text(at.value).view(), " of mode ", mode_name(at.mode));
    return poll_until(storage_, prefixes, wait_, deadline, step, [&]() -> result<bool> {
      LOUPE_ASSIGN(const StepState state, has_passed_step(at));
      if (state != StepState::unavailable) return state == StepState::available;
      const auto known = snapshot();
      const std::int64_t last = known->last_step(at.mode);
      if (!known->loaded_all() || at.value < last)
        return fail(Error{.kind = ErrorKind::step_unavailable, .step = at.value, .mode = at.mode});
      return fail(Error{.kind = ErrorKind::no_more_data, .step = at.value, .mode = at.mode, .last_step = last});
    });
  };
  for (const ModeStep at : steps)
    if (result<void> outcome = wait(at); !outcome) {
      Error error = std::move(outcome).error();
      if (error.kind == ErrorKind::timeout || error.kind == ErrorKind::cancelled) {
        error.step = at.value;
        error.mode = at.mode;
      }
      scope.fail();
      return unexpected<Error>(std::move(error));
    }
  return {};
}

}  // namespace loupe::inline LOUPE_ABI
