#pragma once
/// @file
/// Names as small numbers, found again in a few nanoseconds by a loop that repeats itself.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/text.hpp"
#include "loupe/select/index_iterator.hpp"

namespace loupe::inline LOUPE_ABI {

namespace detail {

/// Whether two names are equal, without the call that `==` costs: the hot path's names are a few words long.
LOUPE_ALWAYS_INLINE bool is_same_name(std::string_view one, std::string_view other) noexcept {
  using Word = std::uint64_t;
  const std::size_t size = one.size();
  if (size != other.size()) return false;
  const char *left = one.data(), *right = other.data();
  if (size < sizeof(Word)) {
    for (std::size_t at = 0; at < size; ++at)
      if (left[at] != right[at]) return false;
    return true;
  }
  const auto differs_at = [&](std::size_t at) {
    Word left_word, right_word;
    std::memcpy(&left_word, left + at, sizeof(Word));
    std::memcpy(&right_word, right + at, sizeof(Word));
    return left_word != right_word;
  };
  // The last word may overlap the one before it.
  const std::size_t last = size - sizeof(Word);
  for (std::size_t at = 0; at < last; at += sizeof(Word))
    if (differs_at(at)) return false;
  return !differs_at(last);
}

}  // namespace detail

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
    if (predicted == none || !detail::is_same_name(entries_[predicted].name, name)) [[unlikely]]
      return none;
    return last_ = predicted;
  }
  /// Goes on to the name if it is a predicted one and `is_wanted[tag(…)]` is 0. A loop that asks in the order in which it
  /// first asked is predicted without a look at the table: no lookup waits for the one before it.
  LOUPE_ALWAYS_INLINE bool pass_over(std::string_view name, const std::uint8_t* is_wanted) noexcept {
    static_assert(none + 1 == 0, "the number after none is the first");
    const std::uint32_t next = last_ + 1;
    return is_passed_over(next, name, is_wanted) || is_passed_over(successor(), name, is_wanted);
  }
  /// The number of a name, or `none`; leaves the prediction alone.
  [[nodiscard]] std::uint32_t find(std::string_view name) const noexcept {
    return slots_.empty() ? none : slots_[slot_of(name)];
  }
  /// The next lookup begins a new round: it is predicted to be what began the last one.
  void restart() noexcept { last_ = none; }

  /// The name of a number; stays where it is while the table lives.
  [[nodiscard]] std::string_view operator[](std::size_t id) const noexcept { return entries_[id].name; }
  /// What the table's user notes down for a name; 0 at first.
  [[nodiscard]] std::uint32_t tag(std::size_t id) const noexcept { return entries_[id].tag; }
  void set_tag(std::size_t id, std::uint32_t tag) noexcept { entries_[id].tag = tag; }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(entries_.size()); }

  /// Iteration gives the names in the order of their numbers.
  [[nodiscard]] IndexIterator<NameTable> begin() const noexcept { return {*this, 0}; }
  [[nodiscard]] IndexIterator<NameTable> end() const noexcept { return {*this, size()}; }

 private:
  struct Entry {
    Text name;
    std::uint32_t successor = none;  ///< what was asked for next, the last time
    std::uint32_t tag = 0;
  };
  [[nodiscard]] std::uint32_t& successor() noexcept { return last_ == none ? first_ : entries_[last_].successor; }
  LOUPE_ALWAYS_INLINE bool is_passed_over(std::uint32_t predicted, std::string_view name,
                                          const std::uint8_t* is_wanted) noexcept {
    if (predicted >= entries_.size()) return false;
    const Entry& entry = entries_[predicted];
    if (!detail::is_same_name(entry.name, name) || is_wanted[entry.tag] != 0) return false;
    last_ = predicted;
    return true;
  }
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
