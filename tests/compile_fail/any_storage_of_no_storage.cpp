// expect: loupe::AnyStorage: the type must model loupe::Storage; see loupe/storage/concept.hpp
#include "loupe/storage/any_storage.hpp"
#include "loupe/storage/memory.hpp"

struct NoStorage {};

#ifdef LOUPE_MUST_FAIL
loupe::AnyStorage wrong() { return loupe::AnyStorage(NoStorage()); }
#else
loupe::AnyStorage right() { return loupe::AnyStorage(loupe::MemoryStorage()); }
#endif
