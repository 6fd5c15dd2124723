// Rules: inside a step, and over a trial.

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"
#include "loupe/rules/attach.hpp"
#include "loupe/rules/catalogue.hpp"
#include "loupe/rules/evaluation.hpp"
#include "loupe/storage/memory.hpp"
#include "loupe/trial.hpp"
#include "ratio.hpp"

namespace {

using benchmarks::Rounds;
using loupe::frameworks::Span;
using loupe::rules::Firing;
using MemoryHook = loupe::Hook<Span, loupe::MemoryStorage>;

std::vector<std::string> gradient_names(int count) {
  std::vector<std::string> names;
  for (int layer = 0; layer < count; ++layer) names.push_back("gradient/layer" + std::to_string(layer) + ".weight");
  return names;
}

/// All built-in rules that can be run by themselves, with tensors to look at where they must be told.
std::vector<loupe::rules::Rule> all_rules() {
  using Parameters = std::vector<loupe::rules::NamedParameter>;
  std::vector<loupe::rules::Rule> rules;
  for (const std::string_view name : loupe::rules::builtin_rule_names())
    for (const Parameters& parameters : {Parameters{}, Parameters{{"tensor_regex", "."}}, Parameters{{"tensor_regex", "."}, {"max_threshold", "10"}}})
      if (auto made = loupe::rules::make_builtin_rule(name, parameters)) {
        rules.push_back(*std::move(made));
        break;
      }
  return rules;
}

void judging_a_step(benchmark::State& state) {
  const auto names = gradient_names(1000);
  const std::vector<float> tensor(64, 1.5F);
  MemoryHook hook({.save = {.interval = 1}}, loupe::MemoryStorage());
  loupe::rules::HookJudge judge(hook.recorder());
  for (auto& rule : all_rules())
    if (!judge.add({.rule = std::move(rule)})) state.SkipWithError("a rule was refused");
  const loupe::TensorView view(tensor.data(), loupe::ElementType::float32, {64});
  loupe::ReducedValues reduced;
  loupe::reduce_tensor<loupe::Fused>(view, loupe::StatisticSet::all(), reduced);
  std::int64_t step = 0;
  Rounds rounds(state);
  for (auto _ : state)
    rounds.play([&] {
      judge.begin_step(loupe::Step(step), {loupe::Mode::train, step});
      for (const auto& name : names)
        if (judge.wants(name) != nullptr) judge.look(name, view, reduced);
      benchmark::DoNotOptimize(judge.end_step());
      ++step;
    });
  rounds.promise_below(1e-3);
}
BENCHMARK(judging_a_step)->Name("built-in rules over a step of 1000 tensors")->Apply(benchmarks::interleaved);

void judging_a_trial(benchmark::State& state) {
  constexpr int steps = 2000;
  const loupe::MemoryStorage memory;
  {
    MemoryHook hook({.save = {.interval = 1}}, memory);
    const std::vector<float> tensor(64, 1.5F);
    const auto names = gradient_names(20);
    for (int number = 0; number < steps; ++number) {
      auto step = hook.step(loupe::Mode::train);
      for (const auto& name : names) step.save(name, tensor);
    }
  }
  const loupe::Trial<loupe::MemoryStorage> trial(memory, {.end_delay = 0});
  Rounds rounds(state, steps);
  for (auto _ : state)
    rounds.play([&] {
      loupe::rules::Judge judge;
      if (!judge.add(loupe::rules::make_builtin_rule("VanishingGradient", {}).value())) state.SkipWithError("the rule was refused");
      if (!loupe::rules::evaluate(trial, judge, [](const Firing&) {})) state.SkipWithError("the trial can't be judged");
    });
  rounds.promise_below(1.0 / 50'000);
}
BENCHMARK(judging_a_trial)->Name("a rule over a trial in memory, a step of 20 tensors")->Apply(benchmarks::interleaved)->Iterations(12);

}  // namespace

