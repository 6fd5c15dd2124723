#pragma once
/// @file
/// The quick way past names that are known: what a hook asks before anything else.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/base/text.hpp"

namespace loupe::inline LOUPE_ABI {

/// No name's number.
inline constexpr std::uint32_t no_name = UINT32_MAX;

/// A name of a `NameTable`.
struct KnownName {
  Text name;
  std::uint32_t successor = no_name;  ///< what was asked for next, the last time
  std::uint32_t tag = 0;              ///< what the table's user notes down for the name
};

/// Where in the usual order of names a loop is.
struct NameOrder {
  std::uint32_t first = no_name;
  std::uint32_t last = no_name;  ///< what was asked for last in this round
};

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
  // The last word may overlap the one before it; most names are two words.
  const auto difference_at = [&](std::size_t at) {
    Word left_word, right_word;
    std::memcpy(&left_word, left + at, sizeof(Word));
    std::memcpy(&right_word, right + at, sizeof(Word));
    return left_word ^ right_word;
  };
  const std::size_t last = size - sizeof(Word);
  if ((difference_at(0) | difference_at(last)) != 0) return false;
  for (std::size_t at = sizeof(Word); at < last; at += sizeof(Word))
    if (difference_at(at) != 0) return false;
  return true;
}

}  // namespace detail

/// The names a plan knows and which of them the open step wants; the plan keeps it up to date.
struct KnownNames {
  const KnownName* names = nullptr;
  std::uint32_t size = 0;
  NameOrder* order = nullptr;
  const std::uint8_t* is_wanted = nullptr;  ///< by tag

  /// Whether the name is the next in the order in which names were first asked for, and the step doesn't want it: then
  /// it is done with. The quickest look: it doesn't wait for what the look before it found.
  LOUPE_ALWAYS_INLINE bool pass_over_next(std::string_view name) noexcept {
    static_assert(no_name + 1 == 0, "the number after none is the first");
    return is_unwanted(order->last + 1, name);
  }
  /// The same of the name that followed last time.
  bool pass_over_successor(std::string_view name) noexcept {
    return is_unwanted(order->last == no_name ? order->first : names[order->last].successor, name);
  }
  /// Either; if it says no, ask the plan.
  bool pass_over(std::string_view name) noexcept { return pass_over_next(name) || pass_over_successor(name); }

 private:
  LOUPE_ALWAYS_INLINE bool is_unwanted(std::uint32_t predicted, std::string_view name) noexcept {
    if (predicted >= size || !detail::is_same_name(names[predicted].name, name) || is_wanted[names[predicted].tag] != 0)
      return false;
    order->last = predicted;
    return true;
  }
};

}  // namespace loupe::inline LOUPE_ABI
