#pragma once
/// @file
/// Reductions that users define.

#include <concepts>
#include <cstddef>
#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/base/scalar.hpp"
#include "loupe/base/tensor_view.hpp"
#include "loupe/reduce/strategy.hpp"

namespace loupe::inline LOUPE_ABI {

/// A user-defined reduction:
///
/// ```cpp
/// struct DeadFraction {
///   static constexpr std::string_view name = "dead_fraction";
///   static double value(const loupe::TensorView& view);
/// };
/// ```
///
/// `value` is called with tensors of any type, rank and strides, also without elements. The name must be one that can
/// stand in a tensor's name: not empty, without `/`.
template <class Reduction>
concept CustomReduction = requires(const TensorView& view) {
  requires !std::string_view(Reduction::name).empty();
  requires std::string_view(Reduction::name).find('/') == std::string_view::npos;
  { Reduction::value(view) } -> std::same_as<double>;
};

namespace detail {

/// Whether each name stands for one reduction: no other custom one, and none of loupe's.
template <class... Reductions>
consteval bool names_one_each() {
  const std::string_view names[] = {{}, Reductions::name...};
  for (const std::string_view& name : names) {
    if (statistic_from_name(name)) return false;
    for (const std::string_view& other : names)
      if (&name != &other && name == other) return false;
  }
  return true;
}

}  // namespace detail

/// The strategy `Base`, and further reductions, which are taken of every tensor of which any reduction is wanted:
/// `WithCustom<Fused, DeadFraction>`.
template <class Base, class... Reductions>
class WithCustom : public Base {
 public:
  static_assert(ReductionStrategy<Base>,
                "loupe::WithCustom: the first argument must be a reduction strategy, such as Fused");
  static_assert((CustomReduction<Reductions> && ...),
                "loupe::WithCustom: a reduction needs 'static constexpr std::string_view name', not empty and without "
                "'/', and 'static double value(const loupe::TensorView&)'");
  static_assert(detail::names_one_each<Reductions...>(),
                "loupe::WithCustom: two reductions have one name, or one has that of a statistic of loupe's");
  static_assert(sizeof...(Reductions) <= max_custom_reductions, "loupe::WithCustom: too many reductions");

  static_assert(!requires { &Base::add_custom; },
                "loupe::WithCustom: the first argument has custom reductions already: list all of them in one WithCustom");

  static constexpr std::size_t custom_count = sizeof...(Reductions);

  /// Appends the reductions' values to `out`, in the order of the arguments.
  static void add_custom(const TensorView& view, ReducedValues& out) {
    ((out.custom[out.custom_count++] = CustomValue{Reductions::name, Scalar::from(Reductions::value(view))}), ...);
  }
};

}  // namespace loupe::inline LOUPE_ABI
