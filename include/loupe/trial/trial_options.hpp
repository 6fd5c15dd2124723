#pragma once
/// @file
/// How a trial is opened.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "loupe/base/clock.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/environment.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/text.hpp"
#include "loupe/trial/catalog.hpp"

namespace loupe::inline LOUPE_ABI {

/// Options of a trial. Durations are nanoseconds. Those that are not given come from smdebug's variables in
/// `environment`, else they are smdebug's defaults.
struct TrialOptions {
  /// What the trial is called; empty: the last component of its path.
  Text name = {};
  /// Index files of other global steps are not read.
  StepRange range = {};
  /// Variables of semantics.md section 16 that concern reading; the process's own by default.
  Environment environment = {};
  /// After the end marker has appeared, stragglers' files are waited for once. `SMDEBUG_TRAINING_END_DELAY_REFRESH` in
  /// seconds, default 1 s.
  std::optional<std::int64_t> end_delay = {};
  /// So many steps that lack workers are waited for; of more, the older half is taken to be complete.
  /// `SMDEBUG_INCOMPLETE_STEP_WAIT_WINDOW`, default 1000.
  std::optional<std::int64_t> incomplete_window = {};
  /// How long an event file that the index names may be missing while the run goes on.
  /// `SMDEBUG_MISSING_EVENT_FILE_RETRY_LIMIT` times 2 s, default 200 s.
  std::optional<std::int64_t> missing_event_deadline = {};
  /// How long opening waits for the run's collections files.
  std::int64_t open_deadline = 60'000'000'000;
  /// A wait looks at the storage when it changes, and at least this often: not all changes can be noticed.
  std::int64_t poll_interval = 500'000'000;
  /// A request ends every wait with `cancelled`. Must outlive the trial.
  Interrupt* interrupt = nullptr;
  /// So many event files stay mapped.
  std::size_t mapped_files = 64;
};

/// The three tunables with their values settled.
struct TrialTunables {
  std::int64_t end_delay = 0;
  std::int64_t incomplete_window = 0;
  std::int64_t missing_event_deadline = 0;
};

/// The root that a path means: without the blanks around it, `~` replaced by `HOME` of the environment.
LOUPE_DECL Text trial_root(std::string_view path, const Environment& environment);

/// Settles options against the environment; `invalid_argument` names the variable or option that can't be used.
LOUPE_DECL result<TrialTunables> settle(const TrialOptions& options);

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/trial/trial_options.ipp"
#endif
