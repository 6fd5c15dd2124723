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
#include "loupe/select/known_names.hpp"

namespace loupe::inline LOUPE_ABI {

/// Interns names: the first distinct name is 0, the next 1, and so on. Lookups are predicted: training loops ask for
/// the same names in the same order in every step, so the table compares with the name that followed last time before
/// it hashes. A name that is found again allocates nothing. For one thread at a time.
class NameTable {
 public:
  static constexpr std::uint32_t none = no_name;

  struct Found {
    std::uint32_t id;
    bool is_new;
  };

  /// The number of a name, which is added if it is new.
  Found find_or_add(std::string_view name) {
    const std::uint32_t predicted = successor();
    if (predicted != none && detail::is_same_name(entries_[predicted].name, name)) return {order_.last = predicted, false};
    return find_or_add_unpredicted(name);
  }
  /// The number of a name, or `none`; leaves the prediction alone.
  [[nodiscard]] std::uint32_t find(std::string_view name) const noexcept {
    return slots_.empty() ? none : slots_[slot_of(name)];
  }
  /// The next lookup begins a new round: it is predicted to be what began the last one.
  void restart() noexcept { order_.last = none; }

  /// The name of a number; stays where it is while the table lives.
  [[nodiscard]] std::string_view operator[](std::size_t id) const noexcept { return entries_[id].name; }
  /// What the table's user notes down for a name; 0 at first.
  [[nodiscard]] std::uint32_t tag(std::size_t id) const noexcept { return entries_[id].tag; }
  void set_tag(std::size_t id, std::uint32_t tag) noexcept { entries_[id].tag = tag; }
  /// A view for quick looks, without `is_wanted`; true until a name is added.
  [[nodiscard]] KnownNames known() noexcept { return {entries_.data(), size(), &order_, nullptr}; }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(entries_.size()); }

  /// Iteration gives the names in the order of their numbers.
  [[nodiscard]] IndexIterator<NameTable> begin() const noexcept { return {*this, 0}; }
  [[nodiscard]] IndexIterator<NameTable> end() const noexcept { return {*this, size()}; }

 private:
  [[nodiscard]] std::uint32_t& successor() noexcept {
    return order_.last == none ? order_.first : entries_[order_.last].successor;
  }
  /// The slot that holds the name, or the empty one where it belongs.
  [[nodiscard]] LOUPE_DECL std::size_t slot_of(std::string_view name) const noexcept;
  LOUPE_COLD LOUPE_DECL Found find_or_add_unpredicted(std::string_view name);
  LOUPE_DECL void grow();

  std::vector<KnownName> entries_;
  std::vector<std::uint32_t> slots_;  ///< open addressing, a power of two in size, at most half full
  NameOrder order_;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/select/name_table.ipp"
#endif
