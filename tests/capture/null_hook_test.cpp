#include "loupe/capture/null_hook.hpp"

#include <type_traits>
#include <utility>
#include <vector>

#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"
#include "loupe/storage/memory.hpp"

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

namespace {

/// What a program asks of its hook besides the loop.
template <class HookType>
std::uint64_t surroundings(HookType& hook) {
  hook.collection("weights")->include("weight$");
  hook.add_collection(loupe::Collection{.name = "mine", .include_regex = {"^m"}});
  hook.set_mode(loupe::Mode::train);
  typename HookType::Step step = hook.step();
  step.save("weight", 1.0f);
  step.end();
  hook.flush();
  CHECK(hook.current_step() <= loupe::Step(0));
  CHECK(hook.current_step(loupe::Mode::train).mode == loupe::Mode::train);
  CHECK(hook.mode() != loupe::Mode::eval);
  CHECK(hook.failures().count == 0);
  return hook.counts().tensors;
}

}  // namespace

TEST_CASE("a program for a hook is one for a null hook, from construction to counts") {
  using Hook = loupe::Hook<loupe::frameworks::Span, loupe::MemoryStorage, loupe::InlineExecutor>;
  loupe::HookConfig config;
  config.save.interval = 1;
  Hook hook(config, loupe::MemoryStorage());
  loupe::NullHook null(config, loupe::MemoryStorage());
  CHECK(surroundings(hook) == 1);
  CHECK(surroundings(null) == 0);
  CHECK(loupe::NullHook::create(config, loupe::MemoryStorage()).has_value());
  CHECK(null.collection("next")->include_regex.empty());
}

TEST_CASE("a null hook takes the calls of a hook and hands out a detached probe") {
  loupe::NullHook hook;
  CHECK(loop(hook) == 3);
  CHECK_FALSE(hook.ref().armed());
}
