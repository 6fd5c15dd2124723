#pragma once
/// @file
/// The elements of a tensor one after the other, as numbers of one type.

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "loupe/base/config.hpp"
#include "loupe/base/element_type.hpp"
#include "loupe/base/half.hpp"
#include "loupe/base/tensor_view.hpp"
#include "loupe/reduce/block_reader.hpp"
#include "loupe/reduce/contraction.hpp"

namespace loupe::inline LOUPE_ABI {

/// A complex number to calculate with; `Real` is float or double.
template <class Real>
struct ComplexNumber {
  Real real{};
  Real imaginary{};
  friend constexpr ComplexNumber operator+(ComplexNumber a, ComplexNumber b) noexcept {
    return {a.real + b.real, a.imaginary + b.imaginary};
  }
};

namespace detail {

template <class Number>
inline constexpr bool is_complex_number = false;
template <class Real>
inline constexpr bool is_complex_number<ComplexNumber<Real>> = true;

template <class Element>
inline constexpr bool is_complex_element = std::is_same_v<Element, Complex64> || std::is_same_v<Element, Complex128>;

/// The absolute value of a complex number, without overflow or underflow on the way.
LOUPE_NO_CONTRACTION inline double magnitude_of(double real, double imaginary) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  const double a = __builtin_fabs(real);
  const double b = __builtin_fabs(imaginary);
  const double greater = a > b ? a : b;
  if (greater > 0x1p-500 && greater < 0x1p500) return __builtin_sqrt(a * a + b * b);
  if (a == __builtin_inf() || b == __builtin_inf()) return __builtin_inf();
  const double scale = greater >= 1 ? 0x1p-600 : 0x1p600;
  return __builtin_sqrt((a * scale) * (a * scale) + (b * scale) * (b * scale)) / scale;
}

// An element as a `Number`, or its absolute value, taken in the element's own type: that of the smallest integer is
// itself, as in numpy and PyTorch. Conversions that `NumberReader` excludes give zero.
template <class Number, class Element>
Number number_of(const std::byte* address, bool absolute) noexcept {
  if constexpr (std::is_void_v<Element> || std::is_same_v<Element, std::string_view>) {
    return {};
  } else if constexpr (is_complex_element<Element>) {
    const auto number = load_element<Element>(address);
    if constexpr (is_complex_number<Number>) {
      using Real = decltype(Number::real);
      return {static_cast<Real>(number.real), static_cast<Real>(number.imaginary)};
    } else {
      return static_cast<Number>(magnitude_of(static_cast<double>(number.real), static_cast<double>(number.imaginary)));
    }
  } else if constexpr (is_complex_number<Number>) {
    return {};
  } else if constexpr (std::is_same_v<Element, bool>) {
    return load_element<std::uint8_t>(address) != 0 ? Number{1} : Number{0};
  } else if constexpr (std::is_integral_v<Element>) {
    const auto number = load_element<Element>(address);
    using Bits = std::make_unsigned_t<Element>;
    return static_cast<Number>(absolute && number < 0 ? static_cast<Element>(Bits{0} - static_cast<Bits>(number))
                                                      : number);
  } else {
    Number number{};
    if constexpr (std::is_floating_point_v<Element>) number = static_cast<Number>(load_element<Element>(address));
    else number = static_cast<Number>(to_float(load_element<Element>(address)));
    if constexpr (std::is_floating_point_v<Number>)
      return absolute ? static_cast<Number>(__builtin_fabs(static_cast<double>(number))) : number;
    else return number;
  }
}

}  // namespace detail

/// Reads the elements in row-major order. A `Number` is `double` or `float` for real elements and for the magnitudes of
/// complex ones, `std::int64_t` or `std::uint64_t` for integers and booleans, `ComplexNumber` for complex elements.
class NumberReader {
 public:
  /// The most numbers that are read at once.
  static constexpr std::size_t most = 128;

  /// Reads elements or, if `absolute`, their absolute values in their own type: that of the smallest integer is itself.
  /// The view must have a tensor of valid shape in host memory, which outlives the reader.
  NumberReader(const TensorView& view, bool absolute) noexcept : reader_(view), type_(view.type), absolute_(absolute) {}

  /// The next `count` numbers, at most `most` and `rest()`.
  template <class Number>
  void operator()(Number* out, std::size_t count) noexcept {
    const std::byte* elements = reader_.read(count, gathered_);
    visit_element_type(type_, [&]<class Element>() {
      for (std::size_t index = 0; index < count; ++index)
        out[index] = detail::number_of<Number, Element>(elements + index * element_size(type_), absolute_);
    });
  }
  [[nodiscard]] std::int64_t rest() const noexcept { return reader_.rest(); }

  /// Calls `visit(number)` for each of the rest.
  template <class Number, class Visitor>
  void for_each(Visitor&& visit) noexcept {
    Number numbers[most];
    while (rest() > 0) {
      const std::size_t count = rest() < static_cast<std::int64_t>(most) ? static_cast<std::size_t>(rest()) : most;
      (*this)(numbers, count);
      for (std::size_t index = 0; index < count; ++index) visit(numbers[index]);
    }
  }

 private:
  BlockReader reader_;
  ElementType type_;
  bool absolute_;
  std::byte gathered_[most * 16];
};

}  // namespace loupe::inline LOUPE_ABI
