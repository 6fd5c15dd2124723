#include "loupe/format/event.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "loupe/wire/tfrecord.hpp"
#include "support/catch.hpp"
#include "support/hex.hpp"

namespace format = loupe::format;
using format::DtypePolicy;
using format::EventHeader;
using loupe::BFloat16;
using loupe::ByteBuffer;
using loupe::ElementType;
using loupe::ErrorKind;
using loupe::Float16;
using loupe::Mode;
using loupe::Shape;
using loupe::TensorView;

namespace {

constexpr EventHeader header{1600000000.0, 20, Mode::train, 7};

format::RecordSpan append(ByteBuffer& out, const EventHeader& at, std::string_view tag, const TensorView& tensor,
                          DtypePolicy policy = DtypePolicy::widen_for_python) {
  auto span = format::append_tensor_record(out, at, tag, tensor, policy);
  REQUIRE(span);
  return *span;
}

/// The tensor that the record of `tensor` holds, as it is read back.
format::DecodedEvent read_back(ByteBuffer& out, const TensorView& tensor,
                               DtypePolicy policy = DtypePolicy::widen_for_python) {
  out.clear();
  append(out, header, "t", tensor, policy);
  const auto record = loupe::wire::RecordReader(out.bytes(), "f", loupe::wire::RecordCheck::minimal).next().value();
  REQUIRE(record);
  auto event = format::decode_event(record->payload, "f", 12);
  REQUIRE(event);
  return std::move(*event);
}

template <class Type>
std::vector<Type> elements_of(const TensorView& view) {
  REQUIRE(view.type == loupe::element_type_of<Type>);
  std::vector<Type> elements;
  loupe::for_each_run(view, [&](const std::byte* first, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      elements.push_back(loupe::load_element<Type>(first + static_cast<std::size_t>(i) * sizeof(Type)));
  });
  return elements;
}

ErrorKind refusal_of(std::string_view tag, const TensorView& tensor,
                     DtypePolicy policy = DtypePolicy::widen_for_python) {
  ByteBuffer out;
  const auto span = format::append_tensor_record(out, header, tag, tensor, policy);
  REQUIRE_FALSE(span);
  CHECK(span.error().object == tag);
  CHECK(out.empty());
  return span.error().kind;
}

}  // namespace

TEST_CASE("a scalar at step 0 is encoded as smdebug does (format.md 14, example 1)") {
  const float loss[] = {1.5f};
  ByteBuffer out;
  const auto span = append(out, {1600000000.0, 0, Mode::global, 0}, "loss", TensorView(std::span(loss)));
  CHECK(span.start == 0);
  CHECK(span.length == 88);
  CHECK(to_hex(out.bytes()) ==
        to_hex(from_hex(
            "48 00 00 00 00 00 00 00 fe 92 48 9d 09 00 00 00 00 84 d7 d7 41 2a 3d 0a 3b 0a 04 6c 6f 73 73"
            "42 16 08 01 12 0c 12 0a 08 01 12 06 6c 6f 73 73 5f 31 22 04 00 00 c0 3f"
            "4a 1b 0a 0e 0a 09 6d 6f 64 65 5f 73 74 65 70 12 01 30 0a 09 0a 04 6d 6f 64 65 12 01 34 b3 c0 2d 06")));
}

TEST_CASE("a matrix, a number of rank 0 and strings are encoded as smdebug does (example 2)") {
  const EventHeader at{1600000000.5, 20, Mode::train, 7};
  const float matrix[] = {1, 2, 3, 4};
  const std::int64_t number = 5;
  const std::string_view texts[] = {"foo", "barz"};
  ByteBuffer out;
  append(out, at, "conv/w:0", TensorView(matrix, ElementType::float32, {2, 2}));
  auto span = append(out, at, "scal", TensorView(&number, ElementType::int64, {}));
  CHECK(span.start == 126);
  CHECK(span.length == 82);
  span = format::append_strings_record(out, at, "s", texts).value();
  CHECK(span.start == 208);
  CHECK(span.length == 87);
  const std::string expected = from_hex(
      "6e 00 00 00 00 00 00 00 c4 bf 33 64 09 00 00 20 00 84 d7 d7 41 10 14 2a 61 0a 5f 0a 08 63 6f 6e 76 2f 77 3a 30 "
      "42 36 08 01"
      "12 20 12 0e 08 02 12 0a 63 6f 6e 76 2f 77 3a 30 5f 32 12 0e 08 02 12 0a 63 6f 6e 76 2f 77 3a 30 5f 32"
      "22 10 00 00 80 3f 00 00 00 40 00 00 40 40 00 00 80 40 4a 1b 0a 0e 0a 09 6d 6f 64 65 5f 73 74 65 70 12 01"
      "37 0a 09 0a 04 6d 6f 64 65 12 01 31 b3 c0 2d 06 42 00 00 00 00 00 00 00 79 f3 6e aa 09 00 00 20 00 84 d7 d7 41 "
      "10 14"
      "2a 35 0a 33 0a 04 73 63 61 6c 42 0e 08 09 12 00 22 08 05 00 00 00 00 00 00 00 4a 1b 0a 0e 0a 09 6d 6f 64 65 5f "
      "73 74 65 70 12 01"
      "37 0a 09 0a 04 6d 6f 64 65 12 01 31 b3 c0 2d 06 47 00 00 00 00 00 00 00 ba c3 fb 9b 09 00 00 20 00 84 d7 d7 41 "
      "10 14"
      "2a 3a 0a 38 0a 01 73 42 16 12 09 12 07 08 02 12 03 73 5f 32 42 03 66 6f 6f 42 04 62 61 72 7a"
      "4a 1b 0a 0e 0a 09 6d 6f 64 65 5f 73 74 65 70 12 01 37 0a 09 0a 04 6d 6f 64 65 12 01 31 b3 c0 2d 06");
  CHECK(to_hex(out.bytes()) == to_hex(expected));
  // Strings as a tensor's elements give the same.
  ByteBuffer again;
  append(again, at, "s", TensorView(std::span(texts)));
  CHECK(to_hex(again.bytes()) == to_hex(out.bytes().subspan(208)));
}

TEST_CASE("a reduction, booleans, halves and an empty tensor are encoded as smdebug does (example 4)") {
  const EventHeader at{1600000000.0, 2000, Mode::train, 1000};
  const float two = 2;
  const bool booleans[] = {true, false};
  const Float16 one[] = {loupe::to_float16(1.0f)};
  ByteBuffer out;
  append(out, at, "smdebug/reductions/abs_mean/\u00e9", TensorView(&two, ElementType::float32, {}));
  CHECK(append(out, at, "b", TensorView(std::span(booleans))).start == 108);
  CHECK(append(out, at, "h", TensorView(one, ElementType::float16, {1, 1})).start == 194);
  const auto span = append(out, at, "empty", TensorView(nullptr, ElementType::float32, {0, 3}));
  CHECK(span.start == 289);
  CHECK(span.length == 101);
  const std::string expected = from_hex(
      "5c 00 00 00 00 00 00 00 c9 cd f9 8f 09 00 00 00 00 84 d7 d7 41 10 d0 0f 2a 4e 0a 4c 0a 1e 73 6d"
      "64 65 62 75 67 2f 72 65 64 75 63 74 69 6f 6e 73 2f 61 62 73 5f 6d 65 61 6e 2f c3 a9 42 0a 08 01"
      "12 00 22 04 00 00 00 40 4a 1e 0a 11 0a 09 6d 6f 64 65 5f 73 74 65 70 12 04 31 30 30 30 0a 09 0a"
      "04 6d 6f 64 65 12 01 31 b3 c0 2d 06"
      "46 00 00 00 00 00 00 00 72 35 b9 a5 09 00 00 00 00 84 d7 d7 41 10 d0 0f 2a 38 0a 36 0a 01 62 42"
      "11 08 0a 12 09 12 07 08 02 12 03 62 5f 32 22 02 01 00 4a 1e 0a 11 0a 09 6d 6f 64 65 5f 73 74 65"
      "70 12 04 31 30 30 30 0a 09 0a 04 6d 6f 64 65 12 01 31 b3 c0 2d 06"
      "4f 00 00 00 00 00 00 00 6c 47 4f 93 09 00 00 00 00 84 d7 d7 41 10 d0 0f 2a 41 0a 3f 0a 01 68 42"
      "1a 08 13 12 12 12 07 08 01 12 03 68 5f 31 12 07 08 01 12 03 68 5f 31 22 02 00 3c 4a 1e 0a 11 0a"
      "09 6d 6f 64 65 5f 73 74 65 70 12 04 31 30 30 30 0a 09 0a 04 6d 6f 64 65 12 01 31 b3 c0 2d 06"
      "55 00 00 00 00 00 00 00 d7 df 0f c1 09 00 00 00 00 84 d7 d7 41 10 d0 0f 2a 47 0a 45 0a 05 65 6d"
      "70 74 79 42 1c 08 01 12 18 12 09 12 07 65 6d 70 74 79 5f 30 12 0b 08 03 12 07 65 6d 70 74 79 5f"
      "33 4a 1e 0a 11 0a 09 6d 6f 64 65 5f 73 74 65 70 12 04 31 30 30 30 0a 09 0a 04 6d 6f 64 65 12 01"
      "31 b3 c0 2d 06");
  CHECK(to_hex(out.bytes()) == to_hex(expected));
}

TEST_CASE("types that Python lacks are widened, and the numbers stay the same") {
  ByteBuffer out;
  const std::int8_t bytes[] = {0, 127, -128};
  CHECK(elements_of<std::int32_t>(read_back(out, TensorView(std::span(bytes))).view()) ==
        std::vector<std::int32_t>{0, 127, -128});
  const std::int16_t shorts[] = {0, 32767, -32768};
  CHECK(elements_of<std::int32_t>(read_back(out, TensorView(std::span(shorts))).view()) ==
        std::vector<std::int32_t>{0, 32767, -32768});
  const std::uint16_t ushorts[] = {0, 65535};
  CHECK(elements_of<std::int32_t>(read_back(out, TensorView(std::span(ushorts))).view()) ==
        std::vector<std::int32_t>{0, 65535});
  const std::uint32_t unsigneds[] = {0, 4294967295u};
  CHECK(elements_of<std::int64_t>(read_back(out, TensorView(std::span(unsigneds))).view()) ==
        std::vector<std::int64_t>{0, 4294967295});
  const std::uint64_t longs[] = {0, INT64_MAX};
  CHECK(elements_of<std::int64_t>(read_back(out, TensorView(std::span(longs))).view()) ==
        std::vector<std::int64_t>{0, INT64_MAX});
  const loupe::Complex64 complex[] = {{1.5f, -2.0f}};
  CHECK(elements_of<loupe::Complex128>(read_back(out, TensorView(std::span(complex))).view()) ==
        std::vector<loupe::Complex128>{{1.5, -2.0}});
  const BFloat16 brain[] = {loupe::to_bfloat16(-1.5f)};
  CHECK(elements_of<float>(read_back(out, TensorView(std::span(brain))).view()) == std::vector<float>{-1.5f});
}

TEST_CASE("the exact policy keeps every type") {
  ByteBuffer out;
  for (int number = 1; number < static_cast<int>(ElementType::string); ++number) {
    const auto type = static_cast<ElementType>(number);
    const std::byte zeros[96] = {};
    const auto event = read_back(out, TensorView(zeros, type, {2, 3}), DtypePolicy::exact);
    CHECK(event.type == type);
    CHECK(event.shape == Shape{2, 3});
    CHECK(event.content.size() == 6 * loupe::element_size(type));
  }
  const std::uint64_t large[] = {UINT64_MAX};
  CHECK(elements_of<std::uint64_t>(read_back(out, TensorView(std::span(large)), DtypePolicy::exact).view()) ==
        std::vector<std::uint64_t>{UINT64_MAX});
  const std::int8_t brain[] = {0x40, 0x7F};
  append(out, header, "t", TensorView(brain, ElementType::bfloat16, {1}), DtypePolicy::exact);
  CHECK(out.text().find(std::string_view("\x08\x0e", 2)) != std::string_view::npos);
}

TEST_CASE("types that Python has are never changed") {
  for (const ElementType type :
       {ElementType::boolean, ElementType::uint8, ElementType::int32, ElementType::int64, ElementType::float16,
        ElementType::float32, ElementType::float64, ElementType::complex128, ElementType::string})
    CHECK(format::stored_element_type(type, DtypePolicy::widen_for_python) == type);
}

TEST_CASE("an unsigned number that int64 can't hold is refused with its place") {
  const std::uint64_t numbers[] = {1, 2, std::uint64_t{1} << 63, UINT64_MAX};
  ByteBuffer out;
  const auto span = format::append_tensor_record(out, header, "ids", TensorView(std::span(numbers)));
  REQUIRE_FALSE(span);
  CHECK(span.error().kind == ErrorKind::invalid_argument);
  CHECK(span.error().object == "ids");
  CHECK(span.error().detail.view().find("element 2 ") != std::string_view::npos);
  CHECK(out.empty());
}

TEST_CASE("elements are written in row-major order whatever the strides") {
  const std::int16_t memory[] = {1, 2, 3, 4, 5, 6};
  ByteBuffer out;
  const TensorView transposed(memory, ElementType::int16, {3, 2}, {1, 3});
  CHECK(elements_of<std::int16_t>(read_back(out, transposed, DtypePolicy::exact).view()) ==
        std::vector<std::int16_t>{1, 4, 2, 5, 3, 6});
  CHECK(elements_of<std::int32_t>(read_back(out, transposed).view()) == std::vector<std::int32_t>{1, 4, 2, 5, 3, 6});
  const TensorView reversed(memory + 5, ElementType::int16, {3}, {-2});
  CHECK(elements_of<std::int32_t>(read_back(out, reversed).view()) == std::vector<std::int32_t>{6, 4, 2});
  const std::string_view texts[] = {"a", "b", "c"};
  CHECK(elements_of<std::string_view>(read_back(out, TensorView(texts, ElementType::string, {2}, {2})).view()) ==
        std::vector<std::string_view>{"a", "c"});
}

TEST_CASE("booleans are written as 0 or 1, whatever the byte in memory") {
  const std::uint8_t memory[] = {0, 1, 2, 255};
  ByteBuffer out;
  CHECK(elements_of<bool>(read_back(out, TensorView(memory, ElementType::boolean, {4})).view()) ==
        std::vector<bool>{false, true, true, true});
}

TEST_CASE("steps, mode steps and modes of all sizes come back") {
  const float number = 1;
  ByteBuffer out;
  for (const Mode mode : loupe::all_modes) {
    for (const std::int64_t step : {std::int64_t{0}, std::int64_t{1}, std::int64_t{127}, std::int64_t{128},
                                    std::int64_t{999999}, INT64_MAX, std::int64_t{-1}, INT64_MIN}) {
      out.clear();
      append(out, {0.25, step, mode, step}, "t", TensorView(&number, ElementType::float32, {}));
      const auto record = loupe::wire::RecordReader(out.bytes(), "f", loupe::wire::RecordCheck::minimal).next().value();
      const auto event = format::decode_event(record->payload, "f", 12).value();
      CHECK(event.wall_time == 0.25);
      CHECK(event.step == step);
      CHECK(event.mode == mode);
      CHECK(event.mode_step == step);
    }
  }
}

TEST_CASE("names and sizes at which a length takes another byte come back") {
  ByteBuffer out;
  const std::vector<std::byte> memory(70000);
  for (const std::size_t length : {0u, 1u, 60u, 90u, 110u, 120u, 126u, 127u, 128u, 129u, 16000u, 16383u, 16384u}) {
    for (const std::int64_t size : {0, 1, 9, 10, 100, 127, 128, 16383, 16384, 65536}) {
      const std::string tag(length, 'n');
      out.clear();
      append(out, header, tag, TensorView(memory.data(), ElementType::uint8, {size, 1}));
      const auto record = loupe::wire::RecordReader(out.bytes(), "f", loupe::wire::RecordCheck::minimal).next().value();
      REQUIRE(record->length == out.size());
      const auto event = format::decode_event(record->payload, "f", 12).value();
      CHECK(event.tag == tag);
      CHECK(event.shape == Shape{size, 1});
      CHECK(event.content.size() == static_cast<std::size_t>(size));
    }
  }
}

TEST_CASE("what can't be a record is refused, and the buffer is left as it was") {
  const float number = 1;
  const std::string_view texts[] = {"a", "\xFF"};
  const TensorView good(&number, ElementType::float32, {});
  CHECK(refusal_of("bad \xFF name", good) == ErrorKind::invalid_argument);
  CHECK(refusal_of("t", TensorView()) == ErrorKind::invalid_argument);
  CHECK(refusal_of("t", TensorView(&number, ElementType::float32, {-1})) == ErrorKind::invalid_argument);
  CHECK(refusal_of("t", TensorView(&number, ElementType::float32, {INT64_MAX, 3}, {3, 1})) ==
        ErrorKind::invalid_argument);
  CHECK(refusal_of("t", TensorView(&number, ElementType::float32, {INT64_MAX})) == ErrorKind::limit_exceeded);
  CHECK(refusal_of("t", TensorView(&number, ElementType::float32, {1LL << 29})) == ErrorKind::limit_exceeded);
  CHECK(refusal_of("t", TensorView(texts, ElementType::string, {})) == ErrorKind::invalid_argument);
  CHECK(refusal_of("t", TensorView(texts, ElementType::string, {1, 2})) == ErrorKind::invalid_argument);
  CHECK(refusal_of("t", TensorView(std::span(texts))) == ErrorKind::invalid_argument);
}

TEST_CASE("texts that are not UTF-8 can be written exactly") {
  const std::string_view texts[] = {"a", "\xFF"};
  ByteBuffer out;
  CHECK(elements_of<std::string_view>(read_back(out, TensorView(std::span(texts)), DtypePolicy::exact).view()) ==
        std::vector<std::string_view>{"a", "\xFF"});
}

TEST_CASE("a record is appended in place where the buffer has room") {
  const std::vector<float> numbers(1024);
  ByteBuffer out;
  out.reserve(8192);
  const std::byte* const memory = out.data();
  append(out, header, "layer1/conv/weight", TensorView(std::span(numbers)));
  CHECK(out.data() == memory);
  CHECK(out.capacity() == 8192);
}
