#include <string>
#include <utility>
#include <vector>

#include "loupe/format/event_message.hpp"
#include "loupe/format/smdebug_compat.hpp"
#include "loupe/wire/utf8.hpp"

namespace loupe::inline LOUPE_ABI::format {

namespace detail {

/// The types that smdebug's table has.
constexpr ElementType smdebug_element_type(DataType type) noexcept {
  switch (type) {
    case DataType::float16:
    case DataType::float32:
    case DataType::float64:
    case DataType::int32:
    case DataType::int64:
    case DataType::uint8:
    case DataType::boolean:
    case DataType::complex128:
    case DataType::string: return element_type_from(type);
    case DataType::int8: return ElementType::uint8;
    default: return ElementType::none;
  }
}

class SmdebugDecoder {
 public:
  SmdebugDecoder(const TensorMessage& tensor, std::string_view file) noexcept : tensor_(tensor), file_(file) {}

  result<void> decode(SmdebugValue& value) const {
    constexpr TypedField texts = typed_field_of(ElementType::string);
    LOUPE_ASSIGN(const std::uint64_t text_count, tensor_.count(texts, file_));
    if (tensor_.data_type == DataType::invalid && text_count > 0) return take_texts(texts, text_count, value.event);
    const ElementType type = smdebug_element_type(tensor_.data_type);
    if (type == ElementType::none) return error(ErrorKind::unsupported, "KeyError: smdebug has no such element type");
    if (!tensor_.content.empty()) return take_content(type, value.event);
    return take_typed(type, value);
  }

 private:
  result<void> take_texts(TypedField field, std::uint64_t given, DecodedEvent& event) const {
    if (tensor_.shape.size() != 1)
      return error(ErrorKind::invalid_argument, "SMDebugValueError: strings must have rank 1");
    const auto count = static_cast<std::uint64_t>(tensor_.shape[0]);
    if (count > given) return error(ErrorKind::corrupt, "IndexError: there are fewer strings than the shape says");
    std::vector<std::string> texts;
    LOUPE_TRY(tensor_.for_each(field, file_, [&](const wire::Field& text) -> result<void> {
      if (texts.size() == count) return {};
      if (!wire::is_utf8(text.text())) return error(ErrorKind::corrupt, "UnicodeDecodeError: a string is not UTF-8");
      texts.emplace_back(text.text());
      return {};
    }));
    return take(Array::strings(std::move(texts), tensor_.shape), event);
  }

  result<void> take_content(ElementType type, DecodedEvent& event) const {
    const std::size_t width = element_size(type);
    if (type == ElementType::string || tensor_.content.size() % width != 0 ||
        tensor_.content.size() / width != tensor_.elements)
      return error(ErrorKind::corrupt, "ValueError: the content doesn't fit the shape");
    event.type = type;
    event.shape = tensor_.shape;
    if (type != ElementType::boolean) {
      event.content = tensor_.content;
      return {};
    }
    LOUPE_ASSIGN(event.values, Array::make(type, tensor_.shape));
    std::byte* out = event.values.bytes().data();
    for (const std::byte byte : tensor_.content) *out++ = byte != std::byte{0} ? std::byte{1} : std::byte{0};
    return {};
  }

  result<void> take_typed(ElementType type, SmdebugValue& value) const {
    const TypedField field = typed_field_of(type);
    LOUPE_ASSIGN(const std::uint64_t given, tensor_.count(field, file_));
    switch (type) {
      case ElementType::int32:
      case ElementType::int64:
        if (given != 0) break;
        value.has_shape = false;
        return {};
      case ElementType::float32:
      case ElementType::boolean:
        if (given == 0) return error(ErrorKind::invalid_argument, "SMDebugValueError: the typed field is empty");
        break;
      default:
        return error(ErrorKind::invalid_type, "SMDebugTypeError: smdebug reads no typed field of this element type");
    }
    if (type == ElementType::boolean) {
      // A Python list with something in it is true.
      value.has_shape = false;
      LOUPE_TRY(take(Array::make(type, Shape()), value.event));
      value.event.values.bytes()[0] = std::byte{1};
      return {};
    }
    LOUPE_TRY(take(Array::make(type, {static_cast<std::int64_t>(given)}), value.event));
    std::byte* out = value.event.values.bytes().data();
    const std::size_t width = element_size(type);
    return tensor_.for_each(field, file_, [&](const wire::Field& number) -> result<void> {
      std::memcpy(out, &number.bits, width);
      out += width;
      return {};
    });
  }

  static result<void> take(result<Array> values, DecodedEvent& event) {
    LOUPE_ASSIGN(event.values, std::move(values));
    event.type = event.values.type();
    event.shape = event.values.shape();
    return {};
  }

  [[nodiscard]] unexpected<Error> error(ErrorKind kind, std::string_view detail) const {
    return fail_at(kind, file_, tensor_.value_offset, detail);
  }

  const TensorMessage& tensor_;
  std::string_view file_;
};

}  // namespace detail

LOUPE_DECL result<SmdebugValue> decode_event_as_smdebug(std::span<const std::byte> payload, std::string_view file,
                                                        std::int64_t offset) {
  LOUPE_ASSIGN(const EventMessage message, read_event_message(payload, file, offset));
  SmdebugValue value;
  static_cast<EventHeader&>(value.event) = message;
  value.event.tag = message.tag;
  if (message.has_value) LOUPE_TRY(detail::SmdebugDecoder(message.tensor, file).decode(value));
  return value;
}

}  // namespace loupe::inline LOUPE_ABI::format
