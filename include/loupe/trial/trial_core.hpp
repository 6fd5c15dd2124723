#pragma once
/// @file
/// The part of a trial that is not a template: everything but its policies' types.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loupe/base/any_clock.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/step.hpp"
#include "loupe/select/name_filter.hpp"
#include "loupe/storage/any_storage.hpp"
#include "loupe/trial/event_files.hpp"
#include "loupe/reduce/strategy.hpp"
#include "loupe/trial/follower.hpp"
#include "loupe/trial/reader_quirks.hpp"
#include "loupe/trial/tensor_reader.hpp"
#include "loupe/trial/trial_collections.hpp"
#include "loupe/trial/trial_options.hpp"

namespace loupe::inline LOUPE_ABI {

/// Which tensors are asked for; what is not given does not restrict. `regex` and `collection` exclude each other.
struct NameQuery {
  std::optional<ModeStep> step = {};   ///< saved at this step
  std::optional<Mode> mode = {};       ///< seen in this mode
  std::vector<Text> regex = {};        ///< any of these patterns is found in the name; Python's syntax
  std::optional<Text> collection = {}; ///< members of this collection
};

/// What a trial's policies come down to.
struct TrialParts {
  AnyStorage storage;
  std::shared_ptr<const AnyClock> clock;
  Text path;
  PatternCompiler engine = nullptr;
  ComputeStatistic compute = nullptr;
  ReduceFunction reduce = nullptr;  ///< the same of several statistics in one pass
  std::uint32_t (*required_workers)(std::uint32_t num_workers) = nullptr;
  ReaderQuirks quirks;
};

/// A trial behind its policies. Any number of threads may ask; refreshes take turns.
class TrialCore {
 public:
  /// Waits for the collections files and reads all index files once.
  LOUPE_DECL static result<std::shared_ptr<TrialCore>> open(TrialParts parts, TrialOptions options);
  TrialCore(const TrialCore&) = delete;
  TrialCore& operator=(const TrialCore&) = delete;

  [[nodiscard]] const Text& name() const noexcept { return name_; }
  [[nodiscard]] const Text& path() const noexcept { return parts_.path; }
  [[nodiscard]] Follower& follower() noexcept { return follower_; }
  [[nodiscard]] TensorReader& tensors() noexcept { return reader_; }
  [[nodiscard]] const TrialCollections& collections() const noexcept { return collections_; }
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const { return follower_.snapshot(); }
  [[nodiscard]] const ReaderQuirks& quirks() const noexcept { return parts_.quirks; }
  [[nodiscard]] const AnyStorage& storage() const noexcept { return parts_.storage; }
  [[nodiscard]] const WaitSettings& wait_settings() const noexcept { return wait_; }
  /// Statistics by the trial's strategy.
  void reduce(const TensorView& view, StatisticSet wanted, ReducedValues& out) const { parts_.reduce(view, wanted, out); }

  /// The tensor of a name, after a refresh if it isn't known; null if there is none.
  LOUPE_DECL result<const Interned*> find(std::string_view name);
  /// Names of tensors, sorted.
  LOUPE_DECL result<std::vector<std::string>> tensor_names(const NameQuery& query);
  LOUPE_DECL result<std::vector<std::int64_t>> steps(Mode mode, Steps which);
  LOUPE_DECL result<std::vector<std::int64_t>> steps(const Interned* tensor, Mode mode, Steps which);
  LOUPE_DECL result<std::vector<std::int64_t>> previous_steps(const Interned* tensor, ModeStep step, std::optional<std::size_t> count);
  LOUPE_DECL result<std::vector<std::string>> workers();
  LOUPE_DECL result<std::vector<std::string>> workers(const Interned* tensor, ModeStep at);
  LOUPE_DECL result<std::optional<ModeStep>> mode_step(std::int64_t global_step);
  LOUPE_DECL result<std::optional<std::int64_t>> global_step(ModeStep at);
  /// Values of the tensors of collection `inputs`, or of those whose names match a pattern, by the number in which
  /// their names end.
  LOUPE_DECL result<std::vector<Array>> numbered_values(NameQuery query, ModeStep at);
  /// Waits until the steps can be read, at most `timeout` nanoseconds.
  LOUPE_DECL result<void> wait_for_steps(std::span<const ModeStep> steps, std::optional<std::int64_t> timeout);
  /// Everything in the trial's files that could not be used.
  [[nodiscard]] LOUPE_DECL std::vector<Error> problems() const;

 private:
  struct Opened {
    TrialParts parts;
    Text name = {};
    TrialCollections collections = {};
    WaitSettings wait = {};
    CatalogSettings catalog = {};
    EventFiles::Settings files = {};
  };
  LOUPE_DECL explicit TrialCore(Opened opened);

  TrialParts parts_;
  Text name_;
  TrialCollections collections_;
  WaitSettings wait_;
  Follower follower_;
  EventFiles files_;
  TensorReader reader_;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/trial/trial_core.ipp"
#endif
