// expect: no matching (function|constructor|conversion)|no known conversion
#include "loupe/base/executor.hpp"

#ifdef LOUPE_MUST_FAIL
loupe::Task make() {
  return loupe::Task([] {});
}
#else
loupe::Task make() {
  return loupe::Task([]() noexcept {});
}
#endif
