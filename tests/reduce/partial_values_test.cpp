#include "loupe/reduce/partial_values.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

using namespace loupe;

TEST_CASE("a number is rounded once to the type that is asked for") {
  CHECK(make_scalar(ElementType::float32, 0.1).as_double() == static_cast<double>(0.1f));
  CHECK(make_scalar(ElementType::float16, 65519.0).as_double() == 65504);
  CHECK(make_scalar(ElementType::float16, 65520.0).as_double() == INFINITY);
  CHECK(make_scalar(ElementType::float64, 0.1).as_double() == 0.1);
  CHECK(make_scalar(ElementType::uint8, 200).type() == ElementType::uint8);
  CHECK(make_scalar(ElementType::boolean, 1).as_double() == 1);
  CHECK(make_scalar(ElementType::complex64, 2, 3).type() == ElementType::complex64);
  CHECK_FALSE(make_scalar(ElementType::string, 1).has_value());
}

TEST_CASE("there is one NaN") {
  for (const double number : {std::nan("5"), -std::nan("")}) {
    const double made = make_scalar(ElementType::float64, number).as_double();
    CHECK(std::isnan(made));
    CHECK_FALSE(std::signbit(made));
  }
}

TEST_CASE("extremes of 64-bit integers keep all their digits") {
  const std::vector<std::int64_t> elements{INT64_MIN, INT64_MAX - 1, 7};
  const auto partials = Partials::of(TensorView(std::span<const std::int64_t>(elements)), StatisticSet::all());
  const auto extreme = extreme_value(partials, Statistic::max, ElementType::int64);
  CHECK(load_element<std::int64_t>(extreme->view().data) == INT64_MAX - 1);
  const auto absolute_extreme = extreme_value(partials, Statistic::abs_max, ElementType::uint64);
  CHECK(load_element<std::uint64_t>(absolute_extreme->view().data) == std::uint64_t{1} << 63);
}

TEST_CASE("a statistic that wasn't asked for is not there") {
  const std::vector<float> elements{1, 2};
  const auto partials = Partials::of(TensorView(std::span<const float>(elements)), Statistic::min);
  CHECK(is_available(partials, Statistic::min));
  CHECK_FALSE(is_available(partials, Statistic::max));
  const auto refused = refuse_unavailable(partials, Statistic::max);
  CHECK(refused.error().kind == ErrorKind::invalid_state);
  CHECK(refused.error().object == "max");
}
