// The component loupe::xtensor brings xtensor along.
#include <xtensor/xarray.hpp>

#include "loupe/frameworks/xtensor.hpp"

int main() {
  const xt::xarray<float> numbers = {{1, 2}, {3, 4}};
  const auto view = loupe::frameworks::Xtensor::view(numbers);
  return view.size() == 4 && view.data == numbers.data() ? 0 : 1;
}
