// expect: loupe::Task: the callable is larger than four words: let it hold a pointer to its state
#include "loupe/base/executor.hpp"

#ifdef LOUPE_MUST_FAIL
struct State {
  long words[5];
};
#else
struct State {
  long words[4];
};
#endif

loupe::Task make(State state) {
  return loupe::Task([state]() noexcept { (void)state; });
}
