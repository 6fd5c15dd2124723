#include "loupe/capture/run_state.hpp"

#include <string_view>
#include <utility>

namespace loupe::inline LOUPE_ABI {

namespace detail {

/// Whether a file is one of the state's own or of the uploader's, and thus no checkpoint.
inline bool is_state_file(std::string_view key) noexcept {
  const std::string_view name = key.substr(key.rfind('/') + 1);
  return name == format::checkpoint_state_key || name.find("sagemaker-uploaded") != std::string_view::npos;
}

}  // namespace detail

LOUPE_DECL result<RunState> RunState::open(AnyStorage checkpoints, ResumedNumbering numbering) {
  RunState state(std::move(checkpoints));
  const auto read = state.storage_.read(format::checkpoint_state_key, {}, state.document_);
  if (!read && read.error().kind != ErrorKind::not_found) return fail(read.error());
  if (read) {
    LOUPE_ASSIGN(state.states_, format::read_checkpoint_states(state.document_.text(), format::checkpoint_state_key));
  }
  state.restore(numbering);
  LOUPE_TRY(state.list_checkpoints(state.checkpoints_));
  return state;
}

LOUPE_DECL void RunState::restore(ResumedNumbering numbering) {
  if (states_.empty()) return;
  const format::CheckpointState& last = states_.back();
  restored_.restored = true;
  restored_.training_run = last.training_run + 1;
  restored_.global = last.latest_global_step_seen;
  restored_.last_saved = last.latest_global_step_saved.value_or(-1);
  for (const Mode mode : all_modes)
    restored_.modes[mode_index(mode)] = last.latest_mode_step[mode_index(mode)].value_or(
        numbering == ResumedNumbering::smdebug ? restored_.global : -1);
  restored_.modes[mode_index(Mode::global)] = restored_.global;
}

LOUPE_DECL result<void> RunState::list_checkpoints(std::vector<Checkpoint>& found) const {
  found.clear();
  LOUPE_TRY(storage_.list({}, {}, [&](const ObjectInfo& object) {
    if (!detail::is_state_file(object.key)) found.push_back({object.key, 0});
    return true;
  }));
  // A listing may leave sizes out. A file that is gone since counts as one without bytes.
  for (Checkpoint& checkpoint : found)
    if (const auto info = storage_.stat(checkpoint.key)) checkpoint.size = info->size;
  return {};
}

LOUPE_DECL format::CheckpointState RunState::state_of(const Counters& counters) const {
  format::CheckpointState state;
  state.training_run = counters.training_run;
  if (counters.last_saved >= 0) state.latest_global_step_saved = counters.last_saved;
  state.latest_global_step_seen = counters.global;
  for (const Mode mode : all_modes) {
    const std::size_t index = mode_index(mode);
    const bool is_used =
        counters.modes[index] != restored_.modes[index] || (!states_.empty() && states_.back().latest_mode_step[index]);
    if (is_used || mode == Mode::global) state.latest_mode_step[index] = counters.modes[index];
  }
  return state;
}

LOUPE_DECL result<void> RunState::before_step(const Counters& counters) {
  LOUPE_TRY(list_checkpoints(found_));
  if (found_ == checkpoints_) return {};
  if (!found_.empty()) {
    states_.push_back(state_of(counters));
    document_.clear();
    format::write_checkpoint_states(document_, states_);
    if (auto written = storage_.put(format::checkpoint_state_key, document_.bytes(), PutMode::replace); !written) {
      states_.pop_back();
      return written;
    }
  }
  std::swap(checkpoints_, found_);
  return {};
}

}  // namespace loupe::inline LOUPE_ABI
