#pragma once
/// @file
/// Puts rules to work on one step after the other, whoever shows the steps: the hook, a follower of a run, a reader of a
/// finished one.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/function_ref.hpp"
#include "loupe/base/result.hpp"
#include "loupe/rules/evidence.hpp"
#include "loupe/rules/findings.hpp"
#include "loupe/rules/firing.hpp"
#include "loupe/rules/rule.hpp"
#include "loupe/select/name_table.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// How one rule of a judge is run.
struct RuleTerms {
  std::int64_t start_step = 0;                   ///< the first global step that it judges
  std::optional<std::int64_t> end_step = {};     ///< the first that it doesn't judge any more
  bool ends_at_first_firing = false;             ///< as the managed service's debugger rules do
};

/// What came of a rule so far.
struct RuleRecord {
  std::string_view name;
  std::uint64_t firings = 0;
  std::uint64_t violations = 0;
  std::uint64_t datapoints = 0;                  ///< values looked at; with none, no issue means nothing
  std::optional<Firing> last;
  std::span<const Text> warnings;
  bool has_ended = false;                        ///< looks at no further step
};

/// Some rules at work. One thread at a time.
class Judge {
 public:
  /// Adds a rule; `invalid_argument` if its parameters or terms are out of range, or another has its name.
  LOUPE_DECL result<void> add(Rule rule, RuleTerms terms = {});

  /// The number of a tensor's name.
  [[nodiscard]] std::uint32_t number_of(std::string_view tensor) { return names_.find_or_add(tensor).id; }
  /// What the rules together want of a tensor. Asks each rule once; the directory must know the tensor's collections by
  /// then.
  LOUPE_DECL const Wanted& wanted(std::uint32_t tensor, const Directory& directory);

  LOUPE_DECL void begin_step(const StepPlace& at);
  /// Shows a tensor of the step that is wanted. Its number must be of `number_of`.
  LOUPE_DECL void look(const Evidence& evidence);
  /// Ends the step. What fired stays until the next step begins.
  LOUPE_DECL std::span<const Firing> end_step();
  /// Nothing new has come by now; rules of time may fire.
  LOUPE_DECL std::span<const Firing> idle(std::int64_t monotonic_ns);

  [[nodiscard]] std::size_t size() const noexcept { return runs_.size(); }
  /// Whether no rule looks at any further step.
  [[nodiscard]] LOUPE_DECL bool has_ended() const noexcept;
  [[nodiscard]] LOUPE_DECL RuleRecord record(std::size_t rule) const;
  [[nodiscard]] std::string_view tensor_name(std::uint32_t number) const noexcept { return names_[number]; }

 private:
  struct Run {
    Rule rule;
    RuleTerms terms;
    Findings findings;
    std::optional<Firing> last;
    std::uint64_t firings = 0;
    std::uint64_t violations = 0;
    bool is_due = false;     ///< the open step is within its terms
    bool has_ended = false;
  };
  struct Known {
    Wanted wanted;
    std::vector<std::uint32_t> runs;  ///< of the rules that want it
    bool is_decided = false;
  };
  void take(std::uint32_t number, Outcome outcome);

  NameTable names_;
  std::vector<Known> known_;  ///< by tensor
  std::vector<Run> runs_;
  std::vector<Firing> firings_;
  StepPlace at_;
};

}  // namespace loupe::inline LOUPE_ABI::rules

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/rules/judge.ipp"
#endif
