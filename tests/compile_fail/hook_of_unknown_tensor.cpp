// expect: loupe: this hook's Framework has no view\(tensor\) for this type
#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"

struct Foreign {};

void save(loupe::Hook<loupe::frameworks::Span>& hook) {
#ifdef LOUPE_MUST_FAIL
  hook.save("tensor", Foreign());
#else
  hook.save("tensor", 1.0f);
#endif
}
