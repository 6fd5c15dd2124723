#pragma once
/// @file
/// The state of a run that is kept beside its checkpoints, so that it can go on from one (semantics.md section 10).

#include <cstdint>
#include <vector>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/text.hpp"
#include "loupe/capture/counters.hpp"
#include "loupe/capture/resume_policy.hpp"
#include "loupe/format/checkpoint_state.hpp"
#include "loupe/storage/any_storage.hpp"

namespace loupe::inline LOUPE_ABI {

/// Restores the counters of the run that left the directory's `metadata.json`, and adds this run's whenever a checkpoint
/// has been written since it was last asked. Move-only; one thread at a time.
class RunState {
 public:
  /// Reads the state that is there; none is a fresh start, a malformed one an error. `checkpoints` is the directory.
  LOUPE_DECL static result<RunState> open(AnyStorage checkpoints,
                                          ResumedNumbering numbering = ResumedNumbering::from_zero);

  /// Where counting goes on; `restored` says whether there was a state.
  [[nodiscard]] const Counters& counters() const noexcept { return restored_; }
  /// To be called before the counters move: keeps them if the checkpoints have changed. A file counts by its name and
  /// size; one rewritten in the same size is not noticed.
  LOUPE_DECL result<void> before_step(const Counters& counters);

 private:
  /// A file of the checkpoint directory.
  struct Checkpoint {
    Text key;
    std::uint64_t size = 0;
    friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
  };
  explicit RunState(AnyStorage checkpoints) : storage_(std::move(checkpoints)) {}
  LOUPE_DECL void restore(ResumedNumbering numbering);
  LOUPE_DECL result<void> list_checkpoints(std::vector<Checkpoint>& found) const;
  [[nodiscard]] LOUPE_DECL format::CheckpointState state_of(const Counters& counters) const;

  AnyStorage storage_;
  std::vector<format::CheckpointState> states_;
  std::vector<Checkpoint> checkpoints_;
  std::vector<Checkpoint> found_;  // a member, to keep its memory from step to step
  Counters restored_;
  ByteBuffer document_;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/capture/run_state.ipp"
#endif
