// What opening a trial and asking for values costs.

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/format/event.hpp"
#include "loupe/format/index.hpp"
#include "loupe/format/layout.hpp"
#include "loupe/storage/local.hpp"
#include "loupe/trial/trial.hpp"
#include "ratio.hpp"
#include "temporary_folder.hpp"

namespace {

using benchmarks::Rounds;
using benchmarks::TemporaryFolder;

constexpr std::int64_t tensors = 20;
constexpr std::int64_t workers = 8;

std::string worker_name(std::int64_t rank) { return "worker_" + std::to_string(rank); }
std::string tensor_name(std::int64_t number) { return "features." + std::to_string(number) + ".conv.weight"; }

/// A trial on disk: every step has 20 tensors of 8 workers. Event files only of step 0, with tensors of 4 KB.
class Run {
 public:
  explicit Run(std::int64_t steps) : storage_(loupe::Text(folder_.path())), steps_(steps) {
    for (std::int64_t rank = 0; rank < workers; ++rank)
      put(loupe::format::collections_key(worker_name(rank)),
          R"({"collections": {}, "_meta": {"num_workers": )" + std::to_string(workers) + "}}");
    for (std::int64_t step = 0; step < steps; ++step)
      for (std::int64_t rank = 0; rank < workers; ++rank) write(step, worker_name(rank));
  }

  [[nodiscard]] const std::string& path() const noexcept { return folder_.path(); }
  [[nodiscard]] std::int64_t files() const noexcept { return steps_ * workers; }
  [[nodiscard]] std::int64_t entries() const noexcept { return files() * tensors; }
  /// Opens, reads and closes every index file; the number of bytes.
  std::size_t read_files() const {
    static thread_local std::vector<char> buffer(1 << 16);
    std::size_t bytes = 0;
    for (const std::string& path : paths_) {
      const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
      const ssize_t got = ::read(file, buffer.data(), buffer.size());
      if (got > 0) bytes += static_cast<std::size_t>(got);
      ::close(file);
    }
    return bytes;
  }
  [[nodiscard]] loupe::Trial<> open() const { return loupe::Trial<>{path()}; }

 private:
  void put(std::string_view key, std::string_view text) {
    if (!storage_.put(key, std::as_bytes(std::span(text)), loupe::PutMode::replace)) throw std::runtime_error("the run can't be written");
  }
  void write(std::int64_t step, const std::string& worker) {
    const std::vector<float> numbers(1024, 0.5F);
    const loupe::Text event_key = loupe::format::event_key(step, worker);
    const loupe::Text index_key = loupe::format::index_key(step, worker);
    loupe::ByteBuffer events;
    loupe::ByteBuffer index;
    loupe::format::IndexWriter entries(index, loupe::Mode::train, step, event_key);
    for (std::int64_t number = 0; number < tensors; ++number) {
      const std::string name = tensor_name(number);
      loupe::format::RecordSpan record{static_cast<std::uint64_t>(number) * 4200, 4200};
      if (step == 0)
        record = *loupe::format::append_tensor_record(events, {1.6e9, step, loupe::Mode::train, step}, name,
                                                      loupe::TensorView(std::span<const float>(numbers)), {});
      entries.tensor(name, record.start, record.length);
    }
    entries.finish();
    if (step == 0) put(event_key, std::as_const(events).text());
    put(index_key, std::as_const(index).text());
    paths_.push_back(folder_.path() + "/" + index_key.c_str());
  }

  TemporaryFolder folder_;
  loupe::LocalStorage storage_;
  std::int64_t steps_;
  std::vector<std::string> paths_;
};

/// Written once, for all benchmarks.
const Run& large_run() {
  static const Run run(1000);
  return run;
}

void opening(benchmark::State& state) {
  const Run& run = large_run();
  Rounds rounds(state);
  for (auto _ : state)
    rounds.play([&] { benchmark::DoNotOptimize(run.read_files()); }, [&] { benchmark::DoNotOptimize(run.open()); });
  rounds.promise_time(2.5);
}
BENCHMARK(opening)->Name("trial of 1000 steps, 20 tensors, 8 workers opened, against open+read+close")->Apply(benchmarks::interleaved);

void opening_grows_linearly(benchmark::State& state) {
  const Run& large = large_run();
  const Run small(large.files() / workers / 8);
  Rounds rounds(state, static_cast<double>(small.files()), static_cast<double>(large.files()));
  for (auto _ : state)
    rounds.play([&] { benchmark::DoNotOptimize(small.open()); }, [&] { benchmark::DoNotOptimize(large.open()); });
  rounds.promise_time(1.5);
}
BENCHMARK(opening_grows_linearly)->Name("one of 8000 index files opened, against one of 1000")->Apply(benchmarks::interleaved);

void resident(benchmark::State& state) {
  const Run& run = large_run();
  double bytes = 0;
  for (auto _ : state) {
    const std::size_t before = ::mallinfo2().uordblks;
    const loupe::Trial<> trial = run.open();
    bytes = static_cast<double>(::mallinfo2().uordblks - before) / static_cast<double>(run.entries());
  }
  benchmarks::promise(state, "B", bytes, 96, bytes / 96, benchmarks::at_most(1));
}
BENCHMARK(resident)->Name("memory of an index entry in an open trial")->Iterations(1);

void one_value(benchmark::State& state) {
  constexpr int calls = 1000;
  const loupe::Trial<> trial = large_run().open();
  const auto scope = trial.no_refresh();
  Rounds rounds(state, calls);
  for (auto _ : state)
    rounds.play([&] {
      for (int call = 0; call < calls; ++call)
        benchmark::DoNotOptimize(trial.tensor("features.7.conv.weight").value<float>(loupe::ModeStep(loupe::Mode::train, 0), "worker_3"));
    });
  rounds.promise_below(5e-6);
}
BENCHMARK(one_value)->Name("value of 4 KB by name, step and worker, warm")->Apply(benchmarks::interleaved);

void one_view(benchmark::State& state) {
  const loupe::Trial<> trial = large_run().open();
  const auto scope = trial.no_refresh();
  for (auto _ : state)
    benchmark::DoNotOptimize(trial.tensor("features.7.conv.weight").view(loupe::ModeStep(loupe::Mode::train, 0), "worker_3"));
}
BENCHMARK(one_view)->Name("the same without a copy");

}  // namespace
