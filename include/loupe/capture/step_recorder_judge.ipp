#include "loupe/capture/step_recorder.hpp"

#include "loupe/base/contained.hpp"

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL bool StepRecorder::has_member(std::string_view collection, std::string_view tensor) {
  if (collection == "all") return true;
  for (std::size_t number = 0; number < collections_.size(); ++number) {
    if (collections_[number].name != collection) continue;
    if (collections_[number].tensor_names.contains(tensor)) return true;
    while (member_filters_.size() <= number)
      member_filters_.emplace_back(new NameFilter(collections_[member_filters_.size()].include_regex, config_.pattern_compiler));
    return member_filters_[number]->matches(tensor);
  }
  return false;
}

LOUPE_DECL result<void> StepRecorder::attach(Owner<StepJudge> judge) {
  if (judge_) return fail(ErrorKind::invalid_state, "hook", "it has a judge already; hand it all rules at once");
  judge_ = std::move(judge);
  return {};
}

LOUPE_DECL StepVerdict StepRecorder::verdict() {
  end_judgement();
  return verdict_;
}

LOUPE_DECL void StepRecorder::begin_judgement() {
  is_judging_ = true;
  verdict_ = {};
  auto begun = contained("begin to judge a step", [&]() -> result<void> {
    judge_->begin_step(Step(counters_.global), mode_step(mode_));
    return {};
  });
  if (!begun) absorb(std::move(begun).error());
}

LOUPE_DECL void StepRecorder::end_judgement() {
  if (!std::exchange(is_judging_, false)) return;
  auto ended = contained("judge a step", [&]() -> result<void> {
    verdict_ = judge_->end_step();
    return {};
  });
  if (!ended) absorb(std::move(ended).error());
}

LOUPE_DECL const StatisticSet* StepRecorder::judge_wants(std::string_view name) { return is_judging_ ? judge_->wants(name) : nullptr; }

LOUPE_DECL result<void> StepRecorder::show_judge(std::string_view name, const TensorView& tensor) {
  return contained("judge a tensor", [&]() -> result<void> {
    judge_->look(name, tensor, reduced_);
    return {};
  });
}

}  // namespace loupe::inline LOUPE_ABI
