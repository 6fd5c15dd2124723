#pragma once
/// @file
/// The grammar of Python's regular expressions, apart from what is made of them.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/select/code_point_set.hpp"
#include "loupe/select/pattern_cursor.hpp"

namespace loupe::inline LOUPE_ABI {

enum class GroupKind : std::uint8_t { capturing, plain, ahead, not_ahead, behind, not_behind };

/// Where a pattern begins to match or ends: of the text, of a line, or, as `$` does, of the text or before a newline
/// that ends it.
enum class Anchor : std::uint8_t { text_begin, line_begin, text_end, line_end, last_line_end };

/// What a parser tells about a pattern, part by part. What was told since a `mark` can be repeated; the parts of a group
/// stand between `open` and `close`, alternatives are told apart by `next_alternative`.
template <class Type>
concept PatternSink =
    requires(Type& sink, const CodePointSet& set, std::size_t number, std::optional<std::size_t> most) {
      { Type::has_back_references } -> std::convertible_to<bool>;
      { sink.mark() } -> std::same_as<std::size_t>;
      sink.one_of(set);
      sink.anchor(Anchor::text_begin);
      sink.word_boundary(true, set);
      sink.back_reference(number);
      sink.open(GroupKind::plain);
      sink.next_alternative();
      sink.close(GroupKind::plain, number);
      sink.repeat(number, number, most);
    };

/// The largest pattern, counted in code points and, after repetitions are multiplied out, in characters to match.
inline constexpr std::size_t max_pattern_size = 1000;

/// One pass over a pattern by recursive descent, after Python's `sre_parse`. Classes and case are resolved here, so that
/// no locale and no engine's idea of them matters: `\w` and `\b` go by `is_word_character`, `\d` is 0 to 9, and case is
/// that of ASCII letters; everything else is as in `re.search` on a `str` in Python 3.10. What Python refuses is `invalid_argument`,
/// what loupe or the sink lack (scoped and further inline flags, conditionals, named characters; back-references)
/// `unsupported`, what is too large or nested too deep `limit_exceeded`.
template <PatternSink Sink>
class PatternParser {
 public:
  PatternParser(std::string_view pattern, Sink& sink) : in_(pattern, max_pattern_size), out_(sink) {}

  result<void> parse() {
    if (in_.is_cut()) return too_large();
    LOUPE_TRY(read_global_flags());
    out_.open(GroupKind::plain);
    LOUPE_TRY(alternatives(0));
    out_.close(GroupKind::plain, 0);
    if (!in_.at_end()) return in_.invalid("unbalanced parenthesis");
    return {};
  }

 private:
  /// What a part of the pattern can match.
  struct Extent {
    std::size_t size = 1;   ///< all characters in it, repetitions multiplied out
    std::size_t least = 1;  ///< the shortest match
    std::size_t most = 1;   ///< the longest match, `unbounded` if there is none
  };
  struct Item {
    Extent extent;
    bool is_repeatable = true;
  };
  struct Repeat {
    std::size_t least = 0;
    std::optional<std::size_t> most;
  };
  struct Group {
    std::vector<char32_t> name;
    bool is_open = true;
    Extent extent;
  };
  static constexpr int max_depth = 50;
  static constexpr std::size_t unbounded = SIZE_MAX;

  [[nodiscard]] unexpected<Error> too_large() const {
    return in_.refuse(ErrorKind::limit_exceeded, "the pattern is larger or deeper than allowed");
  }

  [[nodiscard]] bool begins_flags() const noexcept {
    for (const std::u32string_view start : {U"(?a", U"(?i", U"(?m", U"(?s", U"(?u", U"(?x", U"(?L"})
      if (in_.next_are(start)) return true;
    return false;
  }
  result<void> read_global_flags() {
    while (begins_flags()) {
      in_.go_to(in_.position() + 2);
      while (!in_.take(')')) {
        if (in_.at_end()) return in_.invalid("unterminated inline flags");
        switch (in_.take_any()) {
          case 'a': ascii_only_ = true; break;
          case 'i': ignore_case_ = true; break;
          case 'm': multiline_ = true; break;
          case 's': dot_all_ = true; break;
          case 'u': break;
          default:
            return in_.lacking("inline flags other than i, s, m, a and u for the whole pattern are not supported");
        }
      }
    }
    return {};
  }

  result<Extent> alternatives(int depth) {
    if (depth > max_depth) return too_large();
    Extent whole{0, unbounded, 0};
    while (true) {
      Extent one{1, 0, 0};
      while (!in_.at_end() && !in_.next_is('|') && !in_.next_is(')')) {
        LOUPE_ASSIGN(const Extent next, repeated_item(depth));
        one = {one.size + next.size, one.least + next.least,
               one.most == unbounded || next.most == unbounded ? unbounded : one.most + next.most};
        if (whole.size + one.size > max_pattern_size) return too_large();
      }
      whole = {whole.size + one.size, one.least < whole.least ? one.least : whole.least,
               one.most > whole.most ? one.most : whole.most};
      if (!in_.take('|')) return whole;
      out_.next_alternative();
    }
  }

  result<Extent> repeated_item(int depth) {
    const std::size_t start = out_.mark();
    LOUPE_ASSIGN(const Item item, next_item(depth));
    LOUPE_TRY(in_.skip_comments());
    const std::optional<Repeat> repeat = next_repeat();
    if (!repeat) return item.extent;
    if (!item.is_repeatable) return in_.invalid("nothing to repeat");
    in_.take('?');  // lazy or greedy makes no difference to whether something is found
    LOUPE_TRY(in_.skip_comments());
    if (next_repeat()) return in_.invalid("multiple repeat");
    if (repeat->most && *repeat->most < repeat->least)
      return in_.invalid("the least number of repeats is greater than the most");
    const std::size_t times = repeat->most.value_or(repeat->least + 1);
    if (times > max_pattern_size || item.extent.size * times > max_pattern_size) return too_large();
    out_.repeat(start, repeat->least, repeat->most);
    const bool has_end = item.extent.most == 0 || (repeat->most && item.extent.most != unbounded);
    return Extent{item.extent.size * times + 1, item.extent.least * repeat->least,
                  has_end ? item.extent.most * times : unbounded};
  }

  /// A quantifier, if one comes next. A brace that begins none is left as the literal that it is.
  std::optional<Repeat> next_repeat() {
    if (in_.take('*')) return Repeat{0, std::nullopt};
    if (in_.take('+')) return Repeat{1, std::nullopt};
    if (in_.take('?')) return Repeat{0, 1};
    const std::size_t start = in_.position();
    if (in_.take('{') && !in_.next_is('}')) {
      Repeat repeat;
      const auto least = in_.take_number();
      repeat.least = least.value_or(0);
      if (in_.take(',')) repeat.most = in_.take_number();
      else repeat.most = least;
      if (in_.take('}')) return repeat;
    }
    in_.go_to(start);
    return std::nullopt;
  }

  result<Item> next_item(int depth) {
    LOUPE_TRY(in_.skip_comments());
    if (in_.at_end() || in_.next_is('|') || in_.next_is(')')) return Item{{0, 0, 0}, false};
    if (next_repeat()) return in_.invalid("nothing to repeat");
    const char32_t code = in_.take_any();
    switch (code) {
      case '.':
        out_.one_of(dot_all_ ? CodePointSet{{0, last_code_point}} : CodePointSet{{'\n', '\n'}}.complement());
        return Item{};
      case '^': return anchor(multiline_ ? Anchor::line_begin : Anchor::text_begin);
      case '$': return anchor(multiline_ ? Anchor::line_end : Anchor::last_line_end);
      case '[': return character_set();
      case '(': return group(depth);
      case '\\': return escape();
      default: return literal(code);
    }
  }

  result<Item> anchor(Anchor where) {
    out_.anchor(where);
    return Item{{1, 0, 0}, false};
  }
  result<Item> literal(char32_t code) {
    CodePointSet set{{code, code}};
    if (ignore_case_) set.add_other_case();
    out_.one_of(set);
    return Item{};
  }

  result<Item> escape() {
    if (in_.at_end()) return in_.invalid("bad escape at the end");
    const char32_t code = in_.take_any();
    switch (code) {
      case 'A': return anchor(Anchor::text_begin);
      case 'Z': return anchor(Anchor::text_end);
      case 'b':
      case 'B': out_.word_boundary(code == 'b', named_class('w', ascii_only_)); return Item{{1, 0, 0}, false};
      case 'd':
      case 'D':
      case 's':
      case 'S':
      case 'w':
      case 'W': out_.one_of(named_class(code, ascii_only_)); return Item{};
      default: break;
    }
    if (code >= '1' && code <= '9') {
      in_.go_to(in_.position() - 1);
      LOUPE_ASSIGN(const std::optional<char32_t> octal, in_.take_octal_escape());
      if (octal) return literal(*octal);
      std::size_t number = *in_.take_digit(10);
      if (const auto second = in_.take_digit(10)) number = number * 10 + *second;
      return back_reference(number);
    }
    LOUPE_ASSIGN(const char32_t escaped, in_.take_literal_escape(code));
    return literal(escaped);
  }

  result<Item> back_reference(std::size_t number) {
    if (number >= groups_.size() || groups_[number].is_open)
      return in_.invalid("reference to a group that isn't closed before");
    if (!Sink::has_back_references) return in_.lacking("a back-reference is not supported by this engine");
    out_.back_reference(number);
    return Item{groups_[number].extent};
  }

  /// A member of a character set: a character, or a class of several.
  result<CodePointSet> set_member() {
    if (in_.at_end()) return in_.invalid("unterminated character set");
    char32_t code = in_.take_any();
    if (code == '\\') {
      if (in_.at_end()) return in_.invalid("unterminated character set");
      code = in_.take_any();
      if (std::u32string_view(U"dDsSwW").find(code) != std::u32string_view::npos) return named_class(code, ascii_only_);
      if (code == 'b') {
        code = U'\b';
      } else if (code >= '1' && code <= '9') {
        in_.go_to(in_.position() - 1);
        LOUPE_ASSIGN(code, in_.take_octal_member());
      } else {
        LOUPE_ASSIGN(code, in_.take_literal_escape(code));
      }
    }
    return CodePointSet{{code, code}};
  }

  result<Item> character_set() {
    const bool negated = in_.take('^');
    CodePointSet set;
    for (bool is_first = true; is_first || !in_.take(']'); is_first = false) {
      LOUPE_ASSIGN(CodePointSet member, set_member());
      if (in_.next_is('-') && !in_.next_are(U"-]")) {
        in_.take_any();
        LOUPE_ASSIGN(const CodePointSet last, set_member());
        if (!member.is_single() || !last.is_single() || last.ranges()[0].first < member.ranges()[0].first)
          return in_.invalid("bad character range");
        member.add({member.ranges()[0].first, last.ranges()[0].first});
      }
      set.add(member);
    }
    if (ignore_case_) set.add_other_case();
    out_.one_of(negated ? set.complement() : set);
    return Item{};
  }

  result<std::vector<char32_t>> group_name(char32_t end) {
    std::vector<char32_t> name;
    while (!in_.take(end)) {
      if (in_.at_end()) return in_.invalid("missing end of a group's name");
      name.push_back(in_.take_any());
      if (!is_word_character(name.back())) return in_.invalid("bad group name");
    }
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return in_.invalid("bad group name");
    return name;
  }

  result<Item> group(int depth) {
    std::vector<char32_t> name;
    if (in_.take('?')) {
      if (in_.take(':')) return bracketed(GroupKind::plain, depth);
      if (in_.take('=')) return bracketed(GroupKind::ahead, depth);
      if (in_.take('!')) return bracketed(GroupKind::not_ahead, depth);
      if (in_.take('<')) {
        if (in_.take('=')) return bracketed(GroupKind::behind, depth);
        if (in_.take('!')) return bracketed(GroupKind::not_behind, depth);
        return in_.invalid("unknown extension");
      }
      if (!in_.take('P')) return in_.lacking("this kind of group is not supported");
      if (in_.take('=')) {
        LOUPE_ASSIGN(name, group_name(')'));
        std::size_t number = 1;
        while (number < groups_.size() && groups_[number].name != name) ++number;
        return back_reference(number);
      }
      if (!in_.take('<')) return in_.invalid("unknown extension");
      LOUPE_ASSIGN(name, group_name('>'));
      for (const Group& other : groups_)
        if (other.name == name) return in_.invalid("redefinition of a group's name");
    }
    const std::size_t number = groups_.size();
    groups_.push_back({std::move(name), true, {}});
    LOUPE_ASSIGN(const Item item, bracketed(GroupKind::capturing, depth));
    groups_[number].is_open = false;
    groups_[number].extent = item.extent;
    return item;
  }

  result<Item> bracketed(GroupKind kind, int depth) {
    out_.open(kind);
    LOUPE_ASSIGN(Extent extent, alternatives(depth + 1));
    if (!in_.take(')')) return in_.invalid("missing ), unterminated subpattern");
    const bool is_behind = kind == GroupKind::behind || kind == GroupKind::not_behind;
    if (is_behind && extent.least != extent.most) return in_.invalid("look-behind requires a fixed width");
    out_.close(kind, is_behind ? extent.least : 0);
    if (kind != GroupKind::capturing && kind != GroupKind::plain) extent = {extent.size, 0, 0};
    return Item{extent};
  }

  PatternCursor in_;
  Sink& out_;
  std::vector<Group> groups_ = std::vector<Group>(1);  ///< number 0 is the whole match, which no pattern can refer to
  bool ascii_only_ = false;
  bool ignore_case_ = false;
  bool dot_all_ = false;
  bool multiline_ = false;
};

}  // namespace loupe::inline LOUPE_ABI
