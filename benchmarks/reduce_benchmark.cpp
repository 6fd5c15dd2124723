// Reductions: the promises, and the cost of what isn't promised.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "loupe/reduce/fused.hpp"
#include "loupe/reduce/histogram.hpp"
#include "loupe/reduce/numpy_definitions.hpp"
#include "ratio.hpp"

namespace {

using loupe::Statistic;
using loupe::StatisticSet;

constexpr StatisticSet eight{Statistic::min, Statistic::max, Statistic::mean, Statistic::std,
                             Statistic::l1,  Statistic::l2,  Statistic::sum,  Statistic::abs_max};

// Numbers around zero, without a library's generator, so that the memory is filled quickly.
template <class Number>
std::vector<Number> numbers(std::size_t count) {
  std::vector<Number> out(count);
  std::uint32_t state = 1;
  for (Number& number : out) {
    state = state * 1664525u + 1013904223u;
    number = static_cast<Number>(static_cast<std::int32_t>(state)) / static_cast<Number>(1 << 30);
  }
  return out;
}

template <class Number>
loupe::TensorView view_of(const std::vector<Number>& elements) {
  return loupe::TensorView(std::span<const Number>(elements));
}

// Adds all words of the memory, in as many strands as hide the latency of an addition: as fast as one core can read.
std::uint64_t read_plainly(const void* memory, std::size_t bytes) {
  typedef std::uint64_t Words __attribute__((vector_size(16)));
  constexpr std::size_t strands = 8;
  Words sums[strands] = {};
  const auto* from = static_cast<const std::byte*>(memory);
  for (std::size_t offset = 0; offset + sizeof sums <= bytes; offset += sizeof sums) {
#pragma GCC unroll 8
    for (std::size_t strand = 0; strand < strands; ++strand) {
      Words words;
      std::memcpy(&words, from + offset + strand * sizeof words, sizeof words);
      sums[strand] += words;
    }
  }
  Words sum = sums[0];
  for (std::size_t strand = 1; strand < strands; ++strand) sum += sums[strand];
  return sum[0] + sum[1];
}

void eight_statistics_of_64_megabytes(benchmark::State& state) {
  const std::vector<float> elements = numbers<float>(16 << 20);
  loupe::ReducedValues values;
  benchmarks::Rounds rounds(state);
  for (auto _ : state)
    rounds.play([&] { benchmark::DoNotOptimize(read_plainly(elements.data(), elements.size() * sizeof(float))); },
                [&] { loupe::reduce_tensor<loupe::Fused>(view_of(elements), eight, values); });
  rounds.promise_speed(0.8);
}
BENCHMARK(eight_statistics_of_64_megabytes)->Name("8 statistics of 64 MB, against a plain read")->Apply(benchmarks::interleaved);

void eight_statistics_of_4_kilobytes(benchmark::State& state) {
  constexpr int calls = 1000;
  const std::vector<float> elements = numbers<float>(1024);
  loupe::ReducedValues values;
  benchmarks::Rounds rounds(state, calls);
  for (auto _ : state)
    rounds.play([&] {
      for (int call = 0; call < calls; ++call) {
        loupe::reduce_tensor<loupe::Fused>(view_of(elements), eight, values);
        benchmark::DoNotOptimize(values);
      }
    });
  rounds.promise_below(1e-6);
}
BENCHMARK(eight_statistics_of_4_kilobytes)->Name("8 statistics of 4 KB")->Apply(benchmarks::interleaved);

// What the rest costs, without a promise.
template <class Number>
void statistics(benchmark::State& state, StatisticSet wanted) {
  const std::vector<Number> elements = numbers<Number>(4 << 20);
  loupe::ReducedValues values;
  for (auto _ : state) loupe::reduce_tensor<loupe::Fused>(view_of(elements), wanted, values);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(elements.size() * sizeof(Number)));
}
void all_of_float32(benchmark::State& state) { statistics<float>(state, StatisticSet::all()); }
void eight_of_float64(benchmark::State& state) { statistics<double>(state, eight); }
void all_of_float64(benchmark::State& state) { statistics<double>(state, StatisticSet::all()); }
BENCHMARK(all_of_float32)->Name("all statistics of 16 MB of float32")->Unit(benchmark::kMillisecond);
BENCHMARK(eight_of_float64)->Name("8 statistics of 32 MB of float64")->Unit(benchmark::kMillisecond);
BENCHMARK(all_of_float64)->Name("all statistics of 32 MB of float64")->Unit(benchmark::kMillisecond);

void statistics_of_float16(benchmark::State& state) {
  const std::vector<float> wide = numbers<float>(4 << 20);
  std::vector<loupe::Float16> elements;
  for (const float number : wide) elements.push_back(loupe::to_float16(number));
  loupe::ReducedValues values;
  for (auto _ : state) loupe::reduce_tensor<loupe::Fused>(view_of(elements), eight, values);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(elements.size() * sizeof(loupe::Float16)));
}
BENCHMARK(statistics_of_float16)->Name("8 statistics of 8 MB of float16")->Unit(benchmark::kMillisecond);

void statistics_of_a_transposed_matrix(benchmark::State& state) {
  const std::vector<float> elements = numbers<float>(1 << 20);
  const loupe::TensorView view(elements.data(), loupe::ElementType::float32, {1024, 1024}, {1, 1024});
  loupe::ReducedValues values;
  for (auto _ : state) loupe::reduce_tensor<loupe::Fused>(view, eight, values);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(elements.size() * sizeof(float)));
}
BENCHMARK(statistics_of_a_transposed_matrix)->Name("8 statistics of 4 MB of float32, transposed")->Unit(benchmark::kMillisecond);

void statistics_as_numpy(benchmark::State& state) {
  const std::vector<float> elements = numbers<float>(1 << 20);
  loupe::ReducedValues values;
  for (auto _ : state) loupe::reduce_tensor<loupe::NumpyDefinitions>(view_of(elements), eight, values);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(elements.size() * sizeof(float)));
}
BENCHMARK(statistics_as_numpy)->Name("8 statistics of 4 MB of float32, as numpy")->Unit(benchmark::kMillisecond);

void histogram(benchmark::State& state) {
  const std::vector<float> elements = numbers<float>(1 << 20);
  for (auto _ : state) benchmark::DoNotOptimize(loupe::make_histogram(view_of(elements)));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(elements.size()));
}
BENCHMARK(histogram)->Name("histogram of 4 MB of float32")->Unit(benchmark::kMillisecond);

}  // namespace
