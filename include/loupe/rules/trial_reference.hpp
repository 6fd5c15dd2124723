#pragma once
/// @file
/// A trial as the other run that a rule compares with.

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/rules/reference_run.hpp"
#include "loupe/trial/trial_core.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// The values of a trial: `std::make_shared<TrialReference>(trial.core().value())`.
class TrialReference final : public ReferenceRun {
 public:
  explicit TrialReference(std::shared_ptr<TrialCore> trial) noexcept : trial_(std::move(trial)) {}
  std::optional<Array> value(std::string_view tensor, ModeStep at) override {
    const auto found = trial_->find(tensor);
    if (!found || *found == nullptr) return std::nullopt;
    const auto seen = trial_->tensors().value(*found, at, {});
    if (!seen) return std::nullopt;
    auto copy = seen->copy();
    return copy ? std::optional(*std::move(copy)) : std::nullopt;
  }

 private:
  std::shared_ptr<TrialCore> trial_;
};

}  // namespace loupe::inline LOUPE_ABI::rules
