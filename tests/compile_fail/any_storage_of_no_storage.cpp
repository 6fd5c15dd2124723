// expect: loupe::AnyStorage: the type must model loupe::Storage; see loupe/storage/concept.hpp
#include "loupe/storage/any_storage.hpp"
#include "loupe/storage/memory.hpp"

struct Folder {};

loupe::AnyStorage storage() {
#ifdef LOUPE_MUST_FAIL
  return loupe::AnyStorage(Folder());
#else
  return loupe::AnyStorage(loupe::MemoryStorage());
#endif
}
