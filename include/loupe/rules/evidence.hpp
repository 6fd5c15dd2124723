#pragma once
/// @file
/// What a rule may ask: a tensor of a step as one worker saved it. The hook shows it while the tensor is at hand, a trial
/// after reading it; a rule can't tell which.

#include <cstdint>
#include <optional>
#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/base/step.hpp"
#include "loupe/base/tensor_view.hpp"
#include "loupe/reduce/statistic.hpp"
#include "loupe/reduce/strategy.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// A step under judgement.
struct StepPlace {
  Step step;     ///< the global one
  ModeStep mode; ///< its mode, and its number within that
  friend bool operator==(const StepPlace&, const StepPlace&) = default;
};

/// Which tensors a collection has, by the hook or the trial that is judged.
class Directory {
 public:
  virtual ~Directory() = default;
  /// Whether a tensor belongs to a collection; to none that doesn't exist.
  [[nodiscard]] virtual bool contains(std::string_view collection, std::string_view tensor) const = 0;
};

/// A tensor by name. The number stands for the name as long as one judge judges: names count from 0.
struct TensorName {
  std::string_view name;
  std::uint32_t number = 0;
};

/// What a rule needs of a tensor.
struct Wanted {
  bool any = false;              ///< it looks at the tensor at all
  bool raw = false;              ///< it needs the elements
  StatisticSet statistics = {};  ///< it takes these, computed or as they were saved

  constexpr Wanted& operator|=(const Wanted& other) noexcept {
    any |= other.any;
    raw |= other.raw;
    statistics |= other.statistics;
    return *this;
  }
  friend constexpr bool operator==(const Wanted&, const Wanted&) = default;
};

/// The elements of a tensor.
constexpr Wanted wants_elements() noexcept { return {.any = true, .raw = true}; }
/// Statistics of a tensor.
constexpr Wanted wants_statistics(StatisticSet statistics) noexcept { return {.any = true, .statistics = statistics}; }

/// What one worker saved of one tensor at one step. Valid during the call that it is handed to.
struct Evidence {
  TensorName tensor;
  std::string_view worker;
  StepPlace at;
  TensorView value;                           ///< without a tensor where only reductions were saved
  const ReducedValues* reduced = nullptr;     ///< those that were wanted and are to be had; may be null

  [[nodiscard]] bool has_value() const noexcept { return value.has_tensor(); }
  /// A statistic as a number; nothing where there is none.
  [[nodiscard]] std::optional<double> statistic(Statistic statistic) const noexcept {
    const Scalar* found = reduced != nullptr ? reduced->find(statistic) : nullptr;
    return found != nullptr && found->has_value() ? std::optional(found->as_double()) : std::nullopt;
  }
};

}  // namespace loupe::inline LOUPE_ABI::rules
