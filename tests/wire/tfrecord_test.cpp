#include "loupe/wire/tfrecord.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "loupe/wire/little_endian.hpp"
#include "support/catch.hpp"

namespace wire = loupe::wire;
using wire::PayloadCheck;
using wire::RecordCheck;

namespace {

using Bytes = std::vector<std::byte>;

void append_record(Bytes& file, std::string_view payload, PayloadCheck check) {
  const std::size_t start = file.size();
  file.resize(start + payload.size() + wire::record_overhead);
  const auto bytes = std::as_bytes(std::span(payload));
  wire::encode_record_header(file.data() + start, payload.size());
  std::copy(bytes.begin(), bytes.end(), file.begin() + static_cast<std::ptrdiff_t>(start + 12));
  wire::store_little_endian(file.data() + file.size() - 4, wire::payload_check_word(bytes, check));
}

Bytes file_of(std::string_view payload, PayloadCheck check) {
  Bytes file;
  append_record(file, payload, check);
  return file;
}

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

bool reads(const Bytes& file, RecordCheck check) { return wire::RecordReader(file, "f", check).next().has_value(); }

loupe::Error error_of(const Bytes& file, RecordCheck check = RecordCheck::either) {
  auto read = wire::RecordReader(file, "events/f.tfevents", check).next();
  REQUIRE_FALSE(read);
  return read.error();
}

}  // namespace

TEST_CASE("a header is the length and its masked checksum") {
  std::byte header[12];
  wire::encode_record_header(header, 72);
  const std::byte expected[] = {std::byte{0x48}, std::byte{0},    std::byte{0},    std::byte{0},
                                std::byte{0},    std::byte{0},    std::byte{0},    std::byte{0},
                                std::byte{0xfe}, std::byte{0x92}, std::byte{0x48}, std::byte{0x9d}};
  CHECK(std::equal(std::begin(header), std::end(header), std::begin(expected)));
}

TEST_CASE("records are read one after the other with their places") {
  Bytes file;
  append_record(file, "first", PayloadCheck::smdebug_constant);
  append_record(file, "", PayloadCheck::smdebug_constant);
  append_record(file, "third one", PayloadCheck::crc32c);
  wire::RecordReader reader(file, "f", RecordCheck::either);
  auto record = reader.next().value();
  REQUIRE(record);
  CHECK(text_of(record->payload) == "first");
  CHECK(record->start == 0);
  CHECK(record->length == 21);
  record = reader.next().value();
  REQUIRE(record);
  CHECK(record->payload.empty());
  CHECK(record->start == 21);
  CHECK(record->length == 16);
  record = reader.next().value();
  REQUIRE(record);
  CHECK(text_of(record->payload) == "third one");
  CHECK(record->start == 37);
  CHECK_FALSE(reader.next().value());
  CHECK_FALSE(reader.next().value());
}

TEST_CASE("an empty file has no records") {
  CHECK_FALSE(wire::RecordReader({}, "f", RecordCheck::full).next().value());
}

TEST_CASE("which check words are taken depends on the mode") {
  const Bytes constant = file_of("payload", PayloadCheck::smdebug_constant);
  const Bytes checksum = file_of("payload", PayloadCheck::crc32c);
  Bytes neither = constant;
  neither.back() ^= std::byte{1};
  CHECK(reads(constant, RecordCheck::none));
  CHECK(reads(constant, RecordCheck::minimal));
  CHECK_FALSE(reads(constant, RecordCheck::full));
  CHECK(reads(constant, RecordCheck::either));
  CHECK(reads(checksum, RecordCheck::none));
  CHECK_FALSE(reads(checksum, RecordCheck::minimal));
  CHECK(reads(checksum, RecordCheck::full));
  CHECK(reads(checksum, RecordCheck::either));
  CHECK(reads(neither, RecordCheck::none));
  CHECK_FALSE(reads(neither, RecordCheck::minimal));
  CHECK_FALSE(reads(neither, RecordCheck::full));
  CHECK_FALSE(reads(neither, RecordCheck::either));
}

TEST_CASE("a changed payload is noticed by its checksum only") {
  Bytes file = file_of("payload", PayloadCheck::crc32c);
  file[13] ^= std::byte{0x10};
  CHECK_FALSE(reads(file, RecordCheck::full));
  CHECK(error_of(file).offset == 19);
  file = file_of("payload", PayloadCheck::smdebug_constant);
  file[13] ^= std::byte{0x10};
  CHECK(reads(file, RecordCheck::minimal));
}

TEST_CASE("a changed length is noticed by its checksum, in every mode that checks") {
  for (std::size_t bit = 0; bit < 96; ++bit) {
    Bytes file = file_of("payload", PayloadCheck::smdebug_constant);
    file[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
    for (const RecordCheck check : {RecordCheck::minimal, RecordCheck::full, RecordCheck::either}) {
      CHECK(error_of(file, check).kind == loupe::ErrorKind::corrupt);
      CHECK(error_of(file, check).offset == 8);
    }
  }
}

TEST_CASE("a length beyond the file is an error even where nothing is checked") {
  Bytes file = file_of("payload", PayloadCheck::smdebug_constant);
  for (const std::uint64_t length :
       {std::uint64_t{8}, std::uint64_t{1} << 40, UINT64_MAX, UINT64_MAX - 15, UINT64_MAX - 16}) {
    wire::store_little_endian(file.data(), length);
    CHECK(error_of(file, RecordCheck::none).kind == loupe::ErrorKind::corrupt);
    wire::encode_record_header(file.data(), length);
    CHECK(error_of(file, RecordCheck::either).detail == "the record is longer than the file");
  }
}

TEST_CASE("a truncated record is an error that names its offset") {
  Bytes file = file_of("first", PayloadCheck::smdebug_constant);
  const std::size_t second = file.size();
  append_record(file, "second", PayloadCheck::smdebug_constant);
  for (std::size_t size = second + 1; size < file.size(); ++size) {
    const Bytes part(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    wire::RecordReader reader(part, "events/f.tfevents", RecordCheck::either);
    REQUIRE(reader.next().value());
    for (int again = 0; again < 2; ++again) {
      const auto read = reader.next();
      REQUIRE_FALSE(read);
      CHECK(read.error().kind == loupe::ErrorKind::corrupt);
      CHECK(read.error().object == "events/f.tfevents");
      CHECK(read.error().offset == static_cast<std::int64_t>(second));
    }
  }
}
