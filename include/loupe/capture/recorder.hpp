#pragma once
/// @file
/// The part of a hook that is not a template, as the hook's templates see it.

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/base/mode.hpp"
#include "loupe/base/owner.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/scalar.hpp"
#include "loupe/base/step.hpp"
#include "loupe/base/tensor_view.hpp"
#include "loupe/capture/hook_ref.hpp"
#include "loupe/capture/step_judge.hpp"
#include "loupe/select/known_names.hpp"

namespace loupe::inline LOUPE_ABI {

struct Collection;

/// A tensor that is due in the open step; converts to false when it is not.
struct Selection {
  std::int32_t tensor = -1;
  constexpr explicit operator bool() const noexcept { return tensor >= 0; }
};

/// How a scalar is kept besides its value.
struct ScalarOptions {
  /// Seconds since the epoch; 0: now.
  double timestamp = 0;
};

/// What went wrong so far, and what was given up on.
struct CaptureFailures {
  std::uint64_t count = 0;           ///< failed calls and failed writes
  std::uint64_t dropped_steps = 0;   ///< steps given up: no memory left to wait in, or they could not be written
  std::uint64_t reduced_steps = 0;   ///< steps kept without raw tensors for lack of memory
  Error last;                        ///< the latest failure; meaningful if `count` is not 0
};

/// What was captured so far.
struct CaptureCounts {
  std::uint64_t steps = 0;           ///< steps handed to the writer
  std::uint64_t tensors = 0;         ///< records encoded: raw tensors, reductions, scalars
  std::uint64_t bytes = 0;           ///< bytes of those records
};

/// Records the tensors of one worker's steps and hands them to the writer. One thread at a time.
/// `target.armed` says whether the open step wants anything; ask it before any other call.
class Recorder {
 public:
  Recorder() = default;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  virtual ~Recorder() = default;

  ProbeTarget target;
  KnownNames* known_names = nullptr;  ///< set when `target.armed` is

  virtual result<void> set_mode(Mode mode) = 0;
  virtual result<void> begin_step() = 0;
  virtual result<void> end_step() = 0;
  /// Decides by name, before a view of the tensor is built. `known_names->pass_over` says the same sooner of a tensor that
  /// is not due.
  virtual Selection select(std::string_view name) = 0;
  virtual result<void> record(Selection selection, const TensorView& tensor) = 0;
  virtual result<void> record_scalar(std::string_view name, const TensorView& value, const ScalarOptions& options) = 0;
  virtual result<void> record_custom(std::string_view name, const TensorView& tensor,
                                     std::span<const std::string_view> collections) = 0;
  virtual result<void> flush_custom() = 0;
  virtual result<void> flush() = 0;
  virtual result<void> close() = 0;

  /// Counts a failure that the caller absorbs, and reports it.
  virtual void absorb(Error error) noexcept = 0;
  /// After the last failure: reports how many there were. Again: nothing.
  virtual void summarise() noexcept = 0;
  [[nodiscard]] virtual CaptureFailures failures() const = 0;
  [[nodiscard]] virtual CaptureCounts counts() const = 0;
  [[nodiscard]] virtual Mode mode() const noexcept = 0;
  [[nodiscard]] virtual Step step() const noexcept = 0;
  [[nodiscard]] virtual ModeStep mode_step(Mode mode) const noexcept = 0;
  virtual result<Collection*> collection(std::string_view name) = 0;
  virtual result<void> add_collection(const Collection& collection) = 0;
  /// Whether a tensor belongs to a collection, saved or not.
  [[nodiscard]] virtual bool has_member(std::string_view collection, std::string_view tensor) = 0;

  /// The name of the worker whose steps these are.
  [[nodiscard]] virtual std::string_view worker() const noexcept = 0;

  /// Hands what is saved from the next step on to a judge, too. Refused if there is one already.
  virtual result<void> attach(Owner<StepJudge> judge) = 0;
  /// What the judge makes of the open step, the first time it is asked: what is saved afterwards is not judged. Else what
  /// it made of the step that was judged last; without a judge nothing.
  virtual StepVerdict verdict() = 0;
};

using RecorderOwner = Owner<Recorder>;

}  // namespace loupe::inline LOUPE_ABI
