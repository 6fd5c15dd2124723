#pragma once
/// @file
/// Bytes of an object without a copy.

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// Bytes that stay where they are while this object or a copy of it lives. A mapped file that somebody truncates
/// afterwards faults on access (SIGBUS): files of a trial are replaced, never shortened, so only interference does that.
class MappedBytes {
 public:
  MappedBytes() = default;
  MappedBytes(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) noexcept
      : bytes_(bytes),
        owner_(std::move(owner)) {}
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }
  [[nodiscard]] const std::shared_ptr<const void>& owner() const noexcept { return owner_; }

 private:
  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
};

}  // namespace loupe::inline LOUPE_ABI
