#pragma once
/// @file
/// Sets of code points: what a character class in a regular expression stands for.

#include <cstddef>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/select/code_points.hpp"

namespace loupe::inline LOUPE_ABI {

/// Sorted ranges with gaps between them.
class CodePointSet {
 public:
  CodePointSet() = default;
  CodePointSet(std::initializer_list<CodePointRange> ranges) {
    for (const CodePointRange range : ranges) add(range);
  }
  explicit CodePointSet(std::span<const CodePointRange> ranges) {
    for (const CodePointRange range : ranges) add(range);
  }

  [[nodiscard]] std::span<const CodePointRange> ranges() const noexcept { return ranges_; }
  /// Whether the set is one code point.
  [[nodiscard]] bool is_single() const noexcept { return ranges_.size() == 1 && ranges_[0].first == ranges_[0].last; }
  [[nodiscard]] bool contains(char32_t code) const noexcept {
    const std::size_t place = place_of(code);
    return place < ranges_.size() && ranges_[place].first <= code;
  }
  void add(CodePointRange added) {
    const std::size_t begin = place_of(added.first == 0 ? 0 : added.first - 1);
    std::size_t end = begin;
    for (; end < ranges_.size() && ranges_[end].first <= added.last + 1; ++end) {
      if (ranges_[end].first < added.first) added.first = ranges_[end].first;
      if (ranges_[end].last > added.last) added.last = ranges_[end].last;
    }
    ranges_.erase(ranges_.begin() + static_cast<std::ptrdiff_t>(begin),
                  ranges_.begin() + static_cast<std::ptrdiff_t>(end));
    ranges_.insert(ranges_.begin() + static_cast<std::ptrdiff_t>(begin), added);
  }
  void add(const CodePointSet& other) {
    for (const CodePointRange range : other.ranges_) add(range);
  }
  /// Adds the other case of the ASCII letters in the set.
  void add_other_case() {
    for (char32_t letter = 'a'; letter <= 'z'; ++letter) {
      const char32_t capital = letter - 'a' + 'A';
      if (contains(letter)) add({capital, capital});
      else if (contains(capital)) add({letter, letter});
    }
  }
  /// All other code points.
  [[nodiscard]] CodePointSet complement() const {
    CodePointSet rest;
    char32_t next = 0;
    for (const CodePointRange range : ranges_) {
      if (next < range.first) rest.ranges_.push_back({next, range.first - 1});
      next = range.last + 1;
    }
    if (next <= last_code_point) rest.ranges_.push_back({next, last_code_point});
    return rest;
  }

 private:
  /// The first range that doesn't end before the code point.
  [[nodiscard]] std::size_t place_of(char32_t code) const noexcept {
    std::size_t begin = 0;
    for (std::size_t end = ranges_.size(); begin < end;) {
      const std::size_t middle = begin + (end - begin) / 2;
      if (ranges_[middle].last < code) begin = middle + 1;
      else end = middle;
    }
    return begin;
  }
  std::vector<CodePointRange> ranges_;
};

/// Python's classes: `d`, `s`, `w`, and their complements `D`, `S`, `W`. The digits are 0 to 9.
inline CodePointSet named_class(char32_t letter, bool ascii_only) {
  switch (letter) {
    case 'd': return {{'0', '9'}};
    case 's':
      if (ascii_only) return {{'\t', '\r'}, {' ', ' '}};
      return {{'\t', '\r'},     {0x1C, ' '},      {0x85, 0x85},     {0xA0, 0xA0},     {0x1680, 0x1680},
              {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};
    case 'w': {
      CodePointSet wordless{{0, '0' - 1}, {'9' + 1, 'A' - 1}, {'Z' + 1, '_' - 1}, {'_' + 1, 'a' - 1}, {'z' + 1, 0x7F}};
      if (ascii_only) wordless.add({0x80, last_code_point});
      else wordless.add(CodePointSet(std::span<const CodePointRange>(wordless_ranges)));
      return wordless.complement();
    }
    default: return named_class(letter - 'A' + 'a', ascii_only).complement();
  }
}

}  // namespace loupe::inline LOUPE_ABI
