#include "loupe/reduce/number_reader.hpp"
#include "loupe/reduce/partial_values.hpp"
#include "loupe/reduce/torch_definitions.hpp"

namespace loupe::inline LOUPE_ABI {
namespace detail {

// Why PyTorch refuses the statistic for tensors of this type, or nothing.
inline std::string_view torch_refusal(ElementType type, Statistic statistic) noexcept {
  const Statistic base = without_absolute(statistic);
  const bool is_extreme = base == Statistic::min || base == Statistic::max;
  const bool is_product = base == Statistic::prod;
  if (is_integral(type)) {
    if (!is_extreme && !is_product && base != Statistic::sum) return "PyTorch has it of floating-point tensors only";
    if (type == ElementType::boolean && is_absolute(statistic)) return "PyTorch has no absolute value of booleans";
  }
  if (type == ElementType::float16 && is_product) return "PyTorch does not multiply float16 on the CPU";
  if (is_complex(type) && !is_absolute(statistic)) {
    if (is_extreme) return "complex numbers have no order";
    if (is_product) return "loupe does not multiply complex numbers";
  }
  return {};
}

inline Scalar torch_integer(const TorchDefinitions::Partials& partials, Statistic statistic) noexcept {
  const bool is_wrapped = is_absolute(statistic) && is_signed_integer(partials.numbers.type);
  const IntegerPartials& integer = partials.numbers.integer;
  switch (without_absolute(statistic)) {
    case Statistic::sum:
      return Scalar::from(static_cast<std::int64_t>(is_wrapped ? partials.absolute_sum : integer.sum));
    case Statistic::prod:
      return Scalar::from(static_cast<std::int64_t>(is_wrapped ? partials.absolute_product : integer.product));
    default: break;
  }
  const std::int64_t extreme =
      without_absolute(statistic) == Statistic::min ? partials.absolute_minimum : partials.absolute_maximum;
  return visit_element_type(partials.numbers.type, [extreme]<class Element>() -> Scalar {
    if constexpr (std::is_integral_v<Element> && std::is_signed_v<Element>)
      return Scalar::from(static_cast<Element>(extreme));
    else return {};
  });
}

// The type of means, deviations, norms and sums of floating-point tensors.
constexpr ElementType torch_real_type(ElementType type) noexcept {
  return type == ElementType::complex64    ? ElementType::float32
         : type == ElementType::complex128 ? ElementType::float64
                                           : type;
}

inline Scalar torch_sum(const Partials& partials, bool of_absolute, double divisor) noexcept {
  if (is_complex(partials.type) && !of_absolute)
    return make_scalar(partials.type, partials.real.total() / divisor, partials.imaginary.total() / divisor);
  return make_scalar(torch_real_type(partials.type), partials.total(of_absolute) / divisor);
}

}  // namespace detail

LOUPE_DECL TorchDefinitions::Partials TorchDefinitions::partials(const TensorView& view, StatisticSet wanted) {
  Partials partials;
  partials.numbers = loupe::Partials::of(view, wanted);
  const StatisticSet wrapped{Statistic::abs_min, Statistic::abs_max, Statistic::abs_sum, Statistic::abs_prod};
  if (!is_signed_integer(view.type) || !wanted.contains_any(wrapped)) return partials;
  NumberReader(view, true).for_each<std::int64_t>([&](std::int64_t number) {
    partials.absolute_minimum = detail::smaller(number, partials.absolute_minimum);
    partials.absolute_maximum = detail::larger(number, partials.absolute_maximum);
    partials.absolute_sum += static_cast<std::uint64_t>(number);
    partials.absolute_product *= static_cast<std::uint64_t>(number);
  });
  return partials;
}

LOUPE_DECL void TorchDefinitions::merge(Partials& into, const Partials& next) {
  into.numbers.merge(next.numbers);
  into.absolute_minimum = detail::smaller(next.absolute_minimum, into.absolute_minimum);
  into.absolute_maximum = detail::larger(next.absolute_maximum, into.absolute_maximum);
  into.absolute_sum += next.absolute_sum;
  into.absolute_product *= next.absolute_product;
}

LOUPE_DECL result<Scalar> TorchDefinitions::value(const Partials& partials, Statistic statistic) {
  const loupe::Partials& numbers = partials.numbers;
  if (!is_available(numbers, statistic)) return refuse_unavailable(numbers, statistic);
  if (count_statistics.contains(statistic)) return count_value(numbers, statistic);
  if (const std::string_view refusal = detail::torch_refusal(numbers.type, statistic); !refusal.empty())
    return fail(ErrorKind::invalid_type, statistic_name(statistic), refusal);
  const bool of_absolute = is_absolute(statistic);
  const Statistic base = without_absolute(statistic);
  const ElementType type = detail::torch_real_type(numbers.type);
  if (base == Statistic::min || base == Statistic::max) {
    if (numbers.count != 0 && of_absolute && is_signed_integer(numbers.type))
      return detail::torch_integer(partials, statistic);
    return extreme_value(numbers, statistic, type);
  }
  if (is_integral(numbers.type)) return detail::torch_integer(partials, statistic);
  const auto size = static_cast<double>(numbers.count);
  // Of one element 0 / 0, of none NaN.
  const double variance = numbers.squared_deviations(of_absolute) / (size - 1);
  switch (base) {
    case Statistic::mean: return detail::torch_sum(numbers, of_absolute, size);
    case Statistic::variance: return make_scalar(type, variance);
    case Statistic::std: return make_scalar(type, __builtin_sqrt(variance));
    case Statistic::sum: return detail::torch_sum(numbers, of_absolute, 1);
    case Statistic::prod: return make_scalar(type, numbers.product_value(of_absolute));
    case Statistic::l1: return make_scalar(type, numbers.total(true));
    default: return make_scalar(type, numbers.euclidean_norm());
  }
}

}  // namespace loupe::inline LOUPE_ABI
