#include "loupe/reduce/fused.hpp"
#include "loupe/reduce/partial_values.hpp"

namespace loupe::inline LOUPE_ABI {
namespace detail {

// The type of means, deviations, norms and, of floats, sums.
constexpr ElementType fused_real_type(ElementType type) noexcept {
  return is_integral(type) || type == ElementType::float64 || type == ElementType::complex128 ? ElementType::float64
                                                                                              : ElementType::float32;
}

// The type of extremes.
constexpr ElementType fused_extreme_type(ElementType type, bool of_absolute) noexcept {
  if (!of_absolute) return type;
  switch (type) {
    case ElementType::int8: return ElementType::uint8;
    case ElementType::int16: return ElementType::uint16;
    case ElementType::int32: return ElementType::uint32;
    case ElementType::int64: return ElementType::uint64;
    default: return type;
  }
}

inline Scalar wrapped_integer(ElementType type, std::uint64_t bits) noexcept {
  return is_unsigned_integer(type) ? Scalar::from(bits) : Scalar::from(static_cast<std::int64_t>(bits));
}

inline Scalar fused_sum(const Partials& partials, bool of_absolute) noexcept {
  if (is_integral(partials.type))
    return wrapped_integer(partials.type, of_absolute ? partials.integer.absolute_sum : partials.integer.sum);
  if (is_complex(partials.type) && !of_absolute)
    return make_scalar(partials.type, partials.real.total(), partials.imaginary.total());
  return make_scalar(fused_real_type(partials.type), partials.total(of_absolute));
}

inline Scalar fused_mean(const Partials& partials, bool of_absolute) noexcept {
  const auto size = static_cast<double>(partials.count);
  if (is_complex(partials.type) && !of_absolute)
    return make_scalar(partials.type, partials.real.total() / size, partials.imaginary.total() / size);
  return make_scalar(fused_real_type(partials.type), partials.total(of_absolute) / size);
}

inline Scalar fused_product(const Partials& partials, bool of_absolute) noexcept {
  if (is_integral(partials.type))
    return wrapped_integer(partials.type, of_absolute ? partials.integer.absolute_product : partials.integer.product);
  return make_scalar(fused_real_type(partials.type), partials.product_value(of_absolute));
}

}  // namespace detail

LOUPE_DECL result<Scalar> Fused::value(const Partials& partials, Statistic statistic) {
  if (!is_available(partials, statistic)) return refuse_unavailable(partials, statistic);
  const bool of_absolute = is_absolute(statistic);
  const ElementType real_type = detail::fused_real_type(partials.type);
  const auto size = static_cast<double>(partials.count);
  switch (without_absolute(statistic)) {
    case Statistic::min:
    case Statistic::max: {
      if (!is_complex(partials.type))
        return extreme_value(partials, statistic, detail::fused_extreme_type(partials.type, of_absolute));
      if (of_absolute) return extreme_value(partials, statistic, real_type);
      return fail(ErrorKind::unsupported, statistic_name(statistic), "complex numbers have no order");
    }
    case Statistic::mean: return detail::fused_mean(partials, of_absolute);
    case Statistic::variance: return make_scalar(real_type, partials.squared_deviations(of_absolute) / size);
    case Statistic::std: return make_scalar(real_type, __builtin_sqrt(partials.squared_deviations(of_absolute) / size));
    case Statistic::sum: return detail::fused_sum(partials, of_absolute);
    case Statistic::prod: {
      if (!is_complex(partials.type) || of_absolute) return detail::fused_product(partials, of_absolute);
      return fail(ErrorKind::unsupported, statistic_name(statistic), "loupe does not multiply complex numbers");
    }
    case Statistic::l1: return make_scalar(real_type, partials.total(true));
    case Statistic::l2: return make_scalar(real_type, partials.euclidean_norm());
    default: return count_value(partials, statistic);
  }
}

}  // namespace loupe::inline LOUPE_ABI
