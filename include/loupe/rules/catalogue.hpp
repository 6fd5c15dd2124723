#pragma once
/// @file
/// The built-in rules by name, as the service knows them.

#include <memory>
#include <span>
#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/rules/parameters.hpp"
#include "loupe/rules/reference_run.hpp"
#include "loupe/rules/rule.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// The class names of the built-in rules.
[[nodiscard]] LOUPE_DECL std::span<const std::string_view> builtin_rule_names() noexcept;

/// A built-in rule from its class name and parameters as strings. Errors: `invalid_argument` for an unknown name (with the
/// nearest known one) or a bad parameter, `insufficient_information_for_rule_invocation` for a missing one.
/// `other` is the run that SimilarAcrossRuns compares with.
LOUPE_DECL result<Rule> make_builtin_rule(std::string_view class_name, std::span<const NamedParameter> parameters,
                                          std::shared_ptr<ReferenceRun> other = {});

}  // namespace loupe::inline LOUPE_ABI::rules

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/rules/catalogue.ipp"
#endif
