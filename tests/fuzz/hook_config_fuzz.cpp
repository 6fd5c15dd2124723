/// @file
/// Any text as a hook configuration: it is refused or read, and what was read is within bounds.
#include <string_view>

#include "fuzz/driver.hpp"
#include "loupe/format/hook_config.hpp"

namespace format = loupe::format;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text(data, size);
  (void)format::parse_local_path(text, "path.json");
  (void)format::parse_hook_config(text, "config.json", {.quirks = format::hook_config_quirks<loupe::compat::Smdebug>});
  const auto parameters = format::parse_hook_config(text, "config.json", {.defaults = loupe::xgboost_defaults});
  if (!parameters) {
    fuzz::require(!parameters.error().object.empty(), "an error names the file");
    return 0;
  }
  fuzz::require(parameters->save.validate().has_value(), "the hook's settings are within bounds");
  for (const loupe::Collection& collection : parameters->collections) {
    fuzz::require(!collection.name.empty(), "a collection has a name");
    if (collection.save)
      fuzz::require(collection.save->validate().has_value(), "a collection's settings are within bounds");
  }
  return 0;
}
