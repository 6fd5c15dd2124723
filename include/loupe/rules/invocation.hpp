#pragma once
/// @file
/// What the RuleParameters of a service's rule configuration ask for (rules.md section 3, sagemaker.md 2.1).

#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/function_ref.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/text.hpp"
#include "loupe/rules/action_request.hpp"
#include "loupe/rules/judge.hpp"
#include "loupe/rules/parameters.hpp"
#include "loupe/rules/reference_run.hpp"
#include "loupe/rules/rule.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// A rule that is to be run over a trial, as its parameters say.
struct RuleInvocation {
  Rule rule;
  RuleTerms terms;
  ActionRequests actions;
  std::vector<Text> other_trials;  ///< paths, in the order of their numbers
};

namespace detail {
struct OpenNoRun {
  result<std::shared_ptr<ReferenceRun>> operator()(std::string_view) const { return std::shared_ptr<ReferenceRun>(); }
};
}  // namespace detail

/// Reads the parameters of a built-in rule: `rule_to_invoke`, `start_step`, `end_step`, `action_json`, `base_trial`,
/// `other_trials` (also `other_trial` and `other_trial_0`, `other_trial_1`, …), and the rule's own. Debugger rules end at
/// their first firing. Errors: `insufficient_information_for_rule_invocation` without `rule_to_invoke`, `unsupported` for a
/// custom rule (`source_s3_uri`), and as `make_builtin_rule`. `open_run` opens the first of the other trials by its path, if
/// there is one.
LOUPE_DECL result<RuleInvocation> read_rule_parameters(
    std::span<const NamedParameter> parameters,
    FunctionRef<result<std::shared_ptr<ReferenceRun>>(std::string_view path)> open_run = detail::OpenNoRun());

}  // namespace loupe::inline LOUPE_ABI::rules

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/rules/invocation.ipp"
#endif
