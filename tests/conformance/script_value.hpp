#pragma once
/// @file
/// The values of hook scripts as tensors.

#include "conformance/json.hpp"
#include "loupe/base/array.hpp"
#include "loupe/base/result.hpp"

namespace conformance {

/// `{"dtype", "shape", "data"}`, data flat or nested, or `{"dtype", "shape", "linear": [a, b]}`: element i is a + b·i.
loupe::result<loupe::Array> tensor_value(const Json& value);

/// What Python makes of a JSON scalar: int64, float64, bool or str, of shape (1).
loupe::result<loupe::Array> scalar_value(const Json& value);

}  // namespace conformance
