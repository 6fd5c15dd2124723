#pragma once
/// @file
/// What of a tensor is saved: statistics, the value itself, its shape (semantics.md section 3).

#include <initializer_list>
#include <string_view>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/reduce/statistic.hpp"

namespace loupe::inline LOUPE_ABI {

/// Statistics in the order in which a configuration names them, which is the order in which they are stored. Reads as
/// a `StatisticSet` wherever the order doesn't matter.
class StatisticList {
 public:
  StatisticList() = default;
  LOUPE_DECL StatisticList(std::initializer_list<Statistic> statistics);
  LOUPE_DECL StatisticList(StatisticSet statistics);
  operator StatisticSet() const noexcept { return set(); }
  [[nodiscard]] LOUPE_DECL StatisticSet set() const noexcept;
  LOUPE_DECL void push_back(Statistic statistic);
  [[nodiscard]] bool empty() const noexcept { return statistics_.empty(); }
  [[nodiscard]] auto begin() const noexcept { return statistics_.begin(); }
  [[nodiscard]] auto end() const noexcept { return statistics_.end(); }
  friend bool operator==(const StatisticList&, const StatisticList&) = default;

 private:
  std::vector<Statistic> statistics_;
};

/// What is saved of the tensors of a collection. Without `save_raw_tensor` the values themselves are not.
struct ReductionConfig {
  StatisticList statistics = {};
  bool save_raw_tensor = false;
  bool save_shape = false;

  /// What a hook saves when nothing is configured: values, nothing else.
  static ReductionConfig raw_only() { return {.save_raw_tensor = true}; }

  friend bool operator==(const ReductionConfig&, const ReductionConfig&) = default;
};

/// Reads comma-separated words such as `min, l2_norm,abs_mean`; empty words are passed over. Anything that is not a word
/// of `config_name` is an error that names it and the words allowed.
LOUPE_DECL result<StatisticList> parse_statistics(std::string_view words);

/// The words, comma-joined, in the group order of format.md section 7 and within a group in the order of the list.
/// smdebug refuses words that it doesn't know, so loupe's own statistics are left out.
LOUPE_DECL Text statistics_text(const StatisticList& statistics);

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/select/reduction_config.ipp"
#endif
