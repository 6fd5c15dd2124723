#pragma once
/// @file
/// The process that an object belongs to.

#include <cstdint>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// Remembers the process in which it was made. A child forked later has a copy of everything but the threads: what it
/// copied of a writer, a claim or a thread's queue is its parent's affair.
class HomeProcess {
 public:
  /// Whether this is that process.
  [[nodiscard]] bool is_here() const noexcept { return id_ == current(); }

 private:
  LOUPE_DECL static std::int64_t current() noexcept;
  std::int64_t id_ = current();
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/base/home_process.ipp"
#endif
