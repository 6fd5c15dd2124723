#pragma once
/// @file
/// Event records as smdebug's reader decodes them, defects included (format.md 4.4 to 4.6): what `compat::Smdebug` reads.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/format/event.hpp"

namespace loupe::inline LOUPE_ABI::format {

/// What smdebug's reader answers.
struct SmdebugValue {
  DecodedEvent event;     ///< with the type, shape and elements that smdebug gives
  bool has_shape = true;  ///< false for Python's `None`, then there is no tensor, and for a bare Python `bool`
};

/// Reads a record's payload as smdebug does:
///
/// - int8 is taken for uint8; int16, uint16, uint32, uint64, complex64, bfloat16 and quantized types are missing;
/// - strings have no element type and rank 1;
/// - typed fields are read for int32, int64, float32 and bool only, and their shape is forgotten; no integers are `None`,
///   and any truth values are the single value true.
///
/// Where Python raises, the error's kind says what: `unsupported` KeyError, `invalid_type` SMDebugTypeError,
/// `invalid_argument` SMDebugValueError, `corrupt` ValueError (or what protobuf raises).
LOUPE_DECL result<SmdebugValue> decode_event_as_smdebug(std::span<const std::byte> payload, std::string_view file,
                                                        std::int64_t offset);

}  // namespace loupe::inline LOUPE_ABI::format

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/format/smdebug_compat.ipp"
#endif
