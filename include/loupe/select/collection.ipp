#include "loupe/select/collection.hpp"

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL NameSet::NameSet(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) insert(name);
}

LOUPE_DECL bool NameSet::equals(const NameSet& other) const noexcept {
  if (size() != other.size()) return false;
  for (const std::string_view name : *this)
    if (!other.contains(name)) return false;
  return true;
}

LOUPE_DECL Collection& Collection::include(std::string_view pattern) {
  include_regex.emplace_back(pattern);
  return *this;
}

LOUPE_DECL bool operator==(const Collection& a, const Collection& b) = default;

}  // namespace loupe::inline LOUPE_ABI
