#pragma once
/// @file
/// The engine on Boost.Regex: back-references too. Links Boost.Regex (target `loupe::regex`).

#include <boost/regex.hpp>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/select/any_pattern.hpp"
#include "loupe/select/perl_pattern.hpp"

#if !LOUPE_HAS_EXCEPTIONS
#error "loupe/select/boost_regex.hpp needs exceptions: Boost.Regex reports bad patterns by them"
#endif

namespace loupe::inline LOUPE_ABI {

namespace detail {

/// A pattern of Boost's engine.
class BoostPattern {
 public:
  BoostPattern(std::string_view source, const PerlPattern& pattern)
      : source_(source),
        regex_(pattern.text().data(), pattern.text().data() + pattern.text().size()) {}

  [[nodiscard]] result<bool> search(std::string_view name) const {
    std::vector<wchar_t> wide;
    for (std::string_view rest = name; !rest.empty();) wide.push_back(static_cast<wchar_t>(take_code_point(rest)));
    try {
      return boost::regex_search(wide.data(), wide.data() + wide.size(), regex_, boost::match_any);
    } catch (const std::runtime_error& refusal) {
      return fail(ErrorKind::limit_exceeded, Text::join("pattern ", source_.view()),
                  Text::join("gave up on the name ", name, ": ", std::string_view(refusal.what())));
    }
  }

 private:
  Text source_;
  boost::wregex regex_;
};

}  // namespace detail

/// Compiles a pattern in Python's syntax (see `PatternParser` for what differs from `re.search`) by `boost::wregex`.
/// Boost searches without recursion and gives up on a search that takes too many steps (`limit_exceeded`); no exception
/// leaves the function.
inline result<AnyPattern> compile_boost_regex(std::string_view pattern) {
  PerlPattern perl;
  LOUPE_TRY(PatternParser<PerlPattern>(pattern, perl).parse());
  try {
    return AnyPattern(detail::BoostPattern(pattern, perl));
  } catch (const boost::regex_error& refusal) {
    return fail(ErrorKind::unsupported, Text::join("pattern ", pattern),
                Text::join("Boost.Regex refuses it: ", std::string_view(refusal.what())));
  }
}

}  // namespace loupe::inline LOUPE_ABI
