#pragma once
/// @file
/// Another run that a rule compares with.

#include <optional>
#include <string_view>

#include "loupe/base/array.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/step.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// The values of another run. `TrialReference` in `loupe/rules/trial_reference.hpp` is one over a trial.
class ReferenceRun {
 public:
  virtual ~ReferenceRun() = default;
  /// A tensor's value at a step of a mode, by any worker; nothing where it isn't there.
  virtual std::optional<Array> value(std::string_view tensor, ModeStep at) = 0;
};

}  // namespace loupe::inline LOUPE_ABI::rules
