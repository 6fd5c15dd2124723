#pragma once
/// @file
/// Counts the allocations of each thread. Include it in exactly one file of a program: it replaces `operator new`.

#include <cstddef>
#include <cstdlib>
#include <new>

/// Allocations of the calling thread so far.
inline thread_local std::size_t allocations_of_this_thread = 0;

namespace counting_allocator {

inline void* allocate(std::size_t size, std::size_t alignment) {
  ++allocations_of_this_thread;
  size = size == 0 ? 1 : size;
  void* memory = alignment <= alignof(std::max_align_t) ? std::malloc(size)
                                                        : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace counting_allocator

void* operator new(std::size_t size) { return counting_allocator::allocate(size, 0); }
void* operator new[](std::size_t size) { return counting_allocator::allocate(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return counting_allocator::allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return counting_allocator::allocate(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++allocations_of_this_thread;
  return std::malloc(size == 0 ? 1 : size);
}
void* operator new[](std::size_t size, const std::nothrow_t& nothrow) noexcept { return operator new(size, nothrow); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
