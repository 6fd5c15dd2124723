#pragma once
/// @file
/// The names of the compatibility policies. Each layer keeps its own list of differences, keyed by these types.

#include <type_traits>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI::compat {

/// loupe's own behaviour: smdebug's files and calls, without its defects.
struct Native {};

/// smdebug 1.0.34 as it is, defects included: for conformance tests, and for tools that rely on them.
struct Smdebug {};

/// A compatibility policy: `Native` or `Smdebug`.
template <class Policy>
concept Compatibility = std::is_same_v<Policy, Native> || std::is_same_v<Policy, Smdebug>;

}  // namespace loupe::inline LOUPE_ABI::compat
