#pragma once
/// @file
/// A storage in the process's memory: for tests, and for analysis beside the training.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/storage/concept.hpp"
#include "loupe/storage/mapped_bytes.hpp"
#include "loupe/storage/storage_watch.hpp"

namespace loupe::inline LOUPE_ABI {

/// Objects in memory. Copies share them.
class MemoryStorage {
 public:
  class Staged;

  MemoryStorage() : objects_(std::make_shared<Objects>()) {}

  static constexpr Capabilities capabilities() noexcept {
    return {.atomic_put = true, .put_if_absent = true, .ordered_list = true, .range_read = true, .map = true};
  }
  [[nodiscard]] Text name() const { return "memory"; }

  result<void> list(std::string_view prefix, std::string_view start_after, ListSink sink) const {
    std::string last(start_after);
    bool is_first = last < prefix || last.empty();
    while (true) {
      ObjectInfo info;
      {
        // One object a lock: the sink may call the storage.
        const std::lock_guard lock(objects_->mutex);
        const auto next = is_first ? objects_->by_key.lower_bound(prefix) : objects_->by_key.upper_bound(last);
        if (next == objects_->by_key.end() || !next->first.starts_with(prefix)) return {};
        last = next->first;
        info = {last, next->second.bytes->size(), next->second.generation};
      }
      is_first = false;
      if (!sink(info)) return {};
    }
  }
  result<ObjectInfo> stat(std::string_view key) const {
    LOUPE_ASSIGN(const Object object, find(key));
    return ObjectInfo{key, object.bytes->size(), object.generation};
  }
  result<void> read(std::string_view key, ByteRange range, ByteBuffer& out) const {
    LOUPE_ASSIGN(const Object object, find(key));
    const auto bytes = std::as_const(*object.bytes).bytes();
    if (range.offset > bytes.size()) return fail(ErrorKind::invalid_argument, key, "the offset lies behind the object's end");
    const auto rest = bytes.subspan(static_cast<std::size_t>(range.offset));
    out.append(rest.first(static_cast<std::size_t>(range.length < rest.size() ? range.length : rest.size())));
    return {};
  }
  result<MappedBytes> map(std::string_view key) const {
    LOUPE_ASSIGN(Object object, find(key));
    const auto bytes = std::as_const(*object.bytes).bytes();
    return MappedBytes(bytes, std::move(object.bytes));
  }
  result<void> put(std::string_view key, std::span<const std::byte> bytes, PutMode mode) {
    ByteBuffer copy;
    copy.append(bytes);
    return publish(key, std::move(copy), mode);
  }
  result<void> remove(std::string_view key) {
    LOUPE_TRY(check_key(key));
    const std::lock_guard lock(objects_->mutex);
    const auto found = objects_->by_key.find(key);
    if (found == objects_->by_key.end()) return {};
    objects_->by_key.erase(found);
    objects_->tell_watches(key);
    return {};
  }
  result<Staged> stage(std::string_view key);
  /// Notices changes of objects whose keys begin with one of `prefixes`.
  [[nodiscard]] StorageWatch watch(std::span<const std::string_view> prefixes) const {
    auto watched = std::make_shared<Watched>();
    watched->prefixes.assign(prefixes.begin(), prefixes.end());
    const std::lock_guard lock(objects_->mutex);
    objects_->watches.push_back(watched);
    return StorageWatch(std::make_unique<Source>(std::move(watched)));
  }

 private:
  struct Object {
    std::shared_ptr<const ByteBuffer> bytes;
    std::uint64_t generation = 0;
  };
  /// What a watch is for, and whether something has happened to it.
  struct Watched {
    std::vector<std::string> prefixes;
    Interrupt change;
  };
  class Source final : public StorageWatch::Source {
   public:
    explicit Source(std::shared_ptr<Watched> watched) noexcept : watched_(std::move(watched)) {}
    int descriptor() noexcept override { return watched_->change.descriptor(); }
    bool take() override { return watched_->change.reset(); }

   private:
    std::shared_ptr<Watched> watched_;
  };
  struct Objects {
    void tell_watches(std::string_view key) {
      std::erase_if(watches, [key](const std::weak_ptr<Watched>& watch) {
        const auto watched = watch.lock();
        if (watched == nullptr) return true;
        for (const std::string& prefix : watched->prefixes)
          if (key.starts_with(prefix)) watched->change.request();
        return false;
      });
    }
    std::mutex mutex;
    std::map<std::string, Object, std::less<>> by_key;
    std::uint64_t last_generation = 0;
    std::vector<std::weak_ptr<Watched>> watches;
  };
  result<Object> find(std::string_view key) const {
    LOUPE_TRY(check_key(key));
    const std::lock_guard lock(objects_->mutex);
    const auto found = objects_->by_key.find(key);
    if (found == objects_->by_key.end()) return fail(ErrorKind::not_found, key, "there is no such object");
    return found->second;
  }
  result<void> publish(std::string_view key, ByteBuffer bytes, PutMode mode) {
    LOUPE_TRY(check_key(key));
    auto shared = std::make_shared<const ByteBuffer>(std::move(bytes));
    const std::lock_guard lock(objects_->mutex);
    const auto [place, is_new] = objects_->by_key.try_emplace(std::string(key));
    if (!is_new && mode == PutMode::if_absent) return fail(ErrorKind::already_exists, key, "there is such an object");
    place->second = {std::move(shared), ++objects_->last_generation};
    objects_->tell_watches(key);
    return {};
  }

  std::shared_ptr<Objects> objects_;
};

/// An object that is being written.
class MemoryStorage::Staged {
 public:
  result<std::uint64_t> append(std::span<const std::byte> bytes) {
    if (is_committed_) return committed();
    const std::uint64_t offset = bytes_.size();
    bytes_.append(bytes);
    return offset;
  }
  result<void> commit() {
    if (is_committed_) return committed();
    is_committed_ = true;
    return storage_.publish(key_, std::move(bytes_), PutMode::replace);
  }

 private:
  friend MemoryStorage;
  Staged(MemoryStorage storage, std::string_view key) : storage_(std::move(storage)), key_(key) {}
  [[nodiscard]] unexpected<Error> committed() const { return fail(ErrorKind::invalid_state, key_, "it was committed before"); }
  MemoryStorage storage_;
  std::string key_;
  ByteBuffer bytes_;
  bool is_committed_ = false;
};

inline result<MemoryStorage::Staged> MemoryStorage::stage(std::string_view key) {
  LOUPE_TRY(check_key(key));
  return Staged(*this, key);
}

}  // namespace loupe::inline LOUPE_ABI
