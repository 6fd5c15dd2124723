#pragma once
/// @file
/// The statistics of a tensor: their kinds, sets of them, and their names. The only place that knows the names.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// One number that describes a tensor. The first eighteen are smdebug's reductions: nine of the elements, and the same
/// nine of their absolute values. The others count elements; `first_non_finite` is the row-major index of the first
/// element that is NaN or infinite (-1 if there is none).
enum class Statistic : std::uint8_t {
  min,
  max,
  mean,
  std,
  variance,
  sum,
  prod,
  l1,
  l2,
  abs_min,
  abs_max,
  abs_mean,
  abs_std,
  abs_variance,
  abs_sum,
  abs_prod,
  abs_l1,
  abs_l2,
  nan_count,
  positive_infinity_count,
  negative_infinity_count,
  zero_count,
  first_non_finite
};

/// The number of statistics; enumerators are 0 … `statistic_count - 1`.
inline constexpr std::size_t statistic_count = 23;

/// A set of statistics: four bytes, iterated in the order of the enumeration.
class StatisticSet {
 public:
  constexpr StatisticSet() noexcept = default;
  constexpr StatisticSet(std::initializer_list<Statistic> members) noexcept {
    for (const Statistic member : members) insert(member);
  }
  constexpr StatisticSet(Statistic member) noexcept : bits_(bit(member)) {}
  /// The set of a bit mask, bit i standing for enumerator i; other bits are dropped.
  static constexpr StatisticSet from_bits(std::uint32_t bits) noexcept {
    StatisticSet set;
    set.bits_ = bits & ((std::uint32_t{1} << statistic_count) - 1);
    return set;
  }
  static constexpr StatisticSet all() noexcept { return from_bits(~std::uint32_t{0}); }

  [[nodiscard]] constexpr std::uint32_t bits() const noexcept { return bits_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return static_cast<std::size_t>(std::popcount(bits_)); }
  [[nodiscard]] constexpr bool contains(Statistic member) const noexcept { return (bits_ & bit(member)) != 0; }
  /// Whether every member of `other` is in this set.
  [[nodiscard]] constexpr bool contains_all(StatisticSet other) const noexcept { return (other.bits_ & ~bits_) == 0; }
  /// Whether any member of `other` is in this set.
  [[nodiscard]] constexpr bool contains_any(StatisticSet other) const noexcept { return (other.bits_ & bits_) != 0; }
  constexpr void insert(Statistic member) noexcept { bits_ |= bit(member); }
  constexpr void erase(Statistic member) noexcept { bits_ &= ~bit(member); }

  friend constexpr StatisticSet operator|(StatisticSet a, StatisticSet b) noexcept {
    return from_bits(a.bits_ | b.bits_);
  }
  friend constexpr StatisticSet operator&(StatisticSet a, StatisticSet b) noexcept {
    return from_bits(a.bits_ & b.bits_);
  }
  /// The members of `a` that are not in `b`.
  friend constexpr StatisticSet operator-(StatisticSet a, StatisticSet b) noexcept {
    return from_bits(a.bits_ & ~b.bits_);
  }
  constexpr StatisticSet& operator|=(StatisticSet other) noexcept { return *this = *this | other; }
  constexpr StatisticSet& operator&=(StatisticSet other) noexcept { return *this = *this & other; }
  friend constexpr bool operator==(StatisticSet, StatisticSet) noexcept = default;

  class Iterator {
   public:
    constexpr explicit Iterator(std::uint32_t rest) noexcept : rest_(rest) {}
    constexpr Statistic operator*() const noexcept { return static_cast<Statistic>(std::countr_zero(rest_)); }
    constexpr Iterator& operator++() noexcept {
      rest_ &= rest_ - 1;
      return *this;
    }
    friend constexpr bool operator==(Iterator, Iterator) noexcept = default;

   private:
    std::uint32_t rest_;
  };
  [[nodiscard]] constexpr Iterator begin() const noexcept { return Iterator(bits_); }
  [[nodiscard]] constexpr Iterator end() const noexcept { return Iterator(0); }

 private:
  static constexpr std::uint32_t bit(Statistic member) noexcept {
    return std::uint32_t{1} << static_cast<unsigned>(member);
  }
  std::uint32_t bits_ = 0;
};

/// The eighteen that smdebug knows, writes and reads.
inline constexpr StatisticSet smdebug_statistics = StatisticSet::from_bits((std::uint32_t{1} << 18) - 1);

/// The counts and `first_non_finite`: loupe's own.
inline constexpr StatisticSet count_statistics = StatisticSet::all() - smdebug_statistics;

/// Whether it is taken of absolute values (`abs_min` … `abs_l2`).
constexpr bool is_absolute(Statistic statistic) noexcept {
  return statistic >= Statistic::abs_min && statistic <= Statistic::abs_l2;
}

/// Whether it is l1 or l2, with or without `abs_`.
constexpr bool is_norm(Statistic statistic) noexcept {
  return statistic == Statistic::l1 || statistic == Statistic::l2 || statistic == Statistic::abs_l1 ||
         statistic == Statistic::abs_l2;
}

/// The same statistic of absolute values (`min` → `abs_min`); itself where there is none.
constexpr Statistic absolute(Statistic statistic) noexcept {
  return statistic < Statistic::abs_min
             ? static_cast<Statistic>(static_cast<int>(statistic) + static_cast<int>(Statistic::abs_min))
             : statistic;
}

/// The same statistic of the elements themselves (`abs_min` → `min`); itself where there is none.
constexpr Statistic without_absolute(Statistic statistic) noexcept {
  return is_absolute(statistic)
             ? static_cast<Statistic>(static_cast<int>(statistic) - static_cast<int>(Statistic::abs_min))
             : statistic;
}

/// The name in tensor names and in code: `min`, `variance`, `abs_l2`, `nan_count`, …
constexpr std::string_view statistic_name(Statistic statistic) noexcept {
  constexpr std::string_view names[statistic_count] = {"min",
                                                       "max",
                                                       "mean",
                                                       "std",
                                                       "variance",
                                                       "sum",
                                                       "prod",
                                                       "l1",
                                                       "l2",
                                                       "abs_min",
                                                       "abs_max",
                                                       "abs_mean",
                                                       "abs_std",
                                                       "abs_variance",
                                                       "abs_sum",
                                                       "abs_prod",
                                                       "abs_l1",
                                                       "abs_l2",
                                                       "nan_count",
                                                       "positive_infinity_count",
                                                       "negative_infinity_count",
                                                       "zero_count",
                                                       "first_non_finite"};
  return names[static_cast<std::size_t>(statistic)];
}

/// The statistic of a name as `statistic_name` gives it.
constexpr std::optional<Statistic> statistic_from_name(std::string_view name) noexcept {
  for (const Statistic statistic : StatisticSet::all())
    if (statistic_name(statistic) == name) return statistic;
  return std::nullopt;
}

/// The word in configurations (format.md section 7): norms end in `_norm` (`l2_norm`, `abs_l1_norm`), the others are as
/// `statistic_name`. smdebug reads only those of `smdebug_statistics`.
constexpr std::string_view config_name(Statistic statistic) noexcept {
  switch (statistic) {
    case Statistic::l1: return "l1_norm";
    case Statistic::l2: return "l2_norm";
    case Statistic::abs_l1: return "abs_l1_norm";
    case Statistic::abs_l2: return "abs_l2_norm";
    default: return statistic_name(statistic);
  }
}

/// The statistic of a configuration's word; `l1` without `_norm` is none, as in smdebug.
constexpr std::optional<Statistic> statistic_from_config_name(std::string_view word) noexcept {
  for (const Statistic statistic : StatisticSet::all())
    if (config_name(statistic) == word) return statistic;
  return std::nullopt;
}

}  // namespace loupe::inline LOUPE_ABI
