// A training loop on spans, complete.
#include <vector>

#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"

void train(const std::vector<float>& weights, float loss) {
  loupe::Hook<loupe::frameworks::Span> hook({.out_dir = "runs/1", .save = {.interval = 10}});
  auto step = hook.step(loupe::Mode::train);
  step.save("loss", loss).save("fc1.weight", weights);
}
