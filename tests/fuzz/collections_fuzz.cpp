/// @file
/// Any text as a collections file: it is refused or read, what was read can be written and read again, and its patterns
/// can be asked about names without harm.
#include <string_view>

#include "fuzz/driver.hpp"
#include "loupe/base/byte_buffer.hpp"
#include "loupe/format/collections_file.hpp"
#include "loupe/select/name_filter.hpp"

namespace format = loupe::format;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text(data, size);
  const auto file = format::read_collections(text, "collections.json");
  if (!file) return 0;
  fuzz::require(file->num_workers >= 1, "there is a worker");
  loupe::ByteBuffer once;
  format::write_collections_file(once, file->collections, file->num_workers);
  const auto again = format::read_collections(once.text(), "again.json");
  fuzz::require(again.has_value(), "what was written can be read");
  loupe::ByteBuffer twice;
  format::write_collections_file(twice, again->collections, again->num_workers);
  fuzz::require(once.text() == twice.text(), "what was read from it is the same");
  for (const loupe::Collection& collection : file->collections) {
    const loupe::NameFilter filter(collection.include_regex);
    for (const std::string_view name : {"", "fc.weight", "gradient/fc.bias", "数\n"}) (void)filter.search(name);
    if (collection.save) (void)collection.save->validate();
  }
  return 0;
}
