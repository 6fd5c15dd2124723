// expect: loupe::Hook: two storages were given; a hook has one
#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"
#include "loupe/storage/memory.hpp"

#ifdef LOUPE_MUST_FAIL
using Wrong = loupe::Hook<loupe::frameworks::Span, loupe::MemoryStorage, loupe::LocalStorage>;
#else
using Wrong = loupe::Hook<loupe::frameworks::Span, loupe::MemoryStorage>;
#endif
void use(Wrong& hook) { hook.begin_step(); }
