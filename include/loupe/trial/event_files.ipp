#include <optional>
#include <utility>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/format/layout.hpp"
#include "loupe/trial/event_files.hpp"
#include "loupe/wire/tfrecord.hpp"

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL EventFiles::EventFiles(AnyStorage storage, Settings settings)
    : storage_(std::move(storage)), settings_(std::move(settings)) {}

LOUPE_DECL std::optional<MappedBytes> EventFiles::cached(const IndexBlock& block) {
  const std::lock_guard lock(mutex_);
  for (Mapped& mapped : mapped_)
    if (mapped.block == &block) {
      mapped.last_use = ++uses_;
      return mapped.bytes;
    }
  return std::nullopt;
}

LOUPE_DECL void EventFiles::remember(const IndexBlock& block, const MappedBytes& bytes) {
  if (settings_.mapped_files == 0) return;
  const std::lock_guard lock(mutex_);
  Mapped* place = nullptr;
  if (mapped_.size() < settings_.mapped_files) {
    place = &mapped_.emplace_back();
  } else {
    for (Mapped& mapped : mapped_)
      if (place == nullptr || mapped.last_use < place->last_use) place = &mapped;
  }
  *place = {&block, bytes, ++uses_};
}

/// Whether the worker has gone on to write a later event file.
LOUPE_DECL result<bool> EventFiles::was_skipped(const IndexBlock& block, std::string_view key) {
  bool has_later = false;
  LOUPE_TRY(storage_.list(format::events_prefix, key, [&](const ObjectInfo& object) {
    const auto later = format::parse_event_key(object.key);
    has_later = later && later->worker == block.worker->name && later->step != block.global_step;
    return !has_later;
  }));
  return has_later;
}

/// The bytes that the index says are the record.
LOUPE_DECL result<std::span<const std::byte>> EventFiles::record(const IndexBlock& block, const IndexEntry& entry,
                                                                 EventPayload& out) {
  const auto cut_off = [&](std::uint64_t size) {
    return fail_at(ErrorKind::corrupt, out.file, static_cast<std::int64_t>(size),
                   Text::join("the file ends before the record that the index puts at byte ",
                              to_text(static_cast<long long>(entry.start)).view()));
  };
  if (storage_.capabilities().map) {
    std::optional<MappedBytes> mapped = cached(block);
    if (!mapped) {
      LOUPE_ASSIGN(mapped, storage_.map(out.file));
      remember(block, *mapped);
    }
    const std::span<const std::byte> file = mapped->bytes();
    if (entry.start > file.size() || entry.length > file.size() - entry.start) return cut_off(file.size());
    out.owner = mapped->owner();
    return file.subspan(static_cast<std::size_t>(entry.start), static_cast<std::size_t>(entry.length));
  }
  // A lying index must not make us allocate: the file's size bounds what is read.
  LOUPE_ASSIGN(const ObjectInfo info, storage_.stat(out.file));
  if (entry.start > info.size || entry.length > info.size - entry.start) return cut_off(info.size);
  auto buffer = std::make_shared<ByteBuffer>();
  LOUPE_TRY(storage_.read(out.file, {entry.start, entry.length}, *buffer));
  if (buffer->size() != entry.length) return cut_off(entry.start + buffer->size());
  const std::span<const std::byte> bytes = std::as_const(*buffer).bytes();
  out.owner = std::move(buffer);
  return bytes;
}

LOUPE_DECL result<EventPayload> EventFiles::payload(const IndexBlock& block, const IndexEntry& entry) {
  EventPayload out;
  out.file = block.event_key.empty() ? format::event_key(block.global_step, worker_in_files(block.worker->name)) : block.event_key;
  out.offset = entry.start;
  result<std::span<const std::byte>> bytes = record(block, entry, out);
  if (!bytes && bytes.error().kind == ErrorKind::not_found) {
    Error missing = bytes.error();
    const std::int64_t now = settings_.wait.clock->monotonic_ns();
    const std::int64_t deadline =
        now > INT64_MAX - settings_.missing_deadline ? INT64_MAX : now + settings_.missing_deadline;
    const std::string_view prefixes[] = {format::events_prefix, format::end_marker_key};
    const result<void> waited = poll_until(storage_, prefixes, settings_.wait, deadline, out.file, [&]() -> result<bool> {
      // Looking for what says that it won't come before looking for the file: it may appear in between.
      LOUPE_ASSIGN(bool given_up, was_skipped(block, out.file));
      if (!given_up) {
        LOUPE_ASSIGN(given_up, run_has_ended(storage_));
      }
      bytes = record(block, entry, out);
      if (bytes || bytes.error().kind != ErrorKind::not_found) return true;
      return given_up;
    });
    if (!waited && waited.error().kind != ErrorKind::timeout) return unexpected<Error>(waited.error());
  }
  if (!bytes) return unexpected<Error>(std::move(bytes).error());
  const auto check = settings_.constant_check_word_only ? wire::RecordCheck::minimal : wire::RecordCheck::either;
  wire::RecordReader reader(*bytes, out.file, check);
  result<std::optional<wire::Record>> found = reader.next();
  if (!found) {
    Error error = std::move(found).error();
    if (error.offset >= 0) error.offset += static_cast<std::int64_t>(entry.start);
    // smdebug tells a wrong checksum from bytes that can't be decoded.
    if (settings_.constant_check_word_only) error.kind = ErrorKind::invalid_state;
    return fail(std::move(error));
  }
  if (!*found || (*found)->length != bytes->size())
    return fail_at(ErrorKind::corrupt, out.file, static_cast<std::int64_t>(entry.start),
                   "the record is not as long as the index says");
  out.bytes = (*found)->payload;
  out.offset = entry.start + wire::record_header_size;
  return out;
}

}  // namespace loupe::inline LOUPE_ABI
