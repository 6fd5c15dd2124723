#include "loupe/rules/judge.hpp"

#include <utility>

namespace loupe::inline LOUPE_ABI::rules {

LOUPE_DECL result<void> Judge::add(Rule rule, RuleTerms terms) {
  LOUPE_TRY(rule.check());
  for (const Run& run : runs_)
    if (run.rule.name() == rule.name())
      return fail(ErrorKind::invalid_argument, Text::join("rule ", rule.name()), "there is another rule of that name");
  if (terms.start_step < 0)
    return fail(ErrorKind::invalid_argument, Text::join(rule.name(), ": start_step"), "it must be at least 0");
  if (terms.end_step && *terms.end_step < terms.start_step)
    return fail(ErrorKind::invalid_argument, Text::join(rule.name(), ": end_step"), "it must not be before start_step");
  if (!known_.empty())
    return fail(ErrorKind::invalid_state, Text::join("rule ", rule.name()), "rules can't be added after the first step");
  runs_.push_back({.rule = std::move(rule), .terms = terms, .findings = {}, .last = {}});
  return {};
}

LOUPE_DECL const Wanted& Judge::wanted(std::uint32_t tensor, const Directory& directory) {
  if (tensor >= known_.size()) known_.resize(std::size_t{tensor} + 1);
  Known& known = known_[tensor];
  if (known.is_decided) return known.wanted;
  const TensorName name{names_[tensor], tensor};
  for (std::uint32_t index = 0; index < runs_.size(); ++index) {
    const Wanted wanted = runs_[index].rule.wants(name, directory);
    if (!wanted.any) continue;
    known.wanted |= wanted;
    known.runs.push_back(index);
  }
  known.is_decided = true;
  return known.wanted;
}

LOUPE_DECL void Judge::begin_step(const StepPlace& at) {
  at_ = at;
  firings_.clear();
  for (Run& run : runs_) {
    run.findings.begin_step();
    if (run.terms.end_step && at.step.value >= *run.terms.end_step) run.has_ended = true;
    run.is_due = !run.has_ended && at.step.value >= run.terms.start_step;
  }
}

LOUPE_DECL void Judge::look(const Evidence& evidence) {
  for (const std::uint32_t index : known_[evidence.tensor.number].runs) {
    Run& run = runs_[index];
    if (run.is_due) run.rule.look(evidence, run.findings);
  }
}

LOUPE_DECL void Judge::take(std::uint32_t number, Outcome outcome) {
  Run& run = runs_[number];
  if (outcome == Outcome::fired) {
    ++run.firings;
    run.violations += run.findings.total();
    run.last = Firing{run.rule.name(), number, at_, run.findings.take(), run.findings.total()};
    firings_.push_back(*run.last);
    if (run.terms.ends_at_first_firing) run.has_ended = true;
  }
  if (run.rule.has_ended()) run.has_ended = true;
}

LOUPE_DECL std::span<const Firing> Judge::end_step() {
  for (std::uint32_t number = 0; number < runs_.size(); ++number) {
    Run& run = runs_[number];
    if (std::exchange(run.is_due, false)) take(number, run.rule.conclude(at_, run.findings));
  }
  return firings_;
}

LOUPE_DECL std::span<const Firing> Judge::idle(std::int64_t monotonic_ns) {
  firings_.clear();
  for (std::uint32_t number = 0; number < runs_.size(); ++number) {
    Run& run = runs_[number];
    if (run.has_ended) continue;
    run.findings.begin_step();
    take(number, run.rule.idle(monotonic_ns, run.findings));
  }
  return firings_;
}

LOUPE_DECL bool Judge::has_ended() const noexcept {
  for (const Run& run : runs_)
    if (!run.has_ended) return false;
  return true;
}

LOUPE_DECL RuleRecord Judge::record(std::size_t rule) const {
  const Run& run = runs_[rule];
  return {run.rule.name(),           run.firings, run.violations, run.findings.datapoints(), run.last,
          run.findings.warnings(), run.has_ended};
}

}  // namespace loupe::inline LOUPE_ABI::rules
