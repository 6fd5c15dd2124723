#pragma once
/// @file
/// SHA-256 (FIPS 180-4), for the hashes of large values in the documents.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace conformance {

/// Hashes bytes that come in pieces.
class Sha256 {
 public:
  void add(std::span<const std::byte> bytes) noexcept;
  /// The hash of all that was added, as 64 hexadecimal digits. Nothing may be added afterwards.
  std::string finish() noexcept;

 private:
  void take_block(const std::byte* block) noexcept;
  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::byte, 64> pending_ = {};
  std::uint64_t size_ = 0;
};

}  // namespace conformance
