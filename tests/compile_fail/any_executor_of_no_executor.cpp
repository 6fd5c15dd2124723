// expect: loupe::AnyExecutor: the type must model loupe::Executor; see loupe/base/executor.hpp
#include "loupe/base/any_executor.hpp"

struct Pool {
  void submit(loupe::Task) {}
};

loupe::AnyExecutor executor_of_hook() {
#ifdef LOUPE_MUST_FAIL
  return loupe::AnyExecutor(Pool());
#else
  return loupe::AnyExecutor(loupe::InlineExecutor());
#endif
}
