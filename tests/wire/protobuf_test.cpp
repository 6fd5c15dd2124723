#include "loupe/wire/protobuf.hpp"

#include <cstdint>
#include <initializer_list>
#include <random>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

namespace wire = loupe::wire;
using loupe::ErrorKind;
using wire::FieldReader;
using wire::WireType;

namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::initializer_list<int> numbers) {
  Bytes bytes;
  for (const int number : numbers) bytes.push_back(static_cast<std::byte>(number));
  return bytes;
}

loupe::Error error_of(const Bytes& message) {
  FieldReader reader(message, "events/f.tfevents", 100);
  while (true) {
    auto field = reader.next();
    if (!field) return field.error();
    REQUIRE(*field);
  }
}

}  // namespace

TEST_CASE("fields of all forms are read in order") {
  const Bytes message = bytes_of({0x08, 0x96, 0x01,                                   // 1: varint 150
                                  0x12, 0x03, 'a',  'b',  'c',                        // 2: text
                                  0x1D, 0x00, 0x00, 0xC0, 0x3F,                       // 3: float 1.5
                                  0x21, 0,    0,    0,    0,    0,    0, 0x04, 0xC0,  // 4: double -2.5
                                  0xF8, 0xFF, 0xFF, 0xFF, 0x0F, 0x01,                 // the largest number: varint 1
                                  0x0A, 0x00});                                       // 1 in another form
  FieldReader reader(message, "f", 10);
  auto field = reader.next().value();
  REQUIRE(field);
  CHECK(field->is(1, WireType::varint));
  CHECK(field->bits == 150);
  CHECK(field->offset == 11);
  field = reader.next().value();
  REQUIRE(field);
  CHECK(field->is(2, WireType::length_delimited));
  CHECK(field->text() == "abc");
  CHECK(field->offset == 15);
  field = reader.next().value();
  REQUIRE(field);
  CHECK(field->is(3, WireType::fixed32));
  CHECK(field->as_float() == 1.5f);
  field = reader.next().value();
  REQUIRE(field);
  CHECK(field->is(4, WireType::fixed64));
  CHECK(field->as_double() == -2.5);
  field = reader.next().value();
  REQUIRE(field);
  CHECK(field->is((1u << 29) - 1, WireType::varint));
  field = reader.next().value();
  REQUIRE(field);
  CHECK_FALSE(field->is(1, WireType::varint));
  CHECK(field->bytes.empty());
  CHECK_FALSE(reader.next().value());
}

TEST_CASE("a message within a message knows its place in the file") {
  const Bytes message = bytes_of({0x12, 0x04, 0x0A, 0x02, 0x08, 0x80});
  FieldReader outer(message, "f", 40);
  const auto middle = outer.next().value();
  REQUIRE(middle);
  FieldReader reader(*middle, "f");
  const auto inner = reader.next().value();
  REQUIRE(inner);
  FieldReader innermost(*inner, "f");
  const auto broken = innermost.next();
  REQUIRE_FALSE(broken);
  CHECK(broken.error().offset == 45);
}

TEST_CASE("malformed fields are errors that name file and offset") {
  const struct {
    Bytes message;
    std::int64_t offset;
  } cases[] = {
      {bytes_of({0x80}), 100},                                                                    // tag cut off
      {bytes_of({0x08}), 101},                                                                    // varint missing
      {bytes_of({0x08, 0xFF, 0xFF}), 101},                                                        // varint cut off
      {bytes_of({0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02}), 101},        // 65 bits
      {bytes_of({0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01}), 101},  // 11 bytes
      {bytes_of({0x12, 0x04, 'a', 'b', 'c'}), 102},                                               // too long
      {bytes_of({0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01}), 111},        // far too long
      {bytes_of({0x1D, 0, 0, 0}), 101},                                                           // fixed32
      {bytes_of({0x21, 0, 0, 0, 0, 0, 0, 0}), 101},                                               // fixed64
      {bytes_of({0x00, 0x01}), 100},                                                              // number 0
      {bytes_of({0x80, 0x80, 0x80, 0x80, 0x10, 0x01}), 100},                                      // number 2^29
      {bytes_of({0x08, 0x01, 0x0B, 0x0C}), 103},                                                  // group
      {bytes_of({0x0E}), 101},                                                                    // form 6
  };
  for (const auto& [message, offset] : cases) {
    const loupe::Error error = error_of(message);
    CHECK(error.kind == ErrorKind::corrupt);
    CHECK(error.object == "events/f.tfevents");
    CHECK(error.offset == offset);
  }
}

TEST_CASE("varints of ten bytes hold all 64 bits, and long forms of small numbers are read") {
  const Bytes largest = bytes_of({0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01});
  CHECK(FieldReader(largest, "f", 0).next().value()->bits == UINT64_MAX);
  const Bytes padded = bytes_of({0x08, 0x81, 0x80, 0x80, 0x00});
  CHECK(FieldReader(padded, "f", 0).next().value()->bits == 1);
}

TEST_CASE("packed numbers are read one by one") {
  const Bytes packed = bytes_of({0x01, 0x96, 0x01, 0x00, 0x80});
  FieldReader reader(packed, "f", 7);
  CHECK(reader.next_packed(WireType::varint).value()->bits == 1u);
  const auto second = reader.next_packed(WireType::varint).value();
  CHECK(second->bits == 150u);
  CHECK(second->offset == 8);
  CHECK(second->is(0, WireType::varint));
  CHECK(reader.next_packed(WireType::varint).value()->bits == 0u);
  CHECK(reader.next_packed(WireType::varint).error().offset == 11);
  FieldReader end({}, "f", 0);
  CHECK_FALSE(end.next_packed(WireType::varint).value());

  const Bytes floats = bytes_of({0x00, 0x00, 0xC0, 0x3F, 0x00, 0x00, 0x00, 0xC0, 0x00});
  FieldReader float_reader(floats, "f", 0);
  CHECK(float_reader.next_packed(WireType::fixed32).value()->as_float() == 1.5f);
  CHECK(float_reader.next_packed(WireType::fixed32).value()->as_float() == -2.0f);
  CHECK(float_reader.next_packed(WireType::fixed32).error().kind == ErrorKind::corrupt);
  FieldReader double_reader(floats, "f", 0);
  REQUIRE(double_reader.next_packed(WireType::fixed64).value());
  CHECK(double_reader.next_packed(WireType::fixed64).error().offset == 8);
}

TEST_CASE("what is written is as long as was measured, and reads back") {
  std::mt19937_64 random(5);
  for (int round = 0; round < 500; ++round) {
    const std::uint64_t number = random() >> (random() % 64);
    const auto real = static_cast<double>(number) / 3;
    const std::string_view text = std::string_view("a text of some length, for the field").substr(0, number % 36);
    Bytes message(wire::varint_field_size(number) + 9 + 5 +
                  static_cast<std::size_t>(wire::bytes_field_size(text.size())) +
                  static_cast<std::size_t>(wire::bytes_field_size(2)));
    wire::FieldWriter writer(message.data());
    writer.varint(1, number);
    writer.fixed64(2, real);
    writer.fixed32(3, static_cast<float>(real));
    writer.text(4, text);
    writer.header(15, 2);
    writer.position()[0] = std::byte{'x'};
    writer.position()[1] = std::byte{'y'};
    writer.advance(2);
    REQUIRE(writer.position() == message.data() + message.size());
    FieldReader reader(message, "f", 0);
    REQUIRE(reader.next().value()->bits == number);
    REQUIRE(reader.next().value()->as_double() == real);
    REQUIRE(reader.next().value()->as_float() == static_cast<float>(real));
    REQUIRE(reader.next().value()->text() == text);
    const auto last = reader.next().value();
    REQUIRE(last->is(15, WireType::length_delimited));
    REQUIRE(last->text() == "xy");
    REQUIRE_FALSE(reader.next().value());
  }
}

TEST_CASE("the size of a varint grows every seven bits") {
  CHECK(wire::varint_size(0) == 1);
  for (unsigned bits = 1; bits <= 64; ++bits) CHECK(wire::varint_size(UINT64_MAX >> (64 - bits)) == (bits + 6) / 7);
}
