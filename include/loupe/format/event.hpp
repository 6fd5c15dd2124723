#pragma once
/// @file
/// Records of `events/`: one tensor each, with its name, step and mode (format.md sections 3 and 4).

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "loupe/base/array.hpp"
#include "loupe/base/byte_buffer.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/tensor_view.hpp"
#include "loupe/format/event_message.hpp"

namespace loupe::inline LOUPE_ABI::format {

/// Where a record lies in its file, as index files say it.
struct RecordSpan {
  std::uint64_t start = 0;
  std::uint64_t length = 0;  ///< framing included
};

/// Which element types are written (format.md 4.4).
enum class DtypePolicy : std::uint8_t {
  /// Types that smdebug's reader lacks become wider ones: int8, int16, uint16 → int32; uint32, uint64 → int64;
  /// complex64 → complex128; bfloat16 → float32. Texts must be UTF-8, and a record fit in 2 GiB.
  widen_for_python,
  exact,
};

/// The type that elements of a type are written as.
constexpr ElementType stored_element_type(ElementType type, DtypePolicy policy) noexcept {
  if (policy == DtypePolicy::exact) return type;
  switch (type) {
    case ElementType::int8:
    case ElementType::int16:
    case ElementType::uint16: return ElementType::int32;
    case ElementType::uint32:
    case ElementType::uint64: return ElementType::int64;
    case ElementType::complex64: return ElementType::complex128;
    case ElementType::bfloat16: return ElementType::float32;
    default: return type;
  }
}

/// Appends the record of a tensor and says where it begins in `out`. The elements are copied once, in row-major order,
/// whatever the strides; without an allocation if `out` has room. Strings must have rank 1.
/// The view must be readable by the host. On an error, which names `tag`, nothing is appended: `invalid_argument` for a
/// name that isn't UTF-8, an empty view, an invalid shape, and numbers above the largest int64 where they are widened to
/// it; `limit_exceeded` for records larger than the policy allows.
LOUPE_DECL result<RecordSpan> append_tensor_record(ByteBuffer& out, const EventHeader& header, std::string_view tag,
                                                   const TensorView& tensor,
                                                   DtypePolicy policy = DtypePolicy::widen_for_python);

/// The same for a rank-1 tensor of texts.
LOUPE_DECL result<RecordSpan> append_strings_record(ByteBuffer& out, const EventHeader& header, std::string_view tag,
                                                    std::span<const std::string_view> texts,
                                                    DtypePolicy policy = DtypePolicy::widen_for_python);

/// Bytes that a value may take which a record states once for all elements, or for the rest of them.
inline constexpr std::uint64_t max_replicated_bytes = std::uint64_t{1} << 28;

/// A record, read. Views are into the payload. A record that doesn't say its mode is of mode global, and its mode step is
/// its step.
struct DecodedEvent : EventHeader {
  std::string_view tag;
  ElementType type = ElementType::none;  ///< `none`: the record has no summary and is to be skipped
  Shape shape;
  std::span<const std::byte> content;    ///< the elements, row-major, at any alignment, if they lie in the payload;
  Array values;                          ///< else here

  [[nodiscard]] bool has_tensor() const noexcept { return type != ElementType::none; }
  /// The tensor; valid while the payload and this object live.
  [[nodiscard]] TensorView view() const noexcept {
    return values.type() != ElementType::none ? values.view() : TensorView(content.data(), type, shape);
  }
};

/// Reads a record's payload, whatever program wrote it: fields in any order, unknown ones skipped, values raw or in typed
/// fields, of which a last one stands for all that are missing. Raw values are not copied.
/// Errors have `file` and the offset in it, `offset` being that of the payload: `corrupt` for bytes that are no event,
/// or where values and shape don't match; `unsupported` for other values than tensors, and for unknown element types;
/// `limit_exceeded` for a rank above 32 and for more than `max_replicated_bytes` out of few.
LOUPE_DECL result<DecodedEvent> decode_event(std::span<const std::byte> payload, std::string_view file,
                                             std::int64_t offset);

}  // namespace loupe::inline LOUPE_ABI::format

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/format/event.ipp"
#include "loupe/format/event_decode.ipp"
#endif
