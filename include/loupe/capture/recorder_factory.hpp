#pragma once
/// @file
/// Makes the recorder of a hook: where its policies become objects.

#include <concepts>
#include <type_traits>
#include <utility>

#include "loupe/base/any_clock.hpp"
#include "loupe/base/any_executor.hpp"
#include "loupe/base/error_policy.hpp"
#include "loupe/capture/configuration.hpp"
#include "loupe/capture/fwd.hpp"
#include "loupe/capture/idle_recorder.hpp"
#include "loupe/capture/quirks.hpp"
#include "loupe/capture/step_recorder.hpp"
#include "loupe/reduce/strategy.hpp"
#include "loupe/storage/any_storage.hpp"

namespace loupe::inline LOUPE_ABI::detail {

/// The object of type `Wanted` among the parts, moved or copied out; `fallback()` if there is none.
template <class Wanted, class Fallback>
auto take_part(Fallback&& fallback) {
  return fallback();
}
template <class Wanted, class Fallback, class First, class... Rest>
auto take_part(Fallback&& fallback, First&& first, Rest&&... rest) {
  if constexpr (std::same_as<std::remove_cvref_t<First>, Wanted>)
    return Wanted(std::forward<First>(first));
  else
    return take_part<Wanted>(std::forward<Fallback>(fallback), std::forward<Rest>(rest)...);
}

template <class StrategyType, class CompatibilityType>
struct RecorderFactory {
  template <class StorageType, class RanksType, class ClockType, class ExecutorType, class... Parts>
  static result<RecorderOwner> make(HookConfig config, Parts&&... parts) {
    // A policy that can't be made from nothing has to be among the parts; then its fallback is never looked into.
    const RanksType ranks = take_part<RanksType>([]<class Type = RanksType>() { return Type(); }, parts...);
    LOUPE_ASSIGN(AnyStorage storage, make_storage<StorageType>(config.out_dir, parts...));
    RecorderParts made{
        .storage = std::move(storage),
        .executor = make_executor<ExecutorType>(std::forward<Parts>(parts)...),
        .clock = AnyClock(take_part<ClockType>([]<class Type = ClockType>() { return Type(); }, std::forward<Parts>(parts)...)),
        .worker = ranks.worker_name(),
        .rank = ranks.rank(),
        .world_size = ranks.world_size(),
        .reduce = &reduce_tensor<StrategyType>,
        .quirks = capture_quirks<CompatibilityType>,
    };
    return StepRecorder::make(std::move(config), std::move(made));
  }

  /// As `make`, for a constructor: a mistake of the caller's is thrown, and so is everything under `Throw`; what the
  /// world did (no such disk, no permission) makes the hook stand aside. Without exceptions it always stands aside.
  template <class StorageType, class RanksType, class ClockType, class ExecutorType, class ErrorsType, class... Parts>
  static RecorderOwner construct(HookConfig config, Parts&&... parts) {
    const ReportSink report = config.report;
    auto recorder = make<StorageType, RanksType, ClockType, ExecutorType>(std::move(config), std::forward<Parts>(parts)...);
    if (recorder) return *std::move(recorder);
#if LOUPE_HAS_EXCEPTIONS
    if (!ErrorsType::counts || is_callers_mistake(recorder.error().kind)) throw_error(std::move(recorder).error());
#endif
    return RecorderOwner(new IdleRecorder(report, std::move(recorder).error()));
  }

 private:
  /// The storage that was handed in, else one that is made from the configured folder.
  template <class StorageType, class... Parts>
  static result<AnyStorage> make_storage(const Text& out_dir, const Parts&... parts) {
    if constexpr ((std::same_as<Parts, StorageType> || ...)) {
      return AnyStorage(take_part<StorageType>([] {}, parts...));
    } else {
      static_assert(std::constructible_from<StorageType, Text>,
                    "loupe::Hook: a storage that isn't made from HookConfig::out_dir must be handed to the constructor");
      if (out_dir.empty())
        return fail(ErrorKind::invalid_argument, "out_dir", "it is empty; a hook needs a folder to write its trial to");
      return AnyStorage(StorageType(out_dir));
    }
  }
  /// Executors that own a thread don't move: they are made in place, and can't be handed in.
  template <class ExecutorType, class... Parts>
  static AnyExecutor make_executor(Parts&&... parts) {
    if constexpr (std::move_constructible<ExecutorType>)
      return AnyExecutor(take_part<ExecutorType>([] { return ExecutorType(); }, std::forward<Parts>(parts)...));
    else
      return AnyExecutor(std::in_place_type<ExecutorType>);
  }
  static constexpr bool is_callers_mistake(ErrorKind kind) noexcept {
    return kind == ErrorKind::invalid_argument || kind == ErrorKind::invalid_type || kind == ErrorKind::invalid_state ||
           kind == ErrorKind::invalid_collection_configuration || kind == ErrorKind::unsupported;
  }
};

}  // namespace loupe::inline LOUPE_ABI::detail
