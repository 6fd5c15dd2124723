/// @file
/// Any bytes as a record file: records lie within it and end, whatever is checked.
#include "fuzz/driver.hpp"
#include "loupe/wire/tfrecord.hpp"

namespace wire = loupe::wire;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::uint64_t readable[4] = {};
  for (const wire::RecordCheck check :
       {wire::RecordCheck::none, wire::RecordCheck::minimal, wire::RecordCheck::full, wire::RecordCheck::either}) {
    wire::RecordReader reader(fuzz::bytes(data, size), "file", check);
    std::uint64_t end = 0;
    while (true) {
      const auto record = reader.next();
      if (!record) {
        fuzz::require(record.error().offset >= static_cast<std::int64_t>(end), "an error lies behind the good records");
        fuzz::require(record.error().offset <= static_cast<std::int64_t>(size), "an error lies in the file");
        break;
      }
      if (!*record) {
        fuzz::require(end == size, "a file ends where its last record ends");
        break;
      }
      fuzz::require((*record)->start == end && (*record)->length == (*record)->payload.size() + wire::record_overhead,
                    "records are neighbours");
      end += (*record)->length;
      fuzz::require(end <= size, "records lie in the file");
    }
    readable[static_cast<std::size_t>(check)] = end;
  }
  fuzz::require(readable[0] >= readable[3] && readable[3] >= readable[1] && readable[3] >= readable[2],
                "the more is checked, the less is readable");
  return 0;
}
