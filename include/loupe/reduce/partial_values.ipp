#include <type_traits>

#include "loupe/reduce/partial_values.hpp"

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL Scalar make_scalar(ElementType type, double number) noexcept {
  if (number != number) number = __builtin_nan("");
  return visit_element_type(type, [number]<class Element>() -> Scalar {
    if constexpr (std::is_void_v<Element> || std::is_same_v<Element, std::string_view>) return {};
    else if constexpr (std::is_same_v<Element, Float16>) return Scalar::from(to_float16(number));
    else if constexpr (std::is_same_v<Element, BFloat16>) return Scalar::from(to_bfloat16(number));
    else if constexpr (std::is_same_v<Element, Complex64>)
      return Scalar::from(Complex64{static_cast<float>(number), 0});
    else if constexpr (std::is_same_v<Element, Complex128>) return Scalar::from(Complex128{number, 0});
    else if constexpr (std::is_same_v<Element, bool>) return Scalar::from(number != 0);
    else return Scalar::from(static_cast<Element>(number));
  });
}

LOUPE_DECL Scalar make_scalar(ElementType type, double real, double imaginary) noexcept {
  if (real != real) real = __builtin_nan("");
  if (imaginary != imaginary) imaginary = __builtin_nan("");
  if (type == ElementType::complex64)
    return Scalar::from(Complex64{static_cast<float>(real), static_cast<float>(imaginary)});
  return Scalar::from(Complex128{real, imaginary});
}

LOUPE_DECL result<Scalar> extreme_value(const Partials& partials, Statistic statistic, ElementType type) {
  if (partials.count == 0)
    return fail(ErrorKind::invalid_argument, statistic_name(statistic),
                "an empty tensor has no smallest or largest element");
  const bool is_smallest = without_absolute(statistic) == Statistic::min;
  const IntegerPartials& integer = partials.integer;
  if (partials.type == ElementType::uint64 || (partials.type == ElementType::int64 && is_absolute(statistic))) {
    const std::uint64_t number = is_smallest ? integer.absolute_minimum : integer.absolute_maximum;
    return type == ElementType::int64 ? Scalar::from(static_cast<std::int64_t>(number)) : Scalar::from(number);
  }
  if (partials.type == ElementType::int64) return Scalar::from(is_smallest ? integer.minimum : integer.maximum);
  if (partials.non_finite.nan != 0) return make_scalar(type, __builtin_nan(""));
  if (!is_absolute(statistic)) return make_scalar(type, is_smallest ? partials.minimum : partials.maximum);
  if (is_smallest) return make_scalar(type, partials.absolute_minimum);
  return make_scalar(type, detail::larger(__builtin_fabs(partials.minimum), __builtin_fabs(partials.maximum)));
}

LOUPE_DECL Scalar count_value(const Partials& partials, Statistic statistic) noexcept {
  switch (statistic) {
    case Statistic::nan_count: return Scalar::from(partials.non_finite.nan);
    case Statistic::positive_infinity_count: return Scalar::from(partials.non_finite.positive_infinity);
    case Statistic::negative_infinity_count: return Scalar::from(partials.non_finite.negative_infinity);
    case Statistic::zero_count: return Scalar::from(partials.zeros);
    default: return Scalar::from(partials.first_non_finite);
  }
}

LOUPE_DECL unexpected<Error> refuse_unavailable(const Partials& partials, Statistic statistic) {
  if (partials.type == ElementType::string || partials.type == ElementType::none)
    return fail(ErrorKind::unsupported, statistic_name(statistic), "a tensor of strings has no statistics");
  return fail(ErrorKind::invalid_state, statistic_name(statistic), "it was not asked for when the tensor was reduced");
}

}  // namespace loupe::inline LOUPE_ABI
