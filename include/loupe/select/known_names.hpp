#pragma once
/// @file
/// The part of a plan that a hook asks before anything else.

#include <cstdint>
#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/select/name_table.hpp"

namespace loupe::inline LOUPE_ABI {

/// The names a plan knows and which of them the open step wants.
class KnownNames {
 public:
  /// Whether the name came in its usual place and the step doesn't want it: then it is done with. If not, ask the plan.
  LOUPE_ALWAYS_INLINE bool pass_over(std::string_view name) noexcept { return table_.pass_over(name, is_wanted_); }

 private:
  friend class Plan;
  NameTable table_;                           ///< a name's tag: which of the plan's memberships it has
  const std::uint8_t* is_wanted_ = nullptr;   ///< by membership, at the open step
};

}  // namespace loupe::inline LOUPE_ABI
