#pragma once
/// @file
/// `loupe::expected`: `std::expected` where the library has it, else a subset with the same interface (without the
/// monadic functions, which loupe never uses).

#include "loupe/base/config.hpp"

#if LOUPE_HAS_STD_EXPECTED
#include <expected>
namespace loupe::inline LOUPE_ABI {
using std::expected;
using std::unexpected;
}  // namespace loupe::inline LOUPE_ABI
#else
#include <concepts>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace loupe::inline LOUPE_ABI {

/// The error half of an `expected`.
template <class Failure>
class unexpected {
 public:
  constexpr explicit unexpected(Failure failure) : failure_(std::move(failure)) {}
  constexpr const Failure& error() const& noexcept { return failure_; }
  constexpr Failure& error() & noexcept { return failure_; }
  constexpr Failure&& error() && noexcept { return std::move(failure_); }

 private:
  Failure failure_;
};
template <class Failure>
unexpected(Failure) -> unexpected<Failure>;

/// A value or an error, as `std::expected`. Reading the half that is not there is undefined, as there.
template <class Value, class Failure>
class [[nodiscard]] expected {
 public:
  using value_type = Value;
  using error_type = Failure;
  using unexpected_type = unexpected<Failure>;

  constexpr expected()
    requires std::default_initializable<Value>
      : value_(), has_value_(true) {}
  template <class Source = Value>
    requires(!std::same_as<std::remove_cvref_t<Source>, expected> &&
             !std::same_as<std::remove_cvref_t<Source>, unexpected<Failure>> && std::constructible_from<Value, Source>)
  constexpr explicit(!std::convertible_to<Source, Value>) expected(Source&& value)
      : value_(std::forward<Source>(value)), has_value_(true) {}
  template <class Other>
    requires std::constructible_from<Failure, Other>
  constexpr expected(unexpected<Other> failure) : failure_(std::move(failure).error()), has_value_(false) {}
  constexpr expected(const expected& other)
    requires std::copy_constructible<Value>
      : empty_(), has_value_(other.has_value_) { build_from(other); }
  constexpr expected(expected&& other) noexcept(std::is_nothrow_move_constructible_v<Value>)
      : empty_(), has_value_(other.has_value_) {
    build_from(std::move(other));
  }
  constexpr expected& operator=(const expected& other)
    requires std::copy_constructible<Value>
  {
    if (this != &other) {
      expected copy(other);
      *this = std::move(copy);
    }
    return *this;
  }
  constexpr expected& operator=(expected&& other) noexcept(std::is_nothrow_move_constructible_v<Value>) {
    if (this == &other) return *this;
    destroy();
    has_value_ = other.has_value_;
    build_from(std::move(other));
    return *this;
  }
  constexpr ~expected() { destroy(); }

  constexpr bool has_value() const noexcept { return has_value_; }
  constexpr explicit operator bool() const noexcept { return has_value_; }
  constexpr Value& operator*() & noexcept { return value_; }
  constexpr const Value& operator*() const& noexcept { return value_; }
  constexpr Value&& operator*() && noexcept { return std::move(value_); }
  constexpr Value* operator->() noexcept { return &value_; }
  constexpr const Value* operator->() const noexcept { return &value_; }
  constexpr Value& value() & noexcept { return value_; }
  constexpr const Value& value() const& noexcept { return value_; }
  constexpr Value&& value() && noexcept { return std::move(value_); }
  constexpr Failure& error() & noexcept { return failure_; }
  constexpr const Failure& error() const& noexcept { return failure_; }
  constexpr Failure&& error() && noexcept { return std::move(failure_); }
  template <class Fallback>
  constexpr Value value_or(Fallback&& fallback) const& {
    return has_value_ ? value_ : static_cast<Value>(std::forward<Fallback>(fallback));
  }
  template <class Fallback>
  constexpr Value value_or(Fallback&& fallback) && {
    return has_value_ ? std::move(value_) : static_cast<Value>(std::forward<Fallback>(fallback));
  }

 private:
  template <class Source>
  constexpr void build_from(Source&& other) {
    if (has_value_)
      ::new (static_cast<void*>(&value_)) Value(std::forward<Source>(other).value_);
    else
      ::new (static_cast<void*>(&failure_)) Failure(std::forward<Source>(other).failure_);
  }
  constexpr void destroy() noexcept {
    if (has_value_)
      value_.~Value();
    else
      failure_.~Failure();
  }
  struct Empty {};
  union {
    Empty empty_;
    Value value_;
    Failure failure_;
  };
  bool has_value_;
};

/// Nothing or an error.
template <class Failure>
class [[nodiscard]] expected<void, Failure> {
 public:
  using value_type = void;
  using error_type = Failure;
  using unexpected_type = unexpected<Failure>;

  constexpr expected() noexcept = default;
  template <class Other>
    requires std::constructible_from<Failure, Other>
  constexpr expected(unexpected<Other> failure) : state_(std::move(failure)) {}
  constexpr bool has_value() const noexcept { return state_.has_value(); }
  constexpr explicit operator bool() const noexcept { return state_.has_value(); }
  constexpr void operator*() const noexcept {}
  constexpr void value() const noexcept {}
  constexpr Failure& error() & noexcept { return state_.error(); }
  constexpr const Failure& error() const& noexcept { return state_.error(); }
  constexpr Failure&& error() && noexcept { return std::move(state_).error(); }

 private:
  struct Nothing {};
  expected<Nothing, Failure> state_;
};

}  // namespace loupe::inline LOUPE_ABI
#endif
