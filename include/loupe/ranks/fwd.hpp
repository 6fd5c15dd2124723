#pragma once
/// @file
/// Names of ranks/.

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI::ranks {

class Single;
class Explicit;

}  // namespace loupe::inline LOUPE_ABI::ranks
