#include "loupe/frameworks/xtensor.hpp"

#include <complex>
#include <cstddef>
#include <vector>

#include <xtensor/xadapt.hpp>
#include <xtensor/xbuilder.hpp>
#include <xtensor/xfixed.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include "loupe/base/array.hpp"
#include "loupe/capture/framework.hpp"
#include "support/catch.hpp"

using loupe::ElementType;
using loupe::Shape;
using loupe::TensorView;
using loupe::frameworks::Xtensor;

static_assert(loupe::Framework<Xtensor>);
static_assert(!loupe::SavesTensor<Xtensor, std::vector<float>>);

namespace {

template <class Expression>
bool same_elements(const TensorView& view, const Expression& expected) {
  const auto array = loupe::Array::copy_of(view);
  if (!array || array->rank() != expected.dimension()) return false;
  for (std::size_t axis = 0; axis < array->rank(); ++axis)
    if (array->shape()[axis] != static_cast<std::int64_t>(expected.shape()[axis])) return false;
  const auto elements = array->template elements<typename Expression::value_type>();
  return std::equal(elements.begin(), elements.end(), expected.begin());
}

}  // namespace

TEST_CASE("containers and adaptors are viewed where they are") {
  const xt::xarray<float> matrix = {{1, 2, 3}, {4, 5, 6}};
  const TensorView view = Xtensor::view(matrix);
  CHECK(view.data == matrix.data());
  CHECK(view.shape == Shape{2, 3});
  CHECK(view.contiguous());
  const xt::xtensor<double, 2> tensor = {{1.5, 2.5}};
  CHECK(same_elements(Xtensor::view(tensor), tensor));
  const xt::xtensor_fixed<int, xt::xshape<2, 2>> fixed = {{1, 2}, {3, 4}};
  CHECK(same_elements(Xtensor::view(fixed), fixed));
  std::vector<float> memory{1, 2, 3, 4};
  const auto adapted = xt::adapt(memory, std::vector<std::size_t>{2, 2});
  CHECK(Xtensor::view(adapted).data == memory.data());
  const xt::xarray<std::complex<double>> complex = xt::zeros<std::complex<double>>({2});
  CHECK(Xtensor::view(complex).type == ElementType::complex128);
}

TEST_CASE("views with steps, reversed axes and other orders keep their strides") {
  const xt::xarray<float> matrix = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  const auto columns = xt::view(matrix, xt::all(), xt::range(1, 4, 2));
  CHECK(same_elements(Xtensor::view(columns), columns));
  const auto reversed = xt::view(matrix, xt::all(), xt::range(3, xt::placeholders::_, -1));
  CHECK(Xtensor::view(reversed).strides[1] == -1);
  CHECK(same_elements(Xtensor::view(reversed), reversed));
  const auto transposed = xt::transpose(matrix);
  CHECK(Xtensor::view(transposed).shape == Shape{4, 2});
  CHECK(same_elements(Xtensor::view(transposed), transposed));
  const xt::xarray<int, xt::layout_type::column_major> column_major = {{1, 2}, {3, 4}};
  CHECK(Xtensor::view(column_major).strides == loupe::Strides{1, 2});
  CHECK(same_elements(Xtensor::view(column_major), xt::xarray<int>(column_major)));
}

TEST_CASE("lazy expressions are computed into a tensor") {
  const xt::xarray<float> matrix = {{1, 2}, {3, 4}};
  const auto sum = matrix + 1.0f;
  static_assert(!loupe::Views<Xtensor, decltype(sum)> && loupe::Evaluates<Xtensor, decltype(sum)>);
  const auto evaluated = Xtensor::evaluate(sum);
  CHECK(same_elements(Xtensor::view(evaluated), xt::xarray<float>({{2, 3}, {4, 5}})));
  const auto mean = Xtensor::evaluate(xt::mean(matrix));
  CHECK(Xtensor::view(mean).rank() == 0);
}
