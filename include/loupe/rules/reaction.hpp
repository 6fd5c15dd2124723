#pragma once
/// @file
/// What a loop is asked to do when a rule fires.

#include <cstdint>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/rules/judge.hpp"
#include "loupe/rules/rule.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// What `step.verdict()` says where a rule has fired.
enum class Reaction : std::uint8_t {
  stop,    ///< the training is to end
  skip,    ///< this step's update is to be left out
  report,  ///< nothing; the firing is only counted and told
};

/// A rule as it is attached to a hook.
struct Attachment {
  Rule rule;
  Reaction reaction = Reaction::stop;
  RuleTerms terms = {};
};

/// A rule that asks for a step's update to be left out: `hook.rules(skip_update(exploding_tensor()))`.
inline Attachment skip_update(Rule rule, RuleTerms terms = {}) { return {std::move(rule), Reaction::skip, terms}; }
/// A rule that is only reported.
inline Attachment report_only(Rule rule, RuleTerms terms = {}) { return {std::move(rule), Reaction::report, terms}; }
/// A rule that asks for the training to end, as one does that is attached as it is.
inline Attachment stop_training(Rule rule, RuleTerms terms = {}) { return {std::move(rule), Reaction::stop, terms}; }

}  // namespace loupe::inline LOUPE_ABI::rules
