#pragma once
/// @file
/// Whether the process that writes a trial is still there.

#include "loupe/base/byte_buffer.hpp"
#include "loupe/base/config.hpp"
#include "loupe/capture/claim.hpp"
#include "loupe/format/layout.hpp"
#include "loupe/storage/any_storage.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// Whether a trial's folder is claimed by a process of this host that no longer runs. False where that can't be known: the
/// trial is of several workers, of another host, or written by another program.
inline bool writer_is_gone(const AnyStorage& storage) {
  ByteBuffer line;
  if (!storage.read(format::claim_key, {}, line)) return false;
  const auto owner = ClaimOwner::parse(line.text());
  return owner && owner->state() == ClaimOwner::State::gone;
}

}  // namespace loupe::inline LOUPE_ABI::rules
