#pragma once
/// @file
/// Everything that one worker saves at one step, encoded, on its way to storage.

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/mode.hpp"
#include "loupe/base/shape.hpp"
#include "loupe/base/text.hpp"

namespace loupe::inline LOUPE_ABI {

/// The encoded records of a step and what the index has to say of them. `clear` keeps the memory for the next step.
class StepBuffer {
 public:
  /// A record of the event file.
  struct Record {
    std::uint64_t start;
    std::uint64_t length;
    std::uint32_t tag_begin;
    std::uint32_t tag_size;
  };
  /// A tensor of which the shape alone is kept; its sizes are `sizes[sizes_begin] …`.
  struct ShapeRecord {
    std::uint32_t name_begin;
    std::uint32_t name_size;
    std::uint32_t sizes_begin;
    std::uint32_t rank;
  };
  /// What a TensorBoard file of one mode gets in this step.
  struct Summaries {
    ByteBuffer records;
    std::int64_t step = 0;  ///< the global step that names the file
  };

  /// A further object that is published after the step, such as the collections file.
  struct Object {
    Text key;
    ByteBuffer bytes;
  };

  std::int64_t step = 0;
  StepBuffer* next = nullptr;  ///< the one behind it in the writer's queue
  std::vector<Object> objects;
  ByteBuffer events;
  std::vector<Record> records;
  std::vector<ShapeRecord> shapes;
  Summaries summaries[mode_count];

  void clear() noexcept {
    events.clear();
    texts_.clear();
    sizes_.clear();
    records.clear();
    shapes.clear();
    objects.clear();
    for (auto& of_mode : summaries) of_mode.records.clear();
    next = nullptr;
    has_mode_ = mode_is_from_shape_ = false;
  }

  /// Appends a name or tag; the parts are joined. Returns where it begins in `text(...)`.
  template <class... Parts>
  std::uint32_t keep_text(const Parts&... parts) {
    const auto begin = static_cast<std::uint32_t>(texts_.size());
    (texts_.append(std::string_view(parts)), ...);
    return begin;
  }
  [[nodiscard]] std::uint32_t text_end() const noexcept { return static_cast<std::uint32_t>(texts_.size()); }
  [[nodiscard]] std::string_view text(std::uint32_t begin, std::uint32_t size) const noexcept {
    return texts_.text().substr(begin, size);
  }
  /// The buffer that tags are composed in.
  [[nodiscard]] ByteBuffer& texts() noexcept { return texts_; }

  void keep_shape(std::string_view name, const Shape& shape) {
    const auto name_begin = keep_text(name);
    const auto sizes_begin = static_cast<std::uint32_t>(sizes_.size());
    sizes_.insert(sizes_.end(), shape.begin(), shape.end());
    shapes.push_back({name_begin, static_cast<std::uint32_t>(name.size()), sizes_begin, static_cast<std::uint32_t>(shape.size())});
  }
  [[nodiscard]] Shape shape(const ShapeRecord& record) const noexcept {
    return Shape(std::span<const std::int64_t>(sizes_.data() + record.sizes_begin, record.rank));
  }

  /// Notes the mode of an entry: the file's is that of its first one, a record's before a shape's (format.md section 6).
  void note_mode(Mode mode, std::int64_t mode_step, bool is_shape) noexcept {
    if (has_mode_ && !(mode_is_from_shape_ && !is_shape)) return;
    has_mode_ = true;
    mode_is_from_shape_ = is_shape;
    mode_ = mode;
    mode_step_ = mode_step;
  }
  [[nodiscard]] Mode mode() const noexcept { return mode_; }
  [[nodiscard]] std::int64_t mode_step() const noexcept { return mode_step_; }

  /// Whether there is nothing to write.
  [[nodiscard]] bool empty() const noexcept {
    if (!records.empty() || !shapes.empty() || !objects.empty()) return false;
    for (const auto& of_mode : summaries)
      if (!of_mode.records.empty()) return false;
    return true;
  }
  /// Bytes of memory that this buffer keeps from others while it waits.
  [[nodiscard]] std::uint64_t pending_bytes() const noexcept {
    std::uint64_t bytes = events.size() + texts_.size();
    for (const auto& object : objects) bytes += object.bytes.size();
    for (const auto& of_mode : summaries) bytes += of_mode.records.size();
    return bytes;
  }

 private:
  ByteBuffer texts_;
  std::vector<std::int64_t> sizes_;
  Mode mode_ = Mode::global;
  std::int64_t mode_step_ = 0;
  bool has_mode_ = false;
  bool mode_is_from_shape_ = false;
};

}  // namespace loupe::inline LOUPE_ABI
