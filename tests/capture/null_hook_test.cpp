#include "loupe/capture/null_hook.hpp"

#include <type_traits>
#include <vector>

#include "support/catch.hpp"

namespace {

/// A training loop as users write it, for any hook.
template <class HookType>
constexpr int loop(HookType hook) {
  const float weights[2] = {1, 2};
  int steps = 0;
  for (int batch = 0; batch < 3; ++batch) {
    auto step = hook.step(loupe::Mode::train);
    step.save("weight", weights).save("again", weights).scalar("loss", 0.5);
    if (!step.armed()) ++steps;
  }
  hook.close();
  return steps;
}

static_assert(std::is_empty_v<loupe::NullHook>);
static_assert(loop(loupe::NullHook()) == 3, "a loop with a null hook is computed by the compiler: nothing of the hook is left");

}  // namespace

TEST_CASE("a null hook takes the calls of a hook and hands out a detached probe") {
  loupe::NullHook hook;
  CHECK(loop(hook) == 3);
  CHECK_FALSE(hook.ref().armed());
}
