#pragma once
/// @file
/// A rank that the program knows by itself.

#include <cstdint>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/text.hpp"

namespace loupe::inline LOUPE_ABI::ranks {

/// Worker `rank` of `world_size`.
class Explicit {
 public:
  /// `invalid_argument` unless 0 <= rank < world_size.
  LOUPE_DECL static result<Explicit> make(std::int64_t rank, std::int64_t world_size);

  [[nodiscard]] std::int64_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::int64_t world_size() const noexcept { return world_size_; }
  [[nodiscard]] Text worker_name() const { return Text::join("worker_", to_text(rank_).view()); }

 private:
  Explicit(std::int64_t rank, std::int64_t world_size) noexcept : rank_(rank), world_size_(world_size) {}
  std::int64_t rank_;
  std::int64_t world_size_;
};

}  // namespace loupe::inline LOUPE_ABI::ranks

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/ranks/explicit_rank.ipp"
#endif
