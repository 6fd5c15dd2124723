#pragma once
/// @file
/// Further calls of the Trial and Tensor API, by name.

#include "conformance/json.hpp"
#include "conformance/trial_document.hpp"

namespace conformance {

/// `queries` of an expected document with the results that the trial gives.
Json run_queries(const Trial& trial, const Json& queries);

}  // namespace conformance
