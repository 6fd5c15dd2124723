#pragma once
/// @file
/// Records of event files, read in place where the storage can map.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/storage/any_storage.hpp"
#include "loupe/trial/follower.hpp"
#include "loupe/trial/index_block.hpp"

namespace loupe::inline LOUPE_ABI {

/// A record's payload and what keeps it alive.
struct EventPayload {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
  Text file;                    ///< key of the event file
  std::uint64_t offset = 0;     ///< of the payload in the file
};

/// The event files of a trial. Mapped ones stay mapped while they are among the last that were used. Any thread.
class EventFiles {
 public:
  struct Settings {
    WaitSettings wait;
    std::int64_t missing_deadline = 0;  ///< nanoseconds to wait for a file that the index names but isn't there
    std::size_t mapped_files = 64;
    bool constant_check_word_only = false;
  };
  LOUPE_DECL EventFiles(AnyStorage storage, Settings settings);

  /// The payload of an entry's record. `not_found` if the file is missing and won't come any more (format.md 10.3),
  /// `corrupt` if the file doesn't hold the record that the index says.
  LOUPE_DECL result<EventPayload> payload(const IndexBlock& block, const IndexEntry& entry);

 private:
  struct Mapped {
    const IndexBlock* block = nullptr;
    MappedBytes bytes;
    std::uint64_t last_use = 0;
  };
  result<std::span<const std::byte>> record(const IndexBlock& block, const IndexEntry& entry, EventPayload& out);
  std::optional<MappedBytes> cached(const IndexBlock& block);
  void remember(const IndexBlock& block, const MappedBytes& bytes);
  result<bool> was_skipped(const IndexBlock& block, std::string_view key);

  AnyStorage storage_;
  Settings settings_;
  std::mutex mutex_;  ///< guards the members below
  std::vector<Mapped> mapped_;
  std::uint64_t uses_ = 0;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/trial/event_files.ipp"
#endif
