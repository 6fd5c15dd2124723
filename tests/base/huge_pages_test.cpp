#include "loupe/base/huge_pages.hpp"

#include <cerrno>
#include <cstddef>
#include <string_view>
#include <vector>

#include "loupe/base/byte_buffer.hpp"
#include "support/catch.hpp"

TEST_CASE("the hint leaves bytes and errno alone, at any size and alignment") {
  errno = 7;
  for (const std::size_t size : {std::size_t{0}, std::size_t{100}, loupe::huge_page_block, std::size_t{9} << 20}) {
    std::vector<std::byte> block(size + 5000, std::byte{42});
    for (const std::size_t offset : {0, 1, 4096}) loupe::prefer_huge_pages(block.data() + offset, size);
    for (std::size_t at = 0; at < block.size(); at += 4096) REQUIRE(block[at] == std::byte{42});
  }
  CHECK(errno == 7);
}

TEST_CASE("a buffer that grows beyond the size of large pages keeps its bytes") {
  loupe::ByteBuffer buffer;
  while (buffer.size() < 3 * loupe::huge_page_block) buffer.append(std::string_view("loupe"));
  const std::string_view text = buffer.text();
  for (std::size_t at = 0; at + 5 <= text.size(); at += 5 * 1021) REQUIRE(text.substr(at, 5) == "loupe");
}
