#pragma once
/// @file
/// Names of wire/.

#include <cstdint>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI::wire {

enum class JsonType : std::uint8_t;
struct JsonOptions;
class JsonReader;
class JsonWriter;

}  // namespace loupe::inline LOUPE_ABI::wire
