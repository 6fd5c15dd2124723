#pragma once
/// @file
/// A tensor as a sequence of blocks of elements that are neighbours in memory.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "loupe/base/config.hpp"
#include "loupe/base/tensor_view.hpp"

namespace loupe::inline LOUPE_ABI {

/// Gives the elements of a view in row-major order, so many at a time: from where they are if the view is contiguous,
/// else gathered in a buffer. The view must have a tensor of valid shape in host memory, which outlives the reader.
class BlockReader {
 public:
  explicit BlockReader(const TensorView& view) noexcept
      : view_(view),
        rest_(view.size()),
        is_contiguous_(view.contiguous()) {}

  /// The number of elements that haven't been read.
  [[nodiscard]] std::int64_t rest() const noexcept { return rest_; }
  [[nodiscard]] bool is_contiguous() const noexcept { return is_contiguous_; }

  /// The next `count` elements, at most `rest()`. `buffer` has room for them and is used if the view has gaps; what is
  /// returned is valid until it is used again.
  const std::byte* read(std::size_t count, std::byte* buffer) noexcept {
    const std::size_t width = element_size(view_.type);
    const auto* base = static_cast<const std::byte*>(view_.data);
    rest_ -= static_cast<std::int64_t>(count);
    if (is_contiguous_) {
      const std::byte* first = base + position_ * static_cast<std::int64_t>(width);
      position_ += static_cast<std::int64_t>(count);
      return first;
    }
    const std::size_t last = view_.rank() - 1;  // a view of rank 0 is contiguous
    const std::int64_t stride = view_.strides[last];
    for (std::size_t done = 0; done < count;) {
      std::int64_t run = view_.shape[last] - index_[last];
      if (run > static_cast<std::int64_t>(count - done)) run = static_cast<std::int64_t>(count - done);
      gather(base + position_ * static_cast<std::int64_t>(width), stride, run, width, buffer + done * width);
      done += static_cast<std::size_t>(run);
      position_ += stride * run;
      index_[last] += run;
      if (index_[last] == view_.shape[last]) next_row();
    }
    return buffer;
  }

 private:
  // Moves to the beginning of the next run along the last axis; beyond the last one the position means nothing.
  void next_row() noexcept {
    std::size_t axis = view_.rank() - 1;
    while (true) {
      position_ -= view_.strides[axis] * view_.shape[axis];
      index_[axis] = 0;
      if (axis == 0) return;
      --axis;
      position_ += view_.strides[axis];
      if (++index_[axis] < view_.shape[axis]) return;
    }
  }

  template <std::size_t width>
  static void gather_elements(const std::byte* from, std::int64_t stride, std::int64_t count, std::byte* to) noexcept {
    for (std::int64_t element = 0; element < count; ++element)
      std::memcpy(to + element * static_cast<std::int64_t>(width),
                  from + element * stride * static_cast<std::int64_t>(width), width);
  }
  static void gather(const std::byte* from, std::int64_t stride, std::int64_t count, std::size_t width,
                     std::byte* to) noexcept {
    if (stride == 1) {
      std::memcpy(to, from, static_cast<std::size_t>(count) * width);
      return;
    }
    switch (width) {
      case 1: return gather_elements<1>(from, stride, count, to);
      case 2: return gather_elements<2>(from, stride, count, to);
      case 4: return gather_elements<4>(from, stride, count, to);
      case 8: return gather_elements<8>(from, stride, count, to);
      default: return gather_elements<16>(from, stride, count, to);
    }
  }

  TensorView view_;
  std::int64_t rest_;
  std::int64_t position_ = 0;          // of the next element, in elements from view_.data
  std::int64_t index_[max_rank] = {};  // of the next element
  bool is_contiguous_;
};

}  // namespace loupe::inline LOUPE_ABI
