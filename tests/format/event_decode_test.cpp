#include "loupe/format/event.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"
#include "support/proto.hpp"

namespace format = loupe::format;
using loupe::ElementType;
using loupe::Error;
using loupe::ErrorKind;
using loupe::Mode;
using loupe::Shape;

namespace {

format::DecodedEvent decode(const Proto& event) {
  auto decoded = format::decode_event(event.bytes(), "f", 100);
  if (!decoded) FAIL(decoded.error().message().view());
  return std::move(*decoded);
}

format::DecodedEvent decode_tensor(const Proto& tensor) { return decode(event_proto(tensor)); }

Error error_of(const Proto& event) {
  const auto decoded = format::decode_event(event.bytes(), "events/f.tfevents", 100);
  REQUIRE_FALSE(decoded);
  CHECK(decoded.error().object == "events/f.tfevents");
  CHECK(decoded.error().offset >= 100);
  CHECK(decoded.error().offset <= 100 + static_cast<std::int64_t>(event.text().size()));
  return decoded.error();
}

ErrorKind refusal_of(const Proto& tensor) { return error_of(event_proto(tensor)).kind; }

template <class Type>
std::vector<Type> elements_of(const format::DecodedEvent& event) {
  const loupe::TensorView view = event.view();
  REQUIRE(view.type == loupe::element_type_of<Type>);
  std::vector<Type> elements;
  loupe::for_each_run(view, [&](const std::byte* first, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      elements.push_back(loupe::load_element<Type>(first + static_cast<std::size_t>(i) * sizeof(Type)));
  });
  return elements;
}

/// A TensorProto of a type and shape without values.
Proto tensor_of(std::uint64_t data_type, std::initializer_list<std::int64_t> sizes) {
  return Proto().varint(1, data_type).message(2, shape_proto(sizes));
}

Proto plugin(std::string_view name, std::string_view content) {
  return Proto().message(1, Proto().text(1, name).text(2, content));
}

Proto event_with(const Proto& metadata) {
  return Proto().varint(2, 3).message(
      5, Proto().message(1, Proto().message(8, tensor_of(1, {}).fixed32(5, 1)).message(9, metadata)));
}

}  // namespace

TEST_CASE("fields may stand in any order, and unknown ones are skipped") {
  const Proto tensor = Proto()
                           .text(4, "\x01\x02\x03\x04\x05\x06\x07\x08")
                           .varint(99, 5)
                           .message(2, Proto().varint(3, 0).message(2, Proto().text(2, "name").varint(1, 2)))
                           .fixed32(1, 1)  // a known number in another form
                           .varint(1, 3);
  const Proto value =
      Proto().text(7, "node").message(9, plugin("other", "x")).message(8, tensor).text(1, "first").text(1, "t");
  const Proto event = Proto()
                          .text(30, "x")
                          .message(5, Proto().fixed64(2, 1).message(1, value))
                          .varint(2, 1)
                          .varint(2, 9)
                          .fixed64(1, 2.5);
  const auto decoded = decode(event);
  CHECK(decoded.wall_time == 2.5);
  CHECK(decoded.step == 9);
  CHECK(decoded.mode == Mode::global);
  CHECK(decoded.mode_step == 9);
  CHECK(decoded.tag == "t");
  CHECK(decoded.shape == Shape{2});
  CHECK(elements_of<std::int32_t>(decoded) == std::vector<std::int32_t>{0x04030201, 0x08070605});
}

TEST_CASE("raw content is not copied") {
  const Proto event = event_proto(tensor_of(4, {3}).text(4, "abc"));
  const auto decoded = decode(event);
  CHECK(decoded.content.data() == event.bytes().data() + event.text().find("abc"));
  CHECK(decoded.tag.data() == event.text().data() + event.text().find("t\x42"));
}

TEST_CASE("a tensor that comes in parts is put together") {
  const Proto value = Proto()
                          .message(8, Proto().varint(1, 1))
                          .message(8, Proto().message(2, shape_proto({2})).fixed32(5, 1))
                          .message(8, Proto().fixed32(5, 2));
  CHECK(elements_of<float>(decode(Proto().message(5, Proto().message(1, value)))) == std::vector<float>{1, 2});
}

TEST_CASE("a record without summary, or without a value in it, has no tensor and is no error") {
  for (const Proto& event : {Proto(), Proto().fixed64(1, 2.5).text(3, "brain.Event:2"),
                             Proto().fixed64(1, 2.5).text(4, "graph"), Proto().fixed64(1, 2.5).message(5, Proto())}) {
    const auto decoded = decode(event);
    CHECK_FALSE(decoded.has_tensor());
    CHECK_FALSE(decoded.view().has_tensor());
  }
}

TEST_CASE("values in typed fields are read, packed or not") {
  CHECK(elements_of<float>(decode_tensor(tensor_of(1, {2}).fixed32(5, 1.5f).fixed32(5, -2))) ==
        std::vector<float>{1.5f, -2});
  CHECK(elements_of<float>(decode_tensor(tensor_of(1, {3}).fixed32(5, 1.5f).message(
            5, Proto().packed_float(3).packed_float(4)))) == std::vector<float>{1.5f, 3, 4});
  CHECK(elements_of<double>(decode_tensor(tensor_of(2, {2}).message(
            6, Proto().packed_double(0.5).packed_double(-1)))) == std::vector<double>{0.5, -1});
  CHECK(elements_of<std::int64_t>(
            decode_tensor(tensor_of(9, {2}).varint(10, UINT64_MAX).message(10, Proto().packed_varint(7)))) ==
        std::vector<std::int64_t>{-1, 7});
  CHECK(elements_of<bool>(decode_tensor(
            tensor_of(10, {3}).message(11, Proto().packed_varint(1).packed_varint(0).packed_varint(300)))) ==
        std::vector<bool>{true, false, true});
  CHECK(elements_of<loupe::Complex64>(decode_tensor(tensor_of(8, {1}).fixed32(9, 1).fixed32(9, -1))) ==
        std::vector<loupe::Complex64>{{1, -1}});
  CHECK(elements_of<loupe::Complex128>(decode_tensor(tensor_of(18, {1}).message(
            12, Proto().packed_double(1).packed_double(-1)))) == std::vector<loupe::Complex128>{{1, -1}});
  CHECK(elements_of<loupe::Float16>(decode_tensor(tensor_of(19, {1}).varint(13, 0x3C00))) ==
        std::vector<loupe::Float16>{{0x3C00}});
  CHECK(elements_of<loupe::BFloat16>(decode_tensor(tensor_of(14, {1}).varint(13, 0x3F80))) ==
        std::vector<loupe::BFloat16>{{0x3F80}});
  CHECK(elements_of<std::uint32_t>(decode_tensor(tensor_of(22, {1}).varint(16, 4294967295))) ==
        std::vector<std::uint32_t>{4294967295});
  CHECK(elements_of<std::uint64_t>(decode_tensor(tensor_of(23, {1}).varint(17, UINT64_MAX))) ==
        std::vector<std::uint64_t>{UINT64_MAX});
}

TEST_CASE("small integers stand in int_val, and must be in their range") {
  const std::uint64_t minus_five = static_cast<std::uint64_t>(-5);
  CHECK(elements_of<std::int32_t>(decode_tensor(tensor_of(3, {2}).varint(7, minus_five).varint(7, 5))) ==
        std::vector<std::int32_t>{-5, 5});
  CHECK(elements_of<std::int8_t>(decode_tensor(tensor_of(6, {1}).varint(7, minus_five))) ==
        std::vector<std::int8_t>{-5});
  CHECK(elements_of<std::int16_t>(decode_tensor(tensor_of(5, {1}).varint(7, minus_five))) ==
        std::vector<std::int16_t>{-5});
  CHECK(elements_of<std::uint8_t>(decode_tensor(tensor_of(4, {1}).varint(7, 255))) == std::vector<std::uint8_t>{255});
  CHECK(elements_of<std::uint16_t>(decode_tensor(tensor_of(17, {1}).varint(7, 65535))) ==
        std::vector<std::uint16_t>{65535});
  CHECK(refusal_of(tensor_of(6, {1}).varint(7, 128)) == ErrorKind::corrupt);
  CHECK(refusal_of(tensor_of(5, {1}).varint(7, 40000)) == ErrorKind::corrupt);
  CHECK(refusal_of(tensor_of(4, {1}).varint(7, minus_five)) == ErrorKind::corrupt);
  CHECK(refusal_of(tensor_of(17, {1}).varint(7, 65536)) == ErrorKind::corrupt);
  CHECK(refusal_of(tensor_of(19, {1}).varint(13, 65536)) == ErrorKind::corrupt);
}

TEST_CASE("quantized types are the integers that they consist of") {
  const std::pair<std::uint64_t, ElementType> types[] = {{11, ElementType::int8},
                                                         {12, ElementType::uint8},
                                                         {13, ElementType::int32},
                                                         {15, ElementType::int16},
                                                         {16, ElementType::uint16}};
  for (const auto& [number, type] : types) {
    const auto decoded = decode_tensor(tensor_of(number, {1}).text(4, std::string(loupe::element_size(type), '\0')));
    CHECK(decoded.type == type);
    CHECK(decode_tensor(tensor_of(number, {}).varint(7, 1)).type == type);
  }
}

TEST_CASE("typed values take the shape, and the last one stands for all that are missing") {
  const auto square = decode_tensor(tensor_of(1, {2, 2}).fixed32(5, 1).fixed32(5, 2).fixed32(5, 3).fixed32(5, 4));
  CHECK(square.shape == Shape{2, 2});
  CHECK(elements_of<float>(square) == std::vector<float>{1, 2, 3, 4});
  CHECK(elements_of<float>(decode_tensor(tensor_of(1, {2, 2}).fixed32(5, 7))) == std::vector<float>{7, 7, 7, 7});
  CHECK(elements_of<std::int32_t>(decode_tensor(tensor_of(3, {4}).varint(7, 1).varint(7, 2))) ==
        std::vector<std::int32_t>{1, 2, 2, 2});
  CHECK(elements_of<loupe::Complex64>(decode_tensor(tensor_of(8, {2}).fixed32(9, 1).fixed32(9, 2))) ==
        std::vector<loupe::Complex64>{{1, 2}, {1, 2}});
  CHECK(elements_of<std::string_view>(decode_tensor(tensor_of(7, {3}).text(8, "a"))) ==
        std::vector<std::string_view>{"a", "a", "a"});
}

TEST_CASE("what one value may stand for is bounded before memory is taken") {
  CHECK(refusal_of(tensor_of(1, {1LL << 40}).fixed32(5, 1)) == ErrorKind::limit_exceeded);
  CHECK(refusal_of(tensor_of(10, {(1LL << 28) + 2}).varint(11, 1)) == ErrorKind::limit_exceeded);
  CHECK(refusal_of(tensor_of(7, {1 << 20}).text(8, std::string(1000, 'x'))) == ErrorKind::limit_exceeded);
  CHECK(refusal_of(tensor_of(7, {1 << 20}).text(8, std::string(1000, 'x')).text(8, "y")) == ErrorKind::limit_exceeded);
  CHECK(decode_tensor(tensor_of(10, {1 << 20}).varint(11, 1)).values.size() == 1 << 20);
}

TEST_CASE("strings have no type or type 7, and any rank and bytes") {
  CHECK(elements_of<std::string_view>(decode_tensor(Proto().message(2, shape_proto({2})).text(8, "foo").text(8, ""))) ==
        std::vector<std::string_view>{"foo", ""});
  const auto grid = decode_tensor(tensor_of(7, {2, 1}).text(8, "\xFF").text(8, "b"));
  CHECK(grid.shape == Shape{2, 1});
  CHECK(elements_of<std::string_view>(grid) == std::vector<std::string_view>{"\xFF", "b"});
}

TEST_CASE("a tensor without elements is an empty one of its shape") {
  for (const std::uint64_t type : {0u, 1u, 3u, 7u, 9u, 10u, 18u}) {
    const auto decoded = decode_tensor(tensor_of(type, {0, 3}));
    CHECK(decoded.has_tensor());
    CHECK(decoded.shape == Shape{0, 3});
    CHECK(decoded.view().size() == 0);
    CHECK(decoded.view().shape == Shape{0, 3});
  }
}

TEST_CASE("a missing shape is rank 0, a missing size 0") {
  CHECK(decode_tensor(Proto().varint(1, 1).fixed32(5, 1)).shape == Shape());
  CHECK(decode_tensor(Proto().varint(1, 1).message(2, Proto().message(2, Proto().text(2, "t_0")))).shape == Shape{0});
}

TEST_CASE("bytes that are no truth values become some") {
  const std::string_view raw("\x00\x01\x02\xFF", 4);
  CHECK(elements_of<bool>(decode_tensor(tensor_of(10, {4}).text(4, raw))) ==
        std::vector<bool>{false, true, true, true});
  CHECK_FALSE(decode_tensor(tensor_of(10, {2}).text(4, raw.substr(0, 2))).content.empty());
}

TEST_CASE("values that don't match the shape are corrupt") {
  CHECK(refusal_of(tensor_of(1, {2}).text(4, "1234")) == ErrorKind::corrupt);
  CHECK(refusal_of(tensor_of(1, {1}).text(4, "12345")) == ErrorKind::corrupt);
  CHECK(refusal_of(tensor_of(1, {0}).text(4, "1234")) == ErrorKind::corrupt);
  CHECK(refusal_of(tensor_of(1, {}).text(4, "12345678")) == ErrorKind::corrupt);
  CHECK(refusal_of(tensor_of(1, {1}).fixed32(5, 1).fixed32(5, 2)) == ErrorKind::corrupt);
  CHECK(refusal_of(tensor_of(1, {0}).fixed32(5, 1)) == ErrorKind::corrupt);
  CHECK(refusal_of(tensor_of(1, {3})) == ErrorKind::corrupt);
  CHECK(refusal_of(tensor_of(1, {1}).varint(7, 1)) == ErrorKind::corrupt);
  CHECK(refusal_of(tensor_of(8, {1}).fixed32(9, 1)) == ErrorKind::corrupt);
  CHECK(refusal_of(tensor_of(1, {1}).text(5, "12345")) == ErrorKind::corrupt);
  CHECK(refusal_of(tensor_of(9, {1}).text(10, "\x80")) == ErrorKind::corrupt);
  CHECK(refusal_of(tensor_of(0, {2})) == ErrorKind::corrupt);
}

TEST_CASE("sizes that can't be are refused") {
  CHECK(refusal_of(tensor_of(1, {-1}).text(4, "1234")) == ErrorKind::corrupt);
  CHECK(refusal_of(tensor_of(1, {1LL << 40, 1LL << 40}).text(4, "1234")) == ErrorKind::corrupt);
  CHECK(refusal_of(tensor_of(1, {0, 1LL << 40, 1LL << 40})) == ErrorKind::corrupt);
  Proto many;
  for (int axis = 0; axis < 33; ++axis) many.message(2, Proto().varint(1, 1));
  CHECK(refusal_of(Proto().varint(1, 1).message(2, many).text(4, "1234")) == ErrorKind::limit_exceeded);
}

TEST_CASE("element types that loupe doesn't read are unsupported") {
  for (const std::uint64_t type : {20u, 21u, 24u, 25u, 101u, 1000u})
    CHECK(refusal_of(tensor_of(type, {1}).text(4, "1")) == ErrorKind::unsupported);
  CHECK(refusal_of(tensor_of(0, {1}).text(4, "1")) == ErrorKind::unsupported);
  CHECK(refusal_of(tensor_of(UINT64_MAX, {1}).text(4, "1")) == ErrorKind::unsupported);
}

TEST_CASE("mode and mode step come from the plugin data, of which the last counts") {
  const auto decoded = decode(event_with(
      plugin("mode_step", "8").append(plugin("mode", "2")).append(plugin("mode", "1")).append(plugin("scalars", "?"))));
  CHECK(decoded.mode == Mode::train);
  CHECK(decoded.mode_step == 8);
  CHECK(decode(event_with(plugin("mode_step", "-1"))).mode_step == -1);
  CHECK(decode(event_with(Proto())).mode_step == 3);
}

TEST_CASE("modes and mode steps that aren't are corrupt") {
  for (const std::string_view mode : {"0", "5", "-1", "", "x", "1x", " 1", "99999999999999999999"})
    CHECK(error_of(event_with(plugin("mode", mode))).kind == ErrorKind::corrupt);
  for (const std::string_view step : {"", "x", "1.0", "+1", "99999999999999999999"})
    CHECK(error_of(event_with(plugin("mode_step", step))).kind == ErrorKind::corrupt);
}

TEST_CASE("a value that is not a tensor is unsupported, several values in a record are corrupt") {
  CHECK(error_of(Proto().message(5, Proto().message(1, Proto().text(1, "t").fixed32(2, 1)))).kind ==
        ErrorKind::unsupported);
  CHECK(error_of(Proto().message(5, Proto().message(1, Proto()))).kind == ErrorKind::unsupported);
  const Proto value = Proto().message(1, Proto().message(8, tensor_of(1, {}).fixed32(5, 1)));
  CHECK(error_of(Proto().message(5, value).message(5, value)).kind == ErrorKind::corrupt);
  CHECK(error_of(Proto().message(5, Proto(value).append(value))).kind == ErrorKind::corrupt);
}

TEST_CASE("a name that is not UTF-8 is corrupt") {
  CHECK(error_of(
            Proto().message(5, Proto().message(1, Proto().text(1, "a\xFF").message(8, tensor_of(1, {}).fixed32(5, 1)))))
            .kind == ErrorKind::corrupt);
}

TEST_CASE("a payload cut off anywhere is an error, or lacks what stood behind") {
  const Proto event = Proto().append(event_with(plugin("mode", "1").append(plugin("mode_step", "12"))));
  for (std::size_t size = 0; size < event.text().size(); ++size) {
    const auto decoded = format::decode_event(event.bytes().first(size), "f", 0);
    if (decoded) CHECK_FALSE(decoded->has_tensor());
    else CHECK(decoded.error().kind == ErrorKind::corrupt);
  }
}
