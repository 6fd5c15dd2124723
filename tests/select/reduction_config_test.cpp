#include "loupe/select/reduction_config.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/table.hpp"

using namespace loupe;

namespace {

std::vector<Statistic> group(const StatisticList& statistics, bool absolute, bool norm) {
  std::vector<Statistic> members;
  for (const Statistic statistic : statistics)
    if (is_absolute(statistic) == absolute && is_norm(statistic) == norm) members.push_back(statistic);
  return members;
}

std::vector<Statistic> statistics_of(const rapidjson::Value& names, std::string_view before, std::string_view after) {
  std::vector<Statistic> statistics;
  for (const std::string& name : texts_of(names))
    statistics.push_back(statistic_from_config_name(std::string(before).append(name).append(after)).value());
  return statistics;
}

}  // namespace

TEST_CASE("reductions are read and written as smdebug does") {
  const Table table("reduction_config");
  int compared = 0;
  for (const auto& row : table.rows()) {
    if (!row["in"].IsObject() || !row["in"].HasMember("reductions") || !row["in"]["reductions"].IsString()) continue;
    const auto statistics = parse_statistics(text_of(row["in"]["reductions"]));
    CAPTURE(text_of(row["in"]["reductions"]));
    REQUIRE(statistics.has_value() != is_refused(row["out"]));
    ++compared;
    if (!statistics) continue;
    CHECK(group(*statistics, false, false) == statistics_of(row["out"]["reductions"], "", ""));
    CHECK(group(*statistics, false, true) == statistics_of(row["out"]["norms"], "", "_norm"));
    CHECK(group(*statistics, true, false) == statistics_of(row["out"]["abs_reductions"], "abs_", ""));
    CHECK(group(*statistics, true, true) == statistics_of(row["out"]["abs_norms"], "abs_", "_norm"));
    CHECK(statistics_text(*statistics) == text_of(row["out"]["json"]["reductions"]));
  }
  CHECK(compared > 20);
}

TEST_CASE("an unknown reduction is refused with the words that are allowed") {
  const auto refused = parse_statistics("min,median,l1");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == ErrorKind::invalid_argument);
  const std::string sentence = refused.error().message().c_str();
  CHECK(sentence.starts_with("reductions: has the word median, but allowed are min max mean "));
  CHECK(sentence.find("abs_l2_norm") != std::string::npos);
}

TEST_CASE("statistics of loupe's own can be configured and are left out of smdebug's text") {
  const auto statistics = parse_statistics("nan_count,min");
  REQUIRE(statistics);
  CHECK(statistics->set() == StatisticSet{Statistic::nan_count, Statistic::min});
  CHECK(statistics_text(*statistics) == "min");
}

TEST_CASE("a list of statistics reads as the set of them") {
  const ReductionConfig config{.statistics = {Statistic::l2, Statistic::min}};
  const StatisticSet set = config.statistics;
  CHECK(set == StatisticSet{Statistic::min, Statistic::l2});
  CHECK(StatisticList(set) != config.statistics);
  CHECK_FALSE(config.save_raw_tensor);
  CHECK(ReductionConfig::raw_only() == ReductionConfig{.statistics = {}, .save_raw_tensor = true, .save_shape = false});
}
