#include <optional>
#include <utility>

#include "loupe/format/layout.hpp"
#include "loupe/trial/event_files.hpp"
#include "loupe/wire/tfrecord.hpp"

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL EventFiles::EventFiles(AnyStorage storage, Settings settings)
    : storage_(std::move(storage)), settings_(std::move(settings)) {}

LOUPE_DECL std::shared_ptr<const EventFiles::Opened> EventFiles::recent(const IndexBlock& block) {
  const std::lock_guard lock(mutex_);
  for (Recent& known : recent_)
    if (known.block == &block) {
      known.last_use = ++uses_;
      return known.file;
    }
  return nullptr;
}

LOUPE_DECL void EventFiles::remember(const IndexBlock& block, std::shared_ptr<const Opened> file) {
  if (settings_.mapped_files == 0) return;
  const std::lock_guard lock(mutex_);
  Recent* place = nullptr;
  if (recent_.size() < settings_.mapped_files) {
    place = &recent_.emplace_back();
  } else {
    for (Recent& known : recent_)
      if (place == nullptr || known.last_use < place->last_use) place = &known;
  }
  *place = {&block, std::move(file), ++uses_};
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

/// The bytes that the index says are the record, and the file that they are in.
LOUPE_DECL result<std::span<const std::byte>> EventFiles::record(const IndexBlock& block, const IndexEntry& entry,
                                                                 std::shared_ptr<const Opened>& file) {
  const auto cut_off = [&](const Text& key, std::uint64_t size) {
    return fail_at(ErrorKind::corrupt, key, static_cast<std::int64_t>(size),
                   Text::join("the file ends before the record that the index puts at byte ",
                              to_text(static_cast<long long>(entry.start)).view()));
  };
  const auto part_of = [&](std::span<const std::byte> bytes) -> result<std::span<const std::byte>> {
    if (entry.start > bytes.size() || entry.length > bytes.size() - entry.start) return cut_off(file->key, bytes.size());
    return bytes.subspan(static_cast<std::size_t>(entry.start), static_cast<std::size_t>(entry.length));
  };
  file = recent(block);
  if (file != nullptr) return part_of(file->mapped.bytes());
  auto opened = std::make_shared<Opened>();
  opened->key = block.event_key.empty() ? format::event_key(block.global_step, worker_in_files(block.worker->name))
                                        : block.event_key;
  if (storage_.capabilities().map) {
    LOUPE_ASSIGN(opened->mapped, storage_.map(opened->key));
    file = std::move(opened);
    remember(block, file);
    return part_of(file->mapped.bytes());
  }
  // A lying index must not make us allocate: the file's size bounds what is read.
  LOUPE_ASSIGN(const ObjectInfo info, storage_.stat(opened->key));
  if (entry.start > info.size || entry.length > info.size - entry.start) return cut_off(opened->key, info.size);
  LOUPE_TRY(storage_.read(opened->key, {entry.start, entry.length}, opened->buffer));
  if (opened->buffer.size() != entry.length) return cut_off(opened->key, entry.start + opened->buffer.size());
  const std::span<const std::byte> bytes = std::as_const(opened->buffer).bytes();
  file = std::move(opened);
  return bytes;
}

/// Waits for an event file that the index names and that isn't there, as long as it may still come (format.md 10.3).
LOUPE_DECL result<void> EventFiles::wait_for(const IndexBlock& block, const Text& key, FunctionRef<bool()> is_there) {
  const std::int64_t now = settings_.wait.clock->monotonic_ns();
  const std::int64_t deadline = now > INT64_MAX - settings_.missing_deadline ? INT64_MAX : now + settings_.missing_deadline;
  const std::string_view prefixes[] = {format::events_prefix, format::end_marker_key};
  return poll_until(storage_, prefixes, settings_.wait, deadline, key, [&]() -> result<bool> {
    // What says that it won't come is looked for before the file itself: that may appear in between.
    LOUPE_ASSIGN(bool is_given_up, was_skipped(block, key));
    if (!is_given_up) {
      LOUPE_ASSIGN(const std::optional<ObjectInfo> end, find_end_marker(storage_));
      is_given_up = end.has_value();
    }
    return is_there() || is_given_up;
  });
}

LOUPE_DECL result<EventPayload> EventFiles::payload(const IndexBlock& block, const IndexEntry& entry) {
  std::shared_ptr<const Opened> file;
  result<std::span<const std::byte>> bytes = record(block, entry, file);
  if (!bytes && bytes.error().kind == ErrorKind::not_found) {
    const Text key = bytes.error().object;
    const result<void> waited = wait_for(block, key, [&] {
      bytes = record(block, entry, file);
      return bytes || bytes.error().kind != ErrorKind::not_found;
    });
    if (!waited && waited.error().kind != ErrorKind::timeout) return unexpected<Error>(waited.error());
  }
  if (!bytes) return unexpected<Error>(std::move(bytes).error());
  const auto check = settings_.constant_check_word_only ? wire::RecordCheck::minimal : wire::RecordCheck::either;
  wire::RecordReader reader(*bytes, file->key, check);
  result<std::optional<wire::Record>> found = reader.next();
  if (!found) {
    Error error = std::move(found).error();
    if (error.offset >= 0) error.offset += static_cast<std::int64_t>(entry.start);
    // smdebug tells a wrong checksum from bytes that can't be decoded.
    if (settings_.constant_check_word_only) error.kind = ErrorKind::invalid_state;
    return fail(std::move(error));
  }
  if (!*found || (*found)->length != bytes->size())
    return fail_at(ErrorKind::corrupt, file->key, static_cast<std::int64_t>(entry.start),
                   "the record is not as long as the index says");
  EventPayload out;
  out.bytes = (*found)->payload;
  out.file = file->key;
  out.offset = entry.start + wire::record_header_size;
  out.owner = std::move(file);
  return out;
}

}  // namespace loupe::inline LOUPE_ABI
