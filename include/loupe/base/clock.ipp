#include "loupe/base/clock.hpp"

#include <poll.h>
#include <time.h>

namespace loupe::inline LOUPE_ABI {

namespace detail {

inline constexpr std::int64_t second_ns = 1'000'000'000;

inline std::int64_t clock_ns(clockid_t id) noexcept {
  timespec time{};
  ::clock_gettime(id, &time);
  return static_cast<std::int64_t>(time.tv_sec) * second_ns + time.tv_nsec;
}

inline timespec timespec_of(std::int64_t nanoseconds) noexcept {
  return {static_cast<time_t>(nanoseconds / second_ns), static_cast<long>(nanoseconds % second_ns)};
}

}  // namespace detail

LOUPE_DECL std::int64_t SystemClock::wall_ns() const noexcept { return detail::clock_ns(CLOCK_REALTIME); }

LOUPE_DECL std::int64_t SystemClock::monotonic_ns() const noexcept { return detail::clock_ns(CLOCK_MONOTONIC); }

LOUPE_DECL bool SystemClock::wait_until(std::int64_t deadline_ns, Interrupt* interrupt, int descriptor) const noexcept {
  const int interrupt_descriptor = interrupt != nullptr && descriptor >= 0 ? interrupt->descriptor() : -1;
  if (interrupt != nullptr && interrupt_descriptor < 0) return interrupt->wait_until(deadline_ns);
  pollfd polled[] = {{descriptor, POLLIN, 0}, {interrupt_descriptor, POLLIN, 0}};  // poll passes over a -1
  int ready = 0;
  do {
    const std::int64_t now_ns = monotonic_ns();
    const timespec rest = detail::timespec_of(deadline_ns > now_ns ? deadline_ns - now_ns : 0);
    ready = ::ppoll(polled, 2, &rest, nullptr);
  } while (ready <= 0 && monotonic_ns() < deadline_ns);  // a signal ends it, too
  return interrupt == nullptr || !interrupt->requested();
}

}  // namespace loupe::inline LOUPE_ABI
