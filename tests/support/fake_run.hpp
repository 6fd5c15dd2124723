#pragma once
/// @file
/// Writes a trial's files by hand, so that tests of reading need no hook.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/base/mode.hpp"
#include "loupe/base/tensor_view.hpp"
#include "loupe/format/event.hpp"
#include "loupe/format/layout.hpp"
#include "loupe/storage/any_storage.hpp"

/// A run whose files appear in a storage one after the other.
class FakeRun {
 public:
  explicit FakeRun(loupe::AnyStorage storage) : storage_(std::move(storage)) {}

  /// The collections file of a worker; `members` are members of its object `collections`.
  FakeRun& collections(std::string_view worker = "worker_0", int num_workers = 1, std::string_view members = "") {
    return put(loupe::format::collections_key(worker), std::string(R"({"collections": {)")
                                                           .append(members)
                                                           .append(R"(}, "_meta": {"num_workers": )")
                                                           .append(std::to_string(num_workers))
                                                           .append("}}"));
  }
  /// Collections files of workers 0 to `count - 1`.
  FakeRun& workers(int count) {
    for (int rank = 0; rank < count; ++rank) collections("worker_" + std::to_string(rank), count);
    return *this;
  }
  FakeRun& end() { return put(loupe::format::end_marker_key, ""); }
  FakeRun& put(std::string_view key, std::string_view text) {
    REQUIRE(storage_.put(key, std::as_bytes(std::span(text)), loupe::PutMode::replace));
    return *this;
  }
  FakeRun& remove(std::string_view key) {
    REQUIRE(storage_.remove(key));
    return *this;
  }

  /// What one worker saves at one global step; written by `write`.
  class Step {
   public:
    Step(FakeRun& run, std::int64_t step, std::string_view worker, loupe::Mode mode, std::int64_t mode_step)
        : run_(run), step_(step), worker_(worker), mode_(mode), mode_step_(mode_step) {}

    Step& tensor(std::string_view name, const loupe::TensorView& value) {
      const auto span = loupe::format::append_tensor_record(events_, {1.6e9, step_, mode_, mode_step_}, name, value, {});
      REQUIRE(span);
      return entry(name, span->start, span->length);
    }
    Step& tensor(std::string_view name, const std::vector<float>& numbers) { return tensor(name, numbers, {static_cast<std::int64_t>(numbers.size())}); }
    Step& tensor(std::string_view name, const std::vector<float>& numbers, const loupe::Shape& shape) {
      return tensor(name, loupe::TensorView(numbers.data(), loupe::ElementType::float32, shape));
    }
    Step& reduction(std::string_view operation, std::string_view name, float value) {
      return tensor(std::string("smdebug/reductions/").append(operation).append("/").append(name), {value}, {1});
    }
    Step& shape(std::string_view name, const loupe::Shape& shape, std::string_view original_name = {}) {
      std::string& list = shapes_;
      list.append(list.empty() ? "" : ", ").append(R"({"tensorname": ")").append(name).append(R"(", "originalname": ")");
      list.append(original_name.empty() ? name : original_name).append(R"(", "shape": [)");
      for (std::size_t axis = 0; axis < shape.size(); ++axis) list.append(axis == 0 ? "" : ", ").append(std::to_string(shape[axis]));
      list.append("]}");
      return *this;
    }
    /// An index entry without a record of its own.
    Step& entry(std::string_view name, std::uint64_t start, std::uint64_t length) {
      entries_.append(entries_.empty() ? "" : ", ").append(R"({"tensorname": ")").append(name).append(R"(", "start_idx": )");
      entries_.append(std::to_string(start)).append(R"(, "length": )").append(std::to_string(length)).append("}");
      return *this;
    }
    /// The event file, then the index file.
    FakeRun& write() {
      if (!entries_.empty()) write_events();
      return write_index();
    }
    FakeRun& write_events() {
      return run_.put(loupe::format::event_key(step_, worker_), std::as_const(events_).text());
    }
    FakeRun& write_index() {
      std::string text = R"({"meta": {"mode": ")";
      text.append(mode_name(mode_)).append(R"(", "mode_step": )").append(std::to_string(mode_step_));
      if (!entries_.empty()) text.append(R"(, "event_file_name": ")").append(loupe::format::event_key(step_, worker_)).append("\"");
      text.append(R"(}, "tensor_payload": [)").append(entries_).append(R"(], "shape_payload": [)").append(shapes_).append("]}");
      return run_.put(loupe::format::index_key(step_, worker_), text);
    }

   private:
    FakeRun& run_;
    std::int64_t step_;
    std::string worker_;
    loupe::Mode mode_;
    std::int64_t mode_step_;
    loupe::ByteBuffer events_;
    std::string entries_;
    std::string shapes_;
  };
  /// A step of mode GLOBAL.
  Step step(std::int64_t step, std::string_view worker = "worker_0") { return {*this, step, worker, loupe::Mode::global, step}; }
  Step step(std::int64_t step, loupe::Mode mode, std::int64_t mode_step, std::string_view worker = "worker_0") {
    return {*this, step, worker, mode, mode_step};
  }
  /// Steps of mode GLOBAL with tensor `a` holding the step's number, by each of the workers.
  FakeRun& save(std::initializer_list<std::int64_t> steps, std::initializer_list<std::string_view> workers = {"worker_0"}) {
    for (const std::int64_t number : steps)
      for (const std::string_view worker : workers) step(number, worker).tensor("a", {static_cast<float>(number)}).write();
    return *this;
  }

  [[nodiscard]] const loupe::AnyStorage& storage() const noexcept { return storage_; }

 private:
  loupe::AnyStorage storage_;
};
