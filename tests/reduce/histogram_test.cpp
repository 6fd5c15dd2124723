#include "loupe/reduce/histogram.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "reduce/fixture_tensors.hpp"
#include "reduce/random_numbers.hpp"
#include "reduce/reference.hpp"
#include "support/catch.hpp"

using namespace loupe;

namespace {

result<Histogram> histogram_of(const std::vector<double>& values) {
  return make_histogram(TensorView(std::span<const double>(values)));
}

// The bin by the definition: half-open, the last one closed.
std::size_t plain_bin(double value) {
  for (std::size_t bin = 0; bin + 1 < histogram_edges; ++bin) {
    const bool is_last = bin + 2 == histogram_edges;
    if (value >= histogram_edge(bin) &&
        (value < histogram_edge(bin + 1) || (is_last && value == histogram_edge(bin + 1))))
      return bin;
  }
  return histogram_edges;
}

}  // namespace

TEST_CASE("TensorBoard's histograms of the fixtures' tensors") {
  const test::ExactTable table("fixtures/tables/histograms.json");
  for (const auto& row : table.rows()) {
    INFO(row["in"]["name"].GetString());
    const Array tensor = test::fixture_tensor(row["in"]["value"]);
    const auto histogram = make_histogram(tensor.view());
    const rapidjson::Value& out = row["out"];
    if (out.HasMember("error")) {
      REQUIRE_FALSE(histogram);
      CHECK(histogram.error().kind == ErrorKind::invalid_argument);
      continue;
    }
    REQUIRE(histogram);
    CHECK(test::agrees(histogram->minimum, test::number_of(out["min"]), 0));
    CHECK(test::agrees(histogram->maximum, test::number_of(out["max"]), 0));
    CHECK(histogram->count == out["num"].GetDouble());
    CHECK(test::agrees(histogram->sum, test::number_of(out["sum"]), 0));
    CHECK(test::agrees(histogram->sum_squares, test::number_of(out["sum_squares"]), 1e-15));
    REQUIRE(histogram->size() == out["buckets"].GetUint64());
    CHECK(histogram->limit(0) == out["first_limit"].GetDouble());
    CHECK(histogram->limit(histogram->size() - 1) == out["last_limit"].GetDouble());
    std::vector<std::pair<double, double>> counted;
    for (std::size_t bucket = 0; bucket < histogram->size(); ++bucket)
      if (histogram->bucket(bucket) != 0) counted.emplace_back(histogram->limit(bucket), histogram->bucket(bucket));
    std::vector<std::pair<double, double>> expected;
    for (const auto& pair : out["nonzero"].GetArray()) expected.emplace_back(pair[0].GetDouble(), pair[1].GetDouble());
    CHECK(counted == expected);
  }
}

TEST_CASE("the edges rise by tenths from 1e-12, on both sides of zero") {
  CHECK(histogram_edge(0) == -9.920775621859783e19);
  CHECK(histogram_edge(773) == -1e-12);
  CHECK(histogram_edge(774) == 0);
  CHECK(histogram_edge(775) == 1e-12);
  CHECK(histogram_edge(776) == 1e-12 * 1.1);
  CHECK(histogram_edge(1548) == 9.920775621859783e19);
  for (std::size_t index = 1; index < histogram_edges; ++index)
    CHECK(histogram_edge(index - 1) < histogram_edge(index));
}

TEST_CASE("every edge and its neighbours fall in the bins that the definition says") {
  for (std::size_t index = 0; index < histogram_edges; ++index) {
    for (const double value : {std::nextafter(histogram_edge(index), -INFINITY), histogram_edge(index),
                               std::nextafter(histogram_edge(index), INFINITY)}) {
      const std::size_t expected = plain_bin(value);
      const auto histogram = histogram_of({value});
      INFO(index << ", " << value);
      REQUIRE(histogram.has_value() == (expected != histogram_edges));
      if (histogram) CHECK(histogram->first_bin == expected);
    }
  }
}

TEST_CASE("any values are counted where the definition says") {
  test::RandomNumbers random(41);
  std::vector<double> values(2000);
  for (double& value : values) value = std::ldexp(random.unit(), static_cast<int>(random.below(130)) - 55);
  std::vector<std::uint64_t> expected(histogram_edges - 1);
  for (const double value : values)
    if (const std::size_t bin = plain_bin(value); bin < expected.size()) ++expected[bin];
  const auto histogram = histogram_of(values);
  REQUIRE(histogram);
  CHECK(std::vector<std::uint64_t>(std::begin(histogram->bins), std::end(histogram->bins)) == expected);
  CHECK(expected[histogram->first_bin] != 0);
  CHECK(expected[histogram->last_bin] != 0);
  CHECK(histogram->bucket(0) == 0);
  CHECK(histogram->bucket(1) == static_cast<double>(expected[histogram->first_bin]));
}

TEST_CASE("zeros, subnormal numbers and negative zero have their bins") {
  const auto zeros = histogram_of({0.0, -0.0, 5e-324});
  REQUIRE(zeros);
  CHECK(zeros->size() == 2);
  CHECK(zeros->limit(0) == 0);
  CHECK(zeros->limit(1) == 1e-12);
  CHECK(zeros->bucket(1) == 3);
  const auto below = histogram_of({-5e-324});
  REQUIRE(below);
  CHECK(below->limit(1) == 0);
}

TEST_CASE("values in no bin count among the values only") {
  const auto histogram = histogram_of({1, std::nan(""), INFINITY, 1e300});
  REQUIRE(histogram);
  CHECK(histogram->count == 4);
  CHECK(histogram->size() == 2);
  CHECK(histogram->bucket(1) == 1);
  CHECK(std::isnan(histogram->minimum));
  CHECK(std::isnan(histogram->maximum));
  CHECK(std::isnan(histogram->sum));
  for (const double value : {std::nan(""), static_cast<double>(-INFINITY), 1e21}) {
    const auto refused = histogram_of({value, value});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::invalid_argument);
  }
}

TEST_CASE("strided tensors have the histogram of their copy, complex numbers and strings none") {
  const std::vector<float> elements{1, 2, 3, 4, 5, 6};
  const TensorView view(elements.data() + 5, ElementType::float32, {3}, {-2});
  const auto histogram = make_histogram(view);
  REQUIRE(histogram);
  CHECK(histogram->sum == 12);
  CHECK(histogram->sum_squares == 56);
  const Complex64 complex{1, 2};
  CHECK(make_histogram(TensorView(&complex, ElementType::complex64, {1})).error().kind == ErrorKind::unsupported);
  const std::string_view text = "1";
  CHECK(make_histogram(TensorView(&text, ElementType::string, {1})).error().kind == ErrorKind::unsupported);
  CHECK(make_histogram(TensorView()).error().kind == ErrorKind::unsupported);
}
