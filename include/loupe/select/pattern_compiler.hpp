#pragma once
/// @file
/// The type of regex engines, without that of what they compile.

#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/select/fwd.hpp"

namespace loupe::inline LOUPE_ABI {

/// A regex engine: compiles a pattern in Python's syntax, or says in an error that names the pattern why not
/// (`invalid_argument`: no regular expression; `unsupported`: the engine lacks it; `limit_exceeded`: too large).
/// `compile_python_regex` is loupe's own, `compile_boost_regex` another.
using PatternCompiler = result<AnyPattern> (*)(std::string_view pattern);

}  // namespace loupe::inline LOUPE_ABI
