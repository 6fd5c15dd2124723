// expect: loupe::Task: the callable is larger than four words: let it hold a pointer to its state
#include "loupe/base/task.hpp"

struct State {
#ifdef LOUPE_MUST_FAIL
  void* words[5];
#else
  void* words[4];
#endif
};

loupe::Task task(State state) {
  return loupe::Task([state]() noexcept { (void)state; });
}
