#include "loupe/base/huge_pages.hpp"

#include <sys/mman.h>

#include <cerrno>
#include <cstdint>

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL void prefer_huge_pages(void* block, std::size_t size) noexcept {
#ifdef MADV_HUGEPAGE
  if (size < huge_page_block) return;
  constexpr std::size_t page = std::size_t{2} << 20;  // of x86-64, and of arm64 with 4 KB pages
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  const std::size_t before = (page - begin % page) % page;
  const int number = errno;
  (void)::madvise(static_cast<std::byte*>(block) + before, (size - before) / page * page, MADV_HUGEPAGE);
  errno = number;
#else
  (void)block;
  (void)size;
#endif
}

}  // namespace loupe::inline LOUPE_ABI
