#include "loupe/frameworks/span.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

#include "loupe/capture/framework.hpp"
#include "support/catch.hpp"

using loupe::ElementType;
using loupe::Shape;
using loupe::frameworks::Span;

static_assert(loupe::Framework<Span>);
static_assert(loupe::Views<Span, std::span<const double>>);
static_assert(loupe::Views<Span, std::vector<int>>);
static_assert(!loupe::SavesTensor<Span, std::vector<std::string>>);
static_assert(!loupe::SavesTensor<Span, std::string>, "text is one value, not a row of small integers");
static_assert(!loupe::SavesTensor<Span, std::string_view>);
static_assert(loupe::SavesTensor<Span, std::vector<char>>);
static_assert(!loupe::SavesTensor<Span, std::vector<bool>>);
static_assert(!loupe::SavesTensor<Span, float*>);

TEST_CASE("contiguous ranges are viewed where they are") {
  const std::vector<float> numbers{1, 2, 3};
  CHECK(Span::view(numbers).data == numbers.data());
  CHECK(Span::view(numbers).shape == Shape{3});
  CHECK(Span::view(std::span(numbers)).type == ElementType::float32);
  CHECK(Span::view(std::array<int, 2>{}).type == ElementType::int32);
}

TEST_CASE("a number is a tensor of rank 0, a view is itself") {
  const double number = 4;
  CHECK(Span::view(number).rank() == 0);
  CHECK(Span::view(number).data == &number);
  const loupe::TensorView matrix(&number, ElementType::float64, {1, 1});
  CHECK(Span::view(matrix).shape == Shape{1, 1});
}
