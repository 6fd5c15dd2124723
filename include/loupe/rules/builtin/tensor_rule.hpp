#pragma once
/// @file
/// The part that rules have in common which judge each tensor by itself.

#include "loupe/base/config.hpp"
#include "loupe/rules/rule.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// A rule that fires at a step if any tensor of it does. The derived rule has `judge(evidence, findings) -> Outcome`, which
/// adds a violation where it says `fired`; `no_data` means that the tensor could not be judged.
template <class Derived>
class TensorRule {
 public:
  void look(const Evidence& evidence, Findings& findings) {
    const Outcome outcome = static_cast<Derived&>(*this).judge(evidence, findings);
    if (outcome == Outcome::no_data) return;
    findings.count_datapoint();
    if (outcome > outcome_) outcome_ = outcome;
  }
  Outcome conclude(const StepPlace&, Findings&) noexcept { return std::exchange(outcome_, Outcome::no_data); }

 protected:
  TensorRule() = default;

 private:
  Outcome outcome_ = Outcome::no_data;
};

}  // namespace loupe::inline LOUPE_ABI::rules
