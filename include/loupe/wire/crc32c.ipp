#include "loupe/wire/crc32c.hpp"
#include "loupe/wire/little_endian.hpp"

namespace loupe::inline LOUPE_ABI::wire {

namespace detail {

inline constexpr std::uint32_t crc32c_polynomial = 0x82F63B78u;

/// Tables by byte. Plain arrays: compilers take long to work out what goes through std::array.
template <std::size_t size>
struct CrcTables {
  std::uint32_t rows[size][256];
};

/// `rows[k][b]` is the effect of byte b followed by k zero bytes.
inline constexpr auto crc32c_tables = [] {
  CrcTables<8> made{};
  auto& tables = made.rows;
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1u) != 0 ? crc32c_polynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t zeros = 1; zeros < 8; ++zeros)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[zeros - 1][byte];
      tables[zeros][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  return made;
}();

LOUPE_DECL std::uint32_t crc32c_portable(std::span<const std::byte> bytes, std::uint32_t seed) noexcept {
  const auto& tables = crc32c_tables.rows;
  std::uint32_t crc = ~seed;
  const std::byte* position = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, position += 8) {
    const std::uint64_t eight = load_little_endian<std::uint64_t>(position) ^ crc;
    crc = tables[7][eight & 0xFF] ^ tables[6][(eight >> 8) & 0xFF] ^ tables[5][(eight >> 16) & 0xFF] ^
          tables[4][(eight >> 24) & 0xFF] ^ tables[3][(eight >> 32) & 0xFF] ^ tables[2][(eight >> 40) & 0xFF] ^
          tables[1][(eight >> 48) & 0xFF] ^ tables[0][eight >> 56];
  }
  for (; left > 0; --left, ++position)
    crc = (crc >> 8) ^ tables[0][(crc ^ static_cast<std::uint8_t>(*position)) & 0xFF];
  return ~crc;
}

#if LOUPE_HAS_X86_DISPATCH

/// A linear map of checksums: column i is the image of bit i.
struct CrcMap {
  std::uint32_t images[32];
};

constexpr std::uint32_t apply(const CrcMap& map, std::uint32_t crc) noexcept {
  std::uint32_t image = 0;
  for (std::size_t bit = 0; crc != 0; ++bit, crc >>= 1)
    if ((crc & 1u) != 0) image ^= map.images[bit];
  return image;
}

/// What appending `count` zero bytes does to a checksum register, as one table for each byte of the register; `count`
/// is a power of two.
constexpr CrcTables<4> zeros_tables(std::size_t count) noexcept {
  CrcMap map{};
  map.images[0] = crc32c_polynomial;
  for (std::size_t bit = 1; bit < 32; ++bit) map.images[bit] = std::uint32_t{1} << (bit - 1);
  for (std::size_t bits = 1; bits < count * 8; bits *= 2) {
    CrcMap twice{};
    for (std::size_t bit = 0; bit < 32; ++bit) twice.images[bit] = detail::apply(map, map.images[bit]);
    map = twice;
  }
  CrcTables<4> tables{};
  for (std::size_t place = 0; place < 4; ++place)
    for (std::size_t bit = 0; bit < 8; ++bit) {
      const std::size_t highest = std::size_t{1} << bit;
      for (std::size_t rest = 0; rest < highest; ++rest)
        tables.rows[place][highest + rest] = tables.rows[place][rest] ^ map.images[8 * place + bit];
    }
  return tables;
}

/// Bytes of each of the three streams: long ones, where joining them costs next to nothing, and short ones.
inline constexpr std::size_t long_stream = 4096;
inline constexpr std::size_t short_stream = 256;
inline constexpr auto long_zeros = zeros_tables(long_stream);
inline constexpr auto short_zeros = zeros_tables(short_stream);

constexpr std::uint32_t append_zeros(const CrcTables<4>& tables, std::uint32_t crc) noexcept {
  const auto& rows = tables.rows;
  return rows[0][crc & 0xFF] ^ rows[1][(crc >> 8) & 0xFF] ^ rows[2][(crc >> 16) & 0xFF] ^ rows[3][crc >> 24];
}

/// Three neighbouring streams at once, since the instruction takes three cycles and one can start in each cycle.
/// A stream's register after n bytes is that of n zero bytes, from the same start, xor that of the bytes from zero.
template <std::size_t stream>
[[gnu::target("sse4.2")]] inline std::uint64_t three_streams(const std::byte* position, std::uint64_t first,
                                                             const CrcTables<4>& zeros) noexcept {
  std::uint64_t second = 0;
  std::uint64_t third = 0;
  for (const std::byte* const end = position + stream; position != end; position += 8) {
    first = __builtin_ia32_crc32di(first, load_little_endian<std::uint64_t>(position));
    second = __builtin_ia32_crc32di(second, load_little_endian<std::uint64_t>(position + stream));
    third = __builtin_ia32_crc32di(third, load_little_endian<std::uint64_t>(position + 2 * stream));
  }
  const std::uint32_t joined =
      append_zeros(zeros, static_cast<std::uint32_t>(first)) ^ static_cast<std::uint32_t>(second);
  return append_zeros(zeros, joined) ^ static_cast<std::uint32_t>(third);
}

[[gnu::target("sse4.2")]] LOUPE_DECL std::uint32_t crc32c_sse42(std::span<const std::byte> bytes,
                                                                std::uint32_t seed) noexcept {
  std::uint64_t crc = ~seed;
  const std::byte* position = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 3 * long_stream; left -= 3 * long_stream, position += 3 * long_stream)
    crc = three_streams<long_stream>(position, crc, long_zeros);
  for (; left >= 3 * short_stream; left -= 3 * short_stream, position += 3 * short_stream)
    crc = three_streams<short_stream>(position, crc, short_zeros);
  for (; left >= 8; left -= 8, position += 8)
    crc = __builtin_ia32_crc32di(crc, load_little_endian<std::uint64_t>(position));
  auto rest = static_cast<std::uint32_t>(crc);
  for (; left > 0; --left, ++position) rest = __builtin_ia32_crc32qi(rest, static_cast<std::uint8_t>(*position));
  return ~rest;
}

#endif

}  // namespace detail

LOUPE_DECL std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t seed) noexcept {
#if LOUPE_HAS_X86_DISPATCH
  if (detail::has_crc32c_instruction()) return detail::crc32c_sse42(bytes, seed);
#endif
  return detail::crc32c_portable(bytes, seed);
}

}  // namespace loupe::inline LOUPE_ABI::wire
