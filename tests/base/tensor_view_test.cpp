#include "loupe/base/tensor_view.hpp"

#include <array>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "support/catch.hpp"

using loupe::ElementType;
using loupe::Shape;
using loupe::Strides;
using loupe::TensorView;

namespace {

std::vector<std::int32_t> row_major(const TensorView& view) {
  std::vector<std::int32_t> out(static_cast<std::size_t>(view.size()));
  loupe::copy_row_major(view, reinterpret_cast<std::byte*>(out.data()));
  return out;
}

}  // namespace

TEST_CASE("a default view is empty, which is not the same as a tensor of no elements") {
  CHECK_FALSE(TensorView().has_tensor());
  const TensorView none(nullptr, ElementType::float32, {0});
  CHECK(none.has_tensor());
  CHECK(none.size() == 0);
}

TEST_CASE("a span is a rank-1 tensor of its own memory") {
  const std::array<float, 3> numbers{1, 2, 3};
  const TensorView view{std::span(numbers)};
  CHECK(view.data == numbers.data());
  CHECK(view.type == ElementType::float32);
  CHECK(view.shape == Shape{3});
  CHECK(view.byte_size() == 12);
  CHECK(view.contiguous());
}

TEST_CASE("transposed, reversed and repeated tensors are read in row-major order") {
  std::vector<std::int32_t> numbers(6);
  std::iota(numbers.begin(), numbers.end(), 0);
  CHECK(row_major({numbers.data(), ElementType::int32, {3, 2}, {1, 3}}) == std::vector<std::int32_t>{0, 3, 1, 4, 2, 5});
  CHECK(row_major({numbers.data() + 5, ElementType::int32, {6}, {-1}}) == std::vector<std::int32_t>{5, 4, 3, 2, 1, 0});
  CHECK(row_major({numbers.data() + 2, ElementType::int32, {2, 2}, {0, 1}}) == std::vector<std::int32_t>{2, 3, 2, 3});
  CHECK(row_major({numbers.data() + 4, ElementType::int32, {}, {}}) == std::vector<std::int32_t>{4});
  CHECK(row_major({numbers.data(), ElementType::int32, {2, 0, 3}, {3, 1, 1}}).empty());
}

TEST_CASE("runs are as long as memory allows") {
  std::vector<std::int32_t> numbers(24);
  int runs = 0;
  const auto count = [&](const std::byte*, std::int64_t) { ++runs; };
  loupe::for_each_run({numbers.data(), ElementType::int32, {2, 3, 4}}, count);
  CHECK(runs == 1);
  runs = 0;
  loupe::for_each_run({numbers.data(), ElementType::int32, {2, 2, 4}, {12, 4, 1}}, count);
  CHECK(runs == 2);
  runs = 0;
  loupe::for_each_run({numbers.data(), ElementType::int32, {1, 24, 1}, {7, 1, 9}}, count);
  CHECK(runs == 1);
}

TEST_CASE("any strides give the elements that the indices address") {
  std::mt19937 random(11);
  std::vector<std::int32_t> memory(4096);
  std::iota(memory.begin(), memory.end(), 0);
  for (int round = 0; round < 500; ++round) {
    const std::size_t rank = random() % 5;
    Shape shape;
    Strides strides;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      shape.push_back(static_cast<std::int64_t>(random() % 4));
      strides.push_back(static_cast<std::int64_t>(random() % 11) - 5);
    }
    const TensorView view(memory.data() + 2048, ElementType::int32, shape, strides);
    std::vector<std::int32_t> expected;
    std::vector<std::int64_t> index(rank, 0);
    for (std::int64_t element = 0; element < view.size(); ++element) {
      std::int64_t position = 2048;
      for (std::size_t axis = 0; axis < rank; ++axis) position += index[axis] * strides[axis];
      expected.push_back(static_cast<std::int32_t>(position));
      for (std::size_t axis = rank; axis-- > 0;) {
        if (++index[axis] < shape[axis]) break;
        index[axis] = 0;
      }
    }
    REQUIRE(row_major(view) == expected);
  }
}

TEST_CASE("memory of any alignment can be viewed") {
  alignas(8) std::array<std::byte, 17> bytes{};
  const std::int32_t numbers[3] = {7, 8, 9};
  std::memcpy(bytes.data() + 1, numbers, sizeof numbers);
  CHECK(row_major({bytes.data() + 1, ElementType::int32, {3}}) == std::vector<std::int32_t>{7, 8, 9});
  CHECK(row_major({bytes.data() + 9, ElementType::int32, {3}, {-1}}) == std::vector<std::int32_t>{9, 8, 7});
}
