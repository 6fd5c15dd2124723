#pragma once
/// @file
/// loupe's own engine for Python's regular expressions.

#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/select/any_pattern.hpp"

namespace loupe::inline LOUPE_ABI {

/// Compiles a pattern in Python's syntax, with look-ahead and look-behind; see `PatternParser` for what differs from
/// `re.search`. Back-references alone are `unsupported`: a search would have no bound in time. A search that is too
/// long for `PatternProgram` is `limit_exceeded`. `std::regex` would be no replacement: it lacks look-behind, knows
/// bytes only, follows the length of a name with its stack, and costs seconds to compile.
LOUPE_DECL result<AnyPattern> compile_python_regex(std::string_view pattern);

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/select/python_regex.ipp"
#endif
