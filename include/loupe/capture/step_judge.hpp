#pragma once
/// @file
/// Who looks at the tensors of a hook's steps while they are saved. `loupe/rules/attach.hpp` has one.

#include <cstdint>
#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/base/step.hpp"
#include "loupe/base/tensor_view.hpp"
#include "loupe/reduce/fwd.hpp"

namespace loupe::inline LOUPE_ABI {

/// What was made of a step.
struct StepVerdict {
  std::uint32_t fired = 0;     ///< how many rules fired
  bool wants_stop = false;     ///< one of them says that the training is to end
  bool wants_skip = false;     ///< one of them says that this step's update is not to be applied

  /// Whether the loop is to be left.
  [[nodiscard]] constexpr bool stop() const noexcept { return wants_stop; }
  /// Whether this step's update is to be left out: also where the training is to end.
  [[nodiscard]] constexpr bool skip() const noexcept { return wants_skip || wants_stop; }
};

/// Looks at what is saved. On the hook's thread, in the order of saving; what it throws is a failure of the call that it
/// was made from, and the tensor is saved all the same.
class StepJudge {
 public:
  StepJudge() = default;
  StepJudge(const StepJudge&) = delete;
  StepJudge& operator=(const StepJudge&) = delete;
  virtual ~StepJudge() = default;

  virtual void begin_step(Step step, ModeStep mode_step) = 0;
  /// The statistics that it wants of a tensor of the open step, which is computed with those that are saved; null if it
  /// won't look at the tensor.
  virtual const StatisticSet* wants(std::string_view tensor) = 0;
  /// Shows a tensor that it wants.
  virtual void look(std::string_view tensor, const TensorView& value, const ReducedValues& reduced) = 0;
  /// Ends the judgement of the step.
  virtual StepVerdict end_step() = 0;
};

}  // namespace loupe::inline LOUPE_ABI
