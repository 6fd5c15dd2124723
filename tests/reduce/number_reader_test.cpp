#include "loupe/reduce/number_reader.hpp"

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

using namespace loupe;

namespace {
template <class Number, class Element>
std::vector<Number> read(const std::vector<Element>& elements, bool absolute) {
  const TensorView view{std::span<const Element>(elements)};
  std::vector<Number> numbers;
  NumberReader(view, absolute).for_each<Number>([&](Number number) { numbers.push_back(number); });
  return numbers;
}
}  // namespace

TEST_CASE("elements are read as numbers of another type") {
  CHECK(read<double>(std::vector<std::int16_t>{-3, 4}, false) == std::vector<double>{-3, 4});
  CHECK(read<float>(std::vector<Float16>{to_float16(1.5f), to_float16(-2.0f)}, false) == std::vector<float>{1.5f, -2});
  CHECK(read<double>(std::vector<BFloat16>{to_bfloat16(-2.0f)}, true) == std::vector<double>{2});
  CHECK(read<std::uint64_t>(std::vector<std::uint64_t>{UINT64_MAX}, true) == std::vector<std::uint64_t>{UINT64_MAX});
  const unsigned char bytes[] = {0, 1, 7};
  std::int64_t flags[3];
  NumberReader reader(TensorView(bytes, ElementType::boolean, {3}), false);
  reader(flags, 3);
  CHECK(flags[0] == 0);
  CHECK(flags[1] == 1);
  CHECK(flags[2] == 1);
}

TEST_CASE("the absolute value of the smallest integer is itself") {
  CHECK(read<std::int64_t>(std::vector<std::int8_t>{-128, -127}, true) == std::vector<std::int64_t>{-128, 127});
  CHECK(read<double>(std::vector<std::int32_t>{INT32_MIN, -5}, true) == std::vector<double>{-0x1p31, 5});
  CHECK(read<std::int64_t>(std::vector<std::int64_t>{INT64_MIN}, true) == std::vector<std::int64_t>{INT64_MIN});
}

TEST_CASE("complex numbers are read as they are, or their magnitudes") {
  const std::vector<Complex64> numbers{{3, -4}, {0, 2}};
  CHECK(read<double>(numbers, true) == std::vector<double>{5, 2});
  const auto complex = read<ComplexNumber<double>>(numbers, false);
  CHECK(complex[0].real == 3);
  CHECK(complex[0].imaginary == -4);
}

TEST_CASE("magnitudes neither overflow nor vanish on the way") {
  const std::vector<Complex128> numbers{{3e300, 4e300},           {3e-300, -4e-300}, {0, 0},
                                        {INFINITY, std::nan("")}, {1, std::nan("")}, {std::nan(""), 1}};
  const auto magnitudes = read<double>(numbers, true);
  CHECK(magnitudes[0] == Approx(5e300).epsilon(1e-15));
  CHECK(magnitudes[1] == Approx(5e-300).epsilon(1e-15));
  CHECK(magnitudes[2] == 0);
  CHECK(magnitudes[3] == INFINITY);
  CHECK(std::isnan(magnitudes[4]));
  CHECK(std::isnan(magnitudes[5]));
}

TEST_CASE("numbers are read in row-major order of any strides, more than fit at once") {
  std::vector<float> elements(1000);
  for (std::size_t index = 0; index < elements.size(); ++index) elements[index] = static_cast<float>(index);
  const TensorView view(elements.data() + 999, ElementType::float32, {500}, {-2});
  NumberReader reader(view, false);
  CHECK(reader.rest() == 500);
  float expected = 999;
  int wrong = 0;
  reader.for_each<float>([&](float number) {
    if (number != expected) ++wrong;
    expected -= 2;
  });
  CHECK(wrong == 0);
  CHECK(reader.rest() == 0);
}
