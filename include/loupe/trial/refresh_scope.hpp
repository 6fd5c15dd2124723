#pragma once
/// @file
/// Scopes in which trials refresh, or don't.

#include <utility>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

class Follower;

/// Turns refreshing of a trial on or off until the end of its life, then puts back what was there before, however the
/// scope is left. Move-only; must not outlive the trial.
class RefreshScope {
 public:
  LOUPE_DECL RefreshScope(Follower& follower, bool on) noexcept;
  RefreshScope(RefreshScope&& other) noexcept
      : follower_(std::exchange(other.follower_, nullptr)), on_(other.on_), before_(other.before_) {}
  RefreshScope& operator=(RefreshScope&&) = delete;
  LOUPE_DECL ~RefreshScope();

  /// Says that the scope is left because of an error, for trials that imitate smdebug, where that makes a difference.
  void fail() noexcept { failed_ = true; }

 private:
  Follower* follower_;
  bool on_;
  bool before_;
  bool failed_ = false;
  int exceptions_ = 0;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/trial/refresh_scope.ipp"
#endif
