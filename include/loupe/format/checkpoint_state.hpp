#pragma once
/// @file
/// How far a run had come, as its checkpoint directory remembers it in `metadata.json` (format.md section 12).

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/mode.hpp"
#include "loupe/base/result.hpp"

namespace loupe::inline LOUPE_ABI::format {

/// The state's file in a checkpoint directory.
inline constexpr std::string_view checkpoint_state_key = "metadata.json";

/// One state; a file holds all that were added, of this run and of those it resumed.
struct CheckpointState {
  std::int64_t training_run = 0;                         ///< 0 for the first run, one more for each resume
  std::optional<std::int64_t> latest_global_step_saved;  ///< nothing if no tensor had been saved
  std::int64_t latest_global_step_seen = 0;
  std::optional<std::int64_t> latest_mode_step[mode_count];  ///< by `mode_index`; nothing for modes not used

  friend bool operator==(const CheckpointState&, const CheckpointState&) = default;
};

/// Reads a state file; `file` names it in errors. The states are sorted by the step seen, those of one step as they
/// stand: the last is the one to resume from. `corrupt` where a key is missing or no number.
LOUPE_DECL result<std::vector<CheckpointState>> read_checkpoint_states(std::string_view text, std::string_view file);

/// Appends a state file as smdebug writes it, but with the modes in a fixed order, GLOBAL first.
LOUPE_DECL void write_checkpoint_states(ByteBuffer& out, const std::vector<CheckpointState>& states);

}  // namespace loupe::inline LOUPE_ABI::format

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/format/checkpoint_state.ipp"
#endif
