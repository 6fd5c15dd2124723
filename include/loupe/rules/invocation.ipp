#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "loupe/rules/catalogue.hpp"
#include "loupe/rules/invocation.hpp"

namespace loupe::inline LOUPE_ABI::rules {

namespace detail {

/// The parameters that belong to the invocation of any rule.
struct InvocationParameters {
  Text rule_to_invoke;
  std::int64_t start_step = 0;
  std::optional<std::int64_t> end_step;
  Text action_json;
  Text base_trial;
  Text source_s3_uri;
  std::vector<Text> other_trials;
  Text other_trial;

  void visit(ParameterVisitor& visitor) {
    visitor.text("rule_to_invoke", rule_to_invoke);
    visitor.integer("start_step", start_step, at_least(0));
    visitor.integer("end_step", end_step, at_least(0));
    visitor.text("action_json", action_json);
    visitor.text("base_trial", base_trial);
    visitor.text("source_s3_uri", source_s3_uri);
    visitor.list("other_trials", other_trials);
    visitor.text("other_trial", other_trial);
  }
};

/// The names of `InvocationParameters`.
inline constexpr std::string_view invocation_names[] = {"rule_to_invoke", "start_step",    "end_step",     "action_json",
                                                        "base_trial",     "source_s3_uri", "other_trials", "other_trial"};

/// The number of `other_trial_<number>`.
inline std::optional<std::uint32_t> other_trial_number(std::string_view name) noexcept {
  constexpr std::string_view prefix = "other_trial_";
  if (!name.starts_with(prefix)) return std::nullopt;
  name.remove_prefix(prefix.size());
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return number;
}

}  // namespace detail

LOUPE_DECL result<RuleInvocation> read_rule_parameters(std::span<const NamedParameter> parameters,
                                                       FunctionRef<result<std::shared_ptr<ReferenceRun>>(std::string_view)> open_run) {
  std::vector<NamedParameter> of_invocation, of_rule;
  std::vector<std::pair<std::uint32_t, Text>> numbered;
  for (const NamedParameter& parameter : parameters) {
    if (const auto number = detail::other_trial_number(parameter.name)) numbered.emplace_back(*number, parameter.value);
    else if (std::find(std::begin(detail::invocation_names), std::end(detail::invocation_names), parameter.name.view()) != std::end(detail::invocation_names))
      of_invocation.push_back(parameter);
    else of_rule.push_back(parameter);
  }
  detail::InvocationParameters common;
  LOUPE_TRY(read_parameters("rule", of_invocation, common));
  if (common.rule_to_invoke.empty())
    return fail(ErrorKind::insufficient_information_for_rule_invocation, "rule_to_invoke", "the class name of a rule must be given");
  if (!common.source_s3_uri.empty())
    return fail(ErrorKind::unsupported, common.rule_to_invoke, "it is a custom rule in Python, at source_s3_uri; write it as a rule of loupe");
  std::sort(numbered.begin(), numbered.end());
  std::vector<Text> trials = std::move(common.other_trials);
  if (!common.other_trial.empty()) trials.push_back(std::move(common.other_trial));
  for (auto& [number, path] : numbered) trials.push_back(std::move(path));
  LOUPE_ASSIGN(ActionRequests actions, read_action_json(common.action_json));
  std::shared_ptr<ReferenceRun> other;
  if (!trials.empty()) {
    LOUPE_ASSIGN(other, open_run(trials.front()));
  }
  LOUPE_ASSIGN(Rule rule, make_builtin_rule(common.rule_to_invoke, of_rule, std::move(other)));
  return RuleInvocation{std::move(rule),
                        {.start_step = common.start_step, .end_step = common.end_step, .ends_at_first_firing = true},
                        std::move(actions),
                        std::move(trials)};
}

}  // namespace loupe::inline LOUPE_ABI::rules
