#pragma once
/// @file
/// Classes in tensors of labels and predictions.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/tensor_view.hpp"
#include "loupe/rules/elements.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// The class of each sample; nothing for a sample whose class is NaN.
using Classes = std::vector<std::optional<std::int64_t>>;

/// For each row along the last axis the place of its largest element, the first one of equals; nothing for a row with a
/// NaN. A tensor without axes is one row.
inline Classes argmax_rows(const TensorView& tensor) {
  Classes classes;
  const std::int64_t width = tensor.rank() == 0 ? 1 : tensor.shape[tensor.rank() - 1];
  std::int64_t column = 0;
  std::int64_t best_column = 0;
  double best = 0;
  bool has_nan = false;
  for_each_element(tensor, [&](auto element) {
    const auto number = static_cast<double>(element);
    has_nan = has_nan || std::isnan(number);
    if (column == 0 || number > best) {
      best = number;
      best_column = column;
    }
    if (++column < width) return;
    classes.push_back(has_nan ? std::nullopt : std::optional(best_column));
    column = 0;
    has_nan = false;
  });
  return classes;
}

/// Each element as a class, rounded to the nearest whole number, halves up; nothing for NaN and what no class can be.
inline Classes rounded_classes(const TensorView& tensor) {
  Classes classes;
  classes.reserve(static_cast<std::size_t>(tensor.size()));
  for_each_element(tensor, [&](auto element) {
    if constexpr (std::same_as<decltype(element), std::int64_t>) classes.push_back(element);
    else classes.push_back(whole_number(std::floor(element + 0.5)));
  });
  return classes;
}

/// Whether every element is a whole number or NaN.
inline bool are_whole(const TensorView& tensor) {
  bool all = true;
  for_each_element(tensor, [&](auto element) {
    if constexpr (!std::same_as<decltype(element), std::int64_t>) all = std::isnan(element) || whole_number(element).has_value();
    return all;
  });
  return all;
}

/// Whether a tensor has a row of scores, or a one-hot vector, for each sample.
inline bool has_class_axis(const TensorView& tensor) noexcept { return tensor.rank() > 1 && tensor.shape[tensor.rank() - 1] > 1; }

}  // namespace loupe::inline LOUPE_ABI::rules
