#pragma once
/// @file
/// Names of capture/.

#include "loupe/base/config.hpp"
#include "loupe/ranks/fwd.hpp"
#include "loupe/reduce/fwd.hpp"
#include "loupe/storage/fwd.hpp"

namespace loupe::inline LOUPE_ABI {

class SystemClock;
class ThreadExecutor;
struct Collection;
struct HookConfig;
class Recorder;
class HookRef;
struct NullHook;

template <class FrameworkType, class StorageType, class RanksType, class StrategyType, class ErrorsType, class ClockType,
          class ExecutorType, class CompatibilityType>
class BasicHook;

namespace detail {
template <class StrategyType, class CompatibilityType>
struct RecorderFactory;
}

}  // namespace loupe::inline LOUPE_ABI
