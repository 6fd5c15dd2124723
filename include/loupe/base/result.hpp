#pragma once
/// @file
/// What every internal function of loupe returns, and two helpers to write such functions.

#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/base/error.hpp"
#include "loupe/base/expected.hpp"

namespace loupe::inline LOUPE_ABI {

/// A value or an `Error`.
template <class Value>
using result = expected<Value, Error>;

/// An error to return from a function that gives a `result`.
[[nodiscard]] inline unexpected<Error> fail(Error error) { return unexpected<Error>(std::move(error)); }

/// The usual error: a kind, the object it is about, what was wrong.
[[nodiscard]] inline unexpected<Error> fail(ErrorKind kind, Text object, Text detail) {
  return unexpected<Error>(Error{.kind = kind, .object = std::move(object), .detail = std::move(detail)});
}

/// Damaged bytes: the file or object, the byte offset in it, the reason.
[[nodiscard]] inline unexpected<Error> fail_at(ErrorKind kind, Text object, std::int64_t offset, Text detail) {
  return unexpected<Error>(
      Error{.kind = kind, .object = std::move(object), .detail = std::move(detail), .offset = offset});
}

}  // namespace loupe::inline LOUPE_ABI

#define LOUPE_PASTE_IMPL(a, b) a##b
#define LOUPE_PASTE(a, b) LOUPE_PASTE_IMPL(a, b)

/// Evaluates a `result` and returns its error from the enclosing function, if it has one.
#define LOUPE_TRY(...)                                                                       \
  do {                                                                                       \
    if (auto LOUPE_PASTE(loupe_tried_, __LINE__) = (__VA_ARGS__); !LOUPE_PASTE(loupe_tried_, __LINE__)) \
      return ::loupe::unexpected<::loupe::Error>(std::move(LOUPE_PASTE(loupe_tried_, __LINE__)).error()); \
  } while (false)

/// `LOUPE_ASSIGN(auto x, expression)`: declares or assigns the value of a `result`, or returns its error.
#define LOUPE_ASSIGN(target, ...)                                                            \
  auto LOUPE_PASTE(loupe_assigned_, __LINE__) = (__VA_ARGS__);                               \
  if (!LOUPE_PASTE(loupe_assigned_, __LINE__))                                               \
    return ::loupe::unexpected<::loupe::Error>(std::move(LOUPE_PASTE(loupe_assigned_, __LINE__)).error()); \
  target = *std::move(LOUPE_PASTE(loupe_assigned_, __LINE__))
