#pragma once
/// @file
/// Numbers in files: little-endian, at any address.

#include <bit>
#include <cstddef>
#include <cstring>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI::wire {

// Tensors' bytes go between memory and files as they are.
static_assert(std::endian::native == std::endian::little, "loupe: only little-endian processors are supported");

template <class Number>
LOUPE_ALWAYS_INLINE Number load_little_endian(const void* address) noexcept {
  Number number;
  std::memcpy(&number, address, sizeof number);
  return number;
}

template <class Number>
LOUPE_ALWAYS_INLINE void store_little_endian(void* address, Number number) noexcept {
  std::memcpy(address, &number, sizeof number);
}

}  // namespace loupe::inline LOUPE_ABI::wire
