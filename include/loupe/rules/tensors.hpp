#pragma once
/// @file
/// Which tensors a rule looks at.

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/rules/evidence.hpp"
#include "loupe/select/name_filter.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// The tensors of some collections, and those in whose names one of some patterns is found; all tensors if there are
/// neither. Decides once for each name and remembers. One thread at a time.
class Tensors {
 public:
  /// All tensors.
  Tensors() = default;
  LOUPE_DECL Tensors(std::vector<Text> collections, std::vector<Text> patterns);
  /// A copy has the same tensors and has decided on none.
  Tensors(const Tensors& other) : Tensors(other.collections_, other.patterns_) {}
  Tensors(Tensors&&) noexcept = default;
  Tensors& operator=(Tensors other) noexcept {
    collections_ = std::move(other.collections_);
    patterns_ = std::move(other.patterns_);
    filter_ = std::move(other.filter_);
    decided_ = std::move(other.decided_);
    return *this;
  }
  /// The tensors of one collection.
  static Tensors of(std::string_view collection) { return Tensors({collection}, {}); }
  /// The tensors in whose names a pattern of Python's syntax is found.
  static Tensors matching(std::string_view pattern) { return Tensors({}, {pattern}); }

  /// Decides on a name, once; `selects` repeats the answer.
  LOUPE_DECL bool decide(const TensorName& tensor, const Directory& directory);
  [[nodiscard]] bool selects(std::uint32_t number) const noexcept {
    return number < decided_.size() && decided_[number] == Decision::in;
  }
  [[nodiscard]] bool selects_all() const noexcept { return collections_.empty() && patterns_.empty(); }
  [[nodiscard]] const std::vector<Text>& collections() const noexcept { return collections_; }
  /// `invalid_argument` if a pattern can't be read.
  [[nodiscard]] LOUPE_DECL result<void> check() const;

 private:
  enum class Decision : std::uint8_t { open, in, out };
  std::vector<Text> collections_;
  std::vector<Text> patterns_;
  NameFilter filter_;
  std::vector<Decision> decided_;
};

}  // namespace loupe::inline LOUPE_ABI::rules

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/rules/tensors.ipp"
#endif
