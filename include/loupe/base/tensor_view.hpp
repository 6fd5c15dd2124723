#pragma once
/// @file
/// The one form in which tensors travel through loupe: a view that owns nothing.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "loupe/base/config.hpp"
#include "loupe/base/element_type.hpp"
#include "loupe/base/shape.hpp"

namespace loupe::inline LOUPE_ABI {

/// Kinds of memory, with DLPack's numbers.
enum class DeviceKind : std::uint8_t { cpu = 1, cuda = 2, cuda_host = 3, opencl = 4, vulkan = 7, metal = 8, rocm = 10, rocm_host = 11, cuda_managed = 13, one_api = 14 };

/// Where a tensor's memory is.
struct Device {
  DeviceKind kind = DeviceKind::cpu;
  std::int32_t index = 0;
  /// Whether the CPU may read the memory directly.
  [[nodiscard]] constexpr bool host_readable() const noexcept {
    return kind == DeviceKind::cpu || kind == DeviceKind::cuda_host || kind == DeviceKind::rocm_host || kind == DeviceKind::cuda_managed;
  }
  friend constexpr bool operator==(Device, Device) noexcept = default;
};

/// A non-owning view of a strided tensor. `data` addresses the element with all indices 0 and may be unaligned for its
/// type: elements are read by copying their bytes. Strides are in elements, may be zero or negative. A view with
/// `type == ElementType::none` is *empty*: an undefined tensor or missing gradient, which no call treats as an error.
struct TensorView {
  const void* data = nullptr;
  ElementType type = ElementType::none;
  Device device;
  Shape shape;
  Strides strides;

  TensorView() noexcept = default;
  /// A row-major tensor without gaps.
  TensorView(const void* first, ElementType element, const Shape& sizes) noexcept
      : data(first), type(element), shape(sizes), strides(row_major_strides(sizes)) {}
  TensorView(const void* first, ElementType element, const Shape& sizes, const Strides& distances, Device where = {}) noexcept
      : data(first), type(element), device(where), shape(sizes), strides(distances) {}
  /// A rank-1 tensor over contiguous elements.
  template <Element Type, std::size_t Extent>
  explicit TensorView(std::span<Type, Extent> elements) noexcept
      : TensorView(elements.data(), element_type_of<std::remove_cv_t<Type>>, {static_cast<std::int64_t>(elements.size())}) {}

  /// Whether there is a tensor at all (a tensor of zero elements is one).
  [[nodiscard]] bool has_tensor() const noexcept { return type != ElementType::none; }
  [[nodiscard]] std::size_t rank() const noexcept { return shape.size(); }
  /// Number of elements. The shape must be valid (`element_count(shape)` has a value).
  [[nodiscard]] std::int64_t size() const noexcept {
    std::uint64_t product = 1;
    for (const std::int64_t extent : shape) product *= static_cast<std::uint64_t>(extent);
    return static_cast<std::int64_t>(product);
  }
  /// `size()` times the element's size.
  [[nodiscard]] std::size_t byte_size() const noexcept { return static_cast<std::size_t>(size()) * element_size(type); }
  [[nodiscard]] bool contiguous() const noexcept { return is_row_major(shape, strides); }
};

/// Reads one element from memory of any alignment.
template <class Type>
LOUPE_ALWAYS_INLINE Type load_element(const void* address) noexcept {
  Type element;
  std::memcpy(&element, address, sizeof element);
  return element;
}

/// Calls `visit(const std::byte* first, std::int64_t count)` for each maximal run of elements that are neighbours in
/// memory, in row-major order of the tensor. Non-contiguous tensors need no temporary copy.
/// The view must be readable by the host and have a valid shape.
template <class Visitor>
void for_each_run(const TensorView& view, Visitor&& visit) {
  const auto* base = static_cast<const std::byte*>(view.data);
  const std::size_t width = element_size(view.type);
  std::size_t outer = view.rank();
  std::int64_t run = 1;
  while (outer > 0 && (view.shape[outer - 1] == 1 || view.strides[outer - 1] == run)) {
    run *= view.shape[outer - 1];
    --outer;
  }
  for (const std::int64_t extent : view.shape)
    if (extent == 0) return;
  std::int64_t index[max_rank] = {};
  std::int64_t position = 0;
  while (true) {
    visit(base + position * static_cast<std::int64_t>(width), run);
    std::size_t axis = outer;
    while (axis > 0) {
      --axis;
      position += view.strides[axis];
      if (++index[axis] < view.shape[axis]) break;
      position -= view.strides[axis] * view.shape[axis];
      index[axis] = 0;
      if (axis == 0) return;
    }
    if (outer == 0) return;
  }
}

/// Copies the elements to `out` (of `byte_size()` bytes) in row-major order.
inline void copy_row_major(const TensorView& view, std::byte* out) noexcept {
  const std::size_t width = element_size(view.type);
  if (view.contiguous()) {
    if (const std::size_t bytes = view.byte_size(); bytes != 0) std::memcpy(out, view.data, bytes);
    return;
  }
  for_each_run(view, [&](const std::byte* first, std::int64_t count) {
    const std::size_t bytes = static_cast<std::size_t>(count) * width;
    std::memcpy(out, first, bytes);
    out += bytes;
  });
}

}  // namespace loupe::inline LOUPE_ABI
