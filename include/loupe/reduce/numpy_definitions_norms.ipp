#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/reduce/contraction.hpp"
#include "loupe/reduce/number_reader.hpp"
#include "loupe/reduce/numpy_definitions.hpp"
#include "loupe/reduce/pairwise_sum.hpp"
#include "loupe/reduce/partial_values.hpp"
#include "loupe/reduce/spectral_norm.hpp"

namespace loupe::inline LOUPE_ABI {
namespace detail {

// The norms of a tensor of rank 1 or 2 in the arithmetic of `Number`, float or double; see `NumpyReal` for `type`.
template <class Number>
class NumpyNorms {
 public:
  NumpyNorms(const TensorView& view, bool of_absolute, ElementType type) noexcept
      : view_(view),
        of_absolute_(of_absolute),
        type_(type) {}

  [[nodiscard]] Scalar make(double number) const noexcept { return make_scalar(type_, number); }

  // The sum of absolute values.
  [[nodiscard]] double of_sum() const noexcept {
    NumberReader reader(view_, of_absolute_);
    auto next = [&](Number* out, std::size_t count) { read_magnitudes(reader, out, count); };
    const auto round = [this](Number sum) { return rounded(sum); };
    return static_cast<double>(pairwise_sum<Number, 8>(next, view_.size(), round));
  }

  // The Euclidean norm. numpy's dot product has the order of the BLAS library in use; float16 it adds itself.
  [[nodiscard]] LOUPE_NO_CONTRACTION double of_squares() const noexcept {
    LOUPE_NO_CONTRACTION_HERE
    if (type_ == ElementType::float16) {
      float half_squares = 0;
      NumberReader(view_, of_absolute_).for_each<float>([&](float number) { half_squares += number * number; });
      return __builtin_sqrt(static_cast<double>(rounded(static_cast<Number>(half_squares))));
    }
    const double squares = sum_of_squares();
    return __builtin_sqrt(static_cast<double>(static_cast<Number>(squares)));
  }

  // The largest sum of absolute values of a column; the matrix has columns.
  [[nodiscard]] double of_columns() const noexcept {
    Number largest = 0;
    const std::int64_t columns = view_.shape[1];
    constexpr auto most = static_cast<std::int64_t>(NumberReader::most);
    for (std::int64_t first = 0; first < columns; first += most) {
      // A panel of columns is added up row by row.
      TensorView panel = view_;
      panel.shape[1] = columns - first < most ? columns - first : most;
      const std::int64_t offset = first * view_.strides[1] * static_cast<std::int64_t>(element_size(view_.type));
      if (view_.size() != 0) panel.data = static_cast<const std::byte*>(view_.data) + offset;
      Number sums[NumberReader::most] = {};
      const auto width = static_cast<std::size_t>(panel.shape[1]);
      NumberReader reader(panel, of_absolute_);
      while (reader.rest() > 0) {
        Number magnitudes[NumberReader::most];
        read_magnitudes(reader, magnitudes, width);
        for (std::size_t column = 0; column < width; ++column)
          sums[column] = rounded(sums[column] + magnitudes[column]);
      }
      for (std::size_t column = 0; column < width; ++column)
        if (!(sums[column] <= largest) && largest == largest) largest = sums[column];
    }
    return static_cast<double>(largest);
  }

 private:
  void read_magnitudes(NumberReader& reader, Number* out, std::size_t count) const noexcept {
    reader(out, count);
    for (std::size_t index = 0; index < count; ++index)
      out[index] = static_cast<Number>(__builtin_fabs(static_cast<double>(out[index])));
  }
  [[nodiscard]] LOUPE_NO_CONTRACTION double sum_of_squares() const noexcept {
    LOUPE_NO_CONTRACTION_HERE
    NumberReader reader(view_, of_absolute_);
    auto next = [&](double* out, std::size_t count) {
      Number numbers[NumberReader::most];
      reader(numbers, count);
      for (std::size_t index = 0; index < count; ++index)
        out[index] = static_cast<double>(numbers[index]) * static_cast<double>(numbers[index]);
    };
    return pairwise_sum<double, 8>(next, view_.size());
  }
  [[nodiscard]] Number rounded(Number number) const noexcept {
    return type_ == ElementType::float16 ? static_cast<Number>(to_float(to_float16(static_cast<float>(number))))
                                         : number;
  }

  const TensorView& view_;
  bool of_absolute_;
  ElementType type_;
};

template <class Number>
result<Scalar> numpy_norm(const TensorView& view, Statistic statistic, bool of_absolute, ElementType type) {
  const bool is_first = without_absolute(statistic) == Statistic::l1;
  const NumpyNorms<Number> norms(view, of_absolute, type);
  if (view.rank() == 1) return norms.make(is_first ? norms.of_sum() : norms.of_squares());
  if (is_first) {
    if (view.shape[1] == 0)
      return fail(ErrorKind::invalid_argument, statistic_name(statistic), "a matrix without columns has no norm");
    return norms.make(norms.of_columns());
  }
  if (type == ElementType::float16)
    return fail(ErrorKind::invalid_type, statistic_name(statistic), "numpy has no singular values of float16");
  LOUPE_ASSIGN(const double norm, spectral_norm(view, of_absolute));
  return norms.make(norm);
}

// Of a number too large or too small for a double: positive for the former, negative for the latter.
inline std::int64_t decimal_exponent(std::string_view number) {
  const std::size_t mantissa_end = std::min(number.find_first_of("eE"), number.size());
  const std::string_view mantissa = number.substr(0, mantissa_end);
  const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  const auto first = static_cast<std::int64_t>(mantissa.find_first_of("123456789"));
  if (mantissa_end == number.size()) return point - first;
  std::string_view digits = number.substr(mantissa_end + 1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t exponent = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), exponent).ec != std::errc())
    return digits.starts_with('-') ? -1 : 1;
  constexpr std::int64_t limit = std::int64_t{1} << 62;  // no text is as long, so the point can't outweigh it
  return std::clamp(exponent, -limit, limit) + point - first;
}

// A text as Python's float() reads it, but for digits that aren't ASCII.
inline bool parse_python_float(std::string_view text, double& out) {
  constexpr std::string_view blanks = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return false;
  text = text.substr(first, text.find_last_not_of(blanks) - first + 1);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  ByteBuffer digits;
  for (std::size_t index = 0; index < text.size(); ++index) {
    const auto is_digit = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
    if (text[index] != '_') digits.append(text[index]);
    else if (index == 0 || !is_digit(index - 1) || !is_digit(index + 1)) return false;
  }
  const std::string_view plain = digits.text();
  if (plain.find_first_of("xX(") != std::string_view::npos) return false;
  const auto parsed = std::from_chars(plain.data(), plain.data() + plain.size(), out);
  if (parsed.ptr != plain.data() + plain.size()) return false;
  if (parsed.ec == std::errc()) return true;
  if (parsed.ec != std::errc::result_out_of_range) return false;
  out = decimal_exponent(plain) > 0 ? __builtin_inf() : 0;
  if (plain.front() == '-') out = -out;
  return true;
}

// numpy converts strings to float64 for a norm, if they all are numbers.
inline result<Scalar> numpy_norm_of_strings(const TensorView& view, Statistic statistic) {
  if (is_absolute(statistic))
    return fail(ErrorKind::unsupported, statistic_name(statistic), "numpy has no absolute value of strings");
  ByteBuffer numbers;
  bool are_numbers = true;
  for_each_run(view, [&](const std::byte* first, std::int64_t count) {
    for (std::int64_t index = 0; index < count && are_numbers; ++index) {
      const auto text =
          load_element<std::string_view>(first + index * static_cast<std::int64_t>(sizeof(std::string_view)));
      double number = 0;
      are_numbers = parse_python_float(text, number);
      std::memcpy(numbers.extend(sizeof number), &number, sizeof number);
    }
  });
  if (!are_numbers) return fail(ErrorKind::invalid_argument, statistic_name(statistic), "not every string is a number");
  const TensorView parsed(numbers.data(), ElementType::float64, view.shape);
  return numpy_norm<double>(parsed, statistic, false, ElementType::float64);
}

inline result<Scalar> numpy_norm(const TensorView& original, Statistic statistic) {
  if (!original.has_tensor()) return fail(ErrorKind::unsupported, statistic_name(statistic), "there is no tensor");
  TensorView view = original;
  // The absolute value of an array of rank 0 is a number to numpy, and smdebug makes a vector of it.
  if (view.rank() == 0 && is_absolute(statistic)) view = TensorView(original.data, original.type, {1});
  if (view.rank() == 0 || view.rank() > 2)
    return fail(ErrorKind::invalid_argument, statistic_name(statistic), "numpy has norms of vectors and matrices only");
  if (view.type == ElementType::string) return numpy_norm_of_strings(view, statistic);
  // The singular values of a complex matrix are not those of its magnitudes; all other norms are.
  const bool is_spectral = view.rank() == 2 && without_absolute(statistic) == Statistic::l2;
  const bool of_absolute = is_absolute(statistic) || (is_complex(view.type) && !is_spectral);
  const ElementType type = numpy_real_type(view.type);
  return type == ElementType::float64 ? numpy_norm<double>(view, statistic, of_absolute, type)
                                      : numpy_norm<float>(view, statistic, of_absolute, type);
}

}  // namespace detail
}  // namespace loupe::inline LOUPE_ABI
