#pragma once
/// @file
/// How far a run has come.

#include <cstdint>

#include "loupe/base/config.hpp"
#include "loupe/base/mode.hpp"

namespace loupe::inline LOUPE_ABI {

/// The step counters of a run, each the step taken last; -1 before the first.
struct Counters {
  std::int64_t global = -1;
  std::int64_t modes[mode_count] = {-1, -1, -1, -1};  ///< by `mode_index`; that of `Mode::global` equals `global`
  std::int64_t last_saved = -1;                       ///< the last global step of which something was saved
  std::int64_t training_run = 0;                      ///< how often the run was resumed from a checkpoint
  bool restored = false;                              ///< goes on where an earlier run has ended

  friend bool operator==(const Counters&, const Counters&) = default;
};

}  // namespace loupe::inline LOUPE_ABI
