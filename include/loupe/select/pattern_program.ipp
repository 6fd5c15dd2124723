#include "loupe/select/pattern_program.hpp"

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL std::uint32_t PatternProgram::number_of(const CodePointSet& set) {
  sets_.push_back(set);
  return static_cast<std::uint32_t>(sets_.size() - 1);
}

LOUPE_DECL void PatternProgram::insert(std::size_t at, Instruction instruction) {
  code_.insert(code_.begin() + static_cast<std::ptrdiff_t>(at), instruction);
}

LOUPE_DECL void PatternProgram::one_of(const CodePointSet& set) {
  code_.push_back({Action::one_of, 0, number_of(set)});
}

LOUPE_DECL void PatternProgram::word_boundary(bool is_boundary, const CodePointSet& word) {
  code_.push_back({is_boundary ? Action::boundary : Action::no_boundary, 0, number_of(word)});
}

LOUPE_DECL void PatternProgram::open(GroupKind kind) {
  const std::size_t begin = code_.size();
  if (kind != GroupKind::capturing && kind != GroupKind::plain) code_.push_back({Action::look, 0, 0, kind});
  open_groups_.push_back({begin, code_.size(), {}});
}

// A|B|C becomes: fork to 1; A; jump to end; 1: fork to 2; B; jump to end; 2: C; end.
LOUPE_DECL void PatternProgram::next_alternative() {
  OpenGroup& group = open_groups_.back();
  const std::size_t length = code_.size() - group.alternative;
  insert(group.alternative, {Action::fork, static_cast<std::int32_t>(length + 2)});
  group.jumps.push_back(code_.size());
  code_.push_back({Action::jump});
  group.alternative = code_.size();
}

LOUPE_DECL void PatternProgram::close(GroupKind kind, std::size_t width) {
  const OpenGroup& group = open_groups_.back();
  for (const std::size_t jump : group.jumps) code_[jump].jump = static_cast<std::int32_t>(code_.size() - jump);
  if (kind != GroupKind::capturing && kind != GroupKind::plain) {
    code_.push_back({Action::accept});
    code_[group.begin].jump = static_cast<std::int32_t>(code_.size() - group.begin);
    code_[group.begin].argument = static_cast<std::uint32_t>(width);
  }
  open_groups_.pop_back();
  if (open_groups_.empty()) code_.push_back({Action::accept});
}

// X{2,4} becomes: X; X; fork to end; X; fork to end; X; end. X{2,}: X; X; 1: fork to end; X; jump to 1; end.
LOUPE_DECL void PatternProgram::repeat(std::size_t start, std::size_t least, std::optional<std::size_t> most) {
  const std::vector<Instruction> part(code_.begin() + static_cast<std::ptrdiff_t>(start), code_.end());
  const auto length = static_cast<std::int32_t>(part.size());
  code_.resize(start);
  const auto append = [&] { code_.insert(code_.end(), part.begin(), part.end()); };
  for (std::size_t times = 0; times < least; ++times) append();
  if (!most) {
    code_.push_back({Action::fork, length + 2});
    append();
    code_.push_back({Action::jump, -(length + 1)});
    return;
  }
  for (auto rest = static_cast<std::int32_t>(*most - least); rest > 0; --rest) {
    code_.push_back({Action::fork, rest * (length + 1)});
    append();
  }
}

/// One search: the text, and where each instruction has been.
class PatternProgram::Search {
 public:
  Search(const PatternProgram& program, const std::vector<char32_t>& text) noexcept : program_(program), text_(text) {}

  /// Whether a match begins at one of the places from `begin` to `last`. Places that were tried before `last` make later
  /// ones shorter: what failed for one fails for all.
  [[nodiscard]] std::optional<bool> match(std::size_t code_begin, std::size_t code_end, std::size_t begin,
                                          std::size_t last) {
    const std::size_t stride = text_.size() + 1;
    const std::size_t cells = (code_end - code_begin) * stride;
    // Clearing them is work too: looks within looks would do it text times text times.
    steps_ += cells / 64;
    if (steps_ > max_steps) return std::nullopt;
    std::vector<bool> visited(cells);
    std::vector<State> states;
    for (; begin <= last; ++begin) {
      states.push_back({code_begin, begin});
      while (!states.empty()) {
        const State state = states.back();
        states.pop_back();
        auto been = visited[(state.code - code_begin) * stride + state.place];
        if (been) continue;
        been = true;
        if (++steps_ > max_steps) return std::nullopt;
        const Instruction& instruction = program_.code_[state.code];
        const auto target = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(state.code) + instruction.jump);
        switch (instruction.action) {
          case Action::one_of:
            if (state.place < text_.size() && program_.sets_[instruction.argument].contains(text_[state.place]))
              states.push_back({state.code + 1, state.place + 1});
            break;
          case Action::anchor:
            if (stands(static_cast<Anchor>(instruction.argument), state.place))
              states.push_back({state.code + 1, state.place});
            break;
          case Action::boundary:
          case Action::no_boundary: {
            const bool wanted = instruction.action == Action::boundary;
            // Python finds no \B in an empty text.
            if (!text_.empty() && is_boundary(program_.sets_[instruction.argument], state.place) == wanted)
              states.push_back({state.code + 1, state.place});
            break;
          }
          case Action::fork:
            states.push_back({target, state.place});
            states.push_back({state.code + 1, state.place});
            break;
          case Action::jump: states.push_back({target, state.place}); break;
          case Action::look: {
            const auto seen = look(instruction, state.code + 1, target, state.place);
            if (!seen) return std::nullopt;
            if (*seen) states.push_back({target, state.place});
            break;
          }
          case Action::accept: return true;
        }
      }
    }
    return false;
  }

 private:
  struct State {
    std::size_t code;
    std::size_t place;
  };
  static constexpr std::size_t max_steps = 10'000'000;

  [[nodiscard]] bool stands(Anchor where, std::size_t place) const noexcept {
    const bool at_end = place == text_.size();
    switch (where) {
      case Anchor::text_begin: return place == 0;
      case Anchor::line_begin: return place == 0 || text_[place - 1] == '\n';
      case Anchor::text_end: return at_end;
      case Anchor::line_end: return at_end || text_[place] == '\n';
      case Anchor::last_line_end: return at_end || (place + 1 == text_.size() && text_[place] == '\n');
    }
    return false;
  }
  [[nodiscard]] bool is_boundary(const CodePointSet& word, std::size_t place) const noexcept {
    const bool before = place > 0 && word.contains(text_[place - 1]);
    const bool after = place < text_.size() && word.contains(text_[place]);
    return before != after;
  }
  [[nodiscard]] std::optional<bool> look(const Instruction& instruction, std::size_t begin, std::size_t end,
                                         std::size_t place) {
    const bool wanted = instruction.look == GroupKind::ahead || instruction.look == GroupKind::behind;
    const std::size_t width = instruction.argument;
    if (width > place) return !wanted;
    const auto found = match(begin, end, place - width, place - width);
    if (!found) return std::nullopt;
    return *found == wanted;
  }

  const PatternProgram& program_;
  const std::vector<char32_t>& text_;
  std::size_t steps_ = 0;
};

LOUPE_DECL std::optional<bool> PatternProgram::search(std::string_view text) const {
  std::vector<char32_t> codes;
  while (!text.empty()) {
    if (codes.size() == max_text) return std::nullopt;
    codes.push_back(take_code_point(text));
  }
  return Search(*this, codes).match(0, code_.size(), 0, codes.size());
}

}  // namespace loupe::inline LOUPE_ABI
