// What a training thread pays for being looked at.

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"
#include "ratio.hpp"
#include "temporary_folder.hpp"

namespace {

using benchmarks::Rounds;
using benchmarks::TemporaryFolder;
using Hook = loupe::Hook<loupe::frameworks::Span>;

constexpr std::size_t large = std::size_t{4} << 20;  // elements of a 16 MB tensor
constexpr std::size_t small = 1024;                  // elements of a 4 KB tensor

Hook open_hook(const TemporaryFolder& folder) {
  return Hook({.out_dir = folder.path(), .save = {.interval = 1}, .save_all = true});
}

std::vector<std::string> layer_names(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t layer = 0; layer < count; ++layer) names.push_back("layer" + std::to_string(layer) + ".weight");
  return names;
}

void saving_16_mb(benchmark::State& state) {
  const TemporaryFolder folder;
  Hook hook = open_hook(folder);
  const std::vector<float> tensor(large, 1.5F);
  std::vector<float> copy(large);
  Rounds rounds(state);
  for (auto _ : state) {
    rounds.play(
        [&] {
          std::memcpy(copy.data(), tensor.data(), large * sizeof(float));
          benchmark::DoNotOptimize(copy.data());
          benchmark::ClobberMemory();
        },
        [&] { hook.step(loupe::Mode::train).save("activation", tensor); });
    hook.flush();
    folder.remove_files(".tfevents");
  }
  rounds.promise_time(1.3);
}
BENCHMARK(saving_16_mb)->Name("16 MB saved: training thread, against memcpy")->Apply(benchmarks::interleaved);

/// Writes `bytes` bytes to a new file in one call.
void write_new_file(const std::string& path, const void* data, std::size_t bytes, benchmark::State& state) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0 || ::write(file, data, bytes) != static_cast<ssize_t>(bytes)) state.SkipWithError("write() failed");
  ::close(file);
}

void saving_16_mb_sustained(benchmark::State& state) {
  constexpr int steps = 8;
  const TemporaryFolder folder;
  Hook hook = open_hook(folder);
  const std::vector<float> tensor(large, 1.5F);
  Rounds rounds(state, steps);
  for (auto _ : state) {
    const double limit = benchmarks::wall_seconds_of([&] {
      for (int step = 0; step < steps; ++step)
        write_new_file(folder.path() + "/plain" + std::to_string(step) + ".tfevents", tensor.data(),
                       large * sizeof(float), state);
    });
    folder.remove_files(".tfevents");
    const double sustained = benchmarks::wall_seconds_of([&] {
      for (int step = 0; step < steps; ++step) hook.step(loupe::Mode::train).save("activation", tensor);
      hook.flush();
    });
    folder.remove_files(".tfevents");
    rounds.add(limit, sustained);
  }
  rounds.promise_speed(0.8);
}
BENCHMARK(saving_16_mb_sustained)
    ->Name("16 MB saved: sustained, against write() to new files")
    ->Apply(benchmarks::interleaved)
    ->Iterations(12);

void saving_4_kb(benchmark::State& state) {
  const TemporaryFolder folder;
  Hook hook = open_hook(folder);
  const std::vector<float> tensor(small, 1.5F);
  const auto names = layer_names(100);
  Rounds rounds(state, static_cast<double>(names.size()));
  for (auto _ : state) {
    rounds.play([&] {
      auto step = hook.step(loupe::Mode::train);
      for (const auto& name : names) step.save(name, tensor);
    });
    hook.flush();
  }
  rounds.promise_below(2e-6);
}
BENCHMARK(saving_4_kb)
    ->Name("4 KB saved: training thread, step of 100")
    ->Apply(benchmarks::interleaved)
    ->Iterations(201);

/// A hook that saves losses only, in an open step at which they are due.
void not_selected(benchmark::State& state) {
  constexpr int turns = 1000;
  const TemporaryFolder folder;
  Hook hook({.out_dir = folder.path(), .save = {.interval = 1}, .include_regex = {"^loss"}});
  const std::vector<float> tensor(small, 1.5F);
  const auto names = layer_names(20);
  auto step = hook.step(loupe::Mode::train);
  Rounds rounds(state, turns * static_cast<double>(names.size()));
  for (auto _ : state)
    rounds.play([&] {
      for (int turn = 0; turn < turns; ++turn)
        for (const auto& name : names) step.save(name, tensor);
    });
  rounds.promise_below(5e-9);
}
BENCHMARK(not_selected)->Name("tensor that is not selected")->Apply(benchmarks::interleaved);

/// The same at a step at which nothing is due.
void step_not_due(benchmark::State& state) {
  const TemporaryFolder folder;
  Hook hook({.out_dir = folder.path(), .save = {.interval = 1000}, .save_all = true});
  const std::vector<float> tensor(small, 1.5F);
  const auto names = layer_names(20);
  (void)hook.step(loupe::Mode::train);
  auto step = hook.step(loupe::Mode::train);
  for (auto _ : state)
    for (const auto& name : names) step.save(name, tensor);
  state.counters["measured"] = benchmark::Counter(
      static_cast<double>(names.size()), benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}
BENCHMARK(step_not_due)->Name("tensor at a step that is not due");

/// An engine's probe that nobody listens to.
void detached_probe(benchmark::State& state) {
  const std::vector<float> tensor(small, 1.5F);
  loupe::HookRef probe;
  for (auto _ : state) {
    benchmark::DoNotOptimize(probe);
    probe("layer1/out", tensor.data(), tensor.size());
  }
}
BENCHMARK(detached_probe)->Name("probe without a hook");

}  // namespace
