#pragma once
/// @file
/// How a public call gives its outcome: by exception, by `expected`, or by going on and counting.

#include <concepts>
#include <type_traits>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/base/exceptions.hpp"
#include "loupe/base/result.hpp"

namespace loupe::inline LOUPE_ABI {

#if LOUPE_HAS_EXCEPTIONS
/// A call returns its value, and throws the exception type of the error's kind.
struct Throw {
  template <class Value>
  using type = Value;
  static constexpr bool counts = false;
  template <class Value>
  static Value finish(result<Value>&& outcome) {
    if (!outcome) throw_error(std::move(outcome).error());
    if constexpr (!std::is_void_v<Value>) return *std::move(outcome);
  }
};
#endif

/// A call returns `result<Value>`.
struct Expect {
  template <class Value>
  using type = result<Value>;
  static constexpr bool counts = false;
  template <class Value>
  static result<Value> finish(result<Value>&& outcome) {
    return std::move(outcome);
  }
};

/// A call returns its value, or a value-initialised one when it failed; the object counts and keeps the failures.
struct Count {
  template <class Value>
  using type = Value;
  static constexpr bool counts = true;
  template <class Value>
  static Value finish(result<Value>&& outcome) {
    if constexpr (!std::is_void_v<Value>) {
      if (outcome) return *std::move(outcome);
      return Value();
    }
  }
};

/// What a call returns (`type<Value>`) and how a `result` becomes that (`finish`); `counts` asks the object to keep
/// the number of failures and the last one.
template <class Policy>
concept ErrorPolicy = requires(result<int>&& outcome) {
  typename Policy::template type<int>;
  { Policy::finish(std::move(outcome)) } -> std::same_as<typename Policy::template type<int>>;
  { Policy::counts } -> std::convertible_to<bool>;
};

/// The policy of readers when none is named.
#if LOUPE_HAS_EXCEPTIONS
using DefaultErrorPolicy = Throw;
#else
using DefaultErrorPolicy = Expect;
#endif

}  // namespace loupe::inline LOUPE_ABI
