#pragma once
/// @file
/// Collections: named groups of tensors with settings of their own (semantics.md section 5).

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/text.hpp"
#include "loupe/select/name_table.hpp"
#include "loupe/select/reduction_config.hpp"
#include "loupe/select/save_config.hpp"

namespace loupe::inline LOUPE_ABI {

/// Names, each once, in the order in which they were added; equal to another set whatever the order.
class NameSet {
 public:
  NameSet() = default;
  LOUPE_DECL NameSet(std::initializer_list<std::string_view> names);
  /// Whether the name was not there before.
  bool insert(std::string_view name) { return names_.find_or_add(name).is_new; }
  [[nodiscard]] bool contains(std::string_view name) const noexcept { return names_.find(name) != NameTable::none; }
  [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
  [[nodiscard]] bool empty() const noexcept { return size() == 0; }
  [[nodiscard]] auto begin() const noexcept { return names_.begin(); }
  [[nodiscard]] auto end() const noexcept { return names_.end(); }
  friend bool operator==(const NameSet& a, const NameSet& b) noexcept { return a.equals(b); }

 private:
  [[nodiscard]] LOUPE_DECL bool equals(const NameSet& other) const noexcept;
  NameTable names_;
};

/// A named group of tensors: those whose name is listed, or in which one of the patterns is found.
struct Collection {
  Text name = {};
  std::vector<Text> include_regex = {};            ///< Python's syntax; found anywhere in a name
  NameSet tensor_names = {};
  std::optional<ReductionConfig> reductions = {};  ///< nothing: the hook's
  std::optional<ModeSaveConfigs> save = {};        ///< nothing: the hook's
  bool save_histogram = true;

  /// Adds a pattern.
  LOUPE_DECL Collection& include(std::string_view pattern);
  /// Adds a tensor's own name.
  Collection& add_tensor(std::string_view tensor) {
    tensor_names.insert(tensor);
    return *this;
  }
  LOUPE_DECL friend bool operator==(const Collection& a, const Collection& b);
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/select/collection.ipp"
#endif
