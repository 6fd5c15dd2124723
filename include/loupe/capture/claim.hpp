#pragma once
/// @file
/// The claim of a running process on a trial's folder (format.md section 5.4).

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/base/home_process.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/text.hpp"
#include "loupe/storage/any_storage.hpp"

namespace loupe::inline LOUPE_ABI {

/// The process that a claim names. The start time tells it from a later process with the same number.
struct ClaimOwner {
  std::int64_t pid = 0;
  std::int64_t start_time = 0;  ///< clock ticks since the host's start, as /proc/<pid>/stat counts them; 0: unknown
  Text host;

  /// The calling process.
  LOUPE_DECL static ClaimOwner this_process();
  /// Reads the line that `line` writes; nothing if it isn't one, as smdebug's, which is empty.
  LOUPE_DECL static std::optional<ClaimOwner> parse(std::string_view line);
  /// The line that a claim file holds.
  [[nodiscard]] LOUPE_DECL Text line() const;

  enum class State : std::uint8_t { running, gone, unknown };
  /// Whether the process still runs; unknown if it belongs to another host.
  [[nodiscard]] LOUPE_DECL State state() const;
};

namespace detail {
/// The name of this host; `localhost` if it has none.
LOUPE_DECL Text host_name();
}  // namespace detail

/// What to do with a claim whose owner can't be told to have ended: smdebug's, or one made on another host.
enum class UnknownClaim : std::uint8_t { respect, take_over };

/// A claim that this process holds; given up by `release` or the destructor, but not by those of a forked child.
/// Move-only; one thread at a time.
class Claim {
 public:
  /// Holds nothing.
  Claim() noexcept = default;
  /// Claims `key`, in the place of a claim whose owner has ended. A claim of a running process is an error of kind
  /// invalid_state that names the process. Of several processes that do this at once, one gets the claim.
  LOUPE_DECL static result<Claim> acquire(const AnyStorage& storage, std::string_view key, UnknownClaim unknown);
  /// Claims `key` only if nobody has, with the empty object that smdebug writes; a claim that holds nothing if somebody has.
  LOUPE_DECL static result<Claim> try_acquire_as_smdebug(const AnyStorage& storage, std::string_view key);

  Claim(Claim&& other) noexcept
      : storage_(std::move(other.storage_)), key_(std::move(other.key_)), home_(other.home_) {
    other.storage_.reset();
  }
  Claim& operator=(Claim&& other) noexcept {
    std::swap(storage_, other.storage_);
    std::swap(key_, other.key_);
    std::swap(home_, other.home_);
    return *this;
  }
  ~Claim() { (void)release(); }

  [[nodiscard]] explicit operator bool() const noexcept { return storage_.has_value(); }
  /// Removes the claim. Again: nothing.
  LOUPE_DECL result<void> release();

 private:
  LOUPE_DECL Claim(AnyStorage storage, Text key);
  std::optional<AnyStorage> storage_;
  Text key_;
  HomeProcess home_;  ///< the one that claimed
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/capture/claim.ipp"
#endif
