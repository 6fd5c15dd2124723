#pragma once
/// @file
/// What a way of reducing tensors must offer, and what a reduction gives.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/scalar.hpp"
#include "loupe/base/tensor_view.hpp"
#include "loupe/reduce/statistic.hpp"

namespace loupe::inline LOUPE_ABI {

/// The most user-defined reductions that one strategy can add.
inline constexpr std::size_t max_custom_reductions = 8;

/// A user-defined reduction's value. The name lives as long as the program.
struct CustomValue {
  std::string_view name;
  Scalar value;
};

/// What reducing one tensor gave. A large object: keep it and fill it again. `values[i]` means something only where
/// `present` contains statistic i.
struct ReducedValues {
  StatisticSet present;
  Scalar values[statistic_count];
  std::uint32_t custom_count = 0;
  CustomValue custom[max_custom_reductions];

  /// The value, or null if it was not asked for or has none (the minimum of an empty tensor).
  [[nodiscard]] const Scalar* find(Statistic statistic) const noexcept {
    return present.contains(statistic) ? &values[static_cast<std::size_t>(statistic)] : nullptr;
  }
  /// The value of a user-defined reduction, or null.
  [[nodiscard]] const Scalar* find_custom(std::string_view name) const noexcept {
    for (std::uint32_t index = 0; index < custom_count; ++index)
      if (custom[index].name == name) return &custom[index].value;
    return nullptr;
  }
  void set(Statistic statistic, const Scalar& value) noexcept {
    values[static_cast<std::size_t>(statistic)] = value;
    present.insert(statistic);
  }
  void clear() noexcept {
    present = {};
    custom_count = 0;
  }
};

/// A way of reducing tensors. All members are static:
///
/// - `provides`: the statistics it can give, a constant `StatisticSet`.
/// - `Partials`: what one pass over a tensor, or over a piece of one, leaves behind.
/// - `partials(view, wanted) -> Partials`: that pass. The view has a tensor of valid shape in host memory.
/// - `merge(into, next)`: afterwards `into` stands for its own elements followed by those of `next`, which was made with
///   the same element type and the same `wanted`.
/// - `value(partials, statistic) -> result<Scalar>`: one of the `wanted` statistics, or why it has no value.
///
/// Optional: `value_of(view, statistic) -> result<Scalar>`, for a strategy that works from the tensor rather than from
/// partials; and `add_custom(view, ReducedValues&)`, see `WithCustom`.
///
/// A strategy has no state and may be used by any number of threads at once.
template <class Strategy>
concept ReductionStrategy = requires(const TensorView& view, StatisticSet wanted, typename Strategy::Partials& into,
                                     const typename Strategy::Partials& next, Statistic statistic) {
  requires StatisticSet(Strategy::provides).size() <= statistic_count;
  { Strategy::partials(view, wanted) } -> std::same_as<typename Strategy::Partials>;
  { Strategy::merge(into, next) } -> std::same_as<void>;
  { Strategy::value(next, statistic) } -> std::same_as<result<Scalar>>;
};

/// Fills `out` with the statistics of `wanted` that the strategy provides and that have a value, and with its
/// user-defined reductions. An empty view (no tensor) gives nothing. The view's memory must be readable by the host.
template <class Strategy>
void reduce_tensor(const TensorView& view, StatisticSet wanted, ReducedValues& out) {
  static_assert(ReductionStrategy<Strategy>,
                "loupe: a reduction strategy needs the static members provides, Partials, partials(view, wanted), "
                "merge(into, next) and value(partials, statistic); see loupe/reduce/strategy.hpp");
  if constexpr (ReductionStrategy<Strategy>) {
    out.clear();
    if (!view.has_tensor()) return;
    const StatisticSet given = wanted & StatisticSet(Strategy::provides);
    if constexpr (requires(Statistic statistic) { Strategy::value_of(view, statistic); }) {
      for (const Statistic statistic : given)
        if (const result<Scalar> value = Strategy::value_of(view, statistic)) out.set(statistic, *value);
    } else if (!given.empty()) {
      const typename Strategy::Partials partials = Strategy::partials(view, given);
      for (const Statistic statistic : given)
        if (const result<Scalar> value = Strategy::value(partials, statistic)) out.set(statistic, *value);
    }
    if constexpr (requires { Strategy::add_custom(view, out); }) Strategy::add_custom(view, out);
  }
}

/// `&reduce_tensor<Strategy>`: how a strategy passes the boundary behind which nothing is a template.
using ReduceFunction = void (*)(const TensorView& view, StatisticSet wanted, ReducedValues& out);

}  // namespace loupe::inline LOUPE_ABI
