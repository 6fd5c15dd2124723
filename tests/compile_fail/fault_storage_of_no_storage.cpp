// expect: loupe::FaultStorage: the type must model loupe::Storage; see loupe/storage/concept.hpp
#include "loupe/storage/fault.hpp"
#include "loupe/storage/memory.hpp"

struct Folder {};

#ifdef LOUPE_MUST_FAIL
using Inner = Folder;
#else
using Inner = loupe::MemoryStorage;
#endif
auto size = sizeof(loupe::FaultStorage<Inner>);
