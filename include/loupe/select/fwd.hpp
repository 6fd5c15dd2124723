#pragma once
/// @file
/// Names of select/.

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

class AnyPattern;
struct Collection;
struct CollectionClasses;
class CollectionSet;
struct Decision;
struct DefaultCollection;
struct FrameworkDefaults;
struct KnownName;
struct KnownNames;
struct ModeSaveConfig;
class ModeSaveConfigs;
class NameFilter;
struct NameOrder;
class NameSet;
class NameTable;
class Plan;
struct PlanDefaults;
struct ReductionConfig;
struct SaveConfig;
class StatisticList;
struct TensorId;

}  // namespace loupe::inline LOUPE_ABI
