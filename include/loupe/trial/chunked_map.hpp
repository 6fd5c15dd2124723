#pragma once
/// @file
/// A sorted map whose copies share what they have in common: the form in which snapshots hold their tables.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// Records sorted by `record.key()`, in chunks of at most `chunk_capacity` that copies of the map share. An edit copies
/// only the chunk that it changes, and only the first time: `edition` names the editor, and chunks made under the same
/// edition are its own. Copying a map costs one pointer a chunk. Copies may be read by any threads; a map is edited by
/// one thread that owns it, under an edition that no other map has.
template <class Record, std::size_t chunk_capacity = 64>
class ChunkedMap {
 public:
  using Key = decltype(std::declval<const Record&>().key());

  /// A place in a map; valid until the map is edited.
  struct Position {
    std::size_t chunk = 0;
    std::size_t index = 0;
    friend bool operator==(Position, Position) noexcept = default;
  };

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] Position begin() const noexcept { return {}; }
  [[nodiscard]] Position end() const noexcept { return {chunks_.size(), 0}; }
  [[nodiscard]] const Record& operator[](Position at) const noexcept { return chunks_[at.chunk]->records[at.index]; }
  /// The last record; the map must not be empty.
  [[nodiscard]] const Record& back() const noexcept { return chunks_.back()->records.back(); }

  [[nodiscard]] Position next(Position at) const noexcept {
    return ++at.index < chunks_[at.chunk]->records.size() ? at : Position{at.chunk + 1, 0};
  }
  /// The place before `at`, which must not be `begin()`.
  [[nodiscard]] Position previous(Position at) const noexcept {
    if (at.index > 0) return {at.chunk, at.index - 1};
    return {at.chunk - 1, chunks_[at.chunk - 1]->records.size() - 1};
  }

  /// The first place whose key is not less than `key`.
  [[nodiscard]] Position lower_bound(Key key) const noexcept {
    std::size_t first = 0;
    std::size_t last = chunks_.size();
    while (first < last) {
      const std::size_t middle = first + (last - first) / 2;
      if (chunks_[middle]->records.back().key() < key)
        first = middle + 1;
      else
        last = middle;
    }
    if (first == chunks_.size()) return end();
    return {first, lower_index(chunks_[first]->records, key)};
  }
  /// The record of a key, or null.
  [[nodiscard]] const Record* find(Key key) const noexcept {
    const Position at = lower_bound(key);
    if (at == end()) return nullptr;
    const Record& record = (*this)[at];
    return record.key() == key ? &record : nullptr;
  }

  /// Calls `visit(record)` in ascending order.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (const auto& chunk : chunks_)
      for (const Record& record : chunk->records) visit(record);
  }

  /// The record of a key, to be changed in place (but not in its key); `make()` gives a new one where there is none.
  template <class Maker>
  Record& edit(Key key, std::uint64_t edition, Maker&& make) {
    Position at = lower_bound(key);
    if (at == end()) return append(edition, make());
    Chunk* chunk = own(at.chunk, edition);
    if (chunk->records[at.index].key() == key) return chunk->records[at.index];
    ++size_;
    if (chunk->records.size() == chunk_capacity) {
      split(at.chunk, edition);
      if (at.index > chunk->records.size()) {
        at = {at.chunk + 1, at.index - chunk->records.size()};
        chunk = chunks_[at.chunk].get();
      }
    }
    return *chunk->records.insert(chunk->records.begin() + static_cast<std::ptrdiff_t>(at.index), make());
  }

 private:
  struct Chunk {
    std::uint64_t edition = 0;
    std::vector<Record> records;
  };

  static std::size_t lower_index(const std::vector<Record>& records, Key key) noexcept {
    std::size_t first = 0;
    std::size_t last = records.size();
    while (first < last) {
      const std::size_t middle = first + (last - first) / 2;
      if (records[middle].key() < key)
        first = middle + 1;
      else
        last = middle;
    }
    return first;
  }
  /// The chunk, after it has been copied unless it already belongs to this edition.
  Chunk* own(std::size_t index, std::uint64_t edition) {
    auto& chunk = chunks_[index];
    if (chunk->edition != edition) {
      auto copy = std::make_shared<Chunk>();
      copy->edition = edition;
      copy->records.reserve(chunk_capacity);
      copy->records.insert(copy->records.end(), chunk->records.begin(), chunk->records.end());
      chunk = std::move(copy);
    }
    return chunk.get();
  }
  Record& append(std::uint64_t edition, Record record) {
    ++size_;
    if (chunks_.empty() || chunks_.back()->records.size() == chunk_capacity) {
      chunks_.push_back(std::make_shared<Chunk>());
      chunks_.back()->edition = edition;
      chunks_.back()->records.reserve(chunk_capacity);
    }
    Chunk* chunk = own(chunks_.size() - 1, edition);
    chunk->records.push_back(std::move(record));
    return chunk->records.back();
  }
  void split(std::size_t index, std::uint64_t edition) {
    auto upper = std::make_shared<Chunk>();
    upper->edition = edition;
    upper->records.reserve(chunk_capacity);
    auto& records = chunks_[index]->records;
    const auto middle = records.begin() + static_cast<std::ptrdiff_t>(chunk_capacity / 2);
    upper->records.insert(upper->records.end(), std::move_iterator(middle), std::move_iterator(records.end()));
    records.erase(middle, records.end());
    chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(upper));
  }

  std::vector<std::shared_ptr<Chunk>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace loupe::inline LOUPE_ABI
