#include "loupe/format/index.hpp"

#include <filesystem>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/table.hpp"

using namespace loupe;
using namespace loupe::format;

namespace {

/// What an index document says.
struct Document final : IndexVisitor {
  struct Entry {
    std::string name;
    std::string original_name;
    std::uint64_t start = 0;
    std::uint64_t length = 0;
    Shape sizes;
  };
  result<void> meta(const IndexMeta& meta) override {
    mode = meta.mode;
    mode_step = meta.mode_step;
    event_file = meta.event_file_name;
    return {};
  }
  result<void> tensor(std::string_view name, std::uint64_t start, std::uint64_t length) override {
    tensors.push_back({std::string(name), {}, start, length, {}});
    return {};
  }
  result<void> shape(std::string_view name, std::string_view original_name, const Shape& sizes) override {
    shapes.push_back({std::string(name), std::string(original_name), 0, 0, sizes});
    return {};
  }
  std::string written() const {
    ByteBuffer out;
    IndexWriter writer(out, mode, mode_step, event_file);
    for (const Entry& entry : tensors) writer.tensor(entry.name, entry.start, entry.length);
    for (const Entry& entry : shapes) writer.shape(entry.name, entry.original_name, entry.sizes);
    writer.finish();
    return std::string(out.text());
  }

  Mode mode = Mode::global;
  std::int64_t mode_step = 0;
  std::string event_file;
  std::vector<Entry> tensors;
  std::vector<Entry> shapes;
};

Document parsed(std::string_view text) {
  Document document;
  const auto outcome = parse_index(text, "index.json", document);
  if (!outcome) FAIL(outcome.error().message().c_str());
  return document;
}

Error refused(std::string_view text) {
  Document document;
  auto outcome = parse_index(text, "index.json", document);
  CAPTURE(text);
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().object == "index.json");
  return std::move(outcome).error();
}

constexpr std::string_view meta_part =
    R"("meta": {"mode": "TRAIN", "mode_step": 7, "event_file_name": "events/1/1_w.tfevents"})";

std::string with_payload(std::string_view payload) {
  return std::string("{").append(meta_part).append(R"(, "tensor_payload": [)").append(payload).append("]}");
}

}  // namespace

TEST_CASE("documents are written as smdebug writes them, byte for byte") {
  for (
      const std::string_view document :
      {R"({"meta": {"mode": "GLOBAL", "mode_step": 0, "event_file_name": "events/000000000000/000000000000_worker_0.tfevents"}, "tensor_payload": [{"tensorname": "loss", "start_idx": 0, "length": 88}], "shape_payload": []})",
       R"({"meta": {"mode": "TRAIN", "mode_step": 7, "event_file_name": "events/000000000020/000000000020_worker_0.tfevents"}, "tensor_payload": [{"tensorname": "conv/w:0", "start_idx": 0, "length": 126}, {"tensorname": "scal", "start_idx": 126, "length": 82}, {"tensorname": "s", "start_idx": 208, "length": 87}], "shape_payload": [{"tensorname": "shp", "originalname": "shp", "shape": [2, 3]}, {"tensorname": "shp2", "originalname": "orig", "shape": []}]})",
       R"({"meta": {"mode": "EVAL", "mode_step": 17}, "tensor_payload": [], "shape_payload": [{"tensorname": "relu_output_0", "originalname": "relu_output_0", "shape": [32, 10]}]})",
       R"({"meta": {"mode": "TRAIN", "mode_step": 1000, "event_file_name": "events/000000002000/000000002000__job-worker_replica-0_task-1_device-GPU-0.tfevents"}, "tensor_payload": [{"tensorname": "smdebug/reductions/abs_mean/\u00e9", "start_idx": 0, "length": 108}], "shape_payload": []})"}) {
    CHECK(parsed(document).written() == document);
  }
}

TEST_CASE("every index file that smdebug wrote reads and writes back to the same bytes") {
  int compared = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(test_data("fixtures/trials"))) {
    const std::string path = entry.path().string();
    if (entry.path().extension() != ".json" || path.find("/index/") == std::string::npos) continue;
    if (path.find("/old_index/") != std::string::npos || path.find("/corrupt_index/") != std::string::npos) continue;
    CAPTURE(path);
    const std::string text = read_test_data(path.substr(test_data("").size()));
    CHECK(parsed(text).written() == text);
    ++compared;
  }
  CHECK(compared > 150);
}

TEST_CASE("documents of old, with other white space, other order and unknown keys are accepted") {
  const Document document = parsed(
      "{ \"x\": [1, {\"y\": "
      "null}],\n\"tensor_payload\":[{\"length\":5,\"more\":true,\"start_idx\":3,\"tensorname\":\"\\u00e9\"}],"
      "\"meta\":{\"event_file_name\":\"events/1/1_w.tfevents\",\"mode_step\":\" 12\",\"mode\":\" EVAL \"}}\n");
  CHECK(document.mode == Mode::eval);
  CHECK(document.mode_step == 12);
  CHECK(document.event_file == "events/1/1_w.tfevents");
  REQUIRE(document.tensors.size() == 1);
  CHECK(document.tensors[0].name == "é");
  CHECK(document.tensors[0].start == 3);
}

TEST_CASE("a shape without an original name has its own") {
  const Document document =
      parsed(R"({"meta": {"mode": "TRAIN", "mode_step": 0}, "shape_payload": [{"tensorname": "a", "shape": [1]}]})");
  CHECK(document.shapes.at(0).original_name == "a");
}

TEST_CASE("entries of one name stay as many as they are, in order") {
  const Document document = parsed(with_payload(
      R"({"tensorname": "a", "start_idx": 0, "length": 1}, {"tensorname": "a", "start_idx": 1, "length": 2})"));
  REQUIRE(document.tensors.size() == 2);
  CHECK(document.tensors[1].start == 1);
}

TEST_CASE("what smdebug's reader refuses is refused with the file's name") {
  for (
      const std::string_view text :
      {"", "{", "[]", "null", "{}", R"({"meta": {}, "tensor_payload": []})", R"({"tensor_payload": []})",
       R"({"meta": {"mode": "TRAIN", "mode_step": 1}})",
       R"({"meta": {"mode": "train", "mode_step": 1}, "tensor_payload": []})",
       R"({"meta": {"mode": "TRAIN"}, "tensor_payload": []})", R"({"meta": {"mode_step": 1}, "tensor_payload": []})",
       R"({"meta": {"mode": "TRAIN", "mode_step": "x"}, "tensor_payload": []})",
       R"({"meta": {"mode": "TRAIN", "mode_step": 1}, "tensor_payload": [{"tensorname": "a", "start_idx": 0, "length": 1}]})"})
    CHECK(refused(text).kind == ErrorKind::index_reader);
}

TEST_CASE("a torn document names the place where it ends") {
  const std::string whole = with_payload(R"({"tensorname": "a", "start_idx": 0, "length": 1})");
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK(refused(std::string_view(whole).substr(0, size)).kind == ErrorKind::index_reader);
  CHECK(refused(whole + whole).offset == static_cast<std::int64_t>(whole.size()));
}

TEST_CASE("numbers that no entry can have are refused with their place") {
  for (const std::string_view entry :
       {R"({"tensorname": "a", "start_idx": -1, "length": 1})", R"({"tensorname": "a", "start_idx": 0, "length": -5})",
        R"({"tensorname": "a", "start_idx": 18446744073709551616, "length": 1})",
        R"({"tensorname": "a", "start_idx": 1.5, "length": 1})",
        R"({"tensorname": "a", "start_idx": "0", "length": 1})", R"({"start_idx": 0, "length": 1})",
        R"({"tensorname": 5, "start_idx": 0, "length": 1})", "5", "null"}) {
    const Error error = refused(with_payload(entry));
    CHECK(error.kind == ErrorKind::index_reader);
    CHECK(error.offset > 0);
  }
  const auto with_shape = [](std::string_view shape) {
    return std::string(R"({"meta": {"mode": "TRAIN", "mode_step": 0}, "shape_payload": [{"tensorname": "a", "shape": )")
        .append(shape)
        .append("}]}");
  };
  std::string axes = "[1";
  for (int axis = 1; axis < 33; ++axis) axes += ", 1";
  for (const std::string& shape :
       {std::string("[-1]"), std::string("[9223372036854775808]"), std::string("3"), axes + "]"})
    refused(with_shape(shape));
}

TEST_CASE("an event file outside of the trial is refused") {
  for (const std::string_view name :
       {"/etc/passwd", "../x", "events/../../x", "events/./x", "", "a//b", "events\\u0000/x", "events/"}) {
    CAPTURE(name);
    const std::string text = std::string(R"({"meta": {"mode": "TRAIN", "mode_step": 0, "event_file_name": ")")
                                 .append(name)
                                 .append(R"("}, "tensor_payload": []})");
    CHECK(refused(text).kind == ErrorKind::index_reader);
  }
}

TEST_CASE("what a visitor refuses ends the parsing and keeps its kind") {
  struct Full final : IndexVisitor {
    result<void> meta(const IndexMeta&) override { return {}; }
    result<void> tensor(std::string_view name, std::uint64_t, std::uint64_t) override {
      return fail(ErrorKind::limit_exceeded, name, "full");
    }
    result<void> shape(std::string_view, std::string_view, const Shape&) override { return {}; }
  } full;
  const auto outcome =
      parse_index(with_payload(R"({"tensorname": "a", "start_idx": 0, "length": 1})"), "index.json", full);
  CHECK(outcome.error().kind == ErrorKind::limit_exceeded);
}
