#pragma once
/// @file
/// What stands in a trial's TensorBoard files.

#include <string>

#include "conformance/json.hpp"

namespace conformance {

/// `{mode: [summary values in order]}` of the folder `tensorboard`; null if there is none.
Json tensorboard_json(const std::string& folder);

}  // namespace conformance
