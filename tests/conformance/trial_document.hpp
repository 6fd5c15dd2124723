#pragma once
/// @file
/// The document of a trial: what smdebug's API answers about it (tests/data/fixtures/README.md).

#include <string>

#include "conformance/json.hpp"
#include "conformance/value_json.hpp"
#include "loupe/select/any_pattern.hpp"
#include "loupe/trial/trial.hpp"

namespace conformance {

/// loupe's own engine, and for the back-references that it doesn't have, Boost's.
loupe::result<loupe::AnyPattern> compile_pattern(std::string_view pattern);

/// A trial that answers as smdebug does.
using Trial = loupe::Trial<loupe::Expect, loupe::compat::Smdebug, loupe::Patterns<&compile_pattern>>;

/// Everything that the trial's API says, and what lies in its folder.
Json document(const Trial& trial, const std::string& folder);

/// The answer of a `result`: `show(value)`, or the error's name.
template <class Value, class Show>
Json answer(const loupe::result<Value>& outcome, Asked asked, Show&& show) {
  return outcome ? Json(show(*outcome)) : error_json(outcome.error(), asked);
}

/// The value of a tensor at a step.
Json value_at(const Trial::Tensor& tensor, loupe::AtStep step, std::string_view worker);
/// The reductions that were saved at a step: `{"min", "abs_min", ...: value}`.
Json reductions_at(const Trial::Tensor& tensor, loupe::AtStep step, std::string_view worker);
/// One reduction, as a value where it was saved, else as a number.
Json reduction_at(const Trial::Tensor& tensor, loupe::AtStep step, std::string_view name, std::string_view worker);
/// Numbers of steps.
Json steps_json(const loupe::result<std::vector<loupe::ModeStep>>& steps);
Json names_json(const std::vector<std::string>& names);
/// One collection as its file describes it.
Object collection_json(const loupe::Collection& collection);
std::string_view state_name(loupe::StepState state);

}  // namespace conformance
