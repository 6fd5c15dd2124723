/// @file
/// Every event file that smdebug wrote for the fixtures: read, and written again byte for byte.
#include "loupe/format/event.hpp"

#include <rapidjson/document.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "loupe/wire/tfrecord.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/table.hpp"

namespace fs = std::filesystem;
namespace format = loupe::format;
namespace wire = loupe::wire;

namespace {

/// Paths of event files below tests/data/fixtures/trials, relative to it.
std::vector<std::string> event_files() {
  const fs::path trials = test_data("fixtures/trials");
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(trials)) {
    const std::string path = fs::relative(entry.path(), trials).generic_string();
    if (path.ends_with(".tfevents") && path.find("/events/") != std::string::npos) files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string read_file(const std::string& path) { return read_test_data("fixtures/trials/" + path); }

/// Made by hand: with typed fields and damage that no writer leaves.
bool is_hand_made(std::string_view path) { return path.starts_with("typed_fields/"); }

}  // namespace

TEST_CASE("every record of the fixtures is read, and encoded again gives the same bytes") {
  std::size_t records = 0;
  std::vector<std::string> differing;
  for (const std::string& path : event_files()) {
    if (is_hand_made(path) || path.starts_with("bad_checksums/")) continue;
    const std::string text = read_file(path);
    wire::RecordReader reader(std::as_bytes(std::span(text)), path, wire::RecordCheck::minimal);
    while (true) {
      const auto record = reader.next();
      if (!record) FAIL(record.error().message().view());
      if (!*record) break;
      const auto event =
          format::decode_event((*record)->payload, path, static_cast<std::int64_t>((*record)->start) + 12);
      if (!event) FAIL(event.error().message().view());
      loupe::ByteBuffer again;
      const auto span =
          format::append_tensor_record(again, *event, event->tag, event->view(), format::DtypePolicy::exact);
      if (!span) FAIL(span.error().message().view());
      if (again.text() != std::string_view(text).substr((*record)->start, (*record)->length))
        differing.push_back(path + " " + std::string(event->tag));
      ++records;
    }
  }
  CHECK(differing == std::vector<std::string>());
  CHECK(records > 300);
}

TEST_CASE("index files say where records begin and end") {
  for (const std::string path : {"dtypes/index/000000000/000000000000_worker_0.json",
                                 "pt_cnn_default/index/000000000/000000000000_worker_0.json"}) {
    rapidjson::Document index;
    index.Parse(read_file(path).c_str());
    const std::string file = path.substr(0, path.find('/') + 1) + index["meta"]["event_file_name"].GetString();
    const std::string text = read_file(file);
    for (const auto& entry : index["tensor_payload"].GetArray()) {
      const auto start = entry["start_idx"].GetUint64();
      const auto record = wire::RecordReader(std::as_bytes(std::span(text)).subspan(start, entry["length"].GetUint64()),
                                             file, wire::RecordCheck::minimal)
                              .next();
      REQUIRE(record.value());
      CHECK(format::decode_event((*record)->payload, file, 0).value().tag == text_of(entry["tensorname"]));
    }
  }
}

TEST_CASE("damaged checksums are noticed where they stand, and the other records are read") {
  std::size_t good = 0;
  std::size_t damaged = 0;
  for (const std::string& path : event_files()) {
    if (!path.starts_with("bad_checksums/")) continue;
    const std::string text = read_file(path);
    wire::RecordReader reader(std::as_bytes(std::span(text)), path, wire::RecordCheck::either);
    while (true) {
      const auto record = reader.next();
      if (!record) {
        CHECK(record.error().kind == loupe::ErrorKind::corrupt);
        CHECK(record.error().object.view() == path);
        ++damaged;
        break;
      }
      if (!*record) break;
      CHECK(format::decode_event((*record)->payload, path, 0));
      ++good;
    }
  }
  CHECK(good > 0);
  CHECK(damaged == 2);
}

TEST_CASE("values in typed fields have the shape that the record says") {
  std::map<std::string, loupe::result<loupe::Array>, std::less<>> tensors;
  for (const std::string& path : event_files()) {
    if (!is_hand_made(path)) continue;
    const std::string text = read_file(path);
    wire::RecordReader reader(std::as_bytes(std::span(text)), path, wire::RecordCheck::minimal);
    while (const auto record = reader.next().value()) {
      const std::string tag(format::read_event_message(record->payload, path, 0).value().tag);
      const auto event = format::decode_event(record->payload, path, 0);
      tensors.emplace(tag, event ? loupe::Array::copy_of(event->view()) : loupe::fail(event.error()));
    }
  }
  const auto elements_of = [&]<class Type>(std::string_view tag, Type) {
    const auto elements = tensors.find(tag)->second.value().elements<Type>();
    return std::vector<Type>(elements.begin(), elements.end());
  };
  const auto shape_of = [&](std::string_view tag) { return tensors.find(tag)->second.value().shape(); };
  CHECK(shape_of("float") == loupe::Shape{2, 2});
  CHECK(elements_of("float", 0.0f) == std::vector<float>{1, 2, 3.5f, 4});
  CHECK(elements_of("float_repeat", 0.0f) == std::vector<float>{7, 7, 7});
  CHECK(elements_of("double", 0.0) == std::vector<double>{1.25, 2});
  CHECK(elements_of("int32", 0) == std::vector<std::int32_t>{-1, 5});
  CHECK(elements_of("int64", std::int64_t{0}) == std::vector<std::int64_t>{-1, 1099511627776});
  CHECK(elements_of("bool", false) == std::vector<bool>{false, true});
  CHECK(elements_of("half", loupe::Float16()) == std::vector<loupe::Float16>{{0x3C00}});
  CHECK(elements_of("string", std::string_view()) == std::vector<std::string_view>{"s"});
  CHECK(elements_of("string_dtype0", std::string_view()) == std::vector<std::string_view>{"s", "\u00fc"});
  CHECK(shape_of("string_2d") == loupe::Shape{1, 2});
  CHECK(shape_of("no_shape") == loupe::Shape());
  CHECK(shape_of("empty_float") == loupe::Shape{0});
  CHECK(tensors.find("bad_size")->second.error().kind == loupe::ErrorKind::corrupt);
}
