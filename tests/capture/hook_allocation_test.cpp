#include "loupe/hook.hpp"

#include <cstdint>
#include <string>
#include <vector>

#include "loupe/frameworks/span.hpp"
#include "loupe/storage/memory.hpp"
#include "support/catch.hpp"
#include "support/counting_allocator.hpp"

using loupe::HookConfig;
using loupe::Mode;
using loupe::Statistic;

TEST_CASE("after warm-up a step allocates nothing on the training thread, whatever it saves") {
  HookConfig config;
  config.save.interval = 1;
  config.max_pending_bytes = 1;  // one step waits at a time, so that each gets a buffer that has been used before
  config.collections.push_back(
      {.name = "statistics",
       .include_regex = {"^gradient"},
       .reductions = loupe::ReductionConfig{.statistics = {Statistic::min, Statistic::max, Statistic::mean, Statistic::std, Statistic::l2, Statistic::abs_max}}});
  config.collections.push_back({.name = "values", .include_regex = {"^weight"}});
  config.collections.push_back({.name = "shapes", .include_regex = {"^output"}, .reductions = loupe::ReductionConfig{.save_shape = true}});
  loupe::Hook<loupe::frameworks::Span, loupe::MemoryStorage, loupe::Throw> hook(config, loupe::MemoryStorage());

  const std::vector<float> tensor(1024, 0.5f);
  std::vector<std::string> names;
  for (const char* kind : {"gradient/layer", "weight/layer", "output/layer", "unselected/layer"})
    for (int layer = 0; layer < 10; ++layer) names.push_back(kind + std::to_string(layer));
  const auto one_step = [&] {
    auto step = hook.step(Mode::train);
    for (const std::string& name : names) step.save(name, tensor);
    step.scalar("accuracy", 0.5);
  };
  for (int batch = 0; batch < 20; ++batch) one_step();
  hook.flush();
  const std::size_t before = allocations_of_this_thread;
  for (int batch = 0; batch < 100; ++batch) one_step();
  CHECK(allocations_of_this_thread - before == 0);
}
