#include <bit>
#include <cstddef>

#include "loupe/format/tensorboard.hpp"
#include "loupe/reduce/histogram.hpp"
#include "loupe/wire/protobuf.hpp"
#include "loupe/wire/tfrecord.hpp"
#include "loupe/wire/utf8.hpp"

namespace loupe::inline LOUPE_ABI::format {

namespace detail {

/// Appends a record of `payload_size` bytes, which `write_payload(FieldWriter&)` writes, with true checksums.
template <class WritePayload>
void append_checked_record(ByteBuffer& out, std::uint64_t payload_size, WritePayload&& write_payload) {
  const auto size = static_cast<std::size_t>(payload_size);
  std::byte* const record = out.extend(size + wire::record_overhead);
  std::byte* const payload = record + wire::record_header_size;
  wire::encode_record_header(record, payload_size);
  wire::FieldWriter writer(payload);
  write_payload(writer);
  wire::store_little_endian(writer.position(), wire::payload_check_word({payload, size}, wire::PayloadCheck::crc32c));
}

/// Appends an Event with one Summary.Value, whose oneof field takes `field_size` bytes and is written by `write_field`.
template <class WriteField>
result<void> append_summary(ByteBuffer& out, double wall_time, std::int64_t step, std::string_view tag,
                            std::uint64_t field_size, WriteField&& write_field) {
  if (!wire::is_utf8(tag)) return fail(ErrorKind::invalid_argument, tag, "the TensorBoard tag is not UTF-8");
  const auto number = static_cast<std::uint64_t>(step);
  const std::uint64_t value_size = wire::bytes_field_size(tag.size()) + field_size;
  const std::uint64_t summary_size = wire::bytes_field_size(value_size);
  const std::uint64_t payload_size =
      9 + (number == 0 ? 0 : wire::varint_field_size(number)) + wire::bytes_field_size(summary_size);
  append_checked_record(out, payload_size, [&](wire::FieldWriter& writer) {
    writer.fixed64(1, wall_time);
    if (number != 0) writer.varint(2, number);
    writer.header(5, summary_size);
    writer.header(1, value_size);
    writer.text(1, tag);
    write_field(writer);
  });
  return {};
}

/// Protobuf leaves out zeros, but not the negative one.
constexpr bool is_default(double number) noexcept { return std::bit_cast<std::uint64_t>(number) == 0; }

}  // namespace detail

LOUPE_DECL void append_version_record(ByteBuffer& out, double wall_time) {
  constexpr std::string_view version = "brain.Event:2";
  detail::append_checked_record(out, 9 + wire::bytes_field_size(version.size()), [&](wire::FieldWriter& writer) {
    writer.fixed64(1, wall_time);
    writer.text(3, version);
  });
}

LOUPE_DECL result<void> append_scalar_summary(ByteBuffer& out, double wall_time, std::int64_t step,
                                              std::string_view tag, float value) {
  return detail::append_summary(out, wall_time, step, tag, 5,
                                [&](wire::FieldWriter& writer) { writer.fixed32(2, value); });
}

LOUPE_DECL result<void> append_histogram_summary(ByteBuffer& out, double wall_time, std::int64_t step,
                                                 std::string_view tag, const Histogram& histogram) {
  const double numbers[] = {histogram.minimum, histogram.maximum, histogram.count, histogram.sum,
                            histogram.sum_squares};
  const std::uint64_t packed_size = histogram.size() * sizeof(double);
  std::uint64_t size = 2 * wire::bytes_field_size(packed_size);
  for (const double number : numbers) size += detail::is_default(number) ? 0 : 9;
  return detail::append_summary(
      out, wall_time, step, tag, wire::bytes_field_size(size), [&](wire::FieldWriter& writer) {
        writer.header(5, size);
        for (std::uint32_t index = 0; index < 5; ++index)
          if (!detail::is_default(numbers[index])) writer.fixed64(index + 1, numbers[index]);
        const auto packed = [&](std::uint32_t field, auto&& number_of) {
          writer.header(field, packed_size);
          for (std::size_t index = 0; index < histogram.size(); ++index, writer.advance(sizeof(double)))
            wire::store_little_endian(writer.position(), number_of(index));
        };
        packed(6, [&](std::size_t index) { return histogram.limit(index); });
        packed(7, [&](std::size_t index) { return histogram.bucket(index); });
      });
}

}  // namespace loupe::inline LOUPE_ABI::format
