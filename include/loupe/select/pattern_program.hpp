#pragma once
/// @file
/// Regular expressions as small programs, which search in bounded time and stack.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/select/code_point_set.hpp"
#include "loupe/select/pattern_parser.hpp"

namespace loupe::inline LOUPE_ABI {

/// A pattern as instructions with relative jumps. Where two ways may lead to a match both are followed, and no
/// instruction is run twice at the same place of the text, so that a search takes at most text times program steps, times
/// text once more for each level of looking ahead or behind; it is given up beyond a limit. Safe from several threads.
class PatternProgram {
 public:
  /// The longest text that is searched, in code points.
  static constexpr std::size_t max_text = 8192;

  /// Whether the pattern is found anywhere in the text; nothing if the text is too long, or the search takes too many steps.
  [[nodiscard]] LOUPE_DECL std::optional<bool> search(std::string_view text) const;

  // What a parser tells (see PatternSink).
  static constexpr bool has_back_references = false;
  [[nodiscard]] std::size_t mark() const noexcept { return code_.size(); }
  LOUPE_DECL void one_of(const CodePointSet& set);
  void anchor(Anchor where) { code_.push_back({Action::anchor, 0, static_cast<std::uint32_t>(where)}); }
  LOUPE_DECL void word_boundary(bool is_boundary, const CodePointSet& word);
  void back_reference(std::size_t) noexcept {}
  LOUPE_DECL void open(GroupKind kind);
  LOUPE_DECL void next_alternative();
  LOUPE_DECL void close(GroupKind kind, std::size_t width);
  LOUPE_DECL void repeat(std::size_t start, std::size_t least, std::optional<std::size_t> most);

 private:
  enum class Action : std::uint8_t { one_of, anchor, boundary, no_boundary, fork, jump, look, accept };
  struct Instruction {
    Action action;
    std::int32_t jump = 0;       ///< fork: the second way; jump: the only one; look: past the part looked for
    std::uint32_t argument = 0;  ///< one_of, boundary: the set; anchor: which; look: the width of a look-behind
    GroupKind look = GroupKind::plain;
  };
  /// A group whose end has not been told yet.
  struct OpenGroup {
    std::size_t begin;
    std::size_t alternative;         ///< where the current alternative begins
    std::vector<std::size_t> jumps;  ///< the ends of the alternatives before it
  };
  class Search;
  LOUPE_DECL std::uint32_t number_of(const CodePointSet& set);
  LOUPE_DECL void insert(std::size_t at, Instruction instruction);

  std::vector<Instruction> code_;
  std::vector<CodePointSet> sets_;
  std::vector<OpenGroup> open_groups_;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/select/pattern_program.ipp"
#endif
