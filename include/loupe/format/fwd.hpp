#pragma once
/// @file
/// Names of format/.

#include <cstdint>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI::format {

enum class WorkerNames : std::uint8_t;
enum class ColonIndex : std::uint8_t;
struct StepWorker;
struct ReductionName;

struct IndexMeta;
class IndexVisitor;
class IndexWriter;
struct CollectionsFile;

enum class DataType : std::int32_t;
enum class DtypePolicy : std::uint8_t;
struct EventHeader;
struct RecordSpan;
struct TensorMessage;
struct EventMessage;
struct DecodedEvent;
struct SmdebugValue;

}  // namespace loupe::inline LOUPE_ABI::format
