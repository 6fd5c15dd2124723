#include "loupe/trial/index_block.hpp"

#include "support/catch.hpp"

namespace {

loupe::IndexEntry entry(const loupe::Interned& tensor, std::uint16_t part, std::uint64_t start, std::uint64_t length) {
  loupe::IndexEntry made;
  made.tensor = &tensor;
  made.part = part;
  made.start = start;
  made.length = length & loupe::max_record_length;
  return made;
}

}  // namespace

TEST_CASE("an index entry takes 24 bytes") { CHECK(sizeof(loupe::IndexEntry) == 24); }

TEST_CASE("entries of a sealed block are found by tensor and part") {
  const loupe::Interned a{"a", 0};
  const loupe::Interned b{"b", 1};
  const loupe::Interned c{"c", 2};
  loupe::IndexBlock block;
  block.entries = {entry(b, loupe::value_part, 100, 10), entry(a, 5, 30, 3), entry(a, loupe::value_part, 0, 30)};
  block.seal();
  CHECK(block.has(&a));
  CHECK(block.has(&b));
  CHECK_FALSE(block.has(&c));
  CHECK(block.find(&a, loupe::value_part)->length == 30);
  CHECK(block.find(&a, 5)->start == 30);
  CHECK(block.find(&a, 4) == nullptr);
  CHECK(block.find(&c, loupe::value_part) == nullptr);
  const auto [first, last] = block.of(&a);
  CHECK(last - first == 2);
}

TEST_CASE("of several entries about the same thing the last one counts") {
  const loupe::Interned a{"a", 0};
  loupe::IndexBlock block;
  block.entries = {entry(a, loupe::value_part, 0, 10), entry(a, loupe::value_part, 50, 20), entry(a, loupe::value_part, 90, 30)};
  block.seal();
  REQUIRE(block.entries.size() == 1);
  CHECK(block.find(&a, loupe::value_part)->start == 90);
}

TEST_CASE("a block keeps value and shape of a tensor, unless told to hide the value") {
  const loupe::Interned a{"a", 0};
  const loupe::Interned b{"b", 1};
  loupe::IndexBlock block;
  block.extents = {2, 3};
  block.entries = {entry(a, loupe::value_part, 0, 10), entry(b, loupe::value_part, 10, 10), entry(a, loupe::shape_part, 0, 2)};
  loupe::IndexBlock hiding = block;
  block.seal();
  CHECK(block.find(&a, loupe::value_part) != nullptr);
  CHECK(block.shape(*block.find(&a, loupe::shape_part)) == loupe::Shape{2, 3});
  hiding.hide_values_with_shapes();
  hiding.seal();
  CHECK(hiding.find(&a, loupe::value_part) == nullptr);
  CHECK(hiding.find(&a, loupe::shape_part) != nullptr);
  CHECK(hiding.find(&b, loupe::value_part) != nullptr);
}

TEST_CASE("the longest length that fits is kept exactly") {
  const loupe::Interned a{"a", 0};
  loupe::IndexBlock block;
  block.entries = {entry(a, loupe::value_part, UINT64_MAX - loupe::max_record_length, loupe::max_record_length)};
  block.seal();
  CHECK(block.find(&a, loupe::value_part)->length == loupe::max_record_length);
  CHECK(block.find(&a, loupe::value_part)->start == UINT64_MAX - loupe::max_record_length);
}
