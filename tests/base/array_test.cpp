#include "loupe/base/array.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"

using loupe::Array;
using loupe::ElementType;
using loupe::ErrorKind;
using loupe::TensorView;

TEST_CASE("an array owns a row-major copy of any view") {
  std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  const auto array = Array::copy_of(TensorView(numbers.data(), ElementType::float32, {3, 2}, {1, 3}));
  REQUIRE(array);
  numbers.assign(6, 0);
  const auto elements = array->elements<float>();
  CHECK(std::vector<float>(elements.begin(), elements.end()) == std::vector<float>{1, 4, 2, 5, 3, 6});
  CHECK(array->elements<double>().empty());
  CHECK(reinterpret_cast<std::uintptr_t>(array->bytes().data()) % 64 == 0);
}

TEST_CASE("copies and moves of arrays keep their elements") {
  auto made = Array::make(ElementType::int64, {2, 2});
  REQUIRE(made);
  std::int64_t next = 0;
  for (auto& element : made->elements<std::int64_t>()) element = next++;
  const Array copy = *made;
  const Array moved = std::move(*made);
  CHECK(copy.elements<std::int64_t>()[3] == 3);
  CHECK(moved.elements<std::int64_t>()[3] == 3);
  CHECK(copy.bytes().data() != moved.bytes().data());
  CHECK(made->size() == 0);
}

TEST_CASE("an array of texts outlives them and views them") {
  std::vector<std::string> texts{"a", "a text that is longer than what fits without memory of its own"};
  auto array = Array::strings(texts, {2});
  REQUIRE(array);
  texts.clear();
  const Array copy = *array;
  const Array moved = std::move(*array);
  CHECK(copy.elements<std::string_view>()[1].substr(0, 6) == "a text");
  CHECK(moved.elements<std::string_view>()[0] == "a");
  const auto again = Array::copy_of(moved.view());
  REQUIRE(again);
  CHECK(again->elements<std::string_view>()[1] == copy.elements<std::string_view>()[1]);
}

TEST_CASE("an array that can't be is refused, not tried") {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  CHECK(Array::make(ElementType::float64, {huge}).error().kind == ErrorKind::limit_exceeded);
  CHECK(Array::make(ElementType::float64, {-1}).error().kind == ErrorKind::invalid_argument);
  CHECK(Array::make(ElementType::none, {1}).error().kind == ErrorKind::invalid_argument);
  CHECK(Array::make(ElementType::string, {1}).error().kind == ErrorKind::invalid_argument);
  CHECK(Array::strings({"a"}, {2}).error().kind == ErrorKind::invalid_argument);
}

TEST_CASE("an array of no elements has a shape and no memory") {
  const auto array = Array::make(ElementType::float32, {0, 3});
  REQUIRE(array);
  CHECK(array->size() == 0);
  CHECK(array->view().has_tensor());
  CHECK(array->bytes().empty());
}
