#include "loupe/reduce/partials.hpp"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "loupe/base/array.hpp"
#include "loupe/reduce/dispatch.hpp"
#include "loupe/reduce/fused.hpp"
#include "reduce/hostile_floats.hpp"
#include "reduce/random_numbers.hpp"
#include "support/catch.hpp"

using namespace loupe;

namespace {

// The bytes of every statistic, in order; nothing for those that have no value.
std::string bits_of(const Partials& partials) {
  std::string bits;
  for (const Statistic statistic : partials.wanted) {
    bits += '|';
    if (const auto value = Fused::value(partials, statistic))
      bits.append(static_cast<const char*>(value->view().data), element_size(value->type()));
  }
  return bits;
}

std::string bits_of(const TensorView& view) { return bits_of(Partials::of(view, StatisticSet::all())); }

const ElementType all_types[] = {
    ElementType::boolean,  ElementType::int8,    ElementType::uint8,   ElementType::int16,     ElementType::uint16,
    ElementType::int32,    ElementType::uint32,  ElementType::int64,   ElementType::uint64,    ElementType::float16,
    ElementType::bfloat16, ElementType::float32, ElementType::float64, ElementType::complex64, ElementType::complex128};

template <class Element>
Element random_element(test::RandomNumbers& random) {
  if constexpr (std::is_same_v<Element, Complex64>)
    return {static_cast<float>(random.normal()), static_cast<float>(random.normal())};
  else if constexpr (std::is_same_v<Element, Complex128>) return {random.normal(), random.normal()};
  else if constexpr (std::is_integral_v<Element> && !std::is_same_v<Element, bool>)
    return static_cast<Element>(random.bits());
  else return test::element_from<Element>(5 + random.normal());
}

// Any bits for integers, numbers of one size for floats, so that sums are not ruled by an outlier.
Array random_array(ElementType type, const Shape& shape, std::uint64_t seed) {
  Array array = *Array::make(type, shape);
  test::RandomNumbers random(seed);
  std::byte* out = array.bytes().data();
  visit_element_type(type, [&]<class Element>() {
    if constexpr (!std::is_void_v<Element> && !std::is_same_v<Element, std::string_view>) {
      for (std::size_t index = 0; index < array.size(); ++index) {
        const auto element = random_element<Element>(random);
        std::memcpy(out + index * sizeof element, &element, sizeof element);
      }
    }
  });
  return array;
}

// A piece of a tensor of rank 1.
TensorView piece_of(const TensorView& view, std::int64_t first, std::int64_t last) {
  TensorView piece = view;
  piece.data = static_cast<const std::byte*>(view.data) + first * static_cast<std::int64_t>(element_size(view.type));
  piece.shape[0] = last - first;
  return piece;
}

}  // namespace

TEST_CASE("partials of pieces cut at block boundaries merge to those of the whole, in any groups") {
  constexpr auto block = static_cast<std::int64_t>(reduction_block);
  for (const ElementType type : all_types) {
    const Array array = random_array(type, {7 * block + 1234}, 10);
    const std::string whole = bits_of(array.view());
    INFO(element_type_name(type));
    // One after the other.
    Partials forward = Partials::of(piece_of(array.view(), 0, block), StatisticSet::all());
    for (std::int64_t first = block; first < array.view().size(); first += block)
      forward.merge(Partials::of(piece_of(array.view(), first, std::min(first + block, array.view().size())),
                                 StatisticSet::all()));
    CHECK(bits_of(forward) == whole);
    // Two uneven pieces.
    Partials left = Partials::of(piece_of(array.view(), 0, 3 * block), StatisticSet::all());
    Partials right = Partials::of(piece_of(array.view(), 3 * block, array.view().size()), StatisticSet::all());
    left.merge(right);
    CHECK(bits_of(left) == whole);
    // The last pieces first.
    Partials first = Partials::of(piece_of(array.view(), 0, 2 * block), StatisticSet::all());
    Partials middle = Partials::of(piece_of(array.view(), 2 * block, 5 * block), StatisticSet::all());
    middle.merge(Partials::of(piece_of(array.view(), 5 * block, array.view().size()), StatisticSet::all()));
    first.merge(middle);
    CHECK(bits_of(first) == whole);
    // Nothing on either side.
    Partials nothing = Partials::of(piece_of(array.view(), 0, 0), StatisticSet::all());
    nothing.merge(first);
    nothing.merge(Partials::of(piece_of(array.view(), 0, 0), StatisticSet::all()));
    CHECK(bits_of(nothing) == whole);
  }
}

TEMPLATE_TEST_CASE("hostile pieces merge to the whole", "", float, double) {
  constexpr auto block = static_cast<std::int64_t>(reduction_block);
  for (const auto& hostile : test::hostile_blocks<TestType>(4 * reduction_block + 77, 11)) {
    const TensorView view(std::span<const TestType>(hostile.elements));
    INFO(hostile.name);
    Partials left = Partials::of(piece_of(view, 0, block), StatisticSet::all());
    Partials right = Partials::of(piece_of(view, block, 3 * block), StatisticSet::all());
    right.merge(Partials::of(piece_of(view, 3 * block, view.size()), StatisticSet::all()));
    left.merge(right);
    CHECK(bits_of(left) == bits_of(view));
  }
}

TEST_CASE("a view with any strides gives the bits of its contiguous copy") {
  test::RandomNumbers random(12);
  for (const ElementType type : all_types) {
    for (int round = 0; round < 12; ++round) {
      Shape shape;
      const std::size_t rank = 1 + random.below(4);
      for (std::size_t axis = 0; axis < rank; ++axis)
        shape.push_back(1 + static_cast<std::int64_t>(random.below(rank == 1 ? 20'000 : 20)));
      const Array array = random_array(type, shape, 13 + static_cast<std::uint64_t>(round));
      // Transposed, reversed along some axes, with every second element, one axis repeated.
      TensorView view = array.view();
      const auto* data = static_cast<const std::byte*>(view.data);
      for (std::size_t axis = 0; axis < rank; ++axis) {
        const std::size_t other = random.below(rank);
        std::swap(view.shape[axis], view.shape[other]);
        std::swap(view.strides[axis], view.strides[other]);
        if (random.bits() % 2 == 0) {
          data += (view.shape[axis] - 1) * view.strides[axis] * static_cast<std::int64_t>(element_size(type));
          view.strides[axis] = -view.strides[axis];
        }
        if (random.bits() % 3 == 0) {
          view.shape[axis] = (view.shape[axis] + 1) / 2;
          view.strides[axis] *= 2;
        }
        if (random.bits() % 5 == 0) view.strides[axis] = 0;
      }
      view.data = data;
      const Array copy = *Array::copy_of(view);
      INFO(element_type_name(type) << ", rank " << rank << ", round " << round);
      CHECK(bits_of(view) == bits_of(copy.view()));
    }
  }
}

TEST_CASE("alignment does not change a bit") {
  for (const ElementType type : all_types) {
    const Array array = random_array(type, {5000}, 14);
    std::vector<std::byte> memory(array.bytes().size() + 64);
    for (const std::size_t shift : {1u, 2u, 3u, 4u, 8u, 17u}) {
      std::memcpy(memory.data() + shift, array.bytes().data(), array.bytes().size());
      INFO(element_type_name(type) << ", " << shift);
      CHECK(bits_of(TensorView(memory.data() + shift, type, {5000})) == bits_of(array.view()));
    }
  }
}

TEST_CASE("no instruction set changes a bit") {
  for (const ElementType type : all_types) {
    for (const std::int64_t size : {1, 15, 1000, 4096, 10'000}) {
      const Array array = random_array(type, {size}, 15);
      const std::string expected =
          bits_of(Partials::of(array.view(), StatisticSet::all(), reduction_kernels(InstructionSet::baseline)));
      for (const InstructionSet set : {InstructionSet::avx2, InstructionSet::avx512}) {
        if (set > best_instruction_set()) continue;
        INFO(element_type_name(type) << ", " << size);
        CHECK(bits_of(Partials::of(array.view(), StatisticSet::all(), reduction_kernels(set))) == expected);
      }
    }
  }
}

TEST_CASE("the shape does not change a bit") {
  const Array array = random_array(ElementType::float32, {9000}, 16);
  const TensorView cube(array.view().data, ElementType::float32, {9, 10, 100});
  CHECK(bits_of(cube) == bits_of(array.view()));
  const float number = 2.5f;
  CHECK(bits_of(TensorView(&number, ElementType::float32, {})) ==
        bits_of(TensorView(&number, ElementType::float32, {1})));
}

TEST_CASE("the bits are the same in every build, on every machine") {
  const auto check = [](const auto& elements, Statistic statistic, std::uint64_t bits) {
    const auto value = Fused::value(Partials::of(TensorView(std::span(elements)), statistic), statistic);
    REQUIRE(value);
    INFO(statistic_name(statistic));
    CHECK(std::bit_cast<std::uint64_t>(value->as_double()) == bits);
  };
  test::RandomNumbers random(17);
  std::vector<double> near(30'000);
  std::vector<double> far(30'000);
  std::vector<double> factors(30'000);
  std::vector<float> floats(30'000);
  for (std::size_t index = 0; index < near.size(); ++index) {
    near[index] = random.unit() + 0.3;
    far[index] = random.unit() + 1e6;
    factors[index] = random.unit() * 0x1p-6 + 1;  // the product is exact
    floats[index] = static_cast<float>(random.unit() + 0.3);
  }
  check(near, Statistic::mean, 0x3fd33da8e05b09ac);
  check(near, Statistic::std, 0x3fe27bad77d10193);
  check(near, Statistic::abs_variance, 0x3fc0303a7d96e10f);
  check(near, Statistic::l1, 0x40cff5f39042514e);
  check(near, Statistic::l2, 0x405c32210699e3e0);
  check(far, Statistic::std, 0x3fe273feb7e1ab29);
  check(far, Statistic::sum, 0x421bf08eafd38918);
  check(factors, Statistic::prod, 0x3ffd6686514a9f00);
  check(floats, Statistic::variance, 0x3fd5749c40000000);
}

TEST_CASE("counts and the first element that is not finite are of the whole") {
  std::vector<float> elements(20'000, 1.0f);
  elements[9000] = std::nanf("");
  elements[9001] = INFINITY;
  elements[15'000] = -INFINITY;
  elements[3] = 0;
  elements[19'999] = -0.0f;
  const TensorView view{std::span<const float>(elements)};
  const Partials whole = Partials::of(view, StatisticSet::all());
  CHECK(whole.first_non_finite == 9000);
  CHECK(whole.non_finite.nan == 1);
  CHECK(whole.non_finite.positive_infinity == 1);
  CHECK(whole.non_finite.negative_infinity == 1);
  CHECK(whole.zeros == 2);
  Partials merged = Partials::of(piece_of(view, 0, 8192), StatisticSet::all());
  merged.merge(Partials::of(piece_of(view, 8192, 20'000), StatisticSet::all()));
  CHECK(merged.first_non_finite == 9000);
}
