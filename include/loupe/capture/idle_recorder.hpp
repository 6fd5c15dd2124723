#pragma once
/// @file
/// The recorder of a hook that stands aside: it is switched off, or its trial could not be opened, and the training goes
/// on without it.

#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/capture/failure_log.hpp"
#include "loupe/capture/recorder.hpp"
#include "loupe/select/collection_set.hpp"

namespace loupe::inline LOUPE_ABI {

/// Saves nothing and fails at nothing; remembers why it has to, if there is a reason.
class IdleRecorder final : public Recorder {
 public:
  explicit IdleRecorder(ReportSink sink) noexcept : failures_(sink) {}
  IdleRecorder(ReportSink sink, Error reason) noexcept : failures_(sink) { failures_.add(std::move(reason)); }

  result<void> set_mode(Mode mode) override {
    mode_ = mode;
    return {};
  }
  result<void> begin_step() override { return {}; }
  result<void> end_step() override { return {}; }
  Selection select(std::string_view) override { return {}; }
  result<void> record(Selection, const TensorView&) override { return {}; }
  result<void> record_scalar(std::string_view, const TensorView&, const ScalarOptions&) override { return {}; }
  result<void> record_custom(std::string_view, const TensorView&, std::span<const std::string_view>) override { return {}; }
  result<void> flush_custom() override { return {}; }
  result<void> flush() override { return {}; }
  result<void> close() override { return {}; }
  void absorb(Error error) noexcept override { failures_.add(std::move(error)); }
  void summarise() noexcept override {}
  [[nodiscard]] CaptureFailures failures() const override { return failures_.snapshot(); }
  [[nodiscard]] CaptureCounts counts() const override { return {}; }
  [[nodiscard]] Mode mode() const noexcept override { return mode_; }
  [[nodiscard]] Step step() const noexcept override { return Step(-1); }
  [[nodiscard]] ModeStep mode_step(Mode mode) const noexcept override { return {mode, -1}; }
  result<Collection*> collection(std::string_view name) override { return collections_.get(name); }
  result<void> add_collection(const Collection&) override { return {}; }
  [[nodiscard]] bool has_member(std::string_view, std::string_view) override { return false; }
  [[nodiscard]] std::string_view worker() const noexcept override { return {}; }
  result<void> attach(Owner<StepJudge>) override { return {}; }
  StepVerdict verdict() override { return {}; }

 private:
  FailureLog failures_;
  CollectionSet collections_;
  Mode mode_ = Mode::global;
};

}  // namespace loupe::inline LOUPE_ABI
