// expect: loupe::AnyClock: the type must model loupe::Clock; see loupe/base/clock.hpp
#include "loupe/base/any_clock.hpp"

struct Sundial {
  long wall_ns() noexcept { return 0; }
};

loupe::AnyClock clock_of_hook() {
#ifdef LOUPE_MUST_FAIL
  return loupe::AnyClock(Sundial());
#else
  return loupe::AnyClock(loupe::SystemClock());
#endif
}
