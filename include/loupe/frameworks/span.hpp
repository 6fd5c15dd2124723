#pragma once
/// @file
/// The framework of loops without a framework: spans, vectors, arrays, single numbers, and views.

#include <concepts>
#include <cstddef>
#include <span>
#include <string_view>
#include <type_traits>

#include "loupe/base/config.hpp"
#include "loupe/base/element_type.hpp"
#include "loupe/base/tensor_view.hpp"

namespace loupe::inline LOUPE_ABI::frameworks {

/// Contiguous memory of elements with `data()` and `size()`: `std::span`, `std::vector`, `std::array`. Not text, which is
/// one value: hand it to `save_scalar`.
template <class Range>
concept ContiguousElements = requires(const Range& range) {
  { *range.data() } -> std::convertible_to<const std::remove_cvref_t<decltype(*range.data())>&>;
  { range.size() } -> std::convertible_to<std::size_t>;
  requires Element<std::remove_cvref_t<decltype(*range.data())>>;
} && !std::convertible_to<const Range&, std::string_view>;

/// Raw memory. A span is a rank-1 tensor; for other shapes hand a `TensorView`. A number is a tensor of rank 0.
struct Span {
  static constexpr std::string_view name = "span";
  using Tensor = std::span<const float>;

  static TensorView view(const TensorView& tensor) noexcept { return tensor; }
  template <ContiguousElements Range>
  static TensorView view(const Range& range) noexcept {
    using Type = std::remove_cvref_t<decltype(*range.data())>;
    return {range.data(), element_type_of<Type>, {static_cast<std::int64_t>(range.size())}};
  }
  template <Element Number>
    requires std::is_arithmetic_v<Number>
  static TensorView view(const Number& number) noexcept {
    return {&number, element_type_of<Number>, Shape()};
  }
  /// Users of raw memory may name their tensors as they like, so every collection can be filled.
  static constexpr bool fills(std::string_view) noexcept { return true; }
};

}  // namespace loupe::inline LOUPE_ABI::frameworks
