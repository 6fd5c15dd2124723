#include "loupe/base/scalar.hpp"

#include <cmath>
#include <cstdint>

#include "support/catch.hpp"

using loupe::ElementType;
using loupe::Scalar;

TEST_CASE("a scalar keeps its number and its type") {
  const Scalar number = Scalar::from(std::int64_t{-5});
  CHECK(number.type() == ElementType::int64);
  CHECK(number.as_double() == -5.0);
  CHECK(number.view().rank() == 0);
  CHECK(loupe::load_element<std::int64_t>(number.view().data) == -5);
  CHECK(Scalar::from(loupe::to_float16(1.5f)).as_double() == 1.5);
  CHECK(Scalar::from(loupe::Complex64{2, 3}).as_double() == 2.0);
  CHECK(Scalar::from(true).as_double() == 1.0);
}

TEST_CASE("no scalar is not a number") {
  CHECK_FALSE(Scalar().has_value());
  CHECK(std::isnan(Scalar().as_double()));
}
