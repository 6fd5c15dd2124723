#include "loupe/wire/little_endian.hpp"

#include <cstddef>
#include <cstdint>

#include "support/catch.hpp"

namespace wire = loupe::wire;

TEST_CASE("numbers are stored with their lowest byte first, at any address") {
  std::byte bytes[16] = {};
  for (std::size_t place = 0; place < 8; ++place) {
    wire::store_little_endian(bytes + place, std::uint32_t{0x04030201});
    CHECK(bytes[place] == std::byte{1});
    CHECK(bytes[place + 3] == std::byte{4});
    CHECK(wire::load_little_endian<std::uint32_t>(bytes + place) == 0x04030201);
    wire::store_little_endian(bytes + place, -2.5);
    CHECK(bytes[place + 7] == std::byte{0xC0});
    CHECK(wire::load_little_endian<double>(bytes + place) == -2.5);
  }
}
