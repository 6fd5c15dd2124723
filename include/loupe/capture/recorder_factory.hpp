#pragma once
/// @file
/// Makes the recorder of a hook: where its policies become objects.

#include <concepts>
#include <type_traits>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/capture/fwd.hpp"
#include "loupe/capture/recorder_parts.hpp"

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
  static result<RecorderOwner> make(const HookConfig& config, Parts&&... parts) {
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
    return make_recorder(config, std::move(made));
  }

  /// As `make`, for a constructor; see `recorder_or_idle`.
  template <class StorageType, class RanksType, class ClockType, class ExecutorType, class ErrorsType, class... Parts>
  static RecorderOwner construct(const HookConfig& config, Parts&&... parts) {
    auto made = make<StorageType, RanksType, ClockType, ExecutorType>(config, std::forward<Parts>(parts)...);
    return recorder_or_idle(std::move(made), config.report, !ErrorsType::counts);
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
      if (out_dir.empty()) return refuse_empty_out_dir();
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
};

#ifdef LOUPE_SEPARATE_COMPILATION
// The commonest choice is compiled once.
extern template result<RecorderOwner>
RecorderFactory<Fused, compat::Native>::make<LocalStorage, ranks::Single, SystemClock, ThreadExecutor>(const HookConfig&);
#endif

}  // namespace loupe::inline LOUPE_ABI::detail
