#pragma once
/// @file
/// xtensor as a framework: containers, adaptors and strided views without a copy, lazy expressions computed when due.

#include <string_view>
#include <type_traits>

#if __has_include(<xtensor/xarray.hpp>)
#include <xtensor/xarray.hpp>
#else
#include <xtensor/containers/xarray.hpp>
#endif

#include "loupe/base/config.hpp"
#include "loupe/base/element_type.hpp"
#include "loupe/base/shape.hpp"
#include "loupe/base/tensor_view.hpp"

namespace loupe::inline LOUPE_ABI::frameworks {

/// An xtensor expression whose elements lie in memory: a container, an adaptor, or a view of one.
template <class Expression>
concept StridedExpression = requires(const Expression& expression) {
  { *expression.data() } -> std::convertible_to<typename Expression::value_type>;
  expression.data_offset();
  expression.strides();
  expression.shape();
} && Element<typename Expression::value_type>;

/// xtensor. Expressions that must be computed (`a + b`, `xt::mean(x)`) are evaluated only if they are going to be saved.
struct Xtensor {
  static constexpr std::string_view name = "xtensor";
  using Tensor = xt::xarray<float>;

  /// No copy. A tensor of more than `max_rank` axes gives an empty view.
  template <StridedExpression Expression>
  static TensorView view(const Expression& expression) noexcept {
    TensorView view;
    if (!Extents::fits(expression.dimension())) return view;
    view.type = element_type_of<typename Expression::value_type>;
    view.data = expression.data() + expression.data_offset();
    for (const auto extent : expression.shape()) view.shape.push_back(static_cast<std::int64_t>(extent));
    for (const auto stride : expression.strides()) view.strides.push_back(static_cast<std::int64_t>(stride));
    return view;
  }
  static TensorView view(const TensorView& tensor) noexcept { return tensor; }
  template <Element Number>
    requires std::is_arithmetic_v<Number>
  static TensorView view(const Number& number) noexcept {
    return {&number, element_type_of<Number>, Shape()};
  }

  template <class Expression>
    requires(!StridedExpression<Expression> && Element<typename Expression::value_type> &&
             xt::is_xexpression<Expression>::value)
  static auto evaluate(const Expression& expression) {
    return xt::xarray<typename Expression::value_type>(expression);
  }

  /// Users name their tensors, so every collection can be filled.
  static constexpr bool fills(std::string_view) noexcept { return true; }
};

}  // namespace loupe::inline LOUPE_ABI::frameworks
