#pragma once
/// @file
/// Bytes of an object without a copy.

#include <cstddef>
#include <span>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/base/owner.hpp"

namespace loupe::inline LOUPE_ABI {

/// Bytes that stay where they are while this object or a copy of it lives. A mapped file that somebody truncates
/// afterwards faults on access (SIGBUS): files of a trial are replaced, never shortened, so only interference does that.
class MappedBytes {
 public:
  MappedBytes() = default;
  /// `owner` is kept as long as the bytes: a `std::shared_ptr`, or whatever lets go of them in its destructor.
  template <class Type>
  MappedBytes(std::span<const std::byte> bytes, Type owner)
      : bytes_(bytes),
        keeper_(new KeeperOf<Type>(std::move(owner))) {}
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  struct Keeper : OwnerCount {
    virtual ~Keeper() = default;
  };
  template <class Type>
  struct KeeperOf final : Keeper {
    explicit KeeperOf(Type object) : owner(std::move(object)) {}
    Type owner;
  };

  std::span<const std::byte> bytes_;
  SharedOwner<Keeper> keeper_;
};

}  // namespace loupe::inline LOUPE_ABI
