#include <algorithm>
#include <utility>

#include "loupe/format/layout.hpp"
#include "loupe/trial/follower.hpp"
#include "loupe/trial/refresh_scope.hpp"

namespace loupe::inline LOUPE_ABI {

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
    const std::int64_t next = now > INT64_MAX - wait.poll_interval ? INT64_MAX : now + wait.poll_interval;
    if (watch.wait_until(*wait.clock, std::min(next, deadline), wait.interrupt) == WatchOutcome::interrupted)
      return fail(ErrorKind::cancelled, waited_for, "the wait was interrupted");
  }
}

LOUPE_DECL result<bool> run_has_ended(const AnyStorage& storage) {
  const result<ObjectInfo> marker = storage.stat(format::end_marker_key);
  if (marker) return true;
  if (marker.error().kind == ErrorKind::not_found) return false;
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
  std::shared_ptr<const Snapshot> newest = catalog_.snapshot();
  const std::lock_guard lock(snapshot_mutex_);
  snapshot_ = std::move(newest);
  return outcome;
}

LOUPE_DECL result<void> Follower::refresh() {
  const std::lock_guard lock(refresh_mutex_);
  return read_locked();
}

LOUPE_DECL result<void> Follower::refresh_if_due() {
  if (!refreshes() || snapshot()->loaded_all()) return {};
  const std::lock_guard lock(refresh_mutex_);
  if (snapshot()->loaded_all()) return {};
  LOUPE_ASSIGN(const bool ended, run_has_ended(storage_));
  LOUPE_TRY(read_locked());
  if (!ended) return {};
  if (wait_.end_delay > 0 && !wait_.clock->wait_until(wait_.clock->monotonic_ns() + wait_.end_delay, wait_.interrupt))
    return fail(ErrorKind::cancelled, format::end_marker_key, "the wait for the run's last files was interrupted");
  LOUPE_TRY(read_locked());
  catalog_.finish();
  std::shared_ptr<const Snapshot> last = catalog_.snapshot();
  const std::lock_guard publication(snapshot_mutex_);
  snapshot_ = std::move(last);
  return {};
}

LOUPE_DECL result<StepState> Follower::has_passed_step(ModeStep at) {
  LOUPE_TRY(refresh_if_due());
  return snapshot()->passed(at);
}

LOUPE_DECL result<void> Follower::wait_for_steps(std::span<const ModeStep> steps, std::int64_t deadline) {
  RefreshScope scope(*this, true);
  const auto wait = [&](ModeStep at) {
    const std::string_view prefixes[] = {format::index_prefix, format::end_marker_key};
    return poll_until(storage_, prefixes, wait_, deadline, "step", [&]() -> result<bool> {
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
