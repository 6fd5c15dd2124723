#pragma once
/// @file
/// CRC-32C (Castagnoli) and its masked form, as TFRecord files hold it (format.md 3.2).

#include <cstddef>
#include <cstdint>
#include <span>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI::wire {

/// The CRC-32C of `bytes`; of more bytes by handing on what the ones before them gave: `crc32c(second, crc32c(first))`.
/// Uses SSE 4.2 where the processor has it, else tables; both give the same.
[[nodiscard]] LOUPE_DECL std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t seed = 0) noexcept;

/// A checksum in the form that is stored, so that a checksum over bytes that hold checksums stays meaningful.
[[nodiscard]] constexpr std::uint32_t mask_crc32c(std::uint32_t crc) noexcept {
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

/// The checksum whose masked form is `masked`.
[[nodiscard]] constexpr std::uint32_t unmask_crc32c(std::uint32_t masked) noexcept {
  const std::uint32_t rotated = masked - 0xA282EAD8u;
  return (rotated >> 17) | (rotated << 15);
}

namespace detail {

/// By tables, eight bytes at a time.
[[nodiscard]] LOUPE_DECL std::uint32_t crc32c_portable(std::span<const std::byte> bytes, std::uint32_t seed) noexcept;

#if LOUPE_HAS_X86_DISPATCH
/// By the processor's instruction, in three streams. Only where `has_crc32c_instruction()`.
[[nodiscard]] LOUPE_DECL std::uint32_t crc32c_sse42(std::span<const std::byte> bytes, std::uint32_t seed) noexcept;
[[nodiscard]] inline bool has_crc32c_instruction() noexcept { return __builtin_cpu_supports("sse4.2") != 0; }
#endif

}  // namespace detail

}  // namespace loupe::inline LOUPE_ABI::wire

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/wire/crc32c.ipp"
#endif
