#include "loupe/base/function_ref.hpp"

#include <string>

#include "support/catch.hpp"

namespace {
int apply(loupe::FunctionRef<int(int)> call) { return call(20); }
int twice(int number) { return 2 * number; }
}  // namespace

TEST_CASE("any callable is borrowed, state and all") {
  int calls = 0;
  CHECK(apply([&](int number) { return ++calls, number + 1; }) == 21);
  CHECK(calls == 1);
  CHECK(apply(&twice) == 40);
}
