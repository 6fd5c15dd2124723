#include <bit>
#include <cstring>
#include <type_traits>

#include "loupe/reduce/block_reader.hpp"
#include "loupe/reduce/contraction.hpp"
#include "loupe/reduce/dispatch.hpp"
#include "loupe/reduce/number_reader.hpp"
#include "loupe/reduce/partials.hpp"

namespace loupe::inline LOUPE_ABI {
namespace detail {

LOUPE_NO_CONTRACTION inline void sum_element_deviations(const std::byte* elements, std::size_t count, double pivot,
                                                        double& sum, double& squares) noexcept {
  sum_deviations<16, false>(elements, count, pivot, sum, squares);
}
LOUPE_NO_CONTRACTION inline void sum_magnitude_deviations(const std::byte* elements, std::size_t count, double pivot,
                                                          double& sum, double& squares) noexcept {
  sum_deviations<16, true>(elements, count, pivot, sum, squares);
}

template <class Real>
constexpr bool is_finite(Real number) noexcept {
  return number - number == 0;
}

// Counts the elements of a block that are not finite; the index of the first one, or -1.
template <class Real>
std::int64_t count_non_finite(const std::byte* elements, std::size_t count, NonFinite& counts) noexcept {
  constexpr Real infinity = std::numeric_limits<Real>::infinity();
  std::int64_t first = -1;
  for (std::size_t element = 0; element < count; ++element) {
    const Real number = load_element<Real>(elements + element * sizeof(Real));
    if (is_finite(number)) continue;
    if (first < 0) first = static_cast<std::int64_t>(element);
    if (number == infinity) ++counts.positive_infinity;
    else if (number == -infinity) ++counts.negative_infinity;
    else ++counts.nan;
  }
  return first;
}

// Whether an odd number of a block's elements have their sign bit set.
template <class Real>
bool has_odd_signs(const std::byte* elements, std::size_t count) noexcept {
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  using Group = Vector<Bits, 16>;
  constexpr std::size_t group = 16 / sizeof(Bits);
  Group signs{};
  const std::size_t whole = count / group * group;
  for (std::size_t element = 0; element < whole; element += group) {
    Group bits;
    std::memcpy(&bits, elements + element * sizeof(Bits), sizeof bits);
    signs ^= bits;
  }
  Bits all = 0;
  for (std::size_t lane = 0; lane < group; ++lane) all ^= signs[lane];
  for (std::size_t element = whole; element < count; ++element)
    all ^= load_element<Bits>(elements + element * sizeof(Bits));
  return (all >> (8 * sizeof(Bits) - 1)) != 0;
}

// Multiplies by the elements of a block, of which `sums` has the absolute minimum; by infinite ones' signs alone.
template <class Real>
void multiply_block(const std::byte* elements, std::size_t count, const BlockSums<Real>& sums,
                    const ReductionKernels& kernels, ScaledProduct& product) noexcept {
  if (product.is_zero() || sums.absolute_minimum == 0) {
    product.multiply(has_odd_signs<Real>(elements, count) ? -0.0 : 0.0);
    return;
  }
  // Floats that are subnormal are not so as doubles.
  constexpr bool are_floats = std::is_same_v<Real, float>;
  if (is_finite(sums.squares) && (are_floats || sums.absolute_minimum >= std::numeric_limits<Real>::min())) {
    double mantissas[lanes];
    std::int64_t exponents[lanes];
    (are_floats ? kernels.multiply_floats : kernels.multiply_doubles)(elements, count, mantissas, exponents);
    for (std::size_t lane = 0; lane < lanes; ++lane) product.multiply(mantissas[lane], exponents[lane]);
    return;
  }
  for (std::size_t element = 0; element < count; ++element) {
    const Real number = load_element<Real>(elements + element * sizeof(Real));
    product.multiply(is_finite(number) ? static_cast<double>(number) : __builtin_signbit(number) != 0 ? -1.0 : 1.0);
  }
}

template <class Integer>
std::uint64_t magnitude_of(Integer number) noexcept {
  const auto bits = static_cast<std::uint64_t>(number);
  return number < 0 ? 0 - bits : bits;
}

// Converts integers of a block to floats or doubles, and multiplies them where that is wanted. Those of 64 bits, which a
// double may round, are also added up and compared as they are.
template <class Element, class Real>
void take_integers(const std::byte* elements, std::size_t count, bool is_multiplying, Real* out,
                   IntegerPartials& integer) noexcept {
  using Stored = std::conditional_t<std::is_same_v<Element, bool>, std::uint8_t, Element>;
  for (std::size_t element = 0; element < count; ++element) {
    auto number = load_element<Stored>(elements + element * sizeof(Stored));
    if constexpr (std::is_same_v<Element, bool>) number = number != 0;
    out[element] = static_cast<Real>(number);
    if (is_multiplying) {
      integer.product *= static_cast<std::uint64_t>(number);
      integer.absolute_product *= magnitude_of(number);
    }
    if constexpr (sizeof(Element) == 8) {
      const std::uint64_t magnitude = magnitude_of(number);
      integer.sum += static_cast<std::uint64_t>(number);
      integer.absolute_sum += magnitude;
      if constexpr (std::is_signed_v<Element>) {
        integer.minimum = smaller(number, integer.minimum);
        integer.maximum = larger(number, integer.maximum);
      }
      integer.absolute_minimum = smaller(magnitude, integer.absolute_minimum);
      integer.absolute_maximum = larger(magnitude, integer.absolute_maximum);
    }
  }
}

// The pass over one tensor, block after block.
class PartialsPass {
 public:
  PartialsPass(Partials& partials, const TensorView& view, const ReductionKernels& kernels) noexcept
      : partials_(partials),
        reader_(view),
        kernels_(kernels),
        is_counting_(partials.wanted.contains_any(
            {Statistic::abs_min, Statistic::zero_count, Statistic::prod, Statistic::abs_prod})),
        is_multiplying_(partials.wanted.contains_any({Statistic::prod, Statistic::abs_prod})),
        holds_integers_(!is_floating(view.type) && !is_complex(view.type)) {}

  void run() noexcept {
    if (partials_.type == ElementType::complex64) run_complex<float>();
    else if (partials_.type == ElementType::complex128) run_complex<double>();
    else if (reduces_as_float(partials_.type)) run_real<float>();
    else if (partials_.type != ElementType::string && partials_.type != ElementType::none) run_real<double>();
  }

 private:
  template <class Real>
  void run_real() noexcept {
    std::byte gathered[reduction_block * sizeof(Real)];
    Real converted[reduction_block];
    while (reader_.rest() > 0) {
      const std::size_t count = next_count(reduction_block);
      const std::byte* elements = convert(reader_.read(count, gathered), count, converted);
      add_real<Real>(elements, count);
      partials_.count += static_cast<std::int64_t>(count);
    }
    partials_.non_finite = partials_.real.non_finite;
  }

  // Elements as floats: where they are, or in `out`.
  const std::byte* convert(const std::byte* elements, std::size_t count, float* out) noexcept {
    switch (partials_.type) {
      case ElementType::boolean: take<bool>(elements, count, out); break;
      case ElementType::int8: take<std::int8_t>(elements, count, out); break;
      case ElementType::uint8: take<std::uint8_t>(elements, count, out); break;
      case ElementType::int16: take<std::int16_t>(elements, count, out); break;
      case ElementType::uint16: take<std::uint16_t>(elements, count, out); break;
      case ElementType::float16: kernels_.widen_float16(elements, count, out); break;
      case ElementType::bfloat16: kernels_.widen_bfloat16(elements, count, out); break;
      default: return elements;
    }
    return reinterpret_cast<const std::byte*>(out);
  }
  // Elements as doubles.
  const std::byte* convert(const std::byte* elements, std::size_t count, double* out) noexcept {
    switch (partials_.type) {
      case ElementType::int32: take<std::int32_t>(elements, count, out); break;
      case ElementType::uint32: take<std::uint32_t>(elements, count, out); break;
      case ElementType::int64: take<std::int64_t>(elements, count, out); break;
      case ElementType::uint64: take<std::uint64_t>(elements, count, out); break;
      default: return elements;
    }
    return reinterpret_cast<const std::byte*>(out);
  }
  template <class Element, class Real>
  void take(const std::byte* elements, std::size_t count, Real* out) noexcept {
    take_integers<Element>(elements, count, is_multiplying_, out, partials_.integer);
  }

  [[nodiscard]] std::size_t next_count(std::size_t most) const noexcept {
    return reader_.rest() < static_cast<std::int64_t>(most) ? static_cast<std::size_t>(reader_.rest()) : most;
  }

  void sum_block(const std::byte* elements, std::size_t count, BlockSums<float>& sums) const noexcept {
    (is_counting_ ? kernels_.floats_counting : kernels_.floats)(elements, count, sums);
  }
  void sum_block(const std::byte* elements, std::size_t count, BlockSums<double>& sums) const noexcept {
    (is_counting_ ? kernels_.doubles_counting : kernels_.doubles)(elements, count, sums);
  }

  template <class Real>
  void add_extremes(const BlockSums<Real>& sums) noexcept {
    partials_.minimum = smaller(static_cast<double>(sums.minimum), partials_.minimum);
    partials_.maximum = larger(static_cast<double>(sums.maximum), partials_.maximum);
    if (!is_counting_) return;
    partials_.absolute_minimum = smaller(static_cast<double>(sums.absolute_minimum), partials_.absolute_minimum);
    partials_.zeros += sums.zeros;
  }

  // Adds elements of a real tensor, which were converted to `Real`.
  template <class Real>
  void add_real(const std::byte* elements, std::size_t count) noexcept {
    BlockSums<Real> sums;
    sum_block(elements, count, sums);
    add_extremes(sums);
    if (holds_integers_) {
      if (element_size(partials_.type) < 8) {
        partials_.integer.sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(sums.sum));
        partials_.integer.absolute_sum += static_cast<std::uint64_t>(sums.absolute_sum);
      }
    } else {
      if (is_multiplying_) multiply_block(elements, count, sums, kernels_, partials_.product);
      if (!is_finite(sums.squares)) {
        const std::int64_t first = count_non_finite<Real>(elements, count, partials_.real.non_finite);
        if (first >= 0) {
          if (partials_.first_non_finite < 0) partials_.first_non_finite = partials_.count + first;
          return;
        }
      }
    }
    if constexpr (std::is_same_v<Real, float>) {
      partials_.real.sum.add(sums.sum);
      partials_.real.squares.add(sums.squares);
      partials_.real.squares.add(sums.squares_low);
      partials_.absolute.sum.add(sums.absolute_sum);
    } else {
      add_moments(elements, count, sums, partials_.real, &partials_.absolute);
    }
  }

  // Adds a block's sums to `moments` and, if not null, those of its absolute values to `absolute`.
  static void add_moments(const std::byte* elements, std::size_t count, const BlockSums<double>& sums, Moments& moments,
                          Moments* absolute) noexcept {
    // Squares of doubles are rounded. Where that could spoil a variance, they are summed about the rounded mean instead.
    const auto size = static_cast<double>(count);
    const auto is_sound = [&](double sum) {
      return !is_finite(sums.squares) || sums.squares - sum * sum / size >= sums.squares * 0x1p-6;
    };
    if (is_sound(sums.sum)) {
      moments.sum.add(sums.sum);
      moments.squares.add(sums.squares);
    } else {
      add_about_mean(elements, count, sums.sum, sum_element_deviations, moments);
    }
    if (absolute == nullptr) return;
    if (is_sound(sums.absolute_sum)) {
      absolute->sum.add(sums.absolute_sum);
      absolute->squares.add(sums.squares);
    } else {
      add_about_mean(elements, count, sums.absolute_sum, sum_magnitude_deviations, *absolute);
    }
  }

  using SumDeviations = void(const std::byte*, std::size_t, double, double&, double&) noexcept;
  static void add_about_mean(const std::byte* elements, std::size_t count, double sum, SumDeviations& sum_deviations,
                             Moments& moments) noexcept {
    // With its last 13 bits cleared, the mean times the number of elements is exact.
    static_assert(reduction_block < (1 << 13));
    const auto size = static_cast<double>(count);
    const auto mean = std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum / size) & ~std::uint64_t{0x1FFF});
    double deviations = 0;
    double squares = 0;
    sum_deviations(elements, count, mean, deviations, squares);
    moments.sum.add(size * mean);
    moments.sum.add(deviations);
    moments.squares.add_product(size * mean, mean);
    moments.squares.add_product(2 * mean, deviations);
    moments.squares.add(squares);
  }

  template <class Real>
  void run_complex() noexcept {
    constexpr std::size_t block = reduction_block / 4;  // so that four buffers of doubles are no burden for the stack
    std::byte gathered[2 * block * sizeof(Real)];
    double real[block];
    double imaginary[block];
    double magnitude[block];
    while (reader_.rest() > 0) {
      const std::size_t count = next_count(block);
      const std::byte* elements = reader_.read(count, gathered);
      for (std::size_t element = 0; element < count; ++element) {
        real[element] = static_cast<double>(load_element<Real>(elements + 2 * element * sizeof(Real)));
        imaginary[element] = static_cast<double>(load_element<Real>(elements + (2 * element + 1) * sizeof(Real)));
        magnitude[element] = magnitude_of(real[element], imaginary[element]);
      }
      add_part(real, count, partials_.real);
      add_part(imaginary, count, partials_.imaginary);
      add_magnitudes(magnitude, real, imaginary, count);
      partials_.count += static_cast<std::int64_t>(count);
    }
  }

  void add_part(const double* part, std::size_t count, Moments& moments) noexcept {
    const auto* elements = reinterpret_cast<const std::byte*>(part);
    BlockSums<double> sums;
    kernels_.doubles(elements, count, sums);
    if (!is_finite(sums.squares) && count_non_finite<double>(elements, count, moments.non_finite) >= 0) return;
    add_moments(elements, count, sums, moments, nullptr);
  }

  void add_magnitudes(const double* magnitude, const double* real, const double* imaginary,
                      std::size_t count) noexcept {
    const auto* elements = reinterpret_cast<const std::byte*>(magnitude);
    BlockSums<double> sums;
    sum_block(elements, count, sums);
    add_extremes(sums);
    if (is_multiplying_) multiply_block(elements, count, sums, kernels_, partials_.product);
    bool has_non_finite = false;
    for (std::size_t element = 0; element < count; ++element) {
      if (is_finite(real[element]) && is_finite(imaginary[element])) continue;
      if (partials_.first_non_finite < 0)
        partials_.first_non_finite = partials_.count + static_cast<std::int64_t>(element);
      has_non_finite = true;
      if (real[element] != real[element] || imaginary[element] != imaginary[element]) ++partials_.non_finite.nan;
      else ++partials_.non_finite.positive_infinity;
    }
    if (!has_non_finite) add_moments(elements, count, sums, partials_.absolute, nullptr);
  }

  Partials& partials_;
  BlockReader reader_;
  const ReductionKernels& kernels_;
  bool is_counting_;
  bool is_multiplying_;
  bool holds_integers_;
};

}  // namespace detail

LOUPE_DECL Partials Partials::of(const TensorView& view, StatisticSet wanted, const ReductionKernels& kernels) {
  Partials partials;
  partials.type = view.type;
  partials.wanted = wanted;
  detail::PartialsPass(partials, view, kernels).run();
  return partials;
}

LOUPE_DECL Partials Partials::of(const TensorView& view, StatisticSet wanted) {
  return of(view, wanted, reduction_kernels(best_instruction_set()));
}

}  // namespace loupe::inline LOUPE_ABI
