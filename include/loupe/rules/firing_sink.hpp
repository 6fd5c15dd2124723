#pragma once
/// @file
/// Who is told that a rule has fired.

#include <memory>
#include <type_traits>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/rules/firing.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// Is told each firing, in the step in which it happens. A failure is reported and doesn't reach the rule or the training.
class FiringSink {
 public:
  virtual ~FiringSink() = default;
  virtual result<void> fired(const Firing& firing) = 0;
};

/// A sink that calls what it was made of: `void(const Firing&)` or `result<void>(const Firing&)`.
template <class Callable>
class CallingSink final : public FiringSink {
 public:
  explicit CallingSink(Callable callable) : callable_(std::move(callable)) {}
  result<void> fired(const Firing& firing) override {
    if constexpr (std::is_void_v<decltype(callable_(firing))>) {
      callable_(firing);
      return {};
    } else {
      return callable_(firing);
    }
  }

 private:
  Callable callable_;
};

/// A sink of a callable: `on_firing([](const Firing& firing) { … })`.
template <class Callable>
std::shared_ptr<FiringSink> on_firing(Callable callable) {
  return std::make_shared<CallingSink<Callable>>(std::move(callable));
}

}  // namespace loupe::inline LOUPE_ABI::rules
