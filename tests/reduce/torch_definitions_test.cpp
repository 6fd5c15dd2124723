#include "loupe/reduce/torch_definitions.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "reduce/fixture_tensors.hpp"
#include "reduce/reference.hpp"
#include "reduce/strategy_suite.hpp"
#include "support/catch.hpp"

using namespace loupe;

namespace {

result<Scalar> reduce(const TensorView& view, Statistic statistic) {
  return TorchDefinitions::value(TorchDefinitions::partials(view, statistic), statistic);
}

template <class Element>
double value(const std::vector<Element>& elements, Statistic statistic) {
  const auto scalar = reduce(TensorView(std::span<const Element>(elements)), statistic);
  REQUIRE(scalar);
  return scalar->as_double();
}

}  // namespace

TEST_CASE("PyTorch's reductions of the fixtures' tensors") {
  const test::ExactTable table("fixtures/tables/reductions_torch.json");
  for (const auto& row : table.rows()) {
    const Array tensor = test::fixture_tensor(row["in"]["value"]);
    for (const Statistic statistic : smdebug_statistics) {
      const std::string name(statistic_name(statistic));
      INFO(row["in"]["name"].GetString() << ": " << name);
      const rapidjson::Value& expected = row["out"][name.c_str()];
      const auto result = reduce(tensor.view(), statistic);
      if (expected.HasMember("error")) {
        REQUIRE_FALSE(result);
        CHECK(result.error().object.view() == name);
        CHECK(result.error().kind == (tensor.size() == 0 ? ErrorKind::invalid_argument : ErrorKind::invalid_type));
        continue;
      }
      REQUIRE(result);
      CHECK(element_type_name(result->type()) == text_of(expected["dtype"]));
      const double number = test::number_of(expected["data"]);
      INFO(result->as_double() << " instead of " << number);
      CHECK(test::agrees(result->as_double(), number, test::tolerance_of(result->type())));
      if (number == 0) CHECK(std::signbit(result->as_double()) == std::signbit(number));
    }
  }
}

TEST_CASE("std and variance are of a sample") {
  CHECK(value(std::vector<double>{1, 3}, Statistic::variance) == 2);
  CHECK(value(std::vector<double>{1, -3}, Statistic::abs_std) == Approx(std::sqrt(2.0)));
  CHECK(std::isnan(value(std::vector<float>{1}, Statistic::std)));
  CHECK(std::isnan(value(std::vector<float>{}, Statistic::variance)));
}

TEST_CASE("PyTorch's smallest integer has no absolute value of its own type") {
  CHECK(value(std::vector<std::int8_t>{-128, 5, -7}, Statistic::abs_min) == -128);
  CHECK(value(std::vector<std::int8_t>{-128, 5, -7}, Statistic::abs_max) == 7);
  CHECK(value(std::vector<std::int8_t>{-128, 5, -7}, Statistic::abs_sum) == -116);
  CHECK(value(std::vector<std::int8_t>{-128, 5, -7}, Statistic::abs_prod) == -4480);
  CHECK(value(std::vector<std::int64_t>{INT64_MIN, 5}, Statistic::abs_min) == -0x1p63);
}

TEST_CASE("sums keep the type of floats and are int64 of integers") {
  const std::vector<std::uint8_t> bytes{200, 100};
  CHECK(reduce(TensorView(std::span<const std::uint8_t>(bytes)), Statistic::sum)->type() == ElementType::int64);
  CHECK(reduce(TensorView(std::span<const std::uint8_t>(bytes)), Statistic::max)->type() == ElementType::uint8);
  const std::vector<BFloat16> brains(300, to_bfloat16(1.0f));
  CHECK(reduce(TensorView(std::span<const BFloat16>(brains)), Statistic::sum)->type() == ElementType::bfloat16);
  CHECK(value(brains, Statistic::sum) == 300);
  CHECK(value(brains, Statistic::prod) == 1);
}

TEST_CASE("complex tensors have sums, and no extremes") {
  const std::vector<Complex64> numbers{{1, 2}, {3, -6}};
  const TensorView view{std::span<const Complex64>(numbers)};
  CHECK(load_element<Complex64>(reduce(view, Statistic::mean)->view().data) == Complex64{2, -2});
  CHECK(reduce(view, Statistic::variance)->as_double() == 34);
  CHECK(reduce(view, Statistic::abs_max)->type() == ElementType::float32);
  CHECK(reduce(view, Statistic::max).error().kind == ErrorKind::invalid_type);
  CHECK(reduce(view, Statistic::prod).error().kind == ErrorKind::invalid_type);
}

TEST_CASE("PyTorch's definitions count as all do") {
  const std::vector<float> elements{0, std::nanf(""), INFINITY, -INFINITY, 0};
  CHECK(value(elements, Statistic::nan_count) == 1);
  CHECK(value(elements, Statistic::zero_count) == 2);
  CHECK(value(elements, Statistic::first_non_finite) == 1);
}

TEST_CASE("PyTorch's definitions are a strategy") { test::check_reduction_strategy<TorchDefinitions>(); }
