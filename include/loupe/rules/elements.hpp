#pragma once
/// @file
/// The elements of a tensor as rules count with them: as doubles, or as whole numbers (rules.md section 4).

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/element_type.hpp"
#include "loupe/base/half.hpp"
#include "loupe/base/tensor_view.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// Whether a tensor's elements can be taken as real numbers: not text, not complex.
inline bool has_real_elements(const TensorView& tensor) noexcept {
  return tensor.has_tensor() && tensor.type != ElementType::string && !is_complex(tensor.type);
}

/// Calls `visit(element)` with each element in row-major order, integers and `bool` as `std::int64_t` (unsigned ones that
/// are too large as `double`), others as `double`; a visit that gives false ends it. For tensors with real elements.
template <class Visitor>
void for_each_element(const TensorView& tensor, Visitor&& visit) {
  visit_element_type(tensor.type, [&]<class Type>() {
    if constexpr (!std::is_void_v<Type> && !std::same_as<Type, std::string_view> && !std::same_as<Type, Complex64> &&
                  !std::same_as<Type, Complex128>) {
      bool goes_on = true;
      for_each_run(tensor, [&](const std::byte* first, std::int64_t count) {
        for (std::int64_t index = 0; goes_on && index < count; ++index) {
          const Type element = load_element<Type>(first + static_cast<std::size_t>(index) * sizeof(Type));
          const auto give = [&](auto number) {
            if constexpr (std::is_void_v<decltype(visit(number))>) visit(number);
            else goes_on = visit(number);
          };
          if constexpr (std::same_as<Type, Float16> || std::same_as<Type, BFloat16>) give(static_cast<double>(to_float(element)));
          else if constexpr (std::is_floating_point_v<Type>) give(static_cast<double>(element));
          else if constexpr (std::same_as<Type, std::uint64_t>)
            if (element > INT64_MAX) give(static_cast<double>(element));
            else give(static_cast<std::int64_t>(element));
          else give(static_cast<std::int64_t>(element));
        }
      });
    }
  });
}

/// All elements as doubles, in row-major order, appended to `out`.
inline void append_elements(const TensorView& tensor, std::vector<double>& out) {
  out.reserve(out.size() + static_cast<std::size_t>(tensor.size()));
  for_each_element(tensor, [&](auto element) { out.push_back(static_cast<double>(element)); });
}

/// The only element of a tensor of one, as a double; nothing of others.
inline std::optional<double> only_element(const TensorView& tensor) {
  if (!has_real_elements(tensor) || tensor.size() != 1) return std::nullopt;
  double only = 0;
  for_each_element(tensor, [&](auto element) { only = static_cast<double>(element); });
  return only;
}

/// A whole number that a double holds exactly; nothing for others, NaN and infinities included.
inline std::optional<std::int64_t> whole_number(double number) noexcept {
  if (!(std::abs(number) < 9.2e18) || number != std::trunc(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

}  // namespace loupe::inline LOUPE_ABI::rules
