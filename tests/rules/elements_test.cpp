#include "loupe/rules/elements.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"

using loupe::ElementType;
using loupe::TensorView;

TEST_CASE("whole numbers stay whole, whatever their size, others are doubles") {
  const std::vector<std::int64_t> large{std::int64_t{9007199254740993}, -1};
  std::vector<std::int64_t> seen;
  loupe::rules::for_each_element(TensorView(large.data(), ElementType::int64, {2}), [&](auto element) {
    if constexpr (std::is_same_v<decltype(element), std::int64_t>) seen.push_back(element);
  });
  CHECK(seen == large);
  const std::uint64_t huge = std::uint64_t{1} << 63;
  CHECK(loupe::rules::only_element(TensorView(&huge, ElementType::uint64, {1})) == 9223372036854775808.0);
}

TEST_CASE("elements come in row-major order, also of a view with strides, until the visitor has seen enough") {
  const std::vector<float> numbers{1, 2, 3, 4};
  std::vector<double> all;
  loupe::rules::append_elements(TensorView(numbers.data(), ElementType::float32, {2, 2}, {1, 2}), all);
  CHECK(all == std::vector<double>{1, 3, 2, 4});
  int looks = 0;
  loupe::rules::for_each_element(TensorView(numbers.data(), ElementType::float32, {4}), [&](auto) { return ++looks < 2; });
  CHECK(looks == 2);
}

TEST_CASE("text and complex numbers are no real numbers") {
  const std::string_view text = "1";
  CHECK_FALSE(loupe::rules::only_element(TensorView(&text, ElementType::string, {1})));
  const loupe::Complex64 complex{1, 2};
  CHECK_FALSE(loupe::rules::only_element(TensorView(&complex, ElementType::complex64, {1})));
  CHECK_FALSE(loupe::rules::only_element(TensorView()));
}

TEST_CASE("a number is whole if it has no fraction and fits") {
  CHECK(loupe::rules::whole_number(-3.0) == -3);
  CHECK_FALSE(loupe::rules::whole_number(0.5));
  CHECK_FALSE(loupe::rules::whole_number(1e300));
  CHECK_FALSE(loupe::rules::whole_number(std::numeric_limits<double>::quiet_NaN()));
}
