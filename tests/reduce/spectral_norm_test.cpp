#include "loupe/reduce/spectral_norm.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "reduce/random_numbers.hpp"
#include "support/catch.hpp"

using namespace loupe;

namespace {

double norm_of(const std::vector<double>& elements, std::int64_t rows, std::int64_t columns) {
  const auto norm = spectral_norm(TensorView(elements.data(), ElementType::float64, {rows, columns}));
  REQUIRE(norm);
  return *norm;
}

// The length of A^T A ... x, by as many steps as it takes: an independent way to the same number.
double power_iteration(const std::vector<double>& elements, std::size_t rows, std::size_t columns) {
  std::vector<long double> x(columns, 1);
  for (std::size_t column = 0; column < columns; ++column) x[column] += static_cast<long double>(column) / 7;
  long double norm = 0;
  for (int step = 0; step < 3000; ++step) {
    std::vector<long double> y(rows);
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t column = 0; column < columns; ++column)
        y[row] += static_cast<long double>(elements[row * columns + column]) * x[column];
    std::vector<long double> z(columns);
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t column = 0; column < columns; ++column)
        z[column] += static_cast<long double>(elements[row * columns + column]) * y[row];
    long double length = 0;
    for (const long double number : z) length += number * number;
    length = std::sqrt(length);
    for (std::size_t column = 0; column < columns; ++column) x[column] = z[column] / length;
    norm = std::sqrt(length);
  }
  return static_cast<double>(norm);
}

}  // namespace

TEST_CASE("the largest singular value of small matrices is known") {
  CHECK(norm_of({3}, 1, 1) == 3);
  CHECK(norm_of({-3}, 1, 1) == 3);
  CHECK(norm_of({3, 4}, 1, 2) == 5);
  CHECK(norm_of({3, 4}, 2, 1) == 5);
  CHECK(norm_of({2, 0, 0, -7}, 2, 2) == Approx(7).epsilon(1e-15));
  CHECK(norm_of({1, -2, 3, 4}, 2, 2) == Approx(5.116672736016927).epsilon(1e-15));
  CHECK(norm_of(std::vector<double>(12, 1), 3, 4) == Approx(std::sqrt(12.0)).epsilon(1e-15));
  CHECK(norm_of(std::vector<double>(6, 0), 2, 3) == 0);
}

TEST_CASE("the largest singular value of random matrices is that of power iteration") {
  test::RandomNumbers random(51);
  for (int round = 0; round < 12; ++round) {
    const std::size_t rows = 1 + random.below(12);
    const std::size_t columns = 1 + random.below(12);
    std::vector<double> elements(rows * columns);
    for (double& element : elements) element = random.normal();
    INFO(rows << " x " << columns);
    CHECK(norm_of(elements, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)) ==
          Approx(power_iteration(elements, rows, columns)).epsilon(1e-12));
  }
}

TEST_CASE("orthogonal columns and equal singular values are no trouble") {
  // A Hadamard matrix: all singular values are the root of its size.
  constexpr std::size_t size = 64;
  std::vector<double> hadamard(size * size);
  for (std::size_t row = 0; row < size; ++row)
    for (std::size_t column = 0; column < size; ++column)
      hadamard[row * size + column] = __builtin_popcountll(row & column) % 2 == 0 ? 1 : -1;
  CHECK(norm_of(hadamard, size, size) == Approx(8).epsilon(1e-14));
  // One large singular value beside tiny ones.
  std::vector<double> graded(30 * 30);
  for (std::size_t index = 0; index < 30; ++index) graded[index * 31] = std::pow(10.0, -static_cast<double>(index));
  CHECK(norm_of(graded, 30, 30) == Approx(1).epsilon(1e-15));
}

TEST_CASE("huge and tiny matrices neither overflow nor vanish") {
  for (const double scale : {1e300, 1e-300, 5e-320, 1e160, 1e-160})
    CHECK(norm_of({3 * scale, 4 * scale, 0, 0}, 2, 2) == Approx(5 * scale).epsilon(scale < 1e-310 ? 1e-3 : 1e-14));
}

TEST_CASE("tall, wide, transposed and strided matrices agree") {
  test::RandomNumbers random(52);
  std::vector<double> elements(300 * 9);
  for (double& element : elements) element = random.normal();
  const double tall = norm_of(elements, 300, 9);
  const auto transposed = spectral_norm(TensorView(elements.data(), ElementType::float64, {9, 300}, {1, 9}));
  CHECK(transposed.value() == tall);
  const auto reversed =
      spectral_norm(TensorView(elements.data() + elements.size() - 1, ElementType::float64, {300, 9}, {-9, -1}));
  CHECK(reversed.value() == Approx(tall).epsilon(1e-14));
  const auto repeated = spectral_norm(TensorView(elements.data(), ElementType::float64, {300, 9}, {0, 0}));
  CHECK(repeated.value() == Approx(std::fabs(elements[0]) * std::sqrt(2700.0)).epsilon(1e-14));
}

TEST_CASE("complex matrices, and their magnitudes") {
  const std::vector<Complex128> elements{{0, 0}, {1, 2}, {0, -1.5}, {2.5, 0}, {-3, -4}, {0, 1000}};
  const TensorView matrix(elements.data(), ElementType::complex128, {2, 3});
  CHECK(spectral_norm(matrix).value() == Approx(1000.016766391941).epsilon(1e-14));
  CHECK(spectral_norm(matrix, true).value() == Approx(1000.0167666624386).epsilon(1e-14));
  const std::vector<float> floats{1, -2, 3, 4};
  CHECK(spectral_norm(TensorView(floats.data(), ElementType::float32, {2, 2}), true).value() ==
        Approx(5.464985704219043).epsilon(1e-14));
}

TEST_CASE("what has no singular values is refused") {
  const std::vector<double> elements{1, std::nan(""), INFINITY, 2};
  const auto refusal = [&](const TensorView& view) { return spectral_norm(view).error().kind; };
  CHECK(refusal(TensorView(elements.data(), ElementType::float64, {2, 2})) == ErrorKind::invalid_state);
  CHECK(refusal(TensorView(elements.data(), ElementType::float64, {2, 0})) == ErrorKind::invalid_argument);
  CHECK(refusal(TensorView(elements.data(), ElementType::float64, {4})) == ErrorKind::invalid_argument);
  const std::int64_t many = 20'000;
  CHECK(refusal(TensorView(elements.data(), ElementType::float64, {many, many}, {0, 0})) == ErrorKind::limit_exceeded);
  CHECK(std::isnan(spectral_norm(TensorView(elements.data() + 2, ElementType::float64, {1, 2})).value()));
}
