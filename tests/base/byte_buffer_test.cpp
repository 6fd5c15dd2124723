#include "loupe/base/byte_buffer.hpp"

#include <string>

#include "support/catch.hpp"

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
