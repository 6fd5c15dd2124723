#pragma once
/// @file
/// The bounded store of step buffers between the training thread and the writer.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "loupe/base/config.hpp"
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
    const std::lock_guard lock(mutex_);
    if (pending_bytes_ < max_pending_bytes_) return Room::enough;
    return pending_bytes_ / 2 < max_pending_bytes_ ? Room::scarce : Room::none;
  }
  /// Waits until there is room. Writers must be at work.
  void wait_for_room() {
    std::unique_lock lock(mutex_);
    freed_.wait(lock, [this] { return pending_bytes_ < max_pending_bytes_; });
  }

  /// An empty buffer.
  StepBuffer* acquire() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
      buffers_.push_back(std::make_unique<StepBuffer>());
      idle_.reserve(buffers_.size());
      return buffers_.back().get();
    }
    StepBuffer* buffer = idle_.back();
    idle_.pop_back();
    return buffer;
  }
  /// Counts a buffer as waiting; `release_submitted` ends that.
  void submit(const StepBuffer& buffer) {
    const std::lock_guard lock(mutex_);
    pending_bytes_ += buffer.pending_bytes();
  }
  /// Takes a buffer back that was submitted.
  void release_submitted(StepBuffer* buffer) noexcept {
    {
      const std::lock_guard lock(mutex_);
      pending_bytes_ -= buffer->pending_bytes();
      buffer->clear();
      idle_.push_back(buffer);
    }
    freed_.notify_all();
  }
  /// Takes a buffer back that was not submitted.
  void release(StepBuffer* buffer) noexcept {
    buffer->clear();
    const std::lock_guard lock(mutex_);
    idle_.push_back(buffer);
  }

 private:
  const std::uint64_t max_pending_bytes_;
  mutable std::mutex mutex_;
  std::condition_variable freed_;
  std::uint64_t pending_bytes_ = 0;
  std::vector<std::unique_ptr<StepBuffer>> buffers_;
  std::vector<StepBuffer*> idle_;
};

}  // namespace loupe::inline LOUPE_ABI
