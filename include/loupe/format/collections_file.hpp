#pragma once
/// @file
/// Collections files: the collections of a run and how they were configured (format.md section 7).

#include <cstdint>
#include <string_view>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/select/collection_set.hpp"

namespace loupe::inline LOUPE_ABI::format {

/// What a collections file says.
struct CollectionsFile {
  CollectionSet collections;
  std::int64_t num_workers = 1;  ///< how many workers write such a file, and save tensors
};

/// Reads a collections file; `file` names it in errors. Missing `tensor_names`, patterns and configurations are taken as
/// none, a missing `save_histogram` as true; unknown keys inside a collection are passed over, others are refused, as
/// smdebug does. Errors are `corrupt` with the byte offset.
LOUPE_DECL result<CollectionsFile> read_collections(std::string_view text, std::string_view file);

/// Appends a collections file as smdebug writes it, byte for byte.
LOUPE_DECL void write_collections_file(ByteBuffer& out, const CollectionSet& collections, std::int64_t num_workers);

}  // namespace loupe::inline LOUPE_ABI::format

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/format/collections_file.ipp"
#endif
