#include "loupe/select/collection_set.hpp"

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL CollectionSet::CollectionSet(const FrameworkDefaults& defaults) : defaults_(defaults.collections) {
  for (const DefaultCollection& known : defaults.collections) {
    Collection& collection = *collections_.emplace_back().get();
    collection.name = known.name;
    if (!known.pattern.empty()) collection.include(known.pattern);
    names_.find_or_add(known.name);
  }
  for (const std::string_view name : defaults.always_saved) included_.insert(name);
}

LOUPE_DECL result<void> CollectionSet::check_change(std::string_view name) const {
  if (name.empty()) return fail(ErrorKind::invalid_argument, "collection", "must have a name");
  if (!is_frozen_) return {};
  return fail(ErrorKind::invalid_state, Text::join("collection ", name),
              "can't be added or changed after the first step");
}

LOUPE_DECL result<Collection*> CollectionSet::get(std::string_view name) {
  LOUPE_TRY(check_change(name));
  const std::uint32_t number = names_.find_or_add(name).id;
  // An exception may have left a name without its collection; it is made up for here.
  while (collections_.size() <= number) collections_.emplace_back().get()->name = names_[collections_.size()];
  return collections_[number].get();
}

LOUPE_DECL result<Collection*> CollectionSet::add(Collection collection) {
  LOUPE_ASSIGN(Collection* const place, get(collection.name));
  *place = std::move(collection);
  return place;
}

LOUPE_DECL result<void> CollectionSet::include(std::string_view name) {
  LOUPE_TRY(check_change(name));
  included_.insert(name);
  return {};
}

LOUPE_DECL bool CollectionSet::may_be_empty(std::string_view name) const noexcept {
  for (const DefaultCollection& known : defaults_)
    if (known.name == name) return true;
  return false;
}

}  // namespace loupe::inline LOUPE_ABI
