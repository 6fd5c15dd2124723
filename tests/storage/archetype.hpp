#pragma once
/// @file
/// The smallest model of `loupe::Storage`.

#include <cstdint>
#include <span>
#include <string_view>

#include "loupe/storage/concept.hpp"

/// Has no objects and takes none. Move-only, with nothing that the concept doesn't ask for.
class SmallestStorage {
 public:
  class Staged {
   public:
    Staged() = default;
    Staged(Staged&&) = default;
    loupe::result<std::uint64_t> append(std::span<const std::byte>) { return std::uint64_t{0}; }
    loupe::result<void> commit() { return loupe::fail(loupe::ErrorKind::unsupported, "smallest", "it has no objects"); }
  };
  SmallestStorage() = default;
  SmallestStorage(SmallestStorage&&) = default;
  loupe::Capabilities capabilities() const noexcept { return {}; }
  const char* name() const { return "smallest"; }
  loupe::result<void> list(std::string_view, std::string_view, loupe::ListSink) { return {}; }
  loupe::result<loupe::ObjectInfo> stat(std::string_view key) { return missing(key); }
  loupe::result<void> read(std::string_view key, loupe::ByteRange, loupe::ByteBuffer&) { return missing(key); }
  loupe::result<void> put(std::string_view key, std::span<const std::byte>, loupe::PutMode) { return missing(key); }
  loupe::result<void> remove(std::string_view) { return {}; }
  loupe::result<Staged> stage(std::string_view) { return Staged(); }

 private:
  static loupe::unexpected<loupe::Error> missing(std::string_view key) {
    return loupe::fail(loupe::ErrorKind::not_found, key, "there is no such object");
  }
};
