#pragma once
/// @file
/// The collections of a hook or a trial.

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/select/collection.hpp"
#include "loupe/select/framework_defaults.hpp"
#include "loupe/select/index_iterator.hpp"
#include "loupe/select/name_table.hpp"

namespace loupe::inline LOUPE_ABI {

/// Collections in the order of their creation, and which of them are to be saved. A hook's set is frozen by its first
/// step: what is changed afterwards would be ignored, so it is refused. For one thread at a time.
class CollectionSet {
 public:
  CollectionSet() = default;
  /// The collections that a framework's hooks begin with.
  LOUPE_DECL explicit CollectionSet(const FrameworkDefaults& defaults);
  CollectionSet(CollectionSet&&) noexcept = default;
  CollectionSet& operator=(CollectionSet&&) noexcept = default;

  /// The collection of a name, created if there is none; it stays where it is. Refused: an empty name, and any once the
  /// set is frozen (`find` still gives what there is).
  LOUPE_DECL result<Collection*> get(std::string_view name);
  /// Adds a collection, in the place of one with the same name if there is one. Refused as `get` does.
  LOUPE_DECL result<Collection*> add(Collection collection);
  /// Says that a collection is to be saved; `all` means every one. One that doesn't exist (yet) is no error, but none is
  /// accepted once the set is frozen.
  LOUPE_DECL result<void> include(std::string_view name);

  [[nodiscard]] const Collection* find(std::string_view name) const noexcept {
    const std::uint32_t number = names_.find(name);
    return number == NameTable::none ? nullptr : collections_[number].get();
  }
  [[nodiscard]] std::size_t size() const noexcept { return collections_.size(); }
  [[nodiscard]] bool empty() const noexcept { return collections_.empty(); }
  [[nodiscard]] const Collection& operator[](std::size_t number) const noexcept { return *collections_[number].get(); }
  [[nodiscard]] IndexIterator<CollectionSet> begin() const noexcept { return {*this, 0}; }
  [[nodiscard]] IndexIterator<CollectionSet> end() const noexcept { return {*this, size()}; }

  /// The names given to `include`.
  [[nodiscard]] const NameSet& included() const noexcept { return included_; }
  /// Whether the collection is to be saved.
  [[nodiscard]] bool is_included(std::string_view name) const noexcept {
    return included_.contains("all") || included_.contains(name);
  }
  /// Whether the collection may have neither patterns nor names: it was there from the beginning.
  [[nodiscard]] LOUPE_DECL bool may_be_empty(std::string_view name) const noexcept;
  [[nodiscard]] bool is_frozen() const noexcept { return is_frozen_; }

 private:
  friend class Plan;  // freezes the set, completes the collections and adds the tensors' names to them
  /// A collection at an address of its own.
  class Place {
   public:
    Place() : collection_(new Collection) {}
    Place(Place&& other) noexcept : collection_(std::exchange(other.collection_, nullptr)) {}
    Place& operator=(Place&& other) noexcept {
      std::swap(collection_, other.collection_);
      return *this;
    }
    ~Place() { delete collection_; }
    [[nodiscard]] Collection* get() const noexcept { return collection_; }

   private:
    Collection* collection_;
  };
  LOUPE_DECL result<void> check_change(std::string_view name) const;

  std::vector<Place> collections_;
  NameTable names_;
  NameSet included_;
  std::span<const DefaultCollection> defaults_;
  bool is_frozen_ = false;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/select/collection_set.ipp"
#endif
