#pragma once
/// @file
/// The local file system as a storage.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/storage/concept.hpp"
#include "loupe/storage/mapped_bytes.hpp"
#include "loupe/storage/storage_watch.hpp"

namespace loupe::inline LOUPE_ABI {

/// What is made sure before an object is published, so that it survives a crash of the machine. A crash of the process
/// alone never harms a published object.
enum class Durability : std::uint8_t {
  none,                ///< what smdebug does
  data,                ///< the file's bytes are on the disk
  data_and_directory,  ///< its name too
};

/// Files below a folder. An object is written to `<key>.tmp` in the same directory, in place of what a crash may have
/// left there, and renamed over `<key>` when it is complete; where several write one key at once, the others write to
/// `<key>.1.tmp` and so on. Keys to write must not end in `.tmp` themselves. Directories are created on demand. A listing
/// passes over `*.tmp`, symbolic links and whatever else is not a file. Copies are independent.
class LocalStorage {
 public:
  /// A file that is being written.
  class Staged {
   public:
    Staged(Staged&& other) noexcept
        : path_(std::move(other.path_)), temporary_(std::move(other.temporary_)), key_(std::move(other.key_)), size_(other.size_),
          descriptor_(std::exchange(other.descriptor_, -1)), durability_(other.durability_) {}
    Staged& operator=(Staged&&) = delete;
    LOUPE_DECL ~Staged();
    LOUPE_DECL result<std::uint64_t> append(std::span<const std::byte> bytes);
    result<void> commit() { return publish(PutMode::replace); }

   private:
    friend LocalStorage;
    Staged(Text path, Text temporary, Text key, int descriptor, Durability durability) noexcept
        : path_(std::move(path)), temporary_(std::move(temporary)), key_(std::move(key)), descriptor_(descriptor), durability_(durability) {}
    LOUPE_DECL result<void> publish(PutMode mode);
    LOUPE_DECL unexpected<Error> failed(std::string_view action);
    LOUPE_DECL void drop() noexcept;
    Text path_;
    Text temporary_;
    Text key_;
    std::uint64_t size_ = 0;
    int descriptor_ = -1;
    Durability durability_;
  };

  /// The folder need not exist; it is created by the first write. An empty text is the working directory.
  explicit LocalStorage(Text root, Durability durability = Durability::none)
      : root_(without_end(std::move(root))), durability_(durability) {}

  static constexpr Capabilities capabilities() noexcept {
    return {.atomic_put = true, .put_if_absent = true, .ordered_list = true, .range_read = true, .append = true, .map = true};
  }
  [[nodiscard]] const Text& name() const noexcept { return root_; }

  LOUPE_DECL result<void> list(std::string_view prefix, std::string_view start_after, ListSink sink) const;
  /// The `*.tmp` files of writers that were interrupted, or are at work.
  LOUPE_DECL result<void> list_unfinished(std::string_view prefix, ListSink sink) const;
  LOUPE_DECL result<ObjectInfo> stat(std::string_view key) const;
  LOUPE_DECL result<void> read(std::string_view key, ByteRange range, ByteBuffer& out) const;
  LOUPE_DECL result<MappedBytes> map(std::string_view key) const;
  LOUPE_DECL result<void> put(std::string_view key, std::span<const std::byte> bytes, PutMode mode) const;
  LOUPE_DECL result<void> remove(std::string_view key) const;
  LOUPE_DECL result<Staged> stage(std::string_view key) const;
  /// Notices what this machine does to files whose keys begin with one of `prefixes`; it uses inotify, a descriptor, and
  /// a watch for each directory that such a file may lie in. Notices nothing where the system has none left.
  LOUPE_DECL StorageWatch watch(std::span<const std::string_view> prefixes) const;

 private:
  /// Without slashes at its end, which would hide the directory that the folder lies in.
  static Text without_end(Text root) {
    std::string_view path = root.view();
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    if (path.empty()) return ".";
    return path.size() == root.size() ? std::move(root) : Text(path);
  }
  result<Text> path_of(std::string_view key) const {
    LOUPE_TRY(check_key(key));
    return Text::join(root_.view(), "/", key);
  }
  Text root_;
  Durability durability_;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/storage/local.ipp"
#include "loupe/storage/local_list.ipp"
#include "loupe/storage/local_watch.ipp"
#include "loupe/storage/local_write.ipp"
#endif
