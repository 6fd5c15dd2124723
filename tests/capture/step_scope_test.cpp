#include "loupe/capture/step_scope.hpp"

#include <optional>
#include <utility>

#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"
#include "loupe/storage/memory.hpp"
#include "loupe/trial/trial.hpp"
#include "support/catch.hpp"

using loupe::HookConfig;
using loupe::MemoryStorage;
using loupe::Mode;

namespace {

using Span = loupe::frameworks::Span;
using MemoryHook = loupe::Hook<Span, MemoryStorage, loupe::InlineExecutor>;

HookConfig every_step() {
  HookConfig config;
  config.save.interval = 1;
  config.report = {.write = [](void*, std::string_view) {}};
  return config;
}

}  // namespace

TEST_CASE("a variable that the next step is assigned to holds that step open") {
  const MemoryStorage storage;
  MemoryHook hook(every_step(), storage);
  auto step = hook.step(Mode::train);
  step.save("w", 0.0);
  for (int number = 1; number < 3; ++number) {
    step = hook.step(Mode::train);
    step.save("w", static_cast<double>(number));
  }
  hook.close();
  CHECK(hook.failures().count == 0);
  const loupe::Trial<MemoryStorage> trial(storage);
  REQUIRE(trial.steps(Mode::train).size() == 3);
  CHECK(trial.tensor("w").scalar(2) == 2.0);
}

TEST_CASE("the end of an outer scope leaves a later step of the same hook open") {
  const MemoryStorage storage;
  MemoryHook hook(every_step(), storage);
  MemoryHook::Step later;
  {
    auto outer = hook.step(Mode::train);
    later = hook.step(Mode::train);
    outer.end();
  }
  CHECK(later.armed());
  later.save("w", 7.0);
  later.end();
  hook.close();
  CHECK(loupe::Trial<MemoryStorage>(storage).tensor("w").scalar(1) == 7.0);
}

TEST_CASE("a scope that a moved hook has left behind ends nothing") {
  const MemoryStorage storage;
  MemoryHook hook(every_step(), storage);
  std::optional<MemoryHook> moved;
  {
    auto step = hook.step(Mode::train);
    moved.emplace(std::move(hook));
  }
  CHECK(moved->armed());
  moved->save("w", 1.0);
  moved->close();
  CHECK(loupe::Trial<MemoryStorage>(storage).tensor("w").scalar(0) == 1.0);
}

TEST_CASE("ending a step twice, or one that was refused, is nothing") {
  MemoryHook hook(every_step(), MemoryStorage());
  auto step = hook.step(Mode::train);
  step.end();
  step.end();
  hook.close();
  auto refused = hook.step(Mode::train);
  refused.save("w", 1.0).scalar("s", 2);
  refused.end();
  CHECK(hook.failures().count == 1);
}
