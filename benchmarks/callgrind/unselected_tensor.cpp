// A tensor offered at a step at which others are due: one operation is one `save`.

#include <string>
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
  std::vector<std::string> names;
  for (int i = 0; i < operations; ++i) names.push_back("layer" + std::to_string(i) + ".weight");
  for (const auto& name : names) step.save(name, tensor);
  step.end();
  step = hook.step(loupe::Mode::train);
  counted([&] {
    for (const auto& name : names) step.save(name, tensor);
  });
}
