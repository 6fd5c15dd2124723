#include "loupe/capture/trial_folder.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/base/step.hpp"
#include "loupe/format/index.hpp"
#include "loupe/format/layout.hpp"

namespace loupe::inline LOUPE_ABI {

namespace detail {

inline std::string_view without_suffix(std::string_view text, std::string_view suffix) noexcept {
  return text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : text;
}

/// Whether a worker is one of a job with more workers than this one has: `worker_<rank>`, the rank too high.
inline bool is_beyond(std::string_view worker, std::int64_t world_size) noexcept {
  constexpr std::string_view prefix = "worker_";
  if (!worker.starts_with(prefix)) return false;
  worker.remove_prefix(prefix.size());
  std::int64_t rank = -1;
  const auto [end, error] = std::from_chars(worker.data(), worker.data() + worker.size(), rank);
  return error == std::errc() && end == worker.data() + worker.size() && rank >= world_size;
}

/// Keeps the largest mode steps of index files that a run can count on from.
class ModeStepReader final : public format::IndexVisitor {
 public:
  explicit ModeStepReader(Counters& counters) noexcept : counters_(counters) {}
  result<void> meta(const format::IndexMeta& meta) override {
    std::int64_t& last = counters_.modes[mode_index(meta.mode)];
    if (meta.mode_step <= max_resumed_step) last = std::max(last, meta.mode_step);
    return {};
  }
  result<void> tensor(std::string_view, std::uint64_t, std::uint64_t) override { return {}; }
  result<void> shape(std::string_view, std::string_view, const Shape&) override { return {}; }

 private:
  Counters& counters_;
};

}  // namespace detail

LOUPE_DECL result<TrialFolder> TrialFolder::open(AnyStorage storage, TrialFolderOptions options) {
  TrialFolder folder(std::move(storage), std::move(options));
  const TrialFolderOptions& chosen = folder.options_;
  const bool refuses = chosen.resume == ResumePolicy::refuse;
  if (!chosen.writes) {
    // What is in the folder belongs to the workers that write; smdebug's look for the end of a trial all the same.
    if (chosen.claim == ClaimPolicy::smdebug && refuses) LOUPE_TRY(folder.refuse_finished_trial());
    return folder;
  }
  // Looked for before the claim, so that a finished trial stays untouched, and after it, because the run that had the
  // claim may have finished meanwhile.
  if (refuses) LOUPE_TRY(folder.refuse_finished_trial());
  if (chosen.claim == ClaimPolicy::take_over_stale && folder.claims()) {
    LOUPE_ASSIGN(folder.claim_, Claim::acquire(folder.storage_, format::claim_key,
                                               refuses ? UnknownClaim::respect : UnknownClaim::take_over));
    if (refuses) LOUPE_TRY(folder.refuse_finished_trial());
  }
  if (refuses) LOUPE_TRY(folder.look_for_unfinished_run());
  else LOUPE_TRY(folder.storage_.remove(format::end_marker_key));
  if (chosen.world_size > 1) LOUPE_TRY(folder.storage_.remove(folder.closed_key()));
  if (chosen.resume == ResumePolicy::resume) LOUPE_TRY(folder.find_counters());
  if (chosen.resume == ResumePolicy::overwrite) LOUPE_TRY(folder.remove_trial());
  return folder;
}

LOUPE_DECL result<void> TrialFolder::refuse_finished_trial() const {
  const auto marker = storage_.stat(format::end_marker_key);
  if (marker)
    return fail(ErrorKind::invalid_state, storage_.name(),
                "it holds a finished trial; choose another folder, or say by the resume policy that the trial is to be "
                "resumed or overwritten");
  return marker.error().kind == ErrorKind::not_found ? result<void>() : fail(marker.error());
}

LOUPE_DECL result<void> TrialFolder::look_for_unfinished_run() {
  return storage_.list(format::index_prefix, {}, [&](const ObjectInfo& object) {
    const auto name = format::parse_index_key(object.key);
    joins_unfinished_run_ = name && name->worker == options_.worker;
    return !joins_unfinished_run_;
  });
}

LOUPE_DECL result<void> TrialFolder::find_counters() {
  LOUPE_ASSIGN(const std::vector<Text> keys, keys_below(format::index_prefix));
  ByteBuffer document;
  detail::ModeStepReader mode_steps(counters_);
  for (const Text& key : keys) {
    const auto name = format::parse_index_key(key);
    if (!name || key != format::index_key(name->step, options_.worker) || name->step > max_resumed_step) continue;
    counters_.restored = true;
    counters_.global = std::max(counters_.global, name->step);
    document.clear();
    LOUPE_TRY(storage_.read(key, {}, document));
    // A damaged file has lost its mode step; its step counts all the same.
    (void)format::parse_index(document.text(), key, mode_steps);
  }
  counters_.modes[mode_index(Mode::global)] = counters_.last_saved = counters_.global;
  return {};
}

LOUPE_DECL result<void> TrialFolder::remove_trial() {
  // Readers must not find a part of the old trial complete: collections go first, then indices, then what they point to.
  const auto is_ours = [&](std::string_view worker, std::string_view key, const Text& own_key) {
    return options_.world_size == 1 || key == own_key || detail::is_beyond(worker, options_.world_size);
  };
  const auto remove_where = [&](std::string_view prefix, auto&& belongs) -> result<void> {
    LOUPE_ASSIGN(const std::vector<Text> keys, keys_below(prefix));
    LOUPE_ASSIGN(const std::vector<Text> unfinished, unfinished_below(prefix));
    for (const Text& key : keys)
      if (belongs(key.view())) LOUPE_TRY(storage_.remove(key));
    for (const Text& key : unfinished)
      if (belongs(detail::without_suffix(key, ".tmp"))) LOUPE_TRY(storage_.remove(key));
    return {};
  };
  LOUPE_TRY(remove_where(format::collections_prefix, [&](std::string_view key) {
    const auto worker = format::parse_collections_key(key);
    return worker && is_ours(*worker, key, format::collections_key(options_.worker));
  }));
  LOUPE_TRY(remove_where(format::index_prefix, [&](std::string_view key) {
    const auto name = format::parse_index_key(key);
    return name && is_ours(name->worker, key, format::index_key(name->step, options_.worker));
  }));
  LOUPE_TRY(remove_where(format::events_prefix, [&](std::string_view key) {
    const auto name = format::parse_event_key(key);
    return name && is_ours(name->worker, key, format::event_key(name->step, options_.worker));
  }));
  if (options_.world_size > 1)
    return remove_where(format::closed_prefix, [&](std::string_view key) {
      return detail::is_beyond(key.substr(format::closed_prefix.size()), options_.world_size);
    });
  LOUPE_TRY(remove_where(format::tensorboard_prefix, [](std::string_view key) { return key.ends_with(".tfevents"); }));
  const auto everything = [](std::string_view) { return true; };
  LOUPE_TRY(remove_where(format::closed_prefix, everything));
  // What processes that ended while they claimed or marked have left.
  LOUPE_TRY(remove_where(Text::join(format::claim_key, "."), everything));
  return remove_where(Text::join(format::end_marker_key, "."), everything);
}

LOUPE_DECL result<std::vector<Text>> TrialFolder::keys_below(std::string_view prefix) const {
  std::vector<Text> keys;
  LOUPE_TRY(storage_.list(prefix, {}, [&](const ObjectInfo& object) {
    keys.emplace_back(object.key);
    return true;
  }));
  return keys;
}

LOUPE_DECL result<std::vector<Text>> TrialFolder::unfinished_below(std::string_view prefix) const {
  std::vector<Text> keys;
  LOUPE_TRY(storage_.list_unfinished(prefix, [&](const ObjectInfo& object) {
    keys.emplace_back(object.key);
    return true;
  }));
  return keys;
}

LOUPE_DECL result<bool> TrialFolder::begin_writing() {
  if (has_begun_) return may_write_;
  if (options_.claim == ClaimPolicy::smdebug && claims()) {
    LOUPE_ASSIGN(claim_, Claim::try_acquire_as_smdebug(storage_, format::claim_key));
    may_write_ = static_cast<bool>(claim_);
  }
  has_begun_ = true;  // not before: an attempt that failed has decided nothing
  return may_write_;
}

LOUPE_DECL Text TrialFolder::closed_key() const { return Text::join(format::closed_prefix, options_.worker.view()); }

LOUPE_DECL result<void> TrialFolder::mark_end() {
  const auto put_empty = [this](std::string_view key) { return storage_.put(key, {}, PutMode::replace); };
  if (options_.end_marker == EndMarkerPolicy::never) return {};
  if (options_.end_marker == EndMarkerPolicy::last_worker && !options_.writes) return {};
  if (options_.end_marker == EndMarkerPolicy::every_worker || options_.world_size == 1)
    return put_empty(format::end_marker_key);
  // Each worker says that it has closed before it looks who has: so the last to say it sees all, or several do.
  LOUPE_TRY(put_empty(closed_key()));
  LOUPE_ASSIGN(const std::vector<Text> closed, keys_below(format::closed_prefix));
  const auto count = std::count_if(closed.begin(), closed.end(), [&](const Text& key) {
    return !detail::is_beyond(key.view().substr(format::closed_prefix.size()), options_.world_size);
  });
  if (count < options_.world_size) return {};
  LOUPE_TRY(put_empty(format::end_marker_key));
  // A run that resumes the trial must not take these for its own workers': they may start one after another.
  for (const Text& key : closed) LOUPE_TRY(storage_.remove(key));
  return {};
}

LOUPE_DECL result<void> TrialFolder::close() {
  if (is_closed_) return {};
  is_closed_ = true;
  auto marked = mark_end();
  auto released = claim_.release();
  return marked ? released : marked;
}

}  // namespace loupe::inline LOUPE_ABI
