#include "loupe/rules/evidence.hpp"

#include "support/catch.hpp"

using loupe::Statistic;
using loupe::rules::Evidence;
using loupe::rules::Wanted;

TEST_CASE("evidence has the statistics that were computed or saved, and no others") {
  loupe::ReducedValues reduced;
  reduced.set(Statistic::mean, loupe::Scalar::from(2.0F));
  const Evidence evidence{.tensor = {"w", 0}, .worker = "worker_0", .at = {}, .value = {}, .reduced = &reduced};
  CHECK(evidence.statistic(Statistic::mean) == 2.0);
  CHECK_FALSE(evidence.statistic(Statistic::max));
  CHECK_FALSE(evidence.has_value());
  CHECK_FALSE(Evidence{}.statistic(Statistic::mean));
}

TEST_CASE("what two rules want is wanted together") {
  Wanted wanted = loupe::rules::wants_statistics(Statistic::mean);
  wanted |= loupe::rules::wants_elements();
  CHECK(wanted == Wanted{.any = true, .raw = true, .statistics = Statistic::mean});
}
