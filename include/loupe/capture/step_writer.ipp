#include "loupe/capture/step_writer.hpp"

#include "loupe/base/contained.hpp"
#include "loupe/format/index.hpp"
#include "loupe/format/layout.hpp"

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL void StepWriter::submit(StepBuffer* buffer) {
  staging_.submit(*buffer);
  {
    const MutexLock lock(mutex_);
    (last_ != nullptr ? last_->next : first_) = buffer;
    last_ = buffer;
    if (is_running_) return;
    is_running_ = true;
  }
  // One task empties the queue, so a refusal can only mean that others keep the executor busy: then this thread writes.
  const auto posted =
      contained("post a task", [&]() -> result<bool> { return executor_.post([this]() noexcept { run(); }); });
  if (!posted || !*posted) run();
}

LOUPE_DECL StepBuffer* StepWriter::take_next() noexcept {
  const MutexLock lock(mutex_);
  StepBuffer* buffer = first_;
  if (buffer == nullptr) {
    is_running_ = false;
    idle_.notify_all();
    return nullptr;
  }
  first_ = buffer->next;
  if (first_ == nullptr) last_ = nullptr;
  return buffer;
}

LOUPE_DECL void StepWriter::run() noexcept {
  while (StepBuffer* buffer = take_next()) {
    if (auto outcome = contained("write a step", [&] { return publish(*buffer); }); !outcome) {
      failures_.add_dropped_step();
      failures_.add(std::move(outcome).error());
    }
    if (auto outcome = contained("write a TensorBoard file", [&] { return publish_summaries(*buffer); }); !outcome)
      failures_.add(std::move(outcome).error());
    for (const StepBuffer::Object& object : buffer->objects) {
      if (auto outcome = contained("write", [&] { return target_.trial.put(object.key, object.bytes.bytes(), PutMode::replace); });
          !outcome)
        failures_.add(std::move(outcome).error());
    }
    staging_.release_submitted(buffer);
  }
}

LOUPE_DECL void StepWriter::drain() {
  if (!is_at_home()) return;
  const MutexLock lock(mutex_);
  while (is_running_) idle_.wait(lock);
}

LOUPE_DECL result<void> StepWriter::publish(const StepBuffer& buffer) {
  if (buffer.records.empty() && buffer.shapes.empty()) return {};
  const auto event_key = format::event_key(buffer.step, target_.worker);
  if (!buffer.records.empty())
    LOUPE_TRY(target_.trial.put(event_key, buffer.events.bytes(), PutMode::replace));
  document_.clear();
  format::IndexWriter index(document_, buffer.mode(), buffer.mode_step(),
                            buffer.records.empty() ? std::string_view() : std::string_view(event_key));
  for (const StepBuffer::Record& record : buffer.records)
    index.tensor(buffer.text(record.tag_begin, record.tag_size), record.start, record.length);
  for (const StepBuffer::ShapeRecord& record : buffer.shapes) {
    const auto name = buffer.text(record.name_begin, record.name_size);
    index.shape(name, name, buffer.shape(record));
  }
  index.finish();
  return target_.trial.put(format::index_key(buffer.step, target_.worker), document_.bytes(), PutMode::replace);
}

LOUPE_DECL result<void> StepWriter::publish_summaries(const StepBuffer& buffer) {
  for (const Mode mode : all_modes) {
    const StepBuffer::Summaries& of_mode = buffer.summaries[mode_index(mode)];
    if (of_mode.records.empty()) continue;
    const auto key = Text::join(target_.tensorboard_prefix.view(),
                                format::tensorboard_key(mode, of_mode.step, target_.tensorboard_suffix));
    LOUPE_TRY(target_.tensorboard.put(key, of_mode.records.bytes(), PutMode::replace));
  }
  return {};
}

}  // namespace loupe::inline LOUPE_ABI
