#include <charconv>
#include <cstring>
#include <limits>
#include <type_traits>

#include "loupe/format/data_type.hpp"
#include "loupe/format/event.hpp"
#include "loupe/wire/protobuf.hpp"
#include "loupe/wire/tfrecord.hpp"
#include "loupe/wire/utf8.hpp"

namespace loupe::inline LOUPE_ABI::format {

namespace detail {

constexpr std::size_t decimal_digits(std::uint64_t number) noexcept {
  std::size_t digits = 1;
  for (; number >= 10; number /= 10) ++digits;
  return digits;
}

/// A record around a TensorProto, in smdebug's canonical encoding (format.md 4.2). All sizes are known at construction.
class EventEnvelope {
 public:
  EventEnvelope(const EventHeader& header, std::string_view tag, std::uint64_t tensor_size) noexcept
      : header_(header),
        tag_(tag),
        tensor_size_(tensor_size) {
    mode_step_size_ = static_cast<std::size_t>(
        std::to_chars(mode_step_, mode_step_ + sizeof mode_step_, header.mode_step).ptr - mode_step_);
    const std::uint64_t step_plugin =
        wire::bytes_field_size(step_name.size()) + wire::bytes_field_size(mode_step_size_);
    metadata_size_ = wire::bytes_field_size(step_plugin) + wire::bytes_field_size(mode_plugin_size);
    value_size_ = (tag.empty() ? 0 : wire::bytes_field_size(tag.size())) + wire::bytes_field_size(tensor_size) +
                  wire::bytes_field_size(metadata_size_);
    summary_size_ = wire::bytes_field_size(value_size_);
    payload_size_ = 9 + (header.step == 0 ? 0 : wire::varint_field_size(static_cast<std::uint64_t>(header.step))) +
                    wire::bytes_field_size(summary_size_);
  }

  [[nodiscard]] std::uint64_t payload_size() const noexcept { return payload_size_; }
  [[nodiscard]] std::uint64_t record_size() const noexcept { return payload_size_ + wire::record_overhead; }

  /// Writes the whole record to `record`; `write_tensor(FieldWriter&)` writes the `tensor_size` bytes of the TensorProto.
  template <class WriteTensor>
  void write(std::byte* record, WriteTensor&& write_tensor) const {
    wire::encode_record_header(record, payload_size_);
    wire::FieldWriter writer(record + wire::record_header_size);
    writer.fixed64(1, header_.wall_time);
    if (header_.step != 0) writer.varint(2, static_cast<std::uint64_t>(header_.step));
    writer.header(5, summary_size_);
    writer.header(1, value_size_);
    if (!tag_.empty()) writer.text(1, tag_);
    writer.header(8, tensor_size_);
    write_tensor(writer);
    writer.header(9, metadata_size_);
    writer.header(1, wire::bytes_field_size(step_name.size()) + wire::bytes_field_size(mode_step_size_));
    writer.text(1, step_name);
    writer.text(2, {mode_step_, mode_step_size_});
    writer.header(1, mode_plugin_size);
    writer.text(1, mode_name);
    const char digit = static_cast<char>('0' + static_cast<int>(header_.mode));
    writer.text(2, {&digit, 1});
    wire::store_little_endian(writer.position(), wire::smdebug_check_word);
  }

 private:
  static constexpr std::string_view step_name = "mode_step";
  static constexpr std::string_view mode_name = "mode";
  static constexpr std::uint64_t mode_plugin_size =
      wire::bytes_field_size(mode_name.size()) + wire::bytes_field_size(1);

  const EventHeader& header_;
  std::string_view tag_;
  char mode_step_[20];
  std::size_t mode_step_size_;
  std::uint64_t tensor_size_;
  std::uint64_t metadata_size_;
  std::uint64_t value_size_;
  std::uint64_t summary_size_;
  std::uint64_t payload_size_;
};

/// A TensorShapeProto; each axis is named after the tensor and its size.
class ShapeProto {
 public:
  ShapeProto(const Shape& shape, std::string_view tag) noexcept : shape_(shape), tag_(tag) {
    for (const std::int64_t extent : shape) size_ += wire::bytes_field_size(dimension_size(extent));
  }
  [[nodiscard]] std::uint64_t field_size() const noexcept { return wire::bytes_field_size(size_); }
  void write(wire::FieldWriter& writer) const noexcept {
    writer.header(2, size_);
    for (const std::int64_t extent : shape_) {
      const auto number = static_cast<std::uint64_t>(extent);
      const std::size_t digits = decimal_digits(number);
      writer.header(2, dimension_size(extent));
      if (number != 0) writer.varint(1, number);
      writer.header(2, tag_.size() + 1 + digits);
      writer.raw(tag_);
      writer.raw("_");
      auto* const text = reinterpret_cast<char*>(writer.position());
      std::to_chars(text, text + digits, number);
      writer.advance(digits);
    }
  }

 private:
  [[nodiscard]] std::uint64_t dimension_size(std::int64_t extent) const noexcept {
    const auto number = static_cast<std::uint64_t>(extent);
    return (number == 0 ? 0 : wire::varint_field_size(number)) +
           wire::bytes_field_size(tag_.size() + 1 + decimal_digits(number));
  }

  const Shape& shape_;
  std::string_view tag_;
  std::uint64_t size_ = 0;
};

/// Writes the elements, converted from `From` to `To`, in row-major order.
template <class From, class To>
void write_converted(const TensorView& tensor, std::byte* out) noexcept {
  for_each_run(tensor, [&](const std::byte* first, std::int64_t count) {
    for (std::int64_t index = 0; index < count; ++index, out += sizeof(To)) {
      const From element = load_element<From>(first + static_cast<std::size_t>(index) * sizeof(From));
      if constexpr (std::same_as<From, BFloat16>) wire::store_little_endian(out, to_float(element));
      else if constexpr (std::same_as<From, Complex64>)
        wire::store_little_endian(out, Complex128{element.real, element.imaginary});
      else wire::store_little_endian(out, static_cast<To>(element));
    }
  });
}

/// Writes the elements in row-major order, widened as the policy says.
LOUPE_DECL void write_elements(const TensorView& tensor, DtypePolicy policy, std::byte* out) noexcept {
  if (tensor.type == ElementType::boolean) {
    // Bytes of a C++ bool are 0 or 1, but memory of other origin can hold anything.
    for_each_run(tensor, [&](const std::byte* first, std::int64_t count) {
      for (std::int64_t index = 0; index < count; ++index)
        *out++ = first[index] != std::byte{0} ? std::byte{1} : std::byte{0};
    });
    return;
  }
  if (stored_element_type(tensor.type, policy) == tensor.type) return copy_row_major(tensor, out);
  switch (tensor.type) {
    case ElementType::int8: return write_converted<std::int8_t, std::int32_t>(tensor, out);
    case ElementType::int16: return write_converted<std::int16_t, std::int32_t>(tensor, out);
    case ElementType::uint16: return write_converted<std::uint16_t, std::int32_t>(tensor, out);
    case ElementType::uint32: return write_converted<std::uint32_t, std::int64_t>(tensor, out);
    case ElementType::uint64: return write_converted<std::uint64_t, std::int64_t>(tensor, out);
    case ElementType::complex64: return write_converted<Complex64, Complex128>(tensor, out);
    case ElementType::bfloat16: return write_converted<BFloat16, float>(tensor, out);
    default: return;
  }
}

/// Refuses unsigned numbers that int64 can't hold.
LOUPE_DECL result<void> check_range(std::string_view tag, const TensorView& tensor) {
  std::int64_t position = 0;
  std::int64_t first_large = -1;
  for_each_run(tensor, [&](const std::byte* first, std::int64_t count) {
    for (std::int64_t index = 0; index < count; ++index, ++position)
      if (first_large < 0 && load_element<std::uint64_t>(first + static_cast<std::size_t>(index) * 8) > INT64_MAX)
        first_large = position;
  });
  if (first_large < 0) return {};
  return fail(ErrorKind::invalid_argument, tag,
              Text::join("element ", to_text(first_large).view(),
                         " (in row-major order) is above the largest int64, the widest integer that Python reads"));
}

LOUPE_DECL result<void> check_record(std::string_view tag, const EventEnvelope& envelope, DtypePolicy policy) {
  if (!wire::is_utf8(tag)) return fail(ErrorKind::invalid_argument, tag, "the tensor's name is not UTF-8");
  if (policy == DtypePolicy::widen_for_python && envelope.payload_size() > INT32_MAX)
    return fail(ErrorKind::limit_exceeded, tag,
                "the record would be larger than the 2 GiB that Python's protobuf reads");
  return {};
}

/// Appends a rank-1 string tensor; `for_each_text(visit)` calls `visit(std::string_view)` for each element.
template <class ForEachText>
result<RecordSpan> append_texts(ByteBuffer& out, const EventHeader& header, std::string_view tag, std::int64_t count,
                                DtypePolicy policy, ForEachText&& for_each_text) {
  const Shape shape{count};
  const ShapeProto shape_proto(shape, tag);
  std::uint64_t tensor_size = shape_proto.field_size();
  bool is_utf8 = true;
  for_each_text([&](std::string_view text) {
    tensor_size += wire::bytes_field_size(text.size());
    if (policy == DtypePolicy::widen_for_python) is_utf8 = is_utf8 && wire::is_utf8(text);
  });
  const EventEnvelope envelope(header, tag, tensor_size);
  LOUPE_TRY(check_record(tag, envelope, policy));
  if (!is_utf8) return fail(ErrorKind::invalid_argument, tag, "a text of the tensor is not UTF-8");
  const RecordSpan span{out.size(), envelope.record_size()};
  envelope.write(out.extend(static_cast<std::size_t>(span.length)), [&](wire::FieldWriter& writer) {
    shape_proto.write(writer);
    for_each_text([&](std::string_view text) { writer.text(8, text); });
  });
  return span;
}

}  // namespace detail

LOUPE_DECL result<RecordSpan> append_tensor_record(ByteBuffer& out, const EventHeader& header, std::string_view tag,
                                                   const TensorView& tensor, DtypePolicy policy) {
  const auto count = element_count(tensor.shape);
  if (!tensor.has_tensor()) return fail(ErrorKind::invalid_argument, tag, "there is no tensor");
  if (!count)
    return fail(ErrorKind::invalid_argument, tag, "the tensor's shape has a negative size or too many elements");
  if (tensor.type == ElementType::string) {
    if (tensor.rank() != 1)
      return fail(ErrorKind::invalid_argument, tag, "only string tensors of rank 1 can be written");
    return detail::append_texts(out, header, tag, *count, policy, [&](auto&& visit) {
      for_each_run(tensor, [&](const std::byte* first, std::int64_t run) {
        for (std::int64_t index = 0; index < run; ++index)
          visit(load_element<std::string_view>(first + static_cast<std::size_t>(index) * sizeof(std::string_view)));
      });
    });
  }
  const ElementType stored = stored_element_type(tensor.type, policy);
  if (static_cast<std::uint64_t>(*count) > (std::uint64_t{1} << 47) / element_size(stored))
    return fail(ErrorKind::limit_exceeded, tag, "the elements would take more than 2^47 bytes");
  if (tensor.type == ElementType::uint64 && stored != tensor.type) LOUPE_TRY(detail::check_range(tag, tensor));

  const std::size_t content_size = static_cast<std::size_t>(*count) * element_size(stored);
  const auto data_type = static_cast<std::uint64_t>(data_type_of(stored));
  const detail::ShapeProto shape_proto(tensor.shape, tag);
  const detail::EventEnvelope envelope(header, tag,
                                       wire::varint_field_size(data_type) + shape_proto.field_size() +
                                           (content_size == 0 ? 0 : wire::bytes_field_size(content_size)));
  LOUPE_TRY(detail::check_record(tag, envelope, policy));
  const RecordSpan span{out.size(), envelope.record_size()};
  envelope.write(out.extend(static_cast<std::size_t>(span.length)), [&](wire::FieldWriter& writer) {
    writer.varint(1, data_type);
    shape_proto.write(writer);
    if (content_size == 0) return;
    writer.header(4, content_size);
    detail::write_elements(tensor, policy, writer.position());
    writer.advance(content_size);
  });
  return span;
}

LOUPE_DECL result<RecordSpan> append_strings_record(ByteBuffer& out, const EventHeader& header, std::string_view tag,
                                                    std::span<const std::string_view> texts, DtypePolicy policy) {
  return detail::append_texts(out, header, tag, static_cast<std::int64_t>(texts.size()), policy, [&](auto&& visit) {
    for (const std::string_view text : texts) visit(text);
  });
}

}  // namespace loupe::inline LOUPE_ABI::format
