#pragma once
/// @file
/// Counts the bytes of memory in use. Include it in exactly one file of a program: it replaces `operator new`.

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

/// Bytes that all threads together have allocated and not freed, with what the allocator adds to each block.
inline std::atomic<std::ptrdiff_t> live_bytes = 0;

namespace live_bytes_counter {

/// What malloc keeps beside a block.
inline constexpr std::ptrdiff_t overhead = 8;

inline void* count(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  live_bytes += static_cast<std::ptrdiff_t>(malloc_usable_size(memory)) + overhead;
  return memory;
}
inline void release(void* memory) noexcept {
  if (memory == nullptr) return;
  live_bytes -= static_cast<std::ptrdiff_t>(malloc_usable_size(memory)) + overhead;
  std::free(memory);
}
inline void* allocate_aligned(std::size_t size, std::align_val_t alignment) {
  const auto multiple = static_cast<std::size_t>(alignment);
  return count(std::aligned_alloc(multiple, (size + multiple - 1) / multiple * multiple));
}

}  // namespace live_bytes_counter

void* operator new(std::size_t size) { return live_bytes_counter::count(std::malloc(size == 0 ? 1 : size)); }
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, std::align_val_t alignment) { return live_bytes_counter::allocate_aligned(size, alignment); }
void* operator new[](std::size_t size, std::align_val_t alignment) { return live_bytes_counter::allocate_aligned(size, alignment); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  void* const memory = std::malloc(size == 0 ? 1 : size);
  return memory == nullptr ? nullptr : live_bytes_counter::count(memory);
}
void* operator new[](std::size_t size, const std::nothrow_t& nothrow) noexcept { return operator new(size, nothrow); }
void operator delete(void* memory) noexcept { live_bytes_counter::release(memory); }
void operator delete[](void* memory) noexcept { live_bytes_counter::release(memory); }
void operator delete(void* memory, std::size_t) noexcept { live_bytes_counter::release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { live_bytes_counter::release(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { live_bytes_counter::release(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { live_bytes_counter::release(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { live_bytes_counter::release(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { live_bytes_counter::release(memory); }
