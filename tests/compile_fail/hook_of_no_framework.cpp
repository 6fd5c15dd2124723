// expect: loupe::Hook: the first argument must model loupe::Framework
#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"

struct NoFramework {};

#ifdef LOUPE_MUST_FAIL
using Wrong = loupe::Hook<NoFramework>;
#else
using Wrong = loupe::Hook<loupe::frameworks::Span>;
#endif
void use(Wrong& hook) { hook.begin_step(); }
