#include "loupe/rules/labels.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"

using loupe::ElementType;
using loupe::TensorView;
using loupe::rules::Classes;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
TensorView view_of(const std::vector<double>& numbers, loupe::Shape shape) { return {numbers.data(), ElementType::float64, shape}; }

}  // namespace

TEST_CASE("the class of a row is its largest place, the first of equals, and none where there is a NaN") {
  const std::vector<double> scores{0.1, 0.9, 0.5, 0.5, not_a_number, 1};
  CHECK(loupe::rules::argmax_rows(view_of(scores, {3, 2})) == Classes{1, 0, std::nullopt});
  CHECK(loupe::rules::has_class_axis(view_of(scores, {3, 2})));
  CHECK_FALSE(loupe::rules::has_class_axis(view_of(scores, {6, 1})));
  CHECK_FALSE(loupe::rules::has_class_axis(view_of(scores, {6})));
}

TEST_CASE("numbers are rounded to classes with halves up") {
  const std::vector<double> numbers{0.5, 0.49, -0.5, 2, not_a_number, 1e300};
  CHECK(loupe::rules::rounded_classes(view_of(numbers, {6})) == Classes{1, 0, 0, 2, std::nullopt, std::nullopt});
  CHECK_FALSE(loupe::rules::are_whole(view_of(numbers, {1})));
  const std::vector<double> whole{1, -2, not_a_number};
  CHECK(loupe::rules::are_whole(view_of(whole, {3})));
}
