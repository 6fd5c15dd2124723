#pragma once
/// @file
/// What a rule found in a step.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/text.hpp"
#include "loupe/rules/evidence.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// One thing that is wrong.
struct Violation {
  Text tensor;                              ///< empty where no single tensor is to blame
  Text worker;
  std::optional<std::int64_t> element = {}; ///< flat index of the first element that is wrong
  double value = 0;                         ///< what was measured
  double threshold = 0;                     ///< what it was held against
  Text reason;                              ///< a clause for a person: `mean of absolute values is below the threshold`
};

/// The most violations of a step that are kept in words; all are counted.
inline constexpr std::size_t max_violations = 100;

/// Collects what one rule finds in one step, and counts what it looked at. One thread at a time.
class Findings {
 public:
  /// Notes that a value was looked at.
  void count_datapoint() noexcept { ++datapoints_; }
  /// Adds a violation by a tensor.
  void add(const Evidence& by, double value, double threshold, std::string_view reason,
           std::optional<std::int64_t> element = {}) {
    if (++total_ > max_violations) return;
    violations_.push_back({by.tensor.name, by.worker, element, value, threshold, reason});
  }
  /// Adds a violation that isn't one tensor's, or one whose tensor is gone by now.
  void add(Violation violation) {
    if (++total_ <= max_violations) violations_.push_back(std::move(violation));
  }
  /// Tells the user, once for each tensor and sentence, why something wasn't judged. `sentence` is a literal.
  void warn(std::string_view tensor, std::string_view sentence) {
    if (warned_.size() >= max_warnings || !warned_.emplace(Text(tensor), sentence).second) return;
    warnings_.push_back(Text::join(tensor, ": ", sentence));
  }

  [[nodiscard]] std::span<const Violation> violations() const noexcept { return violations_; }
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
  /// Values looked at in all steps.
  [[nodiscard]] std::uint64_t datapoints() const noexcept { return datapoints_; }
  /// Warnings of all steps.
  [[nodiscard]] std::span<const Text> warnings() const noexcept { return warnings_; }

  /// Forgets the violations of the last step; what is counted over all steps stays.
  void begin_step() noexcept {
    violations_.clear();
    total_ = 0;
  }
  /// Hands the violations of this step over.
  [[nodiscard]] std::vector<Violation> take() noexcept { return std::exchange(violations_, {}); }

 private:
  static constexpr std::size_t max_warnings = 1000;
  std::vector<Violation> violations_;
  std::vector<Text> warnings_;
  std::set<std::pair<Text, std::string_view>> warned_;
  std::uint64_t total_ = 0;
  std::uint64_t datapoints_ = 0;
};

}  // namespace loupe::inline LOUPE_ABI::rules
