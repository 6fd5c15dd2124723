// A tensor of 4 KB that is saved whole: one operation is one `save`.

#include <string>
#include <vector>

#include "callgrind/counted.hpp"
#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"
#include "loupe/storage/memory.hpp"

int main() {
  loupe::Hook<loupe::frameworks::Span, loupe::MemoryStorage> hook({.save = {.interval = 1}}, loupe::MemoryStorage());
  const std::vector<float> tensor(1024, 1.5F);
  std::vector<std::string> names;
  for (int i = 0; i < operations; ++i) names.push_back("layer" + std::to_string(i) + ".weight");
  const auto save_all = [&](auto& step) {
    for (const auto& name : names) step.save(name, tensor);
  };
  for (int warm_up = 0; warm_up < 2; ++warm_up) {
    auto step = hook.step(loupe::Mode::train);
    save_all(step);
    step.end();
    hook.flush();
  }
  auto step = hook.step(loupe::Mode::train);
  counted([&] { save_all(step); });
}
