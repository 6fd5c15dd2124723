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
  static result<Explicit> make(std::int64_t rank, std::int64_t world_size) {
    if (world_size < 1)
      return fail(ErrorKind::invalid_argument, "world_size", Text::join("is ", to_text(world_size).view(), ", but must be at least 1"));
    if (rank < 0 || rank >= world_size)
      return fail(ErrorKind::invalid_argument, "rank",
                  Text::join("is ", to_text(rank).view(), ", but must be from 0 to ", to_text(world_size - 1).view()));
    return Explicit(rank, world_size);
  }

  [[nodiscard]] std::int64_t rank() const noexcept { return rank_; }
  [[nodiscard]] std::int64_t world_size() const noexcept { return world_size_; }
  [[nodiscard]] Text worker_name() const { return Text::join("worker_", to_text(rank_).view()); }

 private:
  Explicit(std::int64_t rank, std::int64_t world_size) noexcept : rank_(rank), world_size_(world_size) {}
  std::int64_t rank_;
  std::int64_t world_size_;
};

}  // namespace loupe::inline LOUPE_ABI::ranks
