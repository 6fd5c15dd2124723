#include "loupe/trial/value.hpp"

#include <cstring>
#include <vector>

#include "support/catch.hpp"

namespace {

/// A row-major view of numbers.
template <class Type>
loupe::TensorView view_of(const std::vector<Type>& numbers, const loupe::Shape& shape) {
  return {numbers.data(), loupe::element_type_of<Type>, shape};
}

struct Sum {
  double total = 0;
};

}  // namespace

template <>
struct loupe::FromValues<Sum> {
  template <class Type>
  static Sum make(const Values<Type>& values) {
    Sum sum;
    for (const Type number : values) sum.total += static_cast<double>(number);
    return sum;
  }
};

TEST_CASE("a view gives its elements in place when type and alignment allow") {
  const std::vector<float> numbers = {1, 2, 3, 4};
  const loupe::ValueView value(view_of(numbers, {2, 2}), nullptr);
  const auto elements = value.elements<float>();
  REQUIRE(elements);
  CHECK(elements->data() == numbers.data());
  CHECK(elements->size() == 4);
  CHECK_FALSE(value.elements<double>());
  CHECK_FALSE(value.elements<std::int32_t>());
}

TEST_CASE("a view of unaligned elements gives no span but a copy") {
  std::vector<std::byte> bytes(4 * sizeof(double) + 1);
  const double numbers[4] = {1.5, -2, 0, 1e300};
  std::memcpy(bytes.data() + 1, numbers, sizeof numbers);
  const loupe::ValueView value({bytes.data() + 1, loupe::ElementType::float64, {4}}, nullptr);
  CHECK_FALSE(value.elements<double>());
  const auto copy = value.copy();
  REQUIRE(copy);
  CHECK(std::vector<double>(copy->elements<double>().begin(), copy->elements<double>().end()) ==
        std::vector<double>{1.5, -2, 0, 1e300});
}

TEST_CASE("a view keeps the memory alive that it owns") {
  auto owner = std::make_shared<std::vector<float>>(3, 7.0f);
  std::weak_ptr<std::vector<float>> watch = owner;
  auto value = std::optional<loupe::ValueView>(std::in_place, view_of(*owner, {3}), owner);
  owner.reset();
  CHECK_FALSE(watch.expired());
  CHECK(value->elements<float>()->front() == 7.0f);
  value.reset();
  CHECK(watch.expired());
}

TEST_CASE("a view of an array of texts has its texts") {
  const loupe::ValueView value(*loupe::Array::strings({"a", "größe"}, {2}));
  CHECK(value.type() == loupe::ElementType::string);
  CHECK((*value.elements<std::string_view>())[1] == "größe");
}

TEST_CASE("values come as their own type and as any wider one") {
  const std::vector<std::int16_t> numbers = {-3, 0, 32767};
  const auto same = loupe::typed_copy<std::int16_t>(view_of(numbers, {3}), "ids");
  REQUIRE(same);
  CHECK((*same)[2] == 32767);
  const auto wider = loupe::typed_copy<std::int64_t>(view_of(numbers, {3}), "ids");
  REQUIRE(wider);
  CHECK((*wider)[0] == -3);
  const auto real = loupe::typed_copy<float>(view_of(numbers, {3}), "ids");
  REQUIRE(real);
  CHECK((*real)[2] == 32767.0f);
  const std::vector<loupe::Float16> halves = {loupe::to_float16(1.5f), loupe::to_float16(-2.25f)};
  const auto doubles = loupe::typed_copy<double>(view_of(halves, {2}), "ids");
  REQUIRE(doubles);
  CHECK((*doubles)[1] == -2.25);
}

TEST_CASE("a type that might not hold the numbers is refused, naming the tensor and both types") {
  const std::vector<double> numbers = {1, 2};
  const auto narrowed = loupe::typed_copy<float>(view_of(numbers, {2}), "ids");
  REQUIRE_FALSE(narrowed);
  CHECK(narrowed.error().kind == loupe::ErrorKind::invalid_type);
  CHECK(narrowed.error().message() == "ids: elements of type float64 can't be had as float32");
  CHECK_FALSE(loupe::typed_copy<std::int32_t>(view_of(std::vector<std::uint32_t>{1}, {1}), "ids"));
  CHECK_FALSE(loupe::typed_copy<float>(view_of(std::vector<std::int32_t>{1}, {1}), "ids"));
  CHECK_FALSE(loupe::typed_copy<std::int64_t>(view_of(numbers, {2}), "ids"));
  CHECK_FALSE(loupe::typed_copy<bool>(view_of(numbers, {2}), "ids"));
}

TEST_CASE("a single number is loaded from a tensor of any rank, from others none") {
  const std::vector<float> one = {2.5f};
  CHECK(loupe::load_scalar(view_of(one, {})).as_double() == 2.5);
  CHECK(loupe::load_scalar(view_of(one, {1, 1})).as_double() == 2.5);
  CHECK_FALSE(loupe::load_scalar(view_of(std::vector<float>{1, 2}, {2})).has_value());
  CHECK_FALSE(loupe::load_scalar({}).has_value());
}

TEST_CASE("values convert to whatever has a FromValues") {
  const std::vector<float> numbers = {1, 2, 3};
  const auto values = loupe::typed_copy<float>(view_of(numbers, {3}), "ids");
  REQUIRE(values);
  const Sum sum = *values;
  CHECK(sum.total == 6);
}
