#pragma once
/// @file
/// Rules inside a hook: each step is judged while it is taken (rules.md section 2).

#include <cstdint>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/owner.hpp"
#include "loupe/base/result.hpp"
#include "loupe/capture/recorder.hpp"
#include "loupe/capture/step_judge.hpp"
#include "loupe/rules/firing_sink.hpp"
#include "loupe/rules/judge.hpp"
#include "loupe/rules/reaction.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// Judges a hook's steps. Its sinks are called when the step is judged, on the hook's thread.
class HookJudge final : public StepJudge {
 public:
  /// The recorder is that of the hook, which keeps the judge.
  explicit HookJudge(Recorder& recorder) noexcept : recorder_(recorder), directory_(recorder) {}
  /// As `Judge::add`.
  LOUPE_DECL result<void> add(Attachment attachment);
  void add_sink(std::shared_ptr<FiringSink> sink) { sinks_.push_back(std::move(sink)); }

  LOUPE_DECL void begin_step(Step step, ModeStep mode_step) override;
  LOUPE_DECL const StatisticSet* wants(std::string_view tensor) override;
  LOUPE_DECL void look(std::string_view tensor, const TensorView& value, const ReducedValues& reduced) override;
  LOUPE_DECL StepVerdict end_step() override;

 private:
  class HookDirectory final : public Directory {
   public:
    explicit HookDirectory(Recorder& recorder) noexcept : recorder_(recorder) {}
    [[nodiscard]] bool contains(std::string_view collection, std::string_view tensor) const override {
      return recorder_.has_member(collection, tensor);
    }

   private:
    Recorder& recorder_;
  };

  Recorder& recorder_;
  HookDirectory directory_;
  Judge judge_;
  std::vector<Reaction> reactions_;  ///< by rule
  std::vector<std::shared_ptr<FiringSink>> sinks_;
  StepPlace at_;
};

namespace detail {

inline result<void> add_part(HookJudge& judge, Attachment attachment) { return judge.add(std::move(attachment)); }
inline result<void> add_part(HookJudge& judge, Rule rule) { return judge.add({.rule = std::move(rule)}); }
template <class Sink>
  requires std::convertible_to<const std::shared_ptr<Sink>&, std::shared_ptr<FiringSink>>
result<void> add_part(HookJudge& judge, const std::shared_ptr<Sink>& sink) {
  judge.add_sink(sink);
  return {};
}

/// The collections without which a rule has nothing to look at, if it says so.
template <class RuleType, class FrameworkType>
consteval bool framework_fills_what_rule_needs() {
  if constexpr (requires { RuleType::needed_collections; })
    for (const std::string_view collection : RuleType::needed_collections)
      if (!FrameworkType::fills(collection)) return false;
  return true;
}

}  // namespace detail

/// What `hook.rules(…)` calls: attaches rules (as they are, or as an `Attachment`) and sinks (`on_firing(…)`). Errors: as
/// `Judge::add`, and `invalid_state` if the hook has rules already.
template <class HookType, class... Parts>
result<void> attach_rules(HookType& hook, Parts&&... parts) {
  static_assert((detail::framework_fills_what_rule_needs<std::remove_cvref_t<Parts>, typename HookType::Framework>() && ...),
                "loupe: a rule looks at a collection that this hook's Framework can't fill");
  auto* const attached = new HookJudge(hook.recorder());
  Owner<StepJudge> judge(attached);
  result<void> outcome;
  ((outcome = outcome ? detail::add_part(*attached, std::forward<Parts>(parts)) : std::move(outcome)), ...);
  if (!outcome) return outcome;
  return hook.recorder().attach(std::move(judge));
}

}  // namespace loupe::inline LOUPE_ABI::rules

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/rules/attach.ipp"
#endif
