#include "loupe/reduce/block_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

#include "reduce/random_numbers.hpp"
#include "support/catch.hpp"

using namespace loupe;

namespace {

// All elements, read so many at a time.
std::vector<std::byte> read_all(const TensorView& view, std::size_t at_once) {
  const std::size_t width = element_size(view.type);
  std::vector<std::byte> out;
  std::vector<std::byte> buffer(at_once * width);
  BlockReader reader(view);
  while (reader.rest() > 0) {
    const std::size_t count = std::min(at_once, static_cast<std::size_t>(reader.rest()));
    const std::byte* elements = reader.read(count, buffer.data());
    out.insert(out.end(), elements, elements + count * width);
  }
  return out;
}

std::vector<std::byte> row_major(const TensorView& view) {
  std::vector<std::byte> out(view.byte_size());
  copy_row_major(view, out.data());
  return out;
}

}  // namespace

TEST_CASE("a contiguous tensor is read where it is") {
  std::vector<float> elements(10);
  const TensorView view(elements.data(), ElementType::float32, {2, 5});
  BlockReader reader(view);
  CHECK(reader.is_contiguous());
  CHECK(reader.read(4, nullptr) == reinterpret_cast<const std::byte*>(elements.data()));
  CHECK(reader.read(6, nullptr) == reinterpret_cast<const std::byte*>(elements.data() + 4));
  CHECK(reader.rest() == 0);
}

TEST_CASE("tensors without elements, and of rank 0, are read") {
  const double number = 3;
  CHECK(BlockReader(TensorView(&number, ElementType::float64, {})).rest() == 1);
  const TensorView none(nullptr, ElementType::float64, {3, 0, 2});
  CHECK(BlockReader(none).rest() == 0);
  const TensorView strided_none(nullptr, ElementType::float64, {3, 0, 2}, {7, -5, 3});
  CHECK(read_all(strided_none, 8).empty());
}

TEST_CASE("any strides, element sizes and block sizes give the row-major order") {
  test::RandomNumbers random(4);
  const ElementType types[] = {ElementType::uint8, ElementType::int16, ElementType::float32, ElementType::float64,
                               ElementType::complex128};
  for (int round = 0; round < 300; ++round) {
    const ElementType type = types[random.below(5)];
    Shape shape;
    Strides strides;
    const std::size_t rank = random.below(5);
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
    for (std::size_t axis = 0; axis < rank; ++axis) {
      shape.push_back(1 + static_cast<std::int64_t>(random.below(6)));
      strides.push_back(static_cast<std::int64_t>(random.below(9)) - 4);
      (strides[axis] < 0 ? lowest : highest) += strides[axis] * (shape[axis] - 1);
    }
    const std::size_t width = element_size(type);
    std::vector<std::byte> memory(static_cast<std::size_t>(highest - lowest + 1) * width + 1);
    for (std::byte& byte : memory) byte = static_cast<std::byte>(random.bits());
    // One byte further, so that no element is aligned.
    const TensorView view(memory.data() + 1 + static_cast<std::size_t>(-lowest) * width, type, shape, strides);
    CHECK(read_all(view, 1 + random.below(20)) == row_major(view));
  }
}

TEST_CASE("a transposed matrix is gathered") {
  std::vector<std::int32_t> elements(6);
  std::iota(elements.begin(), elements.end(), 0);
  const TensorView transposed(elements.data(), ElementType::int32, {3, 2}, {1, 3});
  CHECK_FALSE(BlockReader(transposed).is_contiguous());
  const std::vector<std::byte> bytes = read_all(transposed, 4);
  std::vector<std::int32_t> read(6);
  std::memcpy(read.data(), bytes.data(), bytes.size());
  CHECK(read == std::vector<std::int32_t>{0, 3, 1, 4, 2, 5});
}
