#include <exception>

#include "loupe/trial/follower.hpp"
#include "loupe/trial/refresh_scope.hpp"

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL RefreshScope::RefreshScope(Follower& follower, bool on) noexcept
    : follower_(&follower), on_(on), before_(follower.refreshes()), exceptions_(std::uncaught_exceptions()) {
  follower.set_refreshes(on);
}

LOUPE_DECL RefreshScope::~RefreshScope() {
  if (follower_ == nullptr) return;
  if (!follower_->scopes_set_opposite()) {
    follower_->set_refreshes(before_);
  } else if (!failed_ && std::uncaught_exceptions() == exceptions_) {
    follower_->set_refreshes(!on_);
  }
}

}  // namespace loupe::inline LOUPE_ABI
