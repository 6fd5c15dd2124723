#include "loupe/format/event_message.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/proto.hpp"

namespace format = loupe::format;
using format::DataType;
using loupe::ElementType;
using loupe::result;
using loupe::wire::Field;

namespace {

/// The bits of each element of a typed field.
result<std::vector<std::uint64_t>> bits_of(const format::TensorMessage& tensor, ElementType type) {
  std::vector<std::uint64_t> bits;
  LOUPE_TRY(tensor.for_each(format::typed_field_of(type), "f", [&](const Field& field) -> result<void> {
    bits.push_back(field.bits);
    return {};
  }));
  return bits;
}

}  // namespace

TEST_CASE("a message is given as it stands, whatever its values are") {
  const Proto tensor = Proto().varint(1, 6).message(2, shape_proto({2, 0, 5})).text(4, "raw").varint(7, 1);
  const Proto event = event_proto(tensor);
  const format::EventMessage message = format::read_event_message(event.bytes(), "f", 50).value();
  CHECK(message.has_value);
  CHECK(message.wall_time == 1.5);
  CHECK(message.step == 3);
  CHECK(message.mode == loupe::Mode::global);
  CHECK(message.mode_step == 3);
  CHECK(message.tag == "t");
  CHECK(message.tensor.data_type == DataType::int8);
  CHECK(message.tensor.shape == loupe::Shape{2, 0, 5});
  CHECK(message.tensor.elements == 0);
  CHECK(message.tensor.content.size() == 3);
  CHECK(message.tensor.content_offset == 50 + static_cast<std::int64_t>(event.text().find("raw")));
}

TEST_CASE("an event without a summary has no value") {
  const Proto event = Proto().fixed64(1, 2).text(3, "brain.Event:2");
  const format::EventMessage message = format::read_event_message(event.bytes(), "f", 0).value();
  CHECK_FALSE(message.has_value);
  CHECK(message.wall_time == 2);
}

TEST_CASE("elements of a typed field are counted and visited in order, packed or not, in all parts of a tensor") {
  const Proto value =
      Proto()
          .message(8, Proto().varint(7, 1).message(7, Proto().packed_varint(2).packed_varint(300)).varint(10, 99))
          .text(1, "t")
          .message(8, Proto().message(7, Proto()).varint(7, 4));
  const Proto event = Proto().message(5, Proto().message(1, value));
  const format::EventMessage message = format::read_event_message(event.bytes(), "f", 0).value();
  CHECK(message.tensor.count(format::typed_field_of(ElementType::int32), "f").value() == 4);
  CHECK(bits_of(message.tensor, ElementType::int32).value() == std::vector<std::uint64_t>{1, 2, 300, 4});
  CHECK(bits_of(message.tensor, ElementType::int64).value() == std::vector<std::uint64_t>{99});
  CHECK(bits_of(message.tensor, ElementType::float32).value().empty());
}

TEST_CASE("an error of the visitor ends the visit") {
  const Proto event = event_proto(Proto().varint(7, 1).varint(7, 2));
  const format::EventMessage message = format::read_event_message(event.bytes(), "f", 0).value();
  int visits = 0;
  const auto outcome =
      message.tensor.for_each(format::typed_field_of(ElementType::int32), "f", [&](const Field&) -> result<void> {
        ++visits;
        return loupe::fail(loupe::ErrorKind::cancelled, "visitor", "enough");
      });
  CHECK(outcome.error().kind == loupe::ErrorKind::cancelled);
  CHECK(visits == 1);
}

TEST_CASE("damaged packed numbers are an error with their offset") {
  const Proto event = event_proto(Proto().varint(1, 1).text(5, "12345"));
  const format::EventMessage message = format::read_event_message(event.bytes(), "f", 1000).value();
  const auto count = message.tensor.count(format::typed_field_of(ElementType::float32), "f");
  REQUIRE_FALSE(count);
  CHECK(count.error().kind == loupe::ErrorKind::corrupt);
  CHECK(count.error().offset == 1000 + static_cast<std::int64_t>(event.text().find("12345")) + 4);
}
