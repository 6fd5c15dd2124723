#pragma once
/// @file
/// All that a trial knows at one moment, and the questions that need no storage.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/mode.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/step.hpp"
#include "loupe/reduce/statistic.hpp"
#include "loupe/trial/chunked_map.hpp"
#include "loupe/trial/index_block.hpp"
#include "loupe/trial/reader_quirks.hpp"

namespace loupe::inline LOUPE_ABI {

/// Whether a step can be read. The numbers are smdebug's.
enum class StepState : std::uint8_t {
  unavailable = 0,        ///< it was not saved, and won't be
  available = 1,          ///< all that will ever be saved of it is there
  not_yet_available = 2,  ///< it, or some workers' part of it, may still come
};

/// Whether steps count that some workers have not written.
enum class Steps : std::uint8_t { complete, with_incomplete };

/// Index blocks by the name of their worker; those of one worker in the order in which they were loaded.
using BlockList = std::vector<std::shared_ptr<const IndexBlock>>;

/// A global step. Its mode and mode step are those of the first file that named it.
struct StepRecord {
  std::int64_t step = 0;
  std::int64_t mode_step = 0;
  Mode mode = Mode::global;
  std::uint32_t worker_count = 0;
  BlockList blocks;
  [[nodiscard]] std::int64_t key() const noexcept { return step; }
};

/// A step of a mode. When several global steps claim it, the first one has it; all their blocks belong to it.
struct ModeStepRecord {
  std::int64_t mode_step = 0;
  std::int64_t global_step = 0;
  BlockList blocks;
  [[nodiscard]] std::int64_t key() const noexcept { return mode_step; }
};

/// A tensor that was saved at some step, as value, shape or reduction.
struct TensorRecord {
  const Interned* tensor = nullptr;
  const Interned* original_name = nullptr;  ///< the framework's own name, where shapes were saved
  std::uint8_t modes = 0;                   ///< bit i: seen in the mode of index i
  [[nodiscard]] std::string_view key() const noexcept { return tensor->name; }
};

/// A kind of reduction that the trial's files hold. smdebug's have a statistic; others only their name.
struct ReductionName {
  Text name;  ///< with `abs_` before it where it is of absolute values
  std::optional<Statistic> statistic;
};

/// The blocks of one worker at one step of a tensor: what was saved of it there.
struct TensorStep {
  const Interned* tensor = nullptr;
  ModeStep at;                      ///< as the index files say
  std::int64_t global_step = 0;
  std::span<const std::shared_ptr<const IndexBlock>> blocks;

  struct Found {
    const IndexBlock* block = nullptr;
    const IndexEntry* entry = nullptr;
    explicit operator bool() const noexcept { return entry != nullptr; }
  };
  /// The newest entry about one part.
  [[nodiscard]] LOUPE_DECL Found find(std::uint16_t part) const noexcept;
  /// The parts that are reductions, ascending.
  [[nodiscard]] LOUPE_DECL std::vector<std::uint16_t> reductions() const;
  [[nodiscard]] std::string_view worker() const noexcept { return blocks.front()->worker->name; }
};

/// An immutable state of a trial. Any number of threads may ask it.
class Snapshot {
 public:
  /// The reductions that every trial knows; part `first_reduction_part + i` is statistic i.
  [[nodiscard]] LOUPE_DECL static std::shared_ptr<const std::vector<ReductionName>> known_reductions();

  /// Ascending steps of a mode, mode steps except for `Mode::global`.
  [[nodiscard]] LOUPE_DECL std::vector<std::int64_t> steps(Mode mode, Steps which) const;
  /// Ascending steps at which anything of a tensor was saved.
  [[nodiscard]] LOUPE_DECL std::vector<std::int64_t> steps(const Interned* tensor, Mode mode, Steps which) const;
  /// The last `count` of those that are not after `step`, or all.
  [[nodiscard]] LOUPE_DECL std::vector<std::int64_t> previous_steps(const Interned* tensor, ModeStep step,
                                                                    std::optional<std::size_t> count) const;
  /// Modes that were seen, never `Mode::global`.
  [[nodiscard]] LOUPE_DECL std::vector<Mode> modes() const;
  /// Mode and mode step of a global step.
  [[nodiscard]] LOUPE_DECL std::optional<ModeStep> mode_step(std::int64_t global_step) const;
  /// The global step of a mode step; a step of `Mode::global` is its own, known or not.
  [[nodiscard]] LOUPE_DECL std::optional<std::int64_t> global_step(ModeStep at) const;
  /// Whether the step can be read (semantics.md 12.3).
  [[nodiscard]] LOUPE_DECL result<StepState> passed(ModeStep at) const;
  /// The largest step of a mode, complete or not, or -1.
  [[nodiscard]] LOUPE_DECL std::int64_t last_step(Mode mode) const;
  /// Names of the workers that have written a global step, sorted.
  [[nodiscard]] LOUPE_DECL std::vector<std::string_view> workers(std::int64_t global_step) const;

  /// All tensors, those seen in a mode, those saved at a global step; sorted by name.
  [[nodiscard]] LOUPE_DECL std::vector<std::string_view> names() const;
  [[nodiscard]] LOUPE_DECL std::vector<std::string_view> names(Mode mode) const;
  [[nodiscard]] LOUPE_DECL std::vector<std::string_view> names(Step global_step) const;

  /// What was saved of a tensor at a step by a worker, or by the first one that has anything if `worker` is empty.
  /// Nothing if no worker has; `invalid_worker` if others have.
  [[nodiscard]] LOUPE_DECL result<std::optional<TensorStep>> locate(const Interned* tensor, ModeStep at,
                                                                    std::string_view worker) const;
  /// The workers that have anything of a tensor at a step, in the order in which their files were loaded.
  [[nodiscard]] LOUPE_DECL std::vector<std::string_view> workers(const Interned* tensor, ModeStep at) const;

  /// A global step, if anything of it is known.
  [[nodiscard]] const StepRecord* step(std::int64_t global_step) const noexcept { return steps_.find(global_step); }
  [[nodiscard]] const TensorRecord* tensor(std::string_view name) const noexcept { return tensors_.find(name); }
  [[nodiscard]] const ReductionName& reduction(std::uint16_t part) const noexcept {
    return (*reductions_)[part - std::size_t{first_reduction_part}];
  }
  /// The part of a reduction's name (`min`, `abs_mean`, …), if any file has one.
  [[nodiscard]] LOUPE_DECL std::optional<std::uint16_t> reduction_part(std::string_view name) const noexcept;
  /// The largest step known to be complete; it and all before it won't change any more. -1: none.
  [[nodiscard]] std::int64_t last_complete_step() const noexcept { return last_complete_step_; }
  /// Whether the run has ended and all its files have been seen.
  [[nodiscard]] bool loaded_all() const noexcept { return loaded_all_; }
  /// The index key at which the next refresh begins to list; empty: from the start.
  [[nodiscard]] std::string_view token() const noexcept { return token_; }
  /// Index files that could not be used: one error each, naming file and offset.
  [[nodiscard]] std::span<const Error> problems() const noexcept { return *problems_; }
  /// Number of entries in all index files.
  [[nodiscard]] std::size_t entry_count() const noexcept { return entry_count_; }
  [[nodiscard]] const ReaderQuirks& quirks() const noexcept { return quirks_; }

 private:
  friend class Catalog;
  [[nodiscard]] bool is_complete(std::int64_t global_step) const;
  [[nodiscard]] bool is_complete(ModeStep at, std::int64_t global_step) const;
  [[nodiscard]] const ModeStepRecord* record_of(const Interned* tensor, ModeStep at) const;

  ChunkedMap<StepRecord> steps_;
  ChunkedMap<ModeStepRecord> by_mode_[mode_count];
  ChunkedMap<TensorRecord> tensors_;
  std::shared_ptr<const std::vector<ReductionName>> reductions_ = known_reductions();
  std::shared_ptr<const std::vector<Error>> problems_ = std::make_shared<const std::vector<Error>>();
  std::shared_ptr<const void> names_;  ///< keeps the `Interned` alive
  Text token_;
  ReaderQuirks quirks_;
  std::int64_t last_complete_step_ = -1;
  std::size_t entry_count_ = 0;
  std::uint32_t required_workers_ = 1;
  bool loaded_all_ = false;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/trial/snapshot.ipp"
#endif
