#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "loupe/reduce/contraction.hpp"
#include "loupe/reduce/fused.hpp"
#include "loupe/reduce/number_reader.hpp"
#include "loupe/reduce/numpy_definitions.hpp"
#include "loupe/reduce/pairwise_sum.hpp"
#include "loupe/reduce/partial_values.hpp"

namespace loupe::inline LOUPE_ABI {
namespace detail {

// One statistic of one tensor of real numbers in the arithmetic of `Number`, float or double. `type` is the type of the
// results; where it is float16, numpy rounds to it after each step.
template <class Number>
class NumpyReal {
 public:
  NumpyReal(const TensorView& view, bool of_absolute, ElementType type) noexcept
      : view_(view),
        of_absolute_(of_absolute),
        type_(type),
        size_(view.size()) {}

  [[nodiscard]] Scalar make(Number number) const noexcept { return make_scalar(type_, static_cast<double>(number)); }

  [[nodiscard]] Number sum() const noexcept {
    NumberReader next(view_, of_absolute_);
    return rounded_sum(next);
  }

  // float16 numbers are added in float32 for the mean.
  [[nodiscard]] Number mean() const noexcept {
    NumberReader next(view_, of_absolute_);
    const auto total = pairwise_sum<Number, 8>(next, size_);
    return rounded(static_cast<Number>(static_cast<double>(total) / static_cast<double>(size_)));
  }

  [[nodiscard]] LOUPE_NO_CONTRACTION Number variance() const noexcept {
    LOUPE_NO_CONTRACTION_HERE
    const Number middle = rounded(sum() / static_cast<Number>(size_));
    NumberReader reader(view_, of_absolute_);
    auto next = [&](Number* out, std::size_t count) {
      reader(out, count);
      for (std::size_t index = 0; index < count; ++index) {
        const Number difference = rounded(out[index] - middle);
        out[index] = rounded(difference * difference);
      }
    };
    const Number squares = rounded_sum(next);
    return rounded(static_cast<Number>(static_cast<double>(squares) / static_cast<double>(size_)));
  }

  [[nodiscard]] Number deviation() const noexcept {
    return rounded(static_cast<Number>(__builtin_sqrt(static_cast<double>(variance()))));
  }

  [[nodiscard]] Number product() const noexcept {
    Number result = 1;
    NumberReader(view_, of_absolute_).for_each<Number>([&](Number number) { result *= number; });
    return rounded(result);
  }

  // The smallest (`sign` 1) or largest (-1) element, or NaN if there is one.
  [[nodiscard]] Number extreme(int sign) const noexcept {
    const auto factor = static_cast<Number>(sign);
    Number result = factor * std::numeric_limits<Number>::infinity();
    NumberReader(view_, of_absolute_).for_each<Number>([&](Number number) {
      if (number * factor < result * factor || number != number) result = number;
    });
    return result;
  }

 private:
  template <class Next>
  [[nodiscard]] Number rounded_sum(Next& next) const noexcept {
    return pairwise_sum<Number, 8>(next, size_, [this](Number sum) { return rounded(sum); });
  }
  [[nodiscard]] Number rounded(Number number) const noexcept {
    return type_ == ElementType::float16 ? static_cast<Number>(to_float(to_float16(static_cast<float>(number))))
                                         : number;
  }

  const TensorView& view_;
  bool of_absolute_;
  ElementType type_;
  std::int64_t size_;
};

template <class Number>
Scalar numpy_real(const TensorView& view, Statistic statistic, ElementType type) noexcept {
  const NumpyReal<Number> numbers(view, is_absolute(statistic), type);
  switch (without_absolute(statistic)) {
    case Statistic::min: return numbers.make(numbers.extreme(1));
    case Statistic::max: return numbers.make(numbers.extreme(-1));
    case Statistic::mean: return numbers.make(numbers.mean());
    case Statistic::std: return numbers.make(numbers.deviation());
    case Statistic::variance: return numbers.make(numbers.variance());
    case Statistic::sum: return numbers.make(numbers.sum());
    default: return numbers.make(numbers.product());
  }
}

// Extremes, sums and products of integers and booleans; the latter two modulo 2^64. `Number` is std::int64_t or
// std::uint64_t.
template <class Number>
Scalar numpy_integer(const TensorView& view, Statistic statistic) noexcept {
  NumberReader reader(view, is_absolute(statistic));
  Number smallest = std::numeric_limits<Number>::max();
  Number largest = std::numeric_limits<Number>::min();
  std::uint64_t sum = 0;
  std::uint64_t product = 1;
  reader.for_each<Number>([&](Number number) {
    smallest = smaller(number, smallest);
    largest = larger(number, largest);
    sum += static_cast<std::uint64_t>(number);
    product *= static_cast<std::uint64_t>(number);
  });
  const Statistic base = without_absolute(statistic);
  if (base == Statistic::sum || base == Statistic::prod)
    return Scalar::from(static_cast<Number>(base == Statistic::sum ? sum : product));
  const Number extreme = base == Statistic::min ? smallest : largest;
  return visit_element_type(view.type, [extreme]<class Element>() -> Scalar {
    if constexpr (std::is_same_v<Element, bool>) return Scalar::from(extreme != 0);
    else if constexpr (std::is_integral_v<Element>) return Scalar::from(static_cast<Element>(extreme));
    else return {};
  });
}

// Functions of their own: a lambda doesn't inherit that its products must not be contracted.
template <class Real>
LOUPE_NO_CONTRACTION inline Real sum_of_products(Real a, Real b, Real c, Real d) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  return a * b + c * d;
}
template <class Real>
LOUPE_NO_CONTRACTION inline Real difference_of_products(Real a, Real b, Real c, Real d) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  return a * b - c * d;
}

// Statistics of complex numbers in the arithmetic of `Real`.
template <class Real>
class NumpyComplex {
 public:
  using Number = ComplexNumber<Real>;
  explicit NumpyComplex(const TensorView& view) noexcept : view_(view), size_(view.size()) {}

  [[nodiscard]] Scalar make(Number number) const noexcept {
    return make_scalar(view_.type, static_cast<double>(number.real), static_cast<double>(number.imaginary));
  }
  [[nodiscard]] Scalar make(Real number) const noexcept {
    return Scalar::from(number != number ? static_cast<Real>(__builtin_nan("")) : number);
  }

  [[nodiscard]] Number sum() const noexcept {
    NumberReader next(view_, false);
    return pairwise_sum<Number, 4>(next, size_);
  }
  // numpy divides complex numbers by multiplying by the divisor's reciprocal; the mean in double.
  [[nodiscard]] Number mean() const noexcept { return divided<double>(sum()); }
  [[nodiscard]] Real variance() const noexcept {
    const Number middle = divided<Real>(sum());
    NumberReader reader(view_, false);
    auto next = [&](Real* out, std::size_t count) {
      Number numbers[NumberReader::most];
      reader(numbers, count);
      for (std::size_t index = 0; index < count; ++index) {
        const Real real = numbers[index].real - middle.real;
        const Real imaginary = numbers[index].imaginary - middle.imaginary;
        out[index] = sum_of_products(real, real, imaginary, imaginary);
      }
    };
    return pairwise_sum<Real, 8>(next, size_) / static_cast<Real>(size_);
  }
  [[nodiscard]] Number product() const noexcept {
    Number result{1, 0};
    NumberReader(view_, false).for_each<Number>([&](Number number) {
      result = {difference_of_products(result.real, number.real, result.imaginary, number.imaginary),
                sum_of_products(result.real, number.imaginary, result.imaginary, number.real)};
    });
    return result;
  }
  // The smallest (`sign` 1) or largest (-1) element by the real part, then the imaginary one; the first with a NaN, if
  // there is one.
  [[nodiscard]] Number extreme(int sign) const noexcept {
    const auto factor = static_cast<Real>(sign);
    Number result{};
    bool is_first = true;
    NumberReader(view_, false).for_each<Number>([&](Number number) {
      const bool is_kept = result.real != result.real || result.imaginary != result.imaginary ||
                           (result.real * factor < number.real * factor && number.imaginary == number.imaginary) ||
                           (result.real == number.real && result.imaginary * factor <= number.imaginary * factor);
      if (is_first || !is_kept) result = number;
      is_first = false;
    });
    return result;
  }

 private:
  template <class Arithmetic>
  [[nodiscard]] Number divided(Number number) const noexcept {
    const Arithmetic reciprocal = 1 / static_cast<Arithmetic>(size_);
    return {static_cast<Real>(static_cast<Arithmetic>(number.real) * reciprocal),
            static_cast<Real>(static_cast<Arithmetic>(number.imaginary) * reciprocal)};
  }

  const TensorView& view_;
  std::int64_t size_;
};

template <class Real>
Scalar numpy_complex(const TensorView& view, Statistic statistic) noexcept {
  const NumpyComplex<Real> numbers(view);
  switch (statistic) {
    case Statistic::min: return numbers.make(numbers.extreme(1));
    case Statistic::max: return numbers.make(numbers.extreme(-1));
    case Statistic::mean: return numbers.make(numbers.mean());
    case Statistic::std:
      return numbers.make(static_cast<Real>(__builtin_sqrt(static_cast<double>(numbers.variance()))));
    case Statistic::variance: return numbers.make(numbers.variance());
    case Statistic::sum: return numbers.make(numbers.sum());
    default: return numbers.make(numbers.product());
  }
}

// The type of a float result, and of the arithmetic that leads to it.
constexpr ElementType numpy_real_type(ElementType type) noexcept {
  switch (type) {
    case ElementType::float16: return ElementType::float16;
    case ElementType::bfloat16:
    case ElementType::float32:
    case ElementType::complex64: return ElementType::float32;
    default: return ElementType::float64;
  }
}

inline result<Scalar> numpy_norm(const TensorView& original, Statistic statistic);

}  // namespace detail

LOUPE_DECL result<Scalar> NumpyDefinitions::value_of(const TensorView& view, Statistic statistic) {
  if (count_statistics.contains(statistic)) return Fused::value(Fused::partials(view, statistic), statistic);
  const bool of_absolute = is_absolute(statistic);
  if (is_norm(statistic)) return detail::numpy_norm(view, statistic);
  if (!view.has_tensor() || view.type == ElementType::string)
    return fail(ErrorKind::unsupported, statistic_name(statistic), "numpy has no such reduction of strings");
  const Statistic base = without_absolute(statistic);
  const bool is_extreme = base == Statistic::min || base == Statistic::max;
  if (is_extreme && view.size() == 0)
    return fail(ErrorKind::invalid_argument, statistic_name(statistic),
                "an empty tensor has no smallest or largest element");
  if (is_integral(view.type) && (is_extreme || base == Statistic::sum || base == Statistic::prod))
    return is_unsigned_integer(view.type) ? detail::numpy_integer<std::uint64_t>(view, statistic)
                                          : detail::numpy_integer<std::int64_t>(view, statistic);
  if (is_complex(view.type) && !of_absolute)
    return view.type == ElementType::complex64 ? detail::numpy_complex<float>(view, statistic)
                                               : detail::numpy_complex<double>(view, statistic);
  const ElementType type = detail::numpy_real_type(view.type);
  return type == ElementType::float64 ? detail::numpy_real<double>(view, statistic, type)
                                      : detail::numpy_real<float>(view, statistic, type);
}

LOUPE_DECL NumpyDefinitions::Partials NumpyDefinitions::partials(const TensorView& view, StatisticSet wanted) {
  Partials partials;
  partials.wanted = wanted;
  auto copy = Array::copy_of(view);
  if (copy) partials.elements = *std::move(copy);
  else partials.failure = std::move(copy).error();
  return partials;
}

LOUPE_DECL result<Scalar> NumpyDefinitions::value(const Partials& partials, Statistic statistic) {
  if (partials.elements.type() == ElementType::none) return fail(partials.failure);
  if (!partials.wanted.contains(statistic))
    return fail(ErrorKind::invalid_state, statistic_name(statistic),
                "it was not asked for when the tensor was reduced");
  return value_of(partials.elements.view(), statistic);
}

LOUPE_DECL void NumpyDefinitions::merge(Partials& into, const Partials& next) {
  const auto give_up = [&](Error error) {
    into.failure = std::move(error);
    into.elements = Array();
  };
  const Array& first = into.elements;
  const Array& second = next.elements;
  if (first.type() == ElementType::none) return;
  if (second.type() == ElementType::none) return give_up(next.failure);
  bool fits = first.type() == second.type() && first.rank() == second.rank() && first.rank() != 0;
  for (std::size_t axis = 1; fits && axis < first.rank(); ++axis) fits = first.shape()[axis] == second.shape()[axis];
  if (!fits || first.type() == ElementType::string)
    return give_up(
        {.kind = ErrorKind::invalid_argument,
         .object = "merge",
         .detail =
             "only numbers of one type, in pieces that lie behind each other along the first axis, make one tensor"});
  Shape shape = first.shape();
  shape[0] += second.shape()[0];
  auto whole = Array::make(first.type(), shape);
  if (!whole) return give_up(std::move(whole).error());
  std::byte* out = whole->bytes().data();
  if (!first.bytes().empty()) std::memcpy(out, first.bytes().data(), first.bytes().size());
  if (!second.bytes().empty()) std::memcpy(out + first.bytes().size(), second.bytes().data(), second.bytes().size());
  into.elements = *std::move(whole);
}

}  // namespace loupe::inline LOUPE_ABI
