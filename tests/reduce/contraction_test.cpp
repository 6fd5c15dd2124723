#include "loupe/reduce/contraction.hpp"

#include "support/catch.hpp"

namespace {
LOUPE_NO_CONTRACTION double multiply_and_add(double a, double b, double c) {
  LOUPE_NO_CONTRACTION_HERE
  return a * b + c;
}
LOUPE_NO_CONTRACTION double sum_of_squares(const double* numbers, int count) {
  LOUPE_NO_CONTRACTION_HERE
  double sum = 0;
  for (int index = 0; index < count; ++index) sum += numbers[index] * numbers[index];
  return sum;
}
}  // namespace

TEST_CASE("a product is rounded before it is added, whatever the program is compiled for") {
  const double a = 1 + 0x1p-30;
  CHECK(multiply_and_add(a, a, -1 - 0x1p-29) == 0);  // fused: 2^-60
  const double numbers[] = {0x1p-15 + 0x1p-45, 1};
  const double square = 0x1p-30 + 0x1p-59;           // 2^-90 is rounded away
  CHECK(sum_of_squares(numbers, 1) == square);
}
