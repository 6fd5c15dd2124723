#pragma once
/// @file
/// What one index file says, in the form in which a trial keeps it.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/mode.hpp"
#include "loupe/base/shape.hpp"
#include "loupe/base/text.hpp"

namespace loupe::inline LOUPE_ABI {

/// The name of a tensor or worker of a trial: made once, known by its address from then on.
struct Interned {
  Text name;
  std::uint32_t number = 0;  ///< counts those of its kind from 0
};

/// What an index entry is about: the value, the shape, or reduction number `part - first_reduction_part`.
inline constexpr std::uint16_t value_part = 0;
inline constexpr std::uint16_t shape_part = 1;
inline constexpr std::uint16_t first_reduction_part = 2;

/// One entry. A value or a reduction has its record at `[start, start + length)` of the event file; a shape has its
/// extents at `[start, start + length)` of the block's `extents`.
struct IndexEntry {
  const Interned* tensor = nullptr;
  std::uint64_t start = 0;
  std::uint64_t length : 48 = 0;
  std::uint64_t part : 16 = 0;
};
static_assert(sizeof(IndexEntry) == 24);

/// The longest record that an entry can describe.
inline constexpr std::uint64_t max_record_length = (std::uint64_t{1} << 48) - 1;

/// One index file: what one worker saved at one global step. Never changes once it is in a snapshot.
struct IndexBlock {
  std::int64_t global_step = 0;
  std::int64_t mode_step = 0;
  const Interned* worker = nullptr;
  Text event_key;                     ///< empty: the one that the layout gives
  std::vector<IndexEntry> entries;    ///< by tensor (its number), then by part
  std::vector<std::int64_t> extents;  ///< of all shapes
  std::uint32_t load_order = 0;       ///< counts the files that the trial has read
  Mode mode = Mode::global;

  /// Drops the values of tensors whose shape is here too.
  void hide_values_with_shapes() {
    std::vector<const Interned*> shaped;
    for (const IndexEntry& entry : entries)
      if (entry.part == shape_part) shaped.push_back(entry.tensor);
    std::sort(shaped.begin(), shaped.end(), std::less<>());
    std::erase_if(entries, [&](const IndexEntry& entry) {
      return entry.part == value_part && std::binary_search(shaped.begin(), shaped.end(), entry.tensor, std::less<>());
    });
  }
  /// Sorts the entries; of several about the same thing the last one stays.
  void seal() {
    // Files name their tensors in one order, that in which the trial met them first.
    const auto is_not_before = [](const IndexEntry& a, const IndexEntry& b) { return !before(a, b); };
    if (std::adjacent_find(entries.begin(), entries.end(), is_not_before) == entries.end()) return;
    std::vector<std::uint32_t> order(entries.size());
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
      if (before(entries[a], entries[b])) return true;
      return !before(entries[b], entries[a]) && a < b;
    });
    std::vector<IndexEntry> sealed;
    sealed.reserve(entries.size());
    for (const std::uint32_t place : order) {
      if (!sealed.empty() && !before(sealed.back(), entries[place])) sealed.pop_back();
      sealed.push_back(entries[place]);
    }
    entries = std::move(sealed);
  }
  /// The entries about a tensor.
  [[nodiscard]] std::pair<const IndexEntry*, const IndexEntry*> of(const Interned* tensor) const noexcept {
    const IndexEntry* first = lower_bound(tensor, 0);
    const IndexEntry* last = first;
    while (last != entries.data() + entries.size() && last->tensor == tensor) ++last;
    return {first, last};
  }
  [[nodiscard]] bool has(const Interned* tensor) const noexcept {
    const IndexEntry* first = lower_bound(tensor, 0);
    return first != entries.data() + entries.size() && first->tensor == tensor;
  }
  /// The entry about one part of a tensor, or null.
  [[nodiscard]] const IndexEntry* find(const Interned* tensor, std::uint16_t part) const noexcept {
    const IndexEntry* entry = lower_bound(tensor, part);
    return entry != entries.data() + entries.size() && entry->tensor == tensor && entry->part == part ? entry : nullptr;
  }
  /// The shape that an entry of `shape_part` stands for.
  [[nodiscard]] Shape shape(const IndexEntry& entry) const noexcept {
    return {std::span<const std::int64_t>(extents).subspan(static_cast<std::size_t>(entry.start), entry.length)};
  }

 private:
  static bool before(const IndexEntry& a, const IndexEntry& b) noexcept {
    if (a.tensor != b.tensor) return a.tensor->number < b.tensor->number;
    return a.part < b.part;
  }
  [[nodiscard]] const IndexEntry* lower_bound(const Interned* tensor, std::uint16_t part) const noexcept {
    IndexEntry wanted;
    wanted.tensor = tensor;
    wanted.part = part;
    return entries.data() + (std::lower_bound(entries.begin(), entries.end(), wanted, before) - entries.begin());
  }
};

}  // namespace loupe::inline LOUPE_ABI
