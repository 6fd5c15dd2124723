#pragma once
/// @file
/// The bounded store of step buffers between the training thread and the writer.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/mutex.hpp"
#include "loupe/base/owner.hpp"
#include "loupe/capture/step_buffer.hpp"

namespace loupe::inline LOUPE_ABI {

/// Lends step buffers and counts the bytes of those that wait to be written. Buffers come back with their memory, so
/// after warm-up nothing is allocated. Safe for one training thread and any number of writers.
class Staging {
 public:
  /// Room for another step: enough; `scarce` from the limit on; `none` from twice the limit on.
  enum class Room : std::uint8_t { enough, scarce, none };

  explicit Staging(std::uint64_t max_pending_bytes) noexcept : max_pending_bytes_(max_pending_bytes) {}

  /// How much room the steps that wait leave. A step larger than the limit is let through alone.
  [[nodiscard]] Room room() const {
    const MutexLock lock(mutex_);
    if (pending_bytes_ < max_pending_bytes_) return Room::enough;
    return pending_bytes_ / 2 < max_pending_bytes_ ? Room::scarce : Room::none;
  }
  /// Waits until there is room. Writers must be at work.
  void wait_for_room() {
    const MutexLock lock(mutex_);
    while (pending_bytes_ >= max_pending_bytes_) freed_.wait(lock);
  }

  /// An empty buffer.
  StepBuffer* acquire() {
    const MutexLock lock(mutex_);
    if (idle_.empty()) {
      buffers_.emplace_back(new StepBuffer);
      idle_.reserve(buffers_.size());
      return buffers_.back().get();
    }
    StepBuffer* buffer = idle_.back();
    idle_.pop_back();
    return buffer;
  }
  /// Counts a buffer as waiting; `release_submitted` ends that.
  void submit(const StepBuffer& buffer) {
    const MutexLock lock(mutex_);
    pending_bytes_ += buffer.pending_bytes();
  }
  /// Takes a buffer back that was submitted.
  void release_submitted(StepBuffer* buffer) noexcept {
    {
      const MutexLock lock(mutex_);
      pending_bytes_ -= buffer->pending_bytes();
      buffer->clear();
      idle_.push_back(buffer);
    }
    freed_.notify_all();
  }
  /// Takes a buffer back that was not submitted.
  void release(StepBuffer* buffer) noexcept {
    buffer->clear();
    const MutexLock lock(mutex_);
    idle_.push_back(buffer);
  }

 private:
  const std::uint64_t max_pending_bytes_;
  mutable Mutex mutex_;
  Condition freed_;
  std::uint64_t pending_bytes_ = 0;
  std::vector<Owner<StepBuffer>> buffers_;
  std::vector<StepBuffer*> idle_;
};

}  // namespace loupe::inline LOUPE_ABI
