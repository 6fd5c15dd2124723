#pragma once
/// @file
/// Reads index files into snapshots, each file once.

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/select/name_table.hpp"
#include "loupe/storage/any_storage.hpp"
#include "loupe/trial/index_block.hpp"
#include "loupe/trial/snapshot.hpp"

namespace loupe::inline LOUPE_ABI {

/// Global steps `begin <= step < end`; an end that is not given is no limit.
struct StepRange {
  std::optional<std::int64_t> begin = {};
  std::optional<std::int64_t> end = {};

  [[nodiscard]] bool contains(std::int64_t step) const noexcept {
    return (!begin || step >= *begin) && (!end || step < *end);
  }
  /// Refuses negative limits and a begin that is not less than the end.
  [[nodiscard]] LOUPE_DECL result<void> validate() const;
};

/// What a catalog must know about a trial before it reads the first index file.
struct CatalogSettings {
  StepRange range = {};
  ReaderQuirks quirks = {};
  std::uint32_t required_workers = 1;    ///< how many must have written a step for it to be complete
  std::int64_t incomplete_window = 1000; ///< so many incomplete steps are waited for
  Text last_worker = {};                   ///< the lexicographically last of the trial's workers
};

/// The name of a worker in the names of files: of a device the escaped form, else the name itself.
LOUPE_DECL Text worker_in_files(std::string_view worker);

/// The name under which a trial keeps a reduction: `min`, `abs_min`, ….
LOUPE_DECL Text full_reduction_name(std::string_view operation, bool absolute);

/// The index files of a trial. Reading goes by `read`, in passes; each lists what is new since the last one. Files that
/// can't be used are passed over and reported by the snapshot, and read again when they have changed.
/// For one thread at a time; the snapshots may be shared with any.
class Catalog {
 public:
  LOUPE_DECL Catalog(AnyStorage storage, CatalogSettings settings);

  /// One pass over the files that are new. An error if they can't be listed.
  LOUPE_DECL result<void> read();
  /// Says that the run has ended and no more files will come.
  LOUPE_DECL void finish();
  /// The state after the last pass; the same object if nothing has changed since.
  [[nodiscard]] LOUPE_DECL std::shared_ptr<const Snapshot> snapshot();

 private:
  struct Names {
    std::deque<Interned> tensors;
    std::deque<Interned> workers;
    std::deque<Interned> original_names;
  };
  /// Numbers of tensors, and what the framework calls them.
  using OriginalNames = std::vector<std::pair<std::uint32_t, Text>>;
  struct RawName {
    std::uint32_t tensor = 0;
    std::uint16_t part = value_part;
    std::uint32_t batch = 0;          ///< the last batch that held the name,
    std::uint32_t place_in_batch = 0; ///< and its place among the names of that batch
  };
  struct NewBlock {
    std::shared_ptr<IndexBlock> block;
    std::uint32_t first_name = UINT32_MAX;  ///< the smallest `place_in_batch` of its names
    OriginalNames original_names;           ///< those that are news
  };
  struct FailedFile {
    bool is_damaged = false;  ///< it says what can't be; else it could not be read
    std::uint64_t generation = 0;
    Error error;
  };
  class Reader;

  result<std::vector<std::string>> list_new();
  std::uint64_t generation(const std::string& key) const;
  result<void> read_batch(std::vector<NewBlock>& batch);
  result<std::optional<NewBlock>> read_file(const std::string& key);
  const Interned* worker(std::string_view name);
  result<std::uint32_t> raw_name(std::string_view name);
  result<std::uint16_t> reduction_part(std::string_view operation, bool absolute);
  void apply(std::vector<NewBlock>& batch);
  void claim(const IndexBlock& block);
  void add(const std::shared_ptr<IndexBlock>& block);
  void note_tensors(const IndexBlock& block, const OriginalNames& original_names);
  void advance();
  void set_token(std::int64_t step);
  void refuse(const std::string& key, Error error);

  AnyStorage storage_;
  CatalogSettings settings_;
  Snapshot working_;
  std::shared_ptr<const Snapshot> published_;
  std::shared_ptr<Names> names_ = std::make_shared<Names>();
  std::uint64_t edition_ = 1;
  bool changed_ = true;

  NameTable raw_names_;
  std::vector<RawName> raw_infos_;
  NameTable tensor_names_;
  std::vector<TensorRecord> known_tensors_;
  NameTable worker_names_;
  NameTable original_names_;
  std::uint32_t batch_ = 0;
  std::uint32_t names_in_batch_ = 0;
  std::uint32_t files_read_ = 0;

  Text list_from_;                           ///< where the next pass begins to list
  std::set<std::string, std::less<>> seen_;  ///< keys at or after `list_from_`
  std::map<std::string, FailedFile, std::less<>> failed_;
  std::optional<std::int64_t> token_step_;
  ByteBuffer text_;
  std::vector<IndexEntry> entries_;
  std::vector<std::int64_t> extents_;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/trial/catalog.ipp"
#endif
