#include "loupe/storage/any_storage.hpp"

#include <utility>
#include <vector>

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL result<void> remove_all(const AnyStorage& storage, std::string_view prefix) {
  std::vector<Text> keys;
  LOUPE_TRY(storage.list(prefix, {}, [&](const ObjectInfo& object) {
    keys.emplace_back(object.key);
    return true;
  }));
  result<void> outcome;
  for (const Text& key : keys)
    if (auto removed = storage.remove(key); !removed && outcome) outcome = std::move(removed);
  return outcome;
}

}  // namespace loupe::inline LOUPE_ABI
