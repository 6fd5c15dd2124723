#pragma once
/// @file
/// Values of a trial as xtensor arrays. Needs xtensor (target `loupe::xtensor`).

#if __has_include(<xtensor/containers/xarray.hpp>)
#include <xtensor/containers/xadapt.hpp>
#include <xtensor/containers/xarray.hpp>
#include <xtensor/containers/xtensor.hpp>
#else
#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xtensor.hpp>
#endif

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/trial/value.hpp"

namespace loupe::inline LOUPE_ABI {

namespace detail {
inline std::vector<std::size_t> xtensor_shape(const Shape& shape) { return {shape.begin(), shape.end()}; }
}  // namespace detail

/// `xt::xarray<float> w = trial.tensor("fc1.weight").value<float>(40);`
template <Element Type>
struct FromValues<xt::xarray<Type>> {
  static xt::xarray<Type> make(const Values<Type>& values) {
    xt::xarray<Type> made = xt::xarray<Type>::from_shape(detail::xtensor_shape(values.shape()));
    std::copy(values.begin(), values.end(), made.data());
    return made;
  }
};

/// A value as an xtensor expression over the memory where it lies; nothing if its elements are of another type or not
/// aligned. The view must outlive the expression.
template <Element Type>
[[nodiscard]] auto adapt(const ValueView& value) {
  const auto elements = value.elements<Type>();
  const auto over = [&](std::span<const Type> span) {
    return xt::adapt(span.data(), span.size(), xt::no_ownership(), detail::xtensor_shape(value.shape()));
  };
  return elements ? std::optional(over(*elements)) : std::nullopt;
}

/// An owned value as an xtensor expression over its elements, which must outlive it.
template <Element Type>
[[nodiscard]] auto adapt(const Values<Type>& values) {
  return xt::adapt(values.elements().data(), values.size(), xt::no_ownership(), detail::xtensor_shape(values.shape()));
}

}  // namespace loupe::inline LOUPE_ABI
