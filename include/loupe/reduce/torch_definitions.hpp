#pragma once
/// @file
/// The statistics as PyTorch works them out, and smdebug's PyTorch hook with it (semantics.md section 4).

#include <cstdint>

#include "loupe/base/config.hpp"
#include "loupe/reduce/partials.hpp"
#include "loupe/reduce/strategy.hpp"

namespace loupe::inline LOUPE_ABI {

/// What smdebug's PyTorch hook saves, from one pass over the memory; sums are taken and rounded as by `Fused`.
///
/// - `std` and `variance` are sample statistics: they divide by n - 1, and are NaN for one element.
/// - `l1` and `l2` are those of the flattened tensor whatever its rank.
/// - Results have the tensor's type; sums and products of integers and booleans are int64.
/// - Integers and booleans have no mean, std, variance or norm, booleans no absolute values, float16 no product, complex
///   numbers no extremes and here no product, an empty tensor no extremes: errors of the kind `invalid_type`, for the
///   empty tensor `invalid_argument`, where PyTorch raises RuntimeError.
/// - Absolute values of integers are taken in their own type, so the smallest one's is itself.
/// - The counts are those of `Fused`.
class TorchDefinitions {
 public:
  static constexpr StatisticSet provides = StatisticSet::all();

  struct Partials {
    loupe::Partials numbers;
    /// Of signed integers' absolute values in their own type, where wanted.
    std::int64_t absolute_minimum = INT64_MAX;
    std::int64_t absolute_maximum = INT64_MIN;
    std::uint64_t absolute_sum = 0;
    std::uint64_t absolute_product = 1;
  };
  static LOUPE_DECL Partials partials(const TensorView& view, StatisticSet wanted);
  static LOUPE_DECL void merge(Partials& into, const Partials& next);
  static LOUPE_DECL result<Scalar> value(const Partials& partials, Statistic statistic);
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/reduce/torch_definitions.ipp"
#endif
