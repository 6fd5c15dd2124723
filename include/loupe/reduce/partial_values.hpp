#pragma once
/// @file
/// From partials to typed numbers: what the strategies that work on `Partials` share.

#include <bit>
#include <cstdint>

#include "loupe/base/config.hpp"
#include "loupe/base/element_type_of.hpp"
#include "loupe/base/half.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/scalar.hpp"
#include "loupe/reduce/partials.hpp"
#include "loupe/reduce/statistic.hpp"

namespace loupe::inline LOUPE_ABI {

/// Whether it is an integer type or boolean.
constexpr bool is_integral(ElementType type) noexcept {
  return type == ElementType::boolean || is_signed_integer(type) || is_unsigned_integer(type);
}

/// `number` as an element of `type`, rounded once, any NaN as the positive quiet one; for integers it must be one that the type has.
[[nodiscard]] LOUPE_DECL Scalar make_scalar(ElementType type, double number) noexcept;

/// A complex element of `type`.
[[nodiscard]] LOUPE_DECL Scalar make_scalar(ElementType type, double real, double imaginary) noexcept;

/// The smallest or largest element, or absolute value, as an element of `type`; an error if there are none. The partials
/// are of real numbers.
[[nodiscard]] LOUPE_DECL result<Scalar> extreme_value(const Partials& partials, Statistic statistic, ElementType type);

/// One of the counts, as int64.
[[nodiscard]] LOUPE_DECL Scalar count_value(const Partials& partials, Statistic statistic) noexcept;

/// Whether a strategy can give this statistic at all: not of strings, and not if it wasn't asked for when the partials
/// were made.
[[nodiscard]] inline bool is_available(const Partials& partials, Statistic statistic) noexcept {
  return partials.wanted.contains(statistic) && partials.type != ElementType::string &&
         partials.type != ElementType::none;
}

/// The error of a statistic that isn't available.
[[nodiscard]] LOUPE_DECL unexpected<Error> refuse_unavailable(const Partials& partials, Statistic statistic);

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/reduce/partial_values.ipp"
#endif
