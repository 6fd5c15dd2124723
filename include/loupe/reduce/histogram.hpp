#pragma once
/// @file
/// Histograms as TensorBoard shows them (format.md section 9).

#include <cstddef>
#include <cstdint>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/tensor_view.hpp"

namespace loupe::inline LOUPE_ABI {

/// The number of edges between bins: 774 negative ones, zero, 774 positive ones.
inline constexpr std::size_t histogram_edges = 1549;

/// An edge between bins: `1e-12 * 1.1^k` worked out by repeated multiplication, up to 9.920775621859783e19, and its
/// negative; `index < histogram_edges`, rising.
[[nodiscard]] LOUPE_DECL double histogram_edge(std::size_t index) noexcept;

/// How a tensor's values are distributed. A large object (12 KB) without allocations.
struct Histogram {
  double minimum = 0;
  double maximum = 0;
  double count = 0;        ///< of all values, also of those in no bin
  double sum = 0;          ///< of all values, as numpy adds them
  double sum_squares = 0;  ///< of all values

  /// The number of buckets that TensorBoard gets: those from the first to the last that is not empty, and an empty one
  /// before.
  [[nodiscard]] std::size_t size() const noexcept { return last_bin - first_bin + 2; }
  /// The right edge of bucket `index < size()`.
  [[nodiscard]] double limit(std::size_t index) const noexcept { return histogram_edge(first_bin + index); }
  /// The number of values in bucket `index < size()`: from the limit before, included, to its own, excluded (the largest
  /// of all edges included).
  [[nodiscard]] double bucket(std::size_t index) const noexcept {
    return index == 0 ? 0 : static_cast<double>(bins[first_bin + index - 1]);
  }

  std::size_t first_bin = 0;                     ///< the first and the last bin that aren't empty
  std::size_t last_bin = 0;
  std::uint64_t bins[histogram_edges - 1] = {};  ///< counts between edge i and edge i + 1
};

/// The histogram of a tensor of real numbers, integers or booleans in host memory. An error if it is empty, if no value
/// falls in any bin (all NaN, infinite or beyond 1e20), or if it holds complex numbers or strings.
[[nodiscard]] LOUPE_DECL result<Histogram> make_histogram(const TensorView& view);

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/reduce/histogram.ipp"
#endif
