#pragma once
/// @file
/// The largest singular value of a matrix.

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/tensor_view.hpp"

namespace loupe::inline LOUPE_ABI {

/// The largest singular value of a tensor of rank 2, of real or complex numbers, integers or booleans, or of its absolute
/// values, worked out in double. It is the square root of the largest eigenvalue of the Gram matrix of the shorter side,
/// which is exact to a few units in the last place however small the other singular values are. Memory and time: n^2
/// doubles and n^2 m operations, for sides n <= m.
///
/// NaN if an element is infinite. An error if one is NaN (`invalid_state`), if the matrix is empty (`invalid_argument`), or if both sides
/// are longer than 16384 (`limit_exceeded`).
[[nodiscard]] LOUPE_DECL result<double> spectral_norm(const TensorView& matrix, bool of_absolute = false);

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/reduce/spectral_norm.ipp"
#endif
