#pragma once
/// @file
/// Growable bytes without zero-filling: what records are encoded into and files are read into.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/base/huge_pages.hpp"

namespace loupe::inline LOUPE_ABI {

/// A byte vector whose growth leaves new bytes uninitialised and whose `clear` keeps the memory. Move-only.
class ByteBuffer {
 public:
  ByteBuffer() noexcept = default;
  ByteBuffer(ByteBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)), capacity_(std::exchange(other.capacity_, 0)) {}
  ByteBuffer& operator=(ByteBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ByteBuffer(const ByteBuffer&) = delete;
  ByteBuffer& operator=(const ByteBuffer&) = delete;
  ~ByteBuffer() { ::operator delete(data_); }

  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }
  [[nodiscard]] std::string_view text() const noexcept { return {reinterpret_cast<const char*>(data_), size_}; }

  /// Forgets the content, keeps the memory.
  void clear() noexcept { size_ = 0; }
  /// Shrinks to `size` bytes, which must not exceed `size()`.
  void truncate(std::size_t size) noexcept { size_ = size; }
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) reallocate(capacity);
  }
  /// Appends `count` uninitialised bytes and returns where they begin; valid until the next growth.
  std::byte* extend(std::size_t count) {
    if (count > capacity_ - size_) reallocate(grown(count));
    std::byte* begin = data_ + size_;
    size_ += count;
    return begin;
  }
  /// Makes room to append `count` bytes; false if there is no memory for so many.
  [[nodiscard]] bool try_make_room(std::size_t count) noexcept {
    if (count <= capacity_ - size_) return true;
    const std::size_t capacity = grown(count);
    void* const memory = ::operator new(capacity, std::nothrow);
    if (memory == nullptr) return false;
    move_to(static_cast<std::byte*>(memory), capacity);
    return true;
  }
  /// The bytes must not be this buffer's own.
  void append(std::span<const std::byte> bytes) {
    if (!bytes.empty()) std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
  }
  void append(std::string_view text) {
    if (!text.empty()) std::memcpy(extend(text.size()), text.data(), text.size());
  }
  void append(char byte) { *extend(1) = static_cast<std::byte>(byte); }

 private:
  [[nodiscard]] std::size_t grown(std::size_t count) const noexcept {
    if (count > SIZE_MAX / 2 - size_) return SIZE_MAX / 2;  // more than any allocation gives
    const std::size_t wanted = size_ + count;
    const std::size_t doubled = capacity_ * 2;
    return wanted > doubled ? (wanted < 64 ? 64 : wanted) : doubled;
  }
  LOUPE_NEVER_INLINE void reallocate(std::size_t capacity) {
    move_to(static_cast<std::byte*>(::operator new(capacity)), capacity);
  }
  void move_to(std::byte* moved, std::size_t capacity) noexcept {
    prefer_huge_pages(moved, capacity);
    if (size_ != 0) std::memcpy(moved, data_, size_);
    ::operator delete(data_);
    data_ = moved;
    capacity_ = capacity;
  }
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace loupe::inline LOUPE_ABI
