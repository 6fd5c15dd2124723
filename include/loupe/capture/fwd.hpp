#pragma once
/// @file
/// Names of capture/, and what a hook takes when a policy is not named.

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

class LocalStorage;
class Fused;
class SystemClock;
class ThreadExecutor;
namespace ranks {
class Single;
}

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
