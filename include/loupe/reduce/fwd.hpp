#pragma once
/// @file
/// Names of reduce/.

#include <cstdint>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

enum class Statistic : std::uint8_t;
class StatisticSet;
struct ReducedValues;
class Fused;
class NumpyDefinitions;
class TorchDefinitions;
template <class Base, class... Reductions>
class WithCustom;
struct Histogram;

}  // namespace loupe::inline LOUPE_ABI
