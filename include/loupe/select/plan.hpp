#pragma once
/// @file
/// What is saved of which tensor in which step: decided once per name and once per set of due collections.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/mode.hpp"
#include "loupe/base/result.hpp"
#include "loupe/select/any_pattern.hpp"
#include "loupe/select/collection_set.hpp"
#include "loupe/select/known_names.hpp"
#include "loupe/select/name_filter.hpp"
#include "loupe/select/name_table.hpp"
#include "loupe/select/reduction_config.hpp"
#include "loupe/select/save_config.hpp"

namespace loupe::inline LOUPE_ABI {

/// A tensor's number within a plan: 0, 1, … in the order in which names were first seen.
struct TensorId {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(TensorId, TensorId) noexcept = default;
};

/// What to save of a tensor in the current step (semantics.md section 6.2).
struct Decision {
  bool any = false;             ///< whether any due collection has the tensor
  bool raw = false;             ///< the value
  bool shape = false;
  bool scalar_summary = false;  ///< a TensorBoard scalar, if the value is one number
  StatisticSet statistics;
  std::int32_t histogram_collection =
      -1;  ///< the number, in the set, of the collection whose TensorBoard histogram it is in
};

/// A hook's settings for collections that have none of their own.
struct PlanDefaults {
  SaveConfig save = {};
  ReductionConfig reductions = ReductionConfig::raw_only();
  PatternCompiler engine = nullptr;  ///< null: `compile_python_regex`
};

/// The decisions of a run. Prepared once; then, for each step, `begin_step`, and for each tensor `find_or_add` and
/// `decision`. A step costs time in proportion to the number of collections, a tensor a few nanoseconds, and once all
/// names and all combinations of due collections have been seen nothing allocates. For one thread at a time.
class Plan {
 public:
  /// Checks and completes the collections (semantics.md section 5.4) and freezes the set, which must outlive the plan
  /// and stay where it is. Errors: a save configuration out of bounds, and `invalid_collection_configuration` for a
  /// collection that was added and has neither patterns nor names; nothing is changed then.
  LOUPE_DECL result<void> prepare(CollectionSet& collections, const PlanDefaults& defaults);
  [[nodiscard]] bool is_prepared() const noexcept { return collections_ != nullptr; }

  /// Begins a step; whether any collection is due. In EVAL and PREDICT `gradients` and `optimizer_variables` never are.
  LOUPE_DECL bool begin_step(Mode mode, std::int64_t mode_step);
  /// The number of a tensor. A name that is new is looked for in the collections to be saved, and added to the
  /// `tensor_names` of those that match.
  TensorId find_or_add(std::string_view name) {
    const std::uint32_t number = names_.find_or_add(name).id;
    if (names_.tag(number) == undecided) [[unlikely]]
      add_member(number);
    return TensorId{number};
  }
  /// The quick way past tensors that are not due; usable once the plan is prepared, while it stays where it is.
  [[nodiscard]] KnownNames& known_names() noexcept { return known_names_; }
  /// Puts a tensor into a collection by name, whatever the patterns say. Errors: `invalid_argument` if there is none of
  /// that name, `invalid_state` before preparation.
  LOUPE_DECL result<void> add_to_collection(std::string_view tensor, std::string_view collection);
  /// What to save of a tensor in the step that was begun last.
  [[nodiscard]] const Decision& decision(TensorId tensor) const noexcept {
    return due_->decisions[names_.tag(tensor.value)];
  }

  /// Whether a collection is due in the step that was begun last.
  [[nodiscard]] LOUPE_DECL bool is_due(std::string_view collection) const noexcept;
  [[nodiscard]] std::string_view tensor_name(TensorId tensor) const noexcept { return names_[tensor.value]; }
  [[nodiscard]] std::size_t tensor_count() const noexcept { return names_.size(); }
  /// The patterns that were refused, and searches on which an engine gave up, up to a limit; they select nothing.
  [[nodiscard]] const std::vector<Error>& pattern_errors() const noexcept { return pattern_errors_; }

 private:
  /// A set of the collections to be saved, one bit each.
  using Bits = std::vector<std::uint64_t>;
  /// A collection to be saved, as it was at preparation.
  struct Saved {
    std::uint32_t number;  ///< in the set
    CollectionClasses classes;
    NameFilter filter;
    ModeSaveConfigs save;  ///< of every mode
    Decision part;         ///< what it adds to the decision about a tensor
  };
  /// A set of due collections that has occurred, and what follows from it for each membership.
  struct Due {
    Bits collections;
    std::vector<Decision> decisions;
    std::vector<std::uint8_t> is_wanted;  ///< `decisions[…].any`, close together; that of `undecided` is 1
  };
  /// The membership of a name that wasn't looked for in the collections yet.
  static constexpr std::uint32_t undecided = 0;
  static constexpr std::size_t max_due_sets = 64;  ///< beyond, the oldest is forgotten and decided anew when it recurs
  static constexpr std::size_t max_pattern_errors = 64;

  [[nodiscard]] std::size_t words() const noexcept { return (saved_.size() + 63) / 64; }
  LOUPE_DECL void add_member(std::uint32_t tensor);
  LOUPE_DECL std::uint32_t number_of(Bits member);
  LOUPE_DECL void keep(const Error& error);
  LOUPE_DECL void complete_decisions();
  LOUPE_DECL void show_names() noexcept;
  [[nodiscard]] LOUPE_DECL Decision decide(const Bits& due, const Bits& membership) const;

  CollectionSet* collections_ = nullptr;
  std::vector<Saved> saved_;
  NameTable names_;  ///< a name's tag: which of `memberships_` it has
  KnownNames known_names_;
  std::vector<Bits> memberships_;  ///< the distinct sets of collections that tensors are in, after that of `undecided`
  std::vector<Due> due_sets_;
  Due* due_ = nullptr;
  std::size_t oldest_due_set_ = 0;
  Bits scratch_;
  std::vector<Error> pattern_errors_;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/select/plan.ipp"
#endif
