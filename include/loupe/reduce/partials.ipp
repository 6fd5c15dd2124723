#include <bit>
#include <cstring>
#include <type_traits>

#include "loupe/reduce/block_reader.hpp"
#include "loupe/reduce/contraction.hpp"
#include "loupe/reduce/dispatch.hpp"
#include "loupe/reduce/partials.hpp"

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL double Moments::total() const noexcept {
  if (non_finite.none()) return sum.value();
  if (non_finite.nan != 0 || (non_finite.positive_infinity != 0 && non_finite.negative_infinity != 0))
    return __builtin_nan("");
  return non_finite.positive_infinity != 0 ? __builtin_inf() : -__builtin_inf();
}

namespace detail {

// The sum of squared differences from the mean, of `count` > 0 numbers whose sum and sum of squares are known.
LOUPE_NO_CONTRACTION inline double squared_deviations(const ExactSum& sum, const ExactSum& squares,
                                                      std::int64_t count) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  if (count == 1) return 0;
  const double square_total = squares.value();
  if (!(square_total <= std::numeric_limits<double>::max())) return __builtin_inf();
  const auto size = static_cast<double>(count);
  const double total = sum.value();
  const double plain = square_total - total * (total / size);
  if (plain >= square_total * 0x1p-6) return plain;
  // The difference would lose more than six bits: it is taken about a rounded mean m, without rounding, as
  // sum (x - m)^2 = squares - 2 m sum + n m^2, and corrected for m not being the mean.
  double parts[3];
  sum.expand(parts);
  const double mean = parts[0] / size;
  ExactSum about_mean(squares);
  ExactSum excess;
  excess.add_product(size, mean);
  double product[3];
  excess.expand(product);
  for (const double part : product) about_mean.add_product(part, mean);
  for (const double part : parts) {
    about_mean.add_product(-2 * mean, part);
    excess.add(-part);
  }
  const double difference = excess.value();
  const double exact = about_mean.value() - difference * (difference / size);
  return exact > 0 ? exact : 0;
}

// Whether a tensor of this type is reduced by the loops over floats, to which its elements are converted exactly.
constexpr bool reduces_as_float(ElementType type) noexcept {
  return type == ElementType::boolean || type == ElementType::int8 || type == ElementType::uint8 ||
         type == ElementType::int16 || type == ElementType::uint16 || type == ElementType::float16 ||
         type == ElementType::bfloat16 || type == ElementType::float32;
}

}  // namespace detail

LOUPE_DECL void Moments::merge(const Moments& other) noexcept {
  sum.merge(other.sum);
  squares.merge(other.squares);
  non_finite.merge(other.non_finite);
}

LOUPE_DECL void IntegerPartials::merge(const IntegerPartials& other) noexcept {
  sum += other.sum;
  absolute_sum += other.absolute_sum;
  product *= other.product;
  absolute_product *= other.absolute_product;
  minimum = detail::smaller(other.minimum, minimum);
  maximum = detail::larger(other.maximum, maximum);
  absolute_minimum = detail::smaller(other.absolute_minimum, absolute_minimum);
  absolute_maximum = detail::larger(other.absolute_maximum, absolute_maximum);
}

LOUPE_DECL void Partials::merge(const Partials& next) noexcept {
  if (first_non_finite < 0 && next.first_non_finite >= 0) first_non_finite = count + next.first_non_finite;
  count += next.count;
  zeros += next.zeros;
  minimum = detail::smaller(next.minimum, minimum);
  maximum = detail::larger(next.maximum, maximum);
  absolute_minimum = detail::smaller(next.absolute_minimum, absolute_minimum);
  real.merge(next.real);
  imaginary.merge(next.imaginary);
  absolute.merge(next.absolute);
  non_finite.merge(next.non_finite);
  integer.merge(next.integer);
  product.merge(next.product);
}

LOUPE_DECL double Partials::total(bool of_absolute) const noexcept {
  if (!of_absolute) return real.total();
  if (non_finite.nan != 0) return __builtin_nan("");
  return non_finite.none() ? absolute.sum.value() : __builtin_inf();
}

LOUPE_DECL const ExactSum& Partials::absolute_squares() const noexcept {
  return detail::reduces_as_float(type) ? real.squares : absolute.squares;
}

LOUPE_DECL double Partials::squared_deviations(bool of_absolute) const noexcept {
  if (count == 0 || !non_finite.none()) return __builtin_nan("");
  if (of_absolute) return detail::squared_deviations(absolute.sum, absolute_squares(), count);
  const double deviations = detail::squared_deviations(real.sum, real.squares, count);
  return is_complex(type) ? deviations + detail::squared_deviations(imaginary.sum, imaginary.squares, count)
                          : deviations;
}

LOUPE_DECL double Partials::euclidean_norm() const noexcept {
  if (!non_finite.none()) return non_finite.nan != 0 ? __builtin_nan("") : __builtin_inf();
  if (!is_complex(type)) return __builtin_sqrt(real.squares.value());
  ExactSum squares(real.squares);
  squares.merge(imaginary.squares);
  return __builtin_sqrt(squares.value());
}

LOUPE_DECL double Partials::product_value(bool of_absolute) const noexcept {
  const bool is_infinite = non_finite.positive_infinity != 0 || non_finite.negative_infinity != 0;
  if (non_finite.nan != 0 || (is_infinite && product.is_zero())) return __builtin_nan("");
  const double value = is_infinite ? __builtin_inf() : __builtin_fabs(product.value());
  return of_absolute ? value : value * product.sign();
}

}  // namespace loupe::inline LOUPE_ABI
