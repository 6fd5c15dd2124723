#include "loupe/ranks/explicit_rank.hpp"

namespace loupe::inline LOUPE_ABI::ranks {

LOUPE_DECL result<Explicit> Explicit::make(std::int64_t rank, std::int64_t world_size) {
  if (world_size < 1)
    return fail(ErrorKind::invalid_argument, "world_size",
                Text::join("is ", to_text(world_size).view(), ", but must be at least 1"));
  if (rank < 0 || rank >= world_size)
    return fail(ErrorKind::invalid_argument, "rank",
                Text::join("is ", to_text(rank).view(), ", but must be from 0 to ", to_text(world_size - 1).view()));
  return Explicit(rank, world_size);
}

}  // namespace loupe::inline LOUPE_ABI::ranks
