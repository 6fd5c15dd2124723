/// @file
/// Any text as an index document and as a file's name: it is refused or read, no event file lies outside of the trial,
/// and what was read can be written and read again.
#include <string>
#include <string_view>
#include <vector>

#include "fuzz/driver.hpp"
#include "loupe/base/byte_buffer.hpp"
#include "loupe/format/index.hpp"
#include "loupe/format/layout.hpp"

namespace {

using loupe::ErrorKind;
using loupe::result;
namespace format = loupe::format;

struct Document final : format::IndexVisitor {
  struct Shape {
    std::string name;
    std::string original_name;
    loupe::Shape sizes;
  };
  struct Tensor {
    std::string name;
    std::uint64_t start;
    std::uint64_t length;
  };
  result<void> meta(const format::IndexMeta& meta) override {
    ++metas;
    mode = meta.mode;
    mode_step = meta.mode_step;
    event_file = meta.event_file_name;
    return {};
  }
  result<void> tensor(std::string_view name, std::uint64_t start, std::uint64_t length) override {
    tensors.push_back({std::string(name), start, length});
    return {};
  }
  result<void> shape(std::string_view name, std::string_view original_name, const loupe::Shape& sizes) override {
    shapes.push_back({std::string(name), std::string(original_name), sizes});
    return {};
  }
  void write(loupe::ByteBuffer& out) const {
    format::IndexWriter writer(out, mode, mode_step, event_file);
    for (const Tensor& entry : tensors) writer.tensor(entry.name, entry.start, entry.length);
    for (const Shape& entry : shapes) writer.shape(entry.name, entry.original_name, entry.sizes);
    writer.finish();
  }

  int metas = 0;
  loupe::Mode mode = loupe::Mode::global;
  std::int64_t mode_step = 0;
  std::string event_file;
  std::vector<Tensor> tensors;
  std::vector<Shape> shapes;
};

bool lies_within(std::string_view path) {
  while (!path.empty()) {
    const std::string_view part = path.substr(0, path.find('/'));
    if (part.empty() || part == "." || part == ".." || part.find('\0') != std::string_view::npos) return false;
    path.remove_prefix(part.size() == path.size() ? part.size() : part.size() + 1);
  }
  return true;
}

void try_as_name(std::string_view text) {
  if (const auto parsed = format::parse_index_key(text)) {
    fuzz::require(parsed->step >= 0 && !parsed->worker.empty(), "a step is not negative and a worker has a name");
  } else {
    fuzz::require(parsed.error().kind == ErrorKind::index_reader, "what is no index file's name is said to be none");
  }
  (void)format::parse_event_key(text);
  (void)format::parse_collections_key(text);
  (void)format::clean_tag(text);
  (void)format::split_reduction_name(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text(data, size);
  try_as_name(text);
  Document document;
  if (const auto outcome = format::parse_index(text, "index.json", document); !outcome) {
    const ErrorKind kind = outcome.error().kind;
    fuzz::require(kind == ErrorKind::index_reader || kind == ErrorKind::limit_exceeded, "a document is refused as one");
    return 0;
  }
  fuzz::require(document.metas == 1, "a document has one meta");
  fuzz::require(lies_within(document.event_file), "the event file lies in the trial");
  loupe::ByteBuffer once;
  document.write(once);
  Document again;
  fuzz::require(format::parse_index(once.text(), "again.json", again).has_value(), "what was written can be read");
  loupe::ByteBuffer twice;
  again.write(twice);
  fuzz::require(once.text() == twice.text(), "what was read from it is the same");
  return 0;
}
