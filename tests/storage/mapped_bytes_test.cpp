#include "loupe/storage/mapped_bytes.hpp"

#include <memory>
#include <utility>
#include <vector>

#include "support/catch.hpp"

using loupe::MappedBytes;

TEST_CASE("bytes stay as long as any copy that refers to them") {
  auto memory = std::make_shared<std::vector<std::byte>>(3, std::byte{7});
  const std::weak_ptr<std::vector<std::byte>> watched = memory;
  const std::span<const std::byte> bytes = *memory;
  MappedBytes first(bytes, std::move(memory));
  MappedBytes second = first;
  first = MappedBytes();
  CHECK(first.bytes().empty());
  CHECK(second.bytes().data() == bytes.data());
  CHECK(second.bytes().size() == 3);
  MappedBytes third = std::move(second);
  CHECK_FALSE(watched.expired());
  third = MappedBytes();
  CHECK(watched.expired());
}

TEST_CASE("mapped bytes of nothing are empty") {
  CHECK(MappedBytes().bytes().empty());
}
