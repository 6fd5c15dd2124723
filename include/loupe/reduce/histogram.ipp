#include <bit>

#include "loupe/reduce/histogram.hpp"
#include "loupe/reduce/number_reader.hpp"
#include "loupe/reduce/pairwise_sum.hpp"

namespace loupe::inline LOUPE_ABI {
namespace detail {

inline constexpr std::size_t positive_edges = (histogram_edges - 1) / 2;

struct PositiveEdges {
  double edge[positive_edges];
  constexpr PositiveEdges() noexcept : edge() {
    double next = 1e-12;
    for (double& slot : edge) {
      slot = next;
      next *= 1.1;
    }
  }
};
inline constexpr PositiveEdges histogram_table;
static_assert(histogram_table.edge[positive_edges - 1] == 9.920775621859783e19);

// How many positive edges are at most `magnitude`, or below it; the magnitude is positive and finite.
inline std::size_t edges_up_to(double magnitude, bool inclusive) noexcept {
  const auto is_passed = [&](std::size_t index) {
    return inclusive ? histogram_table.edge[index] <= magnitude : histogram_table.edge[index] < magnitude;
  };
  // The bits of a double, read as a fixed-point number, are nearly its logarithm: the guess is off by one at most.
  const double logarithm = static_cast<double>(std::bit_cast<std::uint64_t>(magnitude)) * 0x1p-52 - 1023;
  const double guess = (logarithm + 39.863) * 7.27254 + 1;
  std::size_t count = guess <= 0                                     ? 0
                      : guess >= static_cast<double>(positive_edges) ? positive_edges
                                                                     : static_cast<std::size_t>(guess);
  while (count < positive_edges && is_passed(count)) ++count;
  while (count > 0 && !is_passed(count - 1)) --count;
  return count;
}

// The bin of a value, or `histogram_edges` if it falls in none.
inline std::size_t histogram_bin(double value) noexcept {
  constexpr double largest = histogram_table.edge[positive_edges - 1];
  if (!(value >= -largest && value <= largest)) return histogram_edges;
  if (value < 0) return positive_edges - 1 - edges_up_to(-value, false);
  if (value == largest) return histogram_edges - 2;
  return positive_edges + (value == 0 ? 0 : edges_up_to(value, true));
}

}  // namespace detail

LOUPE_DECL double histogram_edge(std::size_t index) noexcept {
  constexpr std::size_t zero = detail::positive_edges;
  if (index == zero) return 0;
  return index < zero ? -detail::histogram_table.edge[zero - 1 - index]
                      : detail::histogram_table.edge[index - zero - 1];
}

LOUPE_DECL result<Histogram> make_histogram(const TensorView& view) {
  if (!view.has_tensor() || view.type == ElementType::string || is_complex(view.type))
    return fail(ErrorKind::unsupported, "histogram", "only real numbers have a histogram");
  const std::int64_t count = view.size();
  if (count == 0) return fail(ErrorKind::invalid_argument, "histogram", "an empty tensor has no histogram");

  Histogram histogram;
  histogram.count = static_cast<double>(count);
  histogram.minimum = __builtin_inf();
  histogram.maximum = -__builtin_inf();
  bool has_nan = false;
  NumberReader numbers(view, false);
  auto next = [&](double* out, std::size_t size) {
    numbers(out, size);
    for (std::size_t index = 0; index < size; ++index) {
      const double value = out[index];
      if (value < histogram.minimum) histogram.minimum = value;
      if (value > histogram.maximum) histogram.maximum = value;
      if (value != value) has_nan = true;
      const std::size_t bin = detail::histogram_bin(value);
      if (bin < histogram_edges) ++histogram.bins[bin];
    }
  };
  histogram.sum = pairwise_sum<double, 8>(next, count);
  if (has_nan) histogram.minimum = histogram.maximum = __builtin_nan("");
  NumberReader again(view, false);
  auto next_square = [&](double* out, std::size_t size) {
    again(out, size);
    for (std::size_t index = 0; index < size; ++index) out[index] *= out[index];
  };
  histogram.sum_squares = pairwise_sum<double, 8>(next_square, count);

  std::size_t first = 0;
  std::size_t last = histogram_edges - 2;
  while (first <= last && histogram.bins[first] == 0) ++first;
  if (first > last)
    return fail(ErrorKind::invalid_argument, "histogram", "no value lies between the outermost edges, -1e20 and 1e20");
  while (histogram.bins[last] == 0) --last;
  histogram.first_bin = first;
  histogram.last_bin = last;
  return histogram;
}

}  // namespace loupe::inline LOUPE_ABI
