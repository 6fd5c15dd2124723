#include "loupe/base/byte_buffer.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/sanitizer.hpp"

using loupe::ByteBuffer;

TEST_CASE("bytes and texts are appended in order across growth") {
  ByteBuffer buffer;
  std::string expected;
  for (int round = 0; round < 1000; ++round) {
    buffer.append("round ");
    buffer.append('!');
    expected += "round !";
  }
  CHECK(buffer.text() == expected);
}

TEST_CASE("clearing keeps the memory, truncating keeps a beginning") {
  ByteBuffer buffer;
  buffer.append("0123456789");
  const auto* memory = buffer.data();
  buffer.truncate(4);
  CHECK(buffer.text() == "0123");
  buffer.clear();
  CHECK(buffer.empty());
  buffer.append("abcdef");
  CHECK(buffer.data() == memory);
}

TEST_CASE("a moved-from buffer is empty and can be used again") {
  ByteBuffer from;
  from.append("text");
  ByteBuffer to = std::move(from);
  CHECK(to.text() == "text");
  CHECK(from.empty());
  from.append("new");
  CHECK(from.text() == "new");
}

TEST_CASE("room is made without appending anything, and more than any memory holds is refused") {
  ByteBuffer buffer;
  buffer.append("text");
  REQUIRE(buffer.try_make_room(100'000));
  CHECK(buffer.text() == "text");
  const std::size_t capacity = buffer.capacity();
  CHECK(capacity >= 100'004);
  buffer.extend(100'000);
  CHECK(buffer.capacity() == capacity);
  REQUIRE(ByteBuffer().try_make_room(0));
  if constexpr (!huge_allocations_end_the_process) {
    CHECK_FALSE(buffer.try_make_room(SIZE_MAX - 10));
    CHECK_FALSE(buffer.try_make_room(SIZE_MAX / 2));
    CHECK(buffer.text().substr(0, 4) == "text");
  }
}
