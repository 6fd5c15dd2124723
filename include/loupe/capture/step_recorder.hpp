#pragma once
/// @file
/// The recorder that a hook has: decides, reduces, encodes into the step's buffer, and hands finished steps to the writer.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "loupe/base/array.hpp"
#include "loupe/base/config.hpp"
#include "loupe/capture/failure_log.hpp"
#include "loupe/capture/recorder.hpp"
#include "loupe/capture/recorder_parts.hpp"
#include "loupe/capture/run_state.hpp"
#include "loupe/capture/staging.hpp"
#include "loupe/capture/step_writer.hpp"
#include "loupe/capture/trial_folder.hpp"
#include "loupe/capture/counters.hpp"
#include "loupe/select/collection_set.hpp"
#include "loupe/select/plan.hpp"

namespace loupe::inline LOUPE_ABI {

/// The recorder of a hook that captures: decides what is due, encodes it, and hands closed steps to its writer. For one
/// thread at a time, on which all calls return before the storage is asked for anything but the claim; the writer works
/// on the executor.
class StepRecorder final : public Recorder {
 public:
  /// Checks the configuration and opens the trial.
  LOUPE_DECL static result<RecorderOwner> make(HookConfig config, RecorderParts parts);
  LOUPE_DECL ~StepRecorder() override;

  LOUPE_DECL result<void> set_mode(Mode mode) override;
  LOUPE_DECL result<void> begin_step() override;
  LOUPE_DECL result<void> end_step() override;
  LOUPE_DECL Selection select(std::string_view name) override;
  LOUPE_DECL result<void> record(Selection selection, const TensorView& tensor) override;
  LOUPE_DECL result<void> record_scalar(std::string_view name, const TensorView& value, const ScalarOptions& options) override;
  LOUPE_DECL result<void> record_custom(std::string_view name, const TensorView& tensor,
                                        std::span<const std::string_view> collections) override;
  LOUPE_DECL result<void> flush_custom() override;
  LOUPE_DECL result<void> flush() override;
  LOUPE_DECL result<void> close() override;
  LOUPE_DECL void absorb(Error error) noexcept override;
  void summarise() noexcept override { failures_.summarise(); }
  [[nodiscard]] LOUPE_DECL CaptureFailures failures() const override;
  [[nodiscard]] CaptureCounts counts() const override { return counts_; }
  [[nodiscard]] Mode mode() const noexcept override { return next_mode_; }
  [[nodiscard]] Step step() const noexcept override { return Step(counters_.global); }
  [[nodiscard]] ModeStep mode_step(Mode mode) const noexcept override { return {mode, counters_.modes[mode_index(mode)]}; }
  LOUPE_DECL result<Collection*> collection(std::string_view name) override;
  LOUPE_DECL result<void> add_collection(const Collection& collection) override;
  [[nodiscard]] LOUPE_DECL bool has_member(std::string_view collection, std::string_view tensor) override;
  [[nodiscard]] std::string_view worker() const noexcept override { return parts_.worker; }
  LOUPE_DECL result<void> attach(Owner<StepJudge> judge) override;
  LOUPE_DECL StepVerdict verdict() override;

 private:
  /// A scalar that waits for a step to be written in.
  struct WaitingScalar {
    Text name;
    Array value;
    double time;
  };
  /// A custom tensor that waits for `flush_custom`.
  struct WaitingTensor {
    Text name;
    Array value;
    Text collection;
  };

  LOUPE_DECL StepRecorder(HookConfig config, RecorderParts parts, CollectionSet collections, TrialFolder folder,
                          StepWriter::Target writer_target, std::optional<RunState> run_state, bool writes);
  LOUPE_DECL result<void> open_step();
  LOUPE_DECL result<void> close_step();
  LOUPE_DECL result<void> close_trial();
  LOUPE_DECL result<void> prepare();
  /// Arms the open step if anything is due; `may_take`: it may get a buffer if it has none.
  LOUPE_DECL void find_out_what_is_due(bool may_take);
  /// Whether this process is a forked child of the hook's own; then the step is given up and the child told.
  LOUPE_DECL bool leaves_to_parent();
  /// Gives the open step a buffer, under the back-pressure policy; false if the step is given up.
  LOUPE_DECL bool take_buffer();
  LOUPE_DECL void hand_over_buffer();
  LOUPE_DECL void begin_judgement();
  LOUPE_DECL void end_judgement();
  /// Hands the collections file to the writer, if this worker writes one.
  LOUPE_DECL void export_collections();
  /// Keeps `next` as the outcome if there was no error before; else absorbs its error.
  LOUPE_DECL void merge(result<void>& outcome, result<void> next) noexcept;
  /// Absorbs the errors of patterns that have come up since the last call.
  LOUPE_DECL void absorb_pattern_errors();

  LOUPE_DECL void save_probe(std::string_view name, const ProbeTensor& tensor) noexcept;
  LOUPE_DECL static result<void> check(std::string_view name, const TensorView& tensor);
  LOUPE_DECL result<void> check_name_once(TensorId tensor, std::string_view name);
  LOUPE_DECL result<void> record_due(std::string_view name, const Decision& decision, const TensorView& tensor);
  /// Encodes what `reduced_` has of the wanted statistics.
  LOUPE_DECL result<void> record_reductions(std::string_view name, StatisticSet wanted);
  /// Shows a tensor, and what `reduced_` has of it, to the judge.
  LOUPE_DECL result<void> show_judge(std::string_view name, const TensorView& tensor);
  /// What the judge wants of a tensor of the open step; null if nothing.
  LOUPE_DECL const StatisticSet* judge_wants(std::string_view name);
  /// Encodes a record whose tag is the end of the buffer's texts, from `tag_begin` on.
  LOUPE_DECL result<void> append(std::uint32_t tag_begin, double wall_time, const TensorView& tensor);
  LOUPE_DECL result<void> append_scalar_summary(std::string_view name, double wall_time, const TensorView& tensor);
  LOUPE_DECL result<void> append_histogram(std::string_view collection, std::string_view name, const TensorView& tensor);
  LOUPE_DECL result<void> write_scalar(std::string_view name, const TensorView& value, double time);
  LOUPE_DECL result<void> write_waiting_scalars();
  LOUPE_DECL ByteBuffer& summaries_of_mode();
  [[nodiscard]] double now() const noexcept { return static_cast<double>(parts_.clock.wall_ns()) * 1e-9; }
  [[nodiscard]] std::int64_t current_mode_step() const noexcept { return counters_.modes[mode_index(mode_)]; }

  HookConfig config_;
  RecorderParts parts_;
  CollectionSet collections_;
  TrialFolder folder_;
  std::optional<RunState> run_state_;
  FailureLog failures_;
  Staging staging_;
  Plan plan_;
  Counters counters_;
  CaptureCounts counts_;
  ReducedValues reduced_;
  Owner<StepJudge> judge_;
  StepVerdict verdict_;               ///< of the step that was judged last
  std::vector<Owner<NameFilter>> member_filters_;  ///< of the collections, by number, made when they are asked for
  std::vector<WaitingScalar> scalars_;
  std::vector<WaitingTensor> custom_;
  std::size_t absorbed_pattern_errors_ = 0;
  std::vector<bool> checked_names_;   ///< by tensor: its name can be written
  StepBuffer* buffer_ = nullptr;      ///< of the open step, if anything of it is kept
  double step_time_ = 0;              ///< seconds since the epoch at which the open step began
  Mode mode_ = Mode::global;          ///< of the open step
  Mode next_mode_ = Mode::global;     ///< of the steps to come
  const bool writes_;                 ///< this worker saves tensors
  const bool exports_tensorboard_;
  const bool exact_types_;
  bool is_prepared_ = false;
  bool is_open_ = false;
  bool is_closed_ = false;
  bool is_given_up_ = false;          ///< nothing more is kept of the open step
  bool raw_is_dropped_ = false;       ///< the open step keeps no raw tensors, for lack of memory
  bool is_judging_ = false;           ///< the judge has begun the open step and not ended it
  bool is_counted_reduced_ = false;   ///< a raw tensor of the open step was dropped
  bool has_saved_;                    ///< a tensor was offered at a step that was due
  bool has_exported_collections_ = false;
  StepWriter writer_;               ///< last: its destructor waits for tasks that use the others
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/capture/step_recorder.ipp"
#include "loupe/capture/step_recorder_judge.ipp"
#include "loupe/capture/step_recorder_records.ipp"
#endif
