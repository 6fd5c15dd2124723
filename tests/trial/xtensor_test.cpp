#include "loupe/trial/xtensor.hpp"

#include <cstring>
#include <vector>

#include "support/catch.hpp"

namespace {
const std::vector<float> numbers = {1, 2, 3, 4, 5, 6};
const loupe::TensorView matrix(numbers.data(), loupe::ElementType::float32, {2, 3});
}  // namespace

TEST_CASE("values become an xarray of their shape") {
  const auto values = loupe::typed_copy<float>(matrix, "m");
  REQUIRE(values);
  const xt::xarray<float> array = *values;
  REQUIRE(array.dimension() == 2);
  CHECK(array.shape(0) == 2);
  CHECK(array(1, 0) == 4);
}

TEST_CASE("a value of rank 0 becomes an xarray of rank 0") {
  const auto values = loupe::typed_copy<float>(loupe::TensorView(numbers.data(), loupe::ElementType::float32, {}), "s");
  REQUIRE(values);
  const xt::xarray<float> array = *values;
  CHECK(array.dimension() == 0);
  CHECK(array() == 1);
}

TEST_CASE("an aligned value is an expression over its own memory, an unaligned one is not") {
  const loupe::ValueView value(matrix, nullptr);
  const auto expression = loupe::adapt<float>(value);
  REQUIRE(expression.has_value());
  CHECK(expression->data() == numbers.data());
  CHECK((*expression)(1, 2) == 6);
  CHECK_FALSE(loupe::adapt<double>(value).has_value());
  std::vector<std::byte> bytes(numbers.size() * sizeof(float) + 1);
  std::memcpy(bytes.data() + 1, numbers.data(), numbers.size() * sizeof(float));
  CHECK_FALSE(loupe::adapt<float>(loupe::ValueView({bytes.data() + 1, loupe::ElementType::float32, {6}}, nullptr)).has_value());
}

TEST_CASE("owned values are an expression over their elements") {
  const auto values = loupe::typed_copy<float>(matrix, "m");
  REQUIRE(values);
  const auto expression = loupe::adapt(*values);
  CHECK(expression(0, 2) == 3);
  CHECK(expression.data() == values->elements().data());
}
