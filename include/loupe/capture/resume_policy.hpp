#pragma once
/// @file
/// What a hook does with what earlier or other runs have left in its folder.

#include <cstdint>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// What a hook does with a folder that already holds a trial.
enum class ResumePolicy : std::uint8_t {
  refuse,     ///< a finished trial is an error; what a killed run has left is added to, and steps count from 0
  resume,     ///< the end marker is taken away, and steps count on from the largest that this worker has there
  overwrite,  ///< the trial is removed first, and nothing else that is in the folder
};

/// How a hook makes sure that it writes to its folder alone, where a job has a single worker.
enum class ClaimPolicy : std::uint8_t {
  take_over_stale,  ///< the claim of a process that no longer runs counts for nothing; that of a running one is an error
  smdebug,          ///< any claim silences the hook; claimed when the first step is written (format.md section 5.4)
};

/// Who writes the mark that tells readers that the trial is complete.
enum class EndMarkerPolicy : std::uint8_t {
  last_worker,   ///< the last of the workers to close
  every_worker,  ///< each worker as it closes, as smdebug does: the first to finish ends the trial for its readers
  never,         ///< none: the platform does, as in a SageMaker job
};

/// How a resumed run numbers the steps of a mode that its checkpointed state doesn't know.
enum class ResumedNumbering : std::uint8_t {
  from_zero,  ///< as in any run: the mode's first step is 0
  smdebug,    ///< on from the global step (semantics.md section 10)
};

}  // namespace loupe::inline LOUPE_ABI
