#pragma once
/// @file
/// Names as small numbers, found again in a few nanoseconds by a loop that repeats itself.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/text.hpp"
#include "loupe/select/index_iterator.hpp"

namespace loupe::inline LOUPE_ABI {

/// Interns names: the first distinct name is 0, the next 1, and so on. Lookups are predicted: training loops ask for
/// the same names in the same order in every step, so the table compares with the name that followed last time before
/// it hashes. A name that is found again allocates nothing. For one thread at a time.
class NameTable {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  struct Found {
    std::uint32_t id;
    bool is_new;
  };

  /// The number of a name, which is added if it is new.
  Found find_or_add(std::string_view name) {
    if (const std::uint32_t predicted = find_predicted(name); predicted != none) return {predicted, false};
    return find_or_add_unpredicted(name);
  }
  /// The number of a name if it is the one that is predicted, or `none`: the quick half of `find_or_add`.
  std::uint32_t find_predicted(std::string_view name) noexcept {
    const std::uint32_t predicted = successor();
    if (predicted == none || entries_[predicted].name.view() != name) return none;
    return last_ = predicted;
  }
  /// The number of a name, or `none`; leaves the prediction alone.
  [[nodiscard]] std::uint32_t find(std::string_view name) const noexcept {
    return slots_.empty() ? none : slots_[slot_of(name)];
  }
  /// The next lookup begins a new round: it is predicted to be what began the last one.
  void restart() noexcept { last_ = none; }

  /// The name of a number; stays where it is while the table lives.
  [[nodiscard]] std::string_view operator[](std::size_t id) const noexcept { return entries_[id].name; }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(entries_.size()); }

  /// Iteration gives the names in the order of their numbers.
  [[nodiscard]] IndexIterator<NameTable> begin() const noexcept { return {*this, 0}; }
  [[nodiscard]] IndexIterator<NameTable> end() const noexcept { return {*this, size()}; }

 private:
  struct Entry {
    Text name;
    std::uint32_t successor = none;  ///< what was asked for next, the last time
  };
  [[nodiscard]] std::uint32_t& successor() noexcept { return last_ == none ? first_ : entries_[last_].successor; }
  /// The slot that holds the name, or the empty one where it belongs.
  [[nodiscard]] LOUPE_DECL std::size_t slot_of(std::string_view name) const noexcept;
  LOUPE_COLD LOUPE_DECL Found find_or_add_unpredicted(std::string_view name);
  LOUPE_DECL void grow();

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;  ///< open addressing, a power of two in size, at most half full
  std::uint32_t first_ = none;
  std::uint32_t last_ = none;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/select/name_table.ipp"
#endif
