/// @file
/// Any bytes as an event record's payload: it is refused or read, and what was read can be written and read again.
#include <cstring>
#include <string_view>

#include "fuzz/driver.hpp"
#include "loupe/base/array.hpp"
#include "loupe/format/event.hpp"
#include "loupe/format/smdebug_compat.hpp"
#include "loupe/wire/tfrecord.hpp"

namespace {

namespace format = loupe::format;

/// Whether all elements are the same, bit by bit. Touches every one of them.
bool same_elements(const loupe::TensorView& a, const loupe::TensorView& b) {
  if (a.type != b.type || a.shape != b.shape) return false;
  const auto first = loupe::Array::copy_of(a);
  const auto second = loupe::Array::copy_of(b);
  fuzz::require(first.has_value() && second.has_value(), "a decoded tensor can be copied");
  if (a.type != loupe::ElementType::string)
    return first->bytes().empty() ||
           std::memcmp(first->bytes().data(), second->bytes().data(), first->bytes().size()) == 0;
  const auto texts = first->elements<std::string_view>();
  const auto others = second->elements<std::string_view>();
  for (std::size_t index = 0; index < texts.size(); ++index)
    if (texts[index] != others[index]) return false;
  return true;
}

void check_error(const loupe::Error& error, std::size_t size) {
  fuzz::require(error.offset >= 12 && error.offset <= 12 + static_cast<std::int64_t>(size),
                "an error lies in the payload");
}

/// A value that stands for many makes large tensors of few bytes: those are not copied over and over.
constexpr std::size_t largest_rewritten = std::size_t{1} << 20;

void write_again(const format::DecodedEvent& event) {
  if (event.view().byte_size() > largest_rewritten) return;
  loupe::ByteBuffer again;
  const auto span = format::append_tensor_record(again, event, event.tag, event.view(), format::DtypePolicy::exact);
  const bool can_be_written = event.type != loupe::ElementType::string || event.shape.size() == 1;
  fuzz::require(span.has_value() == can_be_written, "all but strings of other ranks than 1 can be written");
  if (!span) return;
  loupe::wire::RecordReader reader(again.bytes(), "again", loupe::wire::RecordCheck::minimal);
  const auto record = reader.next();
  fuzz::require(record && *record && (*record)->length == again.size(), "what was written is one record");
  const auto back = format::decode_event((*record)->payload, "again", 12);
  fuzz::require(back.has_value(), "what was written can be read");
  fuzz::require(back->step == event.step && back->mode == event.mode && back->mode_step == event.mode_step,
                "steps survive");
  fuzz::require(std::memcmp(&back->wall_time, &event.wall_time, sizeof event.wall_time) == 0, "times survive");
  fuzz::require(back->tag == event.tag, "names survive");
  fuzz::require(same_elements(event.view(), back->view()), "elements survive");
  loupe::ByteBuffer widened;
  static_cast<void>(format::append_tensor_record(widened, event, event.tag, event.view()));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto payload = fuzz::bytes(data, size);
  if (const auto event = format::decode_event(payload, "file", 12); !event) check_error(event.error(), size);
  else if (event->has_tensor()) write_again(*event);
  if (const auto value = format::decode_event_as_smdebug(payload, "file", 12); !value) check_error(value.error(), size);
  else if (value->event.has_tensor())
    fuzz::require(same_elements(value->event.view(), value->event.view()), "elements can be read");
  return 0;
}
