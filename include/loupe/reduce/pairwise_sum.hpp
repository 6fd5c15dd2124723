#pragma once
/// @file
/// numpy's order of summation, for sums that agree with it bit by bit.

#include <cstddef>
#include <cstdint>

#include "loupe/base/config.hpp"
#include "loupe/reduce/contraction.hpp"

namespace loupe::inline LOUPE_ABI {

namespace detail {

template <class Number, int strands, class Next>
LOUPE_NO_CONTRACTION Number sum_by_halves(Next& next, std::int64_t count) {
  LOUPE_NO_CONTRACTION_HERE
  constexpr std::int64_t leaf = 16 * strands;
  if (count > leaf) {
    std::int64_t half = count / 2;
    half -= half % strands;
    const Number first = sum_by_halves<Number, strands>(next, half);
    return first + sum_by_halves<Number, strands>(next, count - half);
  }
  Number numbers[leaf];
  next(numbers, static_cast<std::size_t>(count));
  if (count < strands) {
    Number sum{};
    for (std::int64_t index = 0; index < count; ++index) sum = sum + numbers[index];
    return sum;
  }
  Number sums[strands];
  for (int strand = 0; strand < strands; ++strand) sums[strand] = numbers[strand];
  std::int64_t index = strands;
  for (; index < count - count % strands; index += strands)
    for (int strand = 0; strand < strands; ++strand) sums[strand] = sums[strand] + numbers[index + strand];
  for (int width = 1; width < strands; width *= 2)
    for (int strand = 0; strand < strands; strand += 2 * width) sums[strand] = sums[strand] + sums[strand + width];
  for (; index < count; ++index) sums[0] = sums[0] + numbers[index];
  return sums[0];
}

}  // namespace detail

/// The sum of the next `count` numbers that `next(buffer, count)` writes to a buffer of at most 128, in the order in
/// which numpy adds the numbers of a contiguous array: pieces of 8192 one after the other (its buffer), within a piece by
/// halves, and at most `16 * strands` numbers in interleaved sums (`pairwise_sum` of its loops_utils.h). numpy adds real
/// numbers in 8 strands and complex ones in 4. `round(sum)` is applied after each piece.
template <class Number, int strands, class Next, class Round>
Number pairwise_sum(Next& next, std::int64_t count, Round&& round) {
  constexpr std::int64_t piece = 8192;
  Number total{};
  for (std::int64_t rest = count; rest > 0; rest -= piece)
    total = round(total + detail::sum_by_halves<Number, strands>(next, rest < piece ? rest : piece));
  return total;
}
template <class Number, int strands, class Next>
Number pairwise_sum(Next& next, std::int64_t count) {
  return pairwise_sum<Number, strands>(next, count, [](Number sum) { return sum; });
}

}  // namespace loupe::inline LOUPE_ABI
