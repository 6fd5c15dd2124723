#pragma once
/// @file
/// Records of TensorBoard files: scalars and histograms, with true checksums (format.md section 9).

#include <cstdint>
#include <string_view>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/reduce/fwd.hpp"

namespace loupe::inline LOUPE_ABI::format {

/// Appends the record with which TensorFlow's own files begin: format version 2. smdebug writes none.
LOUPE_DECL void append_version_record(ByteBuffer& out, double wall_time);

/// Appends a scalar's record. `tag` is a cleaned name (`clean_tag`); `invalid_argument` if it isn't UTF-8.
LOUPE_DECL result<void> append_scalar_summary(ByteBuffer& out, double wall_time, std::int64_t step,
                                              std::string_view tag, float value);

/// Appends a histogram's record. `tag` is a cleaned `<collection>/<tensor>`; `invalid_argument` if it isn't UTF-8.
LOUPE_DECL result<void> append_histogram_summary(ByteBuffer& out, double wall_time, std::int64_t step,
                                                 std::string_view tag, const Histogram& histogram);

}  // namespace loupe::inline LOUPE_ABI::format

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/format/tensorboard.ipp"
#endif
