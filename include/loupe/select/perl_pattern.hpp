#pragma once
/// @file
/// Regular expressions in Perl's syntax, for engines of others.

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/text.hpp"
#include "loupe/select/pattern_parser.hpp"

namespace loupe::inline LOUPE_ABI {

/// Writes what a parser tells (see PatternSink) as a pattern over code points that needs neither flags nor classes.
class PerlPattern {
 public:
  [[nodiscard]] const std::vector<wchar_t>& text() const noexcept { return text_; }

  static constexpr bool has_back_references = true;
  [[nodiscard]] std::size_t mark() const noexcept { return text_.size(); }
  void one_of(const CodePointSet& set) {
    if (set.is_single()) return literal(set.ranges()[0].first);
    if (set.ranges().empty()) return raw("(?:(?!x)x)");
    if (set.complement().ranges().empty()) return raw("(?:[^\\x0a]|\\x0a)");
    raw("[");
    for (const CodePointRange range : set.ranges()) {
      literal(range.first);
      if (range.first == range.last) continue;
      raw("-");
      literal(range.last);
    }
    raw("]");
  }
  void anchor(Anchor where) {
    constexpr std::string_view anchors[] = {"\\A", "(?:\\A|(?<=\\x0a))", "\\z", "(?=\\x0a|\\z)", "(?=\\x0a?\\z)"};
    raw(anchors[static_cast<std::size_t>(where)]);
  }
  void word_boundary(bool is_boundary, const CodePointSet& word) {
    if (!is_boundary) raw("(?!\\A\\z)");  // Python finds no \B in an empty text
    raw("(?:(?<=");
    one_of(word);
    raw(is_boundary ? ")(?!" : ")(?=");
    one_of(word);
    raw(")|(?<!");
    one_of(word);
    raw(is_boundary ? ")(?=" : ")(?!");
    one_of(word);
    raw("))");
  }
  void back_reference(std::size_t group) {
    raw("(?:\\");
    number(group);
    raw(")");
  }
  void open(GroupKind kind) {
    constexpr std::string_view opens[] = {"(", "(?:", "(?=", "(?!", "(?<=", "(?<!"};
    raw(opens[static_cast<std::size_t>(kind)]);
  }
  void next_alternative() { raw("|"); }
  void close(GroupKind, std::size_t) { raw(")"); }
  void repeat(std::size_t start, std::size_t least, std::optional<std::size_t> most) {
    constexpr std::string_view open = "(?:";
    text_.insert(text_.begin() + static_cast<std::ptrdiff_t>(start), open.begin(), open.end());
    raw("){");
    number(least);
    raw(",");
    if (most) number(*most);
    raw("}");
  }

 private:
  void raw(std::string_view syntax) { text_.insert(text_.end(), syntax.begin(), syntax.end()); }
  void number(std::size_t value) { raw(to_text(static_cast<long long>(value)).view()); }
  void literal(char32_t code) {
    constexpr std::string_view digits = "0123456789abcdef";
    if (code < ' ') {
      raw("\\x");
      raw(digits.substr(code >> 4, 1));
      raw(digits.substr(code & 15, 1));
      return;
    }
    if (code > ' ' && code < 0x7F && !is_word_character(code)) raw("\\");
    text_.push_back(static_cast<wchar_t>(code));
  }
  static_assert(sizeof(wchar_t) >= 4, "wchar_t must hold every code point");
  std::vector<wchar_t> text_;
};

}  // namespace loupe::inline LOUPE_ABI
