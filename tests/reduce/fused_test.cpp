#include "loupe/reduce/fused.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "loupe/base/array.hpp"
#include "reduce/hostile_floats.hpp"
#include "reduce/random_numbers.hpp"
#include "reduce/reference.hpp"
#include "support/catch.hpp"

using namespace loupe;

namespace {

template <class Element>
TensorView view_of(const std::vector<Element>& elements) {
  return {elements.data(), element_type_of<Element>, {static_cast<std::int64_t>(elements.size())}};
}

ReducedValues reduce(const TensorView& view, StatisticSet wanted = StatisticSet::all()) {
  ReducedValues values;
  reduce_tensor<Fused>(view, wanted, values);
  return values;
}

double value(const TensorView& view, Statistic statistic) {
  const ReducedValues values = reduce(view, statistic);
  REQUIRE(values.find(statistic) != nullptr);
  return values.find(statistic)->as_double();
}

// How exact a statistic of floats can be: that of its result type, and more for those that add up rounded terms.
double tolerance(const Scalar& scalar) { return scalar.type() == ElementType::float32 ? 1e-7 : 1e-13; }

template <class Element>
void check_against_reference(const std::vector<Element>& elements, const std::string& name) {
  const ReducedValues values = reduce(view_of(elements));
  const test::Reference<Element> reference(elements);
  for (const Statistic statistic : StatisticSet::all()) {
    INFO(name << ": " << statistic_name(statistic) << " of " << elements.size());
    REQUIRE(values.find(statistic) != nullptr);
    const Scalar& scalar = *values.find(statistic);
    long double expected = reference[statistic];
    if (scalar.type() == ElementType::float32 && std::isfinite(expected)) {
      if (std::fabs(expected) > static_cast<long double>(std::numeric_limits<float>::max()))
        expected = std::copysign(std::numeric_limits<long double>::infinity(), expected);
      else if (std::fabs(expected) < static_cast<long double>(std::numeric_limits<float>::min()))
        continue;  // subnormal results have few digits
    }
    if (scalar.type() == ElementType::float64 && std::isfinite(expected)) {
      if (std::fabs(expected) > static_cast<long double>(std::numeric_limits<double>::max()))
        expected = std::copysign(std::numeric_limits<long double>::infinity(), expected);
      else if (std::fabs(expected) < 1e-290L) continue;
    }
    // Sums that nearly cancel are as exact as the sum of magnitudes is.
    long double allowed = static_cast<long double>(tolerance(scalar));
    if (statistic == Statistic::sum || statistic == Statistic::mean) {
      const long double scale = std::fabs(reference[absolute(statistic)] / (expected != 0 ? expected : 1));
      allowed += std::isfinite(scale) ? scale * 1e-13L : 0;
    }
    if (statistic == Statistic::prod || statistic == Statistic::abs_prod) allowed += 1e-12L;
    INFO(scalar.as_double() << " instead of " << expected);
    CHECK(test::agrees(static_cast<long double>(scalar.as_double()), expected, allowed));
  }
}

}  // namespace

TEMPLATE_TEST_CASE("every statistic of every type of float is that of long double arithmetic", "", float, double,
                   Float16, BFloat16) {
  for (const std::size_t count : {1u, 2u, 9u, 1000u, 4096u, 10'000u}) {
    check_against_reference(test::elements_around<TestType>(count, count, 0, 1), "around zero");
    check_against_reference(test::elements_around<TestType>(count + 1, count, 3, 1), "around three");
    check_against_reference(test::elements_around<TestType>(count + 2, count, -100, 30), "negative");
  }
}

TEMPLATE_TEST_CASE("every statistic of hostile floats is that of long double arithmetic", "", float, double) {
  for (const std::size_t count : {1u, 100u, 5000u})
    for (const auto& block : test::hostile_blocks<TestType>(count, count)) {
      if (block.name == "any finite" && sizeof(TestType) == 8) continue;  // squares overflow; see below
      if (block.name == "one outlier" && sizeof(TestType) == 8) continue;
      if (block.name == "subnormal" && sizeof(TestType) == 8) continue;
      check_against_reference(block.elements, block.name);
    }
}

TEMPLATE_TEST_CASE("every statistic of integers is that of long double arithmetic", "", std::int8_t, std::uint8_t,
                   std::int16_t, std::uint16_t, std::int32_t, std::uint32_t) {
  for (const std::size_t count : {1u, 9u, 1000u, 10'000u}) {
    test::RandomNumbers random(count);
    std::vector<TestType> elements(count);
    for (TestType& element : elements) element = static_cast<TestType>(random.bits());
    elements[count / 2] = std::numeric_limits<TestType>::min();
    const ReducedValues values = reduce(view_of(elements));
    const test::Reference<TestType> reference(elements);
    for (const Statistic statistic : StatisticSet::all() - StatisticSet{Statistic::prod, Statistic::abs_prod}) {
      INFO(statistic_name(statistic) << " of " << count);
      CHECK(test::agrees(static_cast<long double>(values.find(statistic)->as_double()), reference[statistic], 1e-13L));
    }
  }
}

TEST_CASE("the spread of numbers that are far from zero is not lost") {
  // 1e8 + k for k = 0, 1, 2, …: the variance of 0 … n-1 is (n^2 - 1) / 12.
  for (const std::size_t count : {2u, 10u, 4096u, 50'000u}) {
    std::vector<double> elements(count);
    for (std::size_t index = 0; index < count; ++index) elements[index] = 1e8 + static_cast<double>(index) / 1024;
    const auto size = static_cast<double>(count);
    CHECK(value(view_of(elements), Statistic::variance) == Approx((size * size - 1) / 12 / 1024 / 1024).epsilon(1e-13));
    CHECK(value(view_of(elements), Statistic::abs_variance) == value(view_of(elements), Statistic::variance));
    for (double& element : elements) element = -element;
    CHECK(value(view_of(elements), Statistic::abs_variance) ==
          Approx((size * size - 1) / 12 / 1024 / 1024).epsilon(1e-13));
  }
  // Floats that differ in their last bits.
  std::vector<float> floats(10'000);
  for (std::size_t index = 0; index < floats.size(); ++index) floats[index] = 1e8f + static_cast<float>(index % 3 * 8);
  CHECK(value(view_of(floats), Statistic::variance) ==
        static_cast<double>(static_cast<float>(test::Reference<float>(floats)[Statistic::variance])));
  // Magnitudes that hardly differ, although the elements do.
  std::vector<double> signs(10'000);
  for (std::size_t index = 0; index < signs.size(); ++index)
    signs[index] = (index % 2 == 0 ? 1 : -1) * (1 + static_cast<double>(index % 5) * 1e-9);
  CHECK(value(view_of(signs), Statistic::abs_variance) == Approx(2e-18).epsilon(1e-6));
  CHECK(value(view_of(signs), Statistic::variance) == Approx(1).epsilon(1e-8));
}

TEMPLATE_TEST_CASE("equal elements have no spread", "", float, double, std::int64_t) {
  for (const double number : {0.1, -7.0, 123456.789, 1e15})
    for (const std::size_t count : {1u, 3u, 1000u, 4097u, 100'000u}) {
      const std::vector<TestType> elements(count, static_cast<TestType>(number));
      CHECK(value(view_of(elements), Statistic::std) == 0);
      CHECK(value(view_of(elements), Statistic::abs_variance) == 0);
    }
}

TEST_CASE("a spread of a few units in the last place is found") {
  test::RandomNumbers random(8);
  std::vector<double> elements(20'000);
  for (double& element : elements) element = 1 + static_cast<double>(random.below(5)) * 0x1p-52;
  CHECK(value(view_of(elements), Statistic::variance) ==
        Approx(static_cast<double>(test::Reference<double>(elements)[Statistic::variance])).epsilon(1e-6));
}

TEST_CASE("the smallest integer has an absolute value") {
  const std::vector<std::int8_t> bytes{-128, 5};
  CHECK(reduce(view_of(bytes)).find(Statistic::abs_max)->type() == ElementType::uint8);
  CHECK(value(view_of(bytes), Statistic::abs_max) == 128);
  CHECK(value(view_of(bytes), Statistic::abs_sum) == 133);
  CHECK(value(view_of(bytes), Statistic::l1) == 133);
  const std::vector<std::int64_t> longs{std::numeric_limits<std::int64_t>::min(), -3};
  CHECK(value(view_of(longs), Statistic::abs_max) == 0x1p63);
  CHECK(value(view_of(longs), Statistic::abs_min) == 3);
  CHECK(value(view_of(longs), Statistic::l1) == 0x1p63);
}

TEST_CASE("sums and products of integers are exact, modulo 2^64") {
  const std::vector<std::int64_t> longs{std::numeric_limits<std::int64_t>::max(),
                                        std::numeric_limits<std::int64_t>::max(), 5};
  const ReducedValues values = reduce(view_of(longs));
  CHECK(load_element<std::int64_t>(values.find(Statistic::sum)->view().data) == 3);
  CHECK(load_element<std::int64_t>(values.find(Statistic::prod)->view().data) == 5);
  const std::vector<std::uint64_t> unsigned_longs{std::numeric_limits<std::uint64_t>::max(), (1ull << 60) + 1};
  const ReducedValues unsigned_values = reduce(view_of(unsigned_longs));
  CHECK(unsigned_values.find(Statistic::sum)->type() == ElementType::uint64);
  CHECK(load_element<std::uint64_t>(unsigned_values.find(Statistic::sum)->view().data) == (1ull << 60));
  CHECK(load_element<std::uint64_t>(unsigned_values.find(Statistic::min)->view().data) == (1ull << 60) + 1);
  CHECK(load_element<std::uint64_t>(unsigned_values.find(Statistic::max)->view().data) ==
        std::numeric_limits<std::uint64_t>::max());
  const std::vector<std::int32_t> ints{-3, 5, -7};
  CHECK(value(view_of(ints), Statistic::prod) == 105);
  CHECK(value(view_of(ints), Statistic::abs_prod) == 105);
  const std::vector<std::int16_t> shorts{-3, 5, 7};
  CHECK(value(view_of(shorts), Statistic::prod) == -105);
  CHECK(value(view_of(shorts), Statistic::abs_prod) == 105);
}

TEST_CASE("booleans count as zero and one") {
  const unsigned char bytes[] = {0, 1, 1, 0, 1, 2};  // any byte but zero is true
  const TensorView view(bytes, ElementType::boolean, {6});
  const ReducedValues values = reduce(view);
  CHECK(values.find(Statistic::min)->type() == ElementType::boolean);
  CHECK(values.find(Statistic::sum)->type() == ElementType::int64);
  CHECK(value(view, Statistic::sum) == 4);
  CHECK(value(view, Statistic::mean) == Approx(4.0 / 6));
  CHECK(value(view, Statistic::min) == 0);
  CHECK(value(view, Statistic::abs_max) == 1);
  CHECK(value(view, Statistic::prod) == 0);
  CHECK(value(view, Statistic::zero_count) == 2);
}

TEST_CASE("sums of float16 don't overflow") {
  const std::vector<Float16> halves(1000, to_float16(60000.0f));
  CHECK(value(view_of(halves), Statistic::sum) == 60'000'000);
  CHECK(value(view_of(halves), Statistic::l1) == 60'000'000);
  CHECK(reduce(view_of(halves)).find(Statistic::sum)->type() == ElementType::float32);
  CHECK(reduce(view_of(halves)).find(Statistic::max)->type() == ElementType::float16);
  const std::vector<BFloat16> brains(10, to_bfloat16(3e38f));
  CHECK(value(view_of(brains), Statistic::mean) == static_cast<double>(to_float(to_bfloat16(3e38f))));
}

TEST_CASE("result types are numpy's, but for the shorter floats") {
  const auto type_of = [](const TensorView& view, Statistic statistic) {
    return reduce(view, statistic).find(statistic)->type();
  };
  const std::vector<float> floats{1, 2};
  const std::vector<double> doubles{1, 2};
  const std::vector<std::uint8_t> bytes{1, 2};
  const std::vector<std::int32_t> ints{1, 2};
  for (const Statistic statistic : smdebug_statistics) {
    CHECK(type_of(view_of(floats), statistic) == ElementType::float32);
    CHECK(type_of(view_of(doubles), statistic) == ElementType::float64);
  }
  CHECK(type_of(view_of(bytes), Statistic::min) == ElementType::uint8);
  CHECK(type_of(view_of(bytes), Statistic::abs_sum) == ElementType::uint64);
  CHECK(type_of(view_of(bytes), Statistic::mean) == ElementType::float64);
  CHECK(type_of(view_of(ints), Statistic::prod) == ElementType::int64);
  CHECK(type_of(view_of(ints), Statistic::l2) == ElementType::float64);
  for (const Statistic statistic : count_statistics) CHECK(type_of(view_of(floats), statistic) == ElementType::int64);
}

TEST_CASE("NaN propagates, infinities cancel to NaN") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> with_nan{1, std::nan("7"), -infinity, 2};
  for (const Statistic statistic : smdebug_statistics) {
    const double result = value(view_of(with_nan), statistic);
    CHECK(std::isnan(result));
    CHECK_FALSE(std::signbit(result));
  }
  CHECK(value(view_of(with_nan), Statistic::first_non_finite) == 1);
  const std::vector<double> infinite{1, infinity, -2};
  CHECK(value(view_of(infinite), Statistic::min) == -2);
  CHECK(value(view_of(infinite), Statistic::max) == infinity);
  CHECK(value(view_of(infinite), Statistic::sum) == infinity);
  CHECK(value(view_of(infinite), Statistic::l2) == infinity);
  CHECK(value(view_of(infinite), Statistic::prod) == -infinity);
  CHECK(value(view_of(infinite), Statistic::abs_prod) == infinity);
  CHECK(std::isnan(value(view_of(infinite), Statistic::std)));
  const std::vector<double> both{infinity, -infinity};
  CHECK(std::isnan(value(view_of(both), Statistic::mean)));
  CHECK(value(view_of(both), Statistic::abs_mean) == infinity);
  const std::vector<double> none_left{infinity, 0};
  CHECK(std::isnan(value(view_of(none_left), Statistic::prod)));
}

TEST_CASE("squares beyond the doubles make norms and variances infinite, not NaN") {
  const std::vector<double> huge{1e200, -1e200, 3};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(value(view_of(huge), Statistic::l2) == infinity);
  CHECK(value(view_of(huge), Statistic::variance) == infinity);
  CHECK(value(view_of(huge), Statistic::abs_std) == infinity);
  CHECK(value(view_of(huge), Statistic::max) == 1e200);
  CHECK(value(view_of(huge), Statistic::nan_count) == 0);
  CHECK(value(view_of(huge), Statistic::first_non_finite) == -1);
  const std::vector<float> floats{1e30f, -1e30f};
  CHECK(value(view_of(floats), Statistic::l2) == Approx(std::sqrt(2.0) * 1e30).epsilon(1e-6));
}

TEST_CASE("a product that leaves the doubles on its way comes back") {
  std::vector<double> elements;
  for (int round = 0; round < 2500; ++round)
    for (const double factor : {1e300, 1e-300}) elements.push_back(factor);
  CHECK(value(view_of(elements), Statistic::prod) == Approx(1).epsilon(1e-12));
  elements.push_back(5e-324);
  elements.push_back(-0x1p1000);
  CHECK(value(view_of(elements), Statistic::prod) == Approx(-0x1p-74).epsilon(1e-12));
  elements.push_back(0);
  CHECK(std::signbit(value(view_of(elements), Statistic::prod)));
  CHECK(value(view_of(elements), Statistic::prod) == 0);
  CHECK_FALSE(std::signbit(value(view_of(elements), Statistic::abs_prod)));
}

TEST_CASE("an empty tensor has typed results, and no extremes") {
  for (const ElementType type :
       {ElementType::float32, ElementType::int8, ElementType::complex128, ElementType::boolean}) {
    const TensorView empty(nullptr, type, {0, 3});
    const ReducedValues values = reduce(empty);
    CHECK(values.find(Statistic::sum)->as_double() == 0);
    CHECK(values.find(Statistic::l1)->as_double() == 0);
    CHECK(values.find(Statistic::l2)->as_double() == 0);
    CHECK(values.find(Statistic::abs_prod)->as_double() == 1);
    CHECK(std::isnan(values.find(Statistic::mean)->as_double()));
    CHECK(std::isnan(values.find(Statistic::std)->as_double()));
    CHECK(std::isnan(values.find(Statistic::abs_variance)->as_double()));
    CHECK(values.find(Statistic::zero_count)->as_double() == 0);
    CHECK(values.find(Statistic::first_non_finite)->as_double() == -1);
    CHECK(values.find(Statistic::abs_max) == nullptr);
    const auto refused = Fused::value(Fused::partials(empty, Statistic::abs_min), Statistic::abs_min);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().kind == ErrorKind::invalid_argument);
    CHECK(refused.error().object == "abs_min");
  }
}

TEST_CASE("strings have no statistics") {
  const std::string_view texts[] = {"a", "b"};
  const TensorView view(texts, ElementType::string, {2});
  CHECK(reduce(view).present.empty());
  const auto refused = Fused::value(Fused::partials(view, Statistic::min), Statistic::min);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::unsupported);
}

TEST_CASE("complex numbers have sums, spreads and the statistics of their magnitudes") {
  const std::vector<Complex128> numbers{{3, 4}, {-5, 12}, {0, 0}, {8, -15}};
  const ReducedValues values = reduce(view_of(numbers));
  CHECK(load_element<Complex128>(values.find(Statistic::sum)->view().data) == Complex128{6, 1});
  CHECK(load_element<Complex128>(values.find(Statistic::mean)->view().data) == Complex128{1.5, 0.25});
  CHECK(values.find(Statistic::abs_max)->as_double() == 17);
  CHECK(values.find(Statistic::abs_min)->as_double() == 0);
  CHECK(values.find(Statistic::l1)->as_double() == 35);
  CHECK(values.find(Statistic::l2)->as_double() == Approx(std::sqrt(25.0 + 169 + 289)));
  CHECK(values.find(Statistic::variance)->as_double() == Approx((25.0 + 169 + 289) / 4 - 1.5 * 1.5 - 0.25 * 0.25));
  CHECK(values.find(Statistic::abs_variance)->as_double() == Approx((25.0 + 169 + 289) / 4 - 35.0 / 4 * 35 / 4));
  CHECK(values.find(Statistic::zero_count)->as_double() == 1);
  for (const Statistic statistic : {Statistic::min, Statistic::max, Statistic::prod}) {
    CHECK(values.find(statistic) == nullptr);
    CHECK(Fused::value(Fused::partials(view_of(numbers), statistic), statistic).error().kind == ErrorKind::unsupported);
  }
  const std::vector<Complex64> floats{{3, 4}, {6, 8}};
  CHECK(reduce(view_of(floats)).find(Statistic::sum)->type() == ElementType::complex64);
  CHECK(reduce(view_of(floats)).find(Statistic::abs_sum)->type() == ElementType::float32);
  CHECK(value(view_of(floats), Statistic::abs_prod) == 50);
}

TEST_CASE("a complex number with a NaN part is NaN, with an infinite one infinite") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::vector<Complex128> numbers{{1, 1}, {infinity, 2}, {std::nan(""), -infinity}, {3, -infinity}};
  CHECK(value(view_of(numbers), Statistic::nan_count) == 1);
  CHECK(value(view_of(numbers), Statistic::positive_infinity_count) == 2);
  CHECK(value(view_of(numbers), Statistic::first_non_finite) == 1);
  CHECK(std::isnan(value(view_of(numbers), Statistic::l1)));
  const std::vector<Complex128> infinite{{1, 1}, {infinity, 2}};
  CHECK(value(view_of(infinite), Statistic::l2) == infinity);
  CHECK(load_element<Complex128>(reduce(view_of(infinite)).find(Statistic::sum)->view().data) ==
        Complex128{infinity, 3});
  CHECK(value(view_of(std::vector<Complex128>{{1e300, 1e300}}), Statistic::abs_max) == Approx(std::sqrt(2.0) * 1e300));
}

TEST_CASE("a statistic does not depend on which others are asked for") {
  for (const auto& block : test::hostile_blocks<double>(5000, 9)) {
    const ReducedValues all = reduce(view_of(block.elements));
    for (const Statistic statistic : StatisticSet::all()) {
      const ReducedValues one = reduce(view_of(block.elements), statistic);
      INFO(block.name << ": " << statistic_name(statistic));
      CHECK(std::memcmp(one.find(statistic)->view().data, all.find(statistic)->view().data, 8) == 0);
    }
  }
}
