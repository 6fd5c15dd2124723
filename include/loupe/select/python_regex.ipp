#include "loupe/select/python_regex.hpp"

#include <utility>

#include "loupe/select/pattern_program.hpp"

namespace loupe::inline LOUPE_ABI {

namespace detail {

class PythonRegex {
 public:
  PythonRegex(std::string_view source, PatternProgram program) : source_(source), program_(std::move(program)) {}
  [[nodiscard]] result<bool> search(std::string_view name) const {
    if (const auto found = program_.search(name)) return *found;
    return fail(ErrorKind::limit_exceeded, Text::join("pattern ", source_.view()),
                Text::join("takes too long to search the name ", name.substr(0, 64), name.size() > 64 ? "..." : ""));
  }

 private:
  Text source_;
  PatternProgram program_;
};

}  // namespace detail

LOUPE_DECL result<AnyPattern> compile_python_regex(std::string_view pattern) {
  PatternProgram program;
  LOUPE_TRY(PatternParser<PatternProgram>(pattern, program).parse());
  return AnyPattern(detail::PythonRegex(pattern, std::move(program)));
}

}  // namespace loupe::inline LOUPE_ABI
