#include "loupe/base/contained.hpp"
#include "loupe/rules/attach.hpp"

namespace loupe::inline LOUPE_ABI::rules {

LOUPE_DECL result<void> HookJudge::add(Attachment attachment) {
  const Reaction reaction = attachment.reaction;
  LOUPE_TRY(judge_.add(std::move(attachment.rule), attachment.terms));
  reactions_.push_back(reaction);
  return {};
}

LOUPE_DECL void HookJudge::begin_step(Step step, ModeStep mode_step) {
  at_ = {step, mode_step};
  judge_.begin_step(at_);
}

LOUPE_DECL const StatisticSet* HookJudge::wants(std::string_view tensor) {
  const Wanted& wanted = judge_.wanted(judge_.number_of(tensor), directory_);
  return wanted.any ? &wanted.statistics : nullptr;
}

LOUPE_DECL void HookJudge::look(std::string_view tensor, const TensorView& value, const ReducedValues& reduced) {
  judge_.look({{tensor, judge_.number_of(tensor)}, recorder_.worker(), at_, value, &reduced});
}

LOUPE_DECL StepVerdict HookJudge::end_step() {
  StepVerdict verdict;
  for (const Firing& firing : judge_.end_step()) {
    ++verdict.fired;
    const Reaction reaction = reactions_[firing.rule_number];
    verdict.wants_stop = verdict.wants_stop || reaction == Reaction::stop;
    verdict.wants_skip = verdict.wants_skip || reaction == Reaction::skip;
    for (const auto& sink : sinks_)
      if (auto told = contained("tell a firing", [&] { return sink->fired(firing); }); !told)
        recorder_.absorb(std::move(told).error());
  }
  return verdict;
}

}  // namespace loupe::inline LOUPE_ABI::rules
