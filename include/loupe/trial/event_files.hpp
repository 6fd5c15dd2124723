#pragma once
/// @file
/// Records of event files, read in place where the storage can map.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string_view>
#include <vector>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/function_ref.hpp"
#include "loupe/base/result.hpp"
#include "loupe/storage/any_storage.hpp"
#include "loupe/trial/follower.hpp"
#include "loupe/trial/index_block.hpp"

namespace loupe::inline LOUPE_ABI {

/// A record's payload. Bytes and file name live as long as the owner.
struct EventPayload {
  std::span<const std::byte> bytes;
  std::string_view file;     ///< key of the event file
  std::uint64_t offset = 0;  ///< of the payload in the file
  std::shared_ptr<const void> owner;
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
  /// An event file, mapped, or a piece of one, read.
  struct Opened {
    Text key;
    MappedBytes mapped;
    ByteBuffer buffer;
  };
  struct Recent {
    const IndexBlock* block = nullptr;
    std::shared_ptr<const Opened> file;
    std::uint64_t last_use = 0;
  };
  result<std::span<const std::byte>> record(const IndexBlock& block, const IndexEntry& entry, std::shared_ptr<const Opened>& file);
  result<void> wait_for(const IndexBlock& block, const Text& key, FunctionRef<bool()> is_there);
  std::shared_ptr<const Opened> recent(const IndexBlock& block);
  void remember(const IndexBlock& block, std::shared_ptr<const Opened> file);
  result<bool> was_skipped(const IndexBlock& block, std::string_view key);

  AnyStorage storage_;
  Settings settings_;
  std::mutex mutex_;  ///< guards the members below
  std::vector<Recent> recent_;
  std::uint64_t uses_ = 0;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/trial/event_files.ipp"
#endif
