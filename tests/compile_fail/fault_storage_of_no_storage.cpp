// expect: loupe::FaultStorage: the type must model loupe::Storage; see loupe/storage/concept.hpp
#include "loupe/storage/fault.hpp"
#include "loupe/storage/memory.hpp"

struct NoStorage {};

#ifdef LOUPE_MUST_FAIL
using Type = loupe::FaultStorage<NoStorage>;
#else
using Type = loupe::FaultStorage<loupe::MemoryStorage>;
#endif
bool use(Type& storage) { return storage.remove("a").has_value(); }
