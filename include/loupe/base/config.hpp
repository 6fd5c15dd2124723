#pragma once
/// @file
/// Version, feature switches and the ABI tag. Every macro that a user may set is listed here.
///
/// | macro | meaning | default |
/// | --- | --- | --- |
/// | `LOUPE_SEPARATE_COMPILATION` | bodies are compiled once, in the unit that includes `loupe/src.hpp` | unset: header-only |
/// | `LOUPE_NO_INTRINSICS` | portable code only, no run-time choice of instruction sets | unset |
/// | `LOUPE_DISABLE` | `HookRef` calls in `probe.hpp` compile to nothing | unset |

#if defined(__cplusplus) && __cplusplus < 202002L
#error "loupe needs C++20 or newer: compile with -std=c++20 or a later standard"
#endif

#include <version>

#define LOUPE_VERSION_MAJOR 0
#define LOUPE_VERSION_MINOR 1
#define LOUPE_VERSION_PATCH 0

#if defined(__cpp_lib_expected) && __cpp_lib_expected >= 202202L
#define LOUPE_HAS_STD_EXPECTED 1
#define LOUPE_ABI_EXPECTED e1
#else
#define LOUPE_HAS_STD_EXPECTED 0
#define LOUPE_ABI_EXPECTED e0
#endif

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
#define LOUPE_HAS_EXCEPTIONS 1
#define LOUPE_ABI_EXCEPTIONS x1
#else
#define LOUPE_HAS_EXCEPTIONS 0
#define LOUPE_ABI_EXCEPTIONS x0
#endif

#if !defined(LOUPE_NO_INTRINSICS) && defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define LOUPE_HAS_X86_DISPATCH 1
#define LOUPE_ABI_INTRINSICS i1
#else
#define LOUPE_HAS_X86_DISPATCH 0
#define LOUPE_ABI_INTRINSICS i0
#endif

#if defined(LOUPE_DISABLE)
#define LOUPE_ABI_PROBES p0
#else
#define LOUPE_ABI_PROBES p1
#endif

// loupe's own build of `loupe::compiled` says what it was built as.
#if defined(LOUPE_COMPILED_AS_CXX) && (LOUPE_COMPILED_AS_CXX >= 23) != (__cplusplus > 202002L)
#error "loupe::compiled was built in another C++ standard than this unit: set CMAKE_CXX_STANDARD before loupe is added"
#endif

/// The name of loupe's inline namespace: version, which `expected`, exceptions on or off, instruction-set dispatch,
/// probes. Units that differ in any of them get different symbols instead of a silent violation of the one-definition rule.
#define LOUPE_ABI LOUPE_ABI_JOIN(LOUPE_VERSION_MAJOR, LOUPE_VERSION_MINOR, LOUPE_ABI_EXPECTED, LOUPE_ABI_EXCEPTIONS, LOUPE_ABI_INTRINSICS, LOUPE_ABI_PROBES)
#define LOUPE_ABI_JOIN(major, minor, e, x, i, p) LOUPE_ABI_PASTE(major, minor, e, x, i, p)
#define LOUPE_ABI_PASTE(major, minor, e, x, i, p) v##major##_##minor##_##e##_##x##_##i##_##p

#if defined(LOUPE_SEPARATE_COMPILATION)
#define LOUPE_DECL
#else
#define LOUPE_DECL inline
#endif

#if defined(__GNUC__) || defined(__clang__)
#define LOUPE_ALWAYS_INLINE [[gnu::always_inline]] inline
#define LOUPE_NEVER_INLINE [[gnu::noinline]]
#define LOUPE_COLD [[gnu::cold]]
#else
#define LOUPE_ALWAYS_INLINE inline
#define LOUPE_NEVER_INLINE
#define LOUPE_COLD
#endif
