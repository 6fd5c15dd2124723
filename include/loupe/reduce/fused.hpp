#pragma once
/// @file
/// loupe's own definitions of the statistics, and the default of a hook.

#include "loupe/base/config.hpp"
#include "loupe/reduce/partials.hpp"
#include "loupe/reduce/strategy.hpp"

namespace loupe::inline LOUPE_ABI {

/// All statistics from one pass over the memory. Sums are taken in double or exactly and rounded once, so the values are
/// the same bits for any chunking, alignment and instruction set, for a view and for its contiguous copy, and whichever
/// other statistics were asked for.
///
/// - `std` and `variance` divide by n. `l1` and `l2` are those of the flattened tensor whatever its rank.
/// - NaN propagates; infinities give infinity, or NaN where they cancel (`variance` always, `sum` if of both signs).
/// - An empty tensor has sum 0, product 1, norms 0, counts 0, and NaN for mean, std and variance; its extremes are an
///   error.
/// - Types: extremes keep the tensor's (absolute ones of signed integers are unsigned, so |-128| is 128); sums and
///   products of integers are int64, of unsigned ones uint64, modulo 2^64; all else is float64 for integers and float64,
///   float32 for the shorter floats, so that sums of float16 don't overflow. Counts are int64.
/// - Complex numbers have no order, so no extremes, and no product; the sum and the mean are complex, `std`, `variance`
///   and norms real, and the absolute statistics those of the magnitudes. One with a NaN part counts as NaN, one with an
///   infinite part as positive infinity.
/// - Strings have no statistics.
class Fused {
 public:
  static constexpr StatisticSet provides = StatisticSet::all();
  using Partials = loupe::Partials;

  static Partials partials(const TensorView& view, StatisticSet wanted) { return Partials::of(view, wanted); }
  static void merge(Partials& into, const Partials& next) { into.merge(next); }
  static LOUPE_DECL result<Scalar> value(const Partials& partials, Statistic statistic);
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/reduce/fused.ipp"
#endif
