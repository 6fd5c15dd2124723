#pragma once
/// @file
/// One process alone.

#include <cstdint>

#include "loupe/base/config.hpp"
#include "loupe/base/text.hpp"

namespace loupe::inline LOUPE_ABI::ranks {

/// The only worker: `worker_0` of 1.
class Single {
 public:
  [[nodiscard]] std::int64_t rank() const noexcept { return 0; }
  [[nodiscard]] std::int64_t world_size() const noexcept { return 1; }
  [[nodiscard]] Text worker_name() const { return "worker_0"; }
};

}  // namespace loupe::inline LOUPE_ABI::ranks
