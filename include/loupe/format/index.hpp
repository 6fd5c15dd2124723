#pragma once
/// @file
/// Index files: which records of which event file are whose (format.md section 6).

#include <cstdint>
#include <string_view>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/mode.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/shape.hpp"
#include "loupe/wire/json_writer.hpp"

namespace loupe::inline LOUPE_ABI::format {

/// What an index file says of the step as a whole.
struct IndexMeta {
  Mode mode = Mode::global;
  std::int64_t mode_step = 0;
  /// Key of the event file, relative to the trial; empty if only shapes were saved.
  std::string_view event_file_name;
};

/// Takes the parts of an index document. Texts are valid during the call. An error ends the parsing.
class IndexVisitor {
 public:
  /// Called once, before or after the entries: as the document has it.
  virtual result<void> meta(const IndexMeta& meta) = 0;
  /// A record of the event file: `length` bytes from byte `start` on, framing included.
  virtual result<void> tensor(std::string_view name, std::uint64_t start, std::uint64_t length) = 0;
  virtual result<void> shape(std::string_view name, std::string_view original_name, const Shape& shape) = 0;

 protected:
  ~IndexVisitor() = default;
};

/// Reads an index document; `file` names it in errors. Accepts any key order, unknown keys, raw UTF-8, and documents
/// without `shape_payload` (of old). Errors are `index_reader` with the byte offset: no JSON, no or empty `meta`, neither
/// payload, an unknown mode, records without an event file, numbers below 0, an event file outside of the trial.
/// A negative `mode_step` is handed on: smdebug writes it, and the visitor must decide.
LOUPE_DECL result<void> parse_index(std::string_view text, std::string_view file, IndexVisitor& visitor);

/// Appends an index document to a buffer as smdebug writes it, byte for byte. All tensors come before the first shape.
class IndexWriter {
 public:
  /// An empty `event_file_name` says that there are only shapes.
  LOUPE_DECL IndexWriter(ByteBuffer& out, Mode mode, std::int64_t mode_step, std::string_view event_file_name);
  LOUPE_DECL void tensor(std::string_view name, std::uint64_t start, std::uint64_t length);
  LOUPE_DECL void shape(std::string_view name, std::string_view original_name, const Shape& shape);
  /// Completes the document.
  LOUPE_DECL void finish();

 private:
  LOUPE_DECL void begin_shapes();
  wire::JsonWriter json_;
  bool in_shapes_ = false;
};

}  // namespace loupe::inline LOUPE_ABI::format

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/format/index.ipp"
#endif
