#include "loupe/format/data_type.hpp"

#include "support/catch.hpp"

using loupe::ElementType;
using loupe::format::DataType;

TEST_CASE("every numeric element type has a number of its own that means it") {
  for (int number = 1; number < static_cast<int>(ElementType::string); ++number) {
    const auto type = static_cast<ElementType>(number);
    CHECK(loupe::format::data_type_of(type) != DataType::invalid);
    CHECK(loupe::format::element_type_from(loupe::format::data_type_of(type)) == type);
  }
}

TEST_CASE("the numbers are TensorFlow's (format.md 4.1)") {
  CHECK(static_cast<int>(loupe::format::data_type_of(ElementType::float32)) == 1);
  CHECK(static_cast<int>(loupe::format::data_type_of(ElementType::float64)) == 2);
  CHECK(static_cast<int>(loupe::format::data_type_of(ElementType::int8)) == 6);
  CHECK(static_cast<int>(loupe::format::data_type_of(ElementType::boolean)) == 10);
  CHECK(static_cast<int>(loupe::format::data_type_of(ElementType::bfloat16)) == 14);
  CHECK(static_cast<int>(loupe::format::data_type_of(ElementType::float16)) == 19);
  CHECK(static_cast<int>(loupe::format::data_type_of(ElementType::uint64)) == 23);
}

TEST_CASE("strings are written without a number") {
  CHECK(loupe::format::data_type_of(ElementType::string) == DataType::invalid);
  CHECK(loupe::format::element_type_from(DataType::string) == ElementType::string);
}

TEST_CASE("resources, variants, 8-bit floats and references have no element type") {
  for (const int number : {0, 20, 21, 24, 25, 101, 123, -1})
    CHECK(loupe::format::element_type_from(static_cast<DataType>(number)) == ElementType::none);
}
