/// @file
/// A pattern up to the first zero byte, then a name: what is matched directly means what loupe's own engine makes of it.
#include <string_view>

#include "fuzz/driver.hpp"
#include "loupe/select/name_filter.hpp"
#include "loupe/select/python_regex.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text(data, size < 4096 ? size : 4096);
  const auto end = text.find('\0');
  const std::string_view pattern = text.substr(0, end);
  const std::string_view name = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  loupe::NameFilter filter;
  filter.add(pattern);
  const auto direct = filter.search(name);
  const auto compiled = loupe::compile_python_regex(pattern);
  if (!compiled) {
    fuzz::require(!compiled.error().object.empty(), "an error names the pattern");
    return 0;
  }
  fuzz::require(filter.errors().empty(), "what the engine compiles the filter takes");
  const auto found = compiled->search(name);
  if (found && direct) fuzz::require(*found == *direct, "filter and engine agree");
  return 0;
}
