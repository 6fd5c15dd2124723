#include "loupe/wire/crc32c.hpp"

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/table.hpp"

namespace wire = loupe::wire;

namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

/// By definition: bit by bit.
std::uint32_t by_bits(std::span<const std::byte> bytes, std::uint32_t seed) {
  std::uint32_t crc = ~seed;
  for (const std::byte byte : bytes) {
    crc ^= static_cast<std::uint8_t>(byte);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0x82F63B78u : 0);
  }
  return ~crc;
}

std::vector<std::byte> noise(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::byte> bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

}  // namespace

TEST_CASE("checksums are those of smdebug's table") {
  const Table table("crc");
  for (const auto& row : table.rows()) {
    const std::string_view text = text_of(row["in"]);
    CHECK(wire::crc32c(bytes_of(text)) == row["out"]["crc32c"].GetUint());
    CHECK(wire::mask_crc32c(wire::crc32c(bytes_of(text))) == row["out"]["masked"].GetUint());
  }
}

TEST_CASE("checksums are those of the published test vectors") {
  CHECK(wire::crc32c({}) == 0);
  CHECK(wire::crc32c(bytes_of("123456789")) == 0xE3069283u);
  CHECK(wire::crc32c(bytes_of(std::string(32, '\0'))) == 0x8A9136AAu);
  CHECK(wire::crc32c(bytes_of(std::string(32, '\xFF'))) == 0x62A8AB43u);
  CHECK(wire::mask_crc32c(wire::crc32c(bytes_of("123456789"))) == 0xC78AB0E5u);
}

TEST_CASE("masking can be undone") {
  for (const std::uint32_t crc : {0u, 1u, 0x80000000u, 0xFFFFFFFFu, 0xE3069283u, 0x5D7D1528u}) {
    CHECK(wire::unmask_crc32c(wire::mask_crc32c(crc)) == crc);
  }
}

TEST_CASE("both ways of computing agree with the definition at every length and alignment") {
  const std::vector<std::byte> bytes = noise(1200, 1);
  std::size_t differing = 0;
  for (std::size_t alignment = 0; alignment < 8; ++alignment) {
    for (std::size_t size = 0; size + alignment <= 850; ++size) {
      const std::span part = std::span(bytes).subspan(alignment, size);
      const std::uint32_t expected = by_bits(part, 0xDEADBEEF);
      if (wire::detail::crc32c_portable(part, 0xDEADBEEF) != expected) ++differing;
#if LOUPE_HAS_X86_DISPATCH
      if (wire::detail::has_crc32c_instruction() && wire::detail::crc32c_sse42(part, 0xDEADBEEF) != expected)
        ++differing;
#endif
    }
  }
  CHECK(differing == 0);
}

TEST_CASE("both ways agree around the lengths where the streams change") {
  const std::vector<std::byte> bytes = noise(40000, 2);
  for (const std::size_t edge :
       {std::size_t{768}, std::size_t{12288}, std::size_t{13056}, std::size_t{24576}, std::size_t{36864}}) {
    for (std::size_t size = edge - 9; size <= edge + 9; ++size) {
      const std::span part = std::span(bytes).subspan(3, size);
      CHECK(wire::crc32c(part, 7) == wire::detail::crc32c_portable(part, 7));
    }
  }
}

TEST_CASE("the checksum of a whole follows from its parts") {
  const std::vector<std::byte> bytes = noise(5000, 3);
  const std::uint32_t whole = wire::crc32c(bytes);
  for (const std::size_t cut : {0u, 1u, 7u, 8u, 255u, 768u, 4096u, 4999u, 5000u}) {
    CHECK(wire::crc32c(std::span(bytes).subspan(cut), wire::crc32c(std::span(bytes).first(cut))) == whole);
  }
}
