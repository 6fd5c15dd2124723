#pragma once
/// @file
/// What is said of a rule's evaluation as a whole (rules.md section 6), and its report (2.2).

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/text.hpp"
#include "loupe/rules/judge.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// The states of an evaluation, as the service calls them.
enum class RuleStatus : std::uint8_t { in_progress, no_issues_found, issues_found, error, stopping, stopped };

/// `InProgress`, `NoIssuesFound`, `IssuesFound`, `Error`, `Stopping`, `Stopped`.
constexpr std::string_view rule_status_name(RuleStatus status) noexcept {
  constexpr std::string_view names[] = {"InProgress", "NoIssuesFound", "IssuesFound", "Error", "Stopping", "Stopped"};
  return names[static_cast<std::size_t>(status)];
}
/// Whether nothing more is to come.
constexpr bool is_terminal(RuleStatus status) noexcept { return status != RuleStatus::in_progress && status != RuleStatus::stopping; }

/// The longest text of a status, in bytes.
inline constexpr std::size_t max_status_details = 1024;

/// A text cut to the length of a status, between two characters of UTF-8.
LOUPE_DECL Text status_details(std::string_view text);
/// What a status says of a rule: its firing (`RuleEvaluationConditionMet: Evaluation of the rule R at step N resulted in the
/// condition being met`), that no issue was found, or that nothing was looked at.
LOUPE_DECL Text status_details(const RuleRecord& record);
/// What an evaluation that has come to its end says of a rule.
constexpr RuleStatus final_status(const RuleRecord& record) noexcept {
  return record.firings > 0 ? RuleStatus::issues_found : RuleStatus::no_issues_found;
}

/// The report of a rule as one JSON object: `RuleTriggered`, `Violations`, `Details` (the last firing and the warnings),
/// `Datapoints`, `RuleParameters` (`name:value`, one a line).
LOUPE_DECL void append_rule_report(ByteBuffer& out, const RuleRecord& record, std::string_view parameters);

}  // namespace loupe::inline LOUPE_ABI::rules

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/rules/rule_status.ipp"
#endif
