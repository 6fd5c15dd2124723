#pragma once
/// @file
/// Keeps exceptions that loupe did not raise (no memory, a user's callback) from reaching code that must not see them.

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"

#if LOUPE_HAS_EXCEPTIONS
#include <exception>
#include <new>
#endif

namespace loupe::inline LOUPE_ABI {

/// Calls `call`, which gives a `result`, and turns an exception into an error of it. `what` names the action.
template <class Call>
auto contained(const char* what, Call&& call) noexcept -> decltype(call()) {
#if LOUPE_HAS_EXCEPTIONS
  // The error itself is built of short texts; if even those find no memory, an empty one says what its kind says.
  try {
    try {
      return call();
    } catch (const std::bad_alloc&) {
      return fail(ErrorKind::limit_exceeded, what, "out of memory");
    } catch (const std::exception& exception) {
      return fail(ErrorKind::invalid_state, what, exception.what());
    } catch (...) {
      return fail(ErrorKind::invalid_state, what, "an exception of unknown type");
    }
  } catch (...) {
    return fail(Error{.kind = ErrorKind::limit_exceeded});
  }
#else
  (void)what;
  return call();
#endif
}

}  // namespace loupe::inline LOUPE_ABI
