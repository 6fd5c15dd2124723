#pragma once
/// @file
/// Counts what went wrong in a hook and tells the user once of each kind.

#include <cstdint>
#include <cstdio>
#include <string_view>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/base/contained.hpp"
#include "loupe/base/home_process.hpp"
#include "loupe/base/mutex.hpp"
#include "loupe/capture/configuration.hpp"
#include "loupe/capture/recorder.hpp"

namespace loupe::inline LOUPE_ABI {

/// The failures of one hook. Safe for concurrent use.
class FailureLog {
 public:
  explicit FailureLog(ReportSink sink) noexcept : sink_(sink) {}

  void add(Error error) noexcept {
    const std::uint64_t kind = std::uint64_t{1} << static_cast<unsigned>(error.kind);
    // Counted whatever becomes of the sentence, for which there may be no memory.
    bool is_new = false;
    Text sentence;
    {
      MutexLock lock(mutex_, MutexLock::Deferred());
      lock_at_home(lock);
      ++failures_.count;
      is_new = (reported_ & kind) == 0;
      reported_ |= kind;
      if (is_new)
        (void)contained("report", [&]() -> result<void> {
          sentence = error.message();
          return {};
        });
      failures_.last = std::move(error);
    }
    if (is_new) note(sentence);
  }
  /// Tells the user something that is no failure.
  void note(const Text& sentence) noexcept {
    (void)contained("report", [&]() -> result<void> {
      report(sentence);
      return {};
    });
  }
  void add_dropped_step() noexcept {
    MutexLock lock(mutex_, MutexLock::Deferred());
    lock_at_home(lock);
    ++failures_.dropped_steps;
  }
  void add_reduced_step() noexcept {
    MutexLock lock(mutex_, MutexLock::Deferred());
    lock_at_home(lock);
    ++failures_.reduced_steps;
  }
  [[nodiscard]] CaptureFailures snapshot() const {
    MutexLock lock(mutex_, MutexLock::Deferred());
    lock_at_home(lock);
    return failures_;
  }
  /// At the end: says how much went wrong, if anything did. Again: nothing.
  void summarise() noexcept {
    (void)contained("report", [&]() -> result<void> {
      if (std::exchange(is_summarised_, true)) return {};
      const CaptureFailures all = snapshot();
      if (all.count == 0 && all.dropped_steps == 0 && all.reduced_steps == 0) return {};
      report(Text::join("failures: ", to_text(static_cast<long long>(all.count)).view(), ", steps lost: ",
                        to_text(static_cast<long long>(all.dropped_steps)).view(), ", steps kept without raw tensors: ",
                        to_text(static_cast<long long>(all.reduced_steps)).view()));
      return {};
    });
  }

 private:
  void report(const Text& sentence) {
    if (sink_.write != nullptr)
      sink_.write(sink_.context, sentence);
    else
      std::fprintf(stderr, "loupe: %s\n", sentence.c_str());
  }

  /// In a forked child there is nobody to lock out, and whoever held the lock at the fork is not there to give it back.
  void lock_at_home(MutexLock& lock) const noexcept {
    if (home_.is_here()) lock.lock();
  }

  ReportSink sink_;
  const HomeProcess home_;
  mutable Mutex mutex_;
  CaptureFailures failures_;
  std::uint64_t reported_ = 0;
  bool is_summarised_ = false;  // only the training thread touches it
};

}  // namespace loupe::inline LOUPE_ABI
