#include <algorithm>
#include <utility>

#include "loupe/format/collections_file.hpp"
#include "loupe/format/layout.hpp"
#include "loupe/trial/trial_collections.hpp"

namespace loupe::inline LOUPE_ABI {
namespace detail {

/// Waits for at least `count` collections files; gives the keys in order.
inline result<std::vector<std::string>> wait_for_collections_files(const AnyStorage& storage, const WaitSettings& wait,
                                                                   std::int64_t deadline, std::size_t count) {
  std::vector<std::string> keys;
  const auto list = [&]() -> result<void> {
    keys.clear();
    return storage.list(format::collections_prefix, {}, [&](const ObjectInfo& object) {
      if (format::parse_collections_key(object.key)) keys.emplace_back(object.key);
      return true;
    });
  };
  const std::string_view prefixes[] = {format::collections_prefix, format::end_marker_key};
  const Text sought = Text::join("collections files of a trial in ", storage.name().view());
  LOUPE_TRY(poll_until(storage, prefixes, wait, deadline, sought, [&]() -> result<bool> {
    LOUPE_TRY(list());
    if (keys.size() >= count) return true;
    LOUPE_ASSIGN(const std::optional<ObjectInfo> end, find_end_marker(storage));
    if (!end) return false;
    // Whatever was written before the marker is there by now.
    LOUPE_TRY(list());
    if (keys.size() < count) return loupe::fail(Error{.kind = ErrorKind::missing_collection_files});
    return true;
  }));
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace detail

LOUPE_DECL result<TrialCollections> TrialCollections::load(const AnyStorage& storage, const WaitSettings& wait, std::int64_t deadline,
                                                           PatternCompiler engine, bool strict) {
  TrialCollections loaded;
  LOUPE_ASSIGN(std::vector<std::string> keys, detail::wait_for_collections_files(storage, wait, deadline, 1));
  bool is_read = false;
  const auto read_first = [&]() -> result<void> {
    loaded.problems_.clear();
    for (const std::string& key : keys) {
      ByteBuffer text;
      result<void> outcome = storage.read(key, {}, text);
      if (outcome) {
        result<format::CollectionsFile> file = format::read_collections(text.text(), key);
        if (file) {
          loaded.collections_ = std::move(file->collections);
          loaded.num_workers_ = file->num_workers;
          is_read = true;
          return {};
        }
        outcome = unexpected<Error>(std::move(file).error());
      }
      if (strict) return outcome;
      loaded.problems_.push_back(std::move(outcome).error());
    }
    return {};
  };
  LOUPE_TRY(read_first());
  if (is_read) {
    const auto expected_files = static_cast<std::size_t>(std::max<std::int64_t>(loaded.num_workers_, 1));
    LOUPE_ASSIGN(keys, detail::wait_for_collections_files(storage, wait, deadline, expected_files));
  } else {
    loaded.num_workers_ = static_cast<std::int64_t>(keys.size());
  }
  for (const std::string& key : keys)
    if (auto worker = format::parse_collections_key(key)) loaded.workers_.emplace_back(*worker);
  std::sort(loaded.workers_.begin(), loaded.workers_.end());
  for (const Collection& collection : loaded.collections_) {
    NameFilter& filter = loaded.filters_.emplace_back(collection.include_regex, engine);
    loaded.problems_.insert(loaded.problems_.end(), filter.errors().begin(), filter.errors().end());
  }
  return loaded;
}

LOUPE_DECL bool TrialCollections::contains(std::string_view collection, std::string_view tensor) const {
  for (std::size_t number = 0; number < collections_.size(); ++number)
    if (collections_[number].name == collection)
      return collections_[number].tensor_names.contains(tensor) || filters_[number].matches(tensor);
  return false;
}

}  // namespace loupe::inline LOUPE_ABI
