#pragma once
/// @file
/// Sizes along the axes of a tensor, inline and checked.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// The largest rank of a tensor: numpy's limit when smdebug was written.
inline constexpr std::size_t max_rank = 32;

/// A small vector of at most `max_rank` 64-bit numbers; only the used ones are copied.
class Extents {
 public:
  constexpr Extents() noexcept {}  // NOLINT: elements beyond size() are never read
  /// Takes the first `max_rank` numbers; callers with unchecked input ask `fits` first.
  constexpr Extents(std::span<const std::int64_t> numbers) noexcept { assign(numbers.data(), numbers.size()); }
  constexpr Extents(std::initializer_list<std::int64_t> numbers) noexcept { assign(numbers.begin(), numbers.size()); }
  constexpr Extents(const Extents& other) noexcept { assign(other.numbers_, other.size_); }
  constexpr Extents& operator=(const Extents& other) noexcept {
    if (this != &other) assign(other.numbers_, other.size_);
    return *this;
  }

  static constexpr bool fits(std::size_t rank) noexcept { return rank <= max_rank; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr std::int64_t& operator[](std::size_t axis) noexcept { return numbers_[axis]; }
  constexpr std::int64_t operator[](std::size_t axis) const noexcept { return numbers_[axis]; }
  [[nodiscard]] constexpr const std::int64_t* data() const noexcept { return numbers_; }
  [[nodiscard]] constexpr const std::int64_t* begin() const noexcept { return numbers_; }
  [[nodiscard]] constexpr const std::int64_t* end() const noexcept { return numbers_ + size_; }
  /// Appends a number; false, and no change, when `max_rank` are there.
  constexpr bool push_back(std::int64_t number) noexcept {
    if (size_ == max_rank) return false;
    numbers_[size_++] = number;
    return true;
  }
  friend constexpr bool operator==(const Extents& a, const Extents& b) noexcept {
    if (a.size_ != b.size_) return false;
    for (std::size_t axis = 0; axis < a.size_; ++axis)
      if (a.numbers_[axis] != b.numbers_[axis]) return false;
    return true;
  }

 private:
  constexpr void assign(const std::int64_t* numbers, std::size_t count) noexcept {
    size_ = static_cast<std::uint8_t>(count < max_rank ? count : max_rank);
    for (std::size_t axis = 0; axis < size_; ++axis) numbers_[axis] = numbers[axis];
  }
  std::int64_t numbers_[max_rank];
  std::uint8_t size_ = 0;
};

/// The sizes of a tensor's axes, outermost first; empty for rank 0.
using Shape = Extents;
/// Distances between neighbours along each axis, in elements; may be zero or negative.
using Strides = Extents;

/// The product of the sizes (1 for rank 0); nothing when a size is negative, or when the product overflows, or would if
/// sizes of 0 were 1: then there are no strides.
constexpr std::optional<std::int64_t> element_count(std::span<const std::int64_t> sizes) noexcept {
  std::int64_t product = 1;
  bool is_empty = false;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    const std::int64_t size = sizes.data()[axis];  // a span's own iterators take a compiler long
    if (size < 0) return std::nullopt;
    if (size == 0) is_empty = true;
    else if (product > INT64_MAX / size) return std::nullopt;
    else product *= size;
  }
  return is_empty ? 0 : product;
}

constexpr std::optional<std::int64_t> element_count(const Shape& shape) noexcept {
  return element_count(std::span<const std::int64_t>(shape.data(), shape.size()));
}

/// Strides of the row-major layout without gaps; without a meaning, but defined, for a shape without `element_count`.
constexpr Strides row_major_strides(const Shape& shape) noexcept {
  Strides strides = shape;
  std::uint64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = static_cast<std::int64_t>(stride);
    if (shape[axis] > 0) stride *= static_cast<std::uint64_t>(shape[axis]);
  }
  return strides;
}

/// Whether row-major order visits memory without gaps; axes of size 1 may have any stride, an empty tensor always is.
constexpr bool is_row_major(const Shape& shape, const Strides& strides) noexcept {
  std::uint64_t stride = 1;
  bool contiguous = true;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 0) return true;
    if (shape[axis] != 1 && strides[axis] != static_cast<std::int64_t>(stride)) contiguous = false;
    stride *= static_cast<std::uint64_t>(shape[axis]);
  }
  return contiguous;
}

}  // namespace loupe::inline LOUPE_ABI
