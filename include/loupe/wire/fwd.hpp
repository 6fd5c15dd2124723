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

enum class WireType : std::uint8_t;
struct Field;
class FieldReader;
class FieldWriter;

enum class PayloadCheck : std::uint8_t;
enum class RecordCheck : std::uint8_t;
struct Record;
class RecordReader;

}  // namespace loupe::inline LOUPE_ABI::wire
