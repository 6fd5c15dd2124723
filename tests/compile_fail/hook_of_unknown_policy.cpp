// expect: loupe::Hook: each policy must model exactly one of Storage, RankScheme
#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"

struct Stray {};

#ifdef LOUPE_MUST_FAIL
using Wrong = loupe::Hook<loupe::frameworks::Span, Stray>;
#else
using Wrong = loupe::Hook<loupe::frameworks::Span, loupe::Throw>;
#endif
void use(Wrong& hook) { hook.begin_step(); }
