#include "loupe/reduce/numpy_definitions.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "loupe/base/array.hpp"
#include "reduce/fixture_tensors.hpp"
#include "reduce/reference.hpp"
#include "reduce/strategy_suite.hpp"
#include "support/catch.hpp"

using namespace loupe;

namespace {

// The name of Python's exception that smdebug raises.
std::string_view python_error(const Error& error) {
  switch (error.kind) {
    case ErrorKind::invalid_argument: return "ValueError";
    case ErrorKind::invalid_type: return "TypeError";
    case ErrorKind::unsupported: return "UFuncTypeError";
    case ErrorKind::invalid_state: return "LinAlgError";
    default: return "?";
  }
}

double value(const TensorView& view, Statistic statistic) {
  const auto scalar = NumpyDefinitions::value_of(view, statistic);
  REQUIRE(scalar);
  return scalar->as_double();
}

std::string_view refusal(const TensorView& view, Statistic statistic) {
  const auto scalar = NumpyDefinitions::value_of(view, statistic);
  return scalar ? "none" : python_error(scalar.error());
}

template <class Element>
TensorView view_of(const std::vector<Element>& elements) {
  return TensorView(std::span<const Element>(elements));
}

}  // namespace

TEST_CASE("numpy's reductions of the fixtures' tensors") {
  const test::ExactTable table("fixtures/tables/reductions_numpy.json");
  for (const auto& row : table.rows()) {
    const Array tensor = test::fixture_tensor(row["in"]["value"]);
    for (const Statistic statistic : smdebug_statistics) {
      const std::string name(statistic_name(statistic));
      INFO(row["in"]["name"].GetString() << ": " << name);
      const rapidjson::Value& expected = row["out"][name.c_str()];
      const auto result = NumpyDefinitions::value_of(tensor.view(), statistic);
      if (expected.HasMember("error")) {
        REQUIRE_FALSE(result);
        CHECK(python_error(result.error()) == text_of(expected["error"]));
        CHECK(result.error().object.view() == name);
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

namespace {

// Element `index` of the tensors of tests/data/reduce/numpy_reductions.py.
template <class Element>
Element formula(std::int64_t index, std::int64_t seed, std::int64_t scale) {
  const auto k = [seed](std::int64_t at) { return (at * 7919 + seed) % 2003 - 1001; };
  const auto number = [&](std::int64_t at) { return static_cast<float>(k(at)) / 1000.0f; };
  const auto wide = [&](std::int64_t at) { return static_cast<double>(number(at)) * static_cast<double>(scale); };
  const auto narrow = [&](std::int64_t at) { return number(at) * static_cast<float>(scale); };
  if constexpr (std::is_same_v<Element, bool>) return k(index) > 0;
  else if constexpr (std::is_integral_v<Element>) return static_cast<Element>(k(index) * scale);
  else if constexpr (std::is_same_v<Element, double>) return wide(index);
  else if constexpr (std::is_same_v<Element, Complex128>) return {wide(index), wide(index + 1)};
  else if constexpr (std::is_same_v<Element, Complex64>) return {narrow(index), narrow(index + 1)};
  else if constexpr (std::is_same_v<Element, float>) return narrow(index);
  else return to_float16(narrow(index));
}

Array formula_tensor(const rapidjson::Value& row) {
  Shape shape;
  for (const auto& extent : row["shape"].GetArray()) shape.push_back(extent.GetInt64());
  Array array = *Array::make(element_type_from_name(text_of(row["dtype"])), shape);
  std::byte* out = array.bytes().data();
  visit_element_type(array.type(), [&]<class Element>() {
    if constexpr (!std::is_void_v<Element> && !std::is_same_v<Element, std::string_view> &&
                  !std::is_same_v<Element, BFloat16>) {
      for (std::size_t index = 0; index < array.size(); ++index) {
        const auto element =
            formula<Element>(static_cast<std::int64_t>(index), row["seed"].GetInt64(), row["scale"].GetInt64());
        std::memcpy(out + index * sizeof element, &element, sizeof element);
      }
    }
  });
  return array;
}

// The parts of a result: one text for an integer, hexadecimal doubles otherwise.
std::vector<double> parts_of(const Scalar& scalar) {
  if (scalar.type() == ElementType::complex64) {
    const auto number = load_element<Complex64>(scalar.view().data);
    return {static_cast<double>(number.real), static_cast<double>(number.imaginary)};
  }
  if (scalar.type() == ElementType::complex128) {
    const auto number = load_element<Complex128>(scalar.view().data);
    return {number.real, number.imaginary};
  }
  return {scalar.as_double()};
}

// The BLAS and LAPACK libraries that numpy calls, and the C library's hypot, have roundings of their own.
double tolerance_of(ElementType type, Statistic statistic) {
  if (without_absolute(statistic) == Statistic::l2)
    return type == ElementType::float32 || type == ElementType::complex64 ? 5e-6 : 1e-12;
  if (type == ElementType::complex128 && (is_absolute(statistic) || is_norm(statistic))) return 1e-14;
  return 0;
}

}  // namespace

TEST_CASE("numpy's reductions of tensors of every type, to the last bit") {
  const test::ExactTable table("reduce/numpy_reductions.json");
  for (const auto& row : table.rows()) {
    const Array tensor = formula_tensor(row);
    for (const auto& answer : row["out"].GetObject()) {
      const Statistic statistic = *statistic_from_name(text_of(answer.name));
      INFO(row["dtype"].GetString() << " of " << tensor.size() << ", rank " << tensor.rank() << ": "
                                    << text_of(answer.name));
      const auto result = NumpyDefinitions::value_of(tensor.view(), statistic);
      if (answer.value.IsString()) {
        REQUIRE_FALSE(result);
        CHECK(python_error(result.error()) == text_of(answer.value));
        continue;
      }
      REQUIRE(result);
      CHECK(element_type_name(result->type()) == text_of(answer.value[0]));
      if (result->type() == ElementType::int64) {
        CHECK(std::to_string(load_element<std::int64_t>(result->view().data)) == text_of(answer.value[1]));
      } else if (result->type() == ElementType::uint64) {
        CHECK(std::to_string(load_element<std::uint64_t>(result->view().data)) == text_of(answer.value[1]));
      } else {
        const std::vector<double> parts = parts_of(*result);
        for (std::size_t part = 0; part < parts.size(); ++part) {
          const double expected =
              std::strtod(answer.value[static_cast<rapidjson::SizeType>(part + 1)].GetString(), nullptr);
          INFO(parts[part] << " instead of " << expected);
          CHECK(test::agrees(parts[part], expected, tolerance_of(tensor.type(), statistic)));
        }
      }
    }
  }
}

TEST_CASE("the results are in the arithmetic of the tensor's type") {
  // Variances of float16 and float32 overflow, sums of float16 too.
  const std::vector<Float16> halves{to_float16(60000.0f), to_float16(-60000.0f), to_float16(60000.0f),
                                    to_float16(60000.0f)};
  CHECK(value(view_of(halves), Statistic::sum) == std::numeric_limits<double>::infinity());
  CHECK(value(view_of(halves), Statistic::mean) == 30000);
  CHECK(value(view_of(halves), Statistic::l2) == std::numeric_limits<double>::infinity());
  const std::vector<float> floats{3e30f, -3e30f};
  CHECK(value(view_of(floats), Statistic::variance) == std::numeric_limits<double>::infinity());
  CHECK(value(view_of(floats), Statistic::l2) == std::numeric_limits<double>::infinity());
  const std::vector<float> tiny{1e-30f, 1e-30f};
  CHECK(value(view_of(tiny), Statistic::l2) == 0);
  CHECK(value(view_of(tiny), Statistic::prod) == 0);
}

TEST_CASE("the smallest integer's absolute value is itself") {
  const std::vector<std::int8_t> bytes{-128, 5};
  CHECK(value(view_of(bytes), Statistic::abs_min) == -128);
  CHECK(value(view_of(bytes), Statistic::abs_sum) == -123);
  CHECK(value(view_of(bytes), Statistic::abs_mean) == -61.5);
  CHECK(value(view_of(bytes), Statistic::abs_l1) == 133);
}

TEST_CASE("norms of matrices are their largest column sum and singular value") {
  const std::vector<float> elements{1, -2, 3, 4};
  const TensorView matrix(elements.data(), ElementType::float32, {2, 2});
  CHECK(value(matrix, Statistic::l1) == 6);
  CHECK(value(matrix, Statistic::l2) == Approx(5.1166725));
  CHECK(value(matrix, Statistic::abs_l2) == Approx(5.464986));
  std::vector<double> wide(3 * 500);
  for (std::size_t index = 0; index < wide.size(); ++index) wide[index] = index % 500 == 400 ? -2 : 1;
  CHECK(value(TensorView(wide.data(), ElementType::float64, {3, 500}), Statistic::l1) == 6);
  const std::vector<Complex128> complex{{0, 0}, {1, 2}, {-0.0, -1.5}, {2.5, 0}, {-3, -4}, {0, 1000}};
  const TensorView complex_matrix(complex.data(), ElementType::complex128, {2, 3});
  CHECK(value(complex_matrix, Statistic::l1) == 1001.5);
  CHECK(value(complex_matrix, Statistic::l2) == Approx(1000.016766391941).epsilon(1e-12));
  CHECK(value(complex_matrix, Statistic::abs_l2) == Approx(1000.0167666624386).epsilon(1e-12));
}

TEST_CASE("ranks without a norm, and matrices without one, are refused") {
  const std::vector<float> elements(8, 1);
  for (const Shape& shape : {Shape{}, Shape{2, 2, 2}})
    for (const Statistic norm : {Statistic::l1, Statistic::l2})
      CHECK(refusal(TensorView(elements.data(), ElementType::float32, shape), norm) == "ValueError");
  CHECK(value(TensorView(elements.data(), ElementType::float32, {}), Statistic::abs_l2) == 1);
  CHECK(refusal(TensorView(elements.data(), ElementType::float32, {2, 2, 2}), Statistic::abs_l1) == "ValueError");
  CHECK(refusal(TensorView(elements.data(), ElementType::float16, {2, 2}), Statistic::l2) == "TypeError");
  CHECK(refusal(TensorView(nullptr, ElementType::float32, {3, 0}), Statistic::l1) == "ValueError");
  CHECK(value(TensorView(nullptr, ElementType::float32, {0, 3}), Statistic::l1) == 0);
  CHECK(refusal(TensorView(nullptr, ElementType::float32, {0, 3}), Statistic::l2) == "ValueError");
  const std::vector<double> with_nan{1, std::nan(""), 2, 3};
  const TensorView matrix(with_nan.data(), ElementType::float64, {2, 2});
  CHECK(refusal(matrix, Statistic::l2) == "LinAlgError");
  CHECK(std::isnan(value(matrix, Statistic::l1)));
  const std::vector<double> infinite{1, std::numeric_limits<double>::infinity(), 2, 3};
  CHECK(std::isnan(value(TensorView(infinite.data(), ElementType::float64, {2, 2}), Statistic::l2)));
}

TEST_CASE("complex extremes go by the real part, then the imaginary one") {
  const std::vector<Complex64> numbers{{1, 5}, {1, -5}, {-2, 0}, {1, 9}};
  const auto extreme = [&](Statistic statistic) {
    return load_element<Complex64>(NumpyDefinitions::value_of(view_of(numbers), statistic)->view().data);
  };
  CHECK(extreme(Statistic::max) == Complex64{1, 9});
  CHECK(extreme(Statistic::min) == Complex64{-2, 0});
  CHECK(extreme(Statistic::sum) == Complex64{1, 9});
  CHECK(extreme(Statistic::mean) == Complex64{0.25f, 2.25f});
  CHECK(extreme(Statistic::prod) == Complex64{2 * (-26 * 1), 2 * (-26 * 9)});
  CHECK(NumpyDefinitions::value_of(view_of(numbers), Statistic::variance)->type() == ElementType::float32);
  CHECK(value(view_of(numbers), Statistic::abs_min) == 2);
}

TEST_CASE("a string's number that no double holds is infinite or 0, whichever part of it says so") {
  const auto norm_of = [](const std::string& text) { return value(view_of(std::vector<std::string_view>{text}), Statistic::l1); };
  const std::string many(400, '0');
  for (const std::string& large : std::vector<std::string>{"1e400", "1" + many, "1" + many + "e-1", "0.0001e500", "-1E+999999999999999999999"})
    CHECK(norm_of(large) == std::numeric_limits<double>::infinity());
  for (const std::string& small : std::vector<std::string>{"1e-400", "0." + many + "1", "." + many + "1e+5", "100e-500", "1e-999999999999999999999"})
    CHECK(norm_of(small) == 0);
}

TEST_CASE("strings have norms if they are numbers, nothing else") {
  const std::vector<std::string_view> numbers{" 3 ", "-4.0", "1_0e-1", "+.5e1", "nan"};
  const auto norm_of = [&](std::vector<std::string_view> texts) { return value(view_of(texts), Statistic::l1); };
  CHECK(norm_of({numbers.begin(), numbers.begin() + 4}) == 13);
  CHECK(std::isnan(norm_of(numbers)));
  CHECK(norm_of({"-Infinity"}) == std::numeric_limits<double>::infinity());
  CHECK(norm_of({"1e999", "-1e-999"}) == std::numeric_limits<double>::infinity());
  for (const std::string_view text : {"", " ", "0-1", "0x10", "1__0", "_1", "1_", "+-1", "nan(1)", "1e"}) {
    INFO('"' << text << '"');
    CHECK(refusal(view_of(std::vector<std::string_view>{text}), Statistic::l2) == "ValueError");
  }
  CHECK(refusal(view_of(numbers), Statistic::abs_l1) == "UFuncTypeError");
  CHECK(refusal(view_of(numbers), Statistic::max) == "UFuncTypeError");
}

TEST_CASE("many elements of every type have numpy's statistics up to rounding") {
  const auto check = [](const auto& elements) {
    using Element = typename std::decay_t<decltype(elements)>::value_type;
    const test::Reference<Element> reference(elements);
    const StatisticSet left_out{Statistic::prod, Statistic::abs_prod};
    for (const Statistic statistic : smdebug_statistics - left_out) {
      const auto result = NumpyDefinitions::value_of(view_of(elements), statistic);
      REQUIRE(result);
      INFO(element_type_name(element_type_of<Element>) << ' ' << statistic_name(statistic));
      CHECK(test::agrees(result->as_double(), reference[statistic],
                         result->type() == ElementType::float64 ? 1e-12 : 2e-3));
    }
  };
  check(test::elements_around<float>(21, 20'000, 5, 1));
  check(test::elements_around<double>(22, 20'000, 5, 1));
  check(test::elements_around<Float16>(23, 1000, 5, 1));
  check(test::elements_around<std::int32_t>(24, 20'000, 500, 100));
  check(test::elements_around<std::uint8_t>(25, 20'000, 100, 20));
}

TEST_CASE("numpy's definitions are a strategy") { test::check_reduction_strategy<NumpyDefinitions>(); }

TEST_CASE("pieces that make no tensor don't merge") {
  const std::vector<float> elements(12, 1);
  const StatisticSet wanted{Statistic::sum};
  const auto merged = [&](const TensorView& first, const TensorView& second) {
    auto partials = NumpyDefinitions::partials(first, wanted);
    NumpyDefinitions::merge(partials, NumpyDefinitions::partials(second, wanted));
    return NumpyDefinitions::value(partials, Statistic::sum);
  };
  const TensorView matrix(elements.data(), ElementType::float32, {2, 3});
  CHECK(merged(matrix, matrix)->as_double() == 12);
  CHECK_FALSE(merged(matrix, TensorView(elements.data(), ElementType::float32, {2, 2})));
  CHECK_FALSE(merged(matrix, TensorView(elements.data(), ElementType::float32, {6})));
  CHECK_FALSE(merged(TensorView(elements.data(), ElementType::float32, {}),
                     TensorView(elements.data(), ElementType::float32, {})));
  CHECK_FALSE(merged(matrix, TensorView()));
}
