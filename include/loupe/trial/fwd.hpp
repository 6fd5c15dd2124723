#pragma once
/// @file
/// Names of trial/.

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

struct TrialOptions;
struct NameQuery;
class Snapshot;
class Follower;
class RefreshScope;
class ValueView;
template <class ErrorsType>
class Tensor;
template <class StorageType, class ErrorsType, class ClockType, class StrategyType, class CompatibilityType, class PatternsType,
          class CompletenessType>
class BasicTrial;

}  // namespace loupe::inline LOUPE_ABI
