#pragma once
/// @file
/// A hook that is not there: the interface of `Hook` with nothing behind it.

#include <span>
#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/base/mode.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/step.hpp"
#include "loupe/capture/fwd.hpp"
#include "loupe/capture/hook_ref.hpp"
#include "loupe/capture/recorder.hpp"
#include "loupe/select/collection.hpp"

namespace loupe::inline LOUPE_ABI {

/// A step of a `NullHook`.
struct [[nodiscard]] NullStep {
  constexpr NullStep() noexcept {}
  constexpr ~NullStep() {}
  [[nodiscard]] static constexpr bool armed() noexcept { return false; }
  template <class Tensor>
  constexpr NullStep& save(std::string_view, const Tensor&) noexcept {
    return *this;
  }
  template <class Number>
  constexpr NullStep& scalar(std::string_view, const Number&, const ScalarOptions& = {}) noexcept {
    return *this;
  }
  [[nodiscard]] static constexpr StepVerdict verdict() noexcept { return {}; }
  constexpr void end() noexcept {}
};

/// Stands for the pointer to a hook's collection; changes to it have no effect.
class NullCollection {
 public:
  explicit NullCollection(std::string_view name) : ignored_{.name = name} {}
  Collection& operator*() noexcept { return ignored_; }
  Collection* operator->() noexcept { return &ignored_; }

 private:
  Collection ignored_;
};

/// Takes the place of a hook where capture is switched off at compile time: every call is empty and compiles to nothing.
struct NullHook {
  using Step = NullStep;
  constexpr NullHook() noexcept = default;
  /// Takes what a hook is constructed from, and looks at none of it.
  template <class... Parts>
  constexpr explicit NullHook(const HookConfig&, Parts&&...) noexcept {}
  template <class... Parts>
  static result<NullHook> create(const HookConfig&, Parts&&...) {
    return NullHook();
  }

  constexpr void set_mode(Mode) noexcept {}
  static constexpr NullStep step() noexcept { return {}; }
  static constexpr NullStep step(Mode) noexcept { return {}; }
  constexpr void begin_step() noexcept {}
  constexpr void end_step() noexcept {}
  constexpr void end_step_quietly() noexcept {}
  [[nodiscard]] static constexpr bool armed() noexcept { return false; }
  template <class Tensor>
  constexpr void save(std::string_view, const Tensor&) noexcept {}
  template <class Number>
  constexpr void save_scalar(std::string_view, const Number&, const ScalarOptions& = {}) noexcept {}
  template <class Tensor>
  constexpr void save_tensor(std::string_view, const Tensor&, std::span<const std::string_view> = {}) noexcept {}
  constexpr void flush_custom() noexcept {}

  /// What a hook gives a pointer to, to be changed in vain.
  [[nodiscard]] static NullCollection collection(std::string_view name) { return NullCollection(name); }
  constexpr void add_collection(const Collection&) noexcept {}

  template <class... Rules>
  constexpr void rules(Rules&&...) noexcept {}
  [[nodiscard]] static constexpr StepVerdict verdict() noexcept { return {}; }
  constexpr void flush() noexcept {}
  constexpr void close() noexcept {}
  [[nodiscard]] static constexpr HookRef ref() noexcept { return {}; }
  [[nodiscard]] static CaptureFailures failures() { return {}; }
  [[nodiscard]] static constexpr CaptureCounts counts() noexcept { return {}; }
  [[nodiscard]] static constexpr Mode mode() noexcept { return Mode::global; }
  /// -1: no step is ever begun.
  [[nodiscard]] static constexpr loupe::Step current_step() noexcept { return loupe::Step(-1); }
  [[nodiscard]] static constexpr ModeStep current_step(Mode mode) noexcept { return {mode, -1}; }
};

}  // namespace loupe::inline LOUPE_ABI
