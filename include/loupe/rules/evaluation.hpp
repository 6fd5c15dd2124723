#pragma once
/// @file
/// Rules over a trial: one that has ended, or one that is still written (rules.md 2.1).

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/function_ref.hpp"
#include "loupe/base/result.hpp"
#include "loupe/rules/evidence.hpp"
#include "loupe/rules/judge.hpp"
#include "loupe/trial/step_reader.hpp"
#include "loupe/trial/trial_core.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// Which steps are judged, and how long steps to come are waited for.
struct EvaluationOptions {
  std::int64_t start_step = 0;                 ///< the first global step
  std::optional<std::int64_t> end_step = {};   ///< the first that is not judged any more; nothing: until the data ends
  bool follows = true;                         ///< waits for steps to come while the run goes on; else ends with what is there
  std::int64_t idle_interval = 1'000'000'000;  ///< nanoseconds between two looks at rules of time while nothing comes
};

/// Why an evaluation ended.
enum class EvaluationEnd : std::uint8_t {
  no_more_data,   ///< the run has ended and all its steps were judged
  end_step,       ///< the last step of interest was judged
  rules_ended,    ///< no rule looks at any further step
  writer_died,    ///< the process that wrote the run is gone without having ended it; what there is was judged
  caught_up,      ///< all that is there by now was judged, and following was not asked for
};

/// Runs a judge over the steps of a trial, in their order, each once. One thread at a time.
class Evaluation {
 public:
  Evaluation(std::shared_ptr<TrialCore> trial, Judge& judge, EvaluationOptions options = {})
      : trial_(std::move(trial)), reader_(trial_), judge_(judge), options_(options), next_(options.start_step), directory_(*trial_) {}

  /// Judges steps until there is a reason to end. `on_firing` is told each firing in the step in which it happens.
  /// Errors: what the storage says, `cancelled` if the trial's interrupt was requested; another call goes on.
  LOUPE_DECL result<EvaluationEnd> run(FunctionRef<void(const Firing&)> on_firing);

  /// The next global step to judge.
  [[nodiscard]] std::int64_t next_step() const noexcept { return next_; }
  [[nodiscard]] std::uint64_t judged_steps() const noexcept { return judged_steps_; }
  /// What could not be read, so was not judged; of each file or tensor at most the first hundred.
  [[nodiscard]] std::span<const Error> problems() const noexcept { return problems_; }

 private:
  /// The collections as the trial's files say.
  class TrialDirectory final : public Directory {
   public:
    explicit TrialDirectory(TrialCore& trial) noexcept : trial_(trial) {}
    [[nodiscard]] bool contains(std::string_view collection, std::string_view tensor) const override {
      return collection == "all" || trial_.collections().contains(collection, tensor);
    }

   private:
    TrialCore& trial_;
  };

  /// Judges the known steps from the next one to `last`.
  LOUPE_DECL std::optional<EvaluationEnd> judge_known(const std::shared_ptr<const Snapshot>& snapshot, std::int64_t last,
                                                      FunctionRef<void(const Firing&)> on_firing);
  LOUPE_DECL void judge_step(const std::shared_ptr<const Snapshot>& snapshot, const StepRecord& step,
                             FunctionRef<void(const Firing&)> on_firing);
  /// Waits for more; false if the writer is gone.
  LOUPE_DECL result<bool> wait_for_more(FunctionRef<void(const Firing&)> on_firing);
  [[nodiscard]] LOUPE_DECL std::uint32_t number_of(const Interned& tensor);

  std::shared_ptr<TrialCore> trial_;
  StepReader reader_;
  Judge& judge_;
  EvaluationOptions options_;
  std::int64_t next_;
  std::uint64_t judged_steps_ = 0;
  TrialDirectory directory_;
  std::vector<std::uint32_t> numbers_;  ///< by the trial's own number of a tensor
  std::vector<Error> problems_;
};

/// Judges the steps of a trial, waiting for more while it is written. The trial must be open.
template <class TrialType>
result<EvaluationEnd> evaluate(const TrialType& trial, Judge& judge, FunctionRef<void(const Firing&)> on_firing,
                               EvaluationOptions options = {}) {
  if (!trial.core()) return fail(trial.core().error());
  return Evaluation(*trial.core(), judge, options).run(on_firing);
}

}  // namespace loupe::inline LOUPE_ABI::rules

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/rules/evaluation.ipp"
#endif
