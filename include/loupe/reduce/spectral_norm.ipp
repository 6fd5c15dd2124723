#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>

#include "loupe/reduce/contraction.hpp"
#include "loupe/reduce/number_reader.hpp"
#include "loupe/reduce/spectral_norm.hpp"

namespace loupe::inline LOUPE_ABI {
namespace detail {

/// A symmetric matrix of doubles, of which both triangles are stored.
class SymmetricMatrix {
 public:
  explicit SymmetricMatrix(std::size_t size) : size_(size), elements_(new(std::nothrow) double[size * size]()) {}
  [[nodiscard]] bool is_allocated() const noexcept { return elements_ != nullptr; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  double* row(std::size_t index) noexcept { return elements_.get() + index * size_; }

 private:
  std::size_t size_;
  std::unique_ptr<double[]> elements_;
};

// Rows that are added to a Gram matrix together, so that it is read and written less often.
inline constexpr std::size_t gram_rows = 4;

// Adds the products of four rows, one behind the other, with themselves to the lower triangle.
LOUPE_NO_CONTRACTION inline void add_outer_squares(SymmetricMatrix& matrix, const double* rows) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  const std::size_t size = matrix.size();
  const double* second = rows + size;
  const double* third = second + size;
  const double* fourth = third + size;
  for (std::size_t to = 0; to < size; ++to) {
    double* out = matrix.row(to);
    for (std::size_t from = 0; from <= to; ++from)
      out[from] +=
          (rows[to] * rows[from] + second[to] * second[from]) + (third[to] * third[from] + fourth[to] * fourth[from]);
  }
}

// Householder's reduction of a symmetric matrix, of which the lower triangle is used and overwritten, to a tridiagonal one.
// `work` has room for two columns.
LOUPE_NO_CONTRACTION inline void make_tridiagonal(SymmetricMatrix& matrix, double* diagonal, double* off_diagonal,
                                                  double* work) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  const std::size_t size = matrix.size();
  double* reflector = work;
  double* product = work + size;
  for (std::size_t column = 0; column + 1 < size; ++column) {
    const std::size_t first = column + 1;
    diagonal[column] = matrix.row(column)[column];
    double below = 0;  // the squares of the column below its first element
    for (std::size_t row = first; row < size; ++row) {
      reflector[row] = matrix.row(row)[column];
      if (row > first) below += reflector[row] * reflector[row];
    }
    off_diagonal[column] = reflector[first];
    if (below == 0) continue;
    const double head = reflector[first];
    const double length = __builtin_sqrt(head * head + below);
    off_diagonal[column] = head > 0 ? -length : length;
    reflector[first] = head - off_diagonal[column];
    const double scale = 2 / (reflector[first] * reflector[first] + below);
    for (std::size_t row = first; row < size; ++row) product[row] = 0;
    for (std::size_t row = first; row < size; ++row) {
      const double* elements = matrix.row(row);
      double sum = elements[row] * reflector[row];
      for (std::size_t other = first; other < row; ++other) {
        sum += elements[other] * reflector[other];
        product[other] += elements[other] * reflector[row];
      }
      product[row] += sum;
    }
    double overlap = 0;
    for (std::size_t row = first; row < size; ++row) overlap += product[row] * reflector[row];
    const double correction = scale * scale * overlap / 2;
    for (std::size_t row = first; row < size; ++row) product[row] = scale * product[row] - correction * reflector[row];
    for (std::size_t row = first; row < size; ++row) {
      double* elements = matrix.row(row);
      for (std::size_t other = first; other <= row; ++other)
        elements[other] -= reflector[row] * product[other] + product[row] * reflector[other];
    }
  }
  diagonal[size - 1] = matrix.row(size - 1)[size - 1];
}

// The largest eigenvalue of a tridiagonal matrix that has no negative ones, by bisection: the number of negative pivots of
// the matrix less x is that of eigenvalues below x (Sylvester).
LOUPE_NO_CONTRACTION inline double largest_eigenvalue(const double* diagonal, const double* off_diagonal,
                                                      std::size_t size) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  double low = 0;
  double high = 0;
  for (std::size_t index = 0; index < size; ++index) {
    const double before = index > 0 ? __builtin_fabs(off_diagonal[index - 1]) : 0;
    const double behind = index + 1 < size ? __builtin_fabs(off_diagonal[index]) : 0;
    if (diagonal[index] > low) low = diagonal[index];
    if (diagonal[index] + before + behind > high) high = diagonal[index] + before + behind;
  }
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    bool is_above_all = true;
    double pivot = diagonal[0] - middle;
    for (std::size_t index = 1; is_above_all && index < size; ++index) {
      if (pivot >= 0) is_above_all = false;
      else pivot = diagonal[index] - middle - off_diagonal[index - 1] * off_diagonal[index - 1] / pivot;
    }
    if (is_above_all && pivot < 0) high = middle;
    else low = middle;
  }
}

// The rows of a matrix, scaled; a complex one as the real one of twice the size that has the same singular values, each
// twice. Each row is written where `next_row()` says; then `visit()` is called.
template <class NextRow, class Visitor>
void for_each_real_row(const TensorView& matrix, bool of_absolute, double scale, NextRow&& next_row,
                       Visitor&& visit) noexcept {
  const auto columns = static_cast<std::size_t>(matrix.shape[1]);
  const bool is_split = is_complex(matrix.type) && !of_absolute;
  NumberReader reader(matrix, of_absolute);
  for (std::int64_t index = 0; index < matrix.shape[0]; ++index) {
    double* row = next_row();
    for (std::size_t done = 0; done < columns;) {
      const std::size_t count = columns - done < NumberReader::most ? columns - done : NumberReader::most;
      if (is_split) {
        ComplexNumber<double> numbers[NumberReader::most];
        reader(numbers, count);
        for (std::size_t offset = 0; offset < count; ++offset) {
          row[done + offset] = numbers[offset].real * scale;
          row[columns + done + offset] = -numbers[offset].imaginary * scale;
        }
      } else {
        reader(row + done, count);
        for (std::size_t offset = 0; offset < count; ++offset) row[done + offset] *= scale;
      }
      done += count;
    }
    visit();
    if (!is_split) continue;
    // The row (re, -im) is followed by (im, re).
    double* turned = next_row();
    for (std::size_t column = 0; column < columns; ++column) {
      const double real = row[column];
      const double negative_imaginary = row[columns + column];
      turned[column] = -negative_imaginary;
      turned[columns + column] = real;
    }
    visit();
  }
}

}  // namespace detail

LOUPE_DECL result<double> spectral_norm(const TensorView& matrix, bool of_absolute) {
  constexpr std::size_t longest = 16384;
  if (matrix.rank() != 2 || matrix.size() == 0)
    return fail(ErrorKind::invalid_argument, "spectral norm", "only a matrix that is not empty has singular values");
  // Rows at least as many as columns: the transposed matrix has the same singular values.
  TensorView tall = matrix;
  if (tall.shape[0] < tall.shape[1]) {
    std::swap(tall.shape[0], tall.shape[1]);
    std::swap(tall.strides[0], tall.strides[1]);
  }
  const bool is_split = is_complex(matrix.type) && !of_absolute;
  const auto columns = static_cast<std::uint64_t>(tall.shape[1]);
  if (columns > (is_split ? longest / 2 : longest))
    return fail(ErrorKind::limit_exceeded, "spectral norm", "the matrix is too large for its singular values");
  const auto size = static_cast<std::size_t>(is_split ? 2 * columns : columns);

  detail::SymmetricMatrix gram(size);
  const std::unique_ptr<double[]> vectors(new (std::nothrow) double[(detail::gram_rows + 4) * size]());
  if (!gram.is_allocated() || vectors == nullptr)
    return fail(ErrorKind::limit_exceeded, "spectral norm",
                "there is not enough memory for the matrix's singular values");
  double* rows = vectors.get();

  double largest = 0;
  bool has_nan = false;
  const auto look_at_row = [&] {
    for (std::size_t column = 0; column < size; ++column) {
      const double magnitude = __builtin_fabs(rows[column]);
      if (magnitude > largest) largest = magnitude;
      if (magnitude != magnitude) has_nan = true;
    }
  };
  detail::for_each_real_row(tall, of_absolute, 1, [rows] { return rows; }, look_at_row);
  if (has_nan)
    return fail(ErrorKind::invalid_state, "spectral norm", "a matrix with NaN elements has no singular values");
  if (largest == __builtin_inf()) return __builtin_nan("");
  if (largest == 0) return 0.0;

  // Scaled by a power of two, so that the largest element is about 1, no square overflows, and none that counts vanishes.
  int exponent = 0;
  static_cast<void>(__builtin_frexp(largest, &exponent));
  const double scale = __builtin_ldexp(1, exponent < -1000 ? 1000 : -exponent);
  std::size_t filled = 0;
  const auto add_rows = [&] {
    if (++filled < detail::gram_rows) return;
    detail::add_outer_squares(gram, rows);
    filled = 0;
  };
  detail::for_each_real_row(tall, of_absolute, scale, [&] { return rows + filled * size; }, add_rows);
  while (filled != 0) {
    for (std::size_t column = 0; column < size; ++column) rows[filled * size + column] = 0;
    add_rows();
  }

  double* diagonal = rows + detail::gram_rows * size;
  double* off_diagonal = diagonal + size;
  detail::make_tridiagonal(gram, diagonal, off_diagonal, off_diagonal + size);
  return __builtin_sqrt(detail::largest_eigenvalue(diagonal, off_diagonal, size)) / scale;
}

}  // namespace loupe::inline LOUPE_ABI
