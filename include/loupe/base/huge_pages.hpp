#pragma once
/// @file
/// A hint to the system for large blocks of memory.

#include <cstddef>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// From this size on a block gains from large pages: those that lie in it whole are what the hint is about.
inline constexpr std::size_t huge_page_block = std::size_t{4} << 20;

/// Asks for large pages behind a block that isn't written yet: one fault instead of 512, and fewer misses when it is
/// copied. Does nothing for smaller blocks and where the system has no such pages.
LOUPE_DECL void prefer_huge_pages(void* block, std::size_t size) noexcept;

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/base/huge_pages.ipp"
#endif
