#pragma once
/// @file
/// One step of a loop as a scope: it closes itself, also when the loop leaves early or throws.

#include <string_view>
#include <type_traits>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/base/step.hpp"
#include "loupe/capture/recorder.hpp"

namespace loupe::inline LOUPE_ABI {

/// An open step of a hook. Closing publishes what was saved; the destructor closes too and absorbs a failure (counted by
/// the hook). A step that was closed otherwise, by the begin of the next one say, is not closed again. Move-only; same
/// thread rule as the hook, which must outlive it.
template <class HookType>
class [[nodiscard]] StepScope {
 public:
  /// A step that is not captured.
  StepScope() noexcept = default;
  explicit StepScope(HookType& hook) noexcept : hook_(&hook), number_(hook.current_step()) {}
  StepScope(StepScope&& other) noexcept : hook_(std::exchange(other.hook_, nullptr)), number_(other.number_) {}
  StepScope& operator=(StepScope&& other) noexcept {
    std::swap(hook_, other.hook_);
    std::swap(number_, other.number_);
    return *this;
  }
  ~StepScope() {
    if (is_current()) hook_->end_step_quietly();
  }

  /// Whether anything is saved at this step: ask before computing something only to save it.
  [[nodiscard]] bool armed() const noexcept { return hook_ != nullptr && hook_->armed(); }

  /// Offers a tensor, as `Hook::save`. Gives the scope itself to chain calls, or under `Expect` a `result<void>`.
  template <class Tensor>
  LOUPE_ALWAYS_INLINE decltype(auto) save(std::string_view name, const Tensor& tensor) {
    return chain([&] { return hook_->save(name, tensor); });
  }

  /// Saves a number whatever the save configuration says, as `Hook::save_scalar`.
  template <class Number>
  decltype(auto) scalar(std::string_view name, const Number& value, const ScalarOptions& options = {}) {
    return chain([&] { return hook_->save_scalar(name, value, options); });
  }

  /// What the hook's rules make of what was saved so far. Ask it where the answer is needed, say before the update is
  /// applied; what the step saves afterwards is not judged. Nothing at a step at which nothing is due.
  [[nodiscard]] StepVerdict verdict() { return is_current() && hook_->armed() ? hook_->verdict() : StepVerdict(); }

  /// Closes the step now and gives the outcome as the hook's error policy says. Again: nothing.
  auto end() {
    using Outcome = decltype(hook_->end_step());
    HookType* const hook = is_current() ? hook_ : nullptr;
    hook_ = nullptr;
    return hook != nullptr ? hook->end_step() : Outcome();
  }

 private:
  /// Whether the hook's latest step is this one.
  [[nodiscard]] bool is_current() const noexcept { return hook_ != nullptr && hook_->current_step() == number_; }
  template <class Call>
  LOUPE_ALWAYS_INLINE decltype(auto) chain(Call&& call) {
    using Outcome = decltype(call());
    if constexpr (std::is_void_v<Outcome>) {
      if (hook_ != nullptr) call();
      return (*this);
    } else {
      return hook_ != nullptr ? call() : Outcome();
    }
  }

  HookType* hook_ = nullptr;
  Step number_;
};

}  // namespace loupe::inline LOUPE_ABI
