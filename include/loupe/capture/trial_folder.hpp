#pragma once
/// @file
/// The life of a trial's folder as one writing worker sees it: opened, claimed, written, closed.

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/text.hpp"
#include "loupe/capture/claim.hpp"
#include "loupe/capture/counters.hpp"
#include "loupe/capture/resume_policy.hpp"
#include "loupe/storage/any_storage.hpp"

namespace loupe::inline LOUPE_ABI {

/// How a worker opens and closes the folder of its trial. A plain value; copies may be used on any thread.
struct TrialFolderOptions {
  /// The worker's name as it stands in the names of files.
  Text worker;
  /// How many workers write to the folder.
  std::int64_t world_size = 1;
  /// Whether the folder is claimed: for a job of one worker, which others may be mistaken for. Only where the storage is
  /// this host's own.
  bool claims = true;
  ResumePolicy resume = ResumePolicy::refuse;
  ClaimPolicy claim = ClaimPolicy::take_over_stale;
  EndMarkerPolicy end_marker = EndMarkerPolicy::last_worker;
  /// Whether this is one of the workers that write: the others leave the end marker to those.
  bool writes = true;
};

/// The folder of a trial that this process writes to. Move-only; one thread at a time. Destroyed without `close` it gives
/// up its claim and leaves the trial as one that was not finished.
class TrialFolder {
 public:
  /// Does with what lies in the folder as the resume policy says. Errors: invalid_state for a finished trial under
  /// `refuse` and for a folder that another process has claimed; what the storage says.
  LOUPE_DECL static result<TrialFolder> open(AnyStorage storage, TrialFolderOptions options);

  /// Whether tensors and collections may be written; false once another process was found to have the claim.
  [[nodiscard]] bool may_write() const noexcept { return may_write_; }
  /// To be called before something is written: under `ClaimPolicy::smdebug` the first call claims. Gives `may_write()`.
  LOUPE_DECL result<bool> begin_writing();
  /// Whether steps of a run that did not finish lie in the folder, and this one neither continues nor removes them.
  [[nodiscard]] bool joins_unfinished_run() const noexcept { return joins_unfinished_run_; }
  /// Where counting goes on; from the start except under `ResumePolicy::resume`.
  [[nodiscard]] const Counters& counters() const noexcept { return counters_; }
  /// Ends the trial as the end-marker policy says and gives up the claim. Again: nothing.
  LOUPE_DECL result<void> close();

 private:
  TrialFolder(AnyStorage storage, TrialFolderOptions options)
      : storage_(std::move(storage)),
        options_(std::move(options)) {}
  LOUPE_DECL result<void> refuse_finished_trial() const;
  LOUPE_DECL result<void> look_for_unfinished_run();
  LOUPE_DECL result<void> find_counters();
  LOUPE_DECL result<void> remove_trial();
  LOUPE_DECL result<void> mark_end();
  [[nodiscard]] LOUPE_DECL Text closed_key() const;
  [[nodiscard]] LOUPE_DECL result<std::vector<Text>> keys_below(std::string_view prefix) const;
  [[nodiscard]] LOUPE_DECL result<std::vector<Text>> unfinished_below(std::string_view prefix) const;
  [[nodiscard]] bool claims() const noexcept {
    const Capabilities can = storage_.capabilities();
    return options_.claims && can.put_if_absent && can.map;
  }

  AnyStorage storage_;
  TrialFolderOptions options_;
  Claim claim_;
  Counters counters_;
  bool may_write_ = true;
  bool joins_unfinished_run_ = false;
  bool has_begun_ = false;
  bool is_closed_ = false;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/capture/trial_folder.ipp"
#endif
