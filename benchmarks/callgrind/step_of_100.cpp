// A step at which 100 tensors of 16 elements are saved: one operation is a step, from its begin to its end. The writer's
// thread is not counted, and idle when a step begins.

#include <string>
#include <vector>

#include "callgrind/counted.hpp"
#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"
#include "loupe/storage/memory.hpp"

int main() {
  loupe::Hook<loupe::frameworks::Span, loupe::MemoryStorage> hook({.save = {.interval = 1}}, loupe::MemoryStorage());
  const std::vector<float> tensor(16, 1.5F);
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) names.push_back("layer" + std::to_string(i) + ".bias");
  const auto play_step = [&] {
    auto step = hook.step(loupe::Mode::train);
    for (const auto& name : names) step.save(name, tensor);
  };
  for (int warm_up = 0; warm_up < 2; ++warm_up) {
    play_step();
    hook.flush();
  }
  for (int i = 0; i < operations; ++i) {
    counted(play_step);
    hook.flush();
  }
}
