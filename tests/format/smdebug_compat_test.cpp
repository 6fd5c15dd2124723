#include "loupe/format/smdebug_compat.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "loupe/base/scalar.hpp"
#include "loupe/wire/tfrecord.hpp"
#include "support/catch.hpp"
#include "support/proto.hpp"
#include "support/table.hpp"

namespace format = loupe::format;
namespace wire = loupe::wire;
using loupe::ElementType;
using loupe::ErrorKind;

namespace {

/// The exception that an error's kind stands for, as the expected answers name them.
std::string_view exception_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::unsupported: return "KeyError";
    case ErrorKind::invalid_type: return "SMDebugTypeError";
    case ErrorKind::invalid_argument: return "SMDebugValueError";
    default: return "ValueError";
  }
}

/// A number as the expected answers show it.
double number_of(const rapidjson::Value& value) {
  if (value.IsBool()) return value.GetBool() ? 1 : 0;
  if (!value.IsString()) return value.GetDouble();
  const std::string_view text = text_of(value);
  return text == "NaN" ? __builtin_nan("") : text == "Infinity" ? __builtin_inf() : -__builtin_inf();
}

void flatten(const rapidjson::Value& value, std::vector<const rapidjson::Value*>& leaves) {
  if (!value.IsArray()) return leaves.push_back(&value);
  for (const auto& part : value.GetArray()) flatten(part, leaves);
}

/// Whether the elements are those expected: numbers as doubles (halves of complex ones apart), or texts.
bool same_elements(const loupe::TensorView& view, const rapidjson::Value& data) {
  std::vector<const rapidjson::Value*> leaves;
  flatten(data, leaves);
  std::vector<double> numbers;
  std::vector<std::string_view> texts;
  loupe::visit_element_type(view.type, [&]<class Type>() {
    if constexpr (!std::is_void_v<Type>)
      loupe::for_each_run(view, [&](const std::byte* first, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) {
          const auto element = loupe::load_element<Type>(first + static_cast<std::size_t>(i) * sizeof(Type));
          if constexpr (std::same_as<Type, std::string_view>) {
            texts.push_back(element);
          } else {
            numbers.push_back(loupe::Scalar::from(element).as_double());
            if constexpr (std::same_as<Type, loupe::Complex128>) numbers.push_back(element.imaginary);
          }
        }
      });
  });
  if (leaves.size() != numbers.size() + texts.size()) return false;
  for (std::size_t i = 0; i < texts.size(); ++i)
    if (text_of(*leaves[i]) != texts[i]) return false;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double expected = number_of(*leaves[i]);
    // Shortest texts of float32 numbers read as doubles that are not quite the same.
    const bool is_same = view.type == ElementType::float32
                             ? static_cast<float>(expected) == static_cast<float>(numbers[i])
                             : expected == numbers[i];
    if (!is_same && !(expected != expected && numbers[i] != numbers[i])) return false;
  }
  return true;
}

/// The difference between what smdebug answers about a value and what loupe does; empty if there is none.
std::string difference(const loupe::result<format::SmdebugValue>& got, const rapidjson::Value& expected) {
  if (expected.IsNull()) return got && !got->event.has_tensor() && !got->has_shape ? "" : "should be None";
  if (is_refused(expected)) {
    if (got) return "should be refused";
    return exception_of(got.error().kind) == text_of(expected["error"]) ? "" : "is refused otherwise";
  }
  if (!got) return std::string(got.error().message().view());
  if (got->has_shape == expected.HasMember("python")) return "has a shape or not";
  if (loupe::element_type_name(got->event.type) != text_of(expected["dtype"])) return "has another type";
  const auto shape = expected["shape"].GetArray();
  if (shape.Size() != got->event.view().rank()) return "has another rank";
  for (rapidjson::SizeType axis = 0; axis < shape.Size(); ++axis)
    if (shape[axis].GetInt64() != got->event.view().shape[axis]) return "has another shape";
  return !expected.HasMember("data") || same_elements(got->event.view(), expected["data"]) ? "" : "has other elements";
}

/// Compares the decoded records of a trial with smdebug's answers; gives the number of values compared.
int compare_trial(std::string_view trial) {
  rapidjson::Document expected;
  expected.Parse<rapidjson::kParseFullPrecisionFlag>(
      read_test_data(std::string("fixtures/expected/").append(trial).append(".json")).c_str());
  int compared = 0;
  for (const auto& tensor : expected["tensors"].GetObject()) {
    for (const auto& answer : tensor.value["records"].GetArray()) {
      const std::string digits = std::to_string(answer["step"].GetInt64());
      const std::string step = std::string(12 - digits.size(), '0') + digits;
      const std::string file =
          std::string("fixtures/trials/").append(trial) + "/events/" + step + "/" + step + "_worker_0.tfevents";
      const std::string text = read_test_data(file);
      wire::RecordReader reader(std::as_bytes(std::span(text)), file, wire::RecordCheck::none);
      while (const auto record = reader.next().value()) {
        if (format::read_event_message(record->payload, file, 0).value().tag != text_of(tensor.name)) continue;
        CAPTURE(trial, text_of(tensor.name), step);
        CHECK(difference(format::decode_event_as_smdebug(record->payload, file, 0), answer["value"]) == "");
        ++compared;
      }
    }
  }
  return compared;
}

loupe::result<format::SmdebugValue> decode(const Proto& tensor) {
  return format::decode_event_as_smdebug(event_proto(tensor).bytes(), "f", 0);
}

}  // namespace

TEST_CASE("values of the fixtures are what smdebug answers") {
  CHECK(compare_trial("dtypes") == 15);
  CHECK(compare_trial("typed_fields") == 13);
  CHECK(compare_trial("values_edge") > 15);
  CHECK(compare_trial("flipped_payload") == 1);
}

TEST_CASE("int8 is read as uint8") {
  const Proto event = event_proto(Proto().varint(1, 6).message(2, shape_proto({1})).text(4, "\xFF"));
  const auto value = format::decode_event_as_smdebug(event.bytes(), "f", 0).value();
  CHECK(value.event.type == ElementType::uint8);
  CHECK(value.event.content[0] == std::byte{255});
}

TEST_CASE("types that smdebug's table lacks are a KeyError") {
  for (const std::uint64_t type : {0u, 5u, 8u, 11u, 12u, 13u, 14u, 15u, 16u, 17u, 20u, 22u, 23u})
    CHECK(decode(Proto().varint(1, type).text(4, "12345678")).error().kind == ErrorKind::unsupported);
}

TEST_CASE("integers without values are None, floats and booleans without are refused") {
  for (const std::uint64_t type : {3u, 9u}) {
    const auto value = decode(Proto().varint(1, type).message(2, shape_proto({0}))).value();
    CHECK_FALSE(value.event.has_tensor());
    CHECK_FALSE(value.has_shape);
  }
  for (const std::uint64_t type : {1u, 10u})
    CHECK(decode(Proto().varint(1, type).message(2, shape_proto({0}))).error().kind == ErrorKind::invalid_argument);
  for (const std::uint64_t type : {2u, 4u, 6u, 7u, 18u, 19u})
    CHECK(decode(Proto().varint(1, type).message(2, shape_proto({0}))).error().kind == ErrorKind::invalid_type);
}

TEST_CASE("any truth values are one true") {
  const auto value = decode(Proto().varint(1, 10).message(2, shape_proto({2})).varint(11, 0).varint(11, 0)).value();
  CHECK_FALSE(value.has_shape);
  CHECK(value.event.values.elements<bool>()[0]);
  CHECK(value.event.view().rank() == 0);
}

TEST_CASE("of strings as many are taken as the shape says") {
  const auto strings = [](std::int64_t size) {
    return decode(Proto().message(2, shape_proto({size})).text(8, "a").text(8, "b\xFF"));
  };
  CHECK(strings(1).value().event.values.size() == 1);
  CHECK(strings(2).error().kind == ErrorKind::corrupt);
  CHECK(strings(3).error().kind == ErrorKind::corrupt);
}
