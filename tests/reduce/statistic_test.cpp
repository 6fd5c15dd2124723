#include "loupe/reduce/statistic.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/table.hpp"

using namespace loupe;

TEST_CASE("every statistic is found by its name and by its word in configurations") {
  for (const Statistic statistic : StatisticSet::all()) {
    CHECK(statistic_from_name(statistic_name(statistic)) == statistic);
    CHECK(statistic_from_config_name(config_name(statistic)) == statistic);
  }
  CHECK_FALSE(statistic_from_name("median"));
  CHECK_FALSE(statistic_from_name(""));
}

TEST_CASE("norms are l1 in tensor names and l1_norm in configurations") {
  CHECK(statistic_name(Statistic::abs_l1) == "abs_l1");
  CHECK(config_name(Statistic::abs_l1) == "abs_l1_norm");
  CHECK_FALSE(statistic_from_config_name("l2"));
  CHECK_FALSE(statistic_from_name("l2_norm"));
  CHECK(is_norm(Statistic::abs_l2));
  CHECK_FALSE(is_norm(Statistic::mean));
}

TEST_CASE("smdebug's eighteen are nine and the same of absolute values") {
  CHECK(smdebug_statistics.size() == 18);
  for (const Statistic statistic : smdebug_statistics) {
    if (is_absolute(statistic)) continue;
    CHECK(statistic_name(absolute(statistic)) == "abs_" + std::string(statistic_name(statistic)));
    CHECK(without_absolute(absolute(statistic)) == statistic);
  }
  CHECK(absolute(Statistic::zero_count) == Statistic::zero_count);
  CHECK(without_absolute(Statistic::zero_count) == Statistic::zero_count);
  CHECK(count_statistics.size() == 5);
  CHECK_FALSE(count_statistics.contains_any(smdebug_statistics));
}

TEST_CASE("smdebug's names of reductions are loupe's") {
  const Table table("reduction_names");
  for (const auto& row : table.rows()) {
    const std::string name = row["in"]["reduction"].GetString();
    const auto statistic = statistic_from_name((row["in"]["abs"].GetBool() ? "abs_" : "") + name);
    REQUIRE(statistic);
    CHECK(is_absolute(*statistic) == row["in"]["abs"].GetBool());
  }
}

TEST_CASE("a set holds what is put in, in the order of the enumeration") {
  StatisticSet set{Statistic::l2, Statistic::min};
  set.insert(Statistic::zero_count);
  std::vector<Statistic> members;
  for (const Statistic member : set) members.push_back(member);
  CHECK(members == std::vector<Statistic>{Statistic::min, Statistic::l2, Statistic::zero_count});
  set.erase(Statistic::l2);
  CHECK(set.size() == 2);
  CHECK_FALSE(set.contains(Statistic::l2));
  CHECK(StatisticSet().empty());
  CHECK(StatisticSet().begin() == StatisticSet().end());
}

TEST_CASE("sets unite, intersect and subtract") {
  const StatisticSet a{Statistic::min, Statistic::max};
  const StatisticSet b{Statistic::max, Statistic::mean};
  CHECK((a | b).size() == 3);
  CHECK((a & b) == StatisticSet(Statistic::max));
  CHECK((a - b) == StatisticSet(Statistic::min));
  CHECK(StatisticSet::all().contains_all(a));
  CHECK_FALSE(a.contains_all(b));
  CHECK(a.contains_any(b));
  CHECK_FALSE(a.contains_any(StatisticSet(Statistic::prod)));
}

TEST_CASE("bits that stand for no statistic are dropped") {
  CHECK(StatisticSet::from_bits(~0u) == StatisticSet::all());
  CHECK(StatisticSet::from_bits(1u << 31).empty());
  CHECK(StatisticSet::from_bits(StatisticSet::all().bits()).size() == statistic_count);
}
