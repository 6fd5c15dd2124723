#pragma once
/// @file
/// Tensors, numbers and errors as the documents show them.

#include <string_view>

#include "conformance/json.hpp"
#include "loupe/base/error.hpp"
#include "loupe/base/scalar.hpp"
#include "loupe/base/shape.hpp"
#include "loupe/base/tensor_view.hpp"

namespace conformance {

/// `{"dtype", "shape", "data"}`, or a hash instead of the data for more than 64 elements; null for no tensor.
Json value_json(const loupe::TensorView& value);

/// A bare number, as numpy's scalars are shown.
Json scalar_json(const loupe::Scalar& number);

Json shape_json(const loupe::Shape& shape);

/// What was asked when an error came: Python's exceptions differ where loupe's kinds don't.
enum class Asked { trial, names, value, reduction, norm };

/// `{"error": NAME}` with the exception that smdebug raises.
Json error_json(const loupe::Error& error, Asked asked);

}  // namespace conformance
