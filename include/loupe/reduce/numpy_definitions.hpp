#pragma once
/// @file
/// The statistics as numpy works them out, and smdebug with it (semantics.md section 4).

#include "loupe/base/array.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/scalar.hpp"
#include "loupe/base/tensor_view.hpp"
#include "loupe/reduce/statistic.hpp"
#include "loupe/reduce/strategy.hpp"

namespace loupe::inline LOUPE_ABI {

/// The answers of smdebug's `Tensor.reduction_value` and of its hooks on numpy arrays, in arithmetic of the tensor's own
/// type as numpy does it: results have its type, float32 sums are added in float32 in numpy's order, and a float16
/// variance overflows. Each statistic is a pass of its own over the memory; for speed and precision use `Fused`.
///
/// - `l1` and `l2` of a matrix are its largest absolute column sum and its largest singular value; of rank 0 or above 2
///   they are refused. The absolute norms of rank 0 are those of one element.
/// - Absolute values of integers are taken in their own type, so the smallest one's is itself.
/// - Strings have norms if all of them read as numbers, nothing else.
/// - bfloat16, which numpy hasn't, is taken for float32. The counts are those of `Fused`.
///
/// Refusals have the kinds: `invalid_argument` for Python's ValueError, `invalid_type` for TypeError, `unsupported` for
/// numpy's UFuncTypeError, `invalid_state` for numpy's LinAlgError.
class NumpyDefinitions {
 public:
  static constexpr StatisticSet provides = StatisticSet::all();

  /// The elements themselves: numpy's results don't follow from those of pieces.
  struct Partials {
    Array elements;
    StatisticSet wanted;
    Error failure;  ///< why `elements` are missing, if they are
  };
  static LOUPE_DECL Partials partials(const TensorView& view, StatisticSet wanted);
  /// Pieces of rank 1, or of equal shapes behind the first axis, are concatenated along it.
  static LOUPE_DECL void merge(Partials& into, const Partials& next);
  static LOUPE_DECL result<Scalar> value(const Partials& partials, Statistic statistic);

  /// One statistic straight from the tensor. The view must have a tensor of valid shape in host memory.
  static LOUPE_DECL result<Scalar> value_of(const TensorView& view, Statistic statistic);
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/reduce/numpy_definitions.ipp"
#include "loupe/reduce/numpy_definitions_norms.ipp"
#endif
