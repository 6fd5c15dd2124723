// A tensor offered at a step at which others are due: one operation is one `save`.

#include <vector>

#include "callgrind/counted.hpp"
#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"
#include "loupe/storage/memory.hpp"

int main() {
  loupe::Hook<loupe::frameworks::Span, loupe::MemoryStorage> hook({.save = {.interval = 1}, .include_regex = {"^loss"}},
                                                                  loupe::MemoryStorage());
  const std::vector<float> tensor(1024, 1.5F);
  auto step = hook.step(loupe::Mode::train);
  step.save("fc1.weight", tensor);
  counted([&] {
    for (int i = 0; i < operations; ++i) step.save("fc1.weight", tensor);
  });
}
