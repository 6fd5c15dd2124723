#pragma once
/// @file
/// The concept that a rank scheme models: which of how many workers this process is.

#include <concepts>
#include <cstdint>

#include "loupe/base/config.hpp"
#include "loupe/base/text.hpp"

namespace loupe::inline LOUPE_ABI {

/// A rank scheme:
/// - `rank()`: the number of this process among the workers, from 0; 0 is the chief;
/// - `world_size()`: how many workers there are;
/// - `worker_name()`: what this worker is called in file names (format.md section 2), `worker_<rank>` as a rule.
template <class Type>
concept RankScheme = requires(const Type& scheme) {
  { scheme.rank() } -> std::same_as<std::int64_t>;
  { scheme.world_size() } -> std::same_as<std::int64_t>;
  { scheme.worker_name() } -> std::same_as<Text>;
};

}  // namespace loupe::inline LOUPE_ABI
