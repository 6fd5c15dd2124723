// A tensor offered at a step at which nothing is due: one operation is one `save`.

#include <vector>

#include "callgrind/counted.hpp"
#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"
#include "loupe/storage/memory.hpp"

int main() {
  loupe::Hook<loupe::frameworks::Span, loupe::MemoryStorage> hook({.save = {.interval = 1000}}, loupe::MemoryStorage());
  const std::vector<float> tensor(1024, 1.5F);
  hook.step(loupe::Mode::train).save("fc1.weight", tensor);
  auto step = hook.step(loupe::Mode::train);
  counted([&] {
    for (int i = 0; i < operations; ++i) step.save("fc1.weight", tensor);
  });
}
