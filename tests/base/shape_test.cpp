#include "loupe/base/shape.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include "loupe/base/tensor_view.hpp"
#include "support/catch.hpp"

using loupe::element_count;
using loupe::Shape;
using loupe::Strides;

TEST_CASE("a shape counts its elements, and rank 0 counts one") {
  CHECK(element_count(Shape{}) == 1);
  CHECK(element_count(Shape{3, 4}) == 12);
  CHECK(element_count(Shape{3, 0, 4}) == 0);
}

TEST_CASE("a negative size or too many elements are no count") {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  CHECK_FALSE(element_count(Shape{-1}));
  CHECK_FALSE(element_count(Shape{huge, 2}));
  CHECK_FALSE(element_count(Shape{0, -1}));
  CHECK_FALSE(element_count(Shape{huge, 2, 0}));
  CHECK_FALSE(element_count(Shape{0, huge, 2}));
  CHECK(element_count(Shape{huge, 1, 0}) == 0);
  CHECK(element_count(Shape{huge}) == huge);
}

TEST_CASE("a shape holds 32 sizes and refuses a 33rd") {
  Shape shape;
  for (std::int64_t axis = 0; axis < 32; ++axis) CHECK(shape.push_back(axis));
  CHECK_FALSE(shape.push_back(32));
  CHECK(shape.size() == 32);
  CHECK(shape[31] == 31);
  CHECK(Shape::fits(32));
  CHECK_FALSE(Shape::fits(33));
}

TEST_CASE("row-major strides go with the sizes to the right") {
  CHECK(loupe::row_major_strides(Shape{2, 3, 4}) == Strides{12, 4, 1});
  CHECK(loupe::is_row_major(Shape{2, 3}, Strides{3, 1}));
  CHECK_FALSE(loupe::is_row_major(Shape{2, 3}, Strides{1, 2}));
  CHECK(loupe::is_row_major(Shape{1, 3}, Strides{99, 1}));
  CHECK(loupe::is_row_major(Shape{0, 3}, Strides{-7, 5}));
  CHECK(loupe::is_row_major(Shape{}, Strides{}));
}

TEST_CASE("shapes of too many elements have defined strides and sizes") {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  for (const Shape& shape : {Shape{huge, 3}, Shape{0, huge, huge}, Shape{huge, huge, 0}, Shape{-1, -7}}) {
    const Strides strides = loupe::row_major_strides(shape);
    CHECK(strides[shape.size() - 1] == 1);
    (void)loupe::is_row_major(shape, strides);
    (void)loupe::TensorView(nullptr, loupe::ElementType::float32, shape).size();
  }
}
