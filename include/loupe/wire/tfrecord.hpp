#pragma once
/// @file
/// TFRecord: length, checksum of the length, payload, check word of the payload; nothing else (format.md 3.1, 3.3).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"

namespace loupe::inline LOUPE_ABI::wire {

/// Bytes before a payload, behind it, and both.
inline constexpr std::size_t record_header_size = 12;
inline constexpr std::size_t record_footer_size = 4;
inline constexpr std::size_t record_overhead = record_header_size + record_footer_size;

/// What smdebug writes behind every payload in `events/`: the masked checksum of the characters `0x12345678`.
inline constexpr std::uint32_t smdebug_check_word = 0x062DC0B3;

/// Which word stands behind a payload.
enum class PayloadCheck : std::uint8_t {
  smdebug_constant,  ///< `smdebug_check_word`: files of `events/`
  crc32c,            ///< the masked CRC-32C of the payload: TensorBoard files
};

/// What a reader verifies.
enum class RecordCheck : std::uint8_t {
  none,     ///< nothing but that the record lies within the file
  minimal,  ///< the length's checksum and the constant word, as smdebug's reader
  full,     ///< the length's checksum and the payload's
  either,   ///< the length's checksum, and one of the two words
};

/// Writes the twelve bytes before a payload of `payload_size` bytes.
LOUPE_DECL void encode_record_header(std::byte* out, std::uint64_t payload_size) noexcept;

/// The word that belongs behind a payload.
[[nodiscard]] LOUPE_DECL std::uint32_t payload_check_word(std::span<const std::byte> payload,
                                                          PayloadCheck check) noexcept;

/// A record in a file.
struct Record {
  std::span<const std::byte> payload;
  std::uint64_t start = 0;   ///< offset of the record's first byte
  std::uint64_t length = 0;  ///< of the whole record
};

/// Walks the records of a file, or of a part of one that begins with a record. `file` names it in errors and, like the
/// bytes, must outlive the reader. One thread at a time.
class RecordReader {
 public:
  RecordReader(std::span<const std::byte> bytes, std::string_view file, RecordCheck check) noexcept
      : bytes_(bytes),
        file_(file),
        check_(check) {}

  /// The next record, or nothing at the file's end. A cut-off or damaged record is `corrupt` with the offset of what is
  /// wrong; the reader stays at it.
  LOUPE_DECL result<std::optional<Record>> next();

 private:
  std::span<const std::byte> bytes_;
  std::string_view file_;
  std::size_t position_ = 0;
  RecordCheck check_;
};

}  // namespace loupe::inline LOUPE_ABI::wire

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/wire/tfrecord.ipp"
#endif
