#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "loupe/format/data_type.hpp"
#include "loupe/format/event.hpp"
#include "loupe/format/event_message.hpp"

namespace loupe::inline LOUPE_ABI::format {

namespace detail {

/// Writes the number of a typed field to `out`; false if the type has no such number.
template <class Number>
bool store_number(const wire::Field& field, std::byte* out) noexcept {
  if constexpr (std::same_as<Number, float>) {
    wire::store_little_endian(out, field.as_float());
  } else if constexpr (std::same_as<Number, double>) {
    wire::store_little_endian(out, field.as_double());
  } else if constexpr (std::same_as<Number, bool>) {
    wire::store_little_endian(out, field.bits != 0);
  } else if constexpr (std::same_as<Number, Float16> || std::same_as<Number, BFloat16>) {
    if (field.bits > UINT16_MAX) return false;
    wire::store_little_endian(out, static_cast<std::uint16_t>(field.bits));
  } else if constexpr (sizeof(Number) == 8) {
    wire::store_little_endian(out, static_cast<Number>(field.bits));
  } else {
    // int_val is of type int32, whatever the number's own type: a varint's upper half only repeats the sign.
    using Written = std::conditional_t<std::same_as<Number, std::uint32_t>, std::uint32_t, std::int32_t>;
    const auto written = static_cast<Written>(field.bits);
    if (!std::in_range<Number>(written)) return false;
    wire::store_little_endian(out, static_cast<Number>(written));
  }
  return true;
}

/// Makes a tensor of the values of a message.
class ValueDecoder {
 public:
  ValueDecoder(const TensorMessage& tensor, ElementType type, std::string_view file) noexcept
      : tensor_(tensor),
        type_(type),
        file_(file) {}

  /// Elements in the payload as they are, if they can be used so; else `values` is filled.
  result<void> decode(DecodedEvent& event) const {
    if (type_ != ElementType::string && !tensor_.content.empty()) return take_content(event);
    LOUPE_ASSIGN(const std::uint64_t given, count_typed());
    if (given > tensor_.elements) return corrupt("the tensor has more values than its shape has elements");
    if (given == 0 && tensor_.elements > 0) return corrupt("the tensor has no values");
    LOUPE_TRY(check_replicated(given));
    if (type_ == ElementType::string) return take_texts(event);
    LOUPE_ASSIGN(event.values, Array::make(type_, tensor_.shape));
    return given == 0 ? result<void>() : take_numbers(event.values);
  }

 private:
  result<void> take_content(DecodedEvent& event) const {
    const std::span<const std::byte> content = tensor_.content;
    const std::size_t width = element_size(type_);
    if (content.size() % width != 0 || content.size() / width != tensor_.elements)
      return corrupt("the tensor's content is not as long as its shape and element type say");
    if (type_ != ElementType::boolean || is_canonical(content)) {
      event.content = content;
      return {};
    }
    LOUPE_ASSIGN(event.values, Array::make(type_, tensor_.shape));
    std::byte* out = event.values.bytes().data();
    for (const std::byte byte : content) *out++ = byte != std::byte{0} ? std::byte{1} : std::byte{0};
    return {};
  }

  /// Whether all bytes are those of a C++ bool; reading another as one would be undefined.
  static bool is_canonical(std::span<const std::byte> content) noexcept {
    std::byte all{0};
    for (const std::byte byte : content) all |= byte;
    return all <= std::byte{1};
  }

  result<std::uint64_t> count_typed() const {
    LOUPE_ASSIGN(const std::uint64_t numbers, tensor_.count(typed_field_of(type_), file_));
    if (!is_complex(type_)) return numbers;
    if (numbers % 2 != 0) return corrupt("a complex number lacks its second half");
    return numbers / 2;
  }

  /// Bounds what is made of few bytes, before any memory is taken for it.
  result<void> check_replicated(std::uint64_t given) const {
    if (tensor_.elements == given) return {};
    std::uint64_t width = element_size(type_);
    if (type_ == ElementType::string) {
      std::size_t longest = 0;
      LOUPE_TRY(tensor_.for_each(typed_field_of(type_), file_, [&](const wire::Field& field) -> result<void> {
        longest = longest < field.bytes.size() ? field.bytes.size() : longest;
        return {};
      }));
      width = sizeof(std::string) + sizeof(std::string_view) + longest;
    }
    if (tensor_.elements - given <= max_replicated_bytes / width) return {};
    return fail_at(ErrorKind::limit_exceeded, file_, tensor_.value_offset,
                   "few values stand for more than 256 MiB of them");
  }

  result<void> take_texts(DecodedEvent& event) const {
    const auto count = static_cast<std::size_t>(tensor_.elements);
    std::vector<std::string> texts;
    texts.reserve(count);
    LOUPE_TRY(tensor_.for_each(typed_field_of(type_), file_, [&](const wire::Field& field) -> result<void> {
      texts.emplace_back(field.text());
      return {};
    }));
    if (!texts.empty()) texts.resize(count, std::string(texts.back()));
    LOUPE_ASSIGN(event.values, Array::strings(std::move(texts), tensor_.shape));
    return {};
  }

  using StoreNumber = bool (*)(const wire::Field& field, std::byte* out) noexcept;

  [[nodiscard]] StoreNumber store_of_type() const noexcept {
    return visit_element_type(type_, []<class Type>() -> StoreNumber {
      if constexpr (std::is_void_v<Type> || std::same_as<Type, std::string_view>) return nullptr;
      else if constexpr (std::same_as<Type, Complex64>) return store_number<float>;
      else if constexpr (std::same_as<Type, Complex128>) return store_number<double>;
      else return store_number<Type>;
    });
  }

  result<void> take_numbers(Array& values) const {
    const StoreNumber store = store_of_type();
    const std::size_t width = element_size(type_);
    const std::size_t part = is_complex(type_) ? width / 2 : width;
    std::byte* out = values.bytes().data();
    std::byte* const end = out + values.bytes().size();
    LOUPE_TRY(tensor_.for_each(typed_field_of(type_), file_, [&](const wire::Field& field) -> result<void> {
      if (!store(field, out))
        return fail_at(ErrorKind::corrupt, file_, field.offset, "a value is beyond the tensor's element type");
      out += part;
      return {};
    }));
    for (; out != end; out += width) std::memcpy(out, out - width, width);
    return {};
  }

  [[nodiscard]] unexpected<Error> corrupt(std::string_view detail) const {
    return fail_at(ErrorKind::corrupt, file_, tensor_.content.empty() ? tensor_.value_offset : tensor_.content_offset,
                   detail);
  }

  const TensorMessage& tensor_;
  ElementType type_;
  std::string_view file_;
};

}  // namespace detail

LOUPE_DECL result<DecodedEvent> decode_event(std::span<const std::byte> payload, std::string_view file,
                                             std::int64_t offset) {
  LOUPE_ASSIGN(const EventMessage message, read_event_message(payload, file, offset));
  DecodedEvent event;
  static_cast<EventHeader&>(event) = message;
  event.tag = message.tag;
  if (!message.has_value) return event;
  const TensorMessage& tensor = message.tensor;
  ElementType type = element_type_from(tensor.data_type);
  // smdebug's strings have no type; nor has an empty tensor of them, which has nothing else either.
  if (tensor.data_type == DataType::invalid && tensor.content.empty()) type = ElementType::string;
  if (type == ElementType::none)
    return fail_at(
        ErrorKind::unsupported, file, tensor.value_offset,
        Text::join("the tensor's element type is number ", to_text(static_cast<std::int32_t>(tensor.data_type)).view(),
                   " of TensorFlow, which is not supported"));
  event.type = type;
  event.shape = tensor.shape;
  LOUPE_TRY(detail::ValueDecoder(tensor, type, file).decode(event));
  return event;
}

}  // namespace loupe::inline LOUPE_ABI::format
