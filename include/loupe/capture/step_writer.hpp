#pragma once
/// @file
/// Publishes steps: event data, then index, then whatever comes with them, in the order in which they were taken.

#include <utility>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/any_executor.hpp"
#include "loupe/base/home_process.hpp"
#include "loupe/base/mutex.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/text.hpp"
#include "loupe/capture/failure_log.hpp"
#include "loupe/capture/staging.hpp"
#include "loupe/storage/any_storage.hpp"

namespace loupe::inline LOUPE_ABI {

/// Takes step buffers from the training thread and writes them on an executor, one at a time whatever the executor is.
/// A step that can't be written is counted and given up; the ones before it stay readable.
class StepWriter {
 public:
  struct Target {
    AnyStorage trial;
    AnyStorage tensorboard;          ///< where `tensorboard_prefix` begins
    Text tensorboard_prefix;         ///< key prefix of TensorBoard files in `tensorboard`
    Text tensorboard_suffix;         ///< `<pid>_<hostname>`
    Text worker;
  };

  StepWriter(Target target, AnyExecutor executor, Staging& staging, FailureLog& failures)
      : target_(std::move(target)), executor_(std::move(executor)), staging_(staging), failures_(failures) {}
  StepWriter(const StepWriter&) = delete;
  StepWriter& operator=(const StepWriter&) = delete;
  ~StepWriter() { drain(); }

  /// Takes a buffer over; it goes back to the staging when it is written or given up. Never waits for storage, unless
  /// the executor runs tasks in the caller.
  LOUPE_DECL void submit(StepBuffer* buffer);
  /// Whether this is the process that made the writer. A forked child must leave the trial to its parent.
  [[nodiscard]] bool is_at_home() const noexcept { return home_.is_here(); }
  /// Waits until everything that was taken is written or given up; in a forked child for nothing.
  LOUPE_DECL void drain();

 private:
  LOUPE_DECL void run() noexcept;
  LOUPE_DECL StepBuffer* take_next() noexcept;
  LOUPE_DECL result<void> publish(const StepBuffer& buffer);
  LOUPE_DECL result<void> publish_summaries(const StepBuffer& buffer);

  Target target_;
  AnyExecutor executor_;
  Staging& staging_;
  FailureLog& failures_;
  ByteBuffer document_;  // the index being encoded; only the running task touches it
  Mutex mutex_;
  Condition idle_;
  StepBuffer* first_ = nullptr;
  StepBuffer* last_ = nullptr;
  bool is_running_ = false;
  const HomeProcess home_;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/capture/step_writer.ipp"
#endif
