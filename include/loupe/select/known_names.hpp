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

/// The names a plan knows and which of them the open step wants; the plan keeps it up to date.
struct KnownNames {
  const KnownName* names = nullptr;
  std::uint32_t size = 0;
  NameOrder* order = nullptr;
  const std::uint8_t* is_wanted = nullptr;  ///< by tag

  /// Whether the name came in its usual place and the step doesn't want it: then it is done with. If not, ask the plan.
  /// A loop that asks in the order in which it first asked is predicted without a look at the names: no lookup waits
  /// for the one before it.
  LOUPE_ALWAYS_INLINE bool pass_over(std::string_view name) noexcept {
    static_assert(no_name + 1 == 0, "the number after none is the first");
    const std::uint32_t last = order->last;
    return is_unwanted(last + 1, name) || is_unwanted(last == no_name ? order->first : names[last].successor, name);
  }

 private:
  LOUPE_ALWAYS_INLINE bool is_unwanted(std::uint32_t predicted, std::string_view name) noexcept {
    if (predicted >= size || !is_same_name(names[predicted].name, name) || is_wanted[names[predicted].tag] != 0)
      return false;
    order->last = predicted;
    return true;
  }
};

}  // namespace loupe::inline LOUPE_ABI
