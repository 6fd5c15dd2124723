// expect: loupe: a rule looks at a collection that this hook's Framework can't fill
#include <string_view>

#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"
#include "loupe/rules/attach.hpp"
#include "loupe/rules/builtin/exploding_tensor.hpp"
#include "loupe/rules/builtin/vanishing_gradient.hpp"

/// An inference engine: it has no gradients.
struct Engine : loupe::frameworks::Span {
  static constexpr std::string_view name = "engine";
  static constexpr bool fills(std::string_view collection) noexcept { return collection != "gradients"; }
};

void attach(loupe::Hook<Engine>& hook) {
#ifdef LOUPE_MUST_FAIL
  hook.rules(loupe::rules::vanishing_gradient());
#else
  hook.rules(loupe::rules::exploding_tensor());
#endif
}
