#include "loupe/rules/evaluation.hpp"

#include <algorithm>

#include "loupe/format/layout.hpp"
#include "loupe/rules/writer_process.hpp"

namespace loupe::inline LOUPE_ABI::rules {

LOUPE_DECL std::uint32_t Evaluation::number_of(const Interned& tensor) {
  constexpr std::uint32_t unknown = UINT32_MAX;
  if (tensor.number >= numbers_.size()) numbers_.resize(std::size_t{tensor.number} + 1, unknown);
  std::uint32_t& number = numbers_[tensor.number];
  if (number == unknown) number = judge_.number_of(tensor.name);
  return number;
}

LOUPE_DECL void Evaluation::judge_step(const std::shared_ptr<const Snapshot>& snapshot, const StepRecord& step,
                                       FunctionRef<void(const Firing&)> on_firing) {
  const StepPlace at{Step(step.step), {step.mode, step.mode_step}};
  judge_.begin_step(at);
  reader_.read(
      snapshot, step,
      [&](const Interned& tensor) -> TensorRequest {
        const Wanted& wanted = judge_.wanted(number_of(tensor), directory_);
        return {wanted.any, wanted.statistics};
      },
      [&](const SavedTensor& saved) {
        judge_.look({{saved.tensor->name, number_of(*saved.tensor)}, saved.worker->name, at, saved.value, saved.reduced});
      },
      [&](const Error& error) {
        constexpr std::size_t max_problems = 100;
        if (problems_.size() < max_problems) problems_.push_back(error);
      });
  for (const Firing& firing : judge_.end_step()) on_firing(firing);
  ++judged_steps_;
}

LOUPE_DECL std::optional<EvaluationEnd> Evaluation::judge_known(const std::shared_ptr<const Snapshot>& snapshot, std::int64_t last,
                                                                FunctionRef<void(const Firing&)> on_firing) {
  const std::vector<std::int64_t> steps = snapshot->steps(Mode::global, Steps::with_incomplete);
  for (auto step = std::lower_bound(steps.begin(), steps.end(), next_); step != steps.end() && *step <= last; ++step) {
    if (options_.end_step && *step >= *options_.end_step) return EvaluationEnd::end_step;
    const StepRecord* const record = snapshot->step(*step);
    next_ = *step + 1;
    if (record != nullptr) judge_step(snapshot, *record, on_firing);
    if (judge_.has_ended()) return EvaluationEnd::rules_ended;
  }
  if (options_.end_step && next_ >= *options_.end_step) return EvaluationEnd::end_step;
  return std::nullopt;
}

LOUPE_DECL result<bool> Evaluation::wait_for_more(FunctionRef<void(const Firing&)> on_firing) {
  const WaitSettings& wait = trial_->wait_settings();
  const std::string_view prefixes[] = {format::index_prefix, format::end_marker_key};
  const std::int64_t now = wait.clock->monotonic_ns();
  for (const Firing& firing : judge_.idle(now)) on_firing(firing);
  const auto known = trial_->snapshot();
  const auto has_more = [&]() -> result<bool> {
    LOUPE_TRY(trial_->follower().refresh_if_due());
    const auto latest = trial_->snapshot();
    return latest->loaded_all() || latest->last_complete_step() > known->last_complete_step();
  };
  const auto outcome = poll_until(trial_->storage(), prefixes, wait, now + options_.idle_interval, "a step", has_more);
  if (outcome || outcome.error().kind != ErrorKind::timeout) return outcome ? result<bool>(true) : fail(outcome.error());
  return !writer_is_gone(trial_->storage());
}

LOUPE_DECL result<EvaluationEnd> Evaluation::run(FunctionRef<void(const Firing&)> on_firing) {
  LOUPE_TRY(trial_->follower().refresh_if_due());
  while (true) {
    const auto snapshot = trial_->snapshot();
    const bool is_last = snapshot->loaded_all();
    // A step that a worker has not written yet waits, and so do those behind it, for rules see steps in order.
    if (const auto end = judge_known(snapshot, is_last ? INT64_MAX : snapshot->last_complete_step(), on_firing)) return *end;
    if (is_last) return EvaluationEnd::no_more_data;
    if (!options_.follows) return EvaluationEnd::caught_up;
    LOUPE_ASSIGN(const bool may_come, wait_for_more(on_firing));
    if (may_come) continue;
    LOUPE_TRY(trial_->follower().refresh());
    if (const auto end = judge_known(trial_->snapshot(), INT64_MAX, on_firing)) return *end;
    return EvaluationEnd::writer_died;
  }
}

}  // namespace loupe::inline LOUPE_ABI::rules
