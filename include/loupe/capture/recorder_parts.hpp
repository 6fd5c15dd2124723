#pragma once
/// @file
/// What the templates of a hook hand over to the code that is none: its policies as objects, of which a recorder is
/// made.

#include <cstdint>

#include "loupe/base/any_clock.hpp"
#include "loupe/base/any_executor.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/text.hpp"
#include "loupe/capture/configuration.hpp"
#include "loupe/capture/quirks.hpp"
#include "loupe/capture/recorder.hpp"
#include "loupe/reduce/strategy.hpp"
#include "loupe/storage/any_storage.hpp"

namespace loupe::inline LOUPE_ABI {

/// What a recorder is made of besides its configuration: the objects and choices that a hook's policies stand for.
struct RecorderParts {
  AnyStorage storage;
  AnyExecutor executor;
  AnyClock clock;
  Text worker;
  std::int64_t rank = 0;
  std::int64_t world_size = 1;
  ReduceFunction reduce = nullptr;
  CaptureQuirks quirks;
};

namespace detail {

/// Checks the configuration, opens the trial, and makes its recorder.
LOUPE_DECL result<RecorderOwner> make_recorder(const HookConfig& config, RecorderParts parts);

/// For constructors: the recorder that was made. A mistake of the caller's is thrown, and so is everything if `throws`;
/// what the world did (no such disk, no permission) gives a recorder that stands aside. Without exceptions any error
/// does.
LOUPE_DECL RecorderOwner recorder_or_idle(result<RecorderOwner> made, ReportSink report, bool throws);

/// The error of a hook that was given no folder.
LOUPE_DECL unexpected<Error> refuse_empty_out_dir();

}  // namespace detail
}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/capture/recorder_parts.ipp"
#endif
