#pragma once
/// @file
/// A callable that is borrowed for the duration of a call.

#include <type_traits>
#include <utility>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

template <class Signature>
class FunctionRef;

/// Refers to a callable that outlives it; two words, no allocation. Bind it only as a parameter.
template <class Return, class... Arguments>
class FunctionRef<Return(Arguments...)> {
 public:
  template <class Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef> &&
             std::is_invocable_r_v<Return, Callable&, Arguments...>)
  FunctionRef(Callable&& callable) noexcept
      : object_(const_cast<void*>(static_cast<const void*>(__builtin_addressof(callable)))),
        call_([](void* object, Arguments... arguments) -> Return {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(std::forward<Arguments>(arguments)...);
        }) {}

  Return operator()(Arguments... arguments) const { return call_(object_, std::forward<Arguments>(arguments)...); }

 private:
  void* object_;
  Return (*call_)(void*, Arguments...);
};

}  // namespace loupe::inline LOUPE_ABI
