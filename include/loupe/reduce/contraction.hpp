#pragma once
/// @file
/// Rounding that does not depend on the instruction set: products and sums are never contracted into one operation.

#include "loupe/base/config.hpp"

/// `LOUPE_NO_CONTRACTION` before a function, and `LOUPE_NO_CONTRACTION_HERE` as the first thing in its body, keep the
/// compiler from turning `a * b + c` into a fused multiply-add, which rounds once instead of twice and would make the
/// last bits depend on `-march` and on the path chosen at run time. g++ has only a function attribute (inlined, the
/// function would take its caller's setting), clang only a pragma. An always-inline body has the second alone and is
/// called from functions that have both.
///
/// `LOUPE_CONTRACTION_HERE` allows it in one body, where the product is exact and both ways give the same bits.
#if defined(__clang__)
#define LOUPE_NO_CONTRACTION
#define LOUPE_NO_CONTRACTION_HERE _Pragma("clang fp contract(off)")
#define LOUPE_CONTRACTION_HERE _Pragma("clang fp contract(fast)")
#elif defined(__GNUC__)
#define LOUPE_NO_CONTRACTION [[gnu::optimize("fp-contract=off"), gnu::noinline]]
#define LOUPE_NO_CONTRACTION_HERE
#define LOUPE_CONTRACTION_HERE
#else
#define LOUPE_NO_CONTRACTION
#define LOUPE_NO_CONTRACTION_HERE
#define LOUPE_CONTRACTION_HERE
#endif
