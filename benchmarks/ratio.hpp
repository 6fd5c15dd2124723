#pragma once
/// @file
/// Promises measured beside their limits: both sides in turns, so that the noise of a shared machine hits both.
///
/// ```
/// void statistics(benchmark::State& state) {
///   std::vector<float> elements(16 << 20, 1.5F);
///   benchmarks::Rounds rounds(state);
///   for (auto _ : state) rounds.play([&] { read(elements); }, [&] { reduce(elements); });
///   rounds.promise_speed(0.8);
/// }
/// BENCHMARK(statistics)->Name("8 statistics of 64 MB, against a plain read")->Apply(benchmarks::interleaved);
/// ```
/// A promise appears in the table of `run.sh` through its counters `measured`, `limit`, `ratio` and `at_most` or
/// `at_least`; its label is the unit.

#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

namespace benchmarks {

/// The median; 0 for no numbers.
inline double median(std::vector<double> numbers) {
  if (numbers.empty()) return 0;
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

/// Seconds that this thread has waited for a processor that others had; 0 where the system doesn't say.
inline double seconds_queued() noexcept {
  char text[96] = {};
  const int file = ::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t size = ::read(file, text, sizeof text - 1);
  ::close(file);
  char* queued = text;
  if (size > 0) std::strtoull(text, &queued, 10);  // the first number is the time that it has run
  return static_cast<double>(std::strtoull(queued, nullptr, 10)) * 1e-9;
}

/// Seconds of wall time that a call takes: right where several threads take part.
template <class Call>
double wall_seconds_of(Call&& call) {
  const auto begin = std::chrono::steady_clock::now();
  std::forward<Call>(call)();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Seconds of wall time that a call takes, but for the time that this thread waited for a processor: what the call would
/// take if the machine had a processor to spare. Time spent waiting for other threads, locks and disks counts.
template <class Call>
double seconds_of(Call&& call) {
  const double queued = seconds_queued();
  const double passed = wall_seconds_of(std::forward<Call>(call));
  return std::max(passed - (seconds_queued() - queued), 1e-9);
}

/// What a quotient must be.
struct Bound {
  const char* counter;  ///< `at_most` or `at_least`
  double value;
};
constexpr Bound at_most(double value) noexcept { return {"at_most", value}; }
constexpr Bound at_least(double value) noexcept { return {"at_least", value}; }

/// Enters a promise of any unit into the table: `ratio` must keep the bound.
inline void promise(benchmark::State& state, const char* unit, double measured, double limit, double ratio,
                    Bound bound) {
  state.SetLabel(unit);
  state.counters["measured"] = measured;
  state.counters["limit"] = limit;
  state.counters["ratio"] = ratio;
  state.counters[bound.counter] = bound.value;
}

/// The rounds of one benchmark. The first round warms up and doesn't count; medians of the others do.
class Rounds {
 public:
  /// One call of a side does so many operations; the table shows seconds for one.
  explicit Rounds(benchmark::State& state, double limit_operations = 1, double candidate_operations = 0)
      : state_(state),
        limit_operations_(limit_operations),
        candidate_operations_(candidate_operations > 0 ? candidate_operations : limit_operations) {}

  /// A round: times both sides, each first in every other round.
  template <class Limit, class Candidate>
  void play(Limit&& limit, Candidate&& candidate) {
    double limit_seconds = 0;
    double candidate_seconds = 0;
    if (played_ % 2 == 0) limit_seconds = seconds_of(limit);
    candidate_seconds = seconds_of(candidate);
    if (played_ % 2 != 0) limit_seconds = seconds_of(limit);
    add(limit_seconds, candidate_seconds);
  }
  /// A round without a limit of its own, for `promise_below`.
  template <class Candidate>
  void play(Candidate&& candidate) {
    add(0, seconds_of(std::forward<Candidate>(candidate)));
  }
  /// A round that the caller timed himself, in seconds.
  void add(double limit_seconds, double candidate_seconds) {
    state_.SetIterationTime(candidate_seconds);
    if (played_++ == 0) return;
    limit_.push_back(limit_seconds / limit_operations_);
    candidate_.push_back(candidate_seconds / candidate_operations_);
    if (limit_seconds > 0) quotients_.push_back(candidate_.back() / limit_.back());
  }

  /// Promises that an operation takes at most `factor` times as long as one of the limit.
  void promise_time(double factor) { enter(median(limit_), median(quotients_), at_most(factor)); }
  /// Promises that the candidate has at least `share` of the limit's speed.
  void promise_speed(double share) { enter(median(limit_), 1 / median(quotients_), at_least(share)); }
  /// Promises that an operation takes at most `seconds`.
  void promise_below(double seconds) { enter(seconds, median(candidate_) / seconds, at_most(1)); }

 private:
  void enter(double limit, double ratio, Bound bound) const {
    promise(state_, "s", median(candidate_), limit, ratio, bound);
  }

  benchmark::State& state_;
  double limit_operations_;
  double candidate_operations_;
  std::vector<double> limit_;
  std::vector<double> candidate_;
  std::vector<double> quotients_;
  std::size_t played_ = 0;
};

/// `->Apply(interleaved)`: 21 rounds that count; `->Iterations(n)` behind it chooses n - 1 others.
inline void interleaved(benchmark::internal::Benchmark* of) {
  of->Iterations(22)->UseManualTime()->Unit(benchmark::kMicrosecond);
}

}  // namespace benchmarks
