#include "loupe/select/reduction_config.hpp"

#include "loupe/base/byte_buffer.hpp"
#include "loupe/select/words.hpp"

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL StatisticList::StatisticList(std::initializer_list<Statistic> statistics) : statistics_(statistics) {}

LOUPE_DECL StatisticList::StatisticList(StatisticSet statistics) {
  for (const Statistic statistic : statistics) push_back(statistic);
}

LOUPE_DECL StatisticSet StatisticList::set() const noexcept {
  StatisticSet members;
  for (const Statistic statistic : statistics_) members.insert(statistic);
  return members;
}

LOUPE_DECL void StatisticList::push_back(Statistic statistic) { statistics_.push_back(statistic); }

LOUPE_DECL result<StatisticList> parse_statistics(std::string_view words) {
  StatisticList statistics;
  std::string_view unknown;
  for_each_word(words, [&](std::string_view word) {
    if (word.empty()) return;
    if (const auto statistic = statistic_from_config_name(word)) statistics.push_back(*statistic);
    else if (unknown.empty()) unknown = word;
  });
  if (unknown.empty()) return statistics;
  Text allowed;
  for (const Statistic statistic : StatisticSet::all())
    allowed = allowed.empty() ? Text(config_name(statistic)) : Text::join(allowed.view(), " ", config_name(statistic));
  return fail(ErrorKind::invalid_argument, "reductions",
              Text::join("has the word ", unknown, ", but allowed are ", allowed.view()));
}

LOUPE_DECL Text statistics_text(const StatisticList& statistics) {
  constexpr int group_count = 4;
  const auto group_of = [](Statistic statistic) {
    return (is_absolute(statistic) ? 2 : 0) + (is_norm(statistic) ? 1 : 0);
  };
  ByteBuffer words;
  for (int group = 0; group < group_count; ++group)
    for (const Statistic statistic : statistics) {
      if (!smdebug_statistics.contains(statistic) || group_of(statistic) != group) continue;
      if (!words.empty()) words.append(',');
      words.append(config_name(statistic));
    }
  return words.text();
}

}  // namespace loupe::inline LOUPE_ABI
