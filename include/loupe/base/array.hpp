#pragma once
/// @file
/// An owning tensor: what a trial gives when a value is to outlive it.

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/element_type.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/tensor_view.hpp"

namespace loupe::inline LOUPE_ABI {

/// A dense row-major tensor that owns its elements, aligned to 64 bytes. Copies are deep.
class Array {
 public:
  /// No tensor.
  Array() noexcept = default;

  /// An array of unspecified numbers. Fails for a shape whose byte size doesn't fit, and for `string` or `none`.
  static result<Array> make(ElementType type, const Shape& shape) {
    const auto count = element_count(shape);
    const std::size_t width = element_size(type);
    if (!count || type == ElementType::none || type == ElementType::string)
      return fail(ErrorKind::invalid_argument, "array", "an array needs a numeric element type and a shape of countable size");
    if (static_cast<std::uint64_t>(*count) > max_bytes / width)
      return fail(ErrorKind::limit_exceeded, "array", "the elements would take more than 2^47 bytes");
    Array array;
    array.type_ = type;
    array.shape_ = shape;
    array.byte_size_ = static_cast<std::size_t>(*count) * width;
    array.allocate();
    return array;
  }

  /// A copy of a tensor's elements in row-major order. The view must be readable by the host.
  static result<Array> copy_of(const TensorView& view) {
    if (view.type == ElementType::string) {
      if (!element_count(view.shape))
        return fail(ErrorKind::invalid_argument, "array", "its shape has a negative size or too many elements");
      std::vector<std::string> texts;
      texts.reserve(static_cast<std::size_t>(view.size()));
      for_each_run(view, [&](const std::byte* first, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i)
          texts.emplace_back(load_element<std::string_view>(first + static_cast<std::size_t>(i) * sizeof(std::string_view)));
      });
      return strings(std::move(texts), view.shape);
    }
    LOUPE_ASSIGN(Array array, make(view.type, view.shape));
    copy_row_major(view, array.data_);
    return array;
  }

  /// An array of texts; `shape` must count as many elements as there are texts.
  static result<Array> strings(std::vector<std::string> texts, const Shape& shape) {
    const auto count = element_count(shape);
    if (!count || static_cast<std::uint64_t>(*count) != texts.size())
      return fail(ErrorKind::invalid_argument, "array", "the shape must count as many elements as there are texts");
    Array array;
    array.type_ = ElementType::string;
    array.shape_ = shape;
    array.texts_ = std::move(texts);
    array.index_texts();
    return array;
  }

  Array(const Array& other)
      : byte_size_(other.byte_size_), type_(other.type_), shape_(other.shape_), texts_(other.texts_) {
    if (type_ == ElementType::string) {
      index_texts();
    } else if (other.data_ != nullptr) {
      allocate();
      std::memcpy(data_, other.data_, byte_size_);
    }
  }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array other) noexcept {
    swap(other);
    return *this;
  }
  ~Array() {
    if (data_ != nullptr) ::operator delete(data_, alignment);
  }
  void swap(Array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(byte_size_, other.byte_size_);
    std::swap(type_, other.type_);
    std::swap(shape_, other.shape_);
    texts_.swap(other.texts_);
    text_views_.swap(other.text_views_);
  }

  [[nodiscard]] ElementType type() const noexcept { return type_; }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t rank() const noexcept { return shape_.size(); }
  /// Number of elements; 0 for no tensor.
  [[nodiscard]] std::size_t size() const noexcept {
    if (type_ == ElementType::none) return 0;
    return type_ == ElementType::string ? texts_.size() : byte_size_ / element_size(type_);
  }
  /// The elements' bytes; empty for strings.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, byte_size_}; }
  [[nodiscard]] std::span<std::byte> bytes() noexcept { return {data_, byte_size_}; }
  /// A view that is valid while the array lives unchanged.
  [[nodiscard]] TensorView view() const noexcept {
    if (type_ == ElementType::none) return {};
    if (type_ == ElementType::string) return {text_views_.data(), type_, shape_};
    return {data_, type_, shape_};
  }
  /// The elements as their own type; empty when `Type` is another one.
  template <Element Type>
  [[nodiscard]] std::span<const Type> elements() const noexcept {
    if (element_type_of<Type> != type_) return {};
    if constexpr (std::same_as<Type, std::string_view>)
      return text_views_;
    else
      return {reinterpret_cast<const Type*>(data_), size()};
  }
  template <Element Type>
    requires(!std::same_as<Type, std::string_view>)
  [[nodiscard]] std::span<Type> elements() noexcept {
    if (element_type_of<Type> != type_) return {};
    return {reinterpret_cast<Type*>(data_), size()};
  }

 private:
  static constexpr std::align_val_t alignment{64};
  static constexpr std::uint64_t max_bytes = std::uint64_t{1} << 47;

  void allocate() {
    if (byte_size_ != 0) data_ = static_cast<std::byte*>(::operator new(byte_size_, alignment));
  }
  void index_texts() { text_views_.assign(texts_.begin(), texts_.end()); }

  std::byte* data_ = nullptr;
  std::size_t byte_size_ = 0;
  ElementType type_ = ElementType::none;
  Shape shape_;
  std::vector<std::string> texts_;
  std::vector<std::string_view> text_views_;
};

}  // namespace loupe::inline LOUPE_ABI
