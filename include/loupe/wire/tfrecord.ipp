#include "loupe/wire/crc32c.hpp"
#include "loupe/wire/little_endian.hpp"
#include "loupe/wire/tfrecord.hpp"

namespace loupe::inline LOUPE_ABI::wire {

LOUPE_DECL void encode_record_header(std::byte* out, std::uint64_t payload_size) noexcept {
  store_little_endian(out, payload_size);
  store_little_endian(out + 8, mask_crc32c(crc32c({out, 8})));
}

LOUPE_DECL std::uint32_t payload_check_word(std::span<const std::byte> payload, PayloadCheck check) noexcept {
  return check == PayloadCheck::smdebug_constant ? smdebug_check_word : mask_crc32c(crc32c(payload));
}

LOUPE_DECL result<std::optional<Record>> RecordReader::next() {
  const std::span<const std::byte> rest = bytes_.subspan(position_);
  if (rest.empty()) return std::optional<Record>();
  const auto corrupt = [&](std::size_t offset, std::string_view detail) {
    return fail_at(ErrorKind::corrupt, file_, static_cast<std::int64_t>(position_ + offset), detail);
  };
  if (rest.size() < record_overhead) return corrupt(0, "the file ends within a record");
  if (check_ != RecordCheck::none &&
      load_little_endian<std::uint32_t>(rest.data() + 8) != mask_crc32c(crc32c(rest.first(8))))
    return corrupt(8, "the checksum of the record's length is wrong");
  const auto payload_size = load_little_endian<std::uint64_t>(rest.data());
  if (payload_size > rest.size() - record_overhead) return corrupt(0, "the record is longer than the file");
  const auto size = static_cast<std::size_t>(payload_size);
  const std::span<const std::byte> payload = rest.subspan(record_header_size, size);
  const auto word = load_little_endian<std::uint32_t>(payload.data() + size);
  const bool takes_constant = check_ == RecordCheck::minimal || check_ == RecordCheck::either;
  const bool takes_checksum = check_ == RecordCheck::full || check_ == RecordCheck::either;
  const bool is_good = check_ == RecordCheck::none || (takes_constant && word == smdebug_check_word) ||
                       (takes_checksum && word == payload_check_word(payload, PayloadCheck::crc32c));
  if (!is_good) return corrupt(record_header_size + size, "the check word of the record's payload is wrong");
  const Record record{payload, position_, size + record_overhead};
  position_ += size + record_overhead;
  return std::optional(record);
}

}  // namespace loupe::inline LOUPE_ABI::wire
