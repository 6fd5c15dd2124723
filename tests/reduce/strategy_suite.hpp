#pragma once
/// @file
/// What every reduction strategy must keep, a user's too.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "loupe/reduce/strategy.hpp"
#include "reduce/random_numbers.hpp"
#include "support/catch.hpp"

namespace test {

/// Whether two results are the same: the same refusal, or the same type and bits.
inline bool same_result(const loupe::result<loupe::Scalar>& a, const loupe::result<loupe::Scalar>& b) {
  if (!a || !b) return !a && !b && a.error().kind == b.error().kind;
  return a->type() == b->type() && std::memcmp(a->view().data, b->view().data, loupe::element_size(a->type())) == 0;
}

/// The conformance suite of `ReductionStrategy`.
template <class Strategy>
void check_reduction_strategy() {
  using namespace loupe;
  static_assert(ReductionStrategy<Strategy>);
  constexpr StatisticSet provided = Strategy::provides;
  CHECK_FALSE(provided.empty());

  const std::vector<float> elements = elements_around<float>(31, 3 * 4096 + 5, 1, 2);
  const auto piece = [&](std::size_t first, std::size_t last) {
    return TensorView(elements.data() + first, ElementType::float32, {static_cast<std::int64_t>(last - first)});
  };
  const TensorView whole = piece(0, elements.size());
  const auto partials = Strategy::partials(whole, provided);
  auto merged = Strategy::partials(piece(0, 4096), provided);
  Strategy::merge(merged, Strategy::partials(piece(4096, elements.size()), provided));
  const auto again = Strategy::partials(whole, provided);
  ReducedValues values;
  reduce_tensor<Strategy>(whole, StatisticSet::all(), values);
  for (const Statistic statistic : provided) {
    INFO(statistic_name(statistic));
    const auto value = Strategy::value(partials, statistic);
    // The same bits each time, in pieces, and asked for alone.
    CHECK(same_result(value, Strategy::value(again, statistic)));
    CHECK(same_result(value, Strategy::value(merged, statistic)));
    CHECK(same_result(value, Strategy::value(Strategy::partials(whole, statistic), statistic)));
    // What reduce_tensor gives is what has a value.
    CHECK((values.find(statistic) != nullptr) == value.has_value());
    if (value && values.find(statistic) != nullptr) CHECK(same_result(value, *values.find(statistic)));
    // A refusal names its statistic.
    const auto refused =
        Strategy::value(Strategy::partials(TensorView(nullptr, ElementType::float32, {0}), provided), statistic);
    if (!refused) CHECK(refused.error().object == statistic_name(statistic));
  }
  CHECK_FALSE(values.present.contains_any(StatisticSet::all() - provided));

  // No tensor gives nothing, and forgets what was there.
  reduce_tensor<Strategy>(TensorView(), StatisticSet::all(), values);
  CHECK(values.present.empty());
  CHECK(values.custom_count == 0);
}

}  // namespace test
