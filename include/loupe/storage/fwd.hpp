#pragma once
/// @file
/// Names of storage/.

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

struct ByteRange;
struct Capabilities;
struct ObjectInfo;
class AnyStorage;
class LocalStorage;
class MappedBytes;
class MemoryStorage;
class StorageWatch;
template <class StorageType>
class FaultStorage;

}  // namespace loupe::inline LOUPE_ABI
