#include <charconv>
#include <system_error>

#include "loupe/format/event_message.hpp"
#include "loupe/wire/utf8.hpp"

namespace loupe::inline LOUPE_ABI::format {

namespace detail {

using wire::Field;
using wire::FieldReader;
using wire::WireType;

/// The reader of one event record.
class EventParser {
 public:
  explicit EventParser(std::string_view file) noexcept : file_(file) {}

  result<EventMessage> parse(std::span<const std::byte> payload, std::int64_t offset) {
    FieldReader reader(payload, file_, offset);
    while (true) {
      LOUPE_ASSIGN(const auto field, reader.next());
      if (!field) break;
      if (field->is(1, WireType::fixed64)) event_.wall_time = field->as_double();
      else if (field->is(2, WireType::varint)) event_.step = static_cast<std::int64_t>(field->bits);
      else if (field->is(5, WireType::length_delimited)) LOUPE_TRY(parse_summary(*field));
    }
    if (!has_mode_step_) event_.mode_step = event_.step;
    return event_;
  }

 private:
  result<void> parse_summary(const Field& summary) {
    FieldReader reader(summary, file_);
    while (true) {
      LOUPE_ASSIGN(const auto field, reader.next());
      if (!field) return {};
      if (!field->is(1, WireType::length_delimited)) continue;
      if (event_.has_value) return corrupt(field->offset, "the record holds more than one value");
      event_.has_value = true;
      LOUPE_TRY(parse_value(*field));
    }
  }

  result<void> parse_value(const Field& value) {
    FieldReader reader(value, file_);
    event_.tensor.value = value.bytes;
    event_.tensor.value_offset = value.offset;
    bool has_tensor = false;
    while (true) {
      LOUPE_ASSIGN(const auto field, reader.next());
      if (!field) break;
      if (field->is(1, WireType::length_delimited)) {
        if (!wire::is_utf8(field->text())) return corrupt(field->offset, "the tensor's name is not UTF-8");
        event_.tag = field->text();
      } else if (field->is(8, WireType::length_delimited)) {
        has_tensor = true;
        LOUPE_TRY(parse_tensor(*field));
      } else if (field->is(9, WireType::length_delimited)) {
        LOUPE_TRY(parse_metadata(*field));
      }
    }
    if (!has_tensor) return fail_at(ErrorKind::unsupported, file_, value.offset, "the record's value is not a tensor");
    const auto elements = element_count(event_.tensor.shape);
    if (!elements) return corrupt(value.offset, "the tensor's shape has too many elements");
    event_.tensor.elements = static_cast<std::uint64_t>(*elements);
    return {};
  }

  result<void> parse_tensor(const Field& tensor) {
    FieldReader reader(tensor, file_);
    while (true) {
      LOUPE_ASSIGN(const auto field, reader.next());
      if (!field) return {};
      if (field->is(1, WireType::varint)) {
        event_.tensor.data_type = static_cast<DataType>(static_cast<std::int32_t>(field->bits));
      } else if (field->is(2, WireType::length_delimited)) {
        LOUPE_TRY(parse_shape(*field));
      } else if (field->is(4, WireType::length_delimited)) {
        event_.tensor.content = field->bytes;
        event_.tensor.content_offset = field->offset;
      }
    }
  }

  result<void> parse_shape(const Field& shape) {
    FieldReader reader(shape, file_);
    while (true) {
      LOUPE_ASSIGN(const auto field, reader.next());
      if (!field) return {};
      if (field->is(2, WireType::length_delimited)) LOUPE_TRY(parse_size(*field));
    }
  }

  result<void> parse_size(const Field& dimension) {
    FieldReader reader(dimension, file_);
    std::int64_t size = 0;
    while (true) {
      LOUPE_ASSIGN(const auto field, reader.next());
      if (!field) break;
      if (field->is(1, WireType::varint)) size = static_cast<std::int64_t>(field->bits);
    }
    if (size < 0) return corrupt(dimension.offset, "a size in the tensor's shape is negative");
    if (!event_.tensor.shape.push_back(size))
      return fail_at(ErrorKind::limit_exceeded, file_, dimension.offset, "the tensor has more than 32 axes");
    return {};
  }

  result<void> parse_metadata(const Field& metadata) {
    FieldReader reader(metadata, file_);
    while (true) {
      LOUPE_ASSIGN(const auto field, reader.next());
      if (!field) return {};
      if (field->is(1, WireType::length_delimited)) LOUPE_TRY(parse_plugin_data(*field));
    }
  }

  result<void> parse_plugin_data(const Field& data) {
    FieldReader reader(data, file_);
    std::string_view name;
    std::string_view content;
    while (true) {
      LOUPE_ASSIGN(const auto field, reader.next());
      if (!field) break;
      if (field->is(1, WireType::length_delimited)) name = field->text();
      else if (field->is(2, WireType::length_delimited)) content = field->text();
    }
    if (name != "mode" && name != "mode_step") return {};
    std::int64_t number = 0;
    const auto [stop, status] = std::from_chars(content.data(), content.data() + content.size(), number);
    if (status != std::errc() || stop != content.data() + content.size())
      return corrupt(data.offset, "the value's mode or mode step is no number");
    if (name == "mode_step") {
      event_.mode_step = number;
      has_mode_step_ = true;
      return {};
    }
    const auto mode = mode_from_number(number);
    if (!mode) return corrupt(data.offset, "the value's mode is none of 1 to 4");
    event_.mode = *mode;
    return {};
  }

  [[nodiscard]] unexpected<Error> corrupt(std::int64_t offset, std::string_view detail) const {
    return fail_at(ErrorKind::corrupt, file_, offset, detail);
  }

  std::string_view file_;
  EventMessage event_;
  bool has_mode_step_ = false;
};

}  // namespace detail

LOUPE_DECL result<EventMessage> read_event_message(std::span<const std::byte> payload, std::string_view file,
                                                   std::int64_t offset) {
  return detail::EventParser(file).parse(payload, offset);
}

LOUPE_DECL result<std::uint64_t> TensorMessage::count(TypedField field, std::string_view file) const {
  std::uint64_t given = 0;
  LOUPE_TRY(for_each(field, file, [&](const wire::Field&) -> result<void> {
    ++given;
    return {};
  }));
  return given;
}

}  // namespace loupe::inline LOUPE_ABI::format
