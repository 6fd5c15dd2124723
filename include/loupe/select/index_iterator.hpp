#pragma once
/// @file
/// Iteration over whatever is indexed by numbers from 0.

#include <cstddef>

#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// Visits `sequence[0]`, `sequence[1]`, …; the sequence must outlive it.
template <class Sequence>
class IndexIterator {
 public:
  IndexIterator(const Sequence& sequence, std::size_t index) noexcept : sequence_(&sequence), index_(index) {}
  decltype(auto) operator*() const noexcept { return (*sequence_)[index_]; }
  IndexIterator& operator++() noexcept {
    ++index_;
    return *this;
  }
  friend bool operator==(IndexIterator a, IndexIterator b) noexcept { return a.index_ == b.index_; }

 private:
  const Sequence* sequence_;
  std::size_t index_;
};

}  // namespace loupe::inline LOUPE_ABI
