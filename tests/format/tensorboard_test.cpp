#include "loupe/format/tensorboard.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "loupe/reduce/histogram.hpp"
#include "loupe/wire/protobuf.hpp"
#include "loupe/wire/tfrecord.hpp"
#include "support/catch.hpp"
#include "support/hex.hpp"
#include "support/table.hpp"

namespace fs = std::filesystem;
namespace format = loupe::format;
namespace wire = loupe::wire;
using loupe::ByteBuffer;
using wire::Field;
using wire::WireType;

namespace {

/// The fields of a message.
std::vector<Field> fields_of(std::span<const std::byte> message) {
  wire::FieldReader reader(message, "f", 0);
  std::vector<Field> fields;
  while (const auto field = reader.next().value()) fields.push_back(*field);
  return fields;
}

std::vector<double> doubles_of(const Field& packed) {
  wire::FieldReader reader(packed, "f");
  std::vector<double> numbers;
  while (const auto number = reader.next_packed(WireType::fixed64).value()) numbers.push_back(number->as_double());
  return numbers;
}

/// An Event with a Summary.Value.
struct Summary {
  double wall_time = 0;
  std::int64_t step = 0;
  std::string_view tag;
  Field value;
};

Summary summary_of(std::span<const std::byte> payload) {
  Summary summary;
  for (const Field& field : fields_of(payload)) {
    if (field.number == 1) summary.wall_time = field.as_double();
    if (field.number == 2) summary.step = static_cast<std::int64_t>(field.bits);
    if (field.number != 5) continue;
    const auto values = fields_of(field.bytes);
    REQUIRE(values.size() == 1);
    const auto parts = fields_of(values[0].bytes);
    REQUIRE(parts.size() == 2);
    summary.tag = parts[0].text();
    summary.value = parts[1];
  }
  return summary;
}

/// The histogram of a histogram's fields.
loupe::Histogram histogram_of(const Field& message) {
  loupe::Histogram histogram;
  double* const numbers[] = {&histogram.minimum, &histogram.maximum, &histogram.count, &histogram.sum,
                             &histogram.sum_squares};
  std::vector<double> limits;
  std::vector<double> buckets;
  for (const Field& field : fields_of(message.bytes)) {
    if (field.number <= 5) *numbers[field.number - 1] = field.as_double();
    if (field.number == 6) limits = doubles_of(field);
    if (field.number == 7) buckets = doubles_of(field);
  }
  while (loupe::histogram_edge(histogram.first_bin) != limits.at(0)) ++histogram.first_bin;
  histogram.last_bin = histogram.first_bin + limits.size() - 2;
  for (std::size_t index = 1; index < buckets.size(); ++index)
    histogram.bins[histogram.first_bin + index - 1] = static_cast<std::uint64_t>(buckets[index]);
  return histogram;
}

std::vector<std::string> tensorboard_files() {
  std::vector<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(test_data("fixtures/trials"))) {
    const std::string path = fs::relative(entry.path(), test_data("")).generic_string();
    if (path.ends_with(".tfevents") && path.find("/events/") == std::string::npos) files.push_back(path);
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("a scalar is encoded as smdebug does (format.md 14, example 6)") {
  ByteBuffer out;
  REQUIRE(format::append_scalar_summary(out, 1600000000.0, 3, "loss_0", 0.25f));
  CHECK(to_hex(out.bytes()) ==
        to_hex(from_hex("1c 00 00 00 00 00 00 00 c8 c1 95 1d 09 00 00 00 00 84 d7 d7 41 10 03 2a 0f 0a 0d"
                        "0a 06 6c 6f 73 73 5f 30 15 00 00 80 3e 17 a2 07 90")));
}

TEST_CASE("a scalar of zero keeps its value field, step 0 its absence") {
  ByteBuffer out;
  REQUIRE(format::append_scalar_summary(out, 1.0, 0, "zero", 0.0f));
  const auto fields = fields_of(out.bytes().subspan(12, out.size() - 16));
  REQUIRE(fields.size() == 2);
  const Summary summary = summary_of(out.bytes().subspan(12, out.size() - 16));
  CHECK(summary.value.is(2, WireType::fixed32));
  CHECK(summary.value.bits == 0);
}

TEST_CASE("a histogram is encoded as smdebug does (format.md 14, example 6)") {
  const double values[] = {0, 1, 1};
  const auto histogram = loupe::make_histogram(loupe::TensorView(std::span(values)));
  REQUIRE(histogram);
  ByteBuffer out;
  REQUIRE(format::append_histogram_summary(out, 1600000000.0, 3, "weights/w", *histogram));
  const Summary summary = summary_of(out.bytes().subspan(12, out.size() - 16));
  CHECK(summary.tag == "weights/w");
  CHECK(summary.value.bytes.size() == 4714);
  CHECK(to_hex(summary.value.bytes.first(39)) ==
        "11 00 00 00 00 00 00 f0 3f 19 00 00 00 00 00 00 08 40 21 00 00 00 00 00 00 00 40 29 00 00 00 00 00 00 00 40 "
        "32 a0 12");
}

TEST_CASE("the version record is the one that TensorFlow's files begin with") {
  ByteBuffer out;
  format::append_version_record(out, 1600000000.0);
  const auto record = wire::RecordReader(out.bytes(), "f", wire::RecordCheck::full).next().value();
  REQUIRE(record);
  const auto fields = fields_of(record->payload);
  REQUIRE(fields.size() == 2);
  CHECK(fields[0].as_double() == 1600000000.0);
  CHECK(fields[1].is(3, WireType::length_delimited));
  CHECK(fields[1].text() == "brain.Event:2");
}

TEST_CASE("a tag that is not UTF-8 is refused, and nothing is appended") {
  ByteBuffer out;
  CHECK(format::append_scalar_summary(out, 1.0, 0, "\xFF", 0.0f).error().kind == loupe::ErrorKind::invalid_argument);
  CHECK(format::append_histogram_summary(out, 1.0, 0, "\xFF", loupe::Histogram()).error().kind ==
        loupe::ErrorKind::invalid_argument);
  CHECK(out.empty());
}

TEST_CASE("every record of the fixtures' TensorBoard files is encoded again as the same bytes") {
  std::size_t scalars = 0;
  std::size_t histograms = 0;
  std::vector<std::string> differing;
  for (const std::string& path : tensorboard_files()) {
    const std::string text = read_test_data(path);
    wire::RecordReader reader(std::as_bytes(std::span(text)), path, wire::RecordCheck::full);
    while (const auto record = reader.next().value()) {
      const Summary summary = summary_of(record->payload);
      ByteBuffer again;
      if (summary.value.number == 2) {
        ++scalars;
        REQUIRE(format::append_scalar_summary(again, summary.wall_time, summary.step, summary.tag,
                                              summary.value.as_float()));
      } else {
        ++histograms;
        REQUIRE(format::append_histogram_summary(again, summary.wall_time, summary.step, summary.tag,
                                                 histogram_of(summary.value)));
      }
      if (again.text() != std::string_view(text).substr(record->start, record->length))
        differing.push_back(path + " " + std::string(summary.tag));
    }
  }
  CHECK(differing == std::vector<std::string>());
  CHECK(scalars > 0);
  CHECK(histograms > 0);
}
