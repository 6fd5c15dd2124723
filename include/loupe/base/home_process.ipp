#include "loupe/base/home_process.hpp"

#include <unistd.h>

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL std::int64_t HomeProcess::current() noexcept { return ::getpid(); }

}  // namespace loupe::inline LOUPE_ABI
