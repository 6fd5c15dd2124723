// loupe 0.1.0: loupe/loupe.hpp with everything it includes, in one file.
// SPDX-License-Identifier: Apache-2.0
// Written by single_include/amalgamate.py from include/loupe: change the headers there.
#pragma once

#if defined(LOUPE_SEPARATE_COMPILATION)
#error "the single header has its bodies inside: build with include/ for LOUPE_SEPARATE_COMPILATION"
#endif

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <dirent.h>
#include <exception>
#include <fcntl.h>
#include <functional>
#include <initializer_list>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <optional>
#include <poll.h>
#include <pthread.h>
#include <set>
#include <signal.h>
#include <span>
#include <stdio.h>
#include <string.h>
#include <string>
#include <string_view>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <time.h>
#include <tuple>
#include <type_traits>
#include <unistd.h>
#include <utility>
#include <vector>
#include <version>
// ---- loupe/loupe.hpp
#ifndef LOUPE_SINGLE_LOUPE_HPP
#define LOUPE_SINGLE_LOUPE_HPP
/// @file
/// All of loupe that needs the standard library only. Written by tests/house/check.py --write.

// ---- loupe/base/any_clock.hpp
#ifndef LOUPE_SINGLE_BASE_ANY_CLOCK_HPP
#define LOUPE_SINGLE_BASE_ANY_CLOCK_HPP
/// @file
/// A clock of any type, owned.

// ---- loupe/base/clock.hpp
#ifndef LOUPE_SINGLE_BASE_CLOCK_HPP
#define LOUPE_SINGLE_BASE_CLOCK_HPP
/// @file
/// Where time comes from, so that tests take none.

// ---- loupe/base/config.hpp
#ifndef LOUPE_SINGLE_BASE_CONFIG_HPP
#define LOUPE_SINGLE_BASE_CONFIG_HPP
/// @file
/// Version, feature switches and the ABI tag. Every macro that a user may set is listed here.
///
/// | macro | meaning | default |
/// | --- | --- | --- |
/// | `LOUPE_SEPARATE_COMPILATION` | bodies are compiled once, in the unit that includes `loupe/src.hpp` | unset: header-only |
/// | `LOUPE_NO_INTRINSICS` | portable code only, no run-time choice of instruction sets | unset |
/// | `LOUPE_DISABLE` | `HookRef` calls in `probe.hpp` compile to nothing | unset |

#if defined(__cplusplus) && __cplusplus < 202002L
#error "loupe needs C++20 or newer: compile with -std=c++20 or a later standard"
#endif

#define LOUPE_VERSION_MAJOR 0
#define LOUPE_VERSION_MINOR 1
#define LOUPE_VERSION_PATCH 0

#if defined(__cpp_lib_expected) && __cpp_lib_expected >= 202202L
#define LOUPE_HAS_STD_EXPECTED 1
#define LOUPE_ABI_EXPECTED e1
#else
#define LOUPE_HAS_STD_EXPECTED 0
#define LOUPE_ABI_EXPECTED e0
#endif

#if defined(__cpp_exceptions) || defined(__EXCEPTIONS)
#define LOUPE_HAS_EXCEPTIONS 1
#define LOUPE_ABI_EXCEPTIONS x1
#else
#define LOUPE_HAS_EXCEPTIONS 0
#define LOUPE_ABI_EXCEPTIONS x0
#endif

#if !defined(LOUPE_NO_INTRINSICS) && defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
#define LOUPE_HAS_X86_DISPATCH 1
#define LOUPE_ABI_INTRINSICS i1
#else
#define LOUPE_HAS_X86_DISPATCH 0
#define LOUPE_ABI_INTRINSICS i0
#endif

#if defined(LOUPE_DISABLE)
#define LOUPE_ABI_PROBES p0
#else
#define LOUPE_ABI_PROBES p1
#endif

// loupe's own build of `loupe::compiled` says what it was built as.
#if defined(LOUPE_COMPILED_AS_CXX) && (LOUPE_COMPILED_AS_CXX >= 23) != (__cplusplus > 202002L)
#error "loupe::compiled was built in another C++ standard than this unit: set CMAKE_CXX_STANDARD before loupe is added"
#endif

/// The name of loupe's inline namespace: version, which `expected`, exceptions on or off, instruction-set dispatch,
/// probes. Units that differ in any of them get different symbols instead of a silent violation of the one-definition rule.
#define LOUPE_ABI LOUPE_ABI_JOIN(LOUPE_VERSION_MAJOR, LOUPE_VERSION_MINOR, LOUPE_ABI_EXPECTED, LOUPE_ABI_EXCEPTIONS, LOUPE_ABI_INTRINSICS, LOUPE_ABI_PROBES)
#define LOUPE_ABI_JOIN(major, minor, e, x, i, p) LOUPE_ABI_PASTE(major, minor, e, x, i, p)
#define LOUPE_ABI_PASTE(major, minor, e, x, i, p) v##major##_##minor##_##e##_##x##_##i##_##p

#if defined(LOUPE_SEPARATE_COMPILATION)
#define LOUPE_DECL
#else
#define LOUPE_DECL inline
#endif

#if defined(__GNUC__) || defined(__clang__)
#define LOUPE_ALWAYS_INLINE [[gnu::always_inline]] inline
#define LOUPE_NEVER_INLINE [[gnu::noinline]]
#define LOUPE_COLD [[gnu::cold]]
#else
#define LOUPE_ALWAYS_INLINE inline
#define LOUPE_NEVER_INLINE
#define LOUPE_COLD
#endif
#endif  // LOUPE_SINGLE_BASE_CONFIG_HPP
// ---- loupe/base/interrupt.hpp
#ifndef LOUPE_SINGLE_BASE_INTERRUPT_HPP
#define LOUPE_SINGLE_BASE_INTERRUPT_HPP
/// @file
/// A request to stop waiting, made from another thread.

// ---- loupe/base/mutex.hpp
#ifndef LOUPE_SINGLE_BASE_MUTEX_HPP
#define LOUPE_SINGLE_BASE_MUTEX_HPP
/// @file
/// A lock and a condition to wait for, without `<mutex>` and `<condition_variable>`, which cost a compiler more than
/// most of loupe's headers do.

namespace loupe::inline LOUPE_ABI {

/// As `std::mutex`; its lock is `MutexLock`.
class Mutex {
 public:
  Mutex() noexcept = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  ~Mutex() { ::pthread_mutex_destroy(&mutex_); }

 private:
  friend class MutexLock;
  friend class Condition;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

/// Holds a mutex while it lives, but for the time between `unlock` and `lock`.
class MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) noexcept : mutex_(mutex) { lock(); }
  /// Leaves locking to `lock`.
  struct Deferred {};
  MutexLock(Mutex& mutex, Deferred) noexcept : mutex_(mutex) {}
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  ~MutexLock() {
    if (is_locked_) ::pthread_mutex_unlock(&mutex_.mutex_);
  }
  void lock() noexcept {
    ::pthread_mutex_lock(&mutex_.mutex_);
    is_locked_ = true;
  }
  void unlock() noexcept {
    is_locked_ = false;
    ::pthread_mutex_unlock(&mutex_.mutex_);
  }

 private:
  friend class Condition;
  Mutex& mutex_;
  bool is_locked_ = false;
};

/// As `std::condition_variable`, with deadlines of the monotonic clock. A wait may end for no reason: ask again.
class Condition {
 public:
  Condition() noexcept {
    pthread_condattr_t attributes;
    ::pthread_condattr_init(&attributes);
    ::pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    ::pthread_cond_init(&condition_, &attributes);
    ::pthread_condattr_destroy(&attributes);
  }
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;
  ~Condition() { ::pthread_cond_destroy(&condition_); }

  void notify_one() noexcept { ::pthread_cond_signal(&condition_); }
  void notify_all() noexcept { ::pthread_cond_broadcast(&condition_); }
  /// Unlocks, waits to be notified, and locks again.
  void wait(const MutexLock& lock) noexcept { ::pthread_cond_wait(&condition_, &lock.mutex_.mutex_); }
  /// The same until the monotonic clock shows `deadline_ns`; false if it does.
  bool wait_until(const MutexLock& lock, std::int64_t deadline_ns) noexcept {
    const std::int64_t from_zero = deadline_ns > 0 ? deadline_ns : 0;
    const timespec deadline{static_cast<time_t>(from_zero / 1'000'000'000),
                            static_cast<long>(from_zero % 1'000'000'000)};
    return ::pthread_cond_timedwait(&condition_, &lock.mutex_.mutex_, &deadline) == 0;
  }

 private:
  pthread_cond_t condition_;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_MUTEX_HPP

namespace loupe::inline LOUPE_ABI {

/// Ends waits before their deadline. Any thread may call any member; the object must outlive the waits. Neither copied
/// nor moved.
class Interrupt {
 public:
  Interrupt() noexcept = default;
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  LOUPE_DECL ~Interrupt();

  /// Ends all waits, the present ones and those to come.
  LOUPE_DECL void request() noexcept;
  [[nodiscard]] LOUPE_DECL bool requested() const noexcept;
  /// Forgets the request, so that waits to come wait again. Whether there was one.
  LOUPE_DECL bool reset() noexcept;
  /// Waits until the request or until the monotonic clock shows `deadline_ns`; whether the deadline was reached.
  LOUPE_DECL bool wait_until(std::int64_t deadline_ns) noexcept;
  /// A file descriptor, readable while the interrupt is requested, for waits that poll several; -1 if the process can
  /// have no more. It stays the interrupt's own.
  LOUPE_DECL int descriptor() noexcept;

 private:
  mutable Mutex mutex_;
  Condition was_requested_;
  int descriptor_ = -1;  // opened by the first who asks for it
  bool is_requested_ = false;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/base/interrupt.ipp
#ifndef LOUPE_SINGLE_BASE_INTERRUPT_IPP
#define LOUPE_SINGLE_BASE_INTERRUPT_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL Interrupt::~Interrupt() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

LOUPE_DECL void Interrupt::request() noexcept {
  const MutexLock lock(mutex_);
  if (is_requested_) return;
  is_requested_ = true;
  if (descriptor_ >= 0) ::eventfd_write(descriptor_, 1);
  was_requested_.notify_all();
}

LOUPE_DECL bool Interrupt::requested() const noexcept {
  const MutexLock lock(mutex_);
  return is_requested_;
}

LOUPE_DECL bool Interrupt::reset() noexcept {
  const MutexLock lock(mutex_);
  if (!is_requested_) return false;
  is_requested_ = false;
  eventfd_t count;
  if (descriptor_ >= 0) ::eventfd_read(descriptor_, &count);
  return true;
}

LOUPE_DECL bool Interrupt::wait_until(std::int64_t deadline_ns) noexcept {
  const MutexLock lock(mutex_);
  while (!is_requested_ && was_requested_.wait_until(lock, deadline_ns)) {
  }
  return !is_requested_;
}

LOUPE_DECL int Interrupt::descriptor() noexcept {
  const MutexLock lock(mutex_);
  if (descriptor_ < 0) descriptor_ = ::eventfd(is_requested_ ? 1 : 0, EFD_CLOEXEC | EFD_NONBLOCK);
  return descriptor_;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_INTERRUPT_IPP
#endif  // LOUPE_SINGLE_BASE_INTERRUPT_HPP

namespace loupe::inline LOUPE_ABI {

/// A clock:
/// - `wall_ns()`: nanoseconds since the Unix epoch, for annotations;
/// - `monotonic_ns()`: nanoseconds that never go back, for durations and deadlines;
/// - `wait_until(deadline_ns, interrupt)`: waits until `monotonic_ns()` shows the deadline; false if the interrupt (which
///   may be null) was requested before.
///
/// It may also have `wait_until(deadline_ns, interrupt, descriptor)`, a wait that ends early, with true, when the file
/// descriptor becomes readable; without it such waits last until their deadline.
template <class Type>
concept Clock = requires(Type& clock, std::int64_t deadline_ns, Interrupt* interrupt) {
  { clock.wall_ns() } noexcept -> std::same_as<std::int64_t>;
  { clock.monotonic_ns() } noexcept -> std::same_as<std::int64_t>;
  { clock.wait_until(deadline_ns, interrupt) } -> std::same_as<bool>;
};

/// The system's clocks. Safe for concurrent use.
class SystemClock {
 public:
  [[nodiscard]] LOUPE_DECL std::int64_t wall_ns() const noexcept;
  [[nodiscard]] LOUPE_DECL std::int64_t monotonic_ns() const noexcept;
  LOUPE_DECL bool wait_until(std::int64_t deadline_ns, Interrupt* interrupt, int descriptor = -1) const noexcept;
};

/// A clock of any type, borrowed; two words.
class ClockRef {
 public:
  template <Clock Type>
    requires(!std::same_as<std::remove_const_t<Type>, ClockRef>)
  ClockRef(Type& clock) noexcept
      : clock_(const_cast<void*>(static_cast<const void*>(__builtin_addressof(clock)))),
        functions_(&functions_of<Type>) {}

  [[nodiscard]] std::int64_t wall_ns() const noexcept { return functions_->wall_ns(clock_); }
  [[nodiscard]] std::int64_t monotonic_ns() const noexcept { return functions_->monotonic_ns(clock_); }
  bool wait_until(std::int64_t deadline_ns, Interrupt* interrupt, int descriptor = -1) const {
    return functions_->wait_until(clock_, deadline_ns, interrupt, descriptor);
  }

 private:
  struct Functions {
    std::int64_t (*wall_ns)(void*) noexcept;
    std::int64_t (*monotonic_ns)(void*) noexcept;
    bool (*wait_until)(void*, std::int64_t, Interrupt*, int);
  };
  template <class Type>
  static constexpr Functions functions_of = {
      [](void* clock) noexcept { return static_cast<Type*>(clock)->wall_ns(); },
      [](void* clock) noexcept { return static_cast<Type*>(clock)->monotonic_ns(); },
      [](void* clock, std::int64_t deadline_ns, Interrupt* interrupt, int descriptor) {
        if constexpr (requires(Type& of) { of.wait_until(deadline_ns, interrupt, descriptor); })
          return static_cast<Type*>(clock)->wait_until(deadline_ns, interrupt, descriptor);
        else return static_cast<Type*>(clock)->wait_until(deadline_ns, interrupt);
      },
  };
  void* clock_;
  const Functions* functions_;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/base/clock.ipp
#ifndef LOUPE_SINGLE_BASE_CLOCK_IPP
#define LOUPE_SINGLE_BASE_CLOCK_IPP

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
#endif  // LOUPE_SINGLE_BASE_CLOCK_IPP
#endif  // LOUPE_SINGLE_BASE_CLOCK_HPP

namespace loupe::inline LOUPE_ABI {

/// Owns a clock whose type is known only at construction. Move-only. Safe for concurrent use if the clock is.
class AnyClock {
 public:
  template <class Type>
    requires(!std::same_as<Type, AnyClock>)
  explicit AnyClock(Type clock)
      : AnyClock(new Type(std::move(clock)), [](void* owned) noexcept { delete static_cast<Type*>(owned); }) {
    static_assert(Clock<Type>, "loupe::AnyClock: the type must model loupe::Clock; see loupe/base/clock.hpp");
  }
  AnyClock(AnyClock&& other) noexcept
      : clock_(std::exchange(other.clock_, nullptr)),
        destroy_(other.destroy_),
        ref_(other.ref_) {}
  AnyClock& operator=(AnyClock&& other) noexcept {
    std::swap(clock_, other.clock_);
    std::swap(destroy_, other.destroy_);
    std::swap(ref_, other.ref_);
    return *this;
  }
  ~AnyClock() {
    if (clock_ != nullptr) destroy_(clock_);
  }

  [[nodiscard]] std::int64_t wall_ns() const noexcept { return ref_.wall_ns(); }
  [[nodiscard]] std::int64_t monotonic_ns() const noexcept { return ref_.monotonic_ns(); }
  bool wait_until(std::int64_t deadline_ns, Interrupt* interrupt, int descriptor = -1) const {
    return ref_.wait_until(deadline_ns, interrupt, descriptor);
  }

 private:
  template <class Type>
  AnyClock(Type* clock, void (*destroy)(void*) noexcept) noexcept : clock_(clock),
                                                                    destroy_(destroy),
                                                                    ref_(*clock) {}

  void* clock_;
  void (*destroy_)(void*) noexcept;
  ClockRef ref_;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_ANY_CLOCK_HPP
// ---- loupe/base/any_executor.hpp
#ifndef LOUPE_SINGLE_BASE_ANY_EXECUTOR_HPP
#define LOUPE_SINGLE_BASE_ANY_EXECUTOR_HPP
/// @file
/// An executor of any type, owned.

// ---- loupe/base/executor.hpp
#ifndef LOUPE_SINGLE_BASE_EXECUTOR_HPP
#define LOUPE_SINGLE_BASE_EXECUTOR_HPP
/// @file
/// Where work is done that the training thread must not wait for.

// ---- loupe/base/task.hpp
#ifndef LOUPE_SINGLE_BASE_TASK_HPP
#define LOUPE_SINGLE_BASE_TASK_HPP
/// @file
/// A piece of work that is handed to an executor.

namespace loupe::inline LOUPE_ABI {

/// A piece of work: a callable of at most four words that neither throws nor returns anything. Move-only, never allocates.
class Task {
 public:
  Task() noexcept = default;
  template <class Callable>
    requires(!std::same_as<std::remove_cvref_t<Callable>, Task> &&
             std::is_nothrow_invocable_v<std::remove_cvref_t<Callable>&>)
  Task(Callable&& callable) noexcept {
    using Stored = std::remove_cvref_t<Callable>;
    static_assert(sizeof(Stored) <= sizeof memory_ && alignof(Stored) <= alignof(std::max_align_t),
                  "loupe::Task: the callable is larger than four words: let it hold a pointer to its state");
    static_assert(std::is_nothrow_move_constructible_v<Stored>, "loupe::Task: the callable must move without throwing");
    ::new (static_cast<void*>(memory_)) Stored(std::forward<Callable>(callable));
    handle_ = [](Action action, std::byte* self, std::byte* other) noexcept {
      auto& stored = *std::launder(reinterpret_cast<Stored*>(self));
      if (action == Action::call) stored();
      if (action == Action::move) ::new (static_cast<void*>(other)) Stored(std::move(stored));
      if (action != Action::call) stored.~Stored();
    };
  }
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {
    if (handle_ != nullptr) handle_(Action::move, other.memory_, memory_);
  }
  Task& operator=(Task&& other) noexcept {
    if (this == &other) return *this;
    if (handle_ != nullptr) handle_(Action::destroy, memory_, nullptr);
    handle_ = std::exchange(other.handle_, nullptr);
    if (handle_ != nullptr) handle_(Action::move, other.memory_, memory_);
    return *this;
  }
  ~Task() {
    if (handle_ != nullptr) handle_(Action::destroy, memory_, nullptr);
  }
  /// Does the work; a task may be called once or more, and an empty one does nothing.
  void operator()() noexcept {
    if (handle_ != nullptr) handle_(Action::call, memory_, nullptr);
  }
  explicit operator bool() const noexcept { return handle_ != nullptr; }

 private:
  enum class Action { call, move, destroy };
  alignas(std::max_align_t) std::byte memory_[4 * sizeof(void*)];
  void (*handle_)(Action, std::byte* self, std::byte* other) noexcept = nullptr;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_TASK_HPP

namespace loupe::inline LOUPE_ABI {

/// Runs tasks, in the caller or elsewhere:
/// - `post(task)`: takes the task and gives true, or false, leaving it undone, when there is no room;
/// - `drain()`: waits until all tasks that were taken have ended.
/// The destructor drains.
template <class Type>
concept Executor = requires(Type& executor, Task task) {
  { executor.post(std::move(task)) } -> std::same_as<bool>;
  { executor.drain() } -> std::same_as<void>;
};

/// Runs each task at once in the thread that posts it.
class InlineExecutor {
 public:
  bool post(Task task) noexcept {
    task();
    return true;
  }
  void drain() noexcept {}
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_EXECUTOR_HPP
// ---- loupe/base/owner.hpp
#ifndef LOUPE_SINGLE_BASE_OWNER_HPP
#define LOUPE_SINGLE_BASE_OWNER_HPP
/// @file
/// Owners of objects on the heap, without `<memory>`, which costs a compiler more than most of loupe's headers do.

namespace loupe::inline LOUPE_ABI {

/// Owns an object alone; `std::unique_ptr` without its header.
template <class Type>
class Owner {
 public:
  Owner() noexcept = default;
  explicit Owner(Type* object) noexcept : object_(object) {}
  /// Takes over what another kind of owner, such as `std::unique_ptr`, owns.
  template <class Other>
    requires requires(Other& other) {
      { other.release() } -> std::convertible_to<Type*>;
    }
  Owner(Other other) noexcept : object_(other.release()) {}
  Owner(Owner&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owner& operator=(Owner&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Owner() { delete object_; }

  [[nodiscard]] Type* get() const noexcept { return object_; }
  Type& operator*() const noexcept { return *object_; }
  Type* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  Type* object_ = nullptr;
};

/// Base of the objects of `SharedOwner`: knows how many own it.
class OwnerCount {
 public:
  OwnerCount() noexcept = default;
  OwnerCount(const OwnerCount&) = delete;
  OwnerCount& operator=(const OwnerCount&) = delete;

 protected:
  ~OwnerCount() = default;

 private:
  template <class Type>
  friend class SharedOwner;
  // Builtins, because <atomic> costs as much as <memory>.
  void add() noexcept { __atomic_fetch_add(&owners_, 1, __ATOMIC_RELAXED); }
  bool remove() noexcept { return __atomic_fetch_sub(&owners_, 1, __ATOMIC_ACQ_REL) == 1; }
  unsigned long owners_ = 1;
};

/// Owns an object together with its copies; `std::shared_ptr` without its header, for types derived from `OwnerCount`.
template <class Type>
class SharedOwner {
 public:
  SharedOwner() noexcept = default;
  explicit SharedOwner(Type* object) noexcept : object_(object) {}
  SharedOwner(const SharedOwner& other) noexcept : object_(other.object_) {
    if (object_ != nullptr) object_->OwnerCount::add();
  }
  SharedOwner(SharedOwner&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  SharedOwner& operator=(SharedOwner other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~SharedOwner() {
    if (object_ != nullptr && object_->OwnerCount::remove()) delete object_;
  }

  [[nodiscard]] Type* get() const noexcept { return object_; }
  Type& operator*() const noexcept { return *object_; }
  Type* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  Type* object_ = nullptr;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_OWNER_HPP

namespace loupe::inline LOUPE_ABI {

/// Owns an executor whose type is known only at construction. Move-only.
class AnyExecutor {
 public:
  /// Moves the executor in, or for one that can't move constructs it in place: `AnyExecutor(std::in_place_type<Type>)`.
  template <class Type>
    requires(!std::same_as<Type, AnyExecutor> && std::move_constructible<Type>)
  explicit AnyExecutor(Type executor) : executor_(new Owned<Type>(std::move(executor))) {}
  template <class Type>
  explicit AnyExecutor(std::in_place_type_t<Type>) : executor_(new Owned<Type>()) {}

  bool post(Task task) { return executor_->post(std::move(task)); }
  void drain() { executor_->drain(); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual bool post(Task task) = 0;
    virtual void drain() = 0;
  };
  template <class Type>
  struct Owned final : Base {
    static_assert(Executor<Type>,
                  "loupe::AnyExecutor: the type must model loupe::Executor; see loupe/base/executor.hpp");
    template <class... Arguments>
    explicit Owned(Arguments&&... arguments) : executor(std::forward<Arguments>(arguments)...) {}
    bool post(Task task) override { return executor.post(std::move(task)); }
    void drain() override { executor.drain(); }
    Type executor;
  };
  Owner<Base> executor_;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_ANY_EXECUTOR_HPP
// ---- loupe/base/array.hpp
#ifndef LOUPE_SINGLE_BASE_ARRAY_HPP
#define LOUPE_SINGLE_BASE_ARRAY_HPP
/// @file
/// An owning tensor: what a trial gives when a value is to outlive it.

// ---- loupe/base/element_type.hpp
#ifndef LOUPE_SINGLE_BASE_ELEMENT_TYPE_HPP
#define LOUPE_SINGLE_BASE_ELEMENT_TYPE_HPP
/// @file
/// The element types of tensors: every one that DLPack or the smdebug format can hold.

// ---- loupe/base/element_type_of.hpp
#ifndef LOUPE_SINGLE_BASE_ELEMENT_TYPE_OF_HPP
#define LOUPE_SINGLE_BASE_ELEMENT_TYPE_OF_HPP
/// @file
/// Element types and the C++ types that have one, without a standard header that costs: what `probe.hpp` can afford.

// ---- loupe/base/half.hpp
#ifndef LOUPE_SINGLE_BASE_HALF_HPP
#define LOUPE_SINGLE_BASE_HALF_HPP
/// @file
/// float16 and bfloat16 as storage types: loupe stores and converts them, it does not compute in them.

namespace loupe::inline LOUPE_ABI {

/// IEEE 754 binary16 bits.
struct Float16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(Float16, Float16) noexcept = default;
};

/// The upper half of a binary32.
struct BFloat16 {
  std::uint16_t bits = 0;
  friend constexpr bool operator==(BFloat16, BFloat16) noexcept = default;
};

/// Exact.
constexpr float to_float(Float16 half) noexcept {
  const std::uint32_t sign = static_cast<std::uint32_t>(half.bits & 0x8000u) << 16;
  const std::uint32_t exponent = (half.bits >> 10) & 0x1Fu;
  std::uint32_t mantissa = half.bits & 0x3FFu;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000u | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  if (mantissa == 0) return std::bit_cast<float>(sign);
  const int shift = std::countl_zero(mantissa) - 21;
  mantissa = (mantissa << shift) & 0x3FFu;
  return std::bit_cast<float>(sign | (static_cast<std::uint32_t>(113 - shift) << 23) | (mantissa << 13));
}

/// Exact.
constexpr float to_float(BFloat16 half) noexcept {
  return std::bit_cast<float>(static_cast<std::uint32_t>(half.bits) << 16);
}

/// Rounds to nearest, ties to even; too large becomes infinity, NaN stays NaN.
constexpr Float16 to_float16(float number) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(number);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u)
    return {static_cast<std::uint16_t>(sign | 0x7E00u | ((magnitude >> 13) & 0x3FFu))};
  if (magnitude >= 0x477FF000u) return {static_cast<std::uint16_t>(sign | 0x7C00u)};
  if (magnitude < 0x33000001u) return {sign};
  std::uint32_t rounded;
  std::uint32_t dropped;
  std::uint32_t half;
  if (magnitude < 0x38800000u) {
    const std::uint32_t shift = 126 - (magnitude >> 23);
    const std::uint32_t mantissa = (magnitude & 0x7FFFFFu) | 0x800000u;
    rounded = mantissa >> shift;
    dropped = mantissa & ((1u << shift) - 1);
    half = 1u << (shift - 1);
  } else {
    rounded = (magnitude - 0x38000000u) >> 13;
    dropped = magnitude & 0x1FFFu;
    half = 0x1000u;
  }
  if (dropped > half || (dropped == half && (rounded & 1u) != 0)) ++rounded;
  return {static_cast<std::uint16_t>(sign | rounded)};
}

/// A float that rounds to any narrower type as the double does. Rounding twice errs only where the float lies exactly
/// between two of the narrower numbers: it is nudged to the side of the double.
constexpr float to_float_for_rounding(double number) noexcept {
  const auto once = static_cast<float>(number);
  auto bits = std::bit_cast<std::uint32_t>(once);
  const double back = static_cast<double>(once);
  if (back != number && number == number && (bits & 0x7FFFFFFFu) < 0x7F800000u && (bits & 0x7FFFFFFFu) != 0 &&
      (bits & 1u) == 0) {
    const bool toward_larger = (number < 0 ? -number : number) > (back < 0 ? -back : back);
    bits = toward_larger ? bits + 1 : bits - 1;
  }
  return std::bit_cast<float>(bits);
}

/// As `to_float16(float)`, rounding once.
constexpr Float16 to_float16(double number) noexcept { return to_float16(to_float_for_rounding(number)); }

/// Rounds to nearest, ties to even; NaN stays NaN.
constexpr BFloat16 to_bfloat16(float number) noexcept {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(number);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return {static_cast<std::uint16_t>((bits >> 16) | 0x40u)};
  return {static_cast<std::uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16)};
}

/// As `to_bfloat16(float)`, rounding once.
constexpr BFloat16 to_bfloat16(double number) noexcept { return to_bfloat16(to_float_for_rounding(number)); }

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_HALF_HPP

namespace loupe::inline LOUPE_ABI {

/// Element types; `none` is the type of an empty view. A `string` element is a `std::string_view`.
enum class ElementType : std::uint8_t {
  none, boolean, int8, uint8, int16, uint16, int32, uint32, int64, uint64,
  float16, bfloat16, float32, float64, complex64, complex128, string
};

/// Real and imaginary part, laid out as `std::complex<float>`.
struct Complex64 {
  float real = 0;
  float imaginary = 0;
  friend constexpr bool operator==(Complex64, Complex64) noexcept = default;
};

/// Real and imaginary part, laid out as `std::complex<double>`.
struct Complex128 {
  double real = 0;
  double imaginary = 0;
  friend constexpr bool operator==(Complex128, Complex128) noexcept = default;
};

/// `std::complex<float or double>` and types that look like it, without `<complex>`.
template <class Type>
concept ComplexLike = requires(const Type& number) {
  typename Type::value_type;
  { number.real() } -> std::convertible_to<typename Type::value_type>;
  { number.imag() } -> std::convertible_to<typename Type::value_type>;
} && (std::same_as<typename Type::value_type, float> || std::same_as<typename Type::value_type, double>) &&
    sizeof(Type) == 2 * sizeof(typename Type::value_type);

/// The element type of a C++ type, `none` where it has none. Specialise for a framework's own scalar types
/// (`template <> inline constexpr loupe::ElementType loupe::element_type_of<my::half> = loupe::ElementType::float16;`).
template <class Type>
inline constexpr ElementType element_type_of = [] {
  if constexpr (std::same_as<Type, bool>) return ElementType::boolean;
  else if constexpr (std::integral<Type> && !std::same_as<Type, wchar_t> && !std::same_as<Type, char16_t> && !std::same_as<Type, char32_t>) {
    constexpr bool is_signed = std::is_signed_v<Type>;
    if constexpr (sizeof(Type) == 1) return is_signed ? ElementType::int8 : ElementType::uint8;
    else if constexpr (sizeof(Type) == 2) return is_signed ? ElementType::int16 : ElementType::uint16;
    else if constexpr (sizeof(Type) == 4) return is_signed ? ElementType::int32 : ElementType::uint32;
    else if constexpr (sizeof(Type) == 8) return is_signed ? ElementType::int64 : ElementType::uint64;
    else return ElementType::none;
  } else if constexpr (std::same_as<Type, float>) return ElementType::float32;
  else if constexpr (std::same_as<Type, double>) return ElementType::float64;
  else if constexpr (std::same_as<Type, Float16>) return ElementType::float16;
  else if constexpr (std::same_as<Type, BFloat16>) return ElementType::bfloat16;
  else if constexpr (std::same_as<Type, Complex64>) return ElementType::complex64;
  else if constexpr (std::same_as<Type, Complex128>) return ElementType::complex128;
  else if constexpr (ComplexLike<Type>)
    return sizeof(Type) == 8 ? ElementType::complex64 : ElementType::complex128;
  else return ElementType::none;
}();

/// A C++ type that a tensor can hold.
template <class Type>
concept Element = element_type_of<std::remove_cv_t<Type>> != ElementType::none;

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_ELEMENT_TYPE_OF_HPP

namespace loupe::inline LOUPE_ABI {

template <>
inline constexpr ElementType element_type_of<std::string_view> = ElementType::string;

/// Calls `visitor.template operator()<T>()` with the C++ type of `type` (`bool`, `std::int8_t` … `Complex128`,
/// `std::string_view`). For `none` it calls it with `void`.
template <class Visitor>
constexpr decltype(auto) visit_element_type(ElementType type, Visitor&& visitor) {
  switch (type) {
    case ElementType::boolean: return visitor.template operator()<bool>();
    case ElementType::int8: return visitor.template operator()<std::int8_t>();
    case ElementType::uint8: return visitor.template operator()<std::uint8_t>();
    case ElementType::int16: return visitor.template operator()<std::int16_t>();
    case ElementType::uint16: return visitor.template operator()<std::uint16_t>();
    case ElementType::int32: return visitor.template operator()<std::int32_t>();
    case ElementType::uint32: return visitor.template operator()<std::uint32_t>();
    case ElementType::int64: return visitor.template operator()<std::int64_t>();
    case ElementType::uint64: return visitor.template operator()<std::uint64_t>();
    case ElementType::float16: return visitor.template operator()<Float16>();
    case ElementType::bfloat16: return visitor.template operator()<BFloat16>();
    case ElementType::float32: return visitor.template operator()<float>();
    case ElementType::float64: return visitor.template operator()<double>();
    case ElementType::complex64: return visitor.template operator()<Complex64>();
    case ElementType::complex128: return visitor.template operator()<Complex128>();
    case ElementType::string: return visitor.template operator()<std::string_view>();
    case ElementType::none: break;
  }
  return visitor.template operator()<void>();
}

/// Bytes of one element in memory; 0 for `none`. A string element is a `std::string_view` in memory.
constexpr std::size_t element_size(ElementType type) noexcept {
  return visit_element_type(type, []<class Element>() -> std::size_t {
    if constexpr (std::is_void_v<Element>)
      return 0;
    else
      return sizeof(Element);
  });
}

/// numpy's name of the type (`bool`, `int8`, …, `complex128`, `str`; `bfloat16`); `none` for none, and for numbers that
/// are no type.
constexpr std::string_view element_type_name(ElementType type) noexcept {
  constexpr std::string_view names[] = {"none",  "bool",   "int8",    "uint8",    "int16",   "uint16",  "int32",     "uint32",     "int64",
                                        "uint64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128", "str"};
  const auto number = static_cast<std::size_t>(type);
  return names[number <= static_cast<std::size_t>(ElementType::string) ? number : 0];
}

/// The type of a numpy name, or `none`.
constexpr ElementType element_type_from_name(std::string_view name) noexcept {
  for (int number = 1; number <= static_cast<int>(ElementType::string); ++number)
    if (element_type_name(static_cast<ElementType>(number)) == name) return static_cast<ElementType>(number);
  return ElementType::none;
}

constexpr bool is_complex(ElementType type) noexcept {
  return type == ElementType::complex64 || type == ElementType::complex128;
}
constexpr bool is_floating(ElementType type) noexcept {
  return type >= ElementType::float16 && type <= ElementType::float64;
}
constexpr bool is_signed_integer(ElementType type) noexcept {
  return type == ElementType::int8 || type == ElementType::int16 || type == ElementType::int32 || type == ElementType::int64;
}
constexpr bool is_unsigned_integer(ElementType type) noexcept {
  return type == ElementType::uint8 || type == ElementType::uint16 || type == ElementType::uint32 || type == ElementType::uint64;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_ELEMENT_TYPE_HPP
// ---- loupe/base/result.hpp
#ifndef LOUPE_SINGLE_BASE_RESULT_HPP
#define LOUPE_SINGLE_BASE_RESULT_HPP
/// @file
/// What every internal function of loupe returns, and two helpers to write such functions.

// ---- loupe/base/error.hpp
#ifndef LOUPE_SINGLE_BASE_ERROR_HPP
#define LOUPE_SINGLE_BASE_ERROR_HPP
/// @file
/// One vocabulary of errors for the whole library: kinds, their fields, and the sentence they make.

// ---- loupe/base/mode.hpp
#ifndef LOUPE_SINGLE_BASE_MODE_HPP
#define LOUPE_SINGLE_BASE_MODE_HPP
/// @file
/// The modes of a run, with the numbers and names that smdebug's files use.

namespace loupe::inline LOUPE_ABI {

/// What the model is doing in a step. `global` is both the mode of a loop that never sets one and the counter over all modes.
enum class Mode : std::uint8_t { train = 1, eval = 2, predict = 3, global = 4 };

/// All modes in the order in which smdebug lists them.
inline constexpr Mode all_modes[] = {Mode::train, Mode::eval, Mode::predict, Mode::global};

/// The number of modes, and a mode's place in an array of that size.
inline constexpr std::size_t mode_count = 4;
constexpr std::size_t mode_index(Mode mode) noexcept { return static_cast<std::size_t>(mode) - 1; }

/// The upper-case name that index and collections files hold: `TRAIN EVAL PREDICT GLOBAL`.
constexpr std::string_view mode_name(Mode mode) noexcept {
  constexpr std::string_view names[] = {"TRAIN", "EVAL", "PREDICT", "GLOBAL"};
  const auto index = mode_index(mode);
  return index < mode_count ? names[index] : std::string_view("INVALID");
}

/// The mode of an exact upper-case name, or nothing.
constexpr std::optional<Mode> mode_from_name(std::string_view name) noexcept {
  for (Mode mode : all_modes)
    if (mode_name(mode) == name) return mode;
  return std::nullopt;
}

/// The mode of a number 1 to 4 as event files hold it, or nothing.
constexpr std::optional<Mode> mode_from_number(long long number) noexcept {
  if (number < 1 || number > static_cast<long long>(mode_count)) return std::nullopt;
  return static_cast<Mode>(number);
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_MODE_HPP
// ---- loupe/base/text.hpp
#ifndef LOUPE_SINGLE_BASE_TEXT_HPP
#define LOUPE_SINGLE_BASE_TEXT_HPP
/// @file
/// An owned text that costs no `<string>`: what errors, configurations and names hold in the light headers.

namespace loupe::inline LOUPE_ABI {

/// An immutable, owned, NUL-terminated text (UTF-8 by convention; any bytes are kept). Copies are deep.
class Text {
 public:
  constexpr Text() noexcept = default;

  /// Copies `text`.
  Text(std::string_view text) : size_(text.size()) {
    if (size_ == 0) return;
    data_ = new char[size_ + 1];
    std::memcpy(data_, text.data(), size_);
    data_[size_] = '\0';
  }
  /// Copies anything that reads as a text: literals, `std::string`.
  template <class String>
    requires std::convertible_to<const String&, std::string_view> && (!std::same_as<String, Text>)
  Text(const String& text) : Text(static_cast<std::string_view>(text)) {}

  /// Joins parts with one allocation. No template: every sentence would be another one to compile.
  static Text join(std::string_view first, std::string_view second, std::string_view third = {},
                   std::string_view fourth = {}, std::string_view fifth = {}, std::string_view sixth = {},
                   std::string_view seventh = {}, std::string_view eighth = {}) {
    return join({first, second, third, fourth, fifth, sixth, seventh, eighth});
  }
  /// Joins any number of parts with one allocation.
  static Text join(std::initializer_list<std::string_view> views) {
    std::size_t size = 0;
    for (auto view : views) size += view.size();
    Text out;
    if (size == 0) return out;
    out.data_ = new char[size + 1];
    out.size_ = size;
    char* end = out.data_;
    for (auto view : views) {
      if (!view.empty()) std::memcpy(end, view.data(), view.size());
      end += view.size();
    }
    *end = '\0';
    return out;
  }

  Text(const Text& other) : Text(other.view()) {}
  Text(Text&& other) noexcept : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Text& operator=(Text other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Text() { delete[] data_; }

  [[nodiscard]] std::string_view view() const noexcept { return {data_, size_}; }
  operator std::string_view() const noexcept { return view(); }
  [[nodiscard]] const char* c_str() const noexcept { return data_ ? data_ : ""; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  friend bool operator==(const Text& a, const Text& b) noexcept { return a.view() == b.view(); }
  friend auto operator<=>(const Text& a, const Text& b) noexcept { return a.view() <=> b.view(); }
  template <class Characters>
    requires(std::convertible_to<const Characters&, std::string_view> && !std::same_as<Characters, Text>)
  friend bool operator==(const Text& a, const Characters& b) noexcept {
    return a.view() == std::string_view(b);
  }
  template <class Characters>
    requires(std::convertible_to<const Characters&, std::string_view> && !std::same_as<Characters, Text>)
  friend auto operator<=>(const Text& a, const Characters& b) noexcept {
    return a.view() <=> std::string_view(b);
  }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

/// A number as decimal text, without `<string>` or locale.
inline Text to_text(long long number) {
  char digits[24];
  char* begin = digits + sizeof digits;
  const bool negative = number < 0;
  unsigned long long rest = negative ? 0ULL - static_cast<unsigned long long>(number) : static_cast<unsigned long long>(number);
  do {
    *--begin = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  if (negative) *--begin = '-';
  return Text(std::string_view(begin, static_cast<std::size_t>(digits + sizeof digits - begin)));
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_TEXT_HPP

namespace loupe::inline LOUPE_ABI {

/// What went wrong. The first group are smdebug's exceptions (semantics.md section 14), the second what storage,
/// codec and configuration add.
enum class ErrorKind : std::uint8_t {
  tensor_unavailable,           ///< no tensor of that name was ever saved
  tensor_unavailable_for_step,  ///< the tensor has no value at that step; `reason` says why
  shape_unavailable_for_step,
  step_unavailable,             ///< the step was not saved and never will be
  step_not_yet_available,       ///< the run goes on and may still write the step
  no_more_data,                 ///< the run has ended before that step; `last_step` is the largest there is
  no_more_profiler_data,
  invalid_worker,
  missing_collection_files,
  index_reader,                 ///< an index file is unreadable, or a file name is none of the format's
  invalid_collection_configuration,
  rule_evaluation_condition_met,
  insufficient_information_for_rule_invocation,
  invalid_argument,             ///< a value outside what is allowed (smdebug: SMDebugValueError)
  invalid_type,                 ///< a value of the wrong type (smdebug: SMDebugTypeError)
  invalid_state,                ///< the call is not possible now (smdebug: SMDebugRuntimeError)
  not_implemented,
  not_found,                    ///< no such file, object or variable
  already_exists,
  permission_denied,
  no_space,
  io,                           ///< the system refused a read or write; `os_error` is its errno
  corrupt,                      ///< bytes that are not what the format says; `offset` says where
  unsupported,                  ///< the backend or engine can't do this
  limit_exceeded,               ///< larger, longer or deeper than loupe allows
  timeout,
  cancelled,
};

/// Why a value is not there.
enum class Absence : std::uint8_t {
  unspecified,
  not_yet,       ///< the run goes on; it may come
  never_saved,   ///< this tensor was not saved at this step
  only_reduced,  ///< reductions were saved instead of the value
  only_shape,    ///< the shape was saved instead of the value
  lost,          ///< the index names an event file that is not there
  corrupt,       ///< the bytes are there and damaged
};

/// An error with its facts. Which fields are meaningful follows from the kind; the others keep their defaults.
struct Error {
  ErrorKind kind = ErrorKind::invalid_state;
  Text object = {};             ///< what it is about: a tensor, worker, collection, file, key, parameter
  Text detail = {};             ///< what was wrong and, for arguments, what is allowed
  std::int64_t step = -1;       ///< step asked for, in `mode`
  Mode mode = Mode::global;
  std::int64_t last_step = -1;  ///< no_more_data: the largest step of the mode
  std::int64_t offset = -1;     ///< byte offset in the file `object`
  int os_error = 0;             ///< errno of the system call, if one failed
  Absence reason = Absence::unspecified;
  bool has_reductions = false;  ///< tensor_unavailable_for_step: reductions of the tensor can be asked for

  /// The whole sentence.
  [[nodiscard]] LOUPE_DECL Text message() const;
};

/// The enumerator's name, e.g. `tensor_unavailable_for_step`.
LOUPE_DECL std::string_view error_kind_name(ErrorKind kind) noexcept;

/// The enumerator's name as words, e.g. `only reductions were saved`.
LOUPE_DECL std::string_view absence_words(Absence reason) noexcept;

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/base/error.ipp
#ifndef LOUPE_SINGLE_BASE_ERROR_IPP
#define LOUPE_SINGLE_BASE_ERROR_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL std::string_view error_kind_name(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::tensor_unavailable: return "tensor_unavailable";
    case ErrorKind::tensor_unavailable_for_step: return "tensor_unavailable_for_step";
    case ErrorKind::shape_unavailable_for_step: return "shape_unavailable_for_step";
    case ErrorKind::step_unavailable: return "step_unavailable";
    case ErrorKind::step_not_yet_available: return "step_not_yet_available";
    case ErrorKind::no_more_data: return "no_more_data";
    case ErrorKind::no_more_profiler_data: return "no_more_profiler_data";
    case ErrorKind::invalid_worker: return "invalid_worker";
    case ErrorKind::missing_collection_files: return "missing_collection_files";
    case ErrorKind::index_reader: return "index_reader";
    case ErrorKind::invalid_collection_configuration: return "invalid_collection_configuration";
    case ErrorKind::rule_evaluation_condition_met: return "rule_evaluation_condition_met";
    case ErrorKind::insufficient_information_for_rule_invocation:
      return "insufficient_information_for_rule_invocation";
    case ErrorKind::invalid_argument: return "invalid_argument";
    case ErrorKind::invalid_type: return "invalid_type";
    case ErrorKind::invalid_state: return "invalid_state";
    case ErrorKind::not_implemented: return "not_implemented";
    case ErrorKind::not_found: return "not_found";
    case ErrorKind::already_exists: return "already_exists";
    case ErrorKind::permission_denied: return "permission_denied";
    case ErrorKind::no_space: return "no_space";
    case ErrorKind::io: return "io";
    case ErrorKind::corrupt: return "corrupt";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::limit_exceeded: return "limit_exceeded";
    case ErrorKind::timeout: return "timeout";
    case ErrorKind::cancelled: return "cancelled";
  }
  return "unknown";
}

LOUPE_DECL std::string_view absence_words(Absence reason) noexcept {
  switch (reason) {
    case Absence::unspecified: return "";
    case Absence::not_yet: return "not written yet";
    case Absence::never_saved: return "never saved at this step";
    case Absence::only_reduced: return "only reductions were saved";
    case Absence::only_shape: return "only the shape was saved";
    case Absence::lost: return "its event file is missing";
    case Absence::corrupt: return "its bytes are damaged";
  }
  return "";
}

namespace detail {

// What `strerror_r` gives: the buffer that it was handed in POSIX, a text of its own choice in glibc.
inline std::string_view system_words(int failed, const char* buffer) noexcept { return failed == 0 ? buffer : ""; }
inline std::string_view system_words(const char* words, const char*) noexcept { return words; }

/// `errno 2: No such file or directory`.
inline Text system_error_text(int number) {
  char buffer[128] = {};
  const std::string_view words = system_words(::strerror_r(number, buffer, sizeof buffer), buffer);
  return Text::join("errno ", to_text(number).view(), words.empty() ? "" : ": ", words);
}

}  // namespace detail

LOUPE_DECL Text Error::message() const {
  const Text at = Text::join(" step ", to_text(step).view(), " of mode ", mode_name(mode));
  const auto with_detail = [&](const Text& sentence) {
    return detail.empty() ? sentence : Text::join(sentence.view(), ": ", detail.view());
  };
  switch (kind) {
    case ErrorKind::tensor_unavailable:
      return with_detail(Text::join("tensor ", object.view(), " was not saved"));
    case ErrorKind::tensor_unavailable_for_step:
    case ErrorKind::shape_unavailable_for_step: {
      const std::string_view what = kind == ErrorKind::shape_unavailable_for_step ? "shape" : "value";
      Text sentence = Text::join(what, " of tensor ", object.view(), " is not available at", at.view());
      if (reason != Absence::unspecified) sentence = Text::join(sentence.view(), " (", absence_words(reason), ")");
      if (has_reductions) sentence = Text::join(sentence.view(), "; its reductions can be asked for");
      return with_detail(sentence);
    }
    case ErrorKind::step_unavailable:
      return with_detail(Text::join(at.view().substr(1), " is not available because it was not saved"));
    case ErrorKind::step_not_yet_available:
      return with_detail(Text::join(at.view().substr(1), " is not available yet"));
    case ErrorKind::no_more_data:
      return with_detail(Text::join("looked for", at.view(), ", but the run has ended; the largest step is ",
                                    to_text(last_step).view()));
    case ErrorKind::no_more_profiler_data:
      return with_detail("looked for profiler data, but the run has ended");
    case ErrorKind::invalid_worker: return with_detail(Text::join("invalid worker ", object.view()));
    case ErrorKind::missing_collection_files:
      return with_detail("the run has ended, and not all of its collections files are there");
    case ErrorKind::invalid_collection_configuration:
      return with_detail(Text::join("collection ", object.view(),
                                    " is not configured: give it tensor names or an include_regex"));
    case ErrorKind::rule_evaluation_condition_met:
      return with_detail(Text::join("rule ", object.view(), " met its condition at", at.view()));
    case ErrorKind::insufficient_information_for_rule_invocation:
      return with_detail(Text::join("not enough information to invoke rule ", object.view()));
    default: break;
  }
  Text sentence = object.empty() ? detail : with_detail(object);
  if (sentence.empty()) sentence = error_kind_name(kind);
  if (offset >= 0) sentence = Text::join(sentence.view(), " (at byte ", to_text(offset).view(), ")");
  if (os_error != 0) sentence = Text::join(sentence.view(), " (", detail::system_error_text(os_error).view(), ")");
  return sentence;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_ERROR_IPP
#endif  // LOUPE_SINGLE_BASE_ERROR_HPP
// ---- loupe/base/expected.hpp
#ifndef LOUPE_SINGLE_BASE_EXPECTED_HPP
#define LOUPE_SINGLE_BASE_EXPECTED_HPP
/// @file
/// `loupe::expected`: `std::expected` where the library has it, else a subset with the same interface (without the
/// monadic functions, which loupe never uses).

#if LOUPE_HAS_STD_EXPECTED
#include <expected>
namespace loupe::inline LOUPE_ABI {
using std::expected;
using std::unexpected;
}  // namespace loupe::inline LOUPE_ABI
#else
#include <concepts>
#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace loupe::inline LOUPE_ABI {

/// The error half of an `expected`.
template <class Failure>
class unexpected {
 public:
  constexpr explicit unexpected(Failure failure) : failure_(std::move(failure)) {}
  constexpr const Failure& error() const& noexcept { return failure_; }
  constexpr Failure& error() & noexcept { return failure_; }
  constexpr Failure&& error() && noexcept { return std::move(failure_); }

 private:
  Failure failure_;
};
template <class Failure>
unexpected(Failure) -> unexpected<Failure>;

/// A value or an error, as `std::expected`. Reading the half that is not there is undefined, as there.
template <class Value, class Failure>
class [[nodiscard]] expected {
 public:
  using value_type = Value;
  using error_type = Failure;
  using unexpected_type = unexpected<Failure>;

  constexpr expected()
    requires std::default_initializable<Value>
      : value_(), has_value_(true) {}
  template <class Source = Value>
    requires(!std::same_as<std::remove_cvref_t<Source>, expected> &&
             !std::same_as<std::remove_cvref_t<Source>, unexpected<Failure>> && std::constructible_from<Value, Source>)
  constexpr explicit(!std::convertible_to<Source, Value>) expected(Source&& value)
      : value_(std::forward<Source>(value)), has_value_(true) {}
  template <class Other>
    requires std::constructible_from<Failure, Other>
  constexpr expected(unexpected<Other> failure) : failure_(std::move(failure).error()), has_value_(false) {}
  constexpr expected(const expected& other)
    requires std::copy_constructible<Value>
      : empty_(), has_value_(other.has_value_) { build_from(other); }
  constexpr expected(expected&& other) noexcept(std::is_nothrow_move_constructible_v<Value>)
      : empty_(), has_value_(other.has_value_) {
    build_from(std::move(other));
  }
  constexpr expected& operator=(const expected& other)
    requires std::copy_constructible<Value>
  {
    if (this != &other) {
      expected copy(other);
      *this = std::move(copy);
    }
    return *this;
  }
  constexpr expected& operator=(expected&& other) noexcept(std::is_nothrow_move_constructible_v<Value>) {
    if (this == &other) return *this;
    destroy();
    has_value_ = other.has_value_;
    build_from(std::move(other));
    return *this;
  }
  constexpr ~expected() { destroy(); }

  constexpr bool has_value() const noexcept { return has_value_; }
  constexpr explicit operator bool() const noexcept { return has_value_; }
  constexpr Value& operator*() & noexcept { return value_; }
  constexpr const Value& operator*() const& noexcept { return value_; }
  constexpr Value&& operator*() && noexcept { return std::move(value_); }
  constexpr Value* operator->() noexcept { return &value_; }
  constexpr const Value* operator->() const noexcept { return &value_; }
  constexpr Value& value() & noexcept { return value_; }
  constexpr const Value& value() const& noexcept { return value_; }
  constexpr Value&& value() && noexcept { return std::move(value_); }
  constexpr Failure& error() & noexcept { return failure_; }
  constexpr const Failure& error() const& noexcept { return failure_; }
  constexpr Failure&& error() && noexcept { return std::move(failure_); }
  template <class Fallback>
  constexpr Value value_or(Fallback&& fallback) const& {
    return has_value_ ? value_ : static_cast<Value>(std::forward<Fallback>(fallback));
  }
  template <class Fallback>
  constexpr Value value_or(Fallback&& fallback) && {
    return has_value_ ? std::move(value_) : static_cast<Value>(std::forward<Fallback>(fallback));
  }

 private:
  template <class Source>
  constexpr void build_from(Source&& other) {
    if (has_value_)
      ::new (static_cast<void*>(&value_)) Value(std::forward<Source>(other).value_);
    else
      ::new (static_cast<void*>(&failure_)) Failure(std::forward<Source>(other).failure_);
  }
  constexpr void destroy() noexcept {
    if (has_value_)
      value_.~Value();
    else
      failure_.~Failure();
  }
  struct Empty {};
  union {
    Empty empty_;
    Value value_;
    Failure failure_;
  };
  bool has_value_;
};

/// Nothing or an error.
template <class Failure>
class [[nodiscard]] expected<void, Failure> {
 public:
  using value_type = void;
  using error_type = Failure;
  using unexpected_type = unexpected<Failure>;

  constexpr expected() noexcept = default;
  template <class Other>
    requires std::constructible_from<Failure, Other>
  constexpr expected(unexpected<Other> failure) : state_(std::move(failure)) {}
  constexpr bool has_value() const noexcept { return state_.has_value(); }
  constexpr explicit operator bool() const noexcept { return state_.has_value(); }
  constexpr void operator*() const noexcept {}
  constexpr void value() const noexcept {}
  constexpr Failure& error() & noexcept { return state_.error(); }
  constexpr const Failure& error() const& noexcept { return state_.error(); }
  constexpr Failure&& error() && noexcept { return std::move(state_).error(); }

 private:
  struct Nothing {};
  expected<Nothing, Failure> state_;
};

}  // namespace loupe::inline LOUPE_ABI
#endif
#endif  // LOUPE_SINGLE_BASE_EXPECTED_HPP

namespace loupe::inline LOUPE_ABI {

/// A value or an `Error`.
template <class Value>
using result = expected<Value, Error>;

/// An error to return from a function that gives a `result`.
[[nodiscard]] inline unexpected<Error> fail(Error error) { return unexpected<Error>(std::move(error)); }

/// The usual error: a kind, the object it is about, what was wrong.
[[nodiscard]] inline unexpected<Error> fail(ErrorKind kind, Text object, Text detail) {
  return unexpected<Error>(Error{.kind = kind, .object = std::move(object), .detail = std::move(detail)});
}

/// Damaged bytes: the file or object, the byte offset in it, the reason.
[[nodiscard]] inline unexpected<Error> fail_at(ErrorKind kind, Text object, std::int64_t offset, Text detail) {
  return unexpected<Error>(
      Error{.kind = kind, .object = std::move(object), .detail = std::move(detail), .offset = offset});
}

}  // namespace loupe::inline LOUPE_ABI

#define LOUPE_PASTE_IMPL(a, b) a##b
#define LOUPE_PASTE(a, b) LOUPE_PASTE_IMPL(a, b)

/// Evaluates a `result` and returns its error from the enclosing function, if it has one.
#define LOUPE_TRY(...)                                                                       \
  do {                                                                                       \
    if (auto LOUPE_PASTE(loupe_tried_, __LINE__) = (__VA_ARGS__); !LOUPE_PASTE(loupe_tried_, __LINE__)) \
      return ::loupe::unexpected<::loupe::Error>(std::move(LOUPE_PASTE(loupe_tried_, __LINE__)).error()); \
  } while (false)

/// `LOUPE_ASSIGN(auto x, expression)`: declares or assigns the value of a `result`, or returns its error.
#define LOUPE_ASSIGN(target, ...)                                                            \
  auto LOUPE_PASTE(loupe_assigned_, __LINE__) = (__VA_ARGS__);                               \
  if (!LOUPE_PASTE(loupe_assigned_, __LINE__))                                               \
    return ::loupe::unexpected<::loupe::Error>(std::move(LOUPE_PASTE(loupe_assigned_, __LINE__)).error()); \
  target = *std::move(LOUPE_PASTE(loupe_assigned_, __LINE__))
#endif  // LOUPE_SINGLE_BASE_RESULT_HPP
// ---- loupe/base/tensor_view.hpp
#ifndef LOUPE_SINGLE_BASE_TENSOR_VIEW_HPP
#define LOUPE_SINGLE_BASE_TENSOR_VIEW_HPP
/// @file
/// The one form in which tensors travel through loupe: a view that owns nothing.

// ---- loupe/base/shape.hpp
#ifndef LOUPE_SINGLE_BASE_SHAPE_HPP
#define LOUPE_SINGLE_BASE_SHAPE_HPP
/// @file
/// Sizes along the axes of a tensor, inline and checked.

namespace loupe::inline LOUPE_ABI {

/// The largest rank of a tensor: numpy's limit when smdebug was written.
inline constexpr std::size_t max_rank = 32;

/// A small vector of at most `max_rank` 64-bit numbers; only the used ones are copied.
class Extents {
 public:
  constexpr Extents() noexcept {}  // NOLINT: elements beyond size() are never read
  /// Takes the first `max_rank` numbers; callers with unchecked input ask `fits` first.
  constexpr Extents(std::span<const std::int64_t> numbers) noexcept { assign(numbers.data(), numbers.size()); }
  constexpr Extents(std::initializer_list<std::int64_t> numbers) noexcept { assign(numbers.begin(), numbers.size()); }
  constexpr Extents(const Extents& other) noexcept { assign(other.numbers_, other.size_); }
  constexpr Extents& operator=(const Extents& other) noexcept {
    if (this != &other) assign(other.numbers_, other.size_);
    return *this;
  }

  static constexpr bool fits(std::size_t rank) noexcept { return rank <= max_rank; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return size_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return size_ == 0; }
  constexpr std::int64_t& operator[](std::size_t axis) noexcept { return numbers_[axis]; }
  constexpr std::int64_t operator[](std::size_t axis) const noexcept { return numbers_[axis]; }
  [[nodiscard]] constexpr const std::int64_t* data() const noexcept { return numbers_; }
  [[nodiscard]] constexpr const std::int64_t* begin() const noexcept { return numbers_; }
  [[nodiscard]] constexpr const std::int64_t* end() const noexcept { return numbers_ + size_; }
  /// Appends a number; false, and no change, when `max_rank` are there.
  constexpr bool push_back(std::int64_t number) noexcept {
    if (size_ == max_rank) return false;
    numbers_[size_++] = number;
    return true;
  }
  friend constexpr bool operator==(const Extents& a, const Extents& b) noexcept {
    if (a.size_ != b.size_) return false;
    for (std::size_t axis = 0; axis < a.size_; ++axis)
      if (a.numbers_[axis] != b.numbers_[axis]) return false;
    return true;
  }

 private:
  constexpr void assign(const std::int64_t* numbers, std::size_t count) noexcept {
    size_ = static_cast<std::uint8_t>(count < max_rank ? count : max_rank);
    for (std::size_t axis = 0; axis < size_; ++axis) numbers_[axis] = numbers[axis];
  }
  std::int64_t numbers_[max_rank];
  std::uint8_t size_ = 0;
};

/// The sizes of a tensor's axes, outermost first; empty for rank 0.
using Shape = Extents;
/// Distances between neighbours along each axis, in elements; may be zero or negative.
using Strides = Extents;

/// The product of the sizes (1 for rank 0); nothing when a size is negative, or when the product overflows, or would if
/// sizes of 0 were 1: then there are no strides.
constexpr std::optional<std::int64_t> element_count(std::span<const std::int64_t> sizes) noexcept {
  std::int64_t product = 1;
  bool is_empty = false;
  for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
    const std::int64_t size = sizes.data()[axis];  // a span's own iterators take a compiler long
    if (size < 0) return std::nullopt;
    if (size == 0) is_empty = true;
    else if (product > INT64_MAX / size) return std::nullopt;
    else product *= size;
  }
  return is_empty ? 0 : product;
}

constexpr std::optional<std::int64_t> element_count(const Shape& shape) noexcept {
  return element_count(std::span<const std::int64_t>(shape.data(), shape.size()));
}

/// Strides of the row-major layout without gaps; without a meaning, but defined, for a shape without `element_count`.
constexpr Strides row_major_strides(const Shape& shape) noexcept {
  Strides strides = shape;
  std::uint64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = static_cast<std::int64_t>(stride);
    if (shape[axis] > 0) stride *= static_cast<std::uint64_t>(shape[axis]);
  }
  return strides;
}

/// Whether row-major order visits memory without gaps; axes of size 1 may have any stride, an empty tensor always is.
constexpr bool is_row_major(const Shape& shape, const Strides& strides) noexcept {
  std::uint64_t stride = 1;
  bool contiguous = true;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 0) return true;
    if (shape[axis] != 1 && strides[axis] != static_cast<std::int64_t>(stride)) contiguous = false;
    stride *= static_cast<std::uint64_t>(shape[axis]);
  }
  return contiguous;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_SHAPE_HPP

namespace loupe::inline LOUPE_ABI {

/// Kinds of memory, with DLPack's numbers.
enum class DeviceKind : std::uint8_t { cpu = 1, cuda = 2, cuda_host = 3, opencl = 4, vulkan = 7, metal = 8, rocm = 10, rocm_host = 11, cuda_managed = 13, one_api = 14 };

/// Where a tensor's memory is.
struct Device {
  DeviceKind kind = DeviceKind::cpu;
  std::int32_t index = 0;
  /// Whether the CPU may read the memory directly.
  [[nodiscard]] constexpr bool host_readable() const noexcept {
    return kind == DeviceKind::cpu || kind == DeviceKind::cuda_host || kind == DeviceKind::rocm_host || kind == DeviceKind::cuda_managed;
  }
  friend constexpr bool operator==(Device, Device) noexcept = default;
};

/// A non-owning view of a strided tensor. `data` addresses the element with all indices 0 and may be unaligned for its
/// type: elements are read by copying their bytes. Strides are in elements, may be zero or negative. A view with
/// `type == ElementType::none` is *empty*: an undefined tensor or missing gradient, which no call treats as an error.
struct TensorView {
  const void* data = nullptr;
  ElementType type = ElementType::none;
  Device device;
  Shape shape;
  Strides strides;

  TensorView() noexcept = default;
  /// A row-major tensor without gaps.
  TensorView(const void* first, ElementType element, const Shape& sizes) noexcept
      : data(first), type(element), shape(sizes), strides(row_major_strides(sizes)) {}
  TensorView(const void* first, ElementType element, const Shape& sizes, const Strides& distances, Device where = {}) noexcept
      : data(first), type(element), device(where), shape(sizes), strides(distances) {}
  /// A rank-1 tensor over contiguous elements.
  template <Element Type, std::size_t Extent>
  explicit TensorView(std::span<Type, Extent> elements) noexcept
      : TensorView(elements.data(), element_type_of<std::remove_cv_t<Type>>, {static_cast<std::int64_t>(elements.size())}) {}

  /// Whether there is a tensor at all (a tensor of zero elements is one).
  [[nodiscard]] bool has_tensor() const noexcept { return type != ElementType::none; }
  [[nodiscard]] std::size_t rank() const noexcept { return shape.size(); }
  /// Number of elements. The shape must be valid (`element_count(shape)` has a value).
  [[nodiscard]] std::int64_t size() const noexcept {
    std::uint64_t product = 1;
    for (const std::int64_t extent : shape) product *= static_cast<std::uint64_t>(extent);
    return static_cast<std::int64_t>(product);
  }
  /// `size()` times the element's size.
  [[nodiscard]] std::size_t byte_size() const noexcept { return static_cast<std::size_t>(size()) * element_size(type); }
  [[nodiscard]] bool contiguous() const noexcept { return is_row_major(shape, strides); }
};

/// Reads one element from memory of any alignment.
template <class Type>
LOUPE_ALWAYS_INLINE Type load_element(const void* address) noexcept {
  Type element;
  std::memcpy(&element, address, sizeof element);
  return element;
}

/// Calls `visit(const std::byte* first, std::int64_t count)` for each maximal run of elements that are neighbours in
/// memory, in row-major order of the tensor. Non-contiguous tensors need no temporary copy.
/// The view must be readable by the host and have a valid shape.
template <class Visitor>
void for_each_run(const TensorView& view, Visitor&& visit) {
  const auto* base = static_cast<const std::byte*>(view.data);
  const std::size_t width = element_size(view.type);
  std::size_t outer = view.rank();
  std::int64_t run = 1;
  while (outer > 0 && (view.shape[outer - 1] == 1 || view.strides[outer - 1] == run)) {
    run *= view.shape[outer - 1];
    --outer;
  }
  for (const std::int64_t extent : view.shape)
    if (extent == 0) return;
  std::int64_t index[max_rank] = {};
  std::int64_t position = 0;
  while (true) {
    visit(base + position * static_cast<std::int64_t>(width), run);
    std::size_t axis = outer;
    while (axis > 0) {
      --axis;
      position += view.strides[axis];
      if (++index[axis] < view.shape[axis]) break;
      position -= view.strides[axis] * view.shape[axis];
      index[axis] = 0;
      if (axis == 0) return;
    }
    if (outer == 0) return;
  }
}

/// Copies the elements to `out` (of `byte_size()` bytes) in row-major order.
inline void copy_row_major(const TensorView& view, std::byte* out) noexcept {
  const std::size_t width = element_size(view.type);
  if (view.contiguous()) {
    if (const std::size_t bytes = view.byte_size(); bytes != 0) std::memcpy(out, view.data, bytes);
    return;
  }
  for_each_run(view, [&](const std::byte* first, std::int64_t count) {
    const std::size_t bytes = static_cast<std::size_t>(count) * width;
    std::memcpy(out, first, bytes);
    out += bytes;
  });
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_TENSOR_VIEW_HPP

namespace loupe::inline LOUPE_ABI {

/// A dense row-major tensor that owns its elements, aligned to 64 bytes. Copies are deep.
class Array {
 public:
  /// No tensor.
  Array() noexcept = default;

  /// An array of unspecified numbers. Fails for a shape whose byte size doesn't fit, and for `string` or `none`.
  static result<Array> make(ElementType type, const Shape& shape) {
    const auto count = element_count(shape);
    const std::size_t width = element_size(type);
    if (!count || type == ElementType::none || type == ElementType::string)
      return fail(ErrorKind::invalid_argument, "array", "an array needs a numeric element type and a shape of countable size");
    if (static_cast<std::uint64_t>(*count) > max_bytes / width)
      return fail(ErrorKind::limit_exceeded, "array", "the elements would take more than 2^47 bytes");
    Array array;
    array.type_ = type;
    array.shape_ = shape;
    array.byte_size_ = static_cast<std::size_t>(*count) * width;
    array.allocate();
    return array;
  }

  /// A copy of a tensor's elements in row-major order. The view must be readable by the host.
  static result<Array> copy_of(const TensorView& view) {
    if (view.type == ElementType::string) {
      if (!element_count(view.shape))
        return fail(ErrorKind::invalid_argument, "array", "its shape has a negative size or too many elements");
      std::vector<std::string> texts;
      texts.reserve(static_cast<std::size_t>(view.size()));
      for_each_run(view, [&](const std::byte* first, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i)
          texts.emplace_back(load_element<std::string_view>(first + static_cast<std::size_t>(i) * sizeof(std::string_view)));
      });
      return strings(std::move(texts), view.shape);
    }
    LOUPE_ASSIGN(Array array, make(view.type, view.shape));
    copy_row_major(view, array.data_);
    return array;
  }

  /// An array of texts; `shape` must count as many elements as there are texts.
  static result<Array> strings(std::vector<std::string> texts, const Shape& shape) {
    const auto count = element_count(shape);
    if (!count || static_cast<std::uint64_t>(*count) != texts.size())
      return fail(ErrorKind::invalid_argument, "array", "the shape must count as many elements as there are texts");
    Array array;
    array.type_ = ElementType::string;
    array.shape_ = shape;
    array.texts_ = std::move(texts);
    array.index_texts();
    return array;
  }

  Array(const Array& other)
      : byte_size_(other.byte_size_), type_(other.type_), shape_(other.shape_), texts_(other.texts_) {
    if (type_ == ElementType::string) {
      index_texts();
    } else if (other.data_ != nullptr) {
      allocate();
      std::memcpy(data_, other.data_, byte_size_);
    }
  }
  Array(Array&& other) noexcept { swap(other); }
  Array& operator=(Array other) noexcept {
    swap(other);
    return *this;
  }
  ~Array() {
    if (data_ != nullptr) ::operator delete(data_, alignment);
  }
  void swap(Array& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(byte_size_, other.byte_size_);
    std::swap(type_, other.type_);
    std::swap(shape_, other.shape_);
    texts_.swap(other.texts_);
    text_views_.swap(other.text_views_);
  }

  [[nodiscard]] ElementType type() const noexcept { return type_; }
  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  [[nodiscard]] std::size_t rank() const noexcept { return shape_.size(); }
  /// Number of elements; 0 for no tensor.
  [[nodiscard]] std::size_t size() const noexcept {
    if (type_ == ElementType::none) return 0;
    return type_ == ElementType::string ? texts_.size() : byte_size_ / element_size(type_);
  }
  /// The elements' bytes; empty for strings.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, byte_size_}; }
  [[nodiscard]] std::span<std::byte> bytes() noexcept { return {data_, byte_size_}; }
  /// A view that is valid while the array lives unchanged.
  [[nodiscard]] TensorView view() const noexcept {
    if (type_ == ElementType::none) return {};
    if (type_ == ElementType::string) return {text_views_.data(), type_, shape_};
    return {data_, type_, shape_};
  }
  /// The elements as their own type; empty when `Type` is another one.
  template <Element Type>
  [[nodiscard]] std::span<const Type> elements() const noexcept {
    if (element_type_of<Type> != type_) return {};
    if constexpr (std::same_as<Type, std::string_view>)
      return text_views_;
    else
      return {reinterpret_cast<const Type*>(data_), size()};
  }
  template <Element Type>
    requires(!std::same_as<Type, std::string_view>)
  [[nodiscard]] std::span<Type> elements() noexcept {
    if (element_type_of<Type> != type_) return {};
    return {reinterpret_cast<Type*>(data_), size()};
  }

 private:
  static constexpr std::align_val_t alignment{64};
  static constexpr std::uint64_t max_bytes = std::uint64_t{1} << 47;

  void allocate() {
    if (byte_size_ != 0) data_ = static_cast<std::byte*>(::operator new(byte_size_, alignment));
  }
  void index_texts() { text_views_.assign(texts_.begin(), texts_.end()); }

  std::byte* data_ = nullptr;
  std::size_t byte_size_ = 0;
  ElementType type_ = ElementType::none;
  Shape shape_;
  std::vector<std::string> texts_;
  std::vector<std::string_view> text_views_;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_ARRAY_HPP
// ---- loupe/base/byte_buffer.hpp
#ifndef LOUPE_SINGLE_BASE_BYTE_BUFFER_HPP
#define LOUPE_SINGLE_BASE_BYTE_BUFFER_HPP
/// @file
/// Growable bytes without zero-filling: what records are encoded into and files are read into.

// ---- loupe/base/huge_pages.hpp
#ifndef LOUPE_SINGLE_BASE_HUGE_PAGES_HPP
#define LOUPE_SINGLE_BASE_HUGE_PAGES_HPP
/// @file
/// A hint to the system for large blocks of memory.

namespace loupe::inline LOUPE_ABI {

/// From this size on a block gains from large pages: those that lie in it whole are what the hint is about.
inline constexpr std::size_t huge_page_block = std::size_t{4} << 20;

/// Asks for large pages behind a block that isn't written yet: one fault instead of 512, and fewer misses when it is
/// copied. Does nothing for smaller blocks and where the system has no such pages.
LOUPE_DECL void prefer_huge_pages(void* block, std::size_t size) noexcept;

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/base/huge_pages.ipp
#ifndef LOUPE_SINGLE_BASE_HUGE_PAGES_IPP
#define LOUPE_SINGLE_BASE_HUGE_PAGES_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL void prefer_huge_pages(void* block, std::size_t size) noexcept {
#ifdef MADV_HUGEPAGE
  if (size < huge_page_block) return;
  constexpr std::size_t page = std::size_t{2} << 20;  // of x86-64, and of arm64 with 4 KB pages
  const auto begin = reinterpret_cast<std::uintptr_t>(block);
  const std::size_t before = (page - begin % page) % page;
  const int number = errno;
  (void)::madvise(static_cast<std::byte*>(block) + before, (size - before) / page * page, MADV_HUGEPAGE);
  errno = number;
#else
  (void)block;
  (void)size;
#endif
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_HUGE_PAGES_IPP
#endif  // LOUPE_SINGLE_BASE_HUGE_PAGES_HPP

namespace loupe::inline LOUPE_ABI {

/// A byte vector whose growth leaves new bytes uninitialised and whose `clear` keeps the memory. Move-only.
class ByteBuffer {
 public:
  ByteBuffer() noexcept = default;
  ByteBuffer(ByteBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)), capacity_(std::exchange(other.capacity_, 0)) {}
  ByteBuffer& operator=(ByteBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ByteBuffer(const ByteBuffer&) = delete;
  ByteBuffer& operator=(const ByteBuffer&) = delete;
  ~ByteBuffer() { ::operator delete(data_); }

  [[nodiscard]] std::byte* data() noexcept { return data_; }
  [[nodiscard]] const std::byte* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t capacity() const noexcept { return capacity_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return {data_, size_}; }
  [[nodiscard]] std::string_view text() const noexcept { return {reinterpret_cast<const char*>(data_), size_}; }

  /// Forgets the content, keeps the memory.
  void clear() noexcept { size_ = 0; }
  /// Shrinks to `size` bytes, which must not exceed `size()`.
  void truncate(std::size_t size) noexcept { size_ = size; }
  void reserve(std::size_t capacity) {
    if (capacity > capacity_) reallocate(capacity);
  }
  /// Appends `count` uninitialised bytes and returns where they begin; valid until the next growth.
  std::byte* extend(std::size_t count) {
    if (count > capacity_ - size_) reallocate(grown(count));
    std::byte* begin = data_ + size_;
    size_ += count;
    return begin;
  }
  /// Makes room to append `count` bytes; false if there is no memory for so many.
  [[nodiscard]] bool try_make_room(std::size_t count) noexcept {
    if (count <= capacity_ - size_) return true;
    const std::size_t capacity = grown(count);
    void* const memory = ::operator new(capacity, std::nothrow);
    if (memory == nullptr) return false;
    move_to(static_cast<std::byte*>(memory), capacity);
    return true;
  }
  /// The bytes must not be this buffer's own.
  void append(std::span<const std::byte> bytes) {
    if (!bytes.empty()) std::memcpy(extend(bytes.size()), bytes.data(), bytes.size());
  }
  void append(std::string_view text) {
    if (!text.empty()) std::memcpy(extend(text.size()), text.data(), text.size());
  }
  void append(char byte) { *extend(1) = static_cast<std::byte>(byte); }

 private:
  [[nodiscard]] std::size_t grown(std::size_t count) const noexcept {
    if (count > SIZE_MAX / 2 - size_) return SIZE_MAX / 2;  // more than any allocation gives
    const std::size_t wanted = size_ + count;
    const std::size_t doubled = capacity_ * 2;
    return wanted > doubled ? (wanted < 64 ? 64 : wanted) : doubled;
  }
  LOUPE_NEVER_INLINE void reallocate(std::size_t capacity) {
    move_to(static_cast<std::byte*>(::operator new(capacity)), capacity);
  }
  void move_to(std::byte* moved, std::size_t capacity) noexcept {
    prefer_huge_pages(moved, capacity);
    if (size_ != 0) std::memcpy(moved, data_, size_);
    ::operator delete(data_);
    data_ = moved;
    capacity_ = capacity;
  }
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_BYTE_BUFFER_HPP
// ---- loupe/base/compatibility.hpp
#ifndef LOUPE_SINGLE_BASE_COMPATIBILITY_HPP
#define LOUPE_SINGLE_BASE_COMPATIBILITY_HPP
/// @file
/// The names of the compatibility policies. Each layer keeps its own list of differences, keyed by these types.

namespace loupe::inline LOUPE_ABI::compat {

/// loupe's own behaviour: smdebug's files and calls, without its defects.
struct Native {};

/// smdebug 1.0.34 as it is, defects included: for conformance tests, and for tools that rely on them.
struct Smdebug {};

/// A compatibility policy: `Native` or `Smdebug`.
template <class Policy>
concept Compatibility = std::is_same_v<Policy, Native> || std::is_same_v<Policy, Smdebug>;

}  // namespace loupe::inline LOUPE_ABI::compat
#endif  // LOUPE_SINGLE_BASE_COMPATIBILITY_HPP
// ---- loupe/base/contained.hpp
#ifndef LOUPE_SINGLE_BASE_CONTAINED_HPP
#define LOUPE_SINGLE_BASE_CONTAINED_HPP
/// @file
/// Keeps exceptions that loupe did not raise (no memory, a user's callback) from reaching code that must not see them.

#if LOUPE_HAS_EXCEPTIONS
#include <exception>
#include <new>
#endif

namespace loupe::inline LOUPE_ABI {

/// Calls `call`, which gives a `result`, and turns an exception into an error of it. `what` names the action.
template <class Call>
auto contained(const char* what, Call&& call) noexcept -> decltype(call()) {
#if LOUPE_HAS_EXCEPTIONS
  // The error itself is built of short texts; if even those find no memory, an empty one says what its kind says.
  try {
    try {
      return call();
    } catch (const std::bad_alloc&) {
      return fail(ErrorKind::limit_exceeded, what, "out of memory");
    } catch (const std::exception& exception) {
      return fail(ErrorKind::invalid_state, what, exception.what());
    } catch (...) {
      return fail(ErrorKind::invalid_state, what, "an exception of unknown type");
    }
  } catch (...) {
    return fail(Error{.kind = ErrorKind::limit_exceeded});
  }
#else
  (void)what;
  return call();
#endif
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_CONTAINED_HPP
// ---- loupe/base/environment.hpp
#ifndef LOUPE_SINGLE_BASE_ENVIRONMENT_HPP
#define LOUPE_SINGLE_BASE_ENVIRONMENT_HPP
/// @file
/// Environment variables as a value that is handed in, so that nothing reads the process's behind a caller's back.

namespace loupe::inline LOUPE_ABI {

/// The process's environment, or a fixed list of variables. The process's is read at each question: as always, no other
/// thread may change it meanwhile.
class Environment {
 public:
  /// The process's.
  Environment() = default;
  /// These variables and no others; of two with one name the last counts.
  Environment(std::initializer_list<std::pair<std::string_view, std::string_view>> variables) : Environment(none()) {
    for (const auto& [name, value] : variables) set(name, value);
  }
  /// One in which nothing is set.
  static Environment none() {
    Environment environment;
    environment.asks_process_ = false;
    return environment;
  }

  /// The value of a variable, nothing if it is not set.
  [[nodiscard]] std::optional<Text> get(std::string_view name) const {
    for (const auto& variable : variables_)
      if (variable.first == name) return variable.second;
    if (!asks_process_) return std::nullopt;
    const char* value = std::getenv(Text(name).c_str());
    return value != nullptr ? std::optional<Text>(value) : std::nullopt;
  }
  /// Sets a variable here; the process's environment stays as it is.
  void set(std::string_view name, std::string_view value) {
    for (auto& variable : variables_)
      if (variable.first == name) {
        variable.second = value;
        return;
      }
    variables_.emplace_back(name, value);
  }

 private:
  std::vector<std::pair<Text, Text>> variables_;
  bool asks_process_ = true;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_ENVIRONMENT_HPP
// ---- loupe/base/error_policy.hpp
#ifndef LOUPE_SINGLE_BASE_ERROR_POLICY_HPP
#define LOUPE_SINGLE_BASE_ERROR_POLICY_HPP
/// @file
/// How a public call gives its outcome: by exception, by `expected`, or by going on and counting.

// ---- loupe/base/exceptions.hpp
#ifndef LOUPE_SINGLE_BASE_EXCEPTIONS_HPP
#define LOUPE_SINGLE_BASE_EXCEPTIONS_HPP
/// @file
/// The exception types of the `Throw` policy: one per kind of error that callers tell apart, all carrying the `Error`.

#if LOUPE_HAS_EXCEPTIONS
#include <exception>
#include <utility>

namespace loupe::inline LOUPE_ABI {

/// Base of all exceptions that loupe throws.
class Exception : public std::exception {
 public:
  explicit Exception(Error error) : error_(std::move(error)), message_(error_.message()) {}
  const char* what() const noexcept override { return message_.c_str(); }
  /// The facts.
  [[nodiscard]] const Error& error() const noexcept { return error_; }

 private:
  Error error_;
  Text message_;
};

/// The exception type of one kind.
template <ErrorKind Kind>
class ExceptionOf : public Exception {
 public:
  using Exception::Exception;
};

using TensorUnavailable = ExceptionOf<ErrorKind::tensor_unavailable>;
using TensorUnavailableForStep = ExceptionOf<ErrorKind::tensor_unavailable_for_step>;
using ShapeUnavailableForStep = ExceptionOf<ErrorKind::shape_unavailable_for_step>;
using StepUnavailable = ExceptionOf<ErrorKind::step_unavailable>;
using StepNotYetAvailable = ExceptionOf<ErrorKind::step_not_yet_available>;
using NoMoreData = ExceptionOf<ErrorKind::no_more_data>;
using NoMoreProfilerData = ExceptionOf<ErrorKind::no_more_profiler_data>;
using InvalidWorker = ExceptionOf<ErrorKind::invalid_worker>;
using MissingCollectionFiles = ExceptionOf<ErrorKind::missing_collection_files>;
using IndexReaderException = ExceptionOf<ErrorKind::index_reader>;
using InvalidCollectionConfiguration = ExceptionOf<ErrorKind::invalid_collection_configuration>;
using RuleEvaluationConditionMet = ExceptionOf<ErrorKind::rule_evaluation_condition_met>;
using InsufficientInformationForRuleInvocation =
    ExceptionOf<ErrorKind::insufficient_information_for_rule_invocation>;
using InvalidArgument = ExceptionOf<ErrorKind::invalid_argument>;
using InvalidType = ExceptionOf<ErrorKind::invalid_type>;
using InvalidState = ExceptionOf<ErrorKind::invalid_state>;
using NotImplemented = ExceptionOf<ErrorKind::not_implemented>;
using NotFound = ExceptionOf<ErrorKind::not_found>;
using AlreadyExists = ExceptionOf<ErrorKind::already_exists>;
using PermissionDenied = ExceptionOf<ErrorKind::permission_denied>;
using NoSpace = ExceptionOf<ErrorKind::no_space>;
using IoFailure = ExceptionOf<ErrorKind::io>;
using Corrupt = ExceptionOf<ErrorKind::corrupt>;
using Unsupported = ExceptionOf<ErrorKind::unsupported>;
using LimitExceeded = ExceptionOf<ErrorKind::limit_exceeded>;
using Timeout = ExceptionOf<ErrorKind::timeout>;
using Cancelled = ExceptionOf<ErrorKind::cancelled>;

/// Throws the exception type of the error's kind.
[[noreturn]] LOUPE_DECL void throw_error(Error error);

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/base/exceptions.ipp
#ifndef LOUPE_SINGLE_BASE_EXCEPTIONS_IPP
#define LOUPE_SINGLE_BASE_EXCEPTIONS_IPP

#if LOUPE_HAS_EXCEPTIONS
namespace loupe::inline LOUPE_ABI {

LOUPE_DECL void throw_error(Error error) {
#define LOUPE_THROW_KIND(kind_name) \
  case ErrorKind::kind_name: throw ExceptionOf<ErrorKind::kind_name>(std::move(error))
  switch (error.kind) {
    LOUPE_THROW_KIND(tensor_unavailable);
    LOUPE_THROW_KIND(tensor_unavailable_for_step);
    LOUPE_THROW_KIND(shape_unavailable_for_step);
    LOUPE_THROW_KIND(step_unavailable);
    LOUPE_THROW_KIND(step_not_yet_available);
    LOUPE_THROW_KIND(no_more_data);
    LOUPE_THROW_KIND(no_more_profiler_data);
    LOUPE_THROW_KIND(invalid_worker);
    LOUPE_THROW_KIND(missing_collection_files);
    LOUPE_THROW_KIND(index_reader);
    LOUPE_THROW_KIND(invalid_collection_configuration);
    LOUPE_THROW_KIND(rule_evaluation_condition_met);
    LOUPE_THROW_KIND(insufficient_information_for_rule_invocation);
    LOUPE_THROW_KIND(invalid_argument);
    LOUPE_THROW_KIND(invalid_type);
    LOUPE_THROW_KIND(invalid_state);
    LOUPE_THROW_KIND(not_implemented);
    LOUPE_THROW_KIND(not_found);
    LOUPE_THROW_KIND(already_exists);
    LOUPE_THROW_KIND(permission_denied);
    LOUPE_THROW_KIND(no_space);
    LOUPE_THROW_KIND(io);
    LOUPE_THROW_KIND(corrupt);
    LOUPE_THROW_KIND(unsupported);
    LOUPE_THROW_KIND(limit_exceeded);
    LOUPE_THROW_KIND(timeout);
    LOUPE_THROW_KIND(cancelled);
  }
#undef LOUPE_THROW_KIND
  throw Exception(std::move(error));
}

}  // namespace loupe::inline LOUPE_ABI
#endif
#endif  // LOUPE_SINGLE_BASE_EXCEPTIONS_IPP
#endif
#endif  // LOUPE_SINGLE_BASE_EXCEPTIONS_HPP

namespace loupe::inline LOUPE_ABI {

#if LOUPE_HAS_EXCEPTIONS
/// A call returns its value, and throws the exception type of the error's kind.
struct Throw {
  template <class Value>
  using type = Value;
  static constexpr bool counts = false;
  template <class Value>
  static Value finish(result<Value>&& outcome) {
    if (!outcome) throw_error(std::move(outcome).error());
    if constexpr (!std::is_void_v<Value>) return *std::move(outcome);
  }
};
#endif

/// A call returns `result<Value>`.
struct Expect {
  template <class Value>
  using type = result<Value>;
  static constexpr bool counts = false;
  template <class Value>
  static result<Value> finish(result<Value>&& outcome) {
    return std::move(outcome);
  }
};

/// A call returns its value, or a value-initialised one when it failed; the object counts and keeps the failures.
struct Count {
  template <class Value>
  using type = Value;
  static constexpr bool counts = true;
  template <class Value>
  static Value finish(result<Value>&& outcome) {
    if constexpr (!std::is_void_v<Value>) {
      if (outcome) return *std::move(outcome);
      return Value();
    }
  }
};

/// What a call returns (`type<Value>`) and how a `result` becomes that (`finish`); `counts` asks the object to keep
/// the number of failures and the last one.
template <class Policy>
concept ErrorPolicy = requires(result<int>&& outcome) {
  typename Policy::template type<int>;
  { Policy::finish(std::move(outcome)) } -> std::same_as<typename Policy::template type<int>>;
  { Policy::counts } -> std::convertible_to<bool>;
};

/// The policy of readers when none is named.
#if LOUPE_HAS_EXCEPTIONS
using DefaultErrorPolicy = Throw;
#else
using DefaultErrorPolicy = Expect;
#endif

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_ERROR_POLICY_HPP
// ---- loupe/base/function_ref.hpp
#ifndef LOUPE_SINGLE_BASE_FUNCTION_REF_HPP
#define LOUPE_SINGLE_BASE_FUNCTION_REF_HPP
/// @file
/// A callable that is borrowed for the duration of a call.

namespace loupe::inline LOUPE_ABI {

template <class Signature>
class FunctionRef;

/// Refers to a callable that outlives it; two words, no allocation. Bind it only as a parameter.
template <class Return, class... Arguments>
class FunctionRef<Return(Arguments...)> {
 public:
  template <class Callable>
    requires(!std::is_same_v<std::remove_cvref_t<Callable>, FunctionRef> &&
             std::is_invocable_r_v<Return, Callable&, Arguments...>)
  FunctionRef(Callable&& callable) noexcept
      : object_(const_cast<void*>(static_cast<const void*>(__builtin_addressof(callable)))),
        call_([](void* object, Arguments... arguments) -> Return {
          return (*static_cast<std::remove_reference_t<Callable>*>(object))(std::forward<Arguments>(arguments)...);
        }) {}

  Return operator()(Arguments... arguments) const { return call_(object_, std::forward<Arguments>(arguments)...); }

 private:
  void* object_;
  Return (*call_)(void*, Arguments...);
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_FUNCTION_REF_HPP
// ---- loupe/base/home_process.hpp
#ifndef LOUPE_SINGLE_BASE_HOME_PROCESS_HPP
#define LOUPE_SINGLE_BASE_HOME_PROCESS_HPP
/// @file
/// The process that an object belongs to.

namespace loupe::inline LOUPE_ABI {

/// Remembers the process in which it was made. A child forked later has a copy of everything but the threads: what it
/// copied of a writer, a claim or a thread's queue is its parent's affair.
class HomeProcess {
 public:
  /// Whether this is that process.
  [[nodiscard]] bool is_here() const noexcept { return id_ == current(); }

 private:
  LOUPE_DECL static std::int64_t current() noexcept;
  std::int64_t id_ = current();
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/base/home_process.ipp
#ifndef LOUPE_SINGLE_BASE_HOME_PROCESS_IPP
#define LOUPE_SINGLE_BASE_HOME_PROCESS_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL std::int64_t HomeProcess::current() noexcept { return ::getpid(); }

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_HOME_PROCESS_IPP
#endif  // LOUPE_SINGLE_BASE_HOME_PROCESS_HPP
// ---- loupe/base/manual_clock.hpp
#ifndef LOUPE_SINGLE_BASE_MANUAL_CLOCK_HPP
#define LOUPE_SINGLE_BASE_MANUAL_CLOCK_HPP
/// @file
/// A clock that tests turn by hand.

namespace loupe::inline LOUPE_ABI {

/// Shows the time it was set to. A wait takes no time: it calls `on_wait`, in which a test lets happen what the wait is
/// for, and, unless that has ended the wait, sets the clock to its deadline. Copies share the time. Safe for concurrent
/// use.
class ManualClock {
 public:
  explicit ManualClock(std::int64_t start_ns = 1'600'000'000'000'000'000) : state_(std::make_shared<State>(start_ns)) {}

  [[nodiscard]] std::int64_t wall_ns() const noexcept { return now(); }
  [[nodiscard]] std::int64_t monotonic_ns() const noexcept { return now(); }
  bool wait_until(std::int64_t deadline_ns, Interrupt* interrupt, int descriptor = -1) const {
    std::function<void()> happens;
    {
      const std::lock_guard lock(state_->mutex);
      ++state_->waits;
      happens = state_->on_wait;
    }
    if (happens) happens();
    if (interrupt != nullptr && interrupt->requested()) return false;
    pollfd polled{descriptor, POLLIN, 0};
    if (descriptor >= 0 && ::poll(&polled, 1, 0) > 0) return true;
    const std::lock_guard lock(state_->mutex);
    if (state_->now_ns < deadline_ns) state_->now_ns = deadline_ns;
    return true;
  }

  void advance(std::int64_t nanoseconds) const {
    const std::lock_guard lock(state_->mutex);
    state_->now_ns += nanoseconds;
  }
  /// What happens during each wait.
  void on_wait(std::function<void()> happens) const {
    const std::lock_guard lock(state_->mutex);
    state_->on_wait = std::move(happens);
  }
  /// How often someone has waited.
  [[nodiscard]] int waits() const {
    const std::lock_guard lock(state_->mutex);
    return state_->waits;
  }

 private:
  struct State {
    explicit State(std::int64_t start_ns) : now_ns(start_ns) {}
    std::mutex mutex;
    std::int64_t now_ns;
    int waits = 0;
    std::function<void()> on_wait;
  };
  [[nodiscard]] std::int64_t now() const noexcept {
    const std::lock_guard lock(state_->mutex);
    return state_->now_ns;
  }
  std::shared_ptr<State> state_;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_MANUAL_CLOCK_HPP
// ---- loupe/base/policies.hpp
#ifndef LOUPE_SINGLE_BASE_POLICIES_HPP
#define LOUPE_SINGLE_BASE_POLICIES_HPP
/// @file
/// Policy packs in any order: each policy is recognised by the concept it models.

namespace loupe::inline LOUPE_ABI {

/// A policy slot: a trait that recognises its policies, and the policy when none is named. `Recognises<Policy>::value`
/// is true for the types that belong to the slot.
template <template <class> class Recognises, class Default>
struct PolicySlot {
  using fallback = Default;
  template <class Policy>
  static constexpr bool recognises = Recognises<Policy>::value;
};

/// How many of the policies belong to the slot.
template <class Slot, class... Policies>
inline constexpr std::size_t policies_in_slot = (std::size_t{0} + ... + (Slot::template recognises<Policies> ? 1 : 0));

/// How many slots a policy belongs to; must be one.
template <class Policy, class... Slots>
inline constexpr std::size_t slots_of_policy = (std::size_t{0} + ... + (Slots::template recognises<Policy> ? 1 : 0));

namespace detail {
template <class Slot, class... Policies>
struct PickPolicy {
  using type = typename Slot::fallback;
};
template <class Slot, class First, class... Rest>
struct PickPolicy<Slot, First, Rest...>
    : std::conditional_t<Slot::template recognises<First>, std::type_identity<First>, PickPolicy<Slot, Rest...>> {};
}  // namespace detail

/// The policy of a slot: the one named in the pack, else the slot's default.
template <class Slot, class... Policies>
using policy_of = typename detail::PickPolicy<Slot, Policies...>::type;

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_POLICIES_HPP
// ---- loupe/base/scalar.hpp
#ifndef LOUPE_SINGLE_BASE_SCALAR_HPP
#define LOUPE_SINGLE_BASE_SCALAR_HPP
/// @file
/// One element with its type: what a reduction gives.

namespace loupe::inline LOUPE_ABI {

/// A single number of any numeric element type.
class Scalar {
 public:
  Scalar() noexcept = default;
  /// Holds `number` as its own element type.
  template <Element Type>
    requires(!std::same_as<Type, std::string_view>)
  static Scalar from(Type number) noexcept {
    Scalar scalar;
    scalar.type_ = element_type_of<Type>;
    std::memcpy(scalar.bytes_, &number, sizeof number);
    return scalar;
  }

  [[nodiscard]] ElementType type() const noexcept { return type_; }
  [[nodiscard]] bool has_value() const noexcept { return type_ != ElementType::none; }

  /// The number as a double: exact up to 2^53, the real part of a complex number, NaN where there is none.
  [[nodiscard]] double as_double() const noexcept {
    return visit_element_type(type_, [this]<class Type>() -> double {
      if constexpr (std::is_void_v<Type> || std::same_as<Type, std::string_view>) {
        return __builtin_nan("");
      } else {
        const Type number = load_element<Type>(bytes_);
        if constexpr (std::same_as<Type, Float16> || std::same_as<Type, BFloat16>) return static_cast<double>(to_float(number));
        else if constexpr (std::same_as<Type, Complex64> || std::same_as<Type, Complex128>) return static_cast<double>(number.real);
        else return static_cast<double>(number);
      }
    });
  }

  /// A rank-0 view of the number; valid while the scalar lives.
  [[nodiscard]] TensorView view() const noexcept { return {bytes_, type_, Shape()}; }

 private:
  alignas(16) std::byte bytes_[16] = {};
  ElementType type_ = ElementType::none;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_SCALAR_HPP
// ---- loupe/base/step.hpp
#ifndef LOUPE_SINGLE_BASE_STEP_HPP
#define LOUPE_SINGLE_BASE_STEP_HPP
/// @file
/// The two counters of a run as types that don't mix.

namespace loupe::inline LOUPE_ABI {

/// The largest step that a run counts on from: no number that a file may hold makes counting overflow.
inline constexpr std::int64_t max_resumed_step = INT64_MAX / 2;

/// A global step: counts the steps of all modes from 0, and names files.
struct Step {
  std::int64_t value = 0;
  constexpr Step() noexcept = default;
  constexpr explicit Step(std::int64_t number) noexcept : value(number) {}
  friend constexpr auto operator<=>(Step, Step) noexcept = default;
};

/// A step within one mode, from 0; save decisions use it. For `Mode::global` it equals the global step.
struct ModeStep {
  Mode mode = Mode::global;
  std::int64_t value = 0;
  constexpr ModeStep() noexcept = default;
  constexpr ModeStep(Mode of, std::int64_t number) noexcept : mode(of), value(number) {}
  friend constexpr auto operator<=>(const ModeStep&, const ModeStep&) noexcept = default;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_STEP_HPP
// ---- loupe/base/thread_executor.hpp
#ifndef LOUPE_SINGLE_BASE_THREAD_EXECUTOR_HPP
#define LOUPE_SINGLE_BASE_THREAD_EXECUTOR_HPP
/// @file
/// One background thread that works off a bounded queue.

namespace loupe::inline LOUPE_ABI {

/// Runs tasks in order on a thread of its own, which starts with the first task (frameworks may fork before); where the
/// system gives no thread, `post` gives false. The destructor works the queue off and joins. In a child forked
/// later there is no thread: `post` gives false, and nothing is waited for. Safe for concurrent use, but a task must not
/// drain; neither copied nor moved.
class ThreadExecutor {
 public:
  static constexpr std::size_t default_capacity = 256;

  LOUPE_DECL explicit ThreadExecutor(std::size_t capacity = default_capacity);
  ThreadExecutor(const ThreadExecutor&) = delete;
  ThreadExecutor& operator=(const ThreadExecutor&) = delete;
  LOUPE_DECL ~ThreadExecutor();

  LOUPE_DECL bool post(Task task);
  LOUPE_DECL void drain();

 private:
  class State;
  State* state_;  // out of sight: locks and a queue are more than a program that has a hook needs to see
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/base/thread_executor.ipp
#ifndef LOUPE_SINGLE_BASE_THREAD_EXECUTOR_IPP
#define LOUPE_SINGLE_BASE_THREAD_EXECUTOR_IPP

namespace loupe::inline LOUPE_ABI {

/// The queue and the thread. It stays where it is: the thread refers to it.
class ThreadExecutor::State {
 public:
  explicit State(std::size_t capacity) : queue_(capacity == 0 ? 1 : capacity) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  /// A forked child has a copy of the queue, but no thread, and perhaps a lock that nobody will ever release.
  [[nodiscard]] bool is_at_home() const noexcept { return home_.is_here(); }
  ~State() {
    {
      const MutexLock lock(mutex_);
      stops_ = true;
    }
    has_work_.notify_all();
    if (has_thread_) ::pthread_join(thread_, nullptr);
  }

  bool post(Task&& task) {
    {
      const MutexLock lock(mutex_);
      if (count_ == queue_.size()) return false;
      if (!has_thread_ && ::pthread_create(&thread_, nullptr, &work_of, this) != 0) return false;
      has_thread_ = true;
      queue_[(first_ + count_) % queue_.size()] = std::move(task);
      ++count_;
    }
    has_work_.notify_one();
    return true;
  }
  void drain() {
    const MutexLock lock(mutex_);
    while (count_ != 0 || is_working_) is_idle_.wait(lock);
  }

 private:
  static void* work_of(void* self) noexcept {
    static_cast<State*>(self)->work();
    return nullptr;
  }
  void work() noexcept {
    MutexLock lock(mutex_);
    while (true) {
      while (count_ == 0 && !stops_) has_work_.wait(lock);
      if (count_ == 0) return;
      {
        Task task = std::move(queue_[first_]);
        first_ = (first_ + 1) % queue_.size();
        --count_;
        is_working_ = true;
        lock.unlock();
        task();
      }
      lock.lock();
      is_working_ = false;
      if (count_ == 0) is_idle_.notify_all();
    }
  }

  const HomeProcess home_;
  Mutex mutex_;
  Condition has_work_;
  Condition is_idle_;
  std::vector<Task> queue_;  // a ring
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  bool is_working_ = false;
  bool stops_ = false;
  bool has_thread_ = false;
  pthread_t thread_{};
};

LOUPE_DECL ThreadExecutor::ThreadExecutor(std::size_t capacity) : state_(new State(capacity)) {}

LOUPE_DECL ThreadExecutor::~ThreadExecutor() {
  if (state_->is_at_home()) delete state_;
}

LOUPE_DECL bool ThreadExecutor::post(Task task) {
  return state_->is_at_home() && state_->post(std::move(task));
}

LOUPE_DECL void ThreadExecutor::drain() {
  if (state_->is_at_home()) state_->drain();
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_BASE_THREAD_EXECUTOR_IPP
#endif  // LOUPE_SINGLE_BASE_THREAD_EXECUTOR_HPP
// ---- loupe/wire/crc32c.hpp
#ifndef LOUPE_SINGLE_WIRE_CRC32C_HPP
#define LOUPE_SINGLE_WIRE_CRC32C_HPP
/// @file
/// CRC-32C (Castagnoli) and its masked form, as TFRecord files hold it (format.md 3.2).

namespace loupe::inline LOUPE_ABI::wire {

/// The CRC-32C of `bytes`; of more bytes by handing on what the ones before them gave: `crc32c(second, crc32c(first))`.
/// Uses SSE 4.2 where the processor has it, else tables; both give the same.
[[nodiscard]] LOUPE_DECL std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t seed = 0) noexcept;

/// A checksum in the form that is stored, so that a checksum over bytes that hold checksums stays meaningful.
[[nodiscard]] constexpr std::uint32_t mask_crc32c(std::uint32_t crc) noexcept {
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u;
}

/// The checksum whose masked form is `masked`.
[[nodiscard]] constexpr std::uint32_t unmask_crc32c(std::uint32_t masked) noexcept {
  const std::uint32_t rotated = masked - 0xA282EAD8u;
  return (rotated >> 17) | (rotated << 15);
}

namespace detail {

/// By tables, eight bytes at a time.
[[nodiscard]] LOUPE_DECL std::uint32_t crc32c_portable(std::span<const std::byte> bytes, std::uint32_t seed) noexcept;

#if LOUPE_HAS_X86_DISPATCH
/// By the processor's instruction, in three streams. Only where `has_crc32c_instruction()`.
[[nodiscard]] LOUPE_DECL std::uint32_t crc32c_sse42(std::span<const std::byte> bytes, std::uint32_t seed) noexcept;
[[nodiscard]] inline bool has_crc32c_instruction() noexcept { return __builtin_cpu_supports("sse4.2") != 0; }
#endif

}  // namespace detail

}  // namespace loupe::inline LOUPE_ABI::wire

// ---- loupe/wire/crc32c.ipp
#ifndef LOUPE_SINGLE_WIRE_CRC32C_IPP
#define LOUPE_SINGLE_WIRE_CRC32C_IPP
// ---- loupe/wire/little_endian.hpp
#ifndef LOUPE_SINGLE_WIRE_LITTLE_ENDIAN_HPP
#define LOUPE_SINGLE_WIRE_LITTLE_ENDIAN_HPP
/// @file
/// Numbers in files: little-endian, at any address.

namespace loupe::inline LOUPE_ABI::wire {

// Tensors' bytes go between memory and files as they are.
static_assert(std::endian::native == std::endian::little, "loupe: only little-endian processors are supported");

template <class Number>
LOUPE_ALWAYS_INLINE Number load_little_endian(const void* address) noexcept {
  Number number;
  std::memcpy(&number, address, sizeof number);
  return number;
}

template <class Number>
LOUPE_ALWAYS_INLINE void store_little_endian(void* address, Number number) noexcept {
  std::memcpy(address, &number, sizeof number);
}

}  // namespace loupe::inline LOUPE_ABI::wire
#endif  // LOUPE_SINGLE_WIRE_LITTLE_ENDIAN_HPP

namespace loupe::inline LOUPE_ABI::wire {

namespace detail {

inline constexpr std::uint32_t crc32c_polynomial = 0x82F63B78u;

/// Tables by byte. Plain arrays: compilers take long to work out what goes through std::array.
template <std::size_t size>
struct CrcTables {
  std::uint32_t rows[size][256];
};

/// `rows[k][b]` is the effect of byte b followed by k zero bytes.
inline constexpr auto crc32c_tables = [] {
  CrcTables<8> made{};
  auto& tables = made.rows;
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1u) != 0 ? crc32c_polynomial : 0);
    tables[0][byte] = crc;
  }
  for (std::size_t zeros = 1; zeros < 8; ++zeros)
    for (std::size_t byte = 0; byte < 256; ++byte) {
      const std::uint32_t before = tables[zeros - 1][byte];
      tables[zeros][byte] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  return made;
}();

LOUPE_DECL std::uint32_t crc32c_portable(std::span<const std::byte> bytes, std::uint32_t seed) noexcept {
  const auto& tables = crc32c_tables.rows;
  std::uint32_t crc = ~seed;
  const std::byte* position = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, position += 8) {
    const std::uint64_t eight = load_little_endian<std::uint64_t>(position) ^ crc;
    crc = tables[7][eight & 0xFF] ^ tables[6][(eight >> 8) & 0xFF] ^ tables[5][(eight >> 16) & 0xFF] ^
          tables[4][(eight >> 24) & 0xFF] ^ tables[3][(eight >> 32) & 0xFF] ^ tables[2][(eight >> 40) & 0xFF] ^
          tables[1][(eight >> 48) & 0xFF] ^ tables[0][eight >> 56];
  }
  for (; left > 0; --left, ++position)
    crc = (crc >> 8) ^ tables[0][(crc ^ static_cast<std::uint8_t>(*position)) & 0xFF];
  return ~crc;
}

#if LOUPE_HAS_X86_DISPATCH

/// A linear map of checksums: column i is the image of bit i.
struct CrcMap {
  std::uint32_t images[32];
};

constexpr std::uint32_t apply(const CrcMap& map, std::uint32_t crc) noexcept {
  std::uint32_t image = 0;
  for (std::size_t bit = 0; crc != 0; ++bit, crc >>= 1)
    if ((crc & 1u) != 0) image ^= map.images[bit];
  return image;
}

/// What appending `count` zero bytes does to a checksum register, as one table for each byte of the register; `count`
/// is a power of two.
constexpr CrcTables<4> zeros_tables(std::size_t count) noexcept {
  CrcMap map{};
  map.images[0] = crc32c_polynomial;
  for (std::size_t bit = 1; bit < 32; ++bit) map.images[bit] = std::uint32_t{1} << (bit - 1);
  for (std::size_t bits = 1; bits < count * 8; bits *= 2) {
    CrcMap twice{};
    for (std::size_t bit = 0; bit < 32; ++bit) twice.images[bit] = detail::apply(map, map.images[bit]);
    map = twice;
  }
  CrcTables<4> tables{};
  for (std::size_t place = 0; place < 4; ++place)
    for (std::size_t bit = 0; bit < 8; ++bit) {
      const std::size_t highest = std::size_t{1} << bit;
      for (std::size_t rest = 0; rest < highest; ++rest)
        tables.rows[place][highest + rest] = tables.rows[place][rest] ^ map.images[8 * place + bit];
    }
  return tables;
}

/// Bytes of each of the three streams: long ones, where joining them costs next to nothing, and short ones.
inline constexpr std::size_t long_stream = 4096;
inline constexpr std::size_t short_stream = 256;
inline constexpr auto long_zeros = zeros_tables(long_stream);
inline constexpr auto short_zeros = zeros_tables(short_stream);

constexpr std::uint32_t append_zeros(const CrcTables<4>& tables, std::uint32_t crc) noexcept {
  const auto& rows = tables.rows;
  return rows[0][crc & 0xFF] ^ rows[1][(crc >> 8) & 0xFF] ^ rows[2][(crc >> 16) & 0xFF] ^ rows[3][crc >> 24];
}

/// Three neighbouring streams at once, since the instruction takes three cycles and one can start in each cycle.
/// A stream's register after n bytes is that of n zero bytes, from the same start, xor that of the bytes from zero.
template <std::size_t stream>
[[gnu::target("sse4.2")]] inline std::uint64_t three_streams(const std::byte* position, std::uint64_t first,
                                                             const CrcTables<4>& zeros) noexcept {
  std::uint64_t second = 0;
  std::uint64_t third = 0;
  for (const std::byte* const end = position + stream; position != end; position += 8) {
    first = __builtin_ia32_crc32di(first, load_little_endian<std::uint64_t>(position));
    second = __builtin_ia32_crc32di(second, load_little_endian<std::uint64_t>(position + stream));
    third = __builtin_ia32_crc32di(third, load_little_endian<std::uint64_t>(position + 2 * stream));
  }
  const std::uint32_t joined =
      append_zeros(zeros, static_cast<std::uint32_t>(first)) ^ static_cast<std::uint32_t>(second);
  return append_zeros(zeros, joined) ^ static_cast<std::uint32_t>(third);
}

[[gnu::target("sse4.2")]] LOUPE_DECL std::uint32_t crc32c_sse42(std::span<const std::byte> bytes,
                                                                std::uint32_t seed) noexcept {
  std::uint64_t crc = ~seed;
  const std::byte* position = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 3 * long_stream; left -= 3 * long_stream, position += 3 * long_stream)
    crc = three_streams<long_stream>(position, crc, long_zeros);
  for (; left >= 3 * short_stream; left -= 3 * short_stream, position += 3 * short_stream)
    crc = three_streams<short_stream>(position, crc, short_zeros);
  for (; left >= 8; left -= 8, position += 8)
    crc = __builtin_ia32_crc32di(crc, load_little_endian<std::uint64_t>(position));
  auto rest = static_cast<std::uint32_t>(crc);
  for (; left > 0; --left, ++position) rest = __builtin_ia32_crc32qi(rest, static_cast<std::uint8_t>(*position));
  return ~rest;
}

#endif

}  // namespace detail

LOUPE_DECL std::uint32_t crc32c(std::span<const std::byte> bytes, std::uint32_t seed) noexcept {
#if LOUPE_HAS_X86_DISPATCH
  if (detail::has_crc32c_instruction()) return detail::crc32c_sse42(bytes, seed);
#endif
  return detail::crc32c_portable(bytes, seed);
}

}  // namespace loupe::inline LOUPE_ABI::wire
#endif  // LOUPE_SINGLE_WIRE_CRC32C_IPP
#endif  // LOUPE_SINGLE_WIRE_CRC32C_HPP
// ---- loupe/wire/fwd.hpp
#ifndef LOUPE_SINGLE_WIRE_FWD_HPP
#define LOUPE_SINGLE_WIRE_FWD_HPP
/// @file
/// Names of wire/.

namespace loupe::inline LOUPE_ABI::wire {

enum class JsonType : std::uint8_t;
struct JsonOptions;
class JsonReader;
class JsonWriter;

enum class WireType : std::uint8_t;
struct Field;
class FieldReader;
class FieldWriter;

enum class PayloadCheck : std::uint8_t;
enum class RecordCheck : std::uint8_t;
struct Record;
class RecordReader;

}  // namespace loupe::inline LOUPE_ABI::wire
#endif  // LOUPE_SINGLE_WIRE_FWD_HPP
// ---- loupe/wire/json_reader.hpp
#ifndef LOUPE_SINGLE_WIRE_JSON_READER_HPP
#define LOUPE_SINGLE_WIRE_JSON_READER_HPP
/// @file
/// A pull reader for JSON: no document in memory, strings as views into the text, every error with file and offset.

namespace loupe::inline LOUPE_ABI::wire {

/// Kinds of JSON values.
enum class JsonType : std::uint8_t { object, array, string, number, boolean, null };

/// What a reader takes beyond RFC 8259.
struct JsonOptions {
  /// The literals `NaN`, `Infinity` and `-Infinity`, which Python writes, are numbers.
  bool allow_non_finite = false;
};

/// Reads one JSON document front to back. The caller says what it expects next:
///
/// ```cpp
/// JsonReader json(text, "index.json");
/// std::string scratch;
/// LOUPE_TRY(json.begin_object());
/// while (true) {
///   LOUPE_ASSIGN(const auto key, json.next_key(scratch));
///   if (!key) break;
///   if (*key == "shape") {
///     LOUPE_TRY(json.begin_array());
///     …
///   } else {
///     LOUPE_TRY(json.skip_value());
///   }
/// }
/// LOUPE_TRY(json.finish());
/// ```
///
/// The whole document is checked on the way, skipped parts included: UTF-8, escapes and surrogate pairs, control
/// characters, numbers, nesting of at most `max_depth`. Duplicate keys are reported as they come.
/// Errors are `corrupt` (or `limit_exceeded` for the depth) with the file and byte offset; after one the reader is only
/// good for destruction. Asking for what the state doesn't allow (a key in an array) is `invalid_state`.
/// The text must outlive the reader and all views it gave. One thread at a time.
class JsonReader {
 public:
  static constexpr unsigned max_depth = 64;

  /// `file` names the text in errors.
  JsonReader(std::string_view text, std::string_view file, JsonOptions options = {}) noexcept
      : begin_(text.data()),
        cursor_(begin_),
        end_(begin_ + text.size()),
        file_(file),
        options_(options) {}

  /// The kind of the value that comes next.
  [[nodiscard]] LOUPE_DECL result<JsonType> peek();

  result<void> begin_object() { return outcome(open('{')); }
  /// The next key of the object begun last; nothing at its end, which thereby is left. The view is into the text, or
  /// into `scratch` if the key has escapes.
  result<std::optional<std::string_view>> next_key(std::string& scratch) {
    std::string_view key;
    const Next next = step_object(key, &scratch);
    if (next == Next::element) [[likely]]
      return std::optional(key);
    if (next == Next::end) return std::optional<std::string_view>();
    return failure();
  }

  result<void> begin_array() { return outcome(open('[')); }
  /// Whether the array begun last has another element, which is read next; at its end the array is left.
  result<bool> next_element() {
    const Next next = step_array();
    if (next == Next::fault) [[unlikely]]
      return failure();
    return next == Next::element;
  }

  /// The text of a string, which is UTF-8: a view into the document, or into `scratch` if there are escapes.
  result<std::string_view> read_string(std::string& scratch) {
    std::string_view text;
    if (scan_string_value(text, &scratch)) [[likely]]
      return text;
    return failure();
  }
  /// An integer without fraction or exponent. One that doesn't fit is an error.
  result<std::int64_t> read_int64() {
    Integer integer;
    constexpr std::uint64_t limit = INT64_MAX;
    if (!scan_integer(integer)) [[unlikely]]
      return failure();
    if (integer.magnitude > limit + (integer.is_negative ? 1 : 0)) [[unlikely]]
      return out_of_range();
    return static_cast<std::int64_t>(integer.is_negative ? 0 - integer.magnitude : integer.magnitude);
  }
  /// As `read_int64`, for numbers from 0 on.
  result<std::uint64_t> read_uint64() {
    Integer integer;
    if (!scan_integer(integer)) [[unlikely]]
      return failure();
    if (integer.is_negative && integer.magnitude != 0) [[unlikely]]
      return out_of_range();
    return integer.magnitude;
  }
  /// Any number, rounded to the nearest double. One beyond the largest double is an error, one too small is zero.
  LOUPE_DECL result<double> read_double();
  LOUPE_DECL result<bool> read_bool();
  LOUPE_DECL result<void> read_null();
  /// Passes over a value of any kind, checking it.
  result<void> skip_value() { return outcome(skip()); }

  /// Checks that the document is complete and that nothing but white space follows it.
  LOUPE_DECL result<void> finish();

  /// Byte offset of what is read next.
  [[nodiscard]] std::size_t offset() const noexcept { return static_cast<std::size_t>(cursor_ - begin_); }
  /// An error of the caller's about the value read last: `corrupt` with the file and the offset where it began.
  [[nodiscard]] LOUPE_DECL unexpected<Error> fail_here(Text detail) const;

 private:
  enum class Next : std::uint8_t { element, end, fault };
  struct Integer {
    std::uint64_t magnitude = 0;
    bool is_negative = false;
  };

  /// These return false after `set_fault`.
  LOUPE_DECL bool open(char bracket);
  LOUPE_DECL bool expect_value();
  LOUPE_DECL bool scan_string_value(std::string_view& text, std::string* scratch);
  LOUPE_DECL bool scan_string(std::string_view& text, std::string* scratch);
  LOUPE_DECL bool scan_escaped(const char* first, const char* position, std::string_view& text, std::string* scratch);
  LOUPE_DECL bool scan_escape(const char*& position, std::string* scratch);
  LOUPE_DECL bool scan_hex(const char*& position, char32_t& unit);
  LOUPE_DECL bool scan_integer(Integer& integer);
  LOUPE_DECL bool scan_number(std::string_view& token);
  LOUPE_DECL bool scan_non_finite(double& number);
  LOUPE_DECL bool scan_word(std::string_view word);
  LOUPE_DECL bool skip();
  LOUPE_DECL bool skip_scalar();
  [[nodiscard]] LOUPE_DECL bool at_non_finite() const noexcept;

  LOUPE_DECL Next step_object(std::string_view& key, std::string* scratch);
  LOUPE_DECL Next step_array();
  void close() noexcept {
    --depth_;
    is_first_ = false;
  }
  [[nodiscard]] bool in_object() const noexcept { return depth_ > 0 && ((objects_ >> (depth_ - 1)) & 1u) != 0; }
  [[nodiscard]] bool in_array() const noexcept { return depth_ > 0 && !in_object(); }

  /// The next character that is no white space; 0 at the end.
  char token() noexcept {
    // Python writes one blank or none before each token.
    const char* position = cursor_;
    if (position != end_ && *position == ' ') cursor_ = ++position;
    if (position != end_ && *position > ' ') [[likely]]
      return *position;
    return distant_token();
  }
  /// Whether that is `character`, once white space was passed.
  [[nodiscard]] bool is_at(char character) const noexcept { return cursor_ != end_ && *cursor_ == character; }
  LOUPE_DECL char distant_token() noexcept;

  LOUPE_DECL bool set_fault(const char* at, const char* detail, ErrorKind kind = ErrorKind::corrupt) noexcept;
  [[nodiscard]] LOUPE_DECL unexpected<Error> failure() const;
  [[nodiscard]] LOUPE_DECL unexpected<Error> out_of_range();
  result<void> outcome(bool is_good) const {
    if (is_good) [[likely]]
      return {};
    return failure();
  }

  const char* begin_;
  const char* cursor_;
  const char* end_;
  const char* value_ = begin_;  ///< where the value or key read last begins
  std::string_view file_;
  std::uint64_t objects_ = 0;   ///< bit d: the container at depth d + 1 is an object
  unsigned depth_ = 0;
  bool is_first_ = false;       ///< the container begun last has had no element yet
  bool wants_value_ = true;     ///< a value must come next, not a key, an element or an end
  JsonOptions options_;
  ErrorKind fault_kind_ = ErrorKind::corrupt;
  const char* fault_ = "";
  const char* fault_at_ = begin_;
};

}  // namespace loupe::inline LOUPE_ABI::wire

// ---- loupe/wire/json_reader.ipp
#ifndef LOUPE_SINGLE_WIRE_JSON_READER_IPP
#define LOUPE_SINGLE_WIRE_JSON_READER_IPP

namespace loupe::inline LOUPE_ABI::wire {

LOUPE_DECL bool JsonReader::set_fault(const char* at, const char* detail, ErrorKind kind) noexcept {
  fault_at_ = at;
  fault_ = detail;
  fault_kind_ = kind;
  return false;
}

LOUPE_DECL unexpected<Error> JsonReader::failure() const {
  return fail_at(fault_kind_, file_, fault_at_ - begin_, std::string_view(fault_));
}

LOUPE_DECL unexpected<Error> JsonReader::out_of_range() {
  set_fault(value_, "the integer is out of range");
  return failure();
}

LOUPE_DECL unexpected<Error> JsonReader::fail_here(Text detail) const {
  return fail_at(ErrorKind::corrupt, file_, value_ - begin_, std::move(detail));
}

LOUPE_DECL char JsonReader::distant_token() noexcept {
  while (cursor_ != end_ && (*cursor_ == ' ' || *cursor_ == '\n' || *cursor_ == '\r' || *cursor_ == '\t')) ++cursor_;
  return cursor_ != end_ ? *cursor_ : '\0';
}

LOUPE_DECL bool JsonReader::expect_value() {
  if (!wants_value_) [[unlikely]]
    return set_fault(cursor_, "a value was asked for where none can stand", ErrorKind::invalid_state);
  token();
  value_ = cursor_;
  return true;
}

LOUPE_DECL result<JsonType> JsonReader::peek() {
  if (!expect_value()) return failure();
  switch (const char next = token()) {
    case '{': return JsonType::object;
    case '[': return JsonType::array;
    case '"': return JsonType::string;
    case 't':
    case 'f': return JsonType::boolean;
    case 'n': return JsonType::null;
    case 'N':
    case 'I':
      if (options_.allow_non_finite) return JsonType::number;
      break;
    default:
      if (next == '-' || (next >= '0' && next <= '9')) return JsonType::number;
  }
  set_fault(cursor_, "a value is expected");
  return failure();
}

LOUPE_DECL bool JsonReader::open(char bracket) {
  if (!expect_value()) return false;
  if (!is_at(bracket)) [[unlikely]]
    return set_fault(cursor_, bracket == '{' ? "an object is expected" : "an array is expected");
  if (depth_ == max_depth) [[unlikely]]
    return set_fault(cursor_, "values are nested more than 64 deep", ErrorKind::limit_exceeded);
  ++cursor_;
  const std::uint64_t bit = std::uint64_t{1} << depth_;
  objects_ = bracket == '{' ? objects_ | bit : objects_ & ~bit;
  ++depth_;
  is_first_ = true;
  wants_value_ = false;
  return true;
}

LOUPE_DECL JsonReader::Next JsonReader::step_object(std::string_view& key, std::string* scratch) {
  if (wants_value_ || !in_object()) [[unlikely]] {
    set_fault(cursor_, "a key was asked for where none can stand", ErrorKind::invalid_state);
    return Next::fault;
  }
  char next = token();
  if (next == '}') {
    ++cursor_;
    close();
    return Next::end;
  }
  if (!is_first_) {
    if (next != ',') [[unlikely]] {
      set_fault(cursor_, "a comma or the object's end is expected");
      return Next::fault;
    }
    ++cursor_;
    next = token();
  }
  is_first_ = false;
  if (next != '"') [[unlikely]] {
    set_fault(cursor_, "a key is expected");
    return Next::fault;
  }
  value_ = cursor_;
  if (!scan_string(key, scratch)) return Next::fault;
  if (token() != ':') [[unlikely]] {
    set_fault(cursor_, "a colon is expected");
    return Next::fault;
  }
  ++cursor_;
  wants_value_ = true;
  return Next::element;
}

LOUPE_DECL JsonReader::Next JsonReader::step_array() {
  if (wants_value_ || !in_array()) [[unlikely]] {
    set_fault(cursor_, "an element was asked for where none can stand", ErrorKind::invalid_state);
    return Next::fault;
  }
  const char next = token();
  if (next == ']') {
    ++cursor_;
    close();
    return Next::end;
  }
  if (!is_first_) {
    if (next != ',') [[unlikely]] {
      set_fault(cursor_, "a comma or the array's end is expected");
      return Next::fault;
    }
    ++cursor_;
  }
  is_first_ = false;
  wants_value_ = true;
  return Next::element;
}

LOUPE_DECL bool JsonReader::scan_string_value(std::string_view& text, std::string* scratch) {
  if (!expect_value()) return false;
  if (!is_at('"')) [[unlikely]]
    return set_fault(cursor_, "a string is expected");
  wants_value_ = false;
  return scan_string(text, scratch);
}

LOUPE_DECL result<bool> JsonReader::read_bool() {
  if (!expect_value()) return failure();
  const bool is_true = token() == 't';
  if (!scan_word(is_true ? "true" : "false")) {
    fault_ = "true or false is expected";
    return failure();
  }
  return is_true;
}

LOUPE_DECL result<void> JsonReader::read_null() {
  if (expect_value() && scan_word("null")) return {};
  if (fault_kind_ == ErrorKind::corrupt) fault_ = "null is expected";
  return failure();
}

LOUPE_DECL bool JsonReader::skip() {
  if (!expect_value()) return false;
  const unsigned outside = depth_;
  do {
    if (wants_value_) {
      expect_value();
      const char next = token();
      if (!(next == '{' || next == '[' ? open(next) : skip_scalar())) return false;
    } else {
      std::string_view key;
      if ((in_object() ? step_object(key, nullptr) : step_array()) == Next::fault) return false;
    }
  } while (wants_value_ || depth_ > outside);
  return true;
}

LOUPE_DECL result<void> JsonReader::finish() {
  token();
  if (wants_value_ || depth_ != 0) {
    set_fault(cursor_, "the document is not complete");
    return failure();
  }
  if (cursor_ != end_) {
    set_fault(cursor_, "something follows the document");
    return failure();
  }
  return {};
}

}  // namespace loupe::inline LOUPE_ABI::wire
#endif  // LOUPE_SINGLE_WIRE_JSON_READER_IPP
// ---- loupe/wire/json_reader_scan.ipp
#ifndef LOUPE_SINGLE_WIRE_JSON_READER_SCAN_IPP
#define LOUPE_SINGLE_WIRE_JSON_READER_SCAN_IPP

// ---- loupe/wire/utf8.hpp
#ifndef LOUPE_SINGLE_WIRE_UTF8_HPP
#define LOUPE_SINGLE_WIRE_UTF8_HPP
/// @file
/// UTF-8 as the Unicode standard defines it: shortest forms only, no surrogates, nothing above U+10FFFF.

namespace loupe::inline LOUPE_ABI::wire {

/// What stands for bytes that are not UTF-8.
inline constexpr char32_t replacement_character = 0xFFFD;

/// One code point at the front of a text, or a piece that is none.
struct CodePoint {
  char32_t value = replacement_character;
  std::uint32_t size = 0;  ///< bytes it takes; of ill-formed bytes as many as one replacement stands for
  bool is_valid = false;
};

/// The code point at the front of `text`, which must not be empty. Ill-formed bytes are taken in *maximal subparts*
/// (Unicode 15, section 3.9), as Python's decoder replaces them.
constexpr CodePoint decode_utf8(std::string_view text) noexcept {
  const auto byte = [&](std::size_t index) { return static_cast<std::uint8_t>(text[index]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  if (lead < 0xC2 || lead > 0xF4) return {replacement_character, 1, false};
  const std::uint32_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  // The second byte's range excludes overlong forms, surrogates and what lies above U+10FFFF.
  std::uint8_t lowest = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  std::uint8_t highest = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  char32_t value = lead & (0x7Fu >> size);
  for (std::uint32_t index = 1; index < size; ++index) {
    if (index == text.size() || byte(index) < lowest || byte(index) > highest)
      return {replacement_character, index, false};
    value = (value << 6) | (byte(index) & 0x3Fu);
    lowest = 0x80;
    highest = 0xBF;
  }
  return {value, size, true};
}

/// Writes a code point, which must not be a surrogate or above U+10FFFF, to at most four bytes; returns how many.
constexpr std::size_t encode_utf8(char32_t value, char* out) noexcept {
  const auto put = [&](std::size_t index, char32_t bits) {
    out[index] = static_cast<char>(static_cast<std::uint8_t>(bits));
  };
  if (value < 0x80) {
    put(0, value);
    return 1;
  }
  if (value < 0x800) {
    put(0, 0xC0 | (value >> 6));
    put(1, 0x80 | (value & 0x3F));
    return 2;
  }
  if (value < 0x10000) {
    put(0, 0xE0 | (value >> 12));
    put(1, 0x80 | ((value >> 6) & 0x3F));
    put(2, 0x80 | (value & 0x3F));
    return 3;
  }
  put(0, 0xF0 | (value >> 18));
  put(1, 0x80 | ((value >> 12) & 0x3F));
  put(2, 0x80 | ((value >> 6) & 0x3F));
  put(3, 0x80 | (value & 0x3F));
  return 4;
}

/// Length of the longest prefix that is UTF-8; `text.size()` when all of it is.
inline std::size_t valid_utf8_size(std::string_view text) noexcept {
  std::size_t position = 0;
  while (position < text.size()) {
    if (text.size() - position >= 8) {
      std::uint64_t eight;
      std::memcpy(&eight, text.data() + position, 8);
      if ((eight & 0x8080808080808080u) == 0) {
        position += 8;
        continue;
      }
    }
    const CodePoint next = decode_utf8(text.substr(position));
    if (!next.is_valid) return position;
    position += next.size;
  }
  return position;
}

/// Whether all of `text` is UTF-8.
inline bool is_utf8(std::string_view text) noexcept { return valid_utf8_size(text) == text.size(); }

}  // namespace loupe::inline LOUPE_ABI::wire
#endif  // LOUPE_SINGLE_WIRE_UTF8_HPP

namespace loupe::inline LOUPE_ABI::wire {

namespace detail {

/// Whether a byte can't simply be part of a string: a quote, a backslash, a control character, or not ASCII.
constexpr bool ends_plain_text(char character) noexcept {
  const auto byte = static_cast<std::uint8_t>(character);
  return byte < 0x20 || byte >= 0x80 || byte == '"' || byte == '\\';
}

/// The first byte from `position` on for which `ends_plain_text`, or `end`. Eight bytes at a time.
inline const char* skip_plain_text(const char* position, const char* end) noexcept {
  constexpr std::uint64_t ones = 0x0101010101010101u;
  while (end - position >= 8) {
    const auto eight = load_little_endian<std::uint64_t>(position);
    // Subtracting sets the high bit of bytes that are too small. A borrow reaches only bytes behind a true hit.
    const std::uint64_t hits =
        ((eight - ones * 0x20) | ((eight ^ (ones * '"')) - ones) | ((eight ^ (ones * '\\')) - ones) | eight) &
        (ones * 0x80);
    if (hits != 0) return position + std::countr_zero(hits) / 8;
    position += 8;
  }
  while (position != end && !ends_plain_text(*position)) ++position;
  return position;
}

constexpr bool is_digit(char character) noexcept { return character >= '0' && character <= '9'; }

/// Whether the number written as `token`, which is finite and not zero, is at least 1: overflow told from underflow.
inline bool is_large(std::string_view token) noexcept {
  std::int64_t exponent = 0;
  if (const auto mark = token.find_first_of("eE"); mark != std::string_view::npos) {
    std::string_view digits = token.substr(mark + 1);
    if (digits.front() == '+') digits.remove_prefix(1);
    const bool is_negative = digits.front() == '-';
    const auto [stop, status] = std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    if (status != std::errc()) return !is_negative;
    token = token.substr(0, mark);
  }
  if (token.front() == '-') token.remove_prefix(1);
  const auto first = static_cast<std::int64_t>(token.find_first_of("123456789"));
  const auto point = static_cast<std::int64_t>(token.substr(0, token.find('.')).size());
  const std::int64_t place = first < point ? point - first - 1 : point - first;
  return exponent >= -place;
}

}  // namespace detail

LOUPE_DECL bool JsonReader::scan_string(std::string_view& text, std::string* scratch) {
  const char* const first = cursor_ + 1;
  const char* position = first;
  while (true) {
    position = detail::skip_plain_text(position, end_);
    if (position == end_) [[unlikely]]
      return set_fault(cursor_, "the string has no end");
    if (*position == '"') [[likely]] {
      text = {first, static_cast<std::size_t>(position - first)};
      cursor_ = position + 1;
      return true;
    }
    if (*position == '\\') return scan_escaped(first, position, text, scratch);
    if (static_cast<std::uint8_t>(*position) < 0x20)
      return set_fault(position, "a control character stands in a string");
    const CodePoint next = decode_utf8({position, static_cast<std::size_t>(end_ - position)});
    if (!next.is_valid) return set_fault(position, "the text is not UTF-8");
    position += next.size;
  }
}

LOUPE_DECL bool JsonReader::scan_escaped(const char* first, const char* position, std::string_view& text,
                                         std::string* scratch) {
  if (scratch != nullptr) scratch->assign(first, position);
  while (true) {
    const char* const run = position;
    position = detail::skip_plain_text(position, end_);
    while (position != end_ && static_cast<std::uint8_t>(*position) >= 0x80) {
      const CodePoint next = decode_utf8({position, static_cast<std::size_t>(end_ - position)});
      if (!next.is_valid) return set_fault(position, "the text is not UTF-8");
      position += next.size;
    }
    if (scratch != nullptr) scratch->append(run, position);
    if (position == end_) return set_fault(cursor_, "the string has no end");
    if (*position == '"') break;
    if (*position == '\\') {
      if (!scan_escape(position, scratch)) return false;
    } else if (static_cast<std::uint8_t>(*position) < 0x20) {
      return set_fault(position, "a control character stands in a string");
    }
  }
  cursor_ = position + 1;
  text = scratch != nullptr ? std::string_view(*scratch) : std::string_view();
  return true;
}

LOUPE_DECL bool JsonReader::scan_escape(const char*& position, std::string* scratch) {
  const char* const escape = position++;
  char32_t value = 0;
  switch (position != end_ ? *position++ : '\0') {
    case '"': value = '"'; break;
    case '\\': value = '\\'; break;
    case '/': value = '/'; break;
    case 'b': value = '\b'; break;
    case 'f': value = '\f'; break;
    case 'n': value = '\n'; break;
    case 'r': value = '\r'; break;
    case 't': value = '\t'; break;
    case 'u': {
      if (!scan_hex(position, value)) return set_fault(escape, "\\u needs four hexadecimal digits");
      if (value >= 0xDC00 && value <= 0xDFFF) return set_fault(escape, "a low surrogate stands alone");
      if (value >= 0xD800 && value <= 0xDBFF) {
        char32_t low = 0;
        if (end_ - position < 2 || position[0] != '\\' || position[1] != 'u')
          return set_fault(escape, "a high surrogate stands alone");
        position += 2;
        if (!scan_hex(position, low)) return set_fault(escape, "\\u needs four hexadecimal digits");
        if (low < 0xDC00 || low > 0xDFFF) return set_fault(escape, "a high surrogate stands alone");
        value = 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00);
      }
      break;
    }
    default: return set_fault(escape, "no such escape");
  }
  if (scratch == nullptr) return true;
  char bytes[4];
  scratch->append(bytes, encode_utf8(value, bytes));
  return true;
}

LOUPE_DECL bool JsonReader::scan_hex(const char*& position, char32_t& unit) {
  unit = 0;
  for (int digit = 0; digit < 4; ++digit, ++position) {
    if (position == end_) return false;
    const char character = *position;
    unit <<= 4;
    if (detail::is_digit(character)) unit |= static_cast<char32_t>(character - '0');
    else if (character >= 'a' && character <= 'f') unit |= static_cast<char32_t>(character - 'a' + 10);
    else if (character >= 'A' && character <= 'F') unit |= static_cast<char32_t>(character - 'A' + 10);
    else return false;
  }
  return true;
}

LOUPE_DECL bool JsonReader::scan_integer(Integer& integer) {
  if (!expect_value()) return false;
  const char* position = cursor_;
  if (is_at('-')) {
    integer.is_negative = true;
    ++position;
  }
  if (position == end_ || !detail::is_digit(*position)) [[unlikely]]
    return set_fault(value_, "an integer is expected");
  const char* const digits = position;
  std::uint64_t magnitude = 0;
  // Eighteen digits always fit.
  const char* const unchecked_end = end_ - digits > 18 ? digits + 18 : end_;
  for (; position != unchecked_end && detail::is_digit(*position); ++position)
    magnitude = magnitude * 10 + static_cast<std::uint64_t>(*position - '0');
  for (; position != end_ && detail::is_digit(*position); ++position) {
    const auto digit = static_cast<std::uint64_t>(*position - '0');
    if (magnitude > (UINT64_MAX - digit) / 10)
      return set_fault(value_, "the integer is out of range");
    magnitude = magnitude * 10 + digit;
  }
  if (*digits == '0' && position - digits > 1) [[unlikely]]
    return set_fault(value_, "a number begins with a superfluous zero");
  if (position != end_ && (*position == '.' || *position == 'e' || *position == 'E')) [[unlikely]]
    return set_fault(value_, "an integer is expected");
  integer.magnitude = magnitude;
  cursor_ = position;
  wants_value_ = false;
  return true;
}

LOUPE_DECL bool JsonReader::scan_number(std::string_view& token) {
  const char* position = cursor_;
  const auto at_digit = [&] { return position != end_ && detail::is_digit(*position); };
  const auto skip_digits = [&] {
    while (at_digit()) ++position;
  };
  if (is_at('-')) ++position;
  if (!at_digit()) return set_fault(value_, "a number is expected");
  const bool has_zero = *position == '0';
  ++position;
  if (has_zero && at_digit()) return set_fault(value_, "a number begins with a superfluous zero");
  skip_digits();
  if (position != end_ && *position == '.') {
    ++position;
    if (!at_digit()) return set_fault(value_, "a decimal point needs digits");
    skip_digits();
  }
  if (position != end_ && (*position == 'e' || *position == 'E')) {
    ++position;
    if (position != end_ && (*position == '+' || *position == '-')) ++position;
    if (!at_digit()) return set_fault(value_, "an exponent needs digits");
    skip_digits();
  }
  token = {cursor_, static_cast<std::size_t>(position - cursor_)};
  cursor_ = position;
  wants_value_ = false;
  return true;
}

LOUPE_DECL bool JsonReader::scan_non_finite(double& number) {
  const std::string_view rest(cursor_, static_cast<std::size_t>(end_ - cursor_));
  if (rest.starts_with('N')) {
    number = std::numeric_limits<double>::quiet_NaN();
    return scan_word("NaN");
  }
  const bool is_negative = rest.starts_with('-');
  number = is_negative ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
  return scan_word(is_negative ? "-Infinity" : "Infinity");
}

LOUPE_DECL bool JsonReader::scan_word(std::string_view word) {
  if (!std::string_view(cursor_, static_cast<std::size_t>(end_ - cursor_)).starts_with(word))
    return set_fault(value_, "a value is expected");
  cursor_ += word.size();
  wants_value_ = false;
  return true;
}

/// Whether a number that is written as a word comes next, and such are allowed.
LOUPE_DECL bool JsonReader::at_non_finite() const noexcept {
  if (!options_.allow_non_finite || cursor_ == end_) return false;
  return *cursor_ == 'N' || *cursor_ == 'I' || (*cursor_ == '-' && end_ - cursor_ > 1 && cursor_[1] == 'I');
}

LOUPE_DECL result<double> JsonReader::read_double() {
  if (!expect_value()) return failure();
  double number = 0;
  if (at_non_finite()) {
    if (!scan_non_finite(number)) return failure();
    return number;
  }
  std::string_view token;
  if (!scan_number(token)) return failure();
  const auto [stop, status] = std::from_chars(token.data(), token.data() + token.size(), number);
  if (status == std::errc::result_out_of_range)
    number = detail::is_large(token) ? std::numeric_limits<double>::infinity() : 0.0;
  if (__builtin_isinf(number)) {
    set_fault(value_, "the number is larger than any double");
    return failure();
  }
  if (status == std::errc::result_out_of_range && token.front() == '-') number = -0.0;
  return number;
}

LOUPE_DECL bool JsonReader::skip_scalar() {
  switch (token()) {
    case '"': {
      std::string_view text;
      return scan_string_value(text, nullptr);
    }
    case 't': return scan_word("true");
    case 'f': return scan_word("false");
    case 'n': return scan_word("null");
    default: break;
  }
  if (at_non_finite()) {
    double number;
    return scan_non_finite(number);
  }
  if (cursor_ == end_ || (*cursor_ != '-' && !detail::is_digit(*cursor_)))
    return set_fault(value_, "a value is expected");
  std::string_view number;
  return scan_number(number);
}

}  // namespace loupe::inline LOUPE_ABI::wire
#endif  // LOUPE_SINGLE_WIRE_JSON_READER_SCAN_IPP
#endif  // LOUPE_SINGLE_WIRE_JSON_READER_HPP
// ---- loupe/wire/json_writer.hpp
#ifndef LOUPE_SINGLE_WIRE_JSON_WRITER_HPP
#define LOUPE_SINGLE_WIRE_JSON_WRITER_HPP
/// @file
/// Writes JSON as Python's `json.dumps` does by default, byte for byte (format.md section 11).

namespace loupe::inline LOUPE_ABI::wire {

/// Appends `text` as a JSON string: ASCII only, other characters as lower-case `\uXXXX`, above U+FFFF as surrogate
/// pairs. Bytes that are not UTF-8 become U+FFFD (`\ufffd`), one for each maximal subpart, so that the document is
/// always valid.
LOUPE_DECL void append_json_string(ByteBuffer& out, std::string_view text);

/// Appends a float as Python's `repr` does: the shortest digits that read back as the same double, with an exponent
/// below 1e-4 and from 1e16 on; `NaN`, `Infinity`, `-Infinity`.
LOUPE_DECL void append_json_number(ByteBuffer& out, double number);
LOUPE_DECL void append_json_number(ByteBuffer& out, std::int64_t number);
LOUPE_DECL void append_json_number(ByteBuffer& out, std::uint64_t number);

/// Appends one document to a buffer; separators are put in by themselves. The caller opens and closes containers in
/// order and gives a key before each value of an object. One thread at a time.
class JsonWriter {
 public:
  explicit JsonWriter(ByteBuffer& out) noexcept : out_(out) {}

  JsonWriter& begin_object() { return open('{'); }
  JsonWriter& end_object() { return close('}'); }
  JsonWriter& begin_array() { return open('['); }
  JsonWriter& end_array() { return close(']'); }
  JsonWriter& key(std::string_view name) {
    separate();
    append_json_string(out_, name);
    out_.append(std::string_view(": "));
    needs_comma_ = false;
    return *this;
  }

  JsonWriter& string(std::string_view text) {
    separate();
    append_json_string(out_, text);
    return *this;
  }
  template <class Number>
    requires((std::integral<Number> && !std::same_as<Number, bool>) || std::same_as<Number, double>)
  JsonWriter& number(Number number) {
    separate();
    if constexpr (std::same_as<Number, double>) append_json_number(out_, number);
    else if constexpr (std::signed_integral<Number>) append_json_number(out_, static_cast<std::int64_t>(number));
    else append_json_number(out_, static_cast<std::uint64_t>(number));
    return *this;
  }
  JsonWriter& boolean(bool value) { return word(value ? "true" : "false"); }
  JsonWriter& null() { return word("null"); }

 private:
  JsonWriter& open(char bracket) {
    separate();
    out_.append(bracket);
    needs_comma_ = false;
    return *this;
  }
  JsonWriter& close(char bracket) {
    out_.append(bracket);
    needs_comma_ = true;
    return *this;
  }
  JsonWriter& word(std::string_view text) {
    separate();
    out_.append(text);
    return *this;
  }
  /// Before a value or key: a comma, if something stands before it. What follows a value needs one.
  void separate() {
    if (needs_comma_) out_.append(std::string_view(", "));
    needs_comma_ = true;
  }

  ByteBuffer& out_;
  bool needs_comma_ = false;
};

}  // namespace loupe::inline LOUPE_ABI::wire

// ---- loupe/wire/json_writer.ipp
#ifndef LOUPE_SINGLE_WIRE_JSON_WRITER_IPP
#define LOUPE_SINGLE_WIRE_JSON_WRITER_IPP

namespace loupe::inline LOUPE_ABI::wire {

namespace detail {

/// Writes `\uXXXX` of a UTF-16 unit.
inline void append_unit(ByteBuffer& out, std::uint32_t unit) {
  constexpr char digits[] = "0123456789abcdef";
  const char escape[] = {
      '\\', 'u', digits[(unit >> 12) & 15], digits[(unit >> 8) & 15], digits[(unit >> 4) & 15], digits[unit & 15]};
  out.append(std::string_view(escape, sizeof escape));
}

/// What a character is escaped as with one letter; 0 if it isn't.
constexpr char escape_letter(char character) noexcept {
  switch (character) {
    case '"': return '"';
    case '\\': return '\\';
    case '\b': return 'b';
    case '\f': return 'f';
    case '\n': return 'n';
    case '\r': return 'r';
    case '\t': return 't';
    default: return 0;
  }
}

constexpr bool is_plain_ascii(char character) noexcept {
  return character >= ' ' && character <= '~' && character != '"' && character != '\\';
}

}  // namespace detail

LOUPE_DECL void append_json_string(ByteBuffer& out, std::string_view text) {
  out.append('"');
  std::size_t position = 0;
  while (position < text.size()) {
    const std::size_t plain = position;
    while (position < text.size() && detail::is_plain_ascii(text[position])) ++position;
    out.append(text.substr(plain, position - plain));
    if (position == text.size()) break;
    if (const char letter = detail::escape_letter(text[position]); letter != 0) {
      const char escape[] = {'\\', letter};
      out.append(std::string_view(escape, 2));
      ++position;
      continue;
    }
    const CodePoint next = decode_utf8(text.substr(position));
    position += next.size;
    if (next.value < 0x10000) {
      detail::append_unit(out, next.value);
    } else {
      detail::append_unit(out, 0xD800 + ((next.value - 0x10000) >> 10));
      detail::append_unit(out, 0xDC00 + ((next.value - 0x10000) & 0x3FF));
    }
  }
  out.append('"');
}

LOUPE_DECL void append_json_number(ByteBuffer& out, std::int64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

LOUPE_DECL void append_json_number(ByteBuffer& out, std::uint64_t number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

LOUPE_DECL void append_json_number(ByteBuffer& out, double number) {
  if (!__builtin_isfinite(number)) {
    out.append(__builtin_isnan(number) ? std::string_view("NaN")
                                       : std::string_view(number > 0 ? "Infinity" : "-Infinity"));
    return;
  }
  // The shortest digits in the form d.ddde±xx; Python only places the point differently.
  char written[32];
  const auto end = std::to_chars(written, written + sizeof written, number, std::chars_format::scientific).ptr;
  std::string_view text(written, static_cast<std::size_t>(end - written));
  if (text.front() == '-') {
    out.append('-');
    text.remove_prefix(1);
  }
  const std::size_t mark = text.find('e');
  int exponent = 0;
  std::from_chars(text.data() + mark + (text[mark + 1] == '+' ? 2 : 1), text.data() + text.size(), exponent);
  if (exponent < -4 || exponent >= 16) {
    out.append(text);
    return;
  }
  char digits[20];
  std::size_t count = 0;
  for (const char character : text.substr(0, mark))
    if (character != '.') digits[count++] = character;
  const std::string_view all(digits, count);
  if (exponent < 0) {
    out.append(std::string_view("0."));
    out.append(std::string_view("000").substr(0, static_cast<std::size_t>(-exponent - 1)));
    out.append(all);
    return;
  }
  const auto whole = static_cast<std::size_t>(exponent) + 1;
  out.append(all.substr(0, whole));
  for (std::size_t place = count; place < whole; ++place) out.append('0');
  out.append('.');
  out.append(whole < count ? all.substr(whole) : std::string_view("0"));
}

}  // namespace loupe::inline LOUPE_ABI::wire
#endif  // LOUPE_SINGLE_WIRE_JSON_WRITER_IPP
#endif  // LOUPE_SINGLE_WIRE_JSON_WRITER_HPP
// ---- loupe/wire/protobuf.hpp
#ifndef LOUPE_SINGLE_WIRE_PROTOBUF_HPP
#define LOUPE_SINGLE_WIRE_PROTOBUF_HPP
/// @file
/// The protobuf wire format, without a schema: fields of a message one after the other.

namespace loupe::inline LOUPE_ABI::wire {

/// How a field's value is written. Groups, which are long out of use, are an error.
enum class WireType : std::uint8_t { varint = 0, fixed64 = 1, length_delimited = 2, fixed32 = 5 };

/// One field of a message.
struct Field {
  std::uint32_t number = 0;
  WireType type = WireType::varint;
  std::uint64_t bits = 0;            ///< the value of a varint or fixed field
  std::span<const std::byte> bytes;  ///< the value of a length-delimited field
  std::int64_t offset = 0;           ///< where the value begins in the file

  /// Whether it is field `wanted` in the form `form`. A known number in another form counts as unknown, as in protobuf.
  [[nodiscard]] constexpr bool is(std::uint32_t wanted, WireType form) const noexcept {
    return number == wanted && type == form;
  }
  [[nodiscard]] std::string_view text() const noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
  }
  [[nodiscard]] constexpr double as_double() const noexcept { return std::bit_cast<double>(bits); }
  [[nodiscard]] constexpr float as_float() const noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  }
};

/// Walks the fields of a message in the order of its bytes. Everything read is checked against the message's end.
/// `file` and `offset` (of the message's first byte) say in errors where it is; the bytes and `file` must outlive the
/// reader and its fields. One thread at a time.
class FieldReader {
 public:
  FieldReader(std::span<const std::byte> message, std::string_view file, std::int64_t offset) noexcept
      : begin_(message.data()),
        cursor_(begin_),
        end_(begin_ + message.size()),
        file_(file),
        offset_(offset) {}
  /// The message that a field holds.
  FieldReader(const Field& field, std::string_view file) noexcept : FieldReader(field.bytes, file, field.offset) {}

  /// The next field, or nothing at the end. Malformed bytes are `corrupt`.
  result<std::optional<Field>> next() {
    Field field;
    if (cursor_ == end_) return std::optional<Field>();
    if (const char* fault = read(field); fault != nullptr) [[unlikely]]
      return corrupt(fault);
    return std::optional(field);
  }

  /// The next number of a packed field that was opened as a message, or nothing at its end. `form` is that of a single
  /// number; the field's number is left 0.
  result<std::optional<Field>> next_packed(WireType form) {
    Field element;
    if (cursor_ == end_) return std::optional<Field>();
    element.type = form;
    element.offset = position();
    if (const char* fault = read_value(element); fault != nullptr) [[unlikely]]
      return corrupt(fault);
    return std::optional(element);
  }

 private:
  /// These return what is wrong, or null.
  const char* read_varint(std::uint64_t& number) noexcept {
    if (cursor_ != end_ && static_cast<std::uint8_t>(*cursor_) < 0x80) [[likely]] {
      number = static_cast<std::uint8_t>(*cursor_++);
      return nullptr;
    }
    return read_long_varint(number);
  }
  LOUPE_DECL const char* read_long_varint(std::uint64_t& number) noexcept;
  LOUPE_DECL const char* read(Field& field) noexcept;
  LOUPE_DECL const char* read_value(Field& field) noexcept;
  [[nodiscard]] std::int64_t position() const noexcept { return offset_ + (cursor_ - begin_); }
  [[nodiscard]] LOUPE_DECL unexpected<Error> corrupt(const char* detail) const;

  const std::byte* begin_;
  const std::byte* cursor_;
  const std::byte* end_;
  std::string_view file_;
  std::int64_t offset_;
};

/// Bytes of a varint.
constexpr std::size_t varint_size(std::uint64_t number) noexcept {
  return (static_cast<std::size_t>(std::bit_width(number | 1)) + 6) / 7;
}
/// Bytes of a varint field; field numbers up to 15 take one byte.
constexpr std::size_t varint_field_size(std::uint64_t number) noexcept { return 1 + varint_size(number); }
/// Bytes of a length-delimited field that holds `size` bytes.
constexpr std::uint64_t bytes_field_size(std::uint64_t size) noexcept { return 1 + varint_size(size) + size; }

/// Writes fields with numbers up to 15 to memory that the caller has measured: sizes come before what they count, so
/// they must be known first.
class FieldWriter {
 public:
  /// Writes to `out`, which must hold all that is written.
  explicit FieldWriter(std::byte* out) noexcept : cursor_(out) {}

  void varint(std::uint32_t number, std::uint64_t value) noexcept {
    tag(number, WireType::varint);
    put_varint(value);
  }
  void fixed64(std::uint32_t number, double value) noexcept {
    tag(number, WireType::fixed64);
    store_little_endian(cursor_, value);
    cursor_ += sizeof value;
  }
  void fixed32(std::uint32_t number, float value) noexcept {
    tag(number, WireType::fixed32);
    store_little_endian(cursor_, value);
    cursor_ += sizeof value;
  }
  /// Tag and size of a length-delimited field, whose `size` bytes are written next.
  void header(std::uint32_t number, std::uint64_t size) noexcept {
    tag(number, WireType::length_delimited);
    put_varint(size);
  }
  void text(std::uint32_t number, std::string_view value) noexcept {
    header(number, value.size());
    raw(value);
  }
  /// Bytes that belong to a field whose header was written.
  void raw(std::string_view bytes) noexcept {
    if (!bytes.empty()) std::memcpy(cursor_, bytes.data(), bytes.size());
    cursor_ += bytes.size();
  }
  /// Where the next byte goes, for a caller who writes it himself and says how many were written.
  [[nodiscard]] std::byte* position() const noexcept { return cursor_; }
  void advance(std::size_t count) noexcept { cursor_ += count; }

 private:
  void tag(std::uint32_t number, WireType type) noexcept {
    *cursor_++ = static_cast<std::byte>((number << 3) | static_cast<std::uint32_t>(type));
  }
  void put_varint(std::uint64_t value) noexcept {
    for (; value >= 0x80; value >>= 7) *cursor_++ = static_cast<std::byte>(value | 0x80);
    *cursor_++ = static_cast<std::byte>(value);
  }

  std::byte* cursor_;
};

}  // namespace loupe::inline LOUPE_ABI::wire

// ---- loupe/wire/protobuf.ipp
#ifndef LOUPE_SINGLE_WIRE_PROTOBUF_IPP
#define LOUPE_SINGLE_WIRE_PROTOBUF_IPP

namespace loupe::inline LOUPE_ABI::wire {

LOUPE_DECL unexpected<Error> FieldReader::corrupt(const char* detail) const {
  return fail_at(ErrorKind::corrupt, file_, position(), std::string_view(detail));
}

LOUPE_DECL const char* FieldReader::read_long_varint(std::uint64_t& number) noexcept {
  number = 0;
  const std::byte* position = cursor_;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (position == end_) return "a number is cut off";
    const auto byte = static_cast<std::uint8_t>(*position++);
    // Of the tenth byte only one bit has room.
    if (shift == 63 && byte > 1) return "a number has more than 64 bits";
    number |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if (byte < 0x80) {
      cursor_ = position;
      return nullptr;
    }
  }
  return "a number has more than 64 bits";
}

LOUPE_DECL const char* FieldReader::read(Field& field) noexcept {
  std::uint64_t tag = 0;
  const std::byte* const start = cursor_;
  if (const char* fault = read_varint(tag); fault != nullptr) return fault;
  if (tag > UINT32_MAX || (tag >> 3) == 0) {
    cursor_ = start;
    return "a field has an impossible number";
  }
  field.number = static_cast<std::uint32_t>(tag >> 3);
  field.type = static_cast<WireType>(tag & 7);
  field.offset = position();
  return read_value(field);
}

LOUPE_DECL const char* FieldReader::read_value(Field& field) noexcept {
  const auto left = static_cast<std::size_t>(end_ - cursor_);
  switch (field.type) {
    case WireType::varint: return read_varint(field.bits);
    case WireType::fixed64:
      if (left < 8) return "a number is cut off";
      field.bits = load_little_endian<std::uint64_t>(cursor_);
      cursor_ += 8;
      return nullptr;
    case WireType::fixed32:
      if (left < 4) return "a number is cut off";
      field.bits = load_little_endian<std::uint32_t>(cursor_);
      cursor_ += 4;
      return nullptr;
    case WireType::length_delimited: {
      std::uint64_t size = 0;
      if (const char* fault = read_varint(size); fault != nullptr) return fault;
      if (size > static_cast<std::uint64_t>(end_ - cursor_)) return "a field is longer than its message";
      field.bytes = {cursor_, static_cast<std::size_t>(size)};
      field.offset = position();
      cursor_ += size;
      return nullptr;
    }
  }
  const int form = static_cast<int>(field.type);
  return form == 3 || form == 4 ? "a field is a group, which is not supported" : "a field has no known form";
}

}  // namespace loupe::inline LOUPE_ABI::wire
#endif  // LOUPE_SINGLE_WIRE_PROTOBUF_IPP
#endif  // LOUPE_SINGLE_WIRE_PROTOBUF_HPP
// ---- loupe/wire/tfrecord.hpp
#ifndef LOUPE_SINGLE_WIRE_TFRECORD_HPP
#define LOUPE_SINGLE_WIRE_TFRECORD_HPP
/// @file
/// TFRecord: length, checksum of the length, payload, check word of the payload; nothing else (format.md 3.1, 3.3).

namespace loupe::inline LOUPE_ABI::wire {

/// Bytes before a payload, behind it, and both.
inline constexpr std::size_t record_header_size = 12;
inline constexpr std::size_t record_footer_size = 4;
inline constexpr std::size_t record_overhead = record_header_size + record_footer_size;

/// What smdebug writes behind every payload in `events/`: the masked checksum of the characters `0x12345678`.
inline constexpr std::uint32_t smdebug_check_word = 0x062DC0B3;

/// Which word stands behind a payload.
enum class PayloadCheck : std::uint8_t {
  smdebug_constant,  ///< `smdebug_check_word`: files of `events/`
  crc32c,            ///< the masked CRC-32C of the payload: TensorBoard files
};

/// What a reader verifies.
enum class RecordCheck : std::uint8_t {
  none,     ///< nothing but that the record lies within the file
  minimal,  ///< the length's checksum and the constant word, as smdebug's reader
  full,     ///< the length's checksum and the payload's
  either,   ///< the length's checksum, and one of the two words
};

/// Writes the twelve bytes before a payload of `payload_size` bytes.
LOUPE_DECL void encode_record_header(std::byte* out, std::uint64_t payload_size) noexcept;

/// The word that belongs behind a payload.
[[nodiscard]] LOUPE_DECL std::uint32_t payload_check_word(std::span<const std::byte> payload,
                                                          PayloadCheck check) noexcept;

/// A record in a file.
struct Record {
  std::span<const std::byte> payload;
  std::uint64_t start = 0;   ///< offset of the record's first byte
  std::uint64_t length = 0;  ///< of the whole record
};

/// Walks the records of a file, or of a part of one that begins with a record. `file` names it in errors and, like the
/// bytes, must outlive the reader. One thread at a time.
class RecordReader {
 public:
  RecordReader(std::span<const std::byte> bytes, std::string_view file, RecordCheck check) noexcept
      : bytes_(bytes),
        file_(file),
        check_(check) {}

  /// The next record, or nothing at the file's end. A cut-off or damaged record is `corrupt` with the offset of what is
  /// wrong; the reader stays at it.
  LOUPE_DECL result<std::optional<Record>> next();

 private:
  std::span<const std::byte> bytes_;
  std::string_view file_;
  std::size_t position_ = 0;
  RecordCheck check_;
};

}  // namespace loupe::inline LOUPE_ABI::wire

// ---- loupe/wire/tfrecord.ipp
#ifndef LOUPE_SINGLE_WIRE_TFRECORD_IPP
#define LOUPE_SINGLE_WIRE_TFRECORD_IPP

namespace loupe::inline LOUPE_ABI::wire {

LOUPE_DECL void encode_record_header(std::byte* out, std::uint64_t payload_size) noexcept {
  store_little_endian(out, payload_size);
  store_little_endian(out + 8, mask_crc32c(crc32c({out, 8})));
}

LOUPE_DECL std::uint32_t payload_check_word(std::span<const std::byte> payload, PayloadCheck check) noexcept {
  return check == PayloadCheck::smdebug_constant ? smdebug_check_word : mask_crc32c(crc32c(payload));
}

LOUPE_DECL result<std::optional<Record>> RecordReader::next() {
  const std::span<const std::byte> rest = bytes_.subspan(position_);
  if (rest.empty()) return std::optional<Record>();
  const auto corrupt = [&](std::size_t offset, std::string_view detail) {
    return fail_at(ErrorKind::corrupt, file_, static_cast<std::int64_t>(position_ + offset), detail);
  };
  if (rest.size() < record_overhead) return corrupt(0, "the file ends within a record");
  if (check_ != RecordCheck::none &&
      load_little_endian<std::uint32_t>(rest.data() + 8) != mask_crc32c(crc32c(rest.first(8))))
    return corrupt(8, "the checksum of the record's length is wrong");
  const auto payload_size = load_little_endian<std::uint64_t>(rest.data());
  if (payload_size > rest.size() - record_overhead) return corrupt(0, "the record is longer than the file");
  const auto size = static_cast<std::size_t>(payload_size);
  const std::span<const std::byte> payload = rest.subspan(record_header_size, size);
  const auto word = load_little_endian<std::uint32_t>(payload.data() + size);
  const bool takes_constant = check_ == RecordCheck::minimal || check_ == RecordCheck::either;
  const bool takes_checksum = check_ == RecordCheck::full || check_ == RecordCheck::either;
  const bool is_good = check_ == RecordCheck::none || (takes_constant && word == smdebug_check_word) ||
                       (takes_checksum && word == payload_check_word(payload, PayloadCheck::crc32c));
  if (!is_good) return corrupt(record_header_size + size, "the check word of the record's payload is wrong");
  const Record record{payload, position_, size + record_overhead};
  position_ += size + record_overhead;
  return std::optional(record);
}

}  // namespace loupe::inline LOUPE_ABI::wire
#endif  // LOUPE_SINGLE_WIRE_TFRECORD_IPP
#endif  // LOUPE_SINGLE_WIRE_TFRECORD_HPP
// ---- loupe/reduce/block_reader.hpp
#ifndef LOUPE_SINGLE_REDUCE_BLOCK_READER_HPP
#define LOUPE_SINGLE_REDUCE_BLOCK_READER_HPP
/// @file
/// A tensor as a sequence of blocks of elements that are neighbours in memory.

namespace loupe::inline LOUPE_ABI {

/// Gives the elements of a view in row-major order, so many at a time: from where they are if the view is contiguous,
/// else gathered in a buffer. The view must have a tensor of valid shape in host memory, which outlives the reader.
class BlockReader {
 public:
  explicit BlockReader(const TensorView& view) noexcept
      : view_(view),
        rest_(view.size()),
        is_contiguous_(view.contiguous()) {}

  /// The number of elements that haven't been read.
  [[nodiscard]] std::int64_t rest() const noexcept { return rest_; }
  [[nodiscard]] bool is_contiguous() const noexcept { return is_contiguous_; }

  /// The next `count` elements, at most `rest()`. `buffer` has room for them and is used if the view has gaps; what is
  /// returned is valid until it is used again.
  const std::byte* read(std::size_t count, std::byte* buffer) noexcept {
    const std::size_t width = element_size(view_.type);
    const auto* base = static_cast<const std::byte*>(view_.data);
    rest_ -= static_cast<std::int64_t>(count);
    if (is_contiguous_) {
      const std::byte* first = base + position_ * static_cast<std::int64_t>(width);
      position_ += static_cast<std::int64_t>(count);
      return first;
    }
    const std::size_t last = view_.rank() - 1;  // a view of rank 0 is contiguous
    const std::int64_t stride = view_.strides[last];
    for (std::size_t done = 0; done < count;) {
      std::int64_t run = view_.shape[last] - index_[last];
      if (run > static_cast<std::int64_t>(count - done)) run = static_cast<std::int64_t>(count - done);
      gather(base + position_ * static_cast<std::int64_t>(width), stride, run, width, buffer + done * width);
      done += static_cast<std::size_t>(run);
      position_ += stride * run;
      index_[last] += run;
      if (index_[last] == view_.shape[last]) next_row();
    }
    return buffer;
  }

 private:
  // Moves to the beginning of the next run along the last axis; beyond the last one the position means nothing.
  void next_row() noexcept {
    std::size_t axis = view_.rank() - 1;
    while (true) {
      position_ -= view_.strides[axis] * view_.shape[axis];
      index_[axis] = 0;
      if (axis == 0) return;
      --axis;
      position_ += view_.strides[axis];
      if (++index_[axis] < view_.shape[axis]) return;
    }
  }

  template <std::size_t width>
  static void gather_elements(const std::byte* from, std::int64_t stride, std::int64_t count, std::byte* to) noexcept {
    for (std::int64_t element = 0; element < count; ++element)
      std::memcpy(to + element * static_cast<std::int64_t>(width),
                  from + element * stride * static_cast<std::int64_t>(width), width);
  }
  static void gather(const std::byte* from, std::int64_t stride, std::int64_t count, std::size_t width,
                     std::byte* to) noexcept {
    if (stride == 1) {
      std::memcpy(to, from, static_cast<std::size_t>(count) * width);
      return;
    }
    switch (width) {
      case 1: return gather_elements<1>(from, stride, count, to);
      case 2: return gather_elements<2>(from, stride, count, to);
      case 4: return gather_elements<4>(from, stride, count, to);
      case 8: return gather_elements<8>(from, stride, count, to);
      default: return gather_elements<16>(from, stride, count, to);
    }
  }

  TensorView view_;
  std::int64_t rest_;
  std::int64_t position_ = 0;          // of the next element, in elements from view_.data
  std::int64_t index_[max_rank] = {};  // of the next element
  bool is_contiguous_;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_BLOCK_READER_HPP
// ---- loupe/reduce/contraction.hpp
#ifndef LOUPE_SINGLE_REDUCE_CONTRACTION_HPP
#define LOUPE_SINGLE_REDUCE_CONTRACTION_HPP
/// @file
/// Rounding that does not depend on the instruction set: products and sums are never contracted into one operation.

/// `LOUPE_NO_CONTRACTION` before a function, and `LOUPE_NO_CONTRACTION_HERE` as the first thing in its body, keep the
/// compiler from turning `a * b + c` into a fused multiply-add, which rounds once instead of twice and would make the
/// last bits depend on `-march` and on the path chosen at run time. g++ has only a function attribute (inlined, the
/// function would take its caller's setting), clang only a pragma. An always-inline body has the second alone and is
/// called from functions that have both.
///
/// `LOUPE_CONTRACTION_HERE` allows it in one body, where the product is exact and both ways give the same bits.
#if defined(__clang__)
#define LOUPE_NO_CONTRACTION
#define LOUPE_NO_CONTRACTION_HERE _Pragma("clang fp contract(off)")
#define LOUPE_CONTRACTION_HERE _Pragma("clang fp contract(fast)")
#elif defined(__GNUC__)
#define LOUPE_NO_CONTRACTION [[gnu::optimize("fp-contract=off"), gnu::noinline]]
#define LOUPE_NO_CONTRACTION_HERE
#define LOUPE_CONTRACTION_HERE
#else
#define LOUPE_NO_CONTRACTION
#define LOUPE_NO_CONTRACTION_HERE
#define LOUPE_CONTRACTION_HERE
#endif
#endif  // LOUPE_SINGLE_REDUCE_CONTRACTION_HPP
// ---- loupe/reduce/custom.hpp
#ifndef LOUPE_SINGLE_REDUCE_CUSTOM_HPP
#define LOUPE_SINGLE_REDUCE_CUSTOM_HPP
/// @file
/// Reductions that users define.

// ---- loupe/reduce/strategy.hpp
#ifndef LOUPE_SINGLE_REDUCE_STRATEGY_HPP
#define LOUPE_SINGLE_REDUCE_STRATEGY_HPP
/// @file
/// What a way of reducing tensors must offer, and what a reduction gives.

// ---- loupe/reduce/statistic.hpp
#ifndef LOUPE_SINGLE_REDUCE_STATISTIC_HPP
#define LOUPE_SINGLE_REDUCE_STATISTIC_HPP
/// @file
/// The statistics of a tensor: their kinds, sets of them, and their names. The only place that knows the names.

namespace loupe::inline LOUPE_ABI {

/// One number that describes a tensor. The first eighteen are smdebug's reductions: nine of the elements, and the same
/// nine of their absolute values. The others count elements; `first_non_finite` is the row-major index of the first
/// element that is NaN or infinite (-1 if there is none).
enum class Statistic : std::uint8_t {
  min,
  max,
  mean,
  std,
  variance,
  sum,
  prod,
  l1,
  l2,
  abs_min,
  abs_max,
  abs_mean,
  abs_std,
  abs_variance,
  abs_sum,
  abs_prod,
  abs_l1,
  abs_l2,
  nan_count,
  positive_infinity_count,
  negative_infinity_count,
  zero_count,
  first_non_finite
};

/// The number of statistics; enumerators are 0 … `statistic_count - 1`.
inline constexpr std::size_t statistic_count = 23;

/// A set of statistics: four bytes, iterated in the order of the enumeration.
class StatisticSet {
 public:
  constexpr StatisticSet() noexcept = default;
  constexpr StatisticSet(std::initializer_list<Statistic> members) noexcept {
    for (const Statistic member : members) insert(member);
  }
  constexpr StatisticSet(Statistic member) noexcept : bits_(bit(member)) {}
  /// The set of a bit mask, bit i standing for enumerator i; other bits are dropped.
  static constexpr StatisticSet from_bits(std::uint32_t bits) noexcept {
    StatisticSet set;
    set.bits_ = bits & ((std::uint32_t{1} << statistic_count) - 1);
    return set;
  }
  static constexpr StatisticSet all() noexcept { return from_bits(~std::uint32_t{0}); }

  [[nodiscard]] constexpr std::uint32_t bits() const noexcept { return bits_; }
  [[nodiscard]] constexpr bool empty() const noexcept { return bits_ == 0; }
  [[nodiscard]] constexpr std::size_t size() const noexcept { return static_cast<std::size_t>(std::popcount(bits_)); }
  [[nodiscard]] constexpr bool contains(Statistic member) const noexcept { return (bits_ & bit(member)) != 0; }
  /// Whether every member of `other` is in this set.
  [[nodiscard]] constexpr bool contains_all(StatisticSet other) const noexcept { return (other.bits_ & ~bits_) == 0; }
  /// Whether any member of `other` is in this set.
  [[nodiscard]] constexpr bool contains_any(StatisticSet other) const noexcept { return (other.bits_ & bits_) != 0; }
  constexpr void insert(Statistic member) noexcept { bits_ |= bit(member); }
  constexpr void erase(Statistic member) noexcept { bits_ &= ~bit(member); }

  friend constexpr StatisticSet operator|(StatisticSet a, StatisticSet b) noexcept {
    return from_bits(a.bits_ | b.bits_);
  }
  friend constexpr StatisticSet operator&(StatisticSet a, StatisticSet b) noexcept {
    return from_bits(a.bits_ & b.bits_);
  }
  /// The members of `a` that are not in `b`.
  friend constexpr StatisticSet operator-(StatisticSet a, StatisticSet b) noexcept {
    return from_bits(a.bits_ & ~b.bits_);
  }
  constexpr StatisticSet& operator|=(StatisticSet other) noexcept { return *this = *this | other; }
  constexpr StatisticSet& operator&=(StatisticSet other) noexcept { return *this = *this & other; }
  friend constexpr bool operator==(StatisticSet, StatisticSet) noexcept = default;

  class Iterator {
   public:
    constexpr explicit Iterator(std::uint32_t rest) noexcept : rest_(rest) {}
    constexpr Statistic operator*() const noexcept { return static_cast<Statistic>(std::countr_zero(rest_)); }
    constexpr Iterator& operator++() noexcept {
      rest_ &= rest_ - 1;
      return *this;
    }
    friend constexpr bool operator==(Iterator, Iterator) noexcept = default;

   private:
    std::uint32_t rest_;
  };
  [[nodiscard]] constexpr Iterator begin() const noexcept { return Iterator(bits_); }
  [[nodiscard]] constexpr Iterator end() const noexcept { return Iterator(0); }

 private:
  static constexpr std::uint32_t bit(Statistic member) noexcept {
    return std::uint32_t{1} << static_cast<unsigned>(member);
  }
  std::uint32_t bits_ = 0;
};

/// The eighteen that smdebug knows, writes and reads.
inline constexpr StatisticSet smdebug_statistics = StatisticSet::from_bits((std::uint32_t{1} << 18) - 1);

/// The counts and `first_non_finite`: loupe's own.
inline constexpr StatisticSet count_statistics = StatisticSet::all() - smdebug_statistics;

/// Whether it is taken of absolute values (`abs_min` … `abs_l2`).
constexpr bool is_absolute(Statistic statistic) noexcept {
  return statistic >= Statistic::abs_min && statistic <= Statistic::abs_l2;
}

/// Whether it is l1 or l2, with or without `abs_`.
constexpr bool is_norm(Statistic statistic) noexcept {
  return statistic == Statistic::l1 || statistic == Statistic::l2 || statistic == Statistic::abs_l1 ||
         statistic == Statistic::abs_l2;
}

/// The same statistic of absolute values (`min` → `abs_min`); itself where there is none.
constexpr Statistic absolute(Statistic statistic) noexcept {
  return statistic < Statistic::abs_min
             ? static_cast<Statistic>(static_cast<int>(statistic) + static_cast<int>(Statistic::abs_min))
             : statistic;
}

/// The same statistic of the elements themselves (`abs_min` → `min`); itself where there is none.
constexpr Statistic without_absolute(Statistic statistic) noexcept {
  return is_absolute(statistic)
             ? static_cast<Statistic>(static_cast<int>(statistic) - static_cast<int>(Statistic::abs_min))
             : statistic;
}

/// The name in tensor names and in code: `min`, `variance`, `abs_l2`, `nan_count`, …
constexpr std::string_view statistic_name(Statistic statistic) noexcept {
  constexpr std::string_view names[statistic_count] = {"min",
                                                       "max",
                                                       "mean",
                                                       "std",
                                                       "variance",
                                                       "sum",
                                                       "prod",
                                                       "l1",
                                                       "l2",
                                                       "abs_min",
                                                       "abs_max",
                                                       "abs_mean",
                                                       "abs_std",
                                                       "abs_variance",
                                                       "abs_sum",
                                                       "abs_prod",
                                                       "abs_l1",
                                                       "abs_l2",
                                                       "nan_count",
                                                       "positive_infinity_count",
                                                       "negative_infinity_count",
                                                       "zero_count",
                                                       "first_non_finite"};
  return names[static_cast<std::size_t>(statistic)];
}

/// The statistic of a name as `statistic_name` gives it.
constexpr std::optional<Statistic> statistic_from_name(std::string_view name) noexcept {
  for (const Statistic statistic : StatisticSet::all())
    if (statistic_name(statistic) == name) return statistic;
  return std::nullopt;
}

/// The word in configurations (format.md section 7): norms end in `_norm` (`l2_norm`, `abs_l1_norm`), the others are as
/// `statistic_name`. smdebug reads only those of `smdebug_statistics`.
constexpr std::string_view config_name(Statistic statistic) noexcept {
  switch (statistic) {
    case Statistic::l1: return "l1_norm";
    case Statistic::l2: return "l2_norm";
    case Statistic::abs_l1: return "abs_l1_norm";
    case Statistic::abs_l2: return "abs_l2_norm";
    default: return statistic_name(statistic);
  }
}

/// The statistic of a configuration's word; `l1` without `_norm` is none, as in smdebug.
constexpr std::optional<Statistic> statistic_from_config_name(std::string_view word) noexcept {
  for (const Statistic statistic : StatisticSet::all())
    if (config_name(statistic) == word) return statistic;
  return std::nullopt;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_STATISTIC_HPP

namespace loupe::inline LOUPE_ABI {

/// The most user-defined reductions that one strategy can add.
inline constexpr std::size_t max_custom_reductions = 8;

/// A user-defined reduction's value. The name lives as long as the program.
struct CustomValue {
  std::string_view name;
  Scalar value;
};

/// What reducing one tensor gave. A large object: keep it and fill it again. `values[i]` means something only where
/// `present` contains statistic i.
struct ReducedValues {
  StatisticSet present;
  Scalar values[statistic_count];
  std::uint32_t custom_count = 0;
  CustomValue custom[max_custom_reductions];

  /// The value, or null if it was not asked for or has none (the minimum of an empty tensor).
  [[nodiscard]] const Scalar* find(Statistic statistic) const noexcept {
    return present.contains(statistic) ? &values[static_cast<std::size_t>(statistic)] : nullptr;
  }
  /// The value of a user-defined reduction, or null.
  [[nodiscard]] const Scalar* find_custom(std::string_view name) const noexcept {
    for (std::uint32_t index = 0; index < custom_count; ++index)
      if (custom[index].name == name) return &custom[index].value;
    return nullptr;
  }
  void set(Statistic statistic, const Scalar& value) noexcept {
    values[static_cast<std::size_t>(statistic)] = value;
    present.insert(statistic);
  }
  void clear() noexcept {
    present = {};
    custom_count = 0;
  }
};

/// A way of reducing tensors. All members are static:
///
/// - `provides`: the statistics it can give, a constant `StatisticSet`.
/// - `Partials`: what one pass over a tensor, or over a piece of one, leaves behind.
/// - `partials(view, wanted) -> Partials`: that pass. The view has a tensor of valid shape in host memory.
/// - `merge(into, next)`: afterwards `into` stands for its own elements followed by those of `next`, which was made with
///   the same element type and the same `wanted`.
/// - `value(partials, statistic) -> result<Scalar>`: one of the `wanted` statistics, or why it has no value.
///
/// Optional: `value_of(view, statistic) -> result<Scalar>`, for a strategy that works from the tensor rather than from
/// partials; and `add_custom(view, ReducedValues&)`, see `WithCustom`.
///
/// A strategy has no state and may be used by any number of threads at once.
template <class Strategy>
concept ReductionStrategy = requires(const TensorView& view, StatisticSet wanted, typename Strategy::Partials& into,
                                     const typename Strategy::Partials& next, Statistic statistic) {
  requires StatisticSet(Strategy::provides).size() <= statistic_count;
  { Strategy::partials(view, wanted) } -> std::same_as<typename Strategy::Partials>;
  { Strategy::merge(into, next) } -> std::same_as<void>;
  { Strategy::value(next, statistic) } -> std::same_as<result<Scalar>>;
};

/// Fills `out` with the statistics of `wanted` that the strategy provides and that have a value, and with its
/// user-defined reductions. An empty view (no tensor) gives nothing. The view's memory must be readable by the host.
template <class Strategy>
void reduce_tensor(const TensorView& view, StatisticSet wanted, ReducedValues& out) {
  static_assert(ReductionStrategy<Strategy>,
                "loupe: a reduction strategy needs the static members provides, Partials, partials(view, wanted), "
                "merge(into, next) and value(partials, statistic); see loupe/reduce/strategy.hpp");
  if constexpr (ReductionStrategy<Strategy>) {
    out.clear();
    if (!view.has_tensor()) return;
    const StatisticSet given = wanted & StatisticSet(Strategy::provides);
    if constexpr (requires(Statistic statistic) { Strategy::value_of(view, statistic); }) {
      for (const Statistic statistic : given)
        if (const result<Scalar> value = Strategy::value_of(view, statistic)) out.set(statistic, *value);
    } else if (!given.empty()) {
      const typename Strategy::Partials partials = Strategy::partials(view, given);
      for (const Statistic statistic : given)
        if (const result<Scalar> value = Strategy::value(partials, statistic)) out.set(statistic, *value);
    }
    if constexpr (requires { Strategy::add_custom(view, out); }) Strategy::add_custom(view, out);
  }
}

/// `&reduce_tensor<Strategy>`: how a strategy passes the boundary behind which nothing is a template.
using ReduceFunction = void (*)(const TensorView& view, StatisticSet wanted, ReducedValues& out);

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_STRATEGY_HPP

namespace loupe::inline LOUPE_ABI {

/// A user-defined reduction:
///
/// ```cpp
/// struct DeadFraction {
///   static constexpr std::string_view name = "dead_fraction";
///   static double value(const loupe::TensorView& view);
/// };
/// ```
///
/// `value` is called with tensors of any type, rank and strides, also without elements. The name must be one that can
/// stand in a tensor's name: not empty, without `/`.
template <class Reduction>
concept CustomReduction = requires(const TensorView& view) {
  requires !std::string_view(Reduction::name).empty();
  requires std::string_view(Reduction::name).find('/') == std::string_view::npos;
  { Reduction::value(view) } -> std::same_as<double>;
};

namespace detail {

/// Whether each name stands for one reduction: no other custom one, and none of loupe's.
template <class... Reductions>
consteval bool names_one_each() {
  const std::string_view names[] = {{}, Reductions::name...};
  for (const std::string_view& name : names) {
    if (statistic_from_name(name)) return false;
    for (const std::string_view& other : names)
      if (&name != &other && name == other) return false;
  }
  return true;
}

}  // namespace detail

/// The strategy `Base`, and further reductions, which are taken of every tensor of which any reduction is wanted:
/// `WithCustom<Fused, DeadFraction>`.
template <class Base, class... Reductions>
class WithCustom : public Base {
 public:
  static_assert(ReductionStrategy<Base>,
                "loupe::WithCustom: the first argument must be a reduction strategy, such as Fused");
  static_assert((CustomReduction<Reductions> && ...),
                "loupe::WithCustom: a reduction needs 'static constexpr std::string_view name', not empty and without "
                "'/', and 'static double value(const loupe::TensorView&)'");
  static_assert(detail::names_one_each<Reductions...>(),
                "loupe::WithCustom: two reductions have one name, or one has that of a statistic of loupe's");
  static_assert(sizeof...(Reductions) <= max_custom_reductions, "loupe::WithCustom: too many reductions");

  static_assert(!requires { &Base::add_custom; },
                "loupe::WithCustom: the first argument has custom reductions already: list all of them in one WithCustom");

  static constexpr std::size_t custom_count = sizeof...(Reductions);

  /// Appends the reductions' values to `out`, in the order of the arguments.
  static void add_custom(const TensorView& view, ReducedValues& out) {
    ((out.custom[out.custom_count++] = CustomValue{Reductions::name, Scalar::from(Reductions::value(view))}), ...);
  }
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_CUSTOM_HPP
// ---- loupe/reduce/dispatch.hpp
#ifndef LOUPE_SINGLE_REDUCE_DISPATCH_HPP
#define LOUPE_SINGLE_REDUCE_DISPATCH_HPP
/// @file
/// The loops of kernel.hpp compiled for several instruction sets, one of which is chosen at run time. All give the same
/// bits.

// ---- loupe/reduce/kernel.hpp
#ifndef LOUPE_SINGLE_REDUCE_KERNEL_HPP
#define LOUPE_SINGLE_REDUCE_KERNEL_HPP
/// @file
/// The loop over one block of elements. Its results depend on the elements and their order alone: element i goes to lane
/// i mod 8 whatever the width of the vectors, and the lanes are combined in one fixed tree.

namespace loupe::inline LOUPE_ABI {

/// The number of elements in a block: what is read at once, and summed by plain addition. Pieces of a tensor that are cut
/// at multiples of it have partials that merge to exactly those of the whole.
inline constexpr std::size_t reduction_block = 4096;

/// What one pass over a block gives. Extremes pass NaN over (infinite, of the wrong sign, if there was nothing else);
/// if any element is NaN or infinite, `squares` is too.
template <class Real>
struct BlockSums {
  Real minimum;
  Real maximum;
  double sum;
  double absolute_sum;
  double squares;         ///< the sum of squares is `squares + squares_low`
  double squares_low;
  Real absolute_minimum;  ///< where asked for
  std::uint32_t zeros;    ///< where asked for
};

namespace detail {

inline constexpr std::size_t lanes = 8;

template <class Type, std::size_t bytes>
struct VectorOf {
  typedef Type type __attribute__((vector_size(bytes)));
};
template <class Type, std::size_t bytes>
using Vector = typename VectorOf<Type, bytes>::type;

#if defined(__clang__)
#define LOUPE_UNROLL(count) _Pragma(LOUPE_UNROLL_TEXT(unroll count))
#define LOUPE_UNROLL_TEXT(text) #text
#else
#define LOUPE_UNROLL(count) _Pragma(LOUPE_UNROLL_TEXT(GCC unroll count))
#define LOUPE_UNROLL_TEXT(text) #text
#endif

// g++ 12 turns this into one instruction, and __builtin_convertvector into four.
template <class Wide, class Narrow, std::size_t... lane>
LOUPE_ALWAYS_INLINE void widen(const Narrow& narrow, Wide& wide, std::index_sequence<lane...>) noexcept {
  wide = Wide{static_cast<double>(narrow[lane])...};
}

// Stores an array of vectors, one at a time: taken as a whole, its address would keep g++ from holding it in registers.
template <class Element, class Lanes, std::size_t parts>
LOUPE_ALWAYS_INLINE void store_lanes(const Lanes (&vectors)[parts], Element (&out)[lanes]) noexcept {
  static_assert(sizeof vectors == sizeof out);
  LOUPE_UNROLL(8)
  for (std::size_t part = 0; part < parts; ++part)
    std::memcpy(out + part * (lanes / parts), &vectors[part], sizeof(Lanes));
}

// Asks for memory that the loop will come to: the pause at a block's end would otherwise let the memory bus run dry.
LOUPE_ALWAYS_INLINE void prefetch_behind(const std::byte* address) noexcept {
  constexpr std::uintptr_t distance = 3072;
  __builtin_prefetch(reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(address) + distance));
}

// Adds `term` to the pair `high + low`: the rounding error of the sum, which is a double itself (Knuth), goes to `low`.
template <class Number>
LOUPE_ALWAYS_INLINE void add_with_error(Number& high, Number& low, const Number& term) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  const Number total = high + term;
  const Number added = total - high;
  low += (high - (total - added)) + (term - added);
  high = total;
}

// Adds the square of a float, which is exact: a fused multiply-add gives the same bits in half the time.
template <class Number>
LOUPE_ALWAYS_INLINE void add_exact_square(Number& sum, const Number& number) noexcept {
  LOUPE_CONTRACTION_HERE
  sum += number * number;
}

// Signed zeros and NaN are compared as the vectors do it.
template <class Real>
LOUPE_ALWAYS_INLINE Real smaller(Real a, Real b) noexcept {
  return a < b ? a : b;
}
template <class Real>
LOUPE_ALWAYS_INLINE Real larger(Real a, Real b) noexcept {
  return a > b ? a : b;
}

// What the lanes have seen. Their sums of squares are `squares + squares_low`.
template <class Real>
struct LaneSums {
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  Real minimum[lanes], maximum[lanes], absolute_minimum[lanes];
  Bits zeros[lanes];
  double sum[lanes], absolute_sum[lanes], squares[lanes], squares_low[lanes];
};

// Gives the elements left over, fewer than there are lanes, to the first lanes, and combines the lanes.
template <class Real>
LOUPE_NO_CONTRACTION void combine_lanes(LaneSums<Real>& lane, const std::byte* elements, std::size_t count,
                                        BlockSums<Real>& out) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  for (std::size_t to = 0; to < count; ++to) {
    Real number;
    std::memcpy(&number, elements + to * sizeof number, sizeof number);
    const auto absolute = static_cast<Real>(__builtin_fabs(static_cast<double>(number)));
    lane.minimum[to] = smaller(number, lane.minimum[to]);
    lane.maximum[to] = larger(number, lane.maximum[to]);
    lane.absolute_minimum[to] = smaller(absolute, lane.absolute_minimum[to]);
    lane.zeros[to] += number == 0 ? 1 : 0;
    lane.sum[to] += static_cast<double>(number);
    lane.absolute_sum[to] += static_cast<double>(absolute);
    const double square = static_cast<double>(number) * static_cast<double>(number);
    add_with_error(lane.squares[to], lane.squares_low[to], square);
  }
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t to = 0; to < half; ++to) {
      const std::size_t from = to + half;
      lane.minimum[to] = smaller(lane.minimum[from], lane.minimum[to]);
      lane.maximum[to] = larger(lane.maximum[from], lane.maximum[to]);
      lane.absolute_minimum[to] = smaller(lane.absolute_minimum[from], lane.absolute_minimum[to]);
      lane.zeros[to] += lane.zeros[from];
      lane.sum[to] += lane.sum[from];
      lane.absolute_sum[to] += lane.absolute_sum[from];
      lane.squares_low[to] += lane.squares_low[from];
      add_with_error(lane.squares[to], lane.squares_low[to], lane.squares[from]);
    }
  }
  out.minimum = lane.minimum[0];
  out.maximum = lane.maximum[0];
  out.sum = lane.sum[0];
  out.absolute_sum = lane.absolute_sum[0];
  out.squares = lane.squares[0];
  out.squares_low = lane.squares_low[0];
  out.absolute_minimum = lane.absolute_minimum[0];
  out.zeros = static_cast<std::uint32_t>(lane.zeros[0]);
}

/// The pass over a block of at most `reduction_block` elements of type `Real` (float or double) of any alignment.
/// `bytes` is the width of the vectors in which the eight lanes lie: 16, 32 or 64.
///
/// Squares of floats are exact in double. They are summed over 256 elements, of which each lane then has 32: as long as
/// the elements are of the same order of magnitude, that sum is exact too, and so is the pair in which these sums are
/// collected. A variance is therefore sound even if it is tiny beside the mean. Squares of doubles are summed plainly;
/// see `sum_deviations`.
template <class Real, std::size_t bytes, bool counting>
LOUPE_ALWAYS_INLINE void reduce_block(const std::byte* elements, std::size_t count, BlockSums<Real>& out) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  constexpr bool is_narrow = sizeof(Real) < sizeof(double);
  constexpr std::size_t wide_lanes = bytes / sizeof(double);
  constexpr std::size_t wides = lanes / wide_lanes;
  constexpr std::size_t real_lanes = bytes / sizeof(Real) < lanes ? bytes / sizeof(Real) : lanes;
  constexpr std::size_t reals = lanes / real_lanes;
  using Bits = std::conditional_t<is_narrow, std::uint32_t, std::uint64_t>;
  using RealVector = Vector<Real, real_lanes * sizeof(Real)>;
  using BitVector = Vector<Bits, real_lanes * sizeof(Real)>;
  using Wide = Vector<double, bytes>;
  using WideBits = Vector<std::uint64_t, bytes>;
  using Half = Vector<Real, wide_lanes * sizeof(Real)>;           // as many elements as `Wide` has
  constexpr Real infinity = std::numeric_limits<Real>::infinity();
  constexpr std::uint64_t magnitude = ~(std::uint64_t{1} << 63);  // all bits of a double but the sign
  constexpr auto real_magnitude = static_cast<Bits>(magnitude >> (64 - 8 * sizeof(Real)));

  RealVector minimum[reals];
  RealVector maximum[reals];
  RealVector absolute_minimum[reals];
  BitVector zeros[reals];
  Wide sum[wides];
  Wide absolute_sum[wides];
  Wide squares[wides];
  Wide squares_high[wides];
  Wide squares_low[wides];
  LOUPE_UNROLL(8)
  for (std::size_t part = 0; part < reals; ++part) {
    minimum[part] = RealVector{} + infinity;
    maximum[part] = RealVector{} - infinity;
    absolute_minimum[part] = RealVector{} + infinity;
    zeros[part] = BitVector{};
  }
  LOUPE_UNROLL(8)
  for (std::size_t part = 0; part < wides; ++part)
    sum[part] = absolute_sum[part] = squares[part] = squares_high[part] = squares_low[part] = Wide{};

  const std::size_t whole = count / lanes * lanes;
  constexpr std::size_t stretch = is_narrow ? 256 : reduction_block;
  for (std::size_t first = 0; first < whole; first += stretch) {
    const std::size_t last = whole - first < stretch ? whole : first + stretch;
    LOUPE_UNROLL(2)
    for (std::size_t element = first; element < last; element += lanes) {
      const std::byte* address = elements + element * sizeof(Real);
      prefetch_behind(address);
      LOUPE_UNROLL(8)
      for (std::size_t part = 0; part < reals; ++part) {
        RealVector number;
        std::memcpy(&number, address + part * sizeof number, sizeof number);
        minimum[part] = number < minimum[part] ? number : minimum[part];
        maximum[part] = number > maximum[part] ? number : maximum[part];
        if constexpr (counting) {
          const BitVector absolute_bits = (BitVector)number & real_magnitude;
          const RealVector absolute = (RealVector)absolute_bits;
          absolute_minimum[part] = absolute < absolute_minimum[part] ? absolute : absolute_minimum[part];
          zeros[part] -= (BitVector)(absolute_bits == BitVector{});
        }
      }
      LOUPE_UNROLL(8)
      for (std::size_t part = 0; part < wides; ++part) {
        Half narrow;
        Wide number;
        std::memcpy(&narrow, address + part * sizeof narrow, sizeof narrow);
        if constexpr (is_narrow) widen(narrow, number, std::make_index_sequence<wide_lanes>());
        else number = narrow;
        sum[part] += number;
        absolute_sum[part] += (Wide)((WideBits)number & magnitude);
        if constexpr (is_narrow) add_exact_square(squares[part], number);
        else squares[part] += number * number;
      }
    }
    if constexpr (is_narrow) {
      LOUPE_UNROLL(8)
      for (std::size_t part = 0; part < wides; ++part) {
        add_with_error(squares_high[part], squares_low[part], squares[part]);
        squares[part] = Wide{};
      }
    }
  }

  LaneSums<Real> lane;
  store_lanes(minimum, lane.minimum);
  store_lanes(maximum, lane.maximum);
  store_lanes(sum, lane.sum);
  store_lanes(absolute_sum, lane.absolute_sum);
  store_lanes(is_narrow ? squares_high : squares, lane.squares);
  store_lanes(squares_low, lane.squares_low);
  store_lanes(absolute_minimum, lane.absolute_minimum);
  store_lanes(zeros, lane.zeros);
  combine_lanes(lane, elements + whole * sizeof(Real), count - whole, out);
}

/// The sums of `d` and of its square, where d is the element, or its absolute value, less `pivot`.
template <std::size_t bytes, bool absolute>
LOUPE_ALWAYS_INLINE void sum_deviations(const std::byte* elements, std::size_t count, double pivot, double& sum,
                                        double& squares) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  constexpr std::size_t wide_lanes = bytes / sizeof(double);
  constexpr std::size_t wides = lanes / wide_lanes;
  using Wide = Vector<double, bytes>;
  using WideBits = Vector<std::uint64_t, bytes>;
  constexpr std::uint64_t magnitude = absolute ? ~(std::uint64_t{1} << 63) : ~std::uint64_t{0};
  Wide sums[wides];
  Wide square_sums[wides];
  LOUPE_UNROLL(8)
  for (std::size_t part = 0; part < wides; ++part) sums[part] = square_sums[part] = Wide{};
  const std::size_t whole = count / lanes * lanes;
  for (std::size_t element = 0; element < whole; element += lanes) {
    LOUPE_UNROLL(8)
    for (std::size_t part = 0; part < wides; ++part) {
      Wide number;
      std::memcpy(&number, elements + element * sizeof(double) + part * sizeof number, sizeof number);
      number = (Wide)((WideBits)number & magnitude) - pivot;
      sums[part] += number;
      square_sums[part] += number * number;
    }
  }
  double lane_sums[lanes];
  double lane_squares[lanes];
  store_lanes(sums, lane_sums);
  store_lanes(square_sums, lane_squares);
  for (std::size_t element = whole; element < count; ++element) {
    std::uint64_t bits;
    std::memcpy(&bits, elements + element * sizeof bits, sizeof bits);
    const double deviation = std::bit_cast<double>(bits & magnitude) - pivot;
    lane_sums[element - whole] += deviation;
    lane_squares[element - whole] += deviation * deviation;
  }
  for (std::size_t half = lanes / 2; half > 0; half /= 2) {
    for (std::size_t to = 0; to < half; ++to) {
      lane_sums[to] += lane_sums[to + half];
      lane_squares[to] += lane_squares[to + half];
    }
  }
  sum = lane_sums[0];
  squares = lane_squares[0];
}

/// The product of a block's elements, all of them finite, normal and not zero: that of each lane is
/// `mantissas * 2^exponents`. The mantissas are multiplied as numbers in [1, 2), the exponents added, so that nothing
/// overflows.
template <class Real, std::size_t bytes>
LOUPE_ALWAYS_INLINE void multiply_lanes(const std::byte* elements, std::size_t count, double (&mantissas)[lanes],
                                        std::int64_t (&exponents)[lanes]) noexcept {
  constexpr std::size_t wide_lanes = bytes / sizeof(double);
  constexpr std::size_t wides = lanes / wide_lanes;
  using Wide = Vector<double, bytes>;
  using WideBits = Vector<std::uint64_t, bytes>;
  using Half = Vector<Real, wide_lanes * sizeof(Real)>;
  constexpr std::uint64_t bias = 1023;
  constexpr std::uint64_t one = bias << 52;  // the bits of 1.0
  constexpr std::uint64_t mantissa_and_sign = 0x800FFFFFFFFFFFFFu;
  Wide product[wides];
  WideBits exponent[wides];
  LOUPE_UNROLL(8)
  for (std::size_t part = 0; part < wides; ++part) {
    product[part] = Wide{} + 1.0;
    exponent[part] = WideBits{};
  }
  const std::size_t whole = count / lanes * lanes;
  // A last group that isn't whole is filled up with ones.
  Real rest[lanes] = {1, 1, 1, 1, 1, 1, 1, 1};
  std::memcpy(rest, elements + whole * sizeof(Real), (count - whole) * sizeof(Real));
  for (std::size_t element = 0; element <= whole; element += lanes) {
    const auto* address =
        element < whole ? elements + element * sizeof(Real) : reinterpret_cast<const std::byte*>(rest);
    LOUPE_UNROLL(8)
    for (std::size_t part = 0; part < wides; ++part) {
      Half narrow;
      Wide number;
      std::memcpy(&narrow, address + part * sizeof narrow, sizeof narrow);
      if constexpr (sizeof(Real) < sizeof(double)) widen(narrow, number, std::make_index_sequence<wide_lanes>());
      else number = narrow;
      exponent[part] += (((WideBits)number >> 52) & 0x7FFu) - bias;
      product[part] *= (Wide)(((WideBits)number & mantissa_and_sign) | one);
    }
  }
  store_lanes(product, mantissas);
  store_lanes(exponent, exponents);
}

}  // namespace detail
}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_KERNEL_HPP

namespace loupe::inline LOUPE_ABI {

/// What the loops are compiled for. `baseline` is what the whole program is compiled for (SSE2 on x86-64).
enum class InstructionSet : std::uint8_t { baseline, avx2, avx512 };

/// The best set that this processor has and loupe was built with; with `LOUPE_NO_INTRINSICS` always `baseline`.
[[nodiscard]] LOUPE_DECL InstructionSet best_instruction_set() noexcept;

/// The loops for one instruction set. Each takes at most `reduction_block` elements of any alignment; the counting ones
/// also fill `absolute_minimum` and `zeros`.
struct ReductionKernels {
  using Floats = void (*)(const std::byte* elements, std::size_t count, BlockSums<float>& out) noexcept;
  using Doubles = void (*)(const std::byte* elements, std::size_t count, BlockSums<double>& out) noexcept;
  using Widen = void (*)(const std::byte* elements, std::size_t count, float* out) noexcept;
  using Multiply = void (*)(const std::byte* elements, std::size_t count, double (&mantissas)[detail::lanes],
                            std::int64_t (&exponents)[detail::lanes]) noexcept;
  Floats floats;
  Floats floats_counting;
  Doubles doubles;
  Doubles doubles_counting;
  Multiply multiply_floats;
  Multiply multiply_doubles;
  Widen widen_float16;
  Widen widen_bfloat16;
};

/// The loops for `set`, which the processor must have.
[[nodiscard]] LOUPE_DECL const ReductionKernels& reduction_kernels(InstructionSet set) noexcept;

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/reduce/dispatch.ipp
#ifndef LOUPE_SINGLE_REDUCE_DISPATCH_IPP
#define LOUPE_SINGLE_REDUCE_DISPATCH_IPP

namespace loupe::inline LOUPE_ABI {
namespace detail {

// Four float16 numbers, each in the lower half of 32 bits, as floats. Exact.
LOUPE_ALWAYS_INLINE void widen_four(const Vector<std::uint32_t, 16>& half, std::byte* out) noexcept {
  using Bits = Vector<std::uint32_t, 16>;
  using Floats = Vector<float, 16>;
  const Bits sign = (half & 0x8000u) << 16;
  const Bits magnitude = (half & 0x7FFFu) << 13;
  const Bits normal = magnitude + (magnitude >= 0x0F800000u ? Bits{} + (224u << 23) : Bits{} + (112u << 23));
  // A subnormal number is the mantissa of a float between 2^-14 and 2^-13, less 2^-14.
  const Bits subnormal = (Bits)((Floats)(magnitude + (113u << 23)) - 0x1p-14f);
  const Bits bits = sign | (magnitude < 0x00800000u ? subnormal : normal);
  std::memcpy(out, &bits, sizeof bits);
}

// `Half` is Float16 or BFloat16.
template <class Half>
LOUPE_ALWAYS_INLINE void widen_block(const std::byte* elements, std::size_t count, float* out) noexcept {
  using Halves = Vector<std::uint16_t, 16>;
  using Bits = Vector<std::uint32_t, 16>;
  auto* to = reinterpret_cast<std::byte*>(out);
  const std::size_t whole = count / lanes * lanes;
  for (std::size_t element = 0; element < whole; element += lanes) {
    Halves halves;
    std::memcpy(&halves, elements + 2 * element, sizeof halves);
    static_assert(std::endian::native == std::endian::little);
    if constexpr (std::is_same_v<Half, Float16>) {
      widen_four((Bits)__builtin_shufflevector(halves, Halves{}, 0, 8, 1, 9, 2, 10, 3, 11), to + 4 * element);
      widen_four((Bits)__builtin_shufflevector(halves, Halves{}, 4, 12, 5, 13, 6, 14, 7, 15), to + 4 * element + 16);
    } else {
      const Halves first = __builtin_shufflevector(halves, Halves{}, 8, 0, 9, 1, 10, 2, 11, 3);
      const Halves second = __builtin_shufflevector(halves, Halves{}, 12, 4, 13, 5, 14, 6, 15, 7);
      std::memcpy(to + 4 * element, &first, sizeof first);
      std::memcpy(to + 4 * element + 16, &second, sizeof second);
    }
  }
  for (std::size_t element = whole; element < count; ++element) {
    Half half;
    std::memcpy(&half, elements + 2 * element, sizeof half);
    out[element] = to_float(half);
  }
}

// The loops over floats may contract their only product, which is exact; see kernel.hpp.
#define LOUPE_REDUCTION_KERNELS(set, bytes, ...)                                                                       \
  __VA_ARGS__ inline void floats_##set(const std::byte* elements, std::size_t count, BlockSums<float>& out) noexcept { \
    reduce_block<float, bytes, false>(elements, count, out);                                                           \
  }                                                                                                                    \
  __VA_ARGS__ inline void floats_counting_##set(const std::byte* elements, std::size_t count,                          \
                                                BlockSums<float>& out) noexcept {                                      \
    reduce_block<float, bytes, true>(elements, count, out);                                                            \
  }                                                                                                                    \
  LOUPE_NO_CONTRACTION __VA_ARGS__ inline void doubles_##set(const std::byte* elements, std::size_t count,             \
                                                             BlockSums<double>& out) noexcept {                        \
    reduce_block<double, bytes, false>(elements, count, out);                                                          \
  }                                                                                                                    \
  LOUPE_NO_CONTRACTION __VA_ARGS__ inline void doubles_counting_##set(const std::byte* elements, std::size_t count,    \
                                                                      BlockSums<double>& out) noexcept {               \
    reduce_block<double, bytes, true>(elements, count, out);                                                           \
  }                                                                                                                    \
  __VA_ARGS__ inline void multiply_floats_##set(const std::byte* elements, std::size_t count,                          \
                                                double(&mantissas)[lanes], std::int64_t(&exponents)[lanes]) noexcept { \
    multiply_lanes<float, bytes>(elements, count, mantissas, exponents);                                               \
  }                                                                                                                    \
  __VA_ARGS__ inline void multiply_doubles_##set(const std::byte* elements, std::size_t count,                         \
                                                 double(&mantissas)[lanes],                                            \
                                                 std::int64_t(&exponents)[lanes]) noexcept {                           \
    multiply_lanes<double, bytes>(elements, count, mantissas, exponents);                                              \
  }                                                                                                                    \
  __VA_ARGS__ inline void widen_float16_##set(const std::byte* elements, std::size_t count, float* out) noexcept {     \
    widen_block<Float16>(elements, count, out);                                                                        \
  }                                                                                                                    \
  __VA_ARGS__ inline void widen_bfloat16_##set(const std::byte* elements, std::size_t count, float* out) noexcept {    \
    widen_block<BFloat16>(elements, count, out);                                                                       \
  }                                                                                                                    \
  inline constexpr ReductionKernels kernels_##set = {                                                                  \
      floats_##set,          floats_counting_##set,  doubles_##set,       doubles_counting_##set,                      \
      multiply_floats_##set, multiply_doubles_##set, widen_float16_##set, widen_bfloat16_##set};

LOUPE_REDUCTION_KERNELS(baseline, 16)
#if LOUPE_HAS_X86_DISPATCH
LOUPE_REDUCTION_KERNELS(avx2, 32, [[gnu::target("avx2,fma")]])
LOUPE_REDUCTION_KERNELS(avx512, 64, [[gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]])
#endif
#undef LOUPE_REDUCTION_KERNELS

}  // namespace detail

LOUPE_DECL InstructionSet best_instruction_set() noexcept {
#if LOUPE_HAS_X86_DISPATCH
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return InstructionSet::baseline;
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return has_avx512 ? InstructionSet::avx512 : InstructionSet::avx2;
#else
  return InstructionSet::baseline;
#endif
}

LOUPE_DECL const ReductionKernels& reduction_kernels([[maybe_unused]] InstructionSet set) noexcept {
#if LOUPE_HAS_X86_DISPATCH
  if (set == InstructionSet::avx512) return detail::kernels_avx512;
  if (set == InstructionSet::avx2) return detail::kernels_avx2;
#endif
  return detail::kernels_baseline;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_DISPATCH_IPP
#endif  // LOUPE_SINGLE_REDUCE_DISPATCH_HPP
// ---- loupe/reduce/exact_sum.hpp
#ifndef LOUPE_SINGLE_REDUCE_EXACT_SUM_HPP
#define LOUPE_SINGLE_REDUCE_EXACT_SUM_HPP
/// @file
/// Sums of doubles without rounding: what makes merging associative.

namespace loupe::inline LOUPE_ABI {

/// The exact sum of any doubles: a fixed-point number with one digit (a limb of 32 bits) for each 32 binary places from
/// 2^-1074 to 2^1100. Adding is exact, so neither the order of the terms nor the cutting into partial sums matters; only
/// `value` rounds, once. Infinities and NaN behave as in a sum of doubles. Only the limbs in use are kept initialised.
///
/// After the "small superaccumulator" of R. M. Neal, Fast exact summation using small and large superaccumulators (2015).
class ExactSum {
 public:
  ExactSum() noexcept {}  // NOLINT: limbs outside [low_, high_) are never read
  LOUPE_DECL ExactSum(const ExactSum& other) noexcept;
  LOUPE_DECL ExactSum& operator=(const ExactSum& other) noexcept;

  LOUPE_DECL void add(double term) noexcept;
  /// Adds `a * b` with a relative error below 2^-105. Where the product overflows or is below 2^-960 it is rounded.
  LOUPE_DECL void add_product(double a, double b) noexcept;
  LOUPE_DECL void merge(const ExactSum& other) noexcept;

  /// The sum rounded to nearest, ties to even; 0 if there were no terms.
  [[nodiscard]] LOUPE_DECL double value() const noexcept;
  /// The sum as three doubles of falling size; the first is `value()`. Together they have 159 bits.
  LOUPE_DECL void expand(double (&parts)[3]) const noexcept;

 private:
  static constexpr int limb_count = 70;
  LOUPE_DECL void open(int first, int last) noexcept;
  LOUPE_DECL void carry() noexcept;

  std::int64_t limbs_[limb_count];  // limb i counts in units of 2^(32 i - 1074)
  double special_ = 0;              // the sum of terms that are not finite
  int low_ = limb_count;
  int high_ = 0;
  std::uint32_t terms_ = 0;  // an upper bound of |limb| / 2^32
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/reduce/exact_sum.ipp
#ifndef LOUPE_SINGLE_REDUCE_EXACT_SUM_IPP
#define LOUPE_SINGLE_REDUCE_EXACT_SUM_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL ExactSum::ExactSum(const ExactSum& other) noexcept { *this = other; }

LOUPE_DECL ExactSum& ExactSum::operator=(const ExactSum& other) noexcept {
  if (this == &other) return *this;
  special_ = other.special_;
  low_ = other.low_;
  high_ = other.high_;
  terms_ = other.terms_;
  for (int limb = low_; limb < high_; ++limb) limbs_[limb] = other.limbs_[limb];
  return *this;
}

LOUPE_DECL void ExactSum::open(int first, int last) noexcept {
  if (low_ >= high_) low_ = high_ = first;
  while (low_ > first) limbs_[--low_] = 0;
  while (high_ < last) limbs_[high_++] = 0;
}

LOUPE_DECL void ExactSum::carry() noexcept {
  constexpr std::int64_t base = std::int64_t{1} << 32;
  for (int limb = low_; limb < high_; ++limb) {
    const bool is_top = limb + 1 == high_;
    if (is_top && limbs_[limb] > -base && limbs_[limb] < base) break;
    if (is_top) limbs_[high_++] = 0;
    const std::int64_t over = limbs_[limb] >> 32;
    limbs_[limb] -= over * base;
    limbs_[limb + 1] += over;
  }
  terms_ = 2;
}

LOUPE_DECL void ExactSum::add(double term) noexcept {
  const auto bits = std::bit_cast<std::uint64_t>(term);
  const auto exponent = static_cast<int>((bits >> 52) & 0x7FF);
  if (exponent == 0x7FF) {
    special_ += term;
    return;
  }
  std::uint64_t mantissa = bits & 0xFFFFFFFFFFFFFu;
  if (exponent != 0) mantissa |= std::uint64_t{1} << 52;
  if (mantissa == 0) return;
  const int place = exponent != 0 ? exponent - 1 : 0;
  const int limb = place >> 5;
  const int shift = place & 31;
  // The mantissa, shifted, spans up to three limbs.
  const auto lowest = static_cast<std::int64_t>((mantissa << shift) & 0xFFFFFFFFu);
  const std::uint64_t rest = (mantissa >> (32 - shift));
  const auto middle = static_cast<std::int64_t>(rest & 0xFFFFFFFFu);
  const auto highest = static_cast<std::int64_t>(rest >> 32);
  if (limb < low_ || limb + 3 > high_) open(limb, limb + 3);
  if ((bits >> 63) == 0) {
    limbs_[limb] += lowest;
    limbs_[limb + 1] += middle;
    limbs_[limb + 2] += highest;
  } else {
    limbs_[limb] -= lowest;
    limbs_[limb + 1] -= middle;
    limbs_[limb + 2] -= highest;
  }
  if (++terms_ >= std::uint32_t{1} << 29) carry();
}

LOUPE_DECL void ExactSum::add_product(double a, double b) noexcept {
  const double product = a * b;
  const double magnitude = product < 0 ? -product : product;
  if (!(magnitude >= 0x1p-960 && magnitude <= 0x1p1000)) {
    add(product);
    return;
  }
  // Halves of at most 27 bits, whose products are exact (that of the lower halves nearly).
  const auto upper_half = [](double number) noexcept {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(number) & ~std::uint64_t{0x7FFFFFF});
  };
  const double a_high = upper_half(a);
  const double b_high = upper_half(b);
  const double a_low = a - a_high;
  const double b_low = b - b_high;
  add(a_high * b_high);
  add(a_high * b_low);
  add(a_low * b_high);
  add(a_low * b_low);
}

LOUPE_DECL void ExactSum::merge(const ExactSum& other) noexcept {
  special_ += other.special_;
  if (other.low_ >= other.high_) return;
  if (terms_ + other.terms_ >= std::uint32_t{1} << 29) carry();
  open(other.low_, other.high_);
  for (int limb = other.low_; limb < other.high_; ++limb) limbs_[limb] += other.limbs_[limb];
  terms_ += other.terms_;
}

LOUPE_DECL double ExactSum::value() const noexcept {
  if (special_ != 0) return special_;
  // Digits of base 2^32, all positive, carries being passed upward; of the negated sum if it is negative.
  std::uint64_t digits[limb_count + 1];
  const auto spread = [&](std::int64_t factor) {
    std::int64_t over = 0;
    for (int limb = low_; limb < high_; ++limb) {
      const std::int64_t total = factor * limbs_[limb] + over;
      digits[limb] = static_cast<std::uint64_t>(total) & 0xFFFFFFFFu;
      over = total >> 32;
    }
    digits[high_] = static_cast<std::uint64_t>(over);
    return over;
  };
  const bool is_negative = spread(1) < 0;
  if (is_negative) spread(-1);
  int top = high_;
  while (top >= low_ && digits[top] == 0) --top;
  if (top < low_) return 0;
  const auto digit = [&](int limb) { return limb >= low_ && limb <= top ? digits[limb] : 0; };
  const double sign = is_negative ? -1.0 : 1.0;
  const int leading = 32 * top + 31 - std::countl_zero(static_cast<std::uint32_t>(digits[top]));
  const int lowest = leading - 52;  // the place of the result's last bit
  if (lowest <= 0) return sign * std::bit_cast<double>(digit(0) | (digit(1) << 32));
  if (lowest > 2045) return sign * __builtin_inf();
  const int limb = lowest >> 5;
  const int shift = lowest & 31;
  std::uint64_t mantissa =
      (digit(limb) >> shift) | (digit(limb + 1) << (32 - shift)) | ((digit(limb + 2) << 32) << (32 - shift));
  mantissa &= 0x1FFFFFFFFFFFFFu;
  const int half_place = lowest - 1;
  const std::uint64_t half_digit = digit(half_place >> 5);
  const std::uint64_t half = (half_digit >> (half_place & 31)) & 1u;
  bool is_more = (half_digit & ((std::uint64_t{1} << (half_place & 31)) - 1)) != 0;
  for (int below = (half_place >> 5) - 1; !is_more && below >= low_; --below) is_more = digits[below] != 0;
  if (half != 0 && (is_more || (mantissa & 1u) != 0)) ++mantissa;
  // A mantissa with its leading one at bit 52 adds one to the exponent field.
  return sign * std::bit_cast<double>((static_cast<std::uint64_t>(lowest) << 52) + mantissa);
}

LOUPE_DECL void ExactSum::expand(double (&parts)[3]) const noexcept {
  parts[0] = value();
  parts[1] = parts[2] = 0;
  if (special_ != 0 || parts[0] - parts[0] != 0) return;
  ExactSum rest(*this);
  rest.add(-parts[0]);
  parts[1] = rest.value();
  rest.add(-parts[1]);
  parts[2] = rest.value();
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_EXACT_SUM_IPP
#endif  // LOUPE_SINGLE_REDUCE_EXACT_SUM_HPP
// ---- loupe/reduce/fused.hpp
#ifndef LOUPE_SINGLE_REDUCE_FUSED_HPP
#define LOUPE_SINGLE_REDUCE_FUSED_HPP
/// @file
/// loupe's own definitions of the statistics, and the default of a hook.

// ---- loupe/reduce/partials.hpp
#ifndef LOUPE_SINGLE_REDUCE_PARTIALS_HPP
#define LOUPE_SINGLE_REDUCE_PARTIALS_HPP
/// @file
/// What one pass over a tensor leaves behind: sums and extremes from which every statistic follows, and which merge.

// ---- loupe/reduce/scaled_product.hpp
#ifndef LOUPE_SINGLE_REDUCE_SCALED_PRODUCT_HPP
#define LOUPE_SINGLE_REDUCE_SCALED_PRODUCT_HPP
/// @file
/// Products of doubles that neither overflow nor underflow on the way.

namespace loupe::inline LOUPE_ABI {

/// A product of finite doubles: a sign, a mantissa of 106 bits and an exponent. Each multiplication errs by less than
/// 2^-102, so the order in which products are merged can't be seen in `value`, short of a coincidence in 2^-45.
class ScaledProduct {
 public:
  /// Multiplies by `mantissa * 2^exponent`; `mantissa` is finite.
  LOUPE_DECL void multiply(double mantissa, std::int64_t exponent = 0) noexcept;
  LOUPE_DECL void merge(const ScaledProduct& other) noexcept;
  /// The product rounded to a double: infinite when it is too large; 1 if there were no factors.
  [[nodiscard]] LOUPE_DECL double value() const noexcept;
  [[nodiscard]] bool is_zero() const noexcept { return is_zero_; }
  /// -1 or 1: the product of the factors' signs, also when the product is zero.
  [[nodiscard]] double sign() const noexcept { return is_negative_ ? -1 : 1; }

 private:
  LOUPE_DECL void multiply_magnitude(double high, double low) noexcept;

  double high_ = 1;  // in [1, 2)
  double low_ = 0;
  std::int64_t exponent_ = 0;
  bool is_negative_ = false;
  bool is_zero_ = false;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/reduce/scaled_product.ipp
#ifndef LOUPE_SINGLE_REDUCE_SCALED_PRODUCT_IPP
#define LOUPE_SINGLE_REDUCE_SCALED_PRODUCT_IPP

namespace loupe::inline LOUPE_ABI {

namespace detail {

// Multiplies the pair `high + low` by another, the magnitudes of the highs being in [1, 2).
LOUPE_NO_CONTRACTION inline void multiply_pair(double& high, double& low, double by_high, double by_low) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  const auto upper_half = [](double number) noexcept {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(number) & ~std::uint64_t{0x7FFFFFF});
  };
  const double a = upper_half(high);
  const double a_rest = high - a;
  const double b = upper_half(by_high);
  const double b_rest = by_high - b;
  // The product of the highs with its rounding error (Dekker), and the cross terms.
  const double product = high * by_high;
  const double error = ((a * b - product) + a * b_rest + a_rest * b) + a_rest * b_rest;
  const double lesser = error + (high * by_low + low * by_high);
  high = product + lesser;
  low = lesser - (high - product);
}

}  // namespace detail

LOUPE_DECL void ScaledProduct::multiply_magnitude(double high, double low) noexcept {
  detail::multiply_pair(high_, low_, high, low);
  const double scale = high_ >= 2 ? 0.5 : high_ < 1 ? 2 : 1;
  high_ *= scale;
  low_ *= scale;
  if (scale == 0.5) ++exponent_;
  if (scale == 2) --exponent_;
}

LOUPE_DECL void ScaledProduct::multiply(double mantissa, std::int64_t exponent) noexcept {
  if (__builtin_signbit(mantissa)) is_negative_ = !is_negative_;
  if (mantissa == 0) {
    is_zero_ = true;
    return;
  }
  int shift = 0;
  const double half = __builtin_frexp(__builtin_fabs(mantissa), &shift);
  exponent_ += exponent + shift - 1;
  multiply_magnitude(2 * half, 0);
}

LOUPE_DECL void ScaledProduct::merge(const ScaledProduct& other) noexcept {
  if (other.is_negative_) is_negative_ = !is_negative_;
  is_zero_ = is_zero_ || other.is_zero_;
  exponent_ += other.exponent_;
  multiply_magnitude(other.high_, other.low_);
}

LOUPE_DECL double ScaledProduct::value() const noexcept {
  if (is_zero_) return 0 * sign();
  const std::int64_t limit = 4096;
  const std::int64_t exponent = exponent_ > limit ? limit : exponent_ < -limit ? -limit : exponent_;
  return sign() * __builtin_ldexp(high_ + low_, static_cast<int>(exponent));
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_SCALED_PRODUCT_IPP
#endif  // LOUPE_SINGLE_REDUCE_SCALED_PRODUCT_HPP

namespace loupe::inline LOUPE_ABI {

struct ReductionKernels;

/// Numbers of elements that are not finite.
struct NonFinite {
  std::int64_t nan = 0;
  std::int64_t positive_infinity = 0;
  std::int64_t negative_infinity = 0;

  [[nodiscard]] bool none() const noexcept { return nan == 0 && positive_infinity == 0 && negative_infinity == 0; }
  void merge(const NonFinite& other) noexcept {
    nan += other.nan;
    positive_infinity += other.positive_infinity;
    negative_infinity += other.negative_infinity;
  }
};

/// The sum and the sum of squares of a sequence. Blocks with an element that is not finite are left out: with it, every
/// result is NaN or infinite anyway, as `non_finite` says.
struct Moments {
  ExactSum sum;
  ExactSum squares;
  NonFinite non_finite;

  /// The sum; NaN or infinite as a sum of doubles would be.
  [[nodiscard]] LOUPE_DECL double total() const noexcept;
  LOUPE_DECL void merge(const Moments& other) noexcept;
};

/// Sums of integers modulo 2^64, and the extremes of those of 64 bits.
struct IntegerPartials {
  std::uint64_t sum = 0;
  std::uint64_t absolute_sum = 0;
  std::uint64_t product = 1;
  std::uint64_t absolute_product = 1;
  std::int64_t minimum = std::numeric_limits<std::int64_t>::max();             ///< of int64
  std::int64_t maximum = std::numeric_limits<std::int64_t>::min();
  std::uint64_t absolute_minimum = std::numeric_limits<std::uint64_t>::max();  ///< of int64 and uint64
  std::uint64_t absolute_maximum = 0;

  LOUPE_DECL void merge(const IntegerPartials& other) noexcept;
};

/// What one pass over a tensor, or over a piece of one, leaves behind. Merging is associative: pieces cut at multiples of
/// `reduction_block` elements have partials that merge to those of the whole, in whatever groups.
struct Partials {
  ElementType type = ElementType::none;
  StatisticSet wanted;
  std::int64_t count = 0;
  std::int64_t zeros = 0;                                    ///< where `abs_min` or `zero_count` is wanted
  std::int64_t first_non_finite = -1;
  double minimum = std::numeric_limits<double>::infinity();  ///< extremes pass NaN over; not of 64-bit integers
  double maximum = -std::numeric_limits<double>::infinity();
  double absolute_minimum = std::numeric_limits<double>::infinity();  ///< where `abs_min` or `zero_count` is wanted
  Moments real;           ///< of the elements, of complex ones the real parts
  Moments imaginary;
  Moments absolute;       ///< of absolute values; see `absolute_squares`
  NonFinite non_finite;   ///< of the elements; infinite complex numbers count as positive
  IntegerPartials integer;
  ScaledProduct product;  ///< where wanted; of finite elements and the signs of infinite ones; complex: of magnitudes

  /// The pass. The view has a tensor of valid shape in host memory. A tensor of strings has partials without any value.
  [[nodiscard]] static LOUPE_DECL Partials of(const TensorView& view, StatisticSet wanted);
  /// The pass with the loops of one instruction set.
  [[nodiscard]] static LOUPE_DECL Partials of(const TensorView& view, StatisticSet wanted,
                                              const ReductionKernels& kernels);
  /// Takes in the partials of the elements that follow.
  LOUPE_DECL void merge(const Partials& next) noexcept;

  /// The sum of the elements (of complex ones the real parts), or of their absolute values: NaN if an element is, infinite
  /// if one is, NaN where infinities cancel.
  [[nodiscard]] LOUPE_DECL double total(bool of_absolute) const noexcept;
  /// The squares of the absolute values: those of the elements, unless these were doubles on the way, of which squares
  /// are rounded; then each mean has its own, rounded so that it doesn't spoil the differences from that mean.
  [[nodiscard]] LOUPE_DECL const ExactSum& absolute_squares() const noexcept;
  /// The sum of squared differences of the elements from their mean, or of their absolute values from theirs: NaN if an
  /// element is not finite, infinite if squares overflow. However small it is beside the squares, it is as precise as
  /// the elements allow.
  [[nodiscard]] LOUPE_DECL double squared_deviations(bool of_absolute) const noexcept;
  /// The square root of the sum of squares.
  [[nodiscard]] LOUPE_DECL double euclidean_norm() const noexcept;
  /// The product of the elements, or of their magnitudes (of complex elements the latter).
  [[nodiscard]] LOUPE_DECL double product_value(bool of_absolute) const noexcept;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/reduce/partials.ipp
#ifndef LOUPE_SINGLE_REDUCE_PARTIALS_IPP
#define LOUPE_SINGLE_REDUCE_PARTIALS_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL double Moments::total() const noexcept {
  if (non_finite.none()) return sum.value();
  if (non_finite.nan != 0 || (non_finite.positive_infinity != 0 && non_finite.negative_infinity != 0))
    return __builtin_nan("");
  return non_finite.positive_infinity != 0 ? __builtin_inf() : -__builtin_inf();
}

namespace detail {

// The sum of squared differences from the mean, of `count` > 0 numbers whose sum and sum of squares are known.
LOUPE_NO_CONTRACTION inline double squared_deviations(const ExactSum& sum, const ExactSum& squares,
                                                      std::int64_t count) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  if (count == 1) return 0;
  const double square_total = squares.value();
  if (!(square_total <= std::numeric_limits<double>::max())) return __builtin_inf();
  const auto size = static_cast<double>(count);
  const double total = sum.value();
  const double plain = square_total - total * (total / size);
  if (plain >= square_total * 0x1p-6) return plain;
  // The difference would lose more than six bits: it is taken about a rounded mean m, without rounding, as
  // sum (x - m)^2 = squares - 2 m sum + n m^2, and corrected for m not being the mean.
  double parts[3];
  sum.expand(parts);
  const double mean = parts[0] / size;
  ExactSum about_mean(squares);
  ExactSum excess;
  excess.add_product(size, mean);
  double product[3];
  excess.expand(product);
  for (const double part : product) about_mean.add_product(part, mean);
  for (const double part : parts) {
    about_mean.add_product(-2 * mean, part);
    excess.add(-part);
  }
  const double difference = excess.value();
  const double exact = about_mean.value() - difference * (difference / size);
  return exact > 0 ? exact : 0;
}

// Whether a tensor of this type is reduced by the loops over floats, to which its elements are converted exactly.
constexpr bool reduces_as_float(ElementType type) noexcept {
  return type == ElementType::boolean || type == ElementType::int8 || type == ElementType::uint8 ||
         type == ElementType::int16 || type == ElementType::uint16 || type == ElementType::float16 ||
         type == ElementType::bfloat16 || type == ElementType::float32;
}

}  // namespace detail

LOUPE_DECL void Moments::merge(const Moments& other) noexcept {
  sum.merge(other.sum);
  squares.merge(other.squares);
  non_finite.merge(other.non_finite);
}

LOUPE_DECL void IntegerPartials::merge(const IntegerPartials& other) noexcept {
  sum += other.sum;
  absolute_sum += other.absolute_sum;
  product *= other.product;
  absolute_product *= other.absolute_product;
  minimum = detail::smaller(other.minimum, minimum);
  maximum = detail::larger(other.maximum, maximum);
  absolute_minimum = detail::smaller(other.absolute_minimum, absolute_minimum);
  absolute_maximum = detail::larger(other.absolute_maximum, absolute_maximum);
}

LOUPE_DECL void Partials::merge(const Partials& next) noexcept {
  if (first_non_finite < 0 && next.first_non_finite >= 0) first_non_finite = count + next.first_non_finite;
  count += next.count;
  zeros += next.zeros;
  minimum = detail::smaller(next.minimum, minimum);
  maximum = detail::larger(next.maximum, maximum);
  absolute_minimum = detail::smaller(next.absolute_minimum, absolute_minimum);
  real.merge(next.real);
  imaginary.merge(next.imaginary);
  absolute.merge(next.absolute);
  non_finite.merge(next.non_finite);
  integer.merge(next.integer);
  product.merge(next.product);
}

LOUPE_DECL double Partials::total(bool of_absolute) const noexcept {
  if (!of_absolute) return real.total();
  if (non_finite.nan != 0) return __builtin_nan("");
  return non_finite.none() ? absolute.sum.value() : __builtin_inf();
}

LOUPE_DECL const ExactSum& Partials::absolute_squares() const noexcept {
  return detail::reduces_as_float(type) ? real.squares : absolute.squares;
}

LOUPE_DECL double Partials::squared_deviations(bool of_absolute) const noexcept {
  if (count == 0 || !non_finite.none()) return __builtin_nan("");
  if (of_absolute) return detail::squared_deviations(absolute.sum, absolute_squares(), count);
  const double deviations = detail::squared_deviations(real.sum, real.squares, count);
  return is_complex(type) ? deviations + detail::squared_deviations(imaginary.sum, imaginary.squares, count)
                          : deviations;
}

LOUPE_DECL double Partials::euclidean_norm() const noexcept {
  if (!non_finite.none()) return non_finite.nan != 0 ? __builtin_nan("") : __builtin_inf();
  if (!is_complex(type)) return __builtin_sqrt(real.squares.value());
  ExactSum squares(real.squares);
  squares.merge(imaginary.squares);
  return __builtin_sqrt(squares.value());
}

LOUPE_DECL double Partials::product_value(bool of_absolute) const noexcept {
  const bool is_infinite = non_finite.positive_infinity != 0 || non_finite.negative_infinity != 0;
  if (non_finite.nan != 0 || (is_infinite && product.is_zero())) return __builtin_nan("");
  const double value = is_infinite ? __builtin_inf() : __builtin_fabs(product.value());
  return of_absolute ? value : value * product.sign();
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_PARTIALS_IPP
// ---- loupe/reduce/partials_pass.ipp
#ifndef LOUPE_SINGLE_REDUCE_PARTIALS_PASS_IPP
#define LOUPE_SINGLE_REDUCE_PARTIALS_PASS_IPP

// ---- loupe/reduce/number_reader.hpp
#ifndef LOUPE_SINGLE_REDUCE_NUMBER_READER_HPP
#define LOUPE_SINGLE_REDUCE_NUMBER_READER_HPP
/// @file
/// The elements of a tensor one after the other, as numbers of one type.

namespace loupe::inline LOUPE_ABI {

/// A complex number to calculate with; `Real` is float or double.
template <class Real>
struct ComplexNumber {
  Real real{};
  Real imaginary{};
  friend constexpr ComplexNumber operator+(ComplexNumber a, ComplexNumber b) noexcept {
    return {a.real + b.real, a.imaginary + b.imaginary};
  }
};

namespace detail {

template <class Number>
inline constexpr bool is_complex_number = false;
template <class Real>
inline constexpr bool is_complex_number<ComplexNumber<Real>> = true;

template <class Element>
inline constexpr bool is_complex_element = std::is_same_v<Element, Complex64> || std::is_same_v<Element, Complex128>;

/// The absolute value of a complex number, without overflow or underflow on the way.
LOUPE_NO_CONTRACTION inline double magnitude_of(double real, double imaginary) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  const double a = __builtin_fabs(real);
  const double b = __builtin_fabs(imaginary);
  const double greater = a > b ? a : b;
  if (greater > 0x1p-500 && greater < 0x1p500) return __builtin_sqrt(a * a + b * b);
  if (a == __builtin_inf() || b == __builtin_inf()) return __builtin_inf();
  const double scale = greater >= 1 ? 0x1p-600 : 0x1p600;
  return __builtin_sqrt((a * scale) * (a * scale) + (b * scale) * (b * scale)) / scale;
}

// An element as a `Number`, or its absolute value, taken in the element's own type: that of the smallest integer is
// itself, as in numpy and PyTorch. Conversions that `NumberReader` excludes give zero.
template <class Number, class Element>
Number number_of(const std::byte* address, bool absolute) noexcept {
  if constexpr (std::is_void_v<Element> || std::is_same_v<Element, std::string_view>) {
    return {};
  } else if constexpr (is_complex_element<Element>) {
    const auto number = load_element<Element>(address);
    if constexpr (is_complex_number<Number>) {
      using Real = decltype(Number::real);
      return {static_cast<Real>(number.real), static_cast<Real>(number.imaginary)};
    } else {
      return static_cast<Number>(magnitude_of(static_cast<double>(number.real), static_cast<double>(number.imaginary)));
    }
  } else if constexpr (is_complex_number<Number>) {
    return {};
  } else if constexpr (std::is_same_v<Element, bool>) {
    return load_element<std::uint8_t>(address) != 0 ? Number{1} : Number{0};
  } else if constexpr (std::is_integral_v<Element>) {
    const auto number = load_element<Element>(address);
    using Bits = std::make_unsigned_t<Element>;
    return static_cast<Number>(absolute && number < 0 ? static_cast<Element>(Bits{0} - static_cast<Bits>(number))
                                                      : number);
  } else {
    Number number{};
    if constexpr (std::is_floating_point_v<Element>) number = static_cast<Number>(load_element<Element>(address));
    else number = static_cast<Number>(to_float(load_element<Element>(address)));
    if constexpr (std::is_floating_point_v<Number>)
      return absolute ? static_cast<Number>(__builtin_fabs(static_cast<double>(number))) : number;
    else return number;
  }
}

}  // namespace detail

/// Reads the elements in row-major order. A `Number` is `double` or `float` for real elements and for the magnitudes of
/// complex ones, `std::int64_t` or `std::uint64_t` for integers and booleans, `ComplexNumber` for complex elements.
class NumberReader {
 public:
  /// The most numbers that are read at once.
  static constexpr std::size_t most = 128;

  /// Reads elements or, if `absolute`, their absolute values in their own type: that of the smallest integer is itself.
  /// The view must have a tensor of valid shape in host memory, which outlives the reader.
  NumberReader(const TensorView& view, bool absolute) noexcept : reader_(view), type_(view.type), absolute_(absolute) {}

  /// The next `count` numbers, at most `most` and `rest()`.
  template <class Number>
  void operator()(Number* out, std::size_t count) noexcept {
    const std::byte* elements = reader_.read(count, gathered_);
    visit_element_type(type_, [&]<class Element>() {
      for (std::size_t index = 0; index < count; ++index)
        out[index] = detail::number_of<Number, Element>(elements + index * element_size(type_), absolute_);
    });
  }
  [[nodiscard]] std::int64_t rest() const noexcept { return reader_.rest(); }

  /// Calls `visit(number)` for each of the rest.
  template <class Number, class Visitor>
  void for_each(Visitor&& visit) noexcept {
    Number numbers[most];
    while (rest() > 0) {
      const std::size_t count = rest() < static_cast<std::int64_t>(most) ? static_cast<std::size_t>(rest()) : most;
      (*this)(numbers, count);
      for (std::size_t index = 0; index < count; ++index) visit(numbers[index]);
    }
  }

 private:
  BlockReader reader_;
  ElementType type_;
  bool absolute_;
  std::byte gathered_[most * 16];
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_NUMBER_READER_HPP

namespace loupe::inline LOUPE_ABI {
namespace detail {

LOUPE_NO_CONTRACTION inline void sum_element_deviations(const std::byte* elements, std::size_t count, double pivot,
                                                        double& sum, double& squares) noexcept {
  sum_deviations<16, false>(elements, count, pivot, sum, squares);
}
LOUPE_NO_CONTRACTION inline void sum_magnitude_deviations(const std::byte* elements, std::size_t count, double pivot,
                                                          double& sum, double& squares) noexcept {
  sum_deviations<16, true>(elements, count, pivot, sum, squares);
}

template <class Real>
constexpr bool is_finite(Real number) noexcept {
  return number - number == 0;
}

// Counts the elements of a block that are not finite; the index of the first one, or -1.
template <class Real>
std::int64_t count_non_finite(const std::byte* elements, std::size_t count, NonFinite& counts) noexcept {
  constexpr Real infinity = std::numeric_limits<Real>::infinity();
  std::int64_t first = -1;
  for (std::size_t element = 0; element < count; ++element) {
    const Real number = load_element<Real>(elements + element * sizeof(Real));
    if (is_finite(number)) continue;
    if (first < 0) first = static_cast<std::int64_t>(element);
    if (number == infinity) ++counts.positive_infinity;
    else if (number == -infinity) ++counts.negative_infinity;
    else ++counts.nan;
  }
  return first;
}

// Whether an odd number of a block's elements have their sign bit set.
template <class Real>
bool has_odd_signs(const std::byte* elements, std::size_t count) noexcept {
  using Bits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
  using Group = Vector<Bits, 16>;
  constexpr std::size_t group = 16 / sizeof(Bits);
  Group signs{};
  const std::size_t whole = count / group * group;
  for (std::size_t element = 0; element < whole; element += group) {
    Group bits;
    std::memcpy(&bits, elements + element * sizeof(Bits), sizeof bits);
    signs ^= bits;
  }
  Bits all = 0;
  for (std::size_t lane = 0; lane < group; ++lane) all ^= signs[lane];
  for (std::size_t element = whole; element < count; ++element)
    all ^= load_element<Bits>(elements + element * sizeof(Bits));
  return (all >> (8 * sizeof(Bits) - 1)) != 0;
}

// Multiplies by the elements of a block, of which `sums` has the absolute minimum; by infinite ones' signs alone.
template <class Real>
void multiply_block(const std::byte* elements, std::size_t count, const BlockSums<Real>& sums,
                    const ReductionKernels& kernels, ScaledProduct& product) noexcept {
  if (product.is_zero() || sums.absolute_minimum == 0) {
    product.multiply(has_odd_signs<Real>(elements, count) ? -0.0 : 0.0);
    return;
  }
  // Floats that are subnormal are not so as doubles.
  constexpr bool are_floats = std::is_same_v<Real, float>;
  if (is_finite(sums.squares) && (are_floats || sums.absolute_minimum >= std::numeric_limits<Real>::min())) {
    double mantissas[lanes];
    std::int64_t exponents[lanes];
    (are_floats ? kernels.multiply_floats : kernels.multiply_doubles)(elements, count, mantissas, exponents);
    for (std::size_t lane = 0; lane < lanes; ++lane) product.multiply(mantissas[lane], exponents[lane]);
    return;
  }
  for (std::size_t element = 0; element < count; ++element) {
    const Real number = load_element<Real>(elements + element * sizeof(Real));
    product.multiply(is_finite(number) ? static_cast<double>(number) : __builtin_signbit(number) != 0 ? -1.0 : 1.0);
  }
}

template <class Integer>
std::uint64_t magnitude_of(Integer number) noexcept {
  const auto bits = static_cast<std::uint64_t>(number);
  return number < 0 ? 0 - bits : bits;
}

// Converts integers of a block to floats or doubles, and multiplies them where that is wanted. Those of 64 bits, which a
// double may round, are also added up and compared as they are.
template <class Element, class Real>
void take_integers(const std::byte* elements, std::size_t count, bool is_multiplying, Real* out,
                   IntegerPartials& integer) noexcept {
  using Stored = std::conditional_t<std::is_same_v<Element, bool>, std::uint8_t, Element>;
  for (std::size_t element = 0; element < count; ++element) {
    auto number = load_element<Stored>(elements + element * sizeof(Stored));
    if constexpr (std::is_same_v<Element, bool>) number = number != 0;
    out[element] = static_cast<Real>(number);
    if (is_multiplying) {
      integer.product *= static_cast<std::uint64_t>(number);
      integer.absolute_product *= magnitude_of(number);
    }
    if constexpr (sizeof(Element) == 8) {
      const std::uint64_t magnitude = magnitude_of(number);
      integer.sum += static_cast<std::uint64_t>(number);
      integer.absolute_sum += magnitude;
      if constexpr (std::is_signed_v<Element>) {
        integer.minimum = smaller(number, integer.minimum);
        integer.maximum = larger(number, integer.maximum);
      }
      integer.absolute_minimum = smaller(magnitude, integer.absolute_minimum);
      integer.absolute_maximum = larger(magnitude, integer.absolute_maximum);
    }
  }
}

// The pass over one tensor, block after block.
class PartialsPass {
 public:
  PartialsPass(Partials& partials, const TensorView& view, const ReductionKernels& kernels) noexcept
      : partials_(partials),
        reader_(view),
        kernels_(kernels),
        is_counting_(partials.wanted.contains_any(
            {Statistic::abs_min, Statistic::zero_count, Statistic::prod, Statistic::abs_prod})),
        is_multiplying_(partials.wanted.contains_any({Statistic::prod, Statistic::abs_prod})),
        holds_integers_(!is_floating(view.type) && !is_complex(view.type)) {}

  void run() noexcept {
    if (partials_.type == ElementType::complex64) run_complex<float>();
    else if (partials_.type == ElementType::complex128) run_complex<double>();
    else if (reduces_as_float(partials_.type)) run_real<float>();
    else if (partials_.type != ElementType::string && partials_.type != ElementType::none) run_real<double>();
  }

 private:
  template <class Real>
  void run_real() noexcept {
    std::byte gathered[reduction_block * sizeof(Real)];
    Real converted[reduction_block];
    while (reader_.rest() > 0) {
      const std::size_t count = next_count(reduction_block);
      const std::byte* elements = convert(reader_.read(count, gathered), count, converted);
      add_real<Real>(elements, count);
      partials_.count += static_cast<std::int64_t>(count);
    }
    partials_.non_finite = partials_.real.non_finite;
  }

  // Elements as floats: where they are, or in `out`.
  const std::byte* convert(const std::byte* elements, std::size_t count, float* out) noexcept {
    switch (partials_.type) {
      case ElementType::boolean: take<bool>(elements, count, out); break;
      case ElementType::int8: take<std::int8_t>(elements, count, out); break;
      case ElementType::uint8: take<std::uint8_t>(elements, count, out); break;
      case ElementType::int16: take<std::int16_t>(elements, count, out); break;
      case ElementType::uint16: take<std::uint16_t>(elements, count, out); break;
      case ElementType::float16: kernels_.widen_float16(elements, count, out); break;
      case ElementType::bfloat16: kernels_.widen_bfloat16(elements, count, out); break;
      default: return elements;
    }
    return reinterpret_cast<const std::byte*>(out);
  }
  // Elements as doubles.
  const std::byte* convert(const std::byte* elements, std::size_t count, double* out) noexcept {
    switch (partials_.type) {
      case ElementType::int32: take<std::int32_t>(elements, count, out); break;
      case ElementType::uint32: take<std::uint32_t>(elements, count, out); break;
      case ElementType::int64: take<std::int64_t>(elements, count, out); break;
      case ElementType::uint64: take<std::uint64_t>(elements, count, out); break;
      default: return elements;
    }
    return reinterpret_cast<const std::byte*>(out);
  }
  template <class Element, class Real>
  void take(const std::byte* elements, std::size_t count, Real* out) noexcept {
    take_integers<Element>(elements, count, is_multiplying_, out, partials_.integer);
  }

  [[nodiscard]] std::size_t next_count(std::size_t most) const noexcept {
    return reader_.rest() < static_cast<std::int64_t>(most) ? static_cast<std::size_t>(reader_.rest()) : most;
  }

  void sum_block(const std::byte* elements, std::size_t count, BlockSums<float>& sums) const noexcept {
    (is_counting_ ? kernels_.floats_counting : kernels_.floats)(elements, count, sums);
  }
  void sum_block(const std::byte* elements, std::size_t count, BlockSums<double>& sums) const noexcept {
    (is_counting_ ? kernels_.doubles_counting : kernels_.doubles)(elements, count, sums);
  }

  template <class Real>
  void add_extremes(const BlockSums<Real>& sums) noexcept {
    partials_.minimum = smaller(static_cast<double>(sums.minimum), partials_.minimum);
    partials_.maximum = larger(static_cast<double>(sums.maximum), partials_.maximum);
    if (!is_counting_) return;
    partials_.absolute_minimum = smaller(static_cast<double>(sums.absolute_minimum), partials_.absolute_minimum);
    partials_.zeros += sums.zeros;
  }

  // Adds elements of a real tensor, which were converted to `Real`.
  template <class Real>
  void add_real(const std::byte* elements, std::size_t count) noexcept {
    BlockSums<Real> sums;
    sum_block(elements, count, sums);
    add_extremes(sums);
    if (holds_integers_) {
      if (element_size(partials_.type) < 8) {
        partials_.integer.sum += static_cast<std::uint64_t>(static_cast<std::int64_t>(sums.sum));
        partials_.integer.absolute_sum += static_cast<std::uint64_t>(sums.absolute_sum);
      }
    } else {
      if (is_multiplying_) multiply_block(elements, count, sums, kernels_, partials_.product);
      if (!is_finite(sums.squares)) {
        const std::int64_t first = count_non_finite<Real>(elements, count, partials_.real.non_finite);
        if (first >= 0) {
          if (partials_.first_non_finite < 0) partials_.first_non_finite = partials_.count + first;
          return;
        }
      }
    }
    if constexpr (std::is_same_v<Real, float>) {
      partials_.real.sum.add(sums.sum);
      partials_.real.squares.add(sums.squares);
      partials_.real.squares.add(sums.squares_low);
      partials_.absolute.sum.add(sums.absolute_sum);
    } else {
      add_moments(elements, count, sums, partials_.real, &partials_.absolute);
    }
  }

  // Adds a block's sums to `moments` and, if not null, those of its absolute values to `absolute`.
  static void add_moments(const std::byte* elements, std::size_t count, const BlockSums<double>& sums, Moments& moments,
                          Moments* absolute) noexcept {
    // Squares of doubles are rounded. Where that could spoil a variance, they are summed about the rounded mean instead.
    const auto size = static_cast<double>(count);
    const auto is_sound = [&](double sum) {
      return !is_finite(sums.squares) || sums.squares - sum * sum / size >= sums.squares * 0x1p-6;
    };
    if (is_sound(sums.sum)) {
      moments.sum.add(sums.sum);
      moments.squares.add(sums.squares);
    } else {
      add_about_mean(elements, count, sums.sum, sum_element_deviations, moments);
    }
    if (absolute == nullptr) return;
    if (is_sound(sums.absolute_sum)) {
      absolute->sum.add(sums.absolute_sum);
      absolute->squares.add(sums.squares);
    } else {
      add_about_mean(elements, count, sums.absolute_sum, sum_magnitude_deviations, *absolute);
    }
  }

  using SumDeviations = void(const std::byte*, std::size_t, double, double&, double&) noexcept;
  static void add_about_mean(const std::byte* elements, std::size_t count, double sum, SumDeviations& sum_deviations,
                             Moments& moments) noexcept {
    // With its last 13 bits cleared, the mean times the number of elements is exact.
    static_assert(reduction_block < (1 << 13));
    const auto size = static_cast<double>(count);
    const auto mean = std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum / size) & ~std::uint64_t{0x1FFF});
    double deviations = 0;
    double squares = 0;
    sum_deviations(elements, count, mean, deviations, squares);
    moments.sum.add(size * mean);
    moments.sum.add(deviations);
    moments.squares.add_product(size * mean, mean);
    moments.squares.add_product(2 * mean, deviations);
    moments.squares.add(squares);
  }

  template <class Real>
  void run_complex() noexcept {
    constexpr std::size_t block = reduction_block / 4;  // so that four buffers of doubles are no burden for the stack
    std::byte gathered[2 * block * sizeof(Real)];
    double real[block];
    double imaginary[block];
    double magnitude[block];
    while (reader_.rest() > 0) {
      const std::size_t count = next_count(block);
      const std::byte* elements = reader_.read(count, gathered);
      for (std::size_t element = 0; element < count; ++element) {
        real[element] = static_cast<double>(load_element<Real>(elements + 2 * element * sizeof(Real)));
        imaginary[element] = static_cast<double>(load_element<Real>(elements + (2 * element + 1) * sizeof(Real)));
        magnitude[element] = magnitude_of(real[element], imaginary[element]);
      }
      add_part(real, count, partials_.real);
      add_part(imaginary, count, partials_.imaginary);
      add_magnitudes(magnitude, real, imaginary, count);
      partials_.count += static_cast<std::int64_t>(count);
    }
  }

  void add_part(const double* part, std::size_t count, Moments& moments) noexcept {
    const auto* elements = reinterpret_cast<const std::byte*>(part);
    BlockSums<double> sums;
    kernels_.doubles(elements, count, sums);
    if (!is_finite(sums.squares) && count_non_finite<double>(elements, count, moments.non_finite) >= 0) return;
    add_moments(elements, count, sums, moments, nullptr);
  }

  void add_magnitudes(const double* magnitude, const double* real, const double* imaginary,
                      std::size_t count) noexcept {
    const auto* elements = reinterpret_cast<const std::byte*>(magnitude);
    BlockSums<double> sums;
    sum_block(elements, count, sums);
    add_extremes(sums);
    if (is_multiplying_) multiply_block(elements, count, sums, kernels_, partials_.product);
    bool has_non_finite = false;
    for (std::size_t element = 0; element < count; ++element) {
      if (is_finite(real[element]) && is_finite(imaginary[element])) continue;
      if (partials_.first_non_finite < 0)
        partials_.first_non_finite = partials_.count + static_cast<std::int64_t>(element);
      has_non_finite = true;
      if (real[element] != real[element] || imaginary[element] != imaginary[element]) ++partials_.non_finite.nan;
      else ++partials_.non_finite.positive_infinity;
    }
    if (!has_non_finite) add_moments(elements, count, sums, partials_.absolute, nullptr);
  }

  Partials& partials_;
  BlockReader reader_;
  const ReductionKernels& kernels_;
  bool is_counting_;
  bool is_multiplying_;
  bool holds_integers_;
};

}  // namespace detail

LOUPE_DECL Partials Partials::of(const TensorView& view, StatisticSet wanted, const ReductionKernels& kernels) {
  Partials partials;
  partials.type = view.type;
  partials.wanted = wanted;
  detail::PartialsPass(partials, view, kernels).run();
  return partials;
}

LOUPE_DECL Partials Partials::of(const TensorView& view, StatisticSet wanted) {
  return of(view, wanted, reduction_kernels(best_instruction_set()));
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_PARTIALS_PASS_IPP
#endif  // LOUPE_SINGLE_REDUCE_PARTIALS_HPP

namespace loupe::inline LOUPE_ABI {

/// All statistics from one pass over the memory. Sums are taken in double or exactly and rounded once, so the values are
/// the same bits for any chunking, alignment and instruction set, for a view and for its contiguous copy, and whichever
/// other statistics were asked for.
///
/// - `std` and `variance` divide by n. `l1` and `l2` are those of the flattened tensor whatever its rank.
/// - NaN propagates; infinities give infinity, or NaN where they cancel (`variance` always, `sum` if of both signs).
/// - An empty tensor has sum 0, product 1, norms 0, counts 0, and NaN for mean, std and variance; its extremes are an
///   error.
/// - Types: extremes keep the tensor's (absolute ones of signed integers are unsigned, so |-128| is 128); sums and
///   products of integers are int64, of unsigned ones uint64, modulo 2^64; all else is float64 for integers and float64,
///   float32 for the shorter floats, so that sums of float16 don't overflow. Counts are int64.
/// - Complex numbers have no order, so no extremes, and no product; the sum and the mean are complex, `std`, `variance`
///   and norms real, and the absolute statistics those of the magnitudes. One with a NaN part counts as NaN, one with an
///   infinite part as positive infinity.
/// - Strings have no statistics.
class Fused {
 public:
  static constexpr StatisticSet provides = StatisticSet::all();
  using Partials = loupe::Partials;

  static Partials partials(const TensorView& view, StatisticSet wanted) { return Partials::of(view, wanted); }
  static void merge(Partials& into, const Partials& next) { into.merge(next); }
  static LOUPE_DECL result<Scalar> value(const Partials& partials, Statistic statistic);
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/reduce/fused.ipp
#ifndef LOUPE_SINGLE_REDUCE_FUSED_IPP
#define LOUPE_SINGLE_REDUCE_FUSED_IPP
// ---- loupe/reduce/partial_values.hpp
#ifndef LOUPE_SINGLE_REDUCE_PARTIAL_VALUES_HPP
#define LOUPE_SINGLE_REDUCE_PARTIAL_VALUES_HPP
/// @file
/// From partials to typed numbers: what the strategies that work on `Partials` share.

namespace loupe::inline LOUPE_ABI {

/// Whether it is an integer type or boolean.
constexpr bool is_integral(ElementType type) noexcept {
  return type == ElementType::boolean || is_signed_integer(type) || is_unsigned_integer(type);
}

/// `number` as an element of `type`, rounded once, any NaN as the positive quiet one; for integers it must be one that the type has.
[[nodiscard]] LOUPE_DECL Scalar make_scalar(ElementType type, double number) noexcept;

/// A complex element of `type`.
[[nodiscard]] LOUPE_DECL Scalar make_scalar(ElementType type, double real, double imaginary) noexcept;

/// The smallest or largest element, or absolute value, as an element of `type`; an error if there are none. The partials
/// are of real numbers.
[[nodiscard]] LOUPE_DECL result<Scalar> extreme_value(const Partials& partials, Statistic statistic, ElementType type);

/// One of the counts, as int64.
[[nodiscard]] LOUPE_DECL Scalar count_value(const Partials& partials, Statistic statistic) noexcept;

/// Whether a strategy can give this statistic at all: not of strings, and not if it wasn't asked for when the partials
/// were made.
[[nodiscard]] inline bool is_available(const Partials& partials, Statistic statistic) noexcept {
  return partials.wanted.contains(statistic) && partials.type != ElementType::string &&
         partials.type != ElementType::none;
}

/// The error of a statistic that isn't available.
[[nodiscard]] LOUPE_DECL unexpected<Error> refuse_unavailable(const Partials& partials, Statistic statistic);

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/reduce/partial_values.ipp
#ifndef LOUPE_SINGLE_REDUCE_PARTIAL_VALUES_IPP
#define LOUPE_SINGLE_REDUCE_PARTIAL_VALUES_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL Scalar make_scalar(ElementType type, double number) noexcept {
  if (number != number) number = __builtin_nan("");
  return visit_element_type(type, [number]<class Element>() -> Scalar {
    if constexpr (std::is_void_v<Element> || std::is_same_v<Element, std::string_view>) return {};
    else if constexpr (std::is_same_v<Element, Float16>) return Scalar::from(to_float16(number));
    else if constexpr (std::is_same_v<Element, BFloat16>) return Scalar::from(to_bfloat16(number));
    else if constexpr (std::is_same_v<Element, Complex64>)
      return Scalar::from(Complex64{static_cast<float>(number), 0});
    else if constexpr (std::is_same_v<Element, Complex128>) return Scalar::from(Complex128{number, 0});
    else if constexpr (std::is_same_v<Element, bool>) return Scalar::from(number != 0);
    else return Scalar::from(static_cast<Element>(number));
  });
}

LOUPE_DECL Scalar make_scalar(ElementType type, double real, double imaginary) noexcept {
  if (real != real) real = __builtin_nan("");
  if (imaginary != imaginary) imaginary = __builtin_nan("");
  if (type == ElementType::complex64)
    return Scalar::from(Complex64{static_cast<float>(real), static_cast<float>(imaginary)});
  return Scalar::from(Complex128{real, imaginary});
}

LOUPE_DECL result<Scalar> extreme_value(const Partials& partials, Statistic statistic, ElementType type) {
  if (partials.count == 0)
    return fail(ErrorKind::invalid_argument, statistic_name(statistic),
                "an empty tensor has no smallest or largest element");
  const bool is_smallest = without_absolute(statistic) == Statistic::min;
  const IntegerPartials& integer = partials.integer;
  if (partials.type == ElementType::uint64 || (partials.type == ElementType::int64 && is_absolute(statistic))) {
    const std::uint64_t number = is_smallest ? integer.absolute_minimum : integer.absolute_maximum;
    return type == ElementType::int64 ? Scalar::from(static_cast<std::int64_t>(number)) : Scalar::from(number);
  }
  if (partials.type == ElementType::int64) return Scalar::from(is_smallest ? integer.minimum : integer.maximum);
  if (partials.non_finite.nan != 0) return make_scalar(type, __builtin_nan(""));
  if (!is_absolute(statistic)) return make_scalar(type, is_smallest ? partials.minimum : partials.maximum);
  if (is_smallest) return make_scalar(type, partials.absolute_minimum);
  return make_scalar(type, detail::larger(__builtin_fabs(partials.minimum), __builtin_fabs(partials.maximum)));
}

LOUPE_DECL Scalar count_value(const Partials& partials, Statistic statistic) noexcept {
  switch (statistic) {
    case Statistic::nan_count: return Scalar::from(partials.non_finite.nan);
    case Statistic::positive_infinity_count: return Scalar::from(partials.non_finite.positive_infinity);
    case Statistic::negative_infinity_count: return Scalar::from(partials.non_finite.negative_infinity);
    case Statistic::zero_count: return Scalar::from(partials.zeros);
    default: return Scalar::from(partials.first_non_finite);
  }
}

LOUPE_DECL unexpected<Error> refuse_unavailable(const Partials& partials, Statistic statistic) {
  if (partials.type == ElementType::string || partials.type == ElementType::none)
    return fail(ErrorKind::unsupported, statistic_name(statistic), "a tensor of strings has no statistics");
  return fail(ErrorKind::invalid_state, statistic_name(statistic), "it was not asked for when the tensor was reduced");
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_PARTIAL_VALUES_IPP
#endif  // LOUPE_SINGLE_REDUCE_PARTIAL_VALUES_HPP

namespace loupe::inline LOUPE_ABI {
namespace detail {

// The type of means, deviations, norms and, of floats, sums.
constexpr ElementType fused_real_type(ElementType type) noexcept {
  return is_integral(type) || type == ElementType::float64 || type == ElementType::complex128 ? ElementType::float64
                                                                                              : ElementType::float32;
}

// The type of extremes.
constexpr ElementType fused_extreme_type(ElementType type, bool of_absolute) noexcept {
  if (!of_absolute) return type;
  switch (type) {
    case ElementType::int8: return ElementType::uint8;
    case ElementType::int16: return ElementType::uint16;
    case ElementType::int32: return ElementType::uint32;
    case ElementType::int64: return ElementType::uint64;
    default: return type;
  }
}

inline Scalar wrapped_integer(ElementType type, std::uint64_t bits) noexcept {
  return is_unsigned_integer(type) ? Scalar::from(bits) : Scalar::from(static_cast<std::int64_t>(bits));
}

inline Scalar fused_sum(const Partials& partials, bool of_absolute) noexcept {
  if (is_integral(partials.type))
    return wrapped_integer(partials.type, of_absolute ? partials.integer.absolute_sum : partials.integer.sum);
  if (is_complex(partials.type) && !of_absolute)
    return make_scalar(partials.type, partials.real.total(), partials.imaginary.total());
  return make_scalar(fused_real_type(partials.type), partials.total(of_absolute));
}

inline Scalar fused_mean(const Partials& partials, bool of_absolute) noexcept {
  const auto size = static_cast<double>(partials.count);
  if (is_complex(partials.type) && !of_absolute)
    return make_scalar(partials.type, partials.real.total() / size, partials.imaginary.total() / size);
  return make_scalar(fused_real_type(partials.type), partials.total(of_absolute) / size);
}

inline Scalar fused_product(const Partials& partials, bool of_absolute) noexcept {
  if (is_integral(partials.type))
    return wrapped_integer(partials.type, of_absolute ? partials.integer.absolute_product : partials.integer.product);
  return make_scalar(fused_real_type(partials.type), partials.product_value(of_absolute));
}

}  // namespace detail

LOUPE_DECL result<Scalar> Fused::value(const Partials& partials, Statistic statistic) {
  if (!is_available(partials, statistic)) return refuse_unavailable(partials, statistic);
  const bool of_absolute = is_absolute(statistic);
  const ElementType real_type = detail::fused_real_type(partials.type);
  const auto size = static_cast<double>(partials.count);
  switch (without_absolute(statistic)) {
    case Statistic::min:
    case Statistic::max: {
      if (!is_complex(partials.type))
        return extreme_value(partials, statistic, detail::fused_extreme_type(partials.type, of_absolute));
      if (of_absolute) return extreme_value(partials, statistic, real_type);
      return fail(ErrorKind::unsupported, statistic_name(statistic), "complex numbers have no order");
    }
    case Statistic::mean: return detail::fused_mean(partials, of_absolute);
    case Statistic::variance: return make_scalar(real_type, partials.squared_deviations(of_absolute) / size);
    case Statistic::std: return make_scalar(real_type, __builtin_sqrt(partials.squared_deviations(of_absolute) / size));
    case Statistic::sum: return detail::fused_sum(partials, of_absolute);
    case Statistic::prod: {
      if (!is_complex(partials.type) || of_absolute) return detail::fused_product(partials, of_absolute);
      return fail(ErrorKind::unsupported, statistic_name(statistic), "loupe does not multiply complex numbers");
    }
    case Statistic::l1: return make_scalar(real_type, partials.total(true));
    case Statistic::l2: return make_scalar(real_type, partials.euclidean_norm());
    default: return count_value(partials, statistic);
  }
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_FUSED_IPP
#endif  // LOUPE_SINGLE_REDUCE_FUSED_HPP
// ---- loupe/reduce/fwd.hpp
#ifndef LOUPE_SINGLE_REDUCE_FWD_HPP
#define LOUPE_SINGLE_REDUCE_FWD_HPP
/// @file
/// Names of reduce/.

namespace loupe::inline LOUPE_ABI {

enum class Statistic : std::uint8_t;
class StatisticSet;
struct ReducedValues;
class Fused;
class NumpyDefinitions;
class TorchDefinitions;
template <class Base, class... Reductions>
class WithCustom;
struct Histogram;

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_FWD_HPP
// ---- loupe/reduce/histogram.hpp
#ifndef LOUPE_SINGLE_REDUCE_HISTOGRAM_HPP
#define LOUPE_SINGLE_REDUCE_HISTOGRAM_HPP
/// @file
/// Histograms as TensorBoard shows them (format.md section 9).

namespace loupe::inline LOUPE_ABI {

/// The number of edges between bins: 774 negative ones, zero, 774 positive ones.
inline constexpr std::size_t histogram_edges = 1549;

/// An edge between bins: `1e-12 * 1.1^k` worked out by repeated multiplication, up to 9.920775621859783e19, and its
/// negative; `index < histogram_edges`, rising.
[[nodiscard]] LOUPE_DECL double histogram_edge(std::size_t index) noexcept;

/// How a tensor's values are distributed. A large object (12 KB) without allocations.
struct Histogram {
  double minimum = 0;
  double maximum = 0;
  double count = 0;        ///< of all values, also of those in no bin
  double sum = 0;          ///< of all values, as numpy adds them
  double sum_squares = 0;  ///< of all values

  /// The number of buckets that TensorBoard gets: those from the first to the last that is not empty, and an empty one
  /// before.
  [[nodiscard]] std::size_t size() const noexcept { return last_bin - first_bin + 2; }
  /// The right edge of bucket `index < size()`.
  [[nodiscard]] double limit(std::size_t index) const noexcept { return histogram_edge(first_bin + index); }
  /// The number of values in bucket `index < size()`: from the limit before, included, to its own, excluded (the largest
  /// of all edges included).
  [[nodiscard]] double bucket(std::size_t index) const noexcept {
    return index == 0 ? 0 : static_cast<double>(bins[first_bin + index - 1]);
  }

  std::size_t first_bin = 0;                     ///< the first and the last bin that aren't empty
  std::size_t last_bin = 0;
  std::uint64_t bins[histogram_edges - 1] = {};  ///< counts between edge i and edge i + 1
};

/// The histogram of a tensor of real numbers, integers or booleans in host memory. An error if it is empty, if no value
/// falls in any bin (all NaN, infinite or beyond 1e20), or if it holds complex numbers or strings.
[[nodiscard]] LOUPE_DECL result<Histogram> make_histogram(const TensorView& view);

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/reduce/histogram.ipp
#ifndef LOUPE_SINGLE_REDUCE_HISTOGRAM_IPP
#define LOUPE_SINGLE_REDUCE_HISTOGRAM_IPP

// ---- loupe/reduce/pairwise_sum.hpp
#ifndef LOUPE_SINGLE_REDUCE_PAIRWISE_SUM_HPP
#define LOUPE_SINGLE_REDUCE_PAIRWISE_SUM_HPP
/// @file
/// numpy's order of summation, for sums that agree with it bit by bit.

namespace loupe::inline LOUPE_ABI {

namespace detail {

template <class Number, int strands, class Next>
LOUPE_NO_CONTRACTION Number sum_by_halves(Next& next, std::int64_t count) {
  LOUPE_NO_CONTRACTION_HERE
  constexpr std::int64_t leaf = 16 * strands;
  if (count > leaf) {
    std::int64_t half = count / 2;
    half -= half % strands;
    const Number first = sum_by_halves<Number, strands>(next, half);
    return first + sum_by_halves<Number, strands>(next, count - half);
  }
  Number numbers[leaf];
  next(numbers, static_cast<std::size_t>(count));
  if (count < strands) {
    Number sum{};
    for (std::int64_t index = 0; index < count; ++index) sum = sum + numbers[index];
    return sum;
  }
  Number sums[strands];
  for (int strand = 0; strand < strands; ++strand) sums[strand] = numbers[strand];
  std::int64_t index = strands;
  for (; index < count - count % strands; index += strands)
    for (int strand = 0; strand < strands; ++strand) sums[strand] = sums[strand] + numbers[index + strand];
  for (int width = 1; width < strands; width *= 2)
    for (int strand = 0; strand < strands; strand += 2 * width) sums[strand] = sums[strand] + sums[strand + width];
  for (; index < count; ++index) sums[0] = sums[0] + numbers[index];
  return sums[0];
}

}  // namespace detail

/// The sum of the next `count` numbers that `next(buffer, count)` writes to a buffer of at most 128, in the order in
/// which numpy adds the numbers of a contiguous array: pieces of 8192 one after the other (its buffer), within a piece by
/// halves, and at most `16 * strands` numbers in interleaved sums (`pairwise_sum` of its loops_utils.h). numpy adds real
/// numbers in 8 strands and complex ones in 4. `round(sum)` is applied after each piece.
template <class Number, int strands, class Next, class Round>
Number pairwise_sum(Next& next, std::int64_t count, Round&& round) {
  constexpr std::int64_t piece = 8192;
  Number total{};
  for (std::int64_t rest = count; rest > 0; rest -= piece)
    total = round(total + detail::sum_by_halves<Number, strands>(next, rest < piece ? rest : piece));
  return total;
}
template <class Number, int strands, class Next>
Number pairwise_sum(Next& next, std::int64_t count) {
  return pairwise_sum<Number, strands>(next, count, [](Number sum) { return sum; });
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_PAIRWISE_SUM_HPP

namespace loupe::inline LOUPE_ABI {
namespace detail {

inline constexpr std::size_t positive_edges = (histogram_edges - 1) / 2;

struct PositiveEdges {
  double edge[positive_edges];
  constexpr PositiveEdges() noexcept : edge() {
    double next = 1e-12;
    for (double& slot : edge) {
      slot = next;
      next *= 1.1;
    }
  }
};
inline constexpr PositiveEdges histogram_table;
static_assert(histogram_table.edge[positive_edges - 1] == 9.920775621859783e19);

// How many positive edges are at most `magnitude`, or below it; the magnitude is positive and finite.
inline std::size_t edges_up_to(double magnitude, bool inclusive) noexcept {
  const auto is_passed = [&](std::size_t index) {
    return inclusive ? histogram_table.edge[index] <= magnitude : histogram_table.edge[index] < magnitude;
  };
  // The bits of a double, read as a fixed-point number, are nearly its logarithm: the guess is off by one at most.
  const double logarithm = static_cast<double>(std::bit_cast<std::uint64_t>(magnitude)) * 0x1p-52 - 1023;
  const double guess = (logarithm + 39.863) * 7.27254 + 1;
  std::size_t count = guess <= 0                                     ? 0
                      : guess >= static_cast<double>(positive_edges) ? positive_edges
                                                                     : static_cast<std::size_t>(guess);
  while (count < positive_edges && is_passed(count)) ++count;
  while (count > 0 && !is_passed(count - 1)) --count;
  return count;
}

// The bin of a value, or `histogram_edges` if it falls in none.
inline std::size_t histogram_bin(double value) noexcept {
  constexpr double largest = histogram_table.edge[positive_edges - 1];
  if (!(value >= -largest && value <= largest)) return histogram_edges;
  if (value < 0) return positive_edges - 1 - edges_up_to(-value, false);
  if (value == largest) return histogram_edges - 2;
  return positive_edges + (value == 0 ? 0 : edges_up_to(value, true));
}

}  // namespace detail

LOUPE_DECL double histogram_edge(std::size_t index) noexcept {
  constexpr std::size_t zero = detail::positive_edges;
  if (index == zero) return 0;
  return index < zero ? -detail::histogram_table.edge[zero - 1 - index]
                      : detail::histogram_table.edge[index - zero - 1];
}

LOUPE_DECL result<Histogram> make_histogram(const TensorView& view) {
  if (!view.has_tensor() || view.type == ElementType::string || is_complex(view.type))
    return fail(ErrorKind::unsupported, "histogram", "only real numbers have a histogram");
  const std::int64_t count = view.size();
  if (count == 0) return fail(ErrorKind::invalid_argument, "histogram", "an empty tensor has no histogram");

  Histogram histogram;
  histogram.count = static_cast<double>(count);
  histogram.minimum = __builtin_inf();
  histogram.maximum = -__builtin_inf();
  bool has_nan = false;
  NumberReader numbers(view, false);
  auto next = [&](double* out, std::size_t size) {
    numbers(out, size);
    for (std::size_t index = 0; index < size; ++index) {
      const double value = out[index];
      if (value < histogram.minimum) histogram.minimum = value;
      if (value > histogram.maximum) histogram.maximum = value;
      if (value != value) has_nan = true;
      const std::size_t bin = detail::histogram_bin(value);
      if (bin < histogram_edges) ++histogram.bins[bin];
    }
  };
  histogram.sum = pairwise_sum<double, 8>(next, count);
  if (has_nan) histogram.minimum = histogram.maximum = __builtin_nan("");
  NumberReader again(view, false);
  auto next_square = [&](double* out, std::size_t size) {
    again(out, size);
    for (std::size_t index = 0; index < size; ++index) out[index] *= out[index];
  };
  histogram.sum_squares = pairwise_sum<double, 8>(next_square, count);

  std::size_t first = 0;
  std::size_t last = histogram_edges - 2;
  while (first <= last && histogram.bins[first] == 0) ++first;
  if (first > last)
    return fail(ErrorKind::invalid_argument, "histogram", "no value lies between the outermost edges, -1e20 and 1e20");
  while (histogram.bins[last] == 0) --last;
  histogram.first_bin = first;
  histogram.last_bin = last;
  return histogram;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_HISTOGRAM_IPP
#endif  // LOUPE_SINGLE_REDUCE_HISTOGRAM_HPP
// ---- loupe/reduce/numpy_definitions.hpp
#ifndef LOUPE_SINGLE_REDUCE_NUMPY_DEFINITIONS_HPP
#define LOUPE_SINGLE_REDUCE_NUMPY_DEFINITIONS_HPP
/// @file
/// The statistics as numpy works them out, and smdebug with it (semantics.md section 4).

namespace loupe::inline LOUPE_ABI {

/// The answers of smdebug's `Tensor.reduction_value` and of its hooks on numpy arrays, in arithmetic of the tensor's own
/// type as numpy does it: results have its type, float32 sums are added in float32 in numpy's order, and a float16
/// variance overflows. Each statistic is a pass of its own over the memory; for speed and precision use `Fused`.
///
/// - `l1` and `l2` of a matrix are its largest absolute column sum and its largest singular value; of rank 0 or above 2
///   they are refused. The absolute norms of rank 0 are those of one element.
/// - Absolute values of integers are taken in their own type, so the smallest one's is itself.
/// - Strings have norms if all of them read as numbers, nothing else.
/// - bfloat16, which numpy hasn't, is taken for float32. The counts are those of `Fused`.
///
/// Refusals have the kinds: `invalid_argument` for Python's ValueError, `invalid_type` for TypeError, `unsupported` for
/// numpy's UFuncTypeError, `invalid_state` for numpy's LinAlgError.
class NumpyDefinitions {
 public:
  static constexpr StatisticSet provides = StatisticSet::all();

  /// The elements themselves: numpy's results don't follow from those of pieces.
  struct Partials {
    Array elements;
    StatisticSet wanted;
    Error failure;  ///< why `elements` are missing, if they are
  };
  static LOUPE_DECL Partials partials(const TensorView& view, StatisticSet wanted);
  /// Pieces of rank 1, or of equal shapes behind the first axis, are concatenated along it.
  static LOUPE_DECL void merge(Partials& into, const Partials& next);
  static LOUPE_DECL result<Scalar> value(const Partials& partials, Statistic statistic);

  /// One statistic straight from the tensor. The view must have a tensor of valid shape in host memory.
  static LOUPE_DECL result<Scalar> value_of(const TensorView& view, Statistic statistic);
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/reduce/numpy_definitions.ipp
#ifndef LOUPE_SINGLE_REDUCE_NUMPY_DEFINITIONS_IPP
#define LOUPE_SINGLE_REDUCE_NUMPY_DEFINITIONS_IPP

namespace loupe::inline LOUPE_ABI {
namespace detail {

// One statistic of one tensor of real numbers in the arithmetic of `Number`, float or double. `type` is the type of the
// results; where it is float16, numpy rounds to it after each step.
template <class Number>
class NumpyReal {
 public:
  NumpyReal(const TensorView& view, bool of_absolute, ElementType type) noexcept
      : view_(view),
        of_absolute_(of_absolute),
        type_(type),
        size_(view.size()) {}

  [[nodiscard]] Scalar make(Number number) const noexcept { return make_scalar(type_, static_cast<double>(number)); }

  [[nodiscard]] Number sum() const noexcept {
    NumberReader next(view_, of_absolute_);
    return rounded_sum(next);
  }

  // float16 numbers are added in float32 for the mean.
  [[nodiscard]] Number mean() const noexcept {
    NumberReader next(view_, of_absolute_);
    const auto total = pairwise_sum<Number, 8>(next, size_);
    return rounded(static_cast<Number>(static_cast<double>(total) / static_cast<double>(size_)));
  }

  [[nodiscard]] LOUPE_NO_CONTRACTION Number variance() const noexcept {
    LOUPE_NO_CONTRACTION_HERE
    const Number middle = rounded(sum() / static_cast<Number>(size_));
    NumberReader reader(view_, of_absolute_);
    auto next = [&](Number* out, std::size_t count) {
      reader(out, count);
      for (std::size_t index = 0; index < count; ++index) {
        const Number difference = rounded(out[index] - middle);
        out[index] = rounded(difference * difference);
      }
    };
    const Number squares = rounded_sum(next);
    return rounded(static_cast<Number>(static_cast<double>(squares) / static_cast<double>(size_)));
  }

  [[nodiscard]] Number deviation() const noexcept {
    return rounded(static_cast<Number>(__builtin_sqrt(static_cast<double>(variance()))));
  }

  [[nodiscard]] Number product() const noexcept {
    Number result = 1;
    NumberReader(view_, of_absolute_).for_each<Number>([&](Number number) { result *= number; });
    return rounded(result);
  }

  // The smallest (`sign` 1) or largest (-1) element, or NaN if there is one.
  [[nodiscard]] Number extreme(int sign) const noexcept {
    const auto factor = static_cast<Number>(sign);
    Number result = factor * std::numeric_limits<Number>::infinity();
    NumberReader(view_, of_absolute_).for_each<Number>([&](Number number) {
      if (number * factor < result * factor || number != number) result = number;
    });
    return result;
  }

 private:
  template <class Next>
  [[nodiscard]] Number rounded_sum(Next& next) const noexcept {
    return pairwise_sum<Number, 8>(next, size_, [this](Number sum) { return rounded(sum); });
  }
  [[nodiscard]] Number rounded(Number number) const noexcept {
    return type_ == ElementType::float16 ? static_cast<Number>(to_float(to_float16(static_cast<float>(number))))
                                         : number;
  }

  const TensorView& view_;
  bool of_absolute_;
  ElementType type_;
  std::int64_t size_;
};

template <class Number>
Scalar numpy_real(const TensorView& view, Statistic statistic, ElementType type) noexcept {
  const NumpyReal<Number> numbers(view, is_absolute(statistic), type);
  switch (without_absolute(statistic)) {
    case Statistic::min: return numbers.make(numbers.extreme(1));
    case Statistic::max: return numbers.make(numbers.extreme(-1));
    case Statistic::mean: return numbers.make(numbers.mean());
    case Statistic::std: return numbers.make(numbers.deviation());
    case Statistic::variance: return numbers.make(numbers.variance());
    case Statistic::sum: return numbers.make(numbers.sum());
    default: return numbers.make(numbers.product());
  }
}

// Extremes, sums and products of integers and booleans; the latter two modulo 2^64. `Number` is std::int64_t or
// std::uint64_t.
template <class Number>
Scalar numpy_integer(const TensorView& view, Statistic statistic) noexcept {
  NumberReader reader(view, is_absolute(statistic));
  Number smallest = std::numeric_limits<Number>::max();
  Number largest = std::numeric_limits<Number>::min();
  std::uint64_t sum = 0;
  std::uint64_t product = 1;
  reader.for_each<Number>([&](Number number) {
    smallest = smaller(number, smallest);
    largest = larger(number, largest);
    sum += static_cast<std::uint64_t>(number);
    product *= static_cast<std::uint64_t>(number);
  });
  const Statistic base = without_absolute(statistic);
  if (base == Statistic::sum || base == Statistic::prod)
    return Scalar::from(static_cast<Number>(base == Statistic::sum ? sum : product));
  const Number extreme = base == Statistic::min ? smallest : largest;
  return visit_element_type(view.type, [extreme]<class Element>() -> Scalar {
    if constexpr (std::is_same_v<Element, bool>) return Scalar::from(extreme != 0);
    else if constexpr (std::is_integral_v<Element>) return Scalar::from(static_cast<Element>(extreme));
    else return {};
  });
}

// Functions of their own: a lambda doesn't inherit that its products must not be contracted.
template <class Real>
LOUPE_NO_CONTRACTION inline Real sum_of_products(Real a, Real b, Real c, Real d) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  return a * b + c * d;
}
template <class Real>
LOUPE_NO_CONTRACTION inline Real difference_of_products(Real a, Real b, Real c, Real d) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  return a * b - c * d;
}

// Statistics of complex numbers in the arithmetic of `Real`.
template <class Real>
class NumpyComplex {
 public:
  using Number = ComplexNumber<Real>;
  explicit NumpyComplex(const TensorView& view) noexcept : view_(view), size_(view.size()) {}

  [[nodiscard]] Scalar make(Number number) const noexcept {
    return make_scalar(view_.type, static_cast<double>(number.real), static_cast<double>(number.imaginary));
  }
  [[nodiscard]] Scalar make(Real number) const noexcept {
    return Scalar::from(number != number ? static_cast<Real>(__builtin_nan("")) : number);
  }

  [[nodiscard]] Number sum() const noexcept {
    NumberReader next(view_, false);
    return pairwise_sum<Number, 4>(next, size_);
  }
  // numpy divides complex numbers by multiplying by the divisor's reciprocal; the mean in double.
  [[nodiscard]] Number mean() const noexcept { return divided<double>(sum()); }
  [[nodiscard]] Real variance() const noexcept {
    const Number middle = divided<Real>(sum());
    NumberReader reader(view_, false);
    auto next = [&](Real* out, std::size_t count) {
      Number numbers[NumberReader::most];
      reader(numbers, count);
      for (std::size_t index = 0; index < count; ++index) {
        const Real real = numbers[index].real - middle.real;
        const Real imaginary = numbers[index].imaginary - middle.imaginary;
        out[index] = sum_of_products(real, real, imaginary, imaginary);
      }
    };
    return pairwise_sum<Real, 8>(next, size_) / static_cast<Real>(size_);
  }
  [[nodiscard]] Number product() const noexcept {
    Number result{1, 0};
    NumberReader(view_, false).for_each<Number>([&](Number number) {
      result = {difference_of_products(result.real, number.real, result.imaginary, number.imaginary),
                sum_of_products(result.real, number.imaginary, result.imaginary, number.real)};
    });
    return result;
  }
  // The smallest (`sign` 1) or largest (-1) element by the real part, then the imaginary one; the first with a NaN, if
  // there is one.
  [[nodiscard]] Number extreme(int sign) const noexcept {
    const auto factor = static_cast<Real>(sign);
    Number result{};
    bool is_first = true;
    NumberReader(view_, false).for_each<Number>([&](Number number) {
      const bool is_kept = result.real != result.real || result.imaginary != result.imaginary ||
                           (result.real * factor < number.real * factor && number.imaginary == number.imaginary) ||
                           (result.real == number.real && result.imaginary * factor <= number.imaginary * factor);
      if (is_first || !is_kept) result = number;
      is_first = false;
    });
    return result;
  }

 private:
  template <class Arithmetic>
  [[nodiscard]] Number divided(Number number) const noexcept {
    const Arithmetic reciprocal = 1 / static_cast<Arithmetic>(size_);
    return {static_cast<Real>(static_cast<Arithmetic>(number.real) * reciprocal),
            static_cast<Real>(static_cast<Arithmetic>(number.imaginary) * reciprocal)};
  }

  const TensorView& view_;
  std::int64_t size_;
};

template <class Real>
Scalar numpy_complex(const TensorView& view, Statistic statistic) noexcept {
  const NumpyComplex<Real> numbers(view);
  switch (statistic) {
    case Statistic::min: return numbers.make(numbers.extreme(1));
    case Statistic::max: return numbers.make(numbers.extreme(-1));
    case Statistic::mean: return numbers.make(numbers.mean());
    case Statistic::std:
      return numbers.make(static_cast<Real>(__builtin_sqrt(static_cast<double>(numbers.variance()))));
    case Statistic::variance: return numbers.make(numbers.variance());
    case Statistic::sum: return numbers.make(numbers.sum());
    default: return numbers.make(numbers.product());
  }
}

// The type of a float result, and of the arithmetic that leads to it.
constexpr ElementType numpy_real_type(ElementType type) noexcept {
  switch (type) {
    case ElementType::float16: return ElementType::float16;
    case ElementType::bfloat16:
    case ElementType::float32:
    case ElementType::complex64: return ElementType::float32;
    default: return ElementType::float64;
  }
}

inline result<Scalar> numpy_norm(const TensorView& original, Statistic statistic);

}  // namespace detail

LOUPE_DECL result<Scalar> NumpyDefinitions::value_of(const TensorView& view, Statistic statistic) {
  if (count_statistics.contains(statistic)) return Fused::value(Fused::partials(view, statistic), statistic);
  const bool of_absolute = is_absolute(statistic);
  if (is_norm(statistic)) return detail::numpy_norm(view, statistic);
  if (!view.has_tensor() || view.type == ElementType::string)
    return fail(ErrorKind::unsupported, statistic_name(statistic), "numpy has no such reduction of strings");
  const Statistic base = without_absolute(statistic);
  const bool is_extreme = base == Statistic::min || base == Statistic::max;
  if (is_extreme && view.size() == 0)
    return fail(ErrorKind::invalid_argument, statistic_name(statistic),
                "an empty tensor has no smallest or largest element");
  if (is_integral(view.type) && (is_extreme || base == Statistic::sum || base == Statistic::prod))
    return is_unsigned_integer(view.type) ? detail::numpy_integer<std::uint64_t>(view, statistic)
                                          : detail::numpy_integer<std::int64_t>(view, statistic);
  if (is_complex(view.type) && !of_absolute)
    return view.type == ElementType::complex64 ? detail::numpy_complex<float>(view, statistic)
                                               : detail::numpy_complex<double>(view, statistic);
  const ElementType type = detail::numpy_real_type(view.type);
  return type == ElementType::float64 ? detail::numpy_real<double>(view, statistic, type)
                                      : detail::numpy_real<float>(view, statistic, type);
}

LOUPE_DECL NumpyDefinitions::Partials NumpyDefinitions::partials(const TensorView& view, StatisticSet wanted) {
  Partials partials;
  partials.wanted = wanted;
  auto copy = Array::copy_of(view);
  if (copy) partials.elements = *std::move(copy);
  else partials.failure = std::move(copy).error();
  return partials;
}

LOUPE_DECL result<Scalar> NumpyDefinitions::value(const Partials& partials, Statistic statistic) {
  if (partials.elements.type() == ElementType::none) return fail(partials.failure);
  if (!partials.wanted.contains(statistic))
    return fail(ErrorKind::invalid_state, statistic_name(statistic),
                "it was not asked for when the tensor was reduced");
  return value_of(partials.elements.view(), statistic);
}

LOUPE_DECL void NumpyDefinitions::merge(Partials& into, const Partials& next) {
  const auto give_up = [&](Error error) {
    into.failure = std::move(error);
    into.elements = Array();
  };
  const Array& first = into.elements;
  const Array& second = next.elements;
  if (first.type() == ElementType::none) return;
  if (second.type() == ElementType::none) return give_up(next.failure);
  bool fits = first.type() == second.type() && first.rank() == second.rank() && first.rank() != 0;
  for (std::size_t axis = 1; fits && axis < first.rank(); ++axis) fits = first.shape()[axis] == second.shape()[axis];
  if (!fits || first.type() == ElementType::string)
    return give_up(
        {.kind = ErrorKind::invalid_argument,
         .object = "merge",
         .detail =
             "only numbers of one type, in pieces that lie behind each other along the first axis, make one tensor"});
  Shape shape = first.shape();
  shape[0] += second.shape()[0];
  auto whole = Array::make(first.type(), shape);
  if (!whole) return give_up(std::move(whole).error());
  std::byte* out = whole->bytes().data();
  if (!first.bytes().empty()) std::memcpy(out, first.bytes().data(), first.bytes().size());
  if (!second.bytes().empty()) std::memcpy(out + first.bytes().size(), second.bytes().data(), second.bytes().size());
  into.elements = *std::move(whole);
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_NUMPY_DEFINITIONS_IPP
// ---- loupe/reduce/numpy_definitions_norms.ipp
#ifndef LOUPE_SINGLE_REDUCE_NUMPY_DEFINITIONS_NORMS_IPP
#define LOUPE_SINGLE_REDUCE_NUMPY_DEFINITIONS_NORMS_IPP

// ---- loupe/reduce/spectral_norm.hpp
#ifndef LOUPE_SINGLE_REDUCE_SPECTRAL_NORM_HPP
#define LOUPE_SINGLE_REDUCE_SPECTRAL_NORM_HPP
/// @file
/// The largest singular value of a matrix.

namespace loupe::inline LOUPE_ABI {

/// The largest singular value of a tensor of rank 2, of real or complex numbers, integers or booleans, or of its absolute
/// values, worked out in double. It is the square root of the largest eigenvalue of the Gram matrix of the shorter side,
/// which is exact to a few units in the last place however small the other singular values are. Memory and time: n^2
/// doubles and n^2 m operations, for sides n <= m.
///
/// NaN if an element is infinite. An error if one is NaN (`invalid_state`), if the matrix is empty (`invalid_argument`), or if both sides
/// are longer than 16384 (`limit_exceeded`).
[[nodiscard]] LOUPE_DECL result<double> spectral_norm(const TensorView& matrix, bool of_absolute = false);

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/reduce/spectral_norm.ipp
#ifndef LOUPE_SINGLE_REDUCE_SPECTRAL_NORM_IPP
#define LOUPE_SINGLE_REDUCE_SPECTRAL_NORM_IPP

namespace loupe::inline LOUPE_ABI {
namespace detail {

/// A symmetric matrix of doubles, of which both triangles are stored.
class SymmetricMatrix {
 public:
  explicit SymmetricMatrix(std::size_t size) : size_(size), elements_(new(std::nothrow) double[size * size]()) {}
  [[nodiscard]] bool is_allocated() const noexcept { return elements_ != nullptr; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  double* row(std::size_t index) noexcept { return elements_.get() + index * size_; }

 private:
  std::size_t size_;
  std::unique_ptr<double[]> elements_;
};

// Rows that are added to a Gram matrix together, so that it is read and written less often.
inline constexpr std::size_t gram_rows = 4;

// Adds the products of four rows, one behind the other, with themselves to the lower triangle.
LOUPE_NO_CONTRACTION inline void add_outer_squares(SymmetricMatrix& matrix, const double* rows) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  const std::size_t size = matrix.size();
  const double* second = rows + size;
  const double* third = second + size;
  const double* fourth = third + size;
  for (std::size_t to = 0; to < size; ++to) {
    double* out = matrix.row(to);
    for (std::size_t from = 0; from <= to; ++from)
      out[from] +=
          (rows[to] * rows[from] + second[to] * second[from]) + (third[to] * third[from] + fourth[to] * fourth[from]);
  }
}

// Householder's reduction of a symmetric matrix, of which the lower triangle is used and overwritten, to a tridiagonal one.
// `work` has room for two columns.
LOUPE_NO_CONTRACTION inline void make_tridiagonal(SymmetricMatrix& matrix, double* diagonal, double* off_diagonal,
                                                  double* work) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  const std::size_t size = matrix.size();
  double* reflector = work;
  double* product = work + size;
  for (std::size_t column = 0; column + 1 < size; ++column) {
    const std::size_t first = column + 1;
    diagonal[column] = matrix.row(column)[column];
    double below = 0;  // the squares of the column below its first element
    for (std::size_t row = first; row < size; ++row) {
      reflector[row] = matrix.row(row)[column];
      if (row > first) below += reflector[row] * reflector[row];
    }
    off_diagonal[column] = reflector[first];
    if (below == 0) continue;
    const double head = reflector[first];
    const double length = __builtin_sqrt(head * head + below);
    off_diagonal[column] = head > 0 ? -length : length;
    reflector[first] = head - off_diagonal[column];
    const double scale = 2 / (reflector[first] * reflector[first] + below);
    for (std::size_t row = first; row < size; ++row) product[row] = 0;
    for (std::size_t row = first; row < size; ++row) {
      const double* elements = matrix.row(row);
      double sum = elements[row] * reflector[row];
      for (std::size_t other = first; other < row; ++other) {
        sum += elements[other] * reflector[other];
        product[other] += elements[other] * reflector[row];
      }
      product[row] += sum;
    }
    double overlap = 0;
    for (std::size_t row = first; row < size; ++row) overlap += product[row] * reflector[row];
    const double correction = scale * scale * overlap / 2;
    for (std::size_t row = first; row < size; ++row) product[row] = scale * product[row] - correction * reflector[row];
    for (std::size_t row = first; row < size; ++row) {
      double* elements = matrix.row(row);
      for (std::size_t other = first; other <= row; ++other)
        elements[other] -= reflector[row] * product[other] + product[row] * reflector[other];
    }
  }
  diagonal[size - 1] = matrix.row(size - 1)[size - 1];
}

// The largest eigenvalue of a tridiagonal matrix that has no negative ones, by bisection: the number of negative pivots of
// the matrix less x is that of eigenvalues below x (Sylvester).
LOUPE_NO_CONTRACTION inline double largest_eigenvalue(const double* diagonal, const double* off_diagonal,
                                                      std::size_t size) noexcept {
  LOUPE_NO_CONTRACTION_HERE
  double low = 0;
  double high = 0;
  for (std::size_t index = 0; index < size; ++index) {
    const double before = index > 0 ? __builtin_fabs(off_diagonal[index - 1]) : 0;
    const double behind = index + 1 < size ? __builtin_fabs(off_diagonal[index]) : 0;
    if (diagonal[index] > low) low = diagonal[index];
    if (diagonal[index] + before + behind > high) high = diagonal[index] + before + behind;
  }
  while (true) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) return middle;
    bool is_above_all = true;
    double pivot = diagonal[0] - middle;
    for (std::size_t index = 1; is_above_all && index < size; ++index) {
      if (pivot >= 0) is_above_all = false;
      else pivot = diagonal[index] - middle - off_diagonal[index - 1] * off_diagonal[index - 1] / pivot;
    }
    if (is_above_all && pivot < 0) high = middle;
    else low = middle;
  }
}

// The rows of a matrix, scaled; a complex one as the real one of twice the size that has the same singular values, each
// twice. Each row is written where `next_row()` says; then `visit()` is called.
template <class NextRow, class Visitor>
void for_each_real_row(const TensorView& matrix, bool of_absolute, double scale, NextRow&& next_row,
                       Visitor&& visit) noexcept {
  const auto columns = static_cast<std::size_t>(matrix.shape[1]);
  const bool is_split = is_complex(matrix.type) && !of_absolute;
  NumberReader reader(matrix, of_absolute);
  for (std::int64_t index = 0; index < matrix.shape[0]; ++index) {
    double* row = next_row();
    for (std::size_t done = 0; done < columns;) {
      const std::size_t count = columns - done < NumberReader::most ? columns - done : NumberReader::most;
      if (is_split) {
        ComplexNumber<double> numbers[NumberReader::most];
        reader(numbers, count);
        for (std::size_t offset = 0; offset < count; ++offset) {
          row[done + offset] = numbers[offset].real * scale;
          row[columns + done + offset] = -numbers[offset].imaginary * scale;
        }
      } else {
        reader(row + done, count);
        for (std::size_t offset = 0; offset < count; ++offset) row[done + offset] *= scale;
      }
      done += count;
    }
    visit();
    if (!is_split) continue;
    // The row (re, -im) is followed by (im, re).
    double* turned = next_row();
    for (std::size_t column = 0; column < columns; ++column) {
      const double real = row[column];
      const double negative_imaginary = row[columns + column];
      turned[column] = -negative_imaginary;
      turned[columns + column] = real;
    }
    visit();
  }
}

}  // namespace detail

LOUPE_DECL result<double> spectral_norm(const TensorView& matrix, bool of_absolute) {
  constexpr std::size_t longest = 16384;
  if (matrix.rank() != 2 || matrix.size() == 0)
    return fail(ErrorKind::invalid_argument, "spectral norm", "only a matrix that is not empty has singular values");
  // Rows at least as many as columns: the transposed matrix has the same singular values.
  TensorView tall = matrix;
  if (tall.shape[0] < tall.shape[1]) {
    std::swap(tall.shape[0], tall.shape[1]);
    std::swap(tall.strides[0], tall.strides[1]);
  }
  const bool is_split = is_complex(matrix.type) && !of_absolute;
  const auto columns = static_cast<std::uint64_t>(tall.shape[1]);
  if (columns > (is_split ? longest / 2 : longest))
    return fail(ErrorKind::limit_exceeded, "spectral norm", "the matrix is too large for its singular values");
  const auto size = static_cast<std::size_t>(is_split ? 2 * columns : columns);

  detail::SymmetricMatrix gram(size);
  const std::unique_ptr<double[]> vectors(new (std::nothrow) double[(detail::gram_rows + 4) * size]());
  if (!gram.is_allocated() || vectors == nullptr)
    return fail(ErrorKind::limit_exceeded, "spectral norm",
                "there is not enough memory for the matrix's singular values");
  double* rows = vectors.get();

  double largest = 0;
  bool has_nan = false;
  const auto look_at_row = [&] {
    for (std::size_t column = 0; column < size; ++column) {
      const double magnitude = __builtin_fabs(rows[column]);
      if (magnitude > largest) largest = magnitude;
      if (magnitude != magnitude) has_nan = true;
    }
  };
  detail::for_each_real_row(tall, of_absolute, 1, [rows] { return rows; }, look_at_row);
  if (has_nan)
    return fail(ErrorKind::invalid_state, "spectral norm", "a matrix with NaN elements has no singular values");
  if (largest == __builtin_inf()) return __builtin_nan("");
  if (largest == 0) return 0.0;

  // Scaled by a power of two, so that the largest element is about 1, no square overflows, and none that counts vanishes.
  int exponent = 0;
  static_cast<void>(__builtin_frexp(largest, &exponent));
  const double scale = __builtin_ldexp(1, exponent < -1000 ? 1000 : -exponent);
  std::size_t filled = 0;
  const auto add_rows = [&] {
    if (++filled < detail::gram_rows) return;
    detail::add_outer_squares(gram, rows);
    filled = 0;
  };
  detail::for_each_real_row(tall, of_absolute, scale, [&] { return rows + filled * size; }, add_rows);
  while (filled != 0) {
    for (std::size_t column = 0; column < size; ++column) rows[filled * size + column] = 0;
    add_rows();
  }

  double* diagonal = rows + detail::gram_rows * size;
  double* off_diagonal = diagonal + size;
  detail::make_tridiagonal(gram, diagonal, off_diagonal, off_diagonal + size);
  return __builtin_sqrt(detail::largest_eigenvalue(diagonal, off_diagonal, size)) / scale;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_SPECTRAL_NORM_IPP
#endif  // LOUPE_SINGLE_REDUCE_SPECTRAL_NORM_HPP

namespace loupe::inline LOUPE_ABI {
namespace detail {

// The norms of a tensor of rank 1 or 2 in the arithmetic of `Number`, float or double; see `NumpyReal` for `type`.
template <class Number>
class NumpyNorms {
 public:
  NumpyNorms(const TensorView& view, bool of_absolute, ElementType type) noexcept
      : view_(view),
        of_absolute_(of_absolute),
        type_(type) {}

  [[nodiscard]] Scalar make(double number) const noexcept { return make_scalar(type_, number); }

  // The sum of absolute values.
  [[nodiscard]] double of_sum() const noexcept {
    NumberReader reader(view_, of_absolute_);
    auto next = [&](Number* out, std::size_t count) { read_magnitudes(reader, out, count); };
    const auto round = [this](Number sum) { return rounded(sum); };
    return static_cast<double>(pairwise_sum<Number, 8>(next, view_.size(), round));
  }

  // The Euclidean norm. numpy's dot product has the order of the BLAS library in use; float16 it adds itself.
  [[nodiscard]] LOUPE_NO_CONTRACTION double of_squares() const noexcept {
    LOUPE_NO_CONTRACTION_HERE
    if (type_ == ElementType::float16) {
      float half_squares = 0;
      NumberReader(view_, of_absolute_).for_each<float>([&](float number) { half_squares += number * number; });
      return __builtin_sqrt(static_cast<double>(rounded(static_cast<Number>(half_squares))));
    }
    const double squares = sum_of_squares();
    return __builtin_sqrt(static_cast<double>(static_cast<Number>(squares)));
  }

  // The largest sum of absolute values of a column; the matrix has columns.
  [[nodiscard]] double of_columns() const noexcept {
    Number largest = 0;
    const std::int64_t columns = view_.shape[1];
    constexpr auto most = static_cast<std::int64_t>(NumberReader::most);
    for (std::int64_t first = 0; first < columns; first += most) {
      // A panel of columns is added up row by row.
      TensorView panel = view_;
      panel.shape[1] = columns - first < most ? columns - first : most;
      const std::int64_t offset = first * view_.strides[1] * static_cast<std::int64_t>(element_size(view_.type));
      if (view_.size() != 0) panel.data = static_cast<const std::byte*>(view_.data) + offset;
      Number sums[NumberReader::most] = {};
      const auto width = static_cast<std::size_t>(panel.shape[1]);
      NumberReader reader(panel, of_absolute_);
      while (reader.rest() > 0) {
        Number magnitudes[NumberReader::most];
        read_magnitudes(reader, magnitudes, width);
        for (std::size_t column = 0; column < width; ++column)
          sums[column] = rounded(sums[column] + magnitudes[column]);
      }
      for (std::size_t column = 0; column < width; ++column)
        if (!(sums[column] <= largest) && largest == largest) largest = sums[column];
    }
    return static_cast<double>(largest);
  }

 private:
  void read_magnitudes(NumberReader& reader, Number* out, std::size_t count) const noexcept {
    reader(out, count);
    for (std::size_t index = 0; index < count; ++index)
      out[index] = static_cast<Number>(__builtin_fabs(static_cast<double>(out[index])));
  }
  [[nodiscard]] LOUPE_NO_CONTRACTION double sum_of_squares() const noexcept {
    LOUPE_NO_CONTRACTION_HERE
    NumberReader reader(view_, of_absolute_);
    auto next = [&](double* out, std::size_t count) {
      Number numbers[NumberReader::most];
      reader(numbers, count);
      for (std::size_t index = 0; index < count; ++index)
        out[index] = static_cast<double>(numbers[index]) * static_cast<double>(numbers[index]);
    };
    return pairwise_sum<double, 8>(next, view_.size());
  }
  [[nodiscard]] Number rounded(Number number) const noexcept {
    return type_ == ElementType::float16 ? static_cast<Number>(to_float(to_float16(static_cast<float>(number))))
                                         : number;
  }

  const TensorView& view_;
  bool of_absolute_;
  ElementType type_;
};

template <class Number>
result<Scalar> numpy_norm(const TensorView& view, Statistic statistic, bool of_absolute, ElementType type) {
  const bool is_first = without_absolute(statistic) == Statistic::l1;
  const NumpyNorms<Number> norms(view, of_absolute, type);
  if (view.rank() == 1) return norms.make(is_first ? norms.of_sum() : norms.of_squares());
  if (is_first) {
    if (view.shape[1] == 0)
      return fail(ErrorKind::invalid_argument, statistic_name(statistic), "a matrix without columns has no norm");
    return norms.make(norms.of_columns());
  }
  if (type == ElementType::float16)
    return fail(ErrorKind::invalid_type, statistic_name(statistic), "numpy has no singular values of float16");
  LOUPE_ASSIGN(const double norm, spectral_norm(view, of_absolute));
  return norms.make(norm);
}

// Of a number too large or too small for a double: positive for the former, negative for the latter.
inline std::int64_t decimal_exponent(std::string_view number) {
  const std::size_t mantissa_end = std::min(number.find_first_of("eE"), number.size());
  const std::string_view mantissa = number.substr(0, mantissa_end);
  const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  const auto first = static_cast<std::int64_t>(mantissa.find_first_of("123456789"));
  if (mantissa_end == number.size()) return point - first;
  std::string_view digits = number.substr(mantissa_end + 1);
  if (digits.starts_with('+')) digits.remove_prefix(1);
  std::int64_t exponent = 0;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), exponent).ec != std::errc())
    return digits.starts_with('-') ? -1 : 1;
  constexpr std::int64_t limit = std::int64_t{1} << 62;  // no text is as long, so the point can't outweigh it
  return std::clamp(exponent, -limit, limit) + point - first;
}

// A text as Python's float() reads it, but for digits that aren't ASCII.
inline bool parse_python_float(std::string_view text, double& out) {
  constexpr std::string_view blanks = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return false;
  text = text.substr(first, text.find_last_not_of(blanks) - first + 1);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  ByteBuffer digits;
  for (std::size_t index = 0; index < text.size(); ++index) {
    const auto is_digit = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '9'; };
    if (text[index] != '_') digits.append(text[index]);
    else if (index == 0 || !is_digit(index - 1) || !is_digit(index + 1)) return false;
  }
  const std::string_view plain = digits.text();
  if (plain.find_first_of("xX(") != std::string_view::npos) return false;
  const auto parsed = std::from_chars(plain.data(), plain.data() + plain.size(), out);
  if (parsed.ptr != plain.data() + plain.size()) return false;
  if (parsed.ec == std::errc()) return true;
  if (parsed.ec != std::errc::result_out_of_range) return false;
  out = decimal_exponent(plain) > 0 ? __builtin_inf() : 0;
  if (plain.front() == '-') out = -out;
  return true;
}

// numpy converts strings to float64 for a norm, if they all are numbers.
inline result<Scalar> numpy_norm_of_strings(const TensorView& view, Statistic statistic) {
  if (is_absolute(statistic))
    return fail(ErrorKind::unsupported, statistic_name(statistic), "numpy has no absolute value of strings");
  ByteBuffer numbers;
  bool are_numbers = true;
  for_each_run(view, [&](const std::byte* first, std::int64_t count) {
    for (std::int64_t index = 0; index < count && are_numbers; ++index) {
      const auto text =
          load_element<std::string_view>(first + index * static_cast<std::int64_t>(sizeof(std::string_view)));
      double number = 0;
      are_numbers = parse_python_float(text, number);
      std::memcpy(numbers.extend(sizeof number), &number, sizeof number);
    }
  });
  if (!are_numbers) return fail(ErrorKind::invalid_argument, statistic_name(statistic), "not every string is a number");
  const TensorView parsed(numbers.data(), ElementType::float64, view.shape);
  return numpy_norm<double>(parsed, statistic, false, ElementType::float64);
}

inline result<Scalar> numpy_norm(const TensorView& original, Statistic statistic) {
  if (!original.has_tensor()) return fail(ErrorKind::unsupported, statistic_name(statistic), "there is no tensor");
  TensorView view = original;
  // The absolute value of an array of rank 0 is a number to numpy, and smdebug makes a vector of it.
  if (view.rank() == 0 && is_absolute(statistic)) view = TensorView(original.data, original.type, {1});
  if (view.rank() == 0 || view.rank() > 2)
    return fail(ErrorKind::invalid_argument, statistic_name(statistic), "numpy has norms of vectors and matrices only");
  if (view.type == ElementType::string) return numpy_norm_of_strings(view, statistic);
  // The singular values of a complex matrix are not those of its magnitudes; all other norms are.
  const bool is_spectral = view.rank() == 2 && without_absolute(statistic) == Statistic::l2;
  const bool of_absolute = is_absolute(statistic) || (is_complex(view.type) && !is_spectral);
  const ElementType type = numpy_real_type(view.type);
  return type == ElementType::float64 ? numpy_norm<double>(view, statistic, of_absolute, type)
                                      : numpy_norm<float>(view, statistic, of_absolute, type);
}

}  // namespace detail
}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_NUMPY_DEFINITIONS_NORMS_IPP
#endif  // LOUPE_SINGLE_REDUCE_NUMPY_DEFINITIONS_HPP
// ---- loupe/reduce/torch_definitions.hpp
#ifndef LOUPE_SINGLE_REDUCE_TORCH_DEFINITIONS_HPP
#define LOUPE_SINGLE_REDUCE_TORCH_DEFINITIONS_HPP
/// @file
/// The statistics as PyTorch works them out, and smdebug's PyTorch hook with it (semantics.md section 4).

namespace loupe::inline LOUPE_ABI {

/// What smdebug's PyTorch hook saves, from one pass over the memory; sums are taken and rounded as by `Fused`.
///
/// - `std` and `variance` are sample statistics: they divide by n - 1, and are NaN for one element.
/// - `l1` and `l2` are those of the flattened tensor whatever its rank.
/// - Results have the tensor's type; sums and products of integers and booleans are int64.
/// - Integers and booleans have no mean, std, variance or norm, booleans no absolute values, float16 no product, complex
///   numbers no extremes and here no product, an empty tensor no extremes: errors of the kind `invalid_type`, for the
///   empty tensor `invalid_argument`, where PyTorch raises RuntimeError.
/// - Absolute values of integers are taken in their own type, so the smallest one's is itself.
/// - The counts are those of `Fused`.
class TorchDefinitions {
 public:
  static constexpr StatisticSet provides = StatisticSet::all();

  struct Partials {
    loupe::Partials numbers;
    /// Of signed integers' absolute values in their own type, where wanted.
    std::int64_t absolute_minimum = INT64_MAX;
    std::int64_t absolute_maximum = INT64_MIN;
    std::uint64_t absolute_sum = 0;
    std::uint64_t absolute_product = 1;
  };
  static LOUPE_DECL Partials partials(const TensorView& view, StatisticSet wanted);
  static LOUPE_DECL void merge(Partials& into, const Partials& next);
  static LOUPE_DECL result<Scalar> value(const Partials& partials, Statistic statistic);
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/reduce/torch_definitions.ipp
#ifndef LOUPE_SINGLE_REDUCE_TORCH_DEFINITIONS_IPP
#define LOUPE_SINGLE_REDUCE_TORCH_DEFINITIONS_IPP

namespace loupe::inline LOUPE_ABI {
namespace detail {

// Why PyTorch refuses the statistic for tensors of this type, or nothing.
inline std::string_view torch_refusal(ElementType type, Statistic statistic) noexcept {
  const Statistic base = without_absolute(statistic);
  const bool is_extreme = base == Statistic::min || base == Statistic::max;
  const bool is_product = base == Statistic::prod;
  if (is_integral(type)) {
    if (!is_extreme && !is_product && base != Statistic::sum) return "PyTorch has it of floating-point tensors only";
    if (type == ElementType::boolean && is_absolute(statistic)) return "PyTorch has no absolute value of booleans";
  }
  if (type == ElementType::float16 && is_product) return "PyTorch does not multiply float16 on the CPU";
  if (is_complex(type) && !is_absolute(statistic)) {
    if (is_extreme) return "complex numbers have no order";
    if (is_product) return "loupe does not multiply complex numbers";
  }
  return {};
}

inline Scalar torch_integer(const TorchDefinitions::Partials& partials, Statistic statistic) noexcept {
  const bool is_wrapped = is_absolute(statistic) && is_signed_integer(partials.numbers.type);
  const IntegerPartials& integer = partials.numbers.integer;
  switch (without_absolute(statistic)) {
    case Statistic::sum:
      return Scalar::from(static_cast<std::int64_t>(is_wrapped ? partials.absolute_sum : integer.sum));
    case Statistic::prod:
      return Scalar::from(static_cast<std::int64_t>(is_wrapped ? partials.absolute_product : integer.product));
    default: break;
  }
  const std::int64_t extreme =
      without_absolute(statistic) == Statistic::min ? partials.absolute_minimum : partials.absolute_maximum;
  return visit_element_type(partials.numbers.type, [extreme]<class Element>() -> Scalar {
    if constexpr (std::is_integral_v<Element> && std::is_signed_v<Element>)
      return Scalar::from(static_cast<Element>(extreme));
    else return {};
  });
}

// The type of means, deviations, norms and sums of floating-point tensors.
constexpr ElementType torch_real_type(ElementType type) noexcept {
  return type == ElementType::complex64    ? ElementType::float32
         : type == ElementType::complex128 ? ElementType::float64
                                           : type;
}

inline Scalar torch_sum(const Partials& partials, bool of_absolute, double divisor) noexcept {
  if (is_complex(partials.type) && !of_absolute)
    return make_scalar(partials.type, partials.real.total() / divisor, partials.imaginary.total() / divisor);
  return make_scalar(torch_real_type(partials.type), partials.total(of_absolute) / divisor);
}

}  // namespace detail

LOUPE_DECL TorchDefinitions::Partials TorchDefinitions::partials(const TensorView& view, StatisticSet wanted) {
  Partials partials;
  partials.numbers = loupe::Partials::of(view, wanted);
  const StatisticSet wrapped{Statistic::abs_min, Statistic::abs_max, Statistic::abs_sum, Statistic::abs_prod};
  if (!is_signed_integer(view.type) || !wanted.contains_any(wrapped)) return partials;
  NumberReader(view, true).for_each<std::int64_t>([&](std::int64_t number) {
    partials.absolute_minimum = detail::smaller(number, partials.absolute_minimum);
    partials.absolute_maximum = detail::larger(number, partials.absolute_maximum);
    partials.absolute_sum += static_cast<std::uint64_t>(number);
    partials.absolute_product *= static_cast<std::uint64_t>(number);
  });
  return partials;
}

LOUPE_DECL void TorchDefinitions::merge(Partials& into, const Partials& next) {
  into.numbers.merge(next.numbers);
  into.absolute_minimum = detail::smaller(next.absolute_minimum, into.absolute_minimum);
  into.absolute_maximum = detail::larger(next.absolute_maximum, into.absolute_maximum);
  into.absolute_sum += next.absolute_sum;
  into.absolute_product *= next.absolute_product;
}

LOUPE_DECL result<Scalar> TorchDefinitions::value(const Partials& partials, Statistic statistic) {
  const loupe::Partials& numbers = partials.numbers;
  if (!is_available(numbers, statistic)) return refuse_unavailable(numbers, statistic);
  if (count_statistics.contains(statistic)) return count_value(numbers, statistic);
  if (const std::string_view refusal = detail::torch_refusal(numbers.type, statistic); !refusal.empty())
    return fail(ErrorKind::invalid_type, statistic_name(statistic), refusal);
  const bool of_absolute = is_absolute(statistic);
  const Statistic base = without_absolute(statistic);
  const ElementType type = detail::torch_real_type(numbers.type);
  if (base == Statistic::min || base == Statistic::max) {
    if (numbers.count != 0 && of_absolute && is_signed_integer(numbers.type))
      return detail::torch_integer(partials, statistic);
    return extreme_value(numbers, statistic, type);
  }
  if (is_integral(numbers.type)) return detail::torch_integer(partials, statistic);
  const auto size = static_cast<double>(numbers.count);
  // Of one element 0 / 0, of none NaN.
  const double variance = numbers.squared_deviations(of_absolute) / (size - 1);
  switch (base) {
    case Statistic::mean: return detail::torch_sum(numbers, of_absolute, size);
    case Statistic::variance: return make_scalar(type, variance);
    case Statistic::std: return make_scalar(type, __builtin_sqrt(variance));
    case Statistic::sum: return detail::torch_sum(numbers, of_absolute, 1);
    case Statistic::prod: return make_scalar(type, numbers.product_value(of_absolute));
    case Statistic::l1: return make_scalar(type, numbers.total(true));
    default: return make_scalar(type, numbers.euclidean_norm());
  }
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_REDUCE_TORCH_DEFINITIONS_IPP
#endif  // LOUPE_SINGLE_REDUCE_TORCH_DEFINITIONS_HPP
// ---- loupe/storage/any_storage.hpp
#ifndef LOUPE_SINGLE_STORAGE_ANY_STORAGE_HPP
#define LOUPE_SINGLE_STORAGE_ANY_STORAGE_HPP
/// @file
/// A storage whose type is known only at run time: what passes the boundary behind which nothing is a template.

// ---- loupe/storage/concept.hpp
#ifndef LOUPE_SINGLE_STORAGE_CONCEPT_HPP
#define LOUPE_SINGLE_STORAGE_CONCEPT_HPP
/// @file
/// The concept that a storage backend models, and its vocabulary.

namespace loupe::inline LOUPE_ABI {

/// A part of an object; by default all of it. What lies behind the object's end is left out.
struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t length = UINT64_MAX;
};

/// An object. A listing may leave `size` and `generation` at 0 where they would cost a look at each object; `stat` gives
/// them. Two equal generations of one key mean equal bytes.
struct ObjectInfo {
  std::string_view key;
  std::uint64_t size = 0;
  std::uint64_t generation = 0;
  std::int64_t modified_ns = 0;  ///< nanoseconds since the Unix epoch by the storage's clock; 0 if it doesn't say
};

/// What a backend promises besides the basic calls; what it doesn't promise nobody relies on.
struct Capabilities {
  bool atomic_put = false;     ///< readers see an object's old bytes or its new ones, never a mixture
  bool put_if_absent = false;  ///< of several writers with `PutMode::if_absent` one wins
  bool ordered_list = false;   ///< listings are in ascending order of the keys' bytes
  bool range_read = false;     ///< a part of an object costs less than all of it
  bool append = false;         ///< `stage` writes through instead of collecting in memory
  bool map = false;            ///< `map` gives bytes without a copy
  bool asynchronous = false;   ///< calls return before the bytes are durable elsewhere
};

enum class PutMode : std::uint8_t {
  replace,
  if_absent,  ///< `already_exists` if there is such an object
};

/// What a listing calls for each object; false ends the listing.
using ListSink = FunctionRef<bool(const ObjectInfo&)>;

/// A place for objects (named byte strings). Keys are relative paths in UTF-8 with `/` between components, none of them
/// empty, `.`, `..` or longer than 247 bytes; others are refused with `invalid_argument`. All calls may be made
/// concurrently, on one object or on copies; a `Staged` belongs to one thread. No call throws; errors name the key.
///
/// - `capabilities()`, `name()`: a text for messages;
/// - `list(prefix, start_after, sink)`: objects whose key begins with `prefix` and is greater than `start_after`; a prefix
///   that nothing has lists nothing; staged objects don't appear before their commit;
/// - `stat(key)`: `not_found` if there is no such object;
/// - `read(key, range, out)`: appends to `out`; an offset behind the end is `invalid_argument`;
/// - `put(key, bytes, mode)`: publishes an object whole;
/// - `remove(key)`: no error if there is none;
/// - `stage(key)` → `append(bytes)` gives the offset that the bytes got → `commit()` publishes, once: later calls are
///   `invalid_state`; one that is destroyed uncommitted leaves nothing. After a failure it can only be destroyed.
template <class Type>
concept Storage =
    requires(Type& storage, const Type& constant, std::string_view key, ByteRange range, ByteBuffer& out,
             std::span<const std::byte> bytes, PutMode mode, ListSink sink, typename Type::Staged& staged) {
      { constant.capabilities() } noexcept -> std::same_as<Capabilities>;
      { constant.name() } -> std::convertible_to<Text>;
      { storage.list(key, key, sink) } -> std::same_as<result<void>>;
      { storage.stat(key) } -> std::same_as<result<ObjectInfo>>;
      { storage.read(key, range, out) } -> std::same_as<result<void>>;
      { storage.put(key, bytes, mode) } -> std::same_as<result<void>>;
      { storage.remove(key) } -> std::same_as<result<void>>;
      { storage.stage(key) } -> std::same_as<result<typename Type::Staged>>;
      { staged.append(bytes) } -> std::same_as<result<std::uint64_t>>;
      { staged.commit() } -> std::same_as<result<void>>;
    };

/// The longest key.
inline constexpr std::size_t max_key_size = 4096;
/// The longest component of a key: file systems allow 255 bytes, and an unfinished file's name has a suffix.
inline constexpr std::size_t max_key_component_size = 247;

/// Refuses keys that are not relative paths in canonical form.
inline result<void> check_key(std::string_view key) {
  const auto refuse = [key](const char* why) { return fail(ErrorKind::invalid_argument, key.substr(0, 256), why); };
  if (key.empty()) return refuse("a key must not be empty");
  if (key.size() > max_key_size) return refuse("a key must not be longer than 4096 bytes");
  if (key.find('\0') != std::string_view::npos) return refuse("a key must not contain a NUL byte");
  while (true) {
    const auto slash = key.find('/');
    const std::string_view component = key.substr(0, slash);
    if (component.empty() || component == "." || component == "..")
      return refuse("a key must be a relative path without empty components, . or ..");
    if (component.size() > max_key_component_size)
      return refuse("a component of a key must not be longer than 247 bytes");
    if (slash == std::string_view::npos) return {};
    key.remove_prefix(slash + 1);
  }
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_STORAGE_CONCEPT_HPP
// ---- loupe/storage/mapped_bytes.hpp
#ifndef LOUPE_SINGLE_STORAGE_MAPPED_BYTES_HPP
#define LOUPE_SINGLE_STORAGE_MAPPED_BYTES_HPP
/// @file
/// Bytes of an object without a copy.

namespace loupe::inline LOUPE_ABI {

/// Bytes that stay where they are while this object or a copy of it lives. A mapped file that somebody truncates
/// afterwards faults on access (SIGBUS): files of a trial are replaced, never shortened, so only interference does that.
class MappedBytes {
 public:
  MappedBytes() = default;
  /// `owner` is kept as long as the bytes: a `std::shared_ptr`, or whatever lets go of them in its destructor.
  template <class Type>
  MappedBytes(std::span<const std::byte> bytes, Type owner)
      : bytes_(bytes),
        keeper_(new KeeperOf<Type>(std::move(owner))) {}
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  struct Keeper : OwnerCount {
    virtual ~Keeper() = default;
  };
  template <class Type>
  struct KeeperOf final : Keeper {
    explicit KeeperOf(Type object) : owner(std::move(object)) {}
    Type owner;
  };

  std::span<const std::byte> bytes_;
  SharedOwner<Keeper> keeper_;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_STORAGE_MAPPED_BYTES_HPP
// ---- loupe/storage/storage_watch.hpp
#ifndef LOUPE_SINGLE_STORAGE_STORAGE_WATCH_HPP
#define LOUPE_SINGLE_STORAGE_STORAGE_WATCH_HPP
/// @file
/// Waiting for a storage to change, without looking again and again.

namespace loupe::inline LOUPE_ABI {

/// How a wait for changes ended.
enum class WatchOutcome : std::uint8_t { changed, deadline, interrupted };

/// Notices that objects may have come, changed or gone. Begin it before looking at the objects: what changes after the
/// look ends the next wait. A storage may be unable to notice some changes (those that another machine makes on a network
/// file system) or any, so a deadline must bound each wait. Move-only; belongs to one thread at a time.
class StorageWatch {
 public:
  /// How a storage tells of changes.
  class Source {
   public:
    virtual ~Source() = default;
    /// Is readable when there may be something to take; -1 if it can't be waited for.
    [[nodiscard]] virtual int descriptor() noexcept = 0;
    /// Takes all notifications that have come; whether any concerns the watched objects.
    virtual bool take() = 0;
  };

  /// One that notices nothing: its waits last until their deadlines.
  StorageWatch() noexcept = default;
  /// `source` may come as a `std::unique_ptr`.
  explicit StorageWatch(Owner<Source> source) noexcept : source_(std::move(source)) {}

  /// Whether any change can end a wait.
  [[nodiscard]] bool notices_changes() const noexcept { return static_cast<bool>(source_); }
  /// Waits for a change since the watch began, or since the wait before that ended with one.
  WatchOutcome wait_until(ClockRef clock, std::int64_t deadline_ns, Interrupt* interrupt) {
    while (true) {
      if (interrupt != nullptr && interrupt->requested()) return WatchOutcome::interrupted;
      if (source_ && source_->take()) return WatchOutcome::changed;
      if (clock.monotonic_ns() >= deadline_ns) return WatchOutcome::deadline;
      if (!clock.wait_until(deadline_ns, interrupt, source_ ? source_->descriptor() : -1))
        return WatchOutcome::interrupted;
    }
  }

 private:
  Owner<Source> source_;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_STORAGE_STORAGE_WATCH_HPP

namespace loupe::inline LOUPE_ABI {

/// Any storage; copies share it. Also a storage itself.
class AnyStorage {
 public:
  /// An object that is being written.
  class Staged {
   public:
    result<std::uint64_t> append(std::span<const std::byte> bytes) { return staged_->append(bytes); }
    result<void> commit() { return staged_->commit(); }

   private:
    friend AnyStorage;
    struct Base {
      virtual ~Base() = default;
      virtual result<std::uint64_t> append(std::span<const std::byte> bytes) = 0;
      virtual result<void> commit() = 0;
    };
    template <class Type>
    struct Owned final : Base {
      explicit Owned(Type object) : staged(std::move(object)) {}
      result<std::uint64_t> append(std::span<const std::byte> bytes) override { return staged.append(bytes); }
      result<void> commit() override { return staged.commit(); }
      Type staged;
    };
    explicit Staged(Owner<Base> staged) noexcept : staged_(std::move(staged)) {}
    Owner<Base> staged_;
  };

  template <class Type>
    requires(!std::same_as<Type, AnyStorage>)
  explicit AnyStorage(Type storage) : storage_(new Owned<Type>(std::move(storage))) {
    static_assert(Storage<Type>, "loupe::AnyStorage: the type must model loupe::Storage; see loupe/storage/concept.hpp");
  }

  [[nodiscard]] Capabilities capabilities() const noexcept { return storage_->capabilities(); }
  [[nodiscard]] Text name() const { return storage_->name(); }
  result<void> list(std::string_view prefix, std::string_view start_after, ListSink sink) const {
    return storage_->list(prefix, start_after, sink);
  }
  /// What writers that were interrupted have left below `prefix`, by keys that `remove` takes; nothing where a storage
  /// has no such things.
  result<void> list_unfinished(std::string_view prefix, ListSink sink) const { return storage_->list_unfinished(prefix, sink); }
  result<ObjectInfo> stat(std::string_view key) const { return storage_->stat(key); }
  result<void> read(std::string_view key, ByteRange range, ByteBuffer& out) const { return storage_->read(key, range, out); }
  /// The bytes without a copy; `unsupported` where the storage can't (`capabilities().map`).
  result<MappedBytes> map(std::string_view key) const { return storage_->map(key); }
  result<void> put(std::string_view key, std::span<const std::byte> bytes, PutMode mode) const {
    return storage_->put(key, bytes, mode);
  }
  result<void> remove(std::string_view key) const { return storage_->remove(key); }
  /// Notices changes of the objects whose keys begin with one of `prefixes`; of none where the storage can't.
  StorageWatch watch(std::span<const std::string_view> prefixes) const { return storage_->watch(prefixes); }
  result<Staged> stage(std::string_view key) const {
    return storage_->stage(key);
  }

 private:
  struct Base : OwnerCount {
    virtual ~Base() = default;
    virtual Capabilities capabilities() const noexcept = 0;
    virtual Text name() const = 0;
    virtual result<void> list(std::string_view prefix, std::string_view start_after, ListSink sink) = 0;
    virtual result<void> list_unfinished(std::string_view prefix, ListSink sink) = 0;
    virtual result<ObjectInfo> stat(std::string_view key) = 0;
    virtual result<void> read(std::string_view key, ByteRange range, ByteBuffer& out) = 0;
    virtual result<MappedBytes> map(std::string_view key) = 0;
    virtual result<void> put(std::string_view key, std::span<const std::byte> bytes, PutMode mode) = 0;
    virtual result<void> remove(std::string_view key) = 0;
    virtual StorageWatch watch(std::span<const std::string_view> prefixes) = 0;
    virtual result<Staged> stage(std::string_view key) = 0;
  };
  template <class Type>
  struct Owned final : Base {
    explicit Owned(Type object) : storage(std::move(object)) {}
    Capabilities capabilities() const noexcept override { return storage.capabilities(); }
    Text name() const override { return storage.name(); }
    result<void> list(std::string_view prefix, std::string_view start_after, ListSink sink) override {
      return storage.list(prefix, start_after, sink);
    }
    result<void> list_unfinished(std::string_view prefix, ListSink sink) override {
      if constexpr (requires { storage.list_unfinished(prefix, sink); })
        return storage.list_unfinished(prefix, sink);
      else
        return {};
    }
    result<ObjectInfo> stat(std::string_view key) override { return storage.stat(key); }
    result<void> read(std::string_view key, ByteRange range, ByteBuffer& out) override { return storage.read(key, range, out); }
    result<MappedBytes> map(std::string_view key) override {
      if constexpr (requires { storage.map(key); })
        return storage.map(key);
      else
        return fail(ErrorKind::unsupported, key, "this storage can't map objects");
    }
    result<void> put(std::string_view key, std::span<const std::byte> bytes, PutMode mode) override {
      return storage.put(key, bytes, mode);
    }
    result<void> remove(std::string_view key) override { return storage.remove(key); }
    StorageWatch watch(std::span<const std::string_view> prefixes) override {
      if constexpr (requires { storage.watch(prefixes); })
        return storage.watch(prefixes);
      else
        return StorageWatch();
    }
    result<Staged> stage(std::string_view key) override {
      LOUPE_ASSIGN(auto staged, storage.stage(key));
      return Staged(Owner<Staged::Base>(new Staged::Owned<typename Type::Staged>(std::move(staged))));
    }
    Type storage;
  };
  SharedOwner<Base> storage_;
};

/// Removes every object whose key begins with `prefix`; the first failure is the answer, after all were tried.
LOUPE_DECL result<void> remove_all(const AnyStorage& storage, std::string_view prefix);

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/storage/any_storage.ipp
#ifndef LOUPE_SINGLE_STORAGE_ANY_STORAGE_IPP
#define LOUPE_SINGLE_STORAGE_ANY_STORAGE_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL result<void> remove_all(const AnyStorage& storage, std::string_view prefix) {
  std::vector<Text> keys;
  LOUPE_TRY(storage.list(prefix, {}, [&](const ObjectInfo& object) {
    keys.emplace_back(object.key);
    return true;
  }));
  result<void> outcome;
  for (const Text& key : keys)
    if (auto removed = storage.remove(key); !removed && outcome) outcome = std::move(removed);
  return outcome;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_STORAGE_ANY_STORAGE_IPP
#endif  // LOUPE_SINGLE_STORAGE_ANY_STORAGE_HPP
// ---- loupe/storage/fault.hpp
#ifndef LOUPE_SINGLE_STORAGE_FAULT_HPP
#define LOUPE_SINGLE_STORAGE_FAULT_HPP
/// @file
/// A storage that fails on purpose: to test what depends on one, loupe's own code and that of its users.

namespace loupe::inline LOUPE_ABI {

/// The operations of a storage, as a plan of faults tells them apart.
enum class StorageOperation : std::uint8_t { list, stat, read, map, put, remove, stage, append, commit };

/// Which operation fails. Copies share the count. Safe for concurrent use.
class FaultPlan {
 public:
  /// Nothing fails; operations are counted.
  FaultPlan() : state_(std::make_shared<State>()) {}
  /// The n-th operation fails (the first is 1), and the `count - 1` after it.
  static FaultPlan fail_nth(std::uint64_t n, std::uint64_t count = 1, ErrorKind kind = ErrorKind::io) {
    FaultPlan plan;
    plan.state_->first = n;
    plan.state_->count = count;
    plan.state_->kind = kind;
    return plan;
  }
  /// As before, counting operations of one kind only.
  FaultPlan only(StorageOperation operation) && {
    state_->only = operation;
    state_->has_only = true;
    return std::move(*this);
  }

  /// How many operations were counted, those that failed too.
  [[nodiscard]] std::uint64_t operations() const {
    const std::lock_guard lock(state_->mutex);
    return state_->operations;
  }
  /// Counts an operation and says whether it fails.
  [[nodiscard]] result<void> before(StorageOperation operation, std::string_view key) const {
    const std::lock_guard lock(state_->mutex);
    if (state_->has_only && operation != state_->only) return {};
    const std::uint64_t number = ++state_->operations;
    if (state_->first == 0 || number < state_->first || number - state_->first >= state_->count) return {};
    return fail(state_->kind, key, "a fault was planned for this operation");
  }

 private:
  struct State {
    std::mutex mutex;
    std::uint64_t operations = 0;
    std::uint64_t first = 0;
    std::uint64_t count = 0;
    ErrorKind kind = ErrorKind::io;
    StorageOperation only = StorageOperation::list;
    bool has_only = false;
  };
  std::shared_ptr<State> state_;
};

/// A storage whose operations fail as planned. A planned failure of `append` leaves half of the bytes behind, as a full
/// disk does.
template <class StorageType>
class FaultStorage {
  static_assert(Storage<StorageType>, "loupe::FaultStorage: the type must model loupe::Storage; see loupe/storage/concept.hpp");

 public:
  /// An object that is being written.
  class Staged {
   public:
    result<std::uint64_t> append(std::span<const std::byte> bytes) {
      auto planned = plan_.before(StorageOperation::append, "staged object");
      if (planned) return staged_.append(bytes);
      (void)staged_.append(bytes.first(bytes.size() / 2));
      return fail(std::move(planned).error());
    }
    result<void> commit() {
      LOUPE_TRY(plan_.before(StorageOperation::commit, "staged object"));
      return staged_.commit();
    }

   private:
    friend FaultStorage;
    Staged(typename StorageType::Staged staged, FaultPlan plan) : staged_(std::move(staged)), plan_(std::move(plan)) {}
    typename StorageType::Staged staged_;
    FaultPlan plan_;
  };

  FaultStorage(StorageType storage, FaultPlan plan) : storage_(std::move(storage)), plan_(std::move(plan)) {}

  [[nodiscard]] Capabilities capabilities() const noexcept { return storage_.capabilities(); }
  [[nodiscard]] Text name() const { return storage_.name(); }
  result<void> list(std::string_view prefix, std::string_view start_after, ListSink sink) {
    LOUPE_TRY(plan_.before(StorageOperation::list, prefix));
    return storage_.list(prefix, start_after, sink);
  }
  result<void> list_unfinished(std::string_view prefix, ListSink sink)
    requires requires(StorageType& storage) { storage.list_unfinished(prefix, sink); }
  {
    LOUPE_TRY(plan_.before(StorageOperation::list, prefix));
    return storage_.list_unfinished(prefix, sink);
  }
  result<ObjectInfo> stat(std::string_view key) {
    LOUPE_TRY(plan_.before(StorageOperation::stat, key));
    return storage_.stat(key);
  }
  result<void> read(std::string_view key, ByteRange range, ByteBuffer& out) {
    LOUPE_TRY(plan_.before(StorageOperation::read, key));
    return storage_.read(key, range, out);
  }
  result<MappedBytes> map(std::string_view key)
    requires requires(StorageType& storage) { storage.map(key); }
  {
    LOUPE_TRY(plan_.before(StorageOperation::map, key));
    return storage_.map(key);
  }
  result<void> put(std::string_view key, std::span<const std::byte> bytes, PutMode mode) {
    LOUPE_TRY(plan_.before(StorageOperation::put, key));
    return storage_.put(key, bytes, mode);
  }
  result<void> remove(std::string_view key) {
    LOUPE_TRY(plan_.before(StorageOperation::remove, key));
    return storage_.remove(key);
  }
  StorageWatch watch(std::span<const std::string_view> prefixes)
    requires requires(StorageType& storage) { storage.watch(prefixes); }
  {
    return storage_.watch(prefixes);
  }
  result<Staged> stage(std::string_view key) {
    LOUPE_TRY(plan_.before(StorageOperation::stage, key));
    LOUPE_ASSIGN(auto staged, storage_.stage(key));
    return Staged(std::move(staged), plan_);
  }

 private:
  StorageType storage_;
  FaultPlan plan_;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_STORAGE_FAULT_HPP
// ---- loupe/storage/fwd.hpp
#ifndef LOUPE_SINGLE_STORAGE_FWD_HPP
#define LOUPE_SINGLE_STORAGE_FWD_HPP
/// @file
/// Names of storage/.

namespace loupe::inline LOUPE_ABI {

struct ByteRange;
struct Capabilities;
struct ObjectInfo;
class AnyStorage;
class LocalStorage;
class MappedBytes;
class MemoryStorage;
class StorageWatch;
template <class StorageType>
class FaultStorage;

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_STORAGE_FWD_HPP
// ---- loupe/storage/local.hpp
#ifndef LOUPE_SINGLE_STORAGE_LOCAL_HPP
#define LOUPE_SINGLE_STORAGE_LOCAL_HPP
/// @file
/// The local file system as a storage.

namespace loupe::inline LOUPE_ABI {

/// What is made sure before an object is published, so that it survives a crash of the machine. A crash of the process
/// alone never harms a published object.
enum class Durability : std::uint8_t {
  none,                ///< what smdebug does
  data,                ///< the file's bytes are on the disk
  data_and_directory,  ///< its name too
};

/// Files below a folder. An object is written to `<key>.tmp` in the same directory, in place of what a crash may have
/// left there, and renamed over `<key>` when it is complete; where several write one key at once, the others write to
/// `<key>.1.tmp` and so on. Keys to write must not end in `.tmp` themselves. Directories are created on demand. A listing
/// passes over `*.tmp`, symbolic links and whatever else is not a file. Copies are independent.
class LocalStorage {
 public:
  /// A file that is being written.
  class Staged {
   public:
    Staged(Staged&& other) noexcept
        : path_(std::move(other.path_)), temporary_(std::move(other.temporary_)), key_(std::move(other.key_)), size_(other.size_),
          descriptor_(std::exchange(other.descriptor_, -1)), durability_(other.durability_) {}
    Staged& operator=(Staged&&) = delete;
    LOUPE_DECL ~Staged();
    LOUPE_DECL result<std::uint64_t> append(std::span<const std::byte> bytes);
    result<void> commit() { return publish(PutMode::replace); }

   private:
    friend LocalStorage;
    Staged(Text path, Text temporary, Text key, int descriptor, Durability durability) noexcept
        : path_(std::move(path)), temporary_(std::move(temporary)), key_(std::move(key)), descriptor_(descriptor), durability_(durability) {}
    LOUPE_DECL result<void> publish(PutMode mode);
    LOUPE_DECL unexpected<Error> failed(std::string_view action);
    LOUPE_DECL void drop() noexcept;
    Text path_;
    Text temporary_;
    Text key_;
    std::uint64_t size_ = 0;
    int descriptor_ = -1;
    Durability durability_;
  };

  /// The folder need not exist; it is created by the first write. An empty text is the working directory.
  explicit LocalStorage(Text root, Durability durability = Durability::none)
      : root_(without_end(std::move(root))), durability_(durability) {}

  static constexpr Capabilities capabilities() noexcept {
    return {.atomic_put = true, .put_if_absent = true, .ordered_list = true, .range_read = true, .append = true, .map = true};
  }
  [[nodiscard]] const Text& name() const noexcept { return root_; }

  LOUPE_DECL result<void> list(std::string_view prefix, std::string_view start_after, ListSink sink) const;
  /// The `*.tmp` files of writers that were interrupted, or are at work.
  LOUPE_DECL result<void> list_unfinished(std::string_view prefix, ListSink sink) const;
  LOUPE_DECL result<ObjectInfo> stat(std::string_view key) const;
  LOUPE_DECL result<void> read(std::string_view key, ByteRange range, ByteBuffer& out) const;
  LOUPE_DECL result<MappedBytes> map(std::string_view key) const;
  LOUPE_DECL result<void> put(std::string_view key, std::span<const std::byte> bytes, PutMode mode) const;
  LOUPE_DECL result<void> remove(std::string_view key) const;
  LOUPE_DECL result<Staged> stage(std::string_view key) const;
  /// Notices what this machine does to files whose keys begin with one of `prefixes`; it uses inotify, a descriptor, and
  /// a watch for each directory that such a file may lie in. Notices nothing where the system has none left.
  LOUPE_DECL StorageWatch watch(std::span<const std::string_view> prefixes) const;

 private:
  /// Without slashes at its end, which would hide the directory that the folder lies in.
  static Text without_end(Text root) {
    std::string_view path = root.view();
    while (path.size() > 1 && path.back() == '/') path.remove_suffix(1);
    if (path.empty()) return ".";
    return path.size() == root.size() ? std::move(root) : Text(path);
  }
  result<Text> path_of(std::string_view key) const {
    LOUPE_TRY(check_key(key));
    return Text::join(root_.view(), "/", key);
  }
  Text root_;
  Durability durability_;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/storage/local.ipp
#ifndef LOUPE_SINGLE_STORAGE_LOCAL_IPP
#define LOUPE_SINGLE_STORAGE_LOCAL_IPP

namespace loupe::inline LOUPE_ABI {

namespace detail {

/// A refused system call as an error; `key` says of what, `path` where that is.
inline unexpected<Error> system_failure(std::string_view key, const Text& path, std::string_view action, int number) {
  const ErrorKind kind = number == ENOENT || number == ENOTDIR                    ? ErrorKind::not_found
                         : number == EACCES || number == EPERM || number == EROFS ? ErrorKind::permission_denied
                         : number == ENOSPC || number == EDQUOT                   ? ErrorKind::no_space
                         : number == ENAMETOOLONG                                 ? ErrorKind::invalid_argument
                         : number == EEXIST                                       ? ErrorKind::already_exists
                                                                                  : ErrorKind::io;
  return fail(Error{.kind = kind, .object = key, .detail = Text::join(action, ": ", path.view()), .os_error = number});
}

/// Closes a file at the end of a scope.
class OpenFile {
 public:
  explicit OpenFile(int descriptor) noexcept : descriptor_(descriptor) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  [[nodiscard]] int get() const noexcept { return descriptor_; }

 private:
  int descriptor_;
};

/// Closes a directory that is being read at the end of a scope.
class OpenDirectory {
 public:
  explicit OpenDirectory(const char* path) noexcept : directory_(::opendir(path)) {}
  OpenDirectory(const OpenDirectory&) = delete;
  OpenDirectory& operator=(const OpenDirectory&) = delete;
  ~OpenDirectory() {
    if (directory_ != nullptr) ::closedir(directory_);
  }
  [[nodiscard]] DIR* get() const noexcept { return directory_; }

 private:
  DIR* directory_;
};

/// Memory that holds a file's bytes; let go of at the end of its life.
class Mapping {
 public:
  Mapping(void* memory, std::size_t size) noexcept : memory_(memory), size_(size) {}
  Mapping(Mapping&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)), size_(other.size_) {}
  Mapping& operator=(Mapping&&) = delete;
  ~Mapping() {
    if (memory_ != nullptr) ::munmap(memory_, size_);
  }

 private:
  void* memory_;
  std::size_t size_;
};

inline int open_retrying(const char* path, int flags, mode_t mode = 0) noexcept {
  int descriptor;
  do descriptor = ::open(path, flags | O_CLOEXEC, mode);
  while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

/// Opens an object's file to read it, and says how large it is.
inline result<int> open_object(const Text& path, std::string_view key, struct stat& about) {
  const int descriptor = open_retrying(path.c_str(), O_RDONLY | O_NONBLOCK);
  if (descriptor < 0) return system_failure(key, path, "it can't be opened", errno);
  if (::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode)) return descriptor;
  ::close(descriptor);
  return fail(ErrorKind::not_found, key, "it is not a file");
}

/// Files that differ in time, number or size differ in this.
inline std::uint64_t generation_of(const struct stat& about) noexcept {
  std::uint64_t hash = 0;
  for (const auto part :
       {static_cast<std::uint64_t>(about.st_mtim.tv_sec), static_cast<std::uint64_t>(about.st_mtim.tv_nsec),
        static_cast<std::uint64_t>(about.st_ino), static_cast<std::uint64_t>(about.st_size)}) {
    hash = (hash ^ part) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  }
  return hash;
}

/// When a file was written last; 0 where that isn't a time in nanoseconds since 1970.
inline std::int64_t modified_ns(const struct stat& about) noexcept {
  constexpr std::int64_t second = 1'000'000'000;
  const std::int64_t seconds = about.st_mtim.tv_sec;
  if (seconds < 0 || seconds >= INT64_MAX / second) return 0;
  return seconds * second + about.st_mtim.tv_nsec;
}

}  // namespace detail

LOUPE_DECL result<ObjectInfo> LocalStorage::stat(std::string_view key) const {
  LOUPE_ASSIGN(const Text path, path_of(key));
  struct ::stat about{};
  if (::stat(path.c_str(), &about) != 0) return detail::system_failure(key, path, errno == ENOENT ? "there is no such file" : "it can't be looked for", errno);
  if (!S_ISREG(about.st_mode)) return fail(ErrorKind::not_found, key, "it is not a file");
  return ObjectInfo{key, static_cast<std::uint64_t>(about.st_size), detail::generation_of(about), detail::modified_ns(about)};
}

LOUPE_DECL result<void> LocalStorage::read(std::string_view key, ByteRange range, ByteBuffer& out) const {
  LOUPE_ASSIGN(const Text path, path_of(key));
  struct ::stat about{};
  LOUPE_ASSIGN(const int descriptor, detail::open_object(path, key, about));
  const detail::OpenFile file(descriptor);
  const auto size = static_cast<std::uint64_t>(about.st_size);
  if (range.offset > size)
    return fail_at(ErrorKind::invalid_argument, key, static_cast<std::int64_t>(size),
                   "the offset lies behind the file's end");
  const std::uint64_t wanted = range.length < size - range.offset ? range.length : size - range.offset;
  const std::size_t begin = out.size();
  if (!out.try_make_room(static_cast<std::size_t>(wanted)))
    return fail(ErrorKind::limit_exceeded, key, "there is not enough memory for its bytes");
  std::byte* const to = out.extend(static_cast<std::size_t>(wanted));
  std::uint64_t done = 0;
  while (done < wanted) {
    const ssize_t got = ::pread(descriptor, to + done, static_cast<std::size_t>(wanted - done),
                                static_cast<off_t>(range.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int number = errno;
      out.truncate(begin);
      return detail::system_failure(key, path, "it can't be read", number);
    }
    if (got == 0) break;  // it has become shorter meanwhile
    done += static_cast<std::uint64_t>(got);
  }
  out.truncate(begin + static_cast<std::size_t>(done));
  return {};
}

LOUPE_DECL result<MappedBytes> LocalStorage::map(std::string_view key) const {
  LOUPE_ASSIGN(const Text path, path_of(key));
  struct ::stat about{};
  LOUPE_ASSIGN(const int descriptor, detail::open_object(path, key, about));
  const detail::OpenFile file(descriptor);
  if (about.st_size == 0) return MappedBytes();
  const auto size = static_cast<std::size_t>(about.st_size);
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (memory == MAP_FAILED) return detail::system_failure(key, path, "it can't be mapped", errno);
  return MappedBytes({static_cast<const std::byte*>(memory), size}, detail::Mapping(memory, size));
}

LOUPE_DECL result<void> LocalStorage::remove(std::string_view key) const {
  LOUPE_ASSIGN(const Text path, path_of(key));
  if (::unlink(path.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR || errno == EISDIR) return {};
  return detail::system_failure(key, path, "it can't be removed", errno);
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_STORAGE_LOCAL_IPP
// ---- loupe/storage/local_list.ipp
#ifndef LOUPE_SINGLE_STORAGE_LOCAL_LIST_IPP
#define LOUPE_SINGLE_STORAGE_LOCAL_LIST_IPP

namespace loupe::inline LOUPE_ABI {

namespace detail {

/// Which files a walk is for.
enum class LocalFiles : std::uint8_t { published, unfinished };

/// Walks a tree of directories in the order of the keys' bytes.
class LocalLister {
 public:
  LocalLister(const Text& root, LocalFiles files, std::string_view prefix, std::string_view start_after,
              ListSink sink) noexcept
      : root_(root),
        prefix_(prefix),
        start_after_(start_after),
        sink_(sink),
        files_(files) {}

  /// Lists below the directory whose keys begin with `key` (empty or ending in a slash); false if the sink had enough.
  /// `key` is used to build the keys in, and left as it was.
  result<bool> list(std::string& key) {
    const bool is_on_the_way = start_after_.starts_with(key);
    if (!is_on_the_way && key < start_after_) return true;
    const std::string_view rest_of_prefix = prefix_.substr(std::min(prefix_.size(), key.size()));
    const std::string_view rest_of_start = is_on_the_way ? start_after_.substr(key.size()) : std::string_view();
    Names names;
    LOUPE_TRY(read(key, rest_of_prefix, rest_of_start, names));
    std::sort(names.places.begin(), names.places.end(), [&](Place a, Place b) { return names.at(a) < names.at(b); });
    const std::size_t size = key.size();
    for (const Place place : names.places) {
      key.append(names.at(place));
      bool goes_on = true;
      if (key.back() == '/') {
        LOUPE_ASSIGN(goes_on, list(key));
      } else {
        goes_on = sink_(ObjectInfo{.key = key});
      }
      key.resize(size);
      if (!goes_on) return false;
    }
    return true;
  }

 private:
  struct Place {
    std::size_t begin;
    std::size_t size;
  };
  /// Names of files and directories. Those of directories end in a slash: so their keys sort where they belong.
  struct Names {
    [[nodiscard]] std::string_view at(Place place) const noexcept {
      return std::string_view(texts).substr(place.begin, place.size);
    }
    std::string texts;
    std::vector<Place> places;
  };

  /// Reads those names of a directory that may lead to a key with the prefix and behind the start.
  result<void> read(std::string_view base, std::string_view rest_of_prefix, std::string_view rest_of_start,
                    Names& names) const {
    const std::string path = std::string(root_.view()).append("/").append(base);
    const auto failed = [&](std::string_view action) { return system_failure(base, Text(path), action, errno); };
    const OpenDirectory directory(path.c_str());
    if (directory.get() == nullptr) {
      // The last: too long for any key to name what is in it.
      if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG) return {};
      return failed("the directory can't be listed");
    }
    while (true) {
      errno = 0;
      const dirent* const entry = ::readdir(directory.get());
      if (entry == nullptr) break;
      std::string_view name = entry->d_name;
      if (name == "." || name == "..") continue;
      const unsigned char type = entry->d_type != DT_UNKNOWN ? entry->d_type : type_of(path + entry->d_name);
      if (type != DT_DIR &&
          (type != DT_REG || (name.ends_with(".tmp") ? LocalFiles::unfinished : LocalFiles::published) != files_))
        continue;
      const std::size_t begin = names.texts.size();
      names.texts.append(name);
      if (type == DT_DIR) names.texts.append("/");
      name = std::string_view(names.texts).substr(begin);
      const bool has_prefix = name.starts_with(rest_of_prefix) || (type == DT_DIR && rest_of_prefix.starts_with(name));
      const bool is_behind = name > rest_of_start || (type == DT_DIR && rest_of_start.starts_with(name));
      if (has_prefix && is_behind) names.places.push_back({begin, name.size()});
      else names.texts.resize(begin);
    }
    return errno == 0 ? result<void>() : failed("the directory can't be read");
  }
  static unsigned char type_of(const std::string& path) {
    struct ::stat about{};
    if (::lstat(path.c_str(), &about) != 0) return DT_UNKNOWN;
    return S_ISDIR(about.st_mode) ? DT_DIR : S_ISREG(about.st_mode) ? DT_REG : DT_UNKNOWN;
  }

  const Text& root_;
  std::string_view prefix_;
  std::string_view start_after_;
  ListSink sink_;
  LocalFiles files_;
};

inline result<void> list_local(const Text& root, LocalFiles files, std::string_view prefix,
                               std::string_view start_after, ListSink sink) {
  // Nothing outside of the directory that the prefix names can match, and nothing at all if no key can begin so.
  const auto slash = prefix.find_last_of('/');
  std::string base(slash == std::string_view::npos ? std::string_view() : prefix.substr(0, slash + 1));
  if (!base.empty() && !check_key(std::string_view(base).substr(0, base.size() - 1))) return {};
  LOUPE_TRY(LocalLister(root, files, prefix, start_after, sink).list(base));
  return {};
}

}  // namespace detail

LOUPE_DECL result<void> LocalStorage::list(std::string_view prefix, std::string_view start_after, ListSink sink) const {
  return detail::list_local(root_, detail::LocalFiles::published, prefix, start_after, sink);
}

LOUPE_DECL result<void> LocalStorage::list_unfinished(std::string_view prefix, ListSink sink) const {
  return detail::list_local(root_, detail::LocalFiles::unfinished, prefix, {}, sink);
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_STORAGE_LOCAL_LIST_IPP
// ---- loupe/storage/local_watch.ipp
#ifndef LOUPE_SINGLE_STORAGE_LOCAL_WATCH_IPP
#define LOUPE_SINGLE_STORAGE_LOCAL_WATCH_IPP

#if defined(__linux__)
#include <sys/inotify.h>
#endif

namespace loupe::inline LOUPE_ABI {

#if defined(__linux__)
namespace detail {

/// Tells of files by inotify. Watched are the directories in which files of interest may come to be, and where one of
/// those is missing, the deepest directory above it.
class LocalWatchSource final : public StorageWatch::Source {
 public:
  /// `targets` are the beginnings of paths of interest, each with a slash before the key's part.
  LocalWatchSource(int descriptor, std::vector<std::string> targets)
      : descriptor_(descriptor),
        targets_(std::move(targets)) {
    for (const std::string& target : targets_) arm(target);
  }

  int descriptor() noexcept override { return descriptor_.get(); }
  bool take() override {
    alignas(inotify_event) char events[4096];
    bool is_changed = false;
    while (true) {
      const ssize_t got = ::read(descriptor_.get(), events, sizeof events);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return is_changed;
      for (std::size_t at = 0; at < static_cast<std::size_t>(got);) {
        inotify_event event;
        std::memcpy(&event, events + at, sizeof event);
        const char* const name = events + at + sizeof event;
        is_changed |= concerns(event, event.len == 0 ? std::string_view() : std::string_view(name));
        at += sizeof event + event.len;
      }
    }
  }

  /// The path as text that inotify's names can be appended to: nothing empty or `.` in it.
  static std::string plain_path(std::string_view path) {
    std::string plain = path.starts_with('/') ? "" : ".";
    while (!path.empty()) {
      const std::string_view component = path.substr(0, path.find('/'));
      if (!component.empty() && component != ".") plain.append("/").append(component);
      path.remove_prefix(std::min(path.size(), component.size() + 1));
    }
    return plain;  // empty for the root of the file system
  }

 private:
  struct Directory {
    int watch;
    std::string path;
  };

  /// Watches a directory; false if that can't be.
  bool add(const std::string& path) {
    const int watch = ::inotify_add_watch(descriptor_.get(), path.empty() ? "/" : path.c_str(),
                                          IN_ONLYDIR | IN_CREATE | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM |
                                              IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF);
    if (watch < 0) return false;
    if (Directory* const known = find(watch)) known->path = path;
    else directories_.push_back({watch, path});
    return true;
  }
  Directory* find(int watch) {
    const auto found = std::find_if(directories_.begin(), directories_.end(),
                                    [&](const Directory& directory) { return directory.watch == watch; });
    return found != directories_.end() ? &*found : nullptr;
  }

  /// Watches the directory that a target lies in and those below it that matter, or as much of the way as there is.
  void arm(const std::string& target) {
    const std::string wanted = target.substr(0, target.rfind('/'));
    std::size_t reached = 0;  // the length of the deepest directory that is watched
    for (int attempt = 0; attempt < 100; ++attempt) {
      std::string directory = wanted;
      while (!add(directory)) {
        const auto slash = directory.rfind('/');
        if (slash == std::string::npos) return;
        directory.resize(slash);
      }
      if (directory == wanted) return add_below(wanted);
      // What is missing may have come just before the watch that would have told so.
      if (attempt > 0 && directory.size() <= reached) return;
      reached = directory.size();
    }
  }
  /// Watches the directories of interest below one that is watched.
  void add_below(std::string first) {
    std::vector<std::string> pending{std::move(first)};
    while (!pending.empty()) {
      const std::string path = std::move(pending.back());
      pending.pop_back();
      const OpenDirectory directory(path.empty() ? "/" : path.c_str());
      if (directory.get() == nullptr) continue;
      while (const dirent* const entry = ::readdir(directory.get())) {
        const std::string_view name = entry->d_name;
        std::string below = path;
        below.append("/").append(name);
        if (name == "." || name == ".." || !lies_in_target(below + "/") || !is_directory(entry->d_type, below))
          continue;
        if (add(below)) pending.push_back(std::move(below));
      }
    }
  }
  static bool is_directory(unsigned char type, const std::string& path) {
    struct ::stat about{};
    return type == DT_DIR || (type == DT_UNKNOWN && ::lstat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode));
  }
  [[nodiscard]] bool lies_in_target(std::string_view path) const {
    return std::any_of(targets_.begin(), targets_.end(),
                       [&](const std::string& target) { return path.starts_with(target); });
  }

  bool concerns(const inotify_event& event, std::string_view name) {
    if ((event.mask & IN_Q_OVERFLOW) != 0) return arm_all();
    Directory* const directory = find(event.wd);
    if (directory == nullptr) return false;
    if ((event.mask & IN_MOVE_SELF) != 0) return ::inotify_rm_watch(descriptor_.get(), event.wd) == 0;  // IN_IGNORED follows
    if ((event.mask & IN_IGNORED) != 0) {
      directories_.erase(directories_.begin() + (directory - directories_.data()));
      return arm_all();
    }
    if (name.empty()) return false;
    std::string path = directory->path;
    path.append("/").append(name);
    if ((event.mask & IN_ISDIR) == 0) return !name.ends_with(".tmp") && lies_in_target(path);
    path.append("/");
    if (lies_in_target(path)) {
      path.pop_back();
      if (add(path)) add_below(std::move(path));
      return true;
    }
    bool is_on_the_way = false;
    for (const std::string& target : targets_)
      if (target.starts_with(path)) {
        is_on_the_way = true;
        arm(target);
      }
    return is_on_the_way;
  }
  bool arm_all() {
    for (const std::string& target : targets_) arm(target);
    return true;
  }

  OpenFile descriptor_;
  std::vector<std::string> targets_;
  std::vector<Directory> directories_;
};

}  // namespace detail
#endif

LOUPE_DECL StorageWatch LocalStorage::watch(std::span<const std::string_view> prefixes) const {
#if defined(__linux__)
  std::vector<std::string> targets;
  for (const std::string_view prefix : prefixes) {
    const auto slash = prefix.rfind('/');
    if (slash != std::string_view::npos && !check_key(prefix.substr(0, slash))) continue;  // no key begins so
    targets.push_back(detail::LocalWatchSource::plain_path(root_.view()).append("/").append(prefix));
  }
  const int descriptor = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  if (descriptor >= 0)
    return StorageWatch(
        Owner<StorageWatch::Source>(new detail::LocalWatchSource(descriptor, std::move(targets))));
#else
  (void)prefixes;
#endif
  return StorageWatch();
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_STORAGE_LOCAL_WATCH_IPP
// ---- loupe/storage/local_write.ipp
#ifndef LOUPE_SINGLE_STORAGE_LOCAL_WRITE_IPP
#define LOUPE_SINGLE_STORAGE_LOCAL_WRITE_IPP

namespace loupe::inline LOUPE_ABI {

namespace detail {

/// The directory that a path lies in.
inline Text directory_of(std::string_view path) {
  const auto slash = path.find_last_of('/');
  if (slash == std::string_view::npos) return ".";
  return path.substr(0, slash == 0 ? 1 : slash);
}

inline bool sync_directory(const Text& path) noexcept {
  const OpenFile directory(open_retrying(path.c_str(), O_RDONLY | O_DIRECTORY));
  return directory.get() >= 0 && ::fsync(directory.get()) == 0;
}

/// Creates the directories above a path that are missing; false with errno if one can't be. `syncs`: their names
/// survive a crash of the machine.
inline bool create_parents(std::string_view path, bool syncs) {
  const Text parent = directory_of(path);
  if (::mkdir(parent.c_str(), 0777) != 0) {
    if (errno == EEXIST) return true;
    if (errno != ENOENT || parent.size() >= path.size() || !create_parents(parent, syncs)) return false;
    if (::mkdir(parent.c_str(), 0777) != 0) return errno == EEXIST;
  }
  return !syncs || sync_directory(directory_of(parent));
}

/// Takes the lock of an open file; false if another has it. Where a file system has no locks everybody gets one.
inline bool try_lock(int descriptor) noexcept {
  return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/// Whether the open file still stands at `path`.
inline bool is_at(int descriptor, const Text& path) noexcept {
  struct ::stat opened{};
  struct ::stat named{};
  return ::fstat(descriptor, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

/// Removes what a killed writer, or somebody else, has left where a temporary file is to stand. False if it is being
/// written or can't be removed.
inline bool remove_leftover(const Text& path) noexcept {
  const OpenFile file(open_retrying(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOFOLLOW));
  if (file.get() < 0 && errno != ELOOP && errno != ENXIO) return errno == ENOENT;  // those two: a link, a FIFO
  if (file.get() >= 0) {
    if (!try_lock(file.get())) return false;
    if (!is_at(file.get(), path)) return true;  // it was published while this function opened it
  }
  return ::unlink(path.c_str()) == 0 || errno == ENOENT;
}

/// Creates an empty file to write, `<path>.tmp`, with the directories it needs; -1 with errno if that fails. Its writer
/// holds its lock until it is renamed, so nobody takes it for a leftover; where another writer holds that of
/// `<path>.tmp` it is `<path>.1.tmp`, and so on. `name` gets its path.
inline int create_temporary(const Text& path, bool syncs, Text& name) {
  int missing_parents = 0;
  int number = 0;
  for (int attempt = 0; attempt < 1000; ++attempt) {
    name = number == 0 ? Text::join(path.view(), ".tmp") : Text::join(path.view(), ".", to_text(number).view(), ".tmp");
    const int descriptor = open_retrying(name.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (descriptor >= 0) {
      if (try_lock(descriptor) && is_at(descriptor, name)) return descriptor;
      ::close(descriptor);  // another took it for a leftover before it was locked
    } else if (errno == ENOENT) {
      // Somebody may remove directories as fast as they are created, or a link may lead nowhere.
      if (++missing_parents > 10 || !create_parents(path, syncs)) return -1;
    } else if (errno != EEXIST) {
      return -1;
    } else if (!remove_leftover(name)) {
      ++number;
    }
  }
  errno = EBUSY;
  return -1;
}

/// Reserves the room that a large piece needs. Disk file systems then find a place for all of it at once instead of for
/// page after page. What it can't do, a full disk included, the write that follows does or reports.
inline void reserve(int descriptor, std::uint64_t offset, std::size_t size) noexcept {
#ifdef __linux__
  constexpr std::size_t large = std::size_t{1} << 20;
  if (size >= large) (void)::fallocate(descriptor, 0, static_cast<off_t>(offset), static_cast<off_t>(size));
#endif
}

/// Writes all bytes; false with errno.
inline bool write_all(int descriptor, std::span<const std::byte> bytes) noexcept {
  constexpr std::size_t at_once = std::size_t{1} << 30;  // Linux writes at most 0x7ffff000 bytes in a call
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size() < at_once ? bytes.size() : at_once);
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

/// Dates a file by the clock. The kernel does that by the tick, several milliseconds, and the number of a file that was
/// just replaced is given to the next: then a file could look the same as the one before the last.
inline void set_time(int descriptor) noexcept {
  timespec times[2] = {{0, UTIME_OMIT}, {0, 0}};
  if (::clock_gettime(CLOCK_REALTIME, &times[1]) == 0) (void)::futimens(descriptor, times);  // a file system may refuse
}

/// Renames a file unless something has the new name; false with errno.
inline bool rename_if_absent(const Text& from, const Text& to) noexcept {
  // Of several links to one name one succeeds. FAT and some networks have no links.
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0 || errno == ENOENT;
#ifdef RENAME_NOREPLACE
  if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS)
    return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0;
#endif
  return false;
}

/// Learns of writes that failed late: network file systems report them when a descriptor is closed, and the file's own
/// keeps the lock until the file has its name.
inline bool close_a_copy(int descriptor) noexcept {
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  return copy < 0 || ::close(copy) == 0;  // without one to spare nothing is learned
}

}  // namespace detail

LOUPE_DECL result<LocalStorage::Staged> LocalStorage::stage(std::string_view key) const {
  LOUPE_ASSIGN(Text path, path_of(key));
  if (key.ends_with(".tmp"))
    return fail(ErrorKind::invalid_argument, key, "names that end in .tmp are those of unfinished files");
  Text temporary;
  const int descriptor = detail::create_temporary(path, durability_ == Durability::data_and_directory, temporary);
  if (descriptor < 0) return detail::system_failure(key, temporary, "its temporary file can't be created", errno);
  return Staged(std::move(path), std::move(temporary), key, descriptor, durability_);
}

LOUPE_DECL LocalStorage::Staged::~Staged() {
  if (descriptor_ >= 0) drop();
}

LOUPE_DECL void LocalStorage::Staged::drop() noexcept {
  ::unlink(temporary_.c_str());
  ::close(std::exchange(descriptor_, -1));
}

LOUPE_DECL result<std::uint64_t> LocalStorage::Staged::append(std::span<const std::byte> bytes) {
  if (descriptor_ < 0) return fail(ErrorKind::invalid_state, key_, "it was committed before, or a write to it failed");
  const std::uint64_t offset = size_;
  detail::reserve(descriptor_, offset, bytes.size());
  if (!detail::write_all(descriptor_, bytes)) return failed("it can't be written");
  size_ += bytes.size();
  return offset;
}

LOUPE_DECL unexpected<Error> LocalStorage::Staged::failed(std::string_view action) {
  const int number = errno;
  drop();
  return detail::system_failure(key_, path_, action, number);
}

LOUPE_DECL result<void> LocalStorage::Staged::publish(PutMode mode) {
  if (descriptor_ < 0) return fail(ErrorKind::invalid_state, key_, "it was committed before, or a write to it failed");
  detail::set_time(descriptor_);
  if (durability_ != Durability::none && ::fdatasync(descriptor_) != 0) return failed("it can't be synchronised");
  if (!detail::close_a_copy(descriptor_)) return failed("it can't be written");
  const bool is_published = mode == PutMode::if_absent ? detail::rename_if_absent(temporary_, path_)
                                                       : ::rename(temporary_.c_str(), path_.c_str()) == 0;
  if (!is_published)
    return failed(mode == PutMode::if_absent && errno == EEXIST ? "there is such a file" : "it can't be published");
  ::close(std::exchange(descriptor_, -1));
  if (durability_ == Durability::data_and_directory && !detail::sync_directory(detail::directory_of(path_)))
    return detail::system_failure(key_, path_, "its directory can't be synchronised", errno);
  return {};
}

LOUPE_DECL result<void> LocalStorage::put(std::string_view key, std::span<const std::byte> bytes, PutMode mode) const {
  LOUPE_ASSIGN(Staged staged, stage(key));
  LOUPE_TRY(staged.append(bytes));
  return staged.publish(mode);
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_STORAGE_LOCAL_WRITE_IPP
#endif  // LOUPE_SINGLE_STORAGE_LOCAL_HPP
// ---- loupe/storage/memory.hpp
#ifndef LOUPE_SINGLE_STORAGE_MEMORY_HPP
#define LOUPE_SINGLE_STORAGE_MEMORY_HPP
/// @file
/// A storage in the process's memory: for tests, and for analysis beside the training.

namespace loupe::inline LOUPE_ABI {

/// Objects in memory. Copies share them.
class MemoryStorage {
 public:
  class Staged;

  MemoryStorage() : objects_(std::make_shared<Objects>()) {}

  static constexpr Capabilities capabilities() noexcept {
    return {.atomic_put = true, .put_if_absent = true, .ordered_list = true, .range_read = true, .map = true};
  }
  [[nodiscard]] Text name() const { return "memory"; }

  result<void> list(std::string_view prefix, std::string_view start_after, ListSink sink) const {
    std::string last(start_after);
    bool is_first = last < prefix || last.empty();
    while (true) {
      ObjectInfo info;
      {
        // One object a lock: the sink may call the storage.
        const std::lock_guard lock(objects_->mutex);
        const auto next = is_first ? objects_->by_key.lower_bound(prefix) : objects_->by_key.upper_bound(last);
        if (next == objects_->by_key.end() || !next->first.starts_with(prefix)) return {};
        last = next->first;
        info = {last, next->second.bytes->size(), next->second.generation};
      }
      is_first = false;
      if (!sink(info)) return {};
    }
  }
  result<ObjectInfo> stat(std::string_view key) const {
    LOUPE_ASSIGN(const Object object, find(key));
    return ObjectInfo{key, object.bytes->size(), object.generation};
  }
  result<void> read(std::string_view key, ByteRange range, ByteBuffer& out) const {
    LOUPE_ASSIGN(const Object object, find(key));
    const auto bytes = std::as_const(*object.bytes).bytes();
    if (range.offset > bytes.size()) return fail(ErrorKind::invalid_argument, key, "the offset lies behind the object's end");
    const auto rest = bytes.subspan(static_cast<std::size_t>(range.offset));
    out.append(rest.first(static_cast<std::size_t>(range.length < rest.size() ? range.length : rest.size())));
    return {};
  }
  result<MappedBytes> map(std::string_view key) const {
    LOUPE_ASSIGN(Object object, find(key));
    const auto bytes = std::as_const(*object.bytes).bytes();
    return MappedBytes(bytes, std::move(object.bytes));
  }
  result<void> put(std::string_view key, std::span<const std::byte> bytes, PutMode mode) {
    ByteBuffer copy;
    copy.append(bytes);
    return publish(key, std::move(copy), mode);
  }
  result<void> remove(std::string_view key) {
    LOUPE_TRY(check_key(key));
    const std::lock_guard lock(objects_->mutex);
    const auto found = objects_->by_key.find(key);
    if (found == objects_->by_key.end()) return {};
    objects_->by_key.erase(found);
    objects_->tell_watches(key);
    return {};
  }
  result<Staged> stage(std::string_view key);
  /// Notices changes of objects whose keys begin with one of `prefixes`.
  [[nodiscard]] StorageWatch watch(std::span<const std::string_view> prefixes) const {
    auto watched = std::make_shared<Watched>();
    watched->prefixes.assign(prefixes.begin(), prefixes.end());
    const std::lock_guard lock(objects_->mutex);
    objects_->watches.push_back(watched);
    return StorageWatch(std::make_unique<Source>(std::move(watched)));
  }

 private:
  struct Object {
    std::shared_ptr<const ByteBuffer> bytes;
    std::uint64_t generation = 0;
  };
  /// What a watch is for, and whether something has happened to it.
  struct Watched {
    std::vector<std::string> prefixes;
    Interrupt change;
  };
  class Source final : public StorageWatch::Source {
   public:
    explicit Source(std::shared_ptr<Watched> watched) noexcept : watched_(std::move(watched)) {}
    int descriptor() noexcept override { return watched_->change.descriptor(); }
    bool take() override { return watched_->change.reset(); }

   private:
    std::shared_ptr<Watched> watched_;
  };
  struct Objects {
    void tell_watches(std::string_view key) {
      std::erase_if(watches, [key](const std::weak_ptr<Watched>& watch) {
        const auto watched = watch.lock();
        if (watched == nullptr) return true;
        for (const std::string& prefix : watched->prefixes)
          if (key.starts_with(prefix)) watched->change.request();
        return false;
      });
    }
    std::mutex mutex;
    std::map<std::string, Object, std::less<>> by_key;
    std::uint64_t last_generation = 0;
    std::vector<std::weak_ptr<Watched>> watches;
  };
  result<Object> find(std::string_view key) const {
    LOUPE_TRY(check_key(key));
    const std::lock_guard lock(objects_->mutex);
    const auto found = objects_->by_key.find(key);
    if (found == objects_->by_key.end()) return fail(ErrorKind::not_found, key, "there is no such object");
    return found->second;
  }
  result<void> publish(std::string_view key, ByteBuffer bytes, PutMode mode) {
    LOUPE_TRY(check_key(key));
    auto shared = std::make_shared<const ByteBuffer>(std::move(bytes));
    const std::lock_guard lock(objects_->mutex);
    const auto [place, is_new] = objects_->by_key.try_emplace(std::string(key));
    if (!is_new && mode == PutMode::if_absent) return fail(ErrorKind::already_exists, key, "there is such an object");
    place->second = {std::move(shared), ++objects_->last_generation};
    objects_->tell_watches(key);
    return {};
  }

  std::shared_ptr<Objects> objects_;
};

/// An object that is being written.
class MemoryStorage::Staged {
 public:
  result<std::uint64_t> append(std::span<const std::byte> bytes) {
    if (is_committed_) return committed();
    const std::uint64_t offset = bytes_.size();
    bytes_.append(bytes);
    return offset;
  }
  result<void> commit() {
    if (is_committed_) return committed();
    is_committed_ = true;
    return storage_.publish(key_, std::move(bytes_), PutMode::replace);
  }

 private:
  friend MemoryStorage;
  Staged(MemoryStorage storage, std::string_view key) : storage_(std::move(storage)), key_(key) {}
  [[nodiscard]] unexpected<Error> committed() const { return fail(ErrorKind::invalid_state, key_, "it was committed before"); }
  MemoryStorage storage_;
  std::string key_;
  ByteBuffer bytes_;
  bool is_committed_ = false;
};

inline result<MemoryStorage::Staged> MemoryStorage::stage(std::string_view key) {
  LOUPE_TRY(check_key(key));
  return Staged(*this, key);
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_STORAGE_MEMORY_HPP
// ---- loupe/ranks/concept.hpp
#ifndef LOUPE_SINGLE_RANKS_CONCEPT_HPP
#define LOUPE_SINGLE_RANKS_CONCEPT_HPP
/// @file
/// The concept that a rank scheme models: which of how many workers this process is.

namespace loupe::inline LOUPE_ABI {

/// A rank scheme:
/// - `rank()`: the number of this process among the workers, from 0; 0 is the chief;
/// - `world_size()`: how many workers there are;
/// - `worker_name()`: what this worker is called in file names (format.md section 2), `worker_<rank>` as a rule.
template <class Type>
concept RankScheme = requires(const Type& scheme) {
  { scheme.rank() } -> std::same_as<std::int64_t>;
  { scheme.world_size() } -> std::same_as<std::int64_t>;
  { scheme.worker_name() } -> std::same_as<Text>;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_RANKS_CONCEPT_HPP
// ---- loupe/ranks/explicit_rank.hpp
#ifndef LOUPE_SINGLE_RANKS_EXPLICIT_RANK_HPP
#define LOUPE_SINGLE_RANKS_EXPLICIT_RANK_HPP
/// @file
/// A rank that the program knows by itself.

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

// ---- loupe/ranks/explicit_rank.ipp
#ifndef LOUPE_SINGLE_RANKS_EXPLICIT_RANK_IPP
#define LOUPE_SINGLE_RANKS_EXPLICIT_RANK_IPP

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
#endif  // LOUPE_SINGLE_RANKS_EXPLICIT_RANK_IPP
#endif  // LOUPE_SINGLE_RANKS_EXPLICIT_RANK_HPP
// ---- loupe/ranks/fwd.hpp
#ifndef LOUPE_SINGLE_RANKS_FWD_HPP
#define LOUPE_SINGLE_RANKS_FWD_HPP
/// @file
/// Names of ranks/.

namespace loupe::inline LOUPE_ABI::ranks {

class Single;
class Explicit;

}  // namespace loupe::inline LOUPE_ABI::ranks
#endif  // LOUPE_SINGLE_RANKS_FWD_HPP
// ---- loupe/ranks/single.hpp
#ifndef LOUPE_SINGLE_RANKS_SINGLE_HPP
#define LOUPE_SINGLE_RANKS_SINGLE_HPP
/// @file
/// One process alone.

namespace loupe::inline LOUPE_ABI::ranks {

/// The only worker: `worker_0` of 1.
class Single {
 public:
  [[nodiscard]] std::int64_t rank() const noexcept { return 0; }
  [[nodiscard]] std::int64_t world_size() const noexcept { return 1; }
  [[nodiscard]] Text worker_name() const { return "worker_0"; }
};

}  // namespace loupe::inline LOUPE_ABI::ranks
#endif  // LOUPE_SINGLE_RANKS_SINGLE_HPP
// ---- loupe/select/any_pattern.hpp
#ifndef LOUPE_SINGLE_SELECT_ANY_PATTERN_HPP
#define LOUPE_SINGLE_SELECT_ANY_PATTERN_HPP
/// @file
/// Compiled regular expressions of any engine.

// ---- loupe/select/pattern_compiler.hpp
#ifndef LOUPE_SINGLE_SELECT_PATTERN_COMPILER_HPP
#define LOUPE_SINGLE_SELECT_PATTERN_COMPILER_HPP
/// @file
/// The type of regex engines, without that of what they compile.

// ---- loupe/select/fwd.hpp
#ifndef LOUPE_SINGLE_SELECT_FWD_HPP
#define LOUPE_SINGLE_SELECT_FWD_HPP
/// @file
/// Names of select/.

namespace loupe::inline LOUPE_ABI {

class AnyPattern;
struct Collection;
struct CollectionClasses;
class CollectionSet;
struct Decision;
struct DefaultCollection;
struct FrameworkDefaults;
struct KnownName;
struct KnownNames;
struct ModeSaveConfig;
class ModeSaveConfigs;
class NameFilter;
struct NameOrder;
class NameSet;
class NameTable;
class Plan;
struct PlanDefaults;
struct ReductionConfig;
struct SaveConfig;
class StatisticList;
struct TensorId;

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_SELECT_FWD_HPP

namespace loupe::inline LOUPE_ABI {

/// A regex engine: compiles a pattern in Python's syntax, or says in an error that names the pattern why not
/// (`invalid_argument`: no regular expression; `unsupported`: the engine lacks it; `limit_exceeded`: too large).
/// `compile_python_regex` is loupe's own, `compile_boost_regex` another.
using PatternCompiler = result<AnyPattern> (*)(std::string_view pattern);

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_SELECT_PATTERN_COMPILER_HPP

namespace loupe::inline LOUPE_ABI {

/// What an engine makes of a pattern: `search` says whether the pattern is found anywhere in a name.
template <class Type>
concept CompiledPattern = requires(const Type& pattern, std::string_view name) {
  { pattern.search(name) } -> std::same_as<result<bool>>;
};

/// Any engine's compiled pattern; owns it. Searching is safe from several threads if the engine's is.
class AnyPattern {
 public:
  AnyPattern() noexcept = default;
  template <CompiledPattern Pattern>
  explicit AnyPattern(Pattern pattern)
      : pattern_(new Pattern(std::move(pattern))),
        search_([](const void* object, std::string_view name) {
          return static_cast<const Pattern*>(object)->search(name);
        }),
        destroy_([](void* object) noexcept { delete static_cast<Pattern*>(object); }) {}
  AnyPattern(AnyPattern&& other) noexcept
      : pattern_(std::exchange(other.pattern_, nullptr)),
        search_(other.search_),
        destroy_(other.destroy_) {}
  AnyPattern& operator=(AnyPattern other) noexcept {
    std::swap(pattern_, other.pattern_);
    std::swap(search_, other.search_);
    std::swap(destroy_, other.destroy_);
    return *this;
  }
  ~AnyPattern() {
    if (pattern_ != nullptr) destroy_(pattern_);
  }
  /// An empty pattern is found nowhere.
  [[nodiscard]] result<bool> search(std::string_view name) const {
    return pattern_ == nullptr ? result<bool>(false) : search_(pattern_, name);
  }

 private:
  void* pattern_ = nullptr;
  result<bool> (*search_)(const void*, std::string_view) = nullptr;
  void (*destroy_)(void*) noexcept = nullptr;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_SELECT_ANY_PATTERN_HPP
// ---- loupe/select/code_point_set.hpp
#ifndef LOUPE_SINGLE_SELECT_CODE_POINT_SET_HPP
#define LOUPE_SINGLE_SELECT_CODE_POINT_SET_HPP
/// @file
/// Sets of code points: what a character class in a regular expression stands for.

// ---- loupe/select/code_points.hpp
#ifndef LOUPE_SINGLE_SELECT_CODE_POINTS_HPP
#define LOUPE_SINGLE_SELECT_CODE_POINTS_HPP
/// @file
/// Names as Python sees them: as code points, some of which are word characters.

namespace loupe::inline LOUPE_ABI {

/// An inclusive range of code points.
struct CodePointRange {
  char32_t first;
  char32_t last;
  friend constexpr bool operator==(CodePointRange, CodePointRange) noexcept = default;
};

inline constexpr char32_t last_code_point = 0x10FFFF;

/// Takes the first code point off `text`, which must not be empty. A byte that begins no valid UTF-8 sequence is taken
/// alone and gives U+DC00 + byte, as Python's `surrogateescape`.
constexpr char32_t take_code_point(std::string_view& text) noexcept {
  const wire::CodePoint next = wire::decode_utf8(text);
  const auto lead = static_cast<std::uint8_t>(text.front());
  text.remove_prefix(next.is_valid ? next.size : 1);
  return next.is_valid ? next.value : 0xDC00u + lead;
}

/// The code points beyond ASCII that are no word characters: blanks, punctuation, symbols, private and invalid ones, by
/// blocks. Python asks the Unicode data base; combining marks, and signs within blocks of letters, differ from it.
inline constexpr CodePointRange wordless_ranges[] = {
    {0x80, 0xA9},     {0xAB, 0xB1},       {0xB4, 0xB4},       {0xB6, 0xB8},
    {0xBB, 0xBB},     {0xBF, 0xBF},       {0xD7, 0xD7},       {0xF7, 0xF7},
    {0x2C2, 0x2C5},   {0x2000, 0x206F},   {0x207A, 0x207E},   {0x208A, 0x208E},
    {0x20A0, 0x2101}, {0x2190, 0x245F},   {0x249C, 0x24E9},   {0x2500, 0x2775},
    {0x2794, 0x2BFF}, {0x2E00, 0x2E2E},   {0x2E30, 0x3004},   {0x3008, 0x3020},
    {0x3030, 0x3030}, {0x30FB, 0x30FB},   {0xD800, 0xF8FF},   {0xFE00, 0xFE6F},
    {0xFF00, 0xFF0F}, {0xFF1A, 0xFF20},   {0xFF3B, 0xFF40},   {0xFF5B, 0xFF65},
    {0xFFE0, 0xFFFF}, {0x1F000, 0x1F0FF}, {0x1F10D, 0x1FBEF}, {0xE0000, last_code_point},
};

/// Whether Python's `\w` matches: letters, digits and the underscore of any script, up to what `wordless_ranges` says.
constexpr bool is_word_character(char32_t code) noexcept {
  if (code < 0x80)
    return (code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') || code == '_' || (code >= 'a' && code <= 'z');
  for (const CodePointRange range : wordless_ranges)
    if (code <= range.last) return code < range.first;
  return true;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_SELECT_CODE_POINTS_HPP

namespace loupe::inline LOUPE_ABI {

/// Sorted ranges with gaps between them.
class CodePointSet {
 public:
  CodePointSet() = default;
  CodePointSet(std::initializer_list<CodePointRange> ranges) {
    for (const CodePointRange range : ranges) add(range);
  }
  explicit CodePointSet(std::span<const CodePointRange> ranges) {
    for (const CodePointRange range : ranges) add(range);
  }

  [[nodiscard]] std::span<const CodePointRange> ranges() const noexcept { return ranges_; }
  /// Whether the set is one code point.
  [[nodiscard]] bool is_single() const noexcept { return ranges_.size() == 1 && ranges_[0].first == ranges_[0].last; }
  [[nodiscard]] bool contains(char32_t code) const noexcept {
    const std::size_t place = place_of(code);
    return place < ranges_.size() && ranges_[place].first <= code;
  }
  void add(CodePointRange added) {
    const std::size_t begin = place_of(added.first == 0 ? 0 : added.first - 1);
    std::size_t end = begin;
    for (; end < ranges_.size() && ranges_[end].first <= added.last + 1; ++end) {
      if (ranges_[end].first < added.first) added.first = ranges_[end].first;
      if (ranges_[end].last > added.last) added.last = ranges_[end].last;
    }
    ranges_.erase(ranges_.begin() + static_cast<std::ptrdiff_t>(begin),
                  ranges_.begin() + static_cast<std::ptrdiff_t>(end));
    ranges_.insert(ranges_.begin() + static_cast<std::ptrdiff_t>(begin), added);
  }
  void add(const CodePointSet& other) {
    for (const CodePointRange range : other.ranges_) add(range);
  }
  /// Adds the other case of the ASCII letters in the set.
  void add_other_case() {
    for (char32_t letter = 'a'; letter <= 'z'; ++letter) {
      const char32_t capital = letter - 'a' + 'A';
      if (contains(letter)) add({capital, capital});
      else if (contains(capital)) add({letter, letter});
    }
  }
  /// All other code points.
  [[nodiscard]] CodePointSet complement() const {
    CodePointSet rest;
    char32_t next = 0;
    for (const CodePointRange range : ranges_) {
      if (next < range.first) rest.ranges_.push_back({next, range.first - 1});
      next = range.last + 1;
    }
    if (next <= last_code_point) rest.ranges_.push_back({next, last_code_point});
    return rest;
  }

 private:
  /// The first range that doesn't end before the code point.
  [[nodiscard]] std::size_t place_of(char32_t code) const noexcept {
    std::size_t begin = 0;
    for (std::size_t end = ranges_.size(); begin < end;) {
      const std::size_t middle = begin + (end - begin) / 2;
      if (ranges_[middle].last < code) begin = middle + 1;
      else end = middle;
    }
    return begin;
  }
  std::vector<CodePointRange> ranges_;
};

/// Python's classes: `d`, `s`, `w`, and their complements `D`, `S`, `W`. The digits are 0 to 9.
inline CodePointSet named_class(char32_t letter, bool ascii_only) {
  switch (letter) {
    case 'd': return {{'0', '9'}};
    case 's':
      if (ascii_only) return {{'\t', '\r'}, {' ', ' '}};
      return {{'\t', '\r'},     {0x1C, ' '},      {0x85, 0x85},     {0xA0, 0xA0},     {0x1680, 0x1680},
              {0x2000, 0x200A}, {0x2028, 0x2029}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};
    case 'w': {
      CodePointSet wordless{{0, '0' - 1}, {'9' + 1, 'A' - 1}, {'Z' + 1, '_' - 1}, {'_' + 1, 'a' - 1}, {'z' + 1, 0x7F}};
      if (ascii_only) wordless.add({0x80, last_code_point});
      else wordless.add(CodePointSet(std::span<const CodePointRange>(wordless_ranges)));
      return wordless.complement();
    }
    default: return named_class(letter - 'A' + 'a', ascii_only).complement();
  }
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_SELECT_CODE_POINT_SET_HPP
// ---- loupe/select/collection.hpp
#ifndef LOUPE_SINGLE_SELECT_COLLECTION_HPP
#define LOUPE_SINGLE_SELECT_COLLECTION_HPP
/// @file
/// Collections: named groups of tensors with settings of their own (semantics.md section 5).

// ---- loupe/select/name_table.hpp
#ifndef LOUPE_SINGLE_SELECT_NAME_TABLE_HPP
#define LOUPE_SINGLE_SELECT_NAME_TABLE_HPP
/// @file
/// Names as small numbers, found again in a few nanoseconds by a loop that repeats itself.

// ---- loupe/select/index_iterator.hpp
#ifndef LOUPE_SINGLE_SELECT_INDEX_ITERATOR_HPP
#define LOUPE_SINGLE_SELECT_INDEX_ITERATOR_HPP
/// @file
/// Iteration over whatever is indexed by numbers from 0.

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
#endif  // LOUPE_SINGLE_SELECT_INDEX_ITERATOR_HPP
// ---- loupe/select/known_names.hpp
#ifndef LOUPE_SINGLE_SELECT_KNOWN_NAMES_HPP
#define LOUPE_SINGLE_SELECT_KNOWN_NAMES_HPP
/// @file
/// The quick way past names that are known: what a hook asks before anything else.

namespace loupe::inline LOUPE_ABI {

/// No name's number.
inline constexpr std::uint32_t no_name = UINT32_MAX;

/// A name of a `NameTable`.
struct KnownName {
  Text name;
  std::uint32_t successor = no_name;  ///< what was asked for next, the last time
  std::uint32_t tag = 0;              ///< what the table's user notes down for the name
};

/// Where in the usual order of names a loop is.
struct NameOrder {
  std::uint32_t first = no_name;
  std::uint32_t last = no_name;  ///< what was asked for last in this round
};

namespace detail {

/// Whether two names are equal, without the call that `==` costs: the hot path's names are a few words long.
LOUPE_ALWAYS_INLINE bool is_same_name(std::string_view one, std::string_view other) noexcept {
  using Word = std::uint64_t;
  const std::size_t size = one.size();
  if (size != other.size()) return false;
  const char *left = one.data(), *right = other.data();
  if (size < sizeof(Word)) {
    for (std::size_t at = 0; at < size; ++at)
      if (left[at] != right[at]) return false;
    return true;
  }
  // The last word may overlap the one before it; most names are two words.
  const auto difference_at = [&](std::size_t at) {
    Word left_word, right_word;
    std::memcpy(&left_word, left + at, sizeof(Word));
    std::memcpy(&right_word, right + at, sizeof(Word));
    return left_word ^ right_word;
  };
  const std::size_t last = size - sizeof(Word);
  if ((difference_at(0) | difference_at(last)) != 0) return false;
  for (std::size_t at = sizeof(Word); at < last; at += sizeof(Word))
    if (difference_at(at) != 0) return false;
  return true;
}

}  // namespace detail

/// The names a plan knows and which of them the open step wants; the plan keeps it up to date.
struct KnownNames {
  const KnownName* names = nullptr;
  std::uint32_t size = 0;
  NameOrder* order = nullptr;
  const std::uint8_t* is_wanted = nullptr;  ///< by tag

  /// Whether the name is the next in the order in which names were first asked for, and the step doesn't want it: then
  /// it is done with. The quickest look: it doesn't wait for what the look before it found.
  LOUPE_ALWAYS_INLINE bool pass_over_next(std::string_view name) noexcept {
    static_assert(no_name + 1 == 0, "the number after none is the first");
    return is_unwanted(order->last + 1, name);
  }
  /// The same of the name that followed last time.
  bool pass_over_successor(std::string_view name) noexcept {
    return is_unwanted(order->last == no_name ? order->first : names[order->last].successor, name);
  }
  /// Either; if it says no, ask the plan.
  bool pass_over(std::string_view name) noexcept { return pass_over_next(name) || pass_over_successor(name); }

 private:
  LOUPE_ALWAYS_INLINE bool is_unwanted(std::uint32_t predicted, std::string_view name) noexcept {
    if (predicted >= size || !detail::is_same_name(names[predicted].name, name) || is_wanted[names[predicted].tag] != 0)
      return false;
    order->last = predicted;
    return true;
  }
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_SELECT_KNOWN_NAMES_HPP

namespace loupe::inline LOUPE_ABI {

/// Interns names: the first distinct name is 0, the next 1, and so on. Lookups are predicted: training loops ask for
/// the same names in the same order in every step, so the table compares with the name that followed last time before
/// it hashes. A name that is found again allocates nothing. For one thread at a time.
class NameTable {
 public:
  static constexpr std::uint32_t none = no_name;

  struct Found {
    std::uint32_t id;
    bool is_new;
  };

  /// The number of a name, which is added if it is new.
  Found find_or_add(std::string_view name) {
    const std::uint32_t predicted = successor();
    if (predicted != none && detail::is_same_name(entries_[predicted].name, name)) return {order_.last = predicted, false};
    return find_or_add_unpredicted(name);
  }
  /// The number of a name, or `none`; leaves the prediction alone.
  [[nodiscard]] std::uint32_t find(std::string_view name) const noexcept {
    return slots_.empty() ? none : slots_[slot_of(name)];
  }
  /// The next lookup begins a new round: it is predicted to be what began the last one.
  void restart() noexcept { order_.last = none; }

  /// The name of a number; stays where it is while the table lives.
  [[nodiscard]] std::string_view operator[](std::size_t id) const noexcept { return entries_[id].name; }
  /// What the table's user notes down for a name; 0 at first.
  [[nodiscard]] std::uint32_t tag(std::size_t id) const noexcept { return entries_[id].tag; }
  void set_tag(std::size_t id, std::uint32_t tag) noexcept { entries_[id].tag = tag; }
  /// A view for quick looks, without `is_wanted`; true until a name is added.
  [[nodiscard]] KnownNames known() noexcept { return {entries_.data(), size(), &order_, nullptr}; }
  [[nodiscard]] std::uint32_t size() const noexcept { return static_cast<std::uint32_t>(entries_.size()); }

  /// Iteration gives the names in the order of their numbers.
  [[nodiscard]] IndexIterator<NameTable> begin() const noexcept { return {*this, 0}; }
  [[nodiscard]] IndexIterator<NameTable> end() const noexcept { return {*this, size()}; }

 private:
  [[nodiscard]] std::uint32_t& successor() noexcept {
    return order_.last == none ? order_.first : entries_[order_.last].successor;
  }
  /// The slot that holds the name, or the empty one where it belongs.
  [[nodiscard]] LOUPE_DECL std::size_t slot_of(std::string_view name) const noexcept;
  LOUPE_COLD LOUPE_DECL Found find_or_add_unpredicted(std::string_view name);
  LOUPE_DECL void grow();

  std::vector<KnownName> entries_;
  std::vector<std::uint32_t> slots_;  ///< open addressing, a power of two in size, at most half full
  NameOrder order_;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/select/name_table.ipp
#ifndef LOUPE_SINGLE_SELECT_NAME_TABLE_IPP
#define LOUPE_SINGLE_SELECT_NAME_TABLE_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL std::size_t NameTable::slot_of(std::string_view name) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>()(name) & mask;
  while (slots_[slot] != none && entries_[slots_[slot]].name.view() != name) slot = (slot + 1) & mask;
  return slot;
}

LOUPE_DECL NameTable::Found NameTable::find_or_add_unpredicted(std::string_view name) {
  if (2 * (entries_.size() + 1) > slots_.size()) grow();
  std::uint32_t& slot = slots_[slot_of(name)];
  const bool is_new = slot == none;
  if (is_new) {
    entries_.push_back({Text(name), none, 0});
    slot = size() - 1;
  }
  successor() = slot;
  order_.last = slot;
  return {slot, is_new};
}

LOUPE_DECL void NameTable::grow() {
  slots_.assign(slots_.empty() ? 64 : 2 * slots_.size(), none);
  for (std::uint32_t id = 0; id < size(); ++id) slots_[slot_of(entries_[id].name)] = id;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_SELECT_NAME_TABLE_IPP
#endif  // LOUPE_SINGLE_SELECT_NAME_TABLE_HPP
// ---- loupe/select/reduction_config.hpp
#ifndef LOUPE_SINGLE_SELECT_REDUCTION_CONFIG_HPP
#define LOUPE_SINGLE_SELECT_REDUCTION_CONFIG_HPP
/// @file
/// What of a tensor is saved: statistics, the value itself, its shape (semantics.md section 3).

namespace loupe::inline LOUPE_ABI {

/// Statistics in the order in which a configuration names them, which is the order in which they are stored. Reads as
/// a `StatisticSet` wherever the order doesn't matter.
class StatisticList {
 public:
  StatisticList() = default;
  LOUPE_DECL StatisticList(std::initializer_list<Statistic> statistics);
  LOUPE_DECL StatisticList(StatisticSet statistics);
  operator StatisticSet() const noexcept { return set(); }
  [[nodiscard]] LOUPE_DECL StatisticSet set() const noexcept;
  LOUPE_DECL void push_back(Statistic statistic);
  [[nodiscard]] bool empty() const noexcept { return statistics_.empty(); }
  [[nodiscard]] auto begin() const noexcept { return statistics_.begin(); }
  [[nodiscard]] auto end() const noexcept { return statistics_.end(); }
  friend bool operator==(const StatisticList&, const StatisticList&) = default;

 private:
  std::vector<Statistic> statistics_;
};

/// What is saved of the tensors of a collection. Without `save_raw_tensor` the values themselves are not.
struct ReductionConfig {
  StatisticList statistics = {};
  bool save_raw_tensor = false;
  bool save_shape = false;

  /// What a hook saves when nothing is configured: values, nothing else.
  static ReductionConfig raw_only() { return {.save_raw_tensor = true}; }

  friend bool operator==(const ReductionConfig&, const ReductionConfig&) = default;
};

/// Reads comma-separated words such as `min, l2_norm,abs_mean`; empty words are passed over. Anything that is not a word
/// of `config_name` is an error that names it and the words allowed.
LOUPE_DECL result<StatisticList> parse_statistics(std::string_view words);

/// The words, comma-joined, in the group order of format.md section 7 and within a group in the order of the list.
/// smdebug refuses words that it doesn't know, so loupe's own statistics are left out.
LOUPE_DECL Text statistics_text(const StatisticList& statistics);

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/select/reduction_config.ipp
#ifndef LOUPE_SINGLE_SELECT_REDUCTION_CONFIG_IPP
#define LOUPE_SINGLE_SELECT_REDUCTION_CONFIG_IPP

// ---- loupe/select/words.hpp
#ifndef LOUPE_SINGLE_SELECT_WORDS_HPP
#define LOUPE_SINGLE_SELECT_WORDS_HPP
/// @file
/// Comma-separated words, as smdebug's configurations write lists.

namespace loupe::inline LOUPE_ABI {

/// The text without blanks (as Python's `strip` sees them in ASCII) at both ends.
constexpr std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t\n\r\f\v";
  const auto first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

/// Calls `visit(std::string_view)` for each part between commas, without blanks around it; once for an empty text.
template <class Visitor>
constexpr void for_each_word(std::string_view text, Visitor&& visit) {
  while (true) {
    const auto comma = text.find(',');
    visit(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_SELECT_WORDS_HPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL StatisticList::StatisticList(std::initializer_list<Statistic> statistics) : statistics_(statistics) {}

LOUPE_DECL StatisticList::StatisticList(StatisticSet statistics) {
  for (const Statistic statistic : statistics) push_back(statistic);
}

LOUPE_DECL StatisticSet StatisticList::set() const noexcept {
  StatisticSet members;
  for (const Statistic statistic : statistics_) members.insert(statistic);
  return members;
}

LOUPE_DECL void StatisticList::push_back(Statistic statistic) { statistics_.push_back(statistic); }

LOUPE_DECL result<StatisticList> parse_statistics(std::string_view words) {
  StatisticList statistics;
  std::string_view unknown;
  for_each_word(words, [&](std::string_view word) {
    if (word.empty()) return;
    if (const auto statistic = statistic_from_config_name(word)) statistics.push_back(*statistic);
    else if (unknown.empty()) unknown = word;
  });
  if (unknown.empty()) return statistics;
  Text allowed;
  for (const Statistic statistic : StatisticSet::all())
    allowed = allowed.empty() ? Text(config_name(statistic)) : Text::join(allowed.view(), " ", config_name(statistic));
  return fail(ErrorKind::invalid_argument, "reductions",
              Text::join("has the word ", unknown, ", but allowed are ", allowed.view()));
}

LOUPE_DECL Text statistics_text(const StatisticList& statistics) {
  constexpr int group_count = 4;
  const auto group_of = [](Statistic statistic) {
    return (is_absolute(statistic) ? 2 : 0) + (is_norm(statistic) ? 1 : 0);
  };
  ByteBuffer words;
  for (int group = 0; group < group_count; ++group)
    for (const Statistic statistic : statistics) {
      if (!smdebug_statistics.contains(statistic) || group_of(statistic) != group) continue;
      if (!words.empty()) words.append(',');
      words.append(config_name(statistic));
    }
  return words.text();
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_SELECT_REDUCTION_CONFIG_IPP
#endif  // LOUPE_SINGLE_SELECT_REDUCTION_CONFIG_HPP
// ---- loupe/select/save_config.hpp
#ifndef LOUPE_SINGLE_SELECT_SAVE_CONFIG_HPP
#define LOUPE_SINGLE_SELECT_SAVE_CONFIG_HPP
/// @file
/// At which steps a collection is saved (semantics.md section 2).

namespace loupe::inline LOUPE_ABI {

/// The interval when none is given.
inline constexpr std::int64_t default_save_interval = 500;

/// The settings of one mode; steps are mode steps. A step is saved if `save_steps` lists it, or if it is a multiple of
/// `interval` with `start_step <= step < end_step`. Multiples count from 0, not from `start_step`.
struct ModeSaveConfig {
  std::int64_t interval = default_save_interval;
  std::int64_t start_step = 0;
  std::optional<std::int64_t> end_step = {};  ///< exclusive; 0 disables the interval altogether
  std::vector<std::int64_t> save_steps = {};  ///< saved besides, wherever start and end are

  /// Whether the step is to be saved. Defined for any settings: an interval below 1 has no multiples.
  [[nodiscard]] bool should_save(std::int64_t mode_step) const noexcept {
    for (const std::int64_t step : save_steps)
      if (step == mode_step) return true;
    if (interval < 1 || mode_step < start_step || (end_step && mode_step >= *end_step)) return false;
    return mode_step % interval == 0;
  }
  /// Refuses settings that no one can mean: an interval below 1, negative steps, and an end before the start that
  /// nothing makes up for. `owner` (such as `train.`) goes before the parameter's name in the error.
  [[nodiscard]] LOUPE_DECL result<void> validate(std::string_view owner = {}) const;

  friend bool operator==(const ModeSaveConfig&, const ModeSaveConfig&) = default;
};

/// The settings of a hook: the same for all modes, or others for a mode that has its own.
/// `SaveConfig{.interval = 10, .eval = ModeSaveConfig{.interval = 1}}`.
struct SaveConfig {
  std::int64_t interval = default_save_interval;
  std::int64_t start_step = 0;
  std::optional<std::int64_t> end_step = {};
  std::vector<std::int64_t> save_steps = {};
  std::optional<ModeSaveConfig> train = {};
  std::optional<ModeSaveConfig> eval = {};
  std::optional<ModeSaveConfig> predict = {};
  std::optional<ModeSaveConfig> global = {};

  /// The settings that hold for a mode.
  [[nodiscard]] LOUPE_DECL ModeSaveConfig of(Mode mode) const;
  [[nodiscard]] LOUPE_DECL result<void> validate() const;

  friend bool operator==(const SaveConfig&, const SaveConfig&) = default;
};

/// What a collection holds: the settings of each mode, or nothing for a mode that takes the hook's. Remembers in which
/// order a file lists the modes.
class ModeSaveConfigs {
 public:
  /// No mode has settings of its own.
  ModeSaveConfigs() = default;
  /// Every mode has settings.
  LOUPE_DECL ModeSaveConfigs(const SaveConfig& config);

  [[nodiscard]] const std::optional<ModeSaveConfig>& of(Mode mode) const noexcept { return configs_[mode_index(mode)]; }
  void set(Mode mode, std::optional<ModeSaveConfig> config) { configs_[mode_index(mode)] = std::move(config); }
  /// Gives the modes without settings those of `defaults`.
  LOUPE_DECL void fill_from(const ModeSaveConfigs& defaults);
  /// The mode that stands at `position` (0 to 3) in a file.
  [[nodiscard]] Mode mode_at(std::size_t position) const noexcept { return order_[position]; }
  /// Moves a mode to `position`, those between one further back.
  LOUPE_DECL void place(Mode mode, std::size_t position) noexcept;
  [[nodiscard]] LOUPE_DECL result<void> validate() const;

  /// Compares settings, not their order.
  friend bool operator==(const ModeSaveConfigs& a, const ModeSaveConfigs& b) noexcept {
    for (const Mode mode : all_modes)
      if (a.of(mode) != b.of(mode)) return false;
    return true;
  }

 private:
  std::optional<ModeSaveConfig> configs_[mode_count];
  Mode order_[mode_count] = {Mode::train, Mode::eval, Mode::predict, Mode::global};
};

/// The lower-case name of a mode as configurations write it: `train eval predict global`.
constexpr std::string_view mode_config_name(Mode mode) noexcept {
  constexpr std::string_view names[] = {"train", "eval", "predict", "global"};
  const std::size_t index = mode_index(mode);
  return index < mode_count ? names[index] : std::string_view("invalid");
}

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/select/save_config.ipp
#ifndef LOUPE_SINGLE_SELECT_SAVE_CONFIG_IPP
#define LOUPE_SINGLE_SELECT_SAVE_CONFIG_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL result<void> ModeSaveConfig::validate(std::string_view owner) const {
  const auto refuse = [owner](std::string_view parameter, std::int64_t given, std::string_view allowed) {
    return fail(ErrorKind::invalid_argument, Text::join(owner, parameter),
                Text::join("is ", to_text(given).view(), ", but ", allowed));
  };
  if (interval < 1) return refuse("save_interval", interval, "must be at least 1");
  if (start_step < 0) return refuse("start_step", start_step, "must be at least 0");
  if (end_step && *end_step < 0) return refuse("end_step", *end_step, "must be at least 0, or absent for no end");
  for (const std::int64_t step : save_steps)
    if (step < 0) return refuse("save_steps", step, "its steps must be at least 0");
  if (end_step && *end_step != 0 && *end_step < start_step && save_steps.empty())
    return refuse("end_step", *end_step,
                  Text::join("start_step is ", to_text(start_step).view(),
                             ": nothing would be saved; to disable saving give end_step 0"));
  return {};
}

LOUPE_DECL ModeSaveConfig SaveConfig::of(Mode mode) const {
  const std::optional<ModeSaveConfig>* const own[] = {&train, &eval, &predict, &global};
  if (const std::size_t index = mode_index(mode); index < mode_count && *own[index]) return **own[index];
  return {interval, start_step, end_step, save_steps};
}

LOUPE_DECL result<void> SaveConfig::validate() const {
  LOUPE_TRY(ModeSaveConfig{interval, start_step, end_step, save_steps}.validate());
  return ModeSaveConfigs(*this).validate();
}

LOUPE_DECL ModeSaveConfigs::ModeSaveConfigs(const SaveConfig& config) {
  for (const Mode mode : all_modes) set(mode, config.of(mode));
}

LOUPE_DECL void ModeSaveConfigs::fill_from(const ModeSaveConfigs& defaults) {
  for (const Mode mode : all_modes)
    if (!of(mode)) set(mode, defaults.of(mode));
}

LOUPE_DECL void ModeSaveConfigs::place(Mode mode, std::size_t position) noexcept {
  std::size_t from = 0;
  while (from < mode_count && order_[from] != mode) ++from;
  if (from == mode_count || position >= mode_count) return;
  for (; from > position; --from) order_[from] = order_[from - 1];
  for (; from < position; ++from) order_[from] = order_[from + 1];
  order_[position] = mode;
}

LOUPE_DECL result<void> ModeSaveConfigs::validate() const {
  for (const Mode mode : all_modes)
    if (const auto& config = of(mode)) LOUPE_TRY(config->validate(Text::join(mode_config_name(mode), ".")));
  return {};
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_SELECT_SAVE_CONFIG_IPP
#endif  // LOUPE_SINGLE_SELECT_SAVE_CONFIG_HPP

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

// ---- loupe/select/collection.ipp
#ifndef LOUPE_SINGLE_SELECT_COLLECTION_IPP
#define LOUPE_SINGLE_SELECT_COLLECTION_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL NameSet::NameSet(std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) insert(name);
}

LOUPE_DECL bool NameSet::equals(const NameSet& other) const noexcept {
  if (size() != other.size()) return false;
  for (const std::string_view name : *this)
    if (!other.contains(name)) return false;
  return true;
}

LOUPE_DECL Collection& Collection::include(std::string_view pattern) {
  include_regex.emplace_back(pattern);
  return *this;
}

LOUPE_DECL bool operator==(const Collection& a, const Collection& b) = default;

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_SELECT_COLLECTION_IPP
#endif  // LOUPE_SINGLE_SELECT_COLLECTION_HPP
// ---- loupe/select/collection_set.hpp
#ifndef LOUPE_SINGLE_SELECT_COLLECTION_SET_HPP
#define LOUPE_SINGLE_SELECT_COLLECTION_SET_HPP
/// @file
/// The collections of a hook or a trial.

// ---- loupe/select/framework_defaults.hpp
#ifndef LOUPE_SINGLE_SELECT_FRAMEWORK_DEFAULTS_HPP
#define LOUPE_SINGLE_SELECT_FRAMEWORK_DEFAULTS_HPP
/// @file
/// What the hooks of each framework begin with, as data (semantics.md sections 5.2 and 5.3).

namespace loupe::inline LOUPE_ABI {

/// A collection that exists without anyone's doing; it may stay empty.
struct DefaultCollection {
  std::string_view name;
  std::string_view pattern = {};  ///< its one regex, if it has one
};

/// A framework's collections, those that are always saved, and its interval.
struct FrameworkDefaults {
  std::string_view name;
  std::span<const DefaultCollection> collections;
  std::span<const std::string_view> always_saved;
  std::int64_t save_interval = default_save_interval;
};

namespace detail {
inline constexpr DefaultCollection pytorch_collections[] = {
    {"all"},
    {"default"},
    {"weights", "^(?!gradient).*weight"},
    {"biases", "^(?!gradient).*bias"},
    {"gradients", "^gradient"},
    {"losses", "[Ll]oss_(?!input).*output"},
};
inline constexpr DefaultCollection mxnet_collections[] = {
    {"all"},
    {"default"},
    {"weights", "^(?!gradient).*weight"},
    {"biases", "^(?!gradient).*bias"},
    {"gradients", "^gradient"},
    {"losses", ".*loss._(?!input).*output"},
};
inline constexpr DefaultCollection tensorflow_collections[] = {
    {"all"},       {"default"}, {"weights"},    {"biases", "^(?!gradient).*bias"},
    {"gradients"}, {"losses"},  {"metrics"},    {"inputs"},
    {"outputs"},   {"layers"},  {"sm_metrics"}, {"optimizer_variables"},
};
inline constexpr DefaultCollection xgboost_collections[] = {
    {"all"},
    {"default"},
    {"hyperparameters", "^hyperparameters/.*$"},
    {"predictions", "^predictions$"},
    {"labels", "^labels$"},
    {"feature_importance", "^feature_importance/.*"},
    {"average_shap", "^average_shap/.*[^/bias]$"},
    {"full_shap", "^full_shap/.*[^/bias]$"},
    {"trees", "^trees/.*"},
    {"metrics", "^[a-zA-z]+-[a-zA-z0-9]+$"},
    {"losses", "^[a-zA-z]+-.+(?<!(auc|map))$"},
};
inline constexpr std::string_view losses_only[] = {"losses"};
inline constexpr std::string_view metrics_only[] = {"metrics"};
inline constexpr std::string_view tensorflow_always[] = {"metrics", "losses", "sm_metrics"};
}  // namespace detail

inline constexpr FrameworkDefaults pytorch_defaults{"pytorch", detail::pytorch_collections, detail::losses_only};
inline constexpr FrameworkDefaults mxnet_defaults{"mxnet", detail::mxnet_collections, detail::losses_only};
/// Those of TensorFlow 2 with eager execution.
inline constexpr FrameworkDefaults tensorflow_defaults{"tensorflow", detail::tensorflow_collections,
                                                       detail::tensorflow_always};
inline constexpr FrameworkDefaults xgboost_defaults{"xgboost", detail::xgboost_collections, detail::metrics_only, 10};
/// Hand-written loops: PyTorch's, whose names they tend to borrow.
inline constexpr FrameworkDefaults frameworkless_defaults{"frameworkless", detail::pytorch_collections,
                                                          detail::losses_only};

/// What smdebug's code knows about some collections by their name.
struct CollectionClasses {
  bool scalar = false;         ///< its tensors are single numbers: TensorBoard scalars, no reductions, no histograms
  bool summaries = false;      ///< ready-made TensorBoard summaries: no reductions, no histograms
  bool training_only = false;  ///< never saved in EVAL and PREDICT
};

/// The classes of a collection; none for names that smdebug doesn't know.
constexpr CollectionClasses collection_classes(std::string_view name) noexcept {
  const auto is_one_of = [name](auto... names) { return ((name == names) || ...); };
  return {.scalar = is_one_of("losses", "metrics", "feature_importance", "average_shap", "sm_metrics"),
          .summaries = is_one_of("tensorflow_summaries"),
          .training_only = is_one_of("gradients", "optimizer_variables")};
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_SELECT_FRAMEWORK_DEFAULTS_HPP

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

// ---- loupe/select/collection_set.ipp
#ifndef LOUPE_SINGLE_SELECT_COLLECTION_SET_IPP
#define LOUPE_SINGLE_SELECT_COLLECTION_SET_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL CollectionSet::CollectionSet(const FrameworkDefaults& defaults) : defaults_(defaults.collections) {
  for (const DefaultCollection& known : defaults.collections) {
    Collection& collection = *collections_.emplace_back().get();
    collection.name = known.name;
    if (!known.pattern.empty()) collection.include(known.pattern);
    names_.find_or_add(known.name);
  }
  for (const std::string_view name : defaults.always_saved) included_.insert(name);
}

LOUPE_DECL result<void> CollectionSet::check_change(std::string_view name) const {
  if (name.empty()) return fail(ErrorKind::invalid_argument, "collection", "must have a name");
  if (!is_frozen_) return {};
  return fail(ErrorKind::invalid_state, Text::join("collection ", name),
              "can't be added or changed after the first step");
}

LOUPE_DECL result<Collection*> CollectionSet::get(std::string_view name) {
  LOUPE_TRY(check_change(name));
  const std::uint32_t number = names_.find_or_add(name).id;
  // An exception may have left a name without its collection; it is made up for here.
  while (collections_.size() <= number) collections_.emplace_back().get()->name = names_[collections_.size()];
  return collections_[number].get();
}

LOUPE_DECL result<Collection*> CollectionSet::add(Collection collection) {
  LOUPE_ASSIGN(Collection* const place, get(collection.name));
  *place = std::move(collection);
  return place;
}

LOUPE_DECL result<void> CollectionSet::include(std::string_view name) {
  LOUPE_TRY(check_change(name));
  included_.insert(name);
  return {};
}

LOUPE_DECL bool CollectionSet::may_be_empty(std::string_view name) const noexcept {
  for (const DefaultCollection& known : defaults_)
    if (known.name == name) return true;
  return false;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_SELECT_COLLECTION_SET_IPP
#endif  // LOUPE_SINGLE_SELECT_COLLECTION_SET_HPP
// ---- loupe/select/name_filter.hpp
#ifndef LOUPE_SINGLE_SELECT_NAME_FILTER_HPP
#define LOUPE_SINGLE_SELECT_NAME_FILTER_HPP
/// @file
/// Which names a list of regular expressions selects, without a regex engine wherever one isn't needed.

namespace loupe::inline LOUPE_ABI {

/// A pattern as code.
using NamePredicate = bool (*)(std::string_view name) noexcept;

/// The code of a pattern of the default collections (semantics.md section 5.3), or null for other patterns.
LOUPE_DECL NamePredicate known_pattern(std::string_view pattern) noexcept;

/// A list of patterns in Python's syntax; a name is selected if any of them is found anywhere in it. Literals, with or
/// without anchors, and the patterns of the default collections are matched directly, with exactly their meaning as
/// regular expressions; others are compiled, once, by the engine. A pattern that the engine refuses selects nothing and
/// leaves its error: a trial must be readable whatever its collections say. Const calls are safe from several threads.
class NameFilter {
 public:
  /// Null stands for `compile_python_regex`.
  explicit NameFilter(PatternCompiler engine = nullptr) noexcept : engine_(engine) {}
  explicit NameFilter(std::span<const Text> patterns, PatternCompiler engine = nullptr) : engine_(engine) {
    for (const Text& pattern : patterns) add(pattern);
  }

  LOUPE_DECL void add(std::string_view pattern);
  /// Whether the name is selected. An error if no pattern is found and an engine gave up on one (`limit_exceeded`).
  [[nodiscard]] LOUPE_DECL result<bool> search(std::string_view name) const;
  /// The same, taking a pattern on which the engine gives up as not found.
  [[nodiscard]] bool matches(std::string_view name) const { return search(name).value_or(false); }

  [[nodiscard]] bool empty() const noexcept { return rules_.empty() && errors_.empty(); }
  /// Why patterns were refused.
  [[nodiscard]] std::span<const Error> errors() const noexcept { return errors_; }

 private:
  enum class Kind : std::uint8_t { contains, prefix, suffix, equal, predicate, engine };
  struct Rule {
    Kind kind = Kind::contains;
    Text literal;
    NamePredicate predicate = nullptr;
    AnyPattern pattern;
  };
  LOUPE_DECL static bool read_literal(std::string_view pattern, Rule& rule);
  PatternCompiler engine_ = nullptr;
  std::vector<Rule> rules_;
  std::vector<Error> errors_;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/select/name_filter.ipp
#ifndef LOUPE_SINGLE_SELECT_NAME_FILTER_IPP
#define LOUPE_SINGLE_SELECT_NAME_FILTER_IPP

// ---- loupe/select/python_regex.hpp
#ifndef LOUPE_SINGLE_SELECT_PYTHON_REGEX_HPP
#define LOUPE_SINGLE_SELECT_PYTHON_REGEX_HPP
/// @file
/// loupe's own engine for Python's regular expressions.

namespace loupe::inline LOUPE_ABI {

/// Compiles a pattern in Python's syntax, with look-ahead and look-behind; see `PatternParser` for what differs from
/// `re.search`. Back-references alone are `unsupported`: a search would have no bound in time. A search that is too
/// long for `PatternProgram` is `limit_exceeded`. `std::regex` would be no replacement: it lacks look-behind, knows
/// bytes only, follows the length of a name with its stack, and costs seconds to compile.
LOUPE_DECL result<AnyPattern> compile_python_regex(std::string_view pattern);

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/select/python_regex.ipp
#ifndef LOUPE_SINGLE_SELECT_PYTHON_REGEX_IPP
#define LOUPE_SINGLE_SELECT_PYTHON_REGEX_IPP

// ---- loupe/select/pattern_program.hpp
#ifndef LOUPE_SINGLE_SELECT_PATTERN_PROGRAM_HPP
#define LOUPE_SINGLE_SELECT_PATTERN_PROGRAM_HPP
/// @file
/// Regular expressions as small programs, which search in bounded time and stack.

// ---- loupe/select/pattern_parser.hpp
#ifndef LOUPE_SINGLE_SELECT_PATTERN_PARSER_HPP
#define LOUPE_SINGLE_SELECT_PATTERN_PARSER_HPP
/// @file
/// The grammar of Python's regular expressions, apart from what is made of them.

// ---- loupe/select/pattern_cursor.hpp
#ifndef LOUPE_SINGLE_SELECT_PATTERN_CURSOR_HPP
#define LOUPE_SINGLE_SELECT_PATTERN_CURSOR_HPP
/// @file
/// Reads the characters, numbers and escapes of a regular expression in Python's syntax.

namespace loupe::inline LOUPE_ABI {

/// A place in a pattern; `take…` functions move on if what they look for is there. Errors name the pattern and the place.
class PatternCursor {
 public:
  /// Reads at most `limit` code points; `is_cut` says whether there are more.
  PatternCursor(std::string_view pattern, std::size_t limit) : pattern_(pattern) {
    std::string_view rest = pattern;
    while (!rest.empty() && code_.size() < limit) code_.push_back(take_code_point(rest));
    is_cut_ = !rest.empty();
  }

  [[nodiscard]] bool is_cut() const noexcept { return is_cut_; }
  [[nodiscard]] bool at_end() const noexcept { return at_ == code_.size(); }
  [[nodiscard]] bool next_is(char32_t code) const noexcept { return !at_end() && code_[at_] == code; }
  [[nodiscard]] bool next_are(std::u32string_view codes) const noexcept {
    return code_.size() - at_ >= codes.size() && std::u32string_view(code_.data() + at_, codes.size()) == codes;
  }
  [[nodiscard]] std::size_t position() const noexcept { return at_; }
  void go_to(std::size_t position) noexcept { at_ = position; }

  /// The next character, which must be there.
  char32_t take_any() noexcept { return code_[at_++]; }
  bool take(char32_t code) noexcept {
    if (!next_is(code)) return false;
    ++at_;
    return true;
  }
  /// A digit's value.
  std::optional<char32_t> take_digit(char32_t base) noexcept {
    if (at_end()) return std::nullopt;
    const char32_t code = code_[at_];
    const char32_t value = code >= '0' && code <= '9'   ? code - '0'
                           : code >= 'a' && code <= 'f' ? code - 'a' + 10
                           : code >= 'A' && code <= 'F' ? code - 'A' + 10
                                                        : base;
    if (value >= base) return std::nullopt;
    ++at_;
    return value;
  }
  /// A decimal number; those above a million all read as more than that.
  std::optional<std::size_t> take_number() noexcept {
    std::optional<std::size_t> number;
    while (const auto digit = take_digit(10)) {
      number = number.value_or(0) * 10 + *digit;
      if (*number > 1'000'000) number = 1'000'001;
    }
    return number;
  }

  /// Passes over comments, `(?#…)`.
  result<void> skip_comments() {
    while (next_are(U"(?#")) {
      while (!take(')')) {
        if (at_end()) return invalid("unterminated comment");
        ++at_;
      }
    }
    return {};
  }
  /// The character of an octal escape, if three octal digits come next.
  result<std::optional<char32_t>> take_octal_escape() {
    const std::size_t start = at_;
    char32_t value = 0;
    for (int digits = 0; digits < 3; ++digits) {
      const auto digit = take_digit(8);
      if (!digit) {
        at_ = start;
        return std::nullopt;
      }
      value = value * 8 + *digit;
    }
    if (value > 0377) return invalid("octal escape out of range");
    return value;
  }
  /// The number of one to three octal digits: an escape in a character set, where it can't be a back-reference.
  result<char32_t> take_octal_member() {
    char32_t value = 0;
    int digits = 0;
    for (; digits < 3; ++digits) {
      const auto digit = take_digit(8);
      if (!digit) break;
      value = value * 8 + *digit;
    }
    if (digits == 0) return invalid("bad escape");
    if (value > 0377) return invalid("octal escape out of range");
    return value;
  }
  /// The character that an escape stands for, `code` being what came after the backslash: escapes that are the same
  /// inside and outside of character sets.
  result<char32_t> take_literal_escape(char32_t code) {
    const auto hexadecimal = [this](int digits) -> result<char32_t> {
      char32_t value = 0;
      for (; digits > 0; --digits) {
        const auto digit = take_digit(16);
        if (!digit) return invalid("incomplete escape");
        value = value * 16 + *digit;
      }
      if (value > last_code_point) return invalid("escape beyond U+10FFFF");
      return value;
    };
    switch (code) {
      case 'a': return U'\a';
      case 'f': return U'\f';
      case 'n': return U'\n';
      case 'r': return U'\r';
      case 't': return U'\t';
      case 'v': return U'\v';
      case 'x': return hexadecimal(2);
      case 'u': return hexadecimal(4);
      case 'U': return hexadecimal(8);
      case 'N': return lacking("named characters are not supported");
      default: break;
    }
    if (code == '0') {
      char32_t value = take_digit(8).value_or(0);
      if (const auto second = take_digit(8)) value = value * 8 + *second;
      return value;
    }
    if (code < 0x7F && is_word_character(code) && code != '_') return invalid("bad escape");
    return code;
  }

  [[nodiscard]] unexpected<Error> refuse(ErrorKind kind, std::string_view reason) const {
    return fail(kind, Text::join("pattern ", pattern_),
                Text::join(reason, " at position ", to_text(static_cast<long long>(at_)).view()));
  }
  [[nodiscard]] unexpected<Error> invalid(std::string_view reason) const {
    return refuse(ErrorKind::invalid_argument, reason);
  }
  [[nodiscard]] unexpected<Error> lacking(std::string_view what) const { return refuse(ErrorKind::unsupported, what); }

 private:
  std::string_view pattern_;
  std::vector<char32_t> code_;
  std::size_t at_ = 0;
  bool is_cut_ = false;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_SELECT_PATTERN_CURSOR_HPP

namespace loupe::inline LOUPE_ABI {

enum class GroupKind : std::uint8_t { capturing, plain, ahead, not_ahead, behind, not_behind };

/// Where a pattern begins to match or ends: of the text, of a line, or, as `$` does, of the text or before a newline
/// that ends it.
enum class Anchor : std::uint8_t { text_begin, line_begin, text_end, line_end, last_line_end };

/// What a parser tells about a pattern, part by part. What was told since a `mark` can be repeated; the parts of a group
/// stand between `open` and `close`, alternatives are told apart by `next_alternative`.
template <class Type>
concept PatternSink =
    requires(Type& sink, const CodePointSet& set, std::size_t number, std::optional<std::size_t> most) {
      { Type::has_back_references } -> std::convertible_to<bool>;
      { sink.mark() } -> std::same_as<std::size_t>;
      sink.one_of(set);
      sink.anchor(Anchor::text_begin);
      sink.word_boundary(true, set);
      sink.back_reference(number);
      sink.open(GroupKind::plain);
      sink.next_alternative();
      sink.close(GroupKind::plain, number);
      sink.repeat(number, number, most);
    };

/// The largest pattern, counted in code points and, after repetitions are multiplied out, in characters to match.
inline constexpr std::size_t max_pattern_size = 1000;

/// One pass over a pattern by recursive descent, after Python's `sre_parse`. Classes and case are resolved here, so that
/// no locale and no engine's idea of them matters: `\w` and `\b` go by `is_word_character`, `\d` is 0 to 9, and case is
/// that of ASCII letters; everything else is as in `re.search` on a `str` in Python 3.10. What Python refuses is `invalid_argument`,
/// what loupe or the sink lack (scoped and further inline flags, conditionals, named characters; back-references)
/// `unsupported`, what is too large or nested too deep `limit_exceeded`.
template <PatternSink Sink>
class PatternParser {
 public:
  PatternParser(std::string_view pattern, Sink& sink) : in_(pattern, max_pattern_size), out_(sink) {}

  result<void> parse() {
    if (in_.is_cut()) return too_large();
    LOUPE_TRY(read_global_flags());
    out_.open(GroupKind::plain);
    LOUPE_TRY(alternatives(0));
    out_.close(GroupKind::plain, 0);
    if (!in_.at_end()) return in_.invalid("unbalanced parenthesis");
    return {};
  }

 private:
  /// What a part of the pattern can match.
  struct Extent {
    std::size_t size = 1;   ///< all characters in it, repetitions multiplied out
    std::size_t least = 1;  ///< the shortest match
    std::size_t most = 1;   ///< the longest match, `unbounded` if there is none
  };
  struct Item {
    Extent extent;
    bool is_repeatable = true;
  };
  struct Repeat {
    std::size_t least = 0;
    std::optional<std::size_t> most;
  };
  struct Group {
    std::vector<char32_t> name;
    bool is_open = true;
    Extent extent;
  };
  static constexpr int max_depth = 50;
  static constexpr std::size_t unbounded = SIZE_MAX;

  [[nodiscard]] unexpected<Error> too_large() const {
    return in_.refuse(ErrorKind::limit_exceeded, "the pattern is larger or deeper than allowed");
  }

  [[nodiscard]] bool begins_flags() const noexcept {
    for (const std::u32string_view start : {U"(?a", U"(?i", U"(?m", U"(?s", U"(?u", U"(?x", U"(?L"})
      if (in_.next_are(start)) return true;
    return false;
  }
  result<void> read_global_flags() {
    while (begins_flags()) {
      in_.go_to(in_.position() + 2);
      while (!in_.take(')')) {
        if (in_.at_end()) return in_.invalid("unterminated inline flags");
        switch (in_.take_any()) {
          case 'a': ascii_only_ = true; break;
          case 'i': ignore_case_ = true; break;
          case 'm': multiline_ = true; break;
          case 's': dot_all_ = true; break;
          case 'u': break;
          default:
            return in_.lacking("inline flags other than i, s, m, a and u for the whole pattern are not supported");
        }
      }
    }
    return {};
  }

  result<Extent> alternatives(int depth) {
    if (depth > max_depth) return too_large();
    Extent whole{0, unbounded, 0};
    while (true) {
      Extent one{1, 0, 0};
      while (!in_.at_end() && !in_.next_is('|') && !in_.next_is(')')) {
        LOUPE_ASSIGN(const Extent next, repeated_item(depth));
        one = {one.size + next.size, one.least + next.least,
               one.most == unbounded || next.most == unbounded ? unbounded : one.most + next.most};
        if (whole.size + one.size > max_pattern_size) return too_large();
      }
      whole = {whole.size + one.size, one.least < whole.least ? one.least : whole.least,
               one.most > whole.most ? one.most : whole.most};
      if (!in_.take('|')) return whole;
      out_.next_alternative();
    }
  }

  result<Extent> repeated_item(int depth) {
    const std::size_t start = out_.mark();
    LOUPE_ASSIGN(const Item item, next_item(depth));
    LOUPE_TRY(in_.skip_comments());
    const std::optional<Repeat> repeat = next_repeat();
    if (!repeat) return item.extent;
    if (!item.is_repeatable) return in_.invalid("nothing to repeat");
    in_.take('?');  // lazy or greedy makes no difference to whether something is found
    LOUPE_TRY(in_.skip_comments());
    if (next_repeat()) return in_.invalid("multiple repeat");
    if (repeat->most && *repeat->most < repeat->least)
      return in_.invalid("the least number of repeats is greater than the most");
    const std::size_t times = repeat->most.value_or(repeat->least + 1);
    if (times > max_pattern_size || item.extent.size * times > max_pattern_size) return too_large();
    out_.repeat(start, repeat->least, repeat->most);
    const bool has_end = item.extent.most == 0 || (repeat->most && item.extent.most != unbounded);
    return Extent{item.extent.size * times + 1, item.extent.least * repeat->least,
                  has_end ? item.extent.most * times : unbounded};
  }

  /// A quantifier, if one comes next. A brace that begins none is left as the literal that it is.
  std::optional<Repeat> next_repeat() {
    if (in_.take('*')) return Repeat{0, std::nullopt};
    if (in_.take('+')) return Repeat{1, std::nullopt};
    if (in_.take('?')) return Repeat{0, 1};
    const std::size_t start = in_.position();
    if (in_.take('{') && !in_.next_is('}')) {
      Repeat repeat;
      const auto least = in_.take_number();
      repeat.least = least.value_or(0);
      if (in_.take(',')) repeat.most = in_.take_number();
      else repeat.most = least;
      if (in_.take('}')) return repeat;
    }
    in_.go_to(start);
    return std::nullopt;
  }

  result<Item> next_item(int depth) {
    LOUPE_TRY(in_.skip_comments());
    if (in_.at_end() || in_.next_is('|') || in_.next_is(')')) return Item{{0, 0, 0}, false};
    if (next_repeat()) return in_.invalid("nothing to repeat");
    const char32_t code = in_.take_any();
    switch (code) {
      case '.':
        out_.one_of(dot_all_ ? CodePointSet{{0, last_code_point}} : CodePointSet{{'\n', '\n'}}.complement());
        return Item{};
      case '^': return anchor(multiline_ ? Anchor::line_begin : Anchor::text_begin);
      case '$': return anchor(multiline_ ? Anchor::line_end : Anchor::last_line_end);
      case '[': return character_set();
      case '(': return group(depth);
      case '\\': return escape();
      default: return literal(code);
    }
  }

  result<Item> anchor(Anchor where) {
    out_.anchor(where);
    return Item{{1, 0, 0}, false};
  }
  result<Item> literal(char32_t code) {
    CodePointSet set{{code, code}};
    if (ignore_case_) set.add_other_case();
    out_.one_of(set);
    return Item{};
  }

  result<Item> escape() {
    if (in_.at_end()) return in_.invalid("bad escape at the end");
    const char32_t code = in_.take_any();
    switch (code) {
      case 'A': return anchor(Anchor::text_begin);
      case 'Z': return anchor(Anchor::text_end);
      case 'b':
      case 'B': out_.word_boundary(code == 'b', named_class('w', ascii_only_)); return Item{{1, 0, 0}, false};
      case 'd':
      case 'D':
      case 's':
      case 'S':
      case 'w':
      case 'W': out_.one_of(named_class(code, ascii_only_)); return Item{};
      default: break;
    }
    if (code >= '1' && code <= '9') {
      in_.go_to(in_.position() - 1);
      LOUPE_ASSIGN(const std::optional<char32_t> octal, in_.take_octal_escape());
      if (octal) return literal(*octal);
      std::size_t number = *in_.take_digit(10);
      if (const auto second = in_.take_digit(10)) number = number * 10 + *second;
      return back_reference(number);
    }
    LOUPE_ASSIGN(const char32_t escaped, in_.take_literal_escape(code));
    return literal(escaped);
  }

  result<Item> back_reference(std::size_t number) {
    if (number >= groups_.size() || groups_[number].is_open)
      return in_.invalid("reference to a group that isn't closed before");
    if (!Sink::has_back_references) return in_.lacking("a back-reference is not supported by this engine");
    out_.back_reference(number);
    return Item{groups_[number].extent};
  }

  /// A member of a character set: a character, or a class of several.
  result<CodePointSet> set_member() {
    if (in_.at_end()) return in_.invalid("unterminated character set");
    char32_t code = in_.take_any();
    if (code == '\\') {
      if (in_.at_end()) return in_.invalid("unterminated character set");
      code = in_.take_any();
      if (std::u32string_view(U"dDsSwW").find(code) != std::u32string_view::npos) return named_class(code, ascii_only_);
      if (code == 'b') {
        code = U'\b';
      } else if (code >= '1' && code <= '9') {
        in_.go_to(in_.position() - 1);
        LOUPE_ASSIGN(code, in_.take_octal_member());
      } else {
        LOUPE_ASSIGN(code, in_.take_literal_escape(code));
      }
    }
    return CodePointSet{{code, code}};
  }

  result<Item> character_set() {
    const bool negated = in_.take('^');
    CodePointSet set;
    for (bool is_first = true; is_first || !in_.take(']'); is_first = false) {
      LOUPE_ASSIGN(CodePointSet member, set_member());
      if (in_.next_is('-') && !in_.next_are(U"-]")) {
        in_.take_any();
        LOUPE_ASSIGN(const CodePointSet last, set_member());
        if (!member.is_single() || !last.is_single() || last.ranges()[0].first < member.ranges()[0].first)
          return in_.invalid("bad character range");
        member.add({member.ranges()[0].first, last.ranges()[0].first});
      }
      set.add(member);
    }
    if (ignore_case_) set.add_other_case();
    out_.one_of(negated ? set.complement() : set);
    return Item{};
  }

  result<std::vector<char32_t>> group_name(char32_t end) {
    std::vector<char32_t> name;
    while (!in_.take(end)) {
      if (in_.at_end()) return in_.invalid("missing end of a group's name");
      name.push_back(in_.take_any());
      if (!is_word_character(name.back())) return in_.invalid("bad group name");
    }
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return in_.invalid("bad group name");
    return name;
  }

  result<Item> group(int depth) {
    std::vector<char32_t> name;
    if (in_.take('?')) {
      if (in_.take(':')) return bracketed(GroupKind::plain, depth);
      if (in_.take('=')) return bracketed(GroupKind::ahead, depth);
      if (in_.take('!')) return bracketed(GroupKind::not_ahead, depth);
      if (in_.take('<')) {
        if (in_.take('=')) return bracketed(GroupKind::behind, depth);
        if (in_.take('!')) return bracketed(GroupKind::not_behind, depth);
        return in_.invalid("unknown extension");
      }
      if (!in_.take('P')) return in_.lacking("this kind of group is not supported");
      if (in_.take('=')) {
        LOUPE_ASSIGN(name, group_name(')'));
        std::size_t number = 1;
        while (number < groups_.size() && groups_[number].name != name) ++number;
        return back_reference(number);
      }
      if (!in_.take('<')) return in_.invalid("unknown extension");
      LOUPE_ASSIGN(name, group_name('>'));
      for (const Group& other : groups_)
        if (other.name == name) return in_.invalid("redefinition of a group's name");
    }
    const std::size_t number = groups_.size();
    groups_.push_back({std::move(name), true, {}});
    LOUPE_ASSIGN(const Item item, bracketed(GroupKind::capturing, depth));
    groups_[number].is_open = false;
    groups_[number].extent = item.extent;
    return item;
  }

  result<Item> bracketed(GroupKind kind, int depth) {
    out_.open(kind);
    LOUPE_ASSIGN(Extent extent, alternatives(depth + 1));
    if (!in_.take(')')) return in_.invalid("missing ), unterminated subpattern");
    const bool is_behind = kind == GroupKind::behind || kind == GroupKind::not_behind;
    if (is_behind && extent.least != extent.most) return in_.invalid("look-behind requires a fixed width");
    out_.close(kind, is_behind ? extent.least : 0);
    if (kind != GroupKind::capturing && kind != GroupKind::plain) extent = {extent.size, 0, 0};
    return Item{extent};
  }

  PatternCursor in_;
  Sink& out_;
  std::vector<Group> groups_ = std::vector<Group>(1);  ///< number 0 is the whole match, which no pattern can refer to
  bool ascii_only_ = false;
  bool ignore_case_ = false;
  bool dot_all_ = false;
  bool multiline_ = false;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_SELECT_PATTERN_PARSER_HPP

namespace loupe::inline LOUPE_ABI {

/// A pattern as instructions with relative jumps. Where two ways may lead to a match both are followed, and no
/// instruction is run twice at the same place of the text, so that a search takes at most text times program steps, times
/// text once more for each level of looking ahead or behind; it is given up beyond a limit. Safe from several threads.
class PatternProgram {
 public:
  /// The longest text that is searched, in code points.
  static constexpr std::size_t max_text = 8192;

  /// Whether the pattern is found anywhere in the text; nothing if the text is too long, or the search takes too many steps.
  [[nodiscard]] LOUPE_DECL std::optional<bool> search(std::string_view text) const;

  // What a parser tells (see PatternSink).
  static constexpr bool has_back_references = false;
  [[nodiscard]] std::size_t mark() const noexcept { return code_.size(); }
  LOUPE_DECL void one_of(const CodePointSet& set);
  void anchor(Anchor where) { code_.push_back({Action::anchor, 0, static_cast<std::uint32_t>(where)}); }
  LOUPE_DECL void word_boundary(bool is_boundary, const CodePointSet& word);
  void back_reference(std::size_t) noexcept {}
  LOUPE_DECL void open(GroupKind kind);
  LOUPE_DECL void next_alternative();
  LOUPE_DECL void close(GroupKind kind, std::size_t width);
  LOUPE_DECL void repeat(std::size_t start, std::size_t least, std::optional<std::size_t> most);

 private:
  enum class Action : std::uint8_t { one_of, anchor, boundary, no_boundary, fork, jump, look, accept };
  struct Instruction {
    Action action;
    std::int32_t jump = 0;       ///< fork: the second way; jump: the only one; look: past the part looked for
    std::uint32_t argument = 0;  ///< one_of, boundary: the set; anchor: which; look: the width of a look-behind
    GroupKind look = GroupKind::plain;
  };
  /// A group whose end has not been told yet.
  struct OpenGroup {
    std::size_t begin;
    std::size_t alternative;         ///< where the current alternative begins
    std::vector<std::size_t> jumps;  ///< the ends of the alternatives before it
  };
  class Search;
  LOUPE_DECL std::uint32_t number_of(const CodePointSet& set);
  LOUPE_DECL void insert(std::size_t at, Instruction instruction);

  std::vector<Instruction> code_;
  std::vector<CodePointSet> sets_;
  std::vector<OpenGroup> open_groups_;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/select/pattern_program.ipp
#ifndef LOUPE_SINGLE_SELECT_PATTERN_PROGRAM_IPP
#define LOUPE_SINGLE_SELECT_PATTERN_PROGRAM_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL std::uint32_t PatternProgram::number_of(const CodePointSet& set) {
  sets_.push_back(set);
  return static_cast<std::uint32_t>(sets_.size() - 1);
}

LOUPE_DECL void PatternProgram::insert(std::size_t at, Instruction instruction) {
  code_.insert(code_.begin() + static_cast<std::ptrdiff_t>(at), instruction);
}

LOUPE_DECL void PatternProgram::one_of(const CodePointSet& set) {
  code_.push_back({Action::one_of, 0, number_of(set)});
}

LOUPE_DECL void PatternProgram::word_boundary(bool is_boundary, const CodePointSet& word) {
  code_.push_back({is_boundary ? Action::boundary : Action::no_boundary, 0, number_of(word)});
}

LOUPE_DECL void PatternProgram::open(GroupKind kind) {
  const std::size_t begin = code_.size();
  if (kind != GroupKind::capturing && kind != GroupKind::plain) code_.push_back({Action::look, 0, 0, kind});
  open_groups_.push_back({begin, code_.size(), {}});
}

// A|B|C becomes: fork to 1; A; jump to end; 1: fork to 2; B; jump to end; 2: C; end.
LOUPE_DECL void PatternProgram::next_alternative() {
  OpenGroup& group = open_groups_.back();
  const std::size_t length = code_.size() - group.alternative;
  insert(group.alternative, {Action::fork, static_cast<std::int32_t>(length + 2)});
  group.jumps.push_back(code_.size());
  code_.push_back({Action::jump});
  group.alternative = code_.size();
}

LOUPE_DECL void PatternProgram::close(GroupKind kind, std::size_t width) {
  const OpenGroup& group = open_groups_.back();
  for (const std::size_t jump : group.jumps) code_[jump].jump = static_cast<std::int32_t>(code_.size() - jump);
  if (kind != GroupKind::capturing && kind != GroupKind::plain) {
    code_.push_back({Action::accept});
    code_[group.begin].jump = static_cast<std::int32_t>(code_.size() - group.begin);
    code_[group.begin].argument = static_cast<std::uint32_t>(width);
  }
  open_groups_.pop_back();
  if (open_groups_.empty()) code_.push_back({Action::accept});
}

// X{2,4} becomes: X; X; fork to end; X; fork to end; X; end. X{2,}: X; X; 1: fork to end; X; jump to 1; end.
LOUPE_DECL void PatternProgram::repeat(std::size_t start, std::size_t least, std::optional<std::size_t> most) {
  const std::vector<Instruction> part(code_.begin() + static_cast<std::ptrdiff_t>(start), code_.end());
  const auto length = static_cast<std::int32_t>(part.size());
  code_.resize(start);
  const auto append = [&] { code_.insert(code_.end(), part.begin(), part.end()); };
  for (std::size_t times = 0; times < least; ++times) append();
  if (!most) {
    code_.push_back({Action::fork, length + 2});
    append();
    code_.push_back({Action::jump, -(length + 1)});
    return;
  }
  for (auto rest = static_cast<std::int32_t>(*most - least); rest > 0; --rest) {
    code_.push_back({Action::fork, rest * (length + 1)});
    append();
  }
}

/// One search: the text, and where each instruction has been.
class PatternProgram::Search {
 public:
  Search(const PatternProgram& program, const std::vector<char32_t>& text) noexcept : program_(program), text_(text) {}

  /// Whether a match begins at one of the places from `begin` to `last`. Places that were tried before `last` make later
  /// ones shorter: what failed for one fails for all.
  [[nodiscard]] std::optional<bool> match(std::size_t code_begin, std::size_t code_end, std::size_t begin,
                                          std::size_t last) {
    const std::size_t stride = text_.size() + 1;
    const std::size_t cells = (code_end - code_begin) * stride;
    // Clearing them is work too: looks within looks would do it text times text times.
    steps_ += cells / 64;
    if (steps_ > max_steps) return std::nullopt;
    std::vector<bool> visited(cells);
    std::vector<State> states;
    for (; begin <= last; ++begin) {
      states.push_back({code_begin, begin});
      while (!states.empty()) {
        const State state = states.back();
        states.pop_back();
        auto been = visited[(state.code - code_begin) * stride + state.place];
        if (been) continue;
        been = true;
        if (++steps_ > max_steps) return std::nullopt;
        const Instruction& instruction = program_.code_[state.code];
        const auto target = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(state.code) + instruction.jump);
        switch (instruction.action) {
          case Action::one_of:
            if (state.place < text_.size() && program_.sets_[instruction.argument].contains(text_[state.place]))
              states.push_back({state.code + 1, state.place + 1});
            break;
          case Action::anchor:
            if (stands(static_cast<Anchor>(instruction.argument), state.place))
              states.push_back({state.code + 1, state.place});
            break;
          case Action::boundary:
          case Action::no_boundary: {
            const bool wanted = instruction.action == Action::boundary;
            // Python finds no \B in an empty text.
            if (!text_.empty() && is_boundary(program_.sets_[instruction.argument], state.place) == wanted)
              states.push_back({state.code + 1, state.place});
            break;
          }
          case Action::fork:
            states.push_back({target, state.place});
            states.push_back({state.code + 1, state.place});
            break;
          case Action::jump: states.push_back({target, state.place}); break;
          case Action::look: {
            const auto seen = look(instruction, state.code + 1, target, state.place);
            if (!seen) return std::nullopt;
            if (*seen) states.push_back({target, state.place});
            break;
          }
          case Action::accept: return true;
        }
      }
    }
    return false;
  }

 private:
  struct State {
    std::size_t code;
    std::size_t place;
  };
  static constexpr std::size_t max_steps = 10'000'000;

  [[nodiscard]] bool stands(Anchor where, std::size_t place) const noexcept {
    const bool at_end = place == text_.size();
    switch (where) {
      case Anchor::text_begin: return place == 0;
      case Anchor::line_begin: return place == 0 || text_[place - 1] == '\n';
      case Anchor::text_end: return at_end;
      case Anchor::line_end: return at_end || text_[place] == '\n';
      case Anchor::last_line_end: return at_end || (place + 1 == text_.size() && text_[place] == '\n');
    }
    return false;
  }
  [[nodiscard]] bool is_boundary(const CodePointSet& word, std::size_t place) const noexcept {
    const bool before = place > 0 && word.contains(text_[place - 1]);
    const bool after = place < text_.size() && word.contains(text_[place]);
    return before != after;
  }
  [[nodiscard]] std::optional<bool> look(const Instruction& instruction, std::size_t begin, std::size_t end,
                                         std::size_t place) {
    const bool wanted = instruction.look == GroupKind::ahead || instruction.look == GroupKind::behind;
    const std::size_t width = instruction.argument;
    if (width > place) return !wanted;
    const auto found = match(begin, end, place - width, place - width);
    if (!found) return std::nullopt;
    return *found == wanted;
  }

  const PatternProgram& program_;
  const std::vector<char32_t>& text_;
  std::size_t steps_ = 0;
};

LOUPE_DECL std::optional<bool> PatternProgram::search(std::string_view text) const {
  std::vector<char32_t> codes;
  while (!text.empty()) {
    if (codes.size() == max_text) return std::nullopt;
    codes.push_back(take_code_point(text));
  }
  return Search(*this, codes).match(0, code_.size(), 0, codes.size());
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_SELECT_PATTERN_PROGRAM_IPP
#endif  // LOUPE_SINGLE_SELECT_PATTERN_PROGRAM_HPP

namespace loupe::inline LOUPE_ABI {

namespace detail {

class PythonRegex {
 public:
  PythonRegex(std::string_view source, PatternProgram program) : source_(source), program_(std::move(program)) {}
  [[nodiscard]] result<bool> search(std::string_view name) const {
    if (const auto found = program_.search(name)) return *found;
    return fail(ErrorKind::limit_exceeded, Text::join("pattern ", source_.view()),
                Text::join("takes too long to search the name ", name.substr(0, 64), name.size() > 64 ? "..." : ""));
  }

 private:
  Text source_;
  PatternProgram program_;
};

}  // namespace detail

LOUPE_DECL result<AnyPattern> compile_python_regex(std::string_view pattern) {
  PatternProgram program;
  LOUPE_TRY(PatternParser<PatternProgram>(pattern, program).parse());
  return AnyPattern(detail::PythonRegex(pattern, std::move(program)));
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_SELECT_PYTHON_REGEX_IPP
#endif  // LOUPE_SINGLE_SELECT_PYTHON_REGEX_HPP

namespace loupe::inline LOUPE_ABI {

namespace detail {

// In the following `$` is Python's: the end, or before a newline that ends the name. A dot is anything but a newline.

inline bool has(std::string_view text, std::string_view part) noexcept {
  return text.find(part) != std::string_view::npos;
}
inline std::string_view line_of(std::string_view text) noexcept { return text.substr(0, text.find('\n')); }
inline std::string_view without_last_newline(std::string_view text) noexcept {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

/// `^(?!gradient).*PART`
inline bool is_parameter(std::string_view name, std::string_view part) noexcept {
  return !name.starts_with("gradient") && has(line_of(name), part);
}
inline bool is_weight(std::string_view name) noexcept { return is_parameter(name, "weight"); }
inline bool is_bias(std::string_view name) noexcept { return is_parameter(name, "bias"); }

/// `(?!input).*output`
inline bool has_loss_output(std::string_view rest) noexcept {
  return !rest.starts_with("input") && has(line_of(rest), "output");
}

/// `[Ll]oss_(?!input).*output`
inline bool is_pytorch_loss(std::string_view name) noexcept {
  for (auto at = name.find("oss_"); at != std::string_view::npos; at = name.find("oss_", at + 1))
    if (at > 0 && (name[at - 1] == 'L' || name[at - 1] == 'l') && has_loss_output(name.substr(at + 4))) return true;
  return false;
}

/// `.*loss._(?!input).*output`
inline bool is_mxnet_loss(std::string_view name) noexcept {
  for (auto at = name.find("loss"); at != std::string_view::npos; at = name.find("loss", at + 1)) {
    std::string_view rest = name.substr(at + 4);
    if (rest.empty() || take_code_point(rest) == '\n' || !rest.starts_with('_')) continue;
    if (has_loss_output(rest.substr(1))) return true;
  }
  return false;
}

/// `^weights/.*/((?!bias).)*$`: the part after the last slash is the one that has the best chance.
inline bool is_tensorflow_weight(std::string_view name) noexcept {
  constexpr std::string_view start = "weights/";
  if (!name.starts_with(start)) return false;
  const std::string_view rest = without_last_newline(name.substr(start.size()));
  const auto slash = rest.rfind('/');
  return slash != std::string_view::npos && !has(rest, "\n") && !has(rest.substr(slash + 1), "bias");
}

/// `^hyperparameters/.*$`
inline bool is_hyperparameter(std::string_view name) noexcept {
  return name.starts_with("hyperparameters/") && !has(without_last_newline(name), "\n");
}

/// `^[a-zA-z]+-`: the rest after it; the class goes from A to z and so has `[ \ ] ^ _` and the back-quote too.
inline bool take_metric_prefix(std::string_view& name) noexcept {
  std::size_t letters = 0;
  while (letters < name.size() && name[letters] >= 'A' && name[letters] <= 'z') ++letters;
  if (letters == 0 || !name.substr(letters).starts_with('-')) return false;
  name.remove_prefix(letters + 1);
  return true;
}

/// `^[a-zA-z]+-[a-zA-z0-9]+$`
inline bool is_xgboost_metric(std::string_view name) noexcept {
  name = without_last_newline(name);
  if (!take_metric_prefix(name) || name.empty()) return false;
  for (const char letter : name)
    if (!(letter >= 'A' && letter <= 'z') && !(letter >= '0' && letter <= '9')) return false;
  return true;
}

/// `^[a-zA-z]+-.+(?<!(auc|map))$`
inline bool is_xgboost_loss(std::string_view name) noexcept {
  name = without_last_newline(name);
  return take_metric_prefix(name) && !name.empty() && !has(name, "\n") && !name.ends_with("auc") &&
         !name.ends_with("map");
}

/// `.*[^/bias]` to the very end
inline bool ends_beside_bias(std::string_view rest) noexcept {
  return !rest.empty() && !has("/bias", rest.substr(rest.size() - 1)) && !has(rest.substr(0, rest.size() - 1), "\n");
}

/// `^START.*[^/bias]$`: the class may match a newline itself.
inline bool is_shap(std::string_view name, std::string_view start) noexcept {
  if (!name.starts_with(start)) return false;
  name.remove_prefix(start.size());
  return ends_beside_bias(name) || (name.ends_with('\n') && ends_beside_bias(without_last_newline(name)));
}
inline bool is_average_shap(std::string_view name) noexcept { return is_shap(name, "average_shap/"); }
inline bool is_full_shap(std::string_view name) noexcept { return is_shap(name, "full_shap/"); }

}  // namespace detail

LOUPE_DECL NamePredicate known_pattern(std::string_view pattern) noexcept {
  struct Known {
    std::string_view pattern;
    NamePredicate predicate;
  };
  constexpr Known known[] = {
      {"^(?!gradient).*weight", detail::is_weight},
      {"^(?!gradient).*bias", detail::is_bias},
      {"[Ll]oss_(?!input).*output", detail::is_pytorch_loss},
      {".*loss._(?!input).*output", detail::is_mxnet_loss},
      {"^weights/.*/((?!bias).)*$", detail::is_tensorflow_weight},
      {"^hyperparameters/.*$", detail::is_hyperparameter},
      {"^[a-zA-z]+-[a-zA-z0-9]+$", detail::is_xgboost_metric},
      {"^[a-zA-z]+-.+(?<!(auc|map))$", detail::is_xgboost_loss},
      {"^average_shap/.*[^/bias]$", detail::is_average_shap},
      {"^full_shap/.*[^/bias]$", detail::is_full_shap},
  };
  for (const Known& candidate : known)
    if (candidate.pattern == pattern) return candidate.predicate;
  return nullptr;
}

/// Recognises a literal with optional anchors. A leading `.*` (before no anchor) and a trailing one change nothing in
/// an unanchored search.
LOUPE_DECL bool NameFilter::read_literal(std::string_view pattern, Rule& rule) {
  if (!wire::is_utf8(pattern)) return false;  // only whole characters can be looked for among bytes
  const bool starts = pattern.starts_with('^');
  if (starts) pattern.remove_prefix(1);
  else
    while (pattern.starts_with(".*")) pattern.remove_prefix(2);
  const auto is_escaped = [&](std::size_t at) {
    std::size_t backslashes = 0;
    while (backslashes < at && pattern[at - 1 - backslashes] == '\\') ++backslashes;
    return backslashes % 2 != 0;
  };
  const bool ends = pattern.ends_with('$') && !is_escaped(pattern.size() - 1);
  if (ends) pattern.remove_suffix(1);
  else
    while (pattern.ends_with(".*") && !is_escaped(pattern.size() - 2)) pattern.remove_suffix(2);

  ByteBuffer literal;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    char letter = pattern[at];
    if (letter == '\\') {
      if (++at == pattern.size()) return false;
      letter = pattern[at];
      const bool is_punctuation = letter >= ' ' && letter < 0x7F && !is_word_character(static_cast<char32_t>(letter));
      if (!is_punctuation) return false;
    } else if (std::string_view(".^$*+?{}[]|()").find(letter) != std::string_view::npos) {
      return false;
    }
    literal.append(letter);
  }
  rule.kind = starts && ends ? Kind::equal : starts ? Kind::prefix : ends ? Kind::suffix : Kind::contains;
  rule.literal = literal.text();
  return true;
}

LOUPE_DECL void NameFilter::add(std::string_view pattern) {
  Rule rule;
  if (const auto predicate = known_pattern(pattern)) {
    rule.kind = Kind::predicate;
    rule.predicate = predicate;
  } else if (!read_literal(pattern, rule)) {
    rule.kind = Kind::engine;
    auto compiled = (engine_ != nullptr ? engine_ : compile_python_regex)(pattern);
    if (!compiled) {
      errors_.push_back(std::move(compiled).error());
      return;
    }
    rule.pattern = *std::move(compiled);
  }
  rules_.push_back(std::move(rule));
}

LOUPE_DECL result<bool> NameFilter::search(std::string_view name) const {
  const auto is_found = [name](const Rule& rule) -> result<bool> {
    const std::string_view literal = rule.literal;
    switch (rule.kind) {
      case Kind::contains: return detail::has(name, literal);
      case Kind::prefix: return name.starts_with(literal);
      case Kind::suffix:
        return name.ends_with(literal) || (name.ends_with('\n') && name.substr(0, name.size() - 1).ends_with(literal));
      case Kind::equal: return name == literal || (name.ends_with('\n') && name.substr(0, name.size() - 1) == literal);
      case Kind::predicate: return rule.predicate(name);
      case Kind::engine: break;
    }
    return rule.pattern.search(name);
  };
  result<bool> outcome = false;
  for (const Rule& rule : rules_) {
    auto found = is_found(rule);
    if (found && *found) return true;
    if (!found && outcome) outcome = std::move(found);
  }
  return outcome;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_SELECT_NAME_FILTER_IPP
#endif  // LOUPE_SINGLE_SELECT_NAME_FILTER_HPP
// ---- loupe/select/perl_pattern.hpp
#ifndef LOUPE_SINGLE_SELECT_PERL_PATTERN_HPP
#define LOUPE_SINGLE_SELECT_PERL_PATTERN_HPP
/// @file
/// Regular expressions in Perl's syntax, for engines of others.

namespace loupe::inline LOUPE_ABI {

/// Writes what a parser tells (see PatternSink) as a pattern over code points that needs neither flags nor classes.
class PerlPattern {
 public:
  [[nodiscard]] const std::vector<wchar_t>& text() const noexcept { return text_; }

  static constexpr bool has_back_references = true;
  [[nodiscard]] std::size_t mark() const noexcept { return text_.size(); }
  void one_of(const CodePointSet& set) {
    if (set.is_single()) return literal(set.ranges()[0].first);
    if (set.ranges().empty()) return raw("(?:(?!x)x)");
    if (set.complement().ranges().empty()) return raw("(?:[^\\x0a]|\\x0a)");
    raw("[");
    for (const CodePointRange range : set.ranges()) {
      literal(range.first);
      if (range.first == range.last) continue;
      raw("-");
      literal(range.last);
    }
    raw("]");
  }
  void anchor(Anchor where) {
    constexpr std::string_view anchors[] = {"\\A", "(?:\\A|(?<=\\x0a))", "\\z", "(?=\\x0a|\\z)", "(?=\\x0a?\\z)"};
    raw(anchors[static_cast<std::size_t>(where)]);
  }
  void word_boundary(bool is_boundary, const CodePointSet& word) {
    if (!is_boundary) raw("(?!\\A\\z)");  // Python finds no \B in an empty text
    raw("(?:(?<=");
    one_of(word);
    raw(is_boundary ? ")(?!" : ")(?=");
    one_of(word);
    raw(")|(?<!");
    one_of(word);
    raw(is_boundary ? ")(?=" : ")(?!");
    one_of(word);
    raw("))");
  }
  void back_reference(std::size_t group) {
    raw("(?:\\");
    number(group);
    raw(")");
  }
  void open(GroupKind kind) {
    constexpr std::string_view opens[] = {"(", "(?:", "(?=", "(?!", "(?<=", "(?<!"};
    raw(opens[static_cast<std::size_t>(kind)]);
  }
  void next_alternative() { raw("|"); }
  void close(GroupKind, std::size_t) { raw(")"); }
  void repeat(std::size_t start, std::size_t least, std::optional<std::size_t> most) {
    constexpr std::string_view open = "(?:";
    text_.insert(text_.begin() + static_cast<std::ptrdiff_t>(start), open.begin(), open.end());
    raw("){");
    number(least);
    raw(",");
    if (most) number(*most);
    raw("}");
  }

 private:
  void raw(std::string_view syntax) { text_.insert(text_.end(), syntax.begin(), syntax.end()); }
  void number(std::size_t value) { raw(to_text(static_cast<long long>(value)).view()); }
  void literal(char32_t code) {
    constexpr std::string_view digits = "0123456789abcdef";
    if (code < ' ') {
      raw("\\x");
      raw(digits.substr(code >> 4, 1));
      raw(digits.substr(code & 15, 1));
      return;
    }
    if (code > ' ' && code < 0x7F && !is_word_character(code)) raw("\\");
    text_.push_back(static_cast<wchar_t>(code));
  }
  static_assert(sizeof(wchar_t) >= 4, "wchar_t must hold every code point");
  std::vector<wchar_t> text_;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_SELECT_PERL_PATTERN_HPP
// ---- loupe/select/plan.hpp
#ifndef LOUPE_SINGLE_SELECT_PLAN_HPP
#define LOUPE_SINGLE_SELECT_PLAN_HPP
/// @file
/// What is saved of which tensor in which step: decided once per name and once per set of due collections.

namespace loupe::inline LOUPE_ABI {

/// A tensor's number within a plan: 0, 1, … in the order in which names were first seen.
struct TensorId {
  std::uint32_t value = 0;
  friend constexpr auto operator<=>(TensorId, TensorId) noexcept = default;
};

/// What to save of a tensor in the current step (semantics.md section 6.2).
struct Decision {
  bool any = false;             ///< whether any due collection has the tensor
  bool raw = false;             ///< the value
  bool shape = false;
  bool scalar_summary = false;  ///< a TensorBoard scalar, if the value is one number
  StatisticSet statistics;
  std::int32_t histogram_collection =
      -1;  ///< the number, in the set, of the collection whose TensorBoard histogram it is in
};

/// A hook's settings for collections that have none of their own.
struct PlanDefaults {
  SaveConfig save = {};
  ReductionConfig reductions = ReductionConfig::raw_only();
  PatternCompiler engine = nullptr;  ///< null: `compile_python_regex`
};

/// The decisions of a run. Prepared once; then, for each step, `begin_step`, and for each tensor `find_or_add` and
/// `decision`. A step costs time in proportion to the number of collections, a tensor a few nanoseconds, and once all
/// names and all combinations of due collections have been seen nothing allocates. For one thread at a time.
class Plan {
 public:
  /// Checks and completes the collections (semantics.md section 5.4) and freezes the set, which must outlive the plan
  /// and stay where it is. Errors: a save configuration out of bounds, and `invalid_collection_configuration` for a
  /// collection that was added and has neither patterns nor names; nothing is changed then.
  LOUPE_DECL result<void> prepare(CollectionSet& collections, const PlanDefaults& defaults);
  [[nodiscard]] bool is_prepared() const noexcept { return collections_ != nullptr; }

  /// Begins a step; whether any collection is due. In EVAL and PREDICT `gradients` and `optimizer_variables` never are.
  LOUPE_DECL bool begin_step(Mode mode, std::int64_t mode_step);
  /// The number of a tensor. A name that is new is looked for in the collections to be saved, and added to the
  /// `tensor_names` of those that match.
  TensorId find_or_add(std::string_view name) {
    const std::uint32_t number = names_.find_or_add(name).id;
    if (names_.tag(number) == undecided) [[unlikely]]
      add_member(number);
    return TensorId{number};
  }
  /// The quick way past tensors that are not due; usable once the plan is prepared, while it stays where it is.
  [[nodiscard]] KnownNames& known_names() noexcept { return known_names_; }
  /// Puts a tensor into a collection by name, whatever the patterns say. Errors: `invalid_argument` if there is none of
  /// that name, `invalid_state` before preparation.
  LOUPE_DECL result<void> add_to_collection(std::string_view tensor, std::string_view collection);
  /// What to save of a tensor in the step that was begun last.
  [[nodiscard]] const Decision& decision(TensorId tensor) const noexcept {
    return due_->decisions[names_.tag(tensor.value)];
  }

  /// Whether a collection is due in the step that was begun last.
  [[nodiscard]] LOUPE_DECL bool is_due(std::string_view collection) const noexcept;
  [[nodiscard]] std::string_view tensor_name(TensorId tensor) const noexcept { return names_[tensor.value]; }
  [[nodiscard]] std::size_t tensor_count() const noexcept { return names_.size(); }
  /// The patterns that were refused, and searches on which an engine gave up, up to a limit; they select nothing.
  [[nodiscard]] const std::vector<Error>& pattern_errors() const noexcept { return pattern_errors_; }

 private:
  /// A set of the collections to be saved, one bit each.
  using Bits = std::vector<std::uint64_t>;
  /// A collection to be saved, as it was at preparation.
  struct Saved {
    std::uint32_t number;  ///< in the set
    CollectionClasses classes;
    NameFilter filter;
    ModeSaveConfigs save;  ///< of every mode
    Decision part;         ///< what it adds to the decision about a tensor
  };
  /// A set of due collections that has occurred, and what follows from it for each membership.
  struct Due {
    Bits collections;
    std::vector<Decision> decisions;
    std::vector<std::uint8_t> is_wanted;  ///< `decisions[…].any`, close together; that of `undecided` is 1
  };
  /// The membership of a name that wasn't looked for in the collections yet.
  static constexpr std::uint32_t undecided = 0;
  static constexpr std::size_t max_due_sets = 64;  ///< beyond, the oldest is forgotten and decided anew when it recurs
  static constexpr std::size_t max_pattern_errors = 64;

  [[nodiscard]] std::size_t words() const noexcept { return (saved_.size() + 63) / 64; }
  LOUPE_DECL void add_member(std::uint32_t tensor);
  LOUPE_DECL std::uint32_t number_of(Bits member);
  LOUPE_DECL void keep(const Error& error);
  LOUPE_DECL void complete_decisions();
  LOUPE_DECL void show_names() noexcept;
  [[nodiscard]] LOUPE_DECL Decision decide(const Bits& due, const Bits& membership) const;

  CollectionSet* collections_ = nullptr;
  std::vector<Saved> saved_;
  NameTable names_;  ///< a name's tag: which of `memberships_` it has
  KnownNames known_names_;
  std::vector<Bits> memberships_;  ///< the distinct sets of collections that tensors are in, after that of `undecided`
  std::vector<Due> due_sets_;
  Due* due_ = nullptr;
  std::size_t oldest_due_set_ = 0;
  Bits scratch_;
  std::vector<Error> pattern_errors_;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/select/plan.ipp
#ifndef LOUPE_SINGLE_SELECT_PLAN_IPP
#define LOUPE_SINGLE_SELECT_PLAN_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL result<void> Plan::prepare(CollectionSet& collections, const PlanDefaults& defaults) {
  if (is_prepared()) return fail(ErrorKind::invalid_state, "plan", "is prepared already");
  LOUPE_TRY(defaults.save.validate());
  for (const Collection& collection : collections) {
    if (collection.include_regex.empty() && collection.tensor_names.empty() &&
        !collections.may_be_empty(collection.name))
      return fail(ErrorKind::invalid_collection_configuration, collection.name, {});
    if (!collection.save) continue;
    if (auto outcome = collection.save->validate(); !outcome) {
      Error error = std::move(outcome).error();
      error.object = Text::join("collection ", collection.name.view(), ": ", error.object.view());
      return fail(std::move(error));
    }
  }

  collections.is_frozen_ = true;
  collections_ = &collections;
  const ModeSaveConfigs default_save = defaults.save;
  for (std::uint32_t number = 0; number < collections.size(); ++number) {
    Collection& collection = *collections.collections_[number].get();
    const CollectionClasses classes = collection_classes(collection.name);
    const bool numbers_only = classes.scalar || classes.summaries;
    if (numbers_only) collection.save_histogram = false;
    if (numbers_only) collection.reductions = ReductionConfig::raw_only();
    else if (!collection.reductions) collection.reductions = defaults.reductions;
    if (collection.save) collection.save->fill_from(default_save);
    else collection.save = default_save;
    if (!collections.is_included(collection.name)) continue;
    Decision part{.any = true,
                  .raw = collection.reductions->save_raw_tensor,
                  .shape = collection.reductions->save_shape,
                  .scalar_summary = classes.scalar,
                  .statistics = collection.reductions->statistics,
                  .histogram_collection = collection.save_histogram ? static_cast<std::int32_t>(number) : -1};
    saved_.push_back({number, classes, NameFilter(collection.include_regex, defaults.engine), *collection.save, part});
    for (const Error& error : saved_.back().filter.errors()) keep(error);
  }
  scratch_.resize(words());
  due_sets_.reserve(max_due_sets);
  due_sets_.push_back({scratch_, {}, {}});
  memberships_.emplace_back(words());
  due_ = &due_sets_.front();
  return {};
}

LOUPE_DECL bool Plan::begin_step(Mode mode, std::int64_t mode_step) {
  names_.restart();
  bool any = false;
  for (std::uint64_t& word : scratch_) word = 0;
  for (std::size_t index = 0; index < saved_.size(); ++index) {
    const Saved& saved = saved_[index];
    if (saved.classes.training_only && (mode == Mode::eval || mode == Mode::predict)) continue;
    if (!saved.save.of(mode)->should_save(mode_step)) continue;
    scratch_[index / 64] |= std::uint64_t{1} << (index % 64);
    any = true;
  }
  if (due_->collections != scratch_) {
    due_ = nullptr;
    for (Due& seen : due_sets_)
      if (seen.collections == scratch_) due_ = &seen;
    if (due_ == nullptr) {
      if (due_sets_.size() < max_due_sets) {
        due_ = &due_sets_.emplace_back();
      } else {
        due_ = &due_sets_[oldest_due_set_];
        oldest_due_set_ = (oldest_due_set_ + 1) % max_due_sets;
        due_->decisions.clear();
        due_->is_wanted.clear();
      }
      due_->collections = scratch_;
    }
  }
  complete_decisions();
  return any;
}

LOUPE_DECL bool Plan::is_due(std::string_view collection) const noexcept {
  for (std::size_t index = 0; index < saved_.size(); ++index)
    if ((*collections_)[saved_[index].number].name == collection)
      return (due_->collections[index / 64] >> (index % 64) & 1) != 0;
  return false;
}

LOUPE_DECL void Plan::add_member(std::uint32_t tensor) {
  show_names();  // first, for adding the name may have moved them, and what follows may throw
  const std::string_view name = names_[tensor];
  Bits member(words());
  for (std::size_t index = 0; index < saved_.size(); ++index) {
    Collection& collection = *collections_->collections_[saved_[index].number].get();
    bool has_name = collection.tensor_names.contains(name);
    if (!has_name) {
      auto found = saved_[index].filter.search(name);
      has_name = found && *found;
      if (has_name) collection.tensor_names.insert(name);
      if (!found) keep(found.error());
    }
    if (has_name) member[index / 64] |= std::uint64_t{1} << (index % 64);
  }
  names_.set_tag(tensor, number_of(std::move(member)));
}

LOUPE_DECL std::uint32_t Plan::number_of(Bits member) {
  std::uint32_t known = undecided + 1;
  while (known < memberships_.size() && memberships_[known] != member) ++known;
  if (known == memberships_.size()) memberships_.push_back(std::move(member));
  complete_decisions();
  return known;
}

LOUPE_DECL result<void> Plan::add_to_collection(std::string_view tensor, std::string_view collection) {
  if (!is_prepared()) return fail(ErrorKind::invalid_state, "plan", "isn't prepared yet");
  const TensorId id = find_or_add(tensor);
  const std::uint32_t number = collections_->names_.find(collection);
  if (number == NameTable::none)
    return fail(ErrorKind::invalid_argument, collection, "there is no such collection; add it before the first step");
  collections_->collections_[number].get()->tensor_names.insert(tensor);
  for (std::size_t index = 0; index < saved_.size(); ++index) {
    if (saved_[index].number != number) continue;
    Bits member = memberships_[names_.tag(id.value)];
    member[index / 64] |= std::uint64_t{1} << (index % 64);
    names_.set_tag(id.value, number_of(std::move(member)));
  }
  return {};
}

LOUPE_DECL void Plan::keep(const Error& error) {
  if (pattern_errors_.size() < max_pattern_errors) pattern_errors_.push_back(error);
}

LOUPE_DECL void Plan::complete_decisions() {
  due_->decisions.reserve(memberships_.size());
  due_->is_wanted.reserve(memberships_.size());
  for (std::size_t index = due_->is_wanted.size(); index < memberships_.size(); ++index) {
    const Decision decision = decide(due_->collections, memberships_[index]);
    due_->decisions.push_back(decision);
    due_->is_wanted.push_back(decision.any || index == undecided ? 1 : 0);
  }
  show_names();
}

LOUPE_DECL void Plan::show_names() noexcept {
  known_names_ = names_.known();
  known_names_.is_wanted = due_->is_wanted.data();
}

LOUPE_DECL Decision Plan::decide(const Bits& due, const Bits& membership) const {
  Decision decision;
  for (std::size_t index = 0; index < saved_.size(); ++index) {
    if (((due[index / 64] & membership[index / 64]) >> (index % 64) & 1) == 0) continue;
    const Decision& part = saved_[index].part;
    decision.any = true;
    decision.raw |= part.raw;
    decision.shape |= part.shape;
    decision.scalar_summary |= part.scalar_summary;
    decision.statistics |= part.statistics;
    if (decision.histogram_collection < 0) decision.histogram_collection = part.histogram_collection;
  }
  return decision;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_SELECT_PLAN_IPP
#endif  // LOUPE_SINGLE_SELECT_PLAN_HPP
// ---- loupe/format/checkpoint_state.hpp
#ifndef LOUPE_SINGLE_FORMAT_CHECKPOINT_STATE_HPP
#define LOUPE_SINGLE_FORMAT_CHECKPOINT_STATE_HPP
/// @file
/// How far a run had come, as its checkpoint directory remembers it in `metadata.json` (format.md section 12).

namespace loupe::inline LOUPE_ABI::format {

/// The state's file in a checkpoint directory.
inline constexpr std::string_view checkpoint_state_key = "metadata.json";

/// One state; a file holds all that were added, of this run and of those it resumed.
struct CheckpointState {
  std::int64_t training_run = 0;                         ///< 0 for the first run, one more for each resume
  std::optional<std::int64_t> latest_global_step_saved;  ///< nothing if no tensor had been saved
  std::int64_t latest_global_step_seen = 0;
  std::optional<std::int64_t> latest_mode_step[mode_count];  ///< by `mode_index`; nothing for modes not used

  friend bool operator==(const CheckpointState&, const CheckpointState&) = default;
};

/// Reads a state file; `file` names it in errors. The states are sorted by the step seen, those of one step as they
/// stand: the last is the one to resume from. `corrupt` where a key is missing or no number.
LOUPE_DECL result<std::vector<CheckpointState>> read_checkpoint_states(std::string_view text, std::string_view file);

/// Appends a state file as smdebug writes it, but with the modes in a fixed order, GLOBAL first.
LOUPE_DECL void write_checkpoint_states(ByteBuffer& out, const std::vector<CheckpointState>& states);

}  // namespace loupe::inline LOUPE_ABI::format

// ---- loupe/format/checkpoint_state.ipp
#ifndef LOUPE_SINGLE_FORMAT_CHECKPOINT_STATE_IPP
#define LOUPE_SINGLE_FORMAT_CHECKPOINT_STATE_IPP

namespace loupe::inline LOUPE_ABI::format {

namespace detail {

/// The parser of one document.
class CheckpointStateParser {
 public:
  CheckpointStateParser(std::string_view text, std::string_view file) noexcept : json_(text, file) {}

  result<std::vector<CheckpointState>> parse() {
    std::vector<CheckpointState> states;
    LOUPE_TRY(json_.begin_array());
    while (true) {
      LOUPE_ASSIGN(const bool has_next, json_.next_element());
      if (!has_next) break;
      LOUPE_ASSIGN(CheckpointState state, parse_state());
      states.push_back(state);
    }
    LOUPE_TRY(json_.finish());
    std::vector<std::size_t> order(states.size());
    for (std::size_t index = 0; index < order.size(); ++index) order[index] = index;
    std::sort(order.begin(), order.end(), [&states](std::size_t a, std::size_t b) {
      const std::int64_t left = states[a].latest_global_step_seen, right = states[b].latest_global_step_seen;
      return left != right ? left < right : a < b;
    });
    std::vector<CheckpointState> sorted;
    sorted.reserve(states.size());
    for (const std::size_t index : order) sorted.push_back(states[index]);
    return sorted;
  }

 private:
  result<CheckpointState> parse_state() {
    CheckpointState state;
    int found = 0;
    LOUPE_TRY(json_.begin_object());
    while (true) {
      LOUPE_ASSIGN(const auto key, json_.next_key(scratch_));
      if (!key) break;
      if (*key == "training-run") {
        LOUPE_ASSIGN(state.training_run, read_step());
        found |= 1;
      } else if (*key == "latest-global-step-saved") {
        LOUPE_ASSIGN(const wire::JsonType type, json_.peek());
        if (type == wire::JsonType::null) {
          LOUPE_TRY(json_.read_null());
        } else {
          LOUPE_ASSIGN(state.latest_global_step_saved, read_step());
        }
        found |= 2;
      } else if (*key == "latest-global-step-seen") {
        LOUPE_ASSIGN(state.latest_global_step_seen, read_step());
        found |= 4;
      } else if (*key == "latest-mode-step") {
        LOUPE_TRY(parse_mode_steps(state));
        found |= 8;
      } else {
        LOUPE_TRY(json_.skip_value());
      }
    }
    if (found != 15)
      return json_.fail_here(
          "a state lacks one of training-run, latest-global-step-saved, latest-global-step-seen, latest-mode-step");
    return state;
  }

  result<void> parse_mode_steps(CheckpointState& state) {
    LOUPE_TRY(json_.begin_object());
    while (true) {
      LOUPE_ASSIGN(const auto key, json_.next_key(scratch_));
      if (!key) return {};
      const std::optional<Mode> mode = mode_from_name(*key);
      if (!mode) return json_.fail_here("a mode is none of TRAIN, EVAL, PREDICT, GLOBAL");
      LOUPE_ASSIGN(state.latest_mode_step[mode_index(*mode)], read_step());
    }
  }

  /// A step, or -1 for none yet.
  result<std::int64_t> read_step() {
    LOUPE_ASSIGN(const std::int64_t step, json_.read_int64());
    if (step < -1 || step > max_resumed_step) return json_.fail_here("a step is below -1 or too large");
    return step;
  }

  wire::JsonReader json_;
  std::string scratch_;
};

}  // namespace detail

LOUPE_DECL result<std::vector<CheckpointState>> read_checkpoint_states(std::string_view text, std::string_view file) {
  return detail::CheckpointStateParser(text, file).parse();
}

LOUPE_DECL void write_checkpoint_states(ByteBuffer& out, const std::vector<CheckpointState>& states) {
  wire::JsonWriter json(out);
  json.begin_array();
  for (const CheckpointState& state : states) {
    json.begin_object().key("training-run").number(state.training_run).key("latest-global-step-saved");
    if (state.latest_global_step_saved) json.number(*state.latest_global_step_saved);
    else json.null();
    json.key("latest-global-step-seen").number(state.latest_global_step_seen).key("latest-mode-step").begin_object();
    for (const Mode mode : {Mode::global, Mode::train, Mode::eval, Mode::predict})
      if (const auto& step = state.latest_mode_step[mode_index(mode)]) json.key(mode_name(mode)).number(*step);
    json.end_object().end_object();
  }
  json.end_array();
}

}  // namespace loupe::inline LOUPE_ABI::format
#endif  // LOUPE_SINGLE_FORMAT_CHECKPOINT_STATE_IPP
#endif  // LOUPE_SINGLE_FORMAT_CHECKPOINT_STATE_HPP
// ---- loupe/format/collections_file.hpp
#ifndef LOUPE_SINGLE_FORMAT_COLLECTIONS_FILE_HPP
#define LOUPE_SINGLE_FORMAT_COLLECTIONS_FILE_HPP
/// @file
/// Collections files: the collections of a run and how they were configured (format.md section 7).

namespace loupe::inline LOUPE_ABI::format {

/// What a collections file says.
struct CollectionsFile {
  CollectionSet collections;
  std::int64_t num_workers = 1;  ///< how many workers write such a file, and save tensors
};

/// Reads a collections file; `file` names it in errors. Missing `tensor_names`, patterns and configurations are taken as
/// none, a missing `save_histogram` as true; unknown keys inside a collection are passed over, others are refused, as
/// smdebug does. Errors are `corrupt` with the byte offset.
LOUPE_DECL result<CollectionsFile> read_collections(std::string_view text, std::string_view file);

/// Appends a collections file as smdebug writes it, byte for byte.
LOUPE_DECL void write_collections_file(ByteBuffer& out, const CollectionSet& collections, std::int64_t num_workers);

}  // namespace loupe::inline LOUPE_ABI::format

// ---- loupe/format/collections_file.ipp
#ifndef LOUPE_SINGLE_FORMAT_COLLECTIONS_FILE_IPP
#define LOUPE_SINGLE_FORMAT_COLLECTIONS_FILE_IPP

namespace loupe::inline LOUPE_ABI::format {

namespace detail {

/// The parser of one document.
class CollectionsParser {
 public:
  CollectionsParser(std::string_view text, std::string_view file) noexcept : json_(text, file), file_(file) {}

  result<CollectionsFile> parse() {
    CollectionsFile parsed;
    bool has_meta = false;
    LOUPE_TRY(json_.begin_object());
    while (true) {
      LOUPE_ASSIGN(const auto key, json_.next_key(scratch_));
      if (!key) break;
      if (*key == "collections") {
        LOUPE_TRY(parse_collections(parsed.collections));
      } else if (*key == "_meta") {
        LOUPE_ASSIGN(parsed.num_workers, parse_meta());
        has_meta = true;
      } else {
        return json_.fail_here("the document has a key besides collections and _meta");
      }
    }
    LOUPE_TRY(json_.finish());
    if (!has_meta) return fail(ErrorKind::corrupt, file_, "the document has no _meta");
    return parsed;
  }

 private:
  /// Calls `take(key)`, which reads the value, for each key of the object that comes next.
  template <class Take>
  result<void> for_each_key(Take&& take) {
    LOUPE_TRY(json_.begin_object());
    while (true) {
      LOUPE_ASSIGN(const auto key, json_.next_key(scratch_));
      if (!key) return {};
      LOUPE_TRY(take(*key));
    }
  }
  /// Calls `take()`, which reads the element, for each element of the array that comes next.
  template <class Take>
  result<void> for_each_element(Take&& take) {
    LOUPE_TRY(json_.begin_array());
    while (true) {
      LOUPE_ASSIGN(const bool has_next, json_.next_element());
      if (!has_next) return {};
      LOUPE_TRY(take());
    }
  }
  /// Whether the value that comes next is null, which is then read.
  result<bool> take_null() {
    LOUPE_ASSIGN(const wire::JsonType type, json_.peek());
    if (type != wire::JsonType::null) return false;
    LOUPE_TRY(json_.read_null());
    return true;
  }

  result<std::int64_t> parse_meta() {
    std::int64_t workers = 1;
    LOUPE_TRY(for_each_key([&](std::string_view key) -> result<void> {
      if (key != "num_workers") return json_.skip_value();
      LOUPE_ASSIGN(workers, read_count("num_workers is not a number of workers"));
      if (workers < 1) return json_.fail_here("num_workers is below 1");
      return {};
    }));
    return workers;
  }

  result<void> parse_collections(CollectionSet& collections) {
    return for_each_key([&](std::string_view key) -> result<void> {
      Collection collection{.name = key};
      LOUPE_TRY(for_each_key([&](std::string_view field) { return parse_field(collection, field); }));
      LOUPE_TRY(collections.add(std::move(collection)));
      return {};
    });
  }

  result<void> parse_field(Collection& collection, std::string_view field) {
    if (field == "name") {
      LOUPE_ASSIGN(const std::string_view name, json_.read_string(text_));
      collection.name = Text(name);
    } else if (field == "include_regex") {
      LOUPE_TRY(parse_texts([&](std::string_view pattern) { collection.include(pattern); }));
    } else if (field == "tensor_names") {
      LOUPE_TRY(parse_texts([&](std::string_view tensor) { collection.add_tensor(tensor); }));
    } else if (field == "reduction_config") {
      LOUPE_ASSIGN(collection.reductions, parse_reductions());
    } else if (field == "save_config") {
      LOUPE_ASSIGN(collection.save, parse_save());
    } else if (field == "save_histogram") {
      LOUPE_ASSIGN(collection.save_histogram, json_.read_bool());
    } else {
      return json_.skip_value();
    }
    return {};
  }

  /// A list of texts; null or false, as smdebug keeps a missing one, is an empty list.
  template <class Take>
  result<void> parse_texts(Take&& take) {
    LOUPE_ASSIGN(const wire::JsonType type, json_.peek());
    if (type == wire::JsonType::null || type == wire::JsonType::boolean) return json_.skip_value();
    return for_each_element([&]() -> result<void> {
      LOUPE_ASSIGN(const std::string_view text, json_.read_string(text_));
      take(text);
      return {};
    });
  }

  result<std::optional<ReductionConfig>> parse_reductions() {
    LOUPE_ASSIGN(const bool is_null, take_null());
    if (is_null) return std::optional<ReductionConfig>();
    ReductionConfig config;
    LOUPE_TRY(for_each_key([&](std::string_view key) -> result<void> {
      if (key == "reductions") {
        LOUPE_ASSIGN(const std::string_view words, json_.read_string(text_));
        auto statistics = parse_statistics(words);
        if (!statistics) return json_.fail_here(statistics.error().message());
        config.statistics = *std::move(statistics);
      } else if (key == "save_raw_tensor") {
        LOUPE_ASSIGN(config.save_raw_tensor, json_.read_bool());
      } else if (key == "save_shape") {
        LOUPE_ASSIGN(config.save_shape, json_.read_bool());
      } else {
        return json_.skip_value();
      }
      return {};
    }));
    return std::optional(std::move(config));
  }

  result<std::optional<ModeSaveConfigs>> parse_save() {
    LOUPE_ASSIGN(const bool is_null, take_null());
    if (is_null) return std::optional<ModeSaveConfigs>();
    ModeSaveConfigs configs;
    std::size_t position = 0;
    LOUPE_TRY(for_each_key([&](std::string_view key) -> result<void> {
      const std::optional<Mode> mode = mode_from_name(key);
      if (!mode) return json_.fail_here("a save_config names a mode that is none of TRAIN, EVAL, PREDICT, GLOBAL");
      LOUPE_ASSIGN(const bool has_none, take_null());
      if (!has_none) {
        LOUPE_ASSIGN(ModeSaveConfig config, parse_mode_save());
        configs.set(*mode, std::move(config));
      }
      if (position < mode_count) configs.place(*mode, position++);
      return {};
    }));
    return std::optional(std::move(configs));
  }

  result<ModeSaveConfig> parse_mode_save() {
    ModeSaveConfig config;
    LOUPE_TRY(for_each_key([&](std::string_view key) -> result<void> {
      if (key == "save_interval") {
        LOUPE_ASSIGN(config.interval, read_count("save_interval is not a number"));
      } else if (key == "start_step") {
        LOUPE_ASSIGN(const bool is_null, take_null());
        if (!is_null) LOUPE_TRY(assign(config.start_step, read_count("start_step is not a number")));
      } else if (key == "end_step") {
        LOUPE_ASSIGN(const bool is_null, take_null());
        if (is_null) return {};
        LOUPE_ASSIGN(config.end_step, read_count("end_step is not a number"));
      } else if (key == "save_steps") {
        return for_each_element([&]() -> result<void> {
          LOUPE_ASSIGN(const std::int64_t step, read_count("a step of save_steps is not a number"));
          config.save_steps.push_back(step);
          return {};
        });
      } else {
        return json_.skip_value();
      }
      return {};
    }));
    return config;
  }

  static result<void> assign(std::int64_t& to, result<std::int64_t> from) {
    LOUPE_ASSIGN(to, std::move(from));
    return {};
  }

  /// An integer; a number with a fraction loses it, as in Python's `int`.
  result<std::int64_t> read_count(const char* otherwise) {
    LOUPE_ASSIGN(const double number, json_.read_double());
    if (!(__builtin_fabs(number) < 9.0e18)) return json_.fail_here(otherwise);
    return static_cast<std::int64_t>(number);
  }

  wire::JsonReader json_;
  std::string_view file_;
  std::string scratch_;
  std::string text_;
};

inline void write_mode_save(wire::JsonWriter& json, const std::optional<ModeSaveConfig>& config) {
  if (!config) {
    json.null();
    return;
  }
  json.begin_object().key("save_interval").number(config->interval).key("save_steps").begin_array();
  for (const std::int64_t step : config->save_steps) json.number(step);
  json.end_array().key("start_step").number(config->start_step).key("end_step");
  if (config->end_step) json.number(*config->end_step);
  else json.null();
  json.end_object();
}

inline void write_collection(wire::JsonWriter& json, const Collection& collection) {
  json.key(collection.name).begin_object().key("name").string(collection.name).key("include_regex").begin_array();
  for (const Text& pattern : collection.include_regex) json.string(pattern);
  json.end_array().key("tensor_names").begin_array();
  std::vector<std::string_view> names;
  for (const std::string_view name : collection.tensor_names) names.push_back(name);
  std::sort(names.begin(), names.end());
  for (const std::string_view name : names) json.string(name);
  json.end_array().key("reduction_config");
  if (collection.reductions) {
    json.begin_object().key("save_raw_tensor").boolean(collection.reductions->save_raw_tensor);
    json.key("reductions").string(statistics_text(collection.reductions->statistics));
    json.key("save_shape").boolean(collection.reductions->save_shape).end_object();
  } else {
    json.null();
  }
  json.key("save_config");
  if (collection.save) {
    json.begin_object();
    for (std::size_t position = 0; position < mode_count; ++position) {
      const Mode mode = collection.save->mode_at(position);
      json.key(mode_name(mode));
      write_mode_save(json, collection.save->of(mode));
    }
    json.end_object();
  } else {
    json.null();
  }
  json.key("save_histogram").boolean(collection.save_histogram).end_object();
}

}  // namespace detail

LOUPE_DECL result<CollectionsFile> read_collections(std::string_view text, std::string_view file) {
  return detail::CollectionsParser(text, file).parse();
}

LOUPE_DECL void write_collections_file(ByteBuffer& out, const CollectionSet& collections, std::int64_t num_workers) {
  wire::JsonWriter json(out);
  json.begin_object().key("collections").begin_object();
  for (const Collection& collection : collections) detail::write_collection(json, collection);
  json.end_object().key("_meta").begin_object().key("num_workers").number(num_workers).end_object().end_object();
}

}  // namespace loupe::inline LOUPE_ABI::format
#endif  // LOUPE_SINGLE_FORMAT_COLLECTIONS_FILE_IPP
#endif  // LOUPE_SINGLE_FORMAT_COLLECTIONS_FILE_HPP
// ---- loupe/format/config_values.hpp
#ifndef LOUPE_SINGLE_FORMAT_CONFIG_VALUES_HPP
#define LOUPE_SINGLE_FORMAT_CONFIG_VALUES_HPP
/// @file
/// Values of configuration files, in every form in which smdebug's users write them.

namespace loupe::inline LOUPE_ABI::format {

/// Reads the values of one document. Errors name the file, the path of the key, the place, and what is allowed:
/// `invalid_type` for a value of the wrong kind, `invalid_argument` for another, `corrupt` for no JSON.
class ConfigValues {
 public:
  ConfigValues(std::string_view text, std::string_view file, bool refuses_lists = false)
      : json_(text, file),
        file_(file),
        refuses_lists_(refuses_lists) {}

  [[nodiscard]] wire::JsonReader& json() noexcept { return json_; }
  /// Says which value is read next, for errors.
  void go_to(std::string path) { path_ = std::move(path); }

  /// An error about the value: `reason` goes on where its path ends.
  [[nodiscard]] unexpected<Error> refuse(ErrorKind kind, std::string_view reason) const {
    return fail_at(kind, file_, static_cast<std::int64_t>(json_.offset()), Text::join(path_, " ", reason));
  }
  /// Refuses the kind of the value that comes next.
  [[nodiscard]] unexpected<Error> refuse_type(wire::JsonType type, std::string_view allowed) const {
    constexpr std::string_view names[] = {"an object", "a list", "a text", "a number", "a truth value", "null"};
    return refuse(ErrorKind::invalid_type,
                  Text::join("is ", names[static_cast<std::size_t>(type)], ", but must be ", allowed));
  }
  /// Refuses a text that was read.
  [[nodiscard]] unexpected<Error> refuse_text(std::string_view text, std::string_view allowed) const {
    return refuse(ErrorKind::invalid_argument, Text::join("is \"", text.substr(0, 100), "\", but must be ", allowed));
  }

  /// Calls `take(key)`, which reads the value, for each key of the object that comes next; null is an empty one.
  template <class Take>
  result<void> for_each_key(std::string_view parent, Take&& take) {
    LOUPE_ASSIGN(const wire::JsonType type, json_.peek());
    if (type == wire::JsonType::null && !parent.empty()) return json_.read_null();
    if (type != wire::JsonType::object) return refuse_type(type, "an object");
    LOUPE_TRY(json_.begin_object());
    std::string scratch;
    while (true) {
      LOUPE_ASSIGN(const auto found, json_.next_key(scratch));
      if (!found) return {};
      const std::string key(*found);
      path_ = parent.empty() ? key : std::string(parent).append(".").append(key);
      LOUPE_TRY(take(std::string_view(key)));
    }
  }

  result<Text> read_text() {
    LOUPE_ASSIGN(const wire::JsonType type, json_.peek());
    if (type != wire::JsonType::string) return refuse_type(type, "a text");
    LOUPE_ASSIGN(const std::string_view text, json_.read_string(scratch_));
    return Text(text);
  }

  /// The number that a text is, blanks around it allowed.
  result<std::int64_t> to_number(std::string_view text) const {
    std::string_view digits = trimmed(text);
    if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc() || end != digits.data() + digits.size()) return refuse_text(text, "a whole number");
    return number;
  }

  /// A number, cut to a whole one, or a text of a whole number.
  result<std::int64_t> read_number() {
    LOUPE_ASSIGN(const wire::JsonType type, json_.peek());
    if (type == wire::JsonType::string) {
      LOUPE_ASSIGN(const std::string_view text, json_.read_string(scratch_));
      return to_number(text);
    }
    if (type != wire::JsonType::number) return refuse_type(type, "a number, or a text of one");
    constexpr double limit = 9007199254740992.0;  // where doubles stop telling whole numbers apart
    LOUPE_ASSIGN(const double number, json_.read_double());
    if (!(number > -limit && number < limit))
      return refuse(ErrorKind::invalid_argument, "is too large for a number of steps");
    return static_cast<std::int64_t>(number);
  }

  /// A truth value: as such, as the texts `true`, `True`, `false`, `False`, or as 0 and 1.
  result<bool> read_flag() {
    constexpr std::string_view allowed = "true or false";
    LOUPE_ASSIGN(const wire::JsonType type, json_.peek());
    if (type == wire::JsonType::boolean) return json_.read_bool();
    if (type == wire::JsonType::string) {
      LOUPE_ASSIGN(const std::string_view text, json_.read_string(scratch_));
      if (text == "true" || text == "True") return true;
      if (text == "false" || text == "False") return false;
      return refuse_text(text, allowed);
    }
    if (type != wire::JsonType::number) return refuse_type(type, allowed);
    LOUPE_ASSIGN(const double number, json_.read_double());
    if (number != 0 && number != 1)
      return refuse(ErrorKind::invalid_argument, "is a number besides 0 and 1, but must be true or false");
    return number == 1;
  }

  /// Calls `take(std::string_view)` for each word of a comma-separated text, or each element of a list.
  template <class Take>
  result<void> read_words(std::string_view allowed, Take&& take) {
    LOUPE_ASSIGN(const wire::JsonType type, json_.peek());
    if (type == wire::JsonType::string) {
      LOUPE_ASSIGN(const std::string_view text, json_.read_string(scratch_));
      result<void> outcome;
      for_each_word(text, [&](std::string_view word) {
        if (outcome) outcome = take(word);
      });
      return outcome;
    }
    if (type != wire::JsonType::array || refuses_lists_) return refuse_type(type, allowed);
    LOUPE_TRY(json_.begin_array());
    while (true) {
      LOUPE_ASSIGN(const bool has_next, json_.next_element());
      if (!has_next) return {};
      LOUPE_ASSIGN(const wire::JsonType element, json_.peek());
      if (element == wire::JsonType::number) {
        LOUPE_ASSIGN(const std::int64_t number, read_number());
        LOUPE_TRY(take(to_text(number).view()));
      } else {
        LOUPE_ASSIGN(const Text text, read_text());
        LOUPE_TRY(take(text.view()));
      }
    }
  }

 private:
  wire::JsonReader json_;
  std::string_view file_;
  std::string path_;
  std::string scratch_;
  bool refuses_lists_;
};

}  // namespace loupe::inline LOUPE_ABI::format
#endif  // LOUPE_SINGLE_FORMAT_CONFIG_VALUES_HPP
// ---- loupe/format/data_type.hpp
#ifndef LOUPE_SINGLE_FORMAT_DATA_TYPE_HPP
#define LOUPE_SINGLE_FORMAT_DATA_TYPE_HPP
/// @file
/// The numbers that event files hold for element types: TensorFlow's DataType (format.md 4.1).

namespace loupe::inline LOUPE_ABI::format {

/// DataType of TensorFlow, as far as loupe reads or writes it.
enum class DataType : std::int32_t {
  invalid = 0,  ///< not set: smdebug writes strings so
  float32 = 1,
  float64 = 2,
  int32 = 3,
  uint8 = 4,
  int16 = 5,
  int8 = 6,
  string = 7,
  complex64 = 8,
  int64 = 9,
  boolean = 10,
  qint8 = 11,
  quint8 = 12,
  qint32 = 13,
  bfloat16 = 14,
  qint16 = 15,
  quint16 = 16,
  uint16 = 17,
  complex128 = 18,
  float16 = 19,
  uint32 = 22,
  uint64 = 23,
};

/// The element type of a number; quantized types are the integers that they consist of. `none` for numbers that loupe
/// doesn't read, and for `invalid`.
constexpr ElementType element_type_from(DataType type) noexcept {
  switch (type) {
    case DataType::invalid: return ElementType::none;
    case DataType::float32: return ElementType::float32;
    case DataType::float64: return ElementType::float64;
    case DataType::int32:
    case DataType::qint32: return ElementType::int32;
    case DataType::uint8:
    case DataType::quint8: return ElementType::uint8;
    case DataType::int16:
    case DataType::qint16: return ElementType::int16;
    case DataType::int8:
    case DataType::qint8: return ElementType::int8;
    case DataType::string: return ElementType::string;
    case DataType::complex64: return ElementType::complex64;
    case DataType::int64: return ElementType::int64;
    case DataType::boolean: return ElementType::boolean;
    case DataType::bfloat16: return ElementType::bfloat16;
    case DataType::uint16:
    case DataType::quint16: return ElementType::uint16;
    case DataType::complex128: return ElementType::complex128;
    case DataType::float16: return ElementType::float16;
    case DataType::uint32: return ElementType::uint32;
    case DataType::uint64: return ElementType::uint64;
  }
  return ElementType::none;
}

/// The number under which elements of a type are written; `invalid` for strings and `none`.
constexpr DataType data_type_of(ElementType type) noexcept {
  switch (type) {
    case ElementType::boolean: return DataType::boolean;
    case ElementType::int8: return DataType::int8;
    case ElementType::uint8: return DataType::uint8;
    case ElementType::int16: return DataType::int16;
    case ElementType::uint16: return DataType::uint16;
    case ElementType::int32: return DataType::int32;
    case ElementType::uint32: return DataType::uint32;
    case ElementType::int64: return DataType::int64;
    case ElementType::uint64: return DataType::uint64;
    case ElementType::float16: return DataType::float16;
    case ElementType::bfloat16: return DataType::bfloat16;
    case ElementType::float32: return DataType::float32;
    case ElementType::float64: return DataType::float64;
    case ElementType::complex64: return DataType::complex64;
    case ElementType::complex128: return DataType::complex128;
    case ElementType::string:
    case ElementType::none: break;
  }
  return DataType::invalid;
}

}  // namespace loupe::inline LOUPE_ABI::format
#endif  // LOUPE_SINGLE_FORMAT_DATA_TYPE_HPP
// ---- loupe/format/event.hpp
#ifndef LOUPE_SINGLE_FORMAT_EVENT_HPP
#define LOUPE_SINGLE_FORMAT_EVENT_HPP
/// @file
/// Records of `events/`: one tensor each, with its name, step and mode (format.md sections 3 and 4).

// ---- loupe/format/event_message.hpp
#ifndef LOUPE_SINGLE_FORMAT_EVENT_MESSAGE_HPP
#define LOUPE_SINGLE_FORMAT_EVENT_MESSAGE_HPP
/// @file
/// An event record's fields as they stand in the file, before anything is made of the tensor's values.

namespace loupe::inline LOUPE_ABI::format {

/// What stands in a record besides the tensor.
struct EventHeader {
  double wall_time = 0;  ///< seconds since the Unix epoch
  std::int64_t step = 0;
  Mode mode = Mode::global;
  std::int64_t mode_step = 0;
};

/// A field of a TensorProto that holds values one by one, not as raw content: its number and how an element is written.
struct TypedField {
  std::uint32_t number = 0;
  wire::WireType form = wire::WireType::varint;
};

/// The typed field of an element type. Its elements are halves of complex numbers, and the bits of halves.
constexpr TypedField typed_field_of(ElementType type) noexcept {
  switch (type) {
    case ElementType::float32: return {5, wire::WireType::fixed32};
    case ElementType::float64: return {6, wire::WireType::fixed64};
    case ElementType::int8:
    case ElementType::uint8:
    case ElementType::int16:
    case ElementType::uint16:
    case ElementType::int32: return {7, wire::WireType::varint};
    case ElementType::string: return {8, wire::WireType::length_delimited};
    case ElementType::complex64: return {9, wire::WireType::fixed32};
    case ElementType::int64: return {10, wire::WireType::varint};
    case ElementType::boolean: return {11, wire::WireType::varint};
    case ElementType::complex128: return {12, wire::WireType::fixed64};
    case ElementType::float16:
    case ElementType::bfloat16: return {13, wire::WireType::varint};
    case ElementType::uint32: return {16, wire::WireType::varint};
    case ElementType::uint64: return {17, wire::WireType::varint};
    case ElementType::none: break;
  }
  return {};
}

/// A TensorProto. The bytes are the record's.
struct TensorMessage {
  DataType data_type = DataType::invalid;
  Shape shape;                         ///< at most 32 sizes, none negative, of countable product
  std::uint64_t elements = 1;          ///< that product
  std::span<const std::byte> content;  ///< raw elements, if not empty
  std::int64_t content_offset = 0;
  std::span<const std::byte> value;    ///< the message around: the parts of a TensorProto are the fields 8 in it
  std::int64_t value_offset = 0;

  /// The number of elements that stand in a typed field.
  LOUPE_DECL result<std::uint64_t> count(TypedField field, std::string_view file) const;
  /// Calls `visit(const Field&)` for each element of a typed field; what it returns stops at an error.
  template <class Visitor>
  result<void> for_each(TypedField field, std::string_view file, Visitor&& visit) const;
};

/// An Event with at most one Summary.Value. Where its plugin data don't say otherwise, the mode is global and the mode
/// step is the step.
struct EventMessage : EventHeader {
  bool has_value = false;  ///< else: a record without summary, to be skipped
  std::string_view tag;    ///< UTF-8
  TensorMessage tensor;
};

/// Reads the fields of an event record's payload. Any legal protobuf encoding is taken. Errors have `file` and the
/// offset in it, `offset` being that of the payload: `corrupt` for bytes that are no such message, several values in one
/// record, modes that don't exist, sizes that can't be; `unsupported` for a value that is no tensor;
/// `limit_exceeded` for a rank above 32.
LOUPE_DECL result<EventMessage> read_event_message(std::span<const std::byte> payload, std::string_view file,
                                                   std::int64_t offset);

template <class Visitor>
result<void> TensorMessage::for_each(TypedField field, std::string_view file, Visitor&& visit) const {
  wire::FieldReader outer(value, file, value_offset);
  while (true) {
    LOUPE_ASSIGN(const auto part, outer.next());
    if (!part) return {};
    if (!part->is(8, wire::WireType::length_delimited)) continue;
    wire::FieldReader inner(*part, file);
    while (true) {
      LOUPE_ASSIGN(const auto found, inner.next());
      if (!found) break;
      if (found->is(field.number, field.form)) {
        LOUPE_TRY(visit(*found));
      } else if (found->is(field.number, wire::WireType::length_delimited)) {
        wire::FieldReader packed(*found, file);
        while (true) {
          LOUPE_ASSIGN(const auto element, packed.next_packed(field.form));
          if (!element) break;
          LOUPE_TRY(visit(*element));
        }
      }
    }
  }
}

}  // namespace loupe::inline LOUPE_ABI::format

// ---- loupe/format/event_message.ipp
#ifndef LOUPE_SINGLE_FORMAT_EVENT_MESSAGE_IPP
#define LOUPE_SINGLE_FORMAT_EVENT_MESSAGE_IPP

namespace loupe::inline LOUPE_ABI::format {

namespace detail {

using wire::Field;
using wire::FieldReader;
using wire::WireType;

/// The reader of one event record.
class EventParser {
 public:
  explicit EventParser(std::string_view file) noexcept : file_(file) {}

  result<EventMessage> parse(std::span<const std::byte> payload, std::int64_t offset) {
    FieldReader reader(payload, file_, offset);
    while (true) {
      LOUPE_ASSIGN(const auto field, reader.next());
      if (!field) break;
      if (field->is(1, WireType::fixed64)) event_.wall_time = field->as_double();
      else if (field->is(2, WireType::varint)) event_.step = static_cast<std::int64_t>(field->bits);
      else if (field->is(5, WireType::length_delimited)) LOUPE_TRY(parse_summary(*field));
    }
    if (!has_mode_step_) event_.mode_step = event_.step;
    return event_;
  }

 private:
  result<void> parse_summary(const Field& summary) {
    FieldReader reader(summary, file_);
    while (true) {
      LOUPE_ASSIGN(const auto field, reader.next());
      if (!field) return {};
      if (!field->is(1, WireType::length_delimited)) continue;
      if (event_.has_value) return corrupt(field->offset, "the record holds more than one value");
      event_.has_value = true;
      LOUPE_TRY(parse_value(*field));
    }
  }

  result<void> parse_value(const Field& value) {
    FieldReader reader(value, file_);
    event_.tensor.value = value.bytes;
    event_.tensor.value_offset = value.offset;
    bool has_tensor = false;
    while (true) {
      LOUPE_ASSIGN(const auto field, reader.next());
      if (!field) break;
      if (field->is(1, WireType::length_delimited)) {
        if (!wire::is_utf8(field->text())) return corrupt(field->offset, "the tensor's name is not UTF-8");
        event_.tag = field->text();
      } else if (field->is(8, WireType::length_delimited)) {
        has_tensor = true;
        LOUPE_TRY(parse_tensor(*field));
      } else if (field->is(9, WireType::length_delimited)) {
        LOUPE_TRY(parse_metadata(*field));
      }
    }
    if (!has_tensor) return fail_at(ErrorKind::unsupported, file_, value.offset, "the record's value is not a tensor");
    const auto elements = element_count(event_.tensor.shape);
    if (!elements) return corrupt(value.offset, "the tensor's shape has too many elements");
    event_.tensor.elements = static_cast<std::uint64_t>(*elements);
    return {};
  }

  result<void> parse_tensor(const Field& tensor) {
    FieldReader reader(tensor, file_);
    while (true) {
      LOUPE_ASSIGN(const auto field, reader.next());
      if (!field) return {};
      if (field->is(1, WireType::varint)) {
        event_.tensor.data_type = static_cast<DataType>(static_cast<std::int32_t>(field->bits));
      } else if (field->is(2, WireType::length_delimited)) {
        LOUPE_TRY(parse_shape(*field));
      } else if (field->is(4, WireType::length_delimited)) {
        event_.tensor.content = field->bytes;
        event_.tensor.content_offset = field->offset;
      }
    }
  }

  result<void> parse_shape(const Field& shape) {
    FieldReader reader(shape, file_);
    while (true) {
      LOUPE_ASSIGN(const auto field, reader.next());
      if (!field) return {};
      if (field->is(2, WireType::length_delimited)) LOUPE_TRY(parse_size(*field));
    }
  }

  result<void> parse_size(const Field& dimension) {
    FieldReader reader(dimension, file_);
    std::int64_t size = 0;
    while (true) {
      LOUPE_ASSIGN(const auto field, reader.next());
      if (!field) break;
      if (field->is(1, WireType::varint)) size = static_cast<std::int64_t>(field->bits);
    }
    if (size < 0) return corrupt(dimension.offset, "a size in the tensor's shape is negative");
    if (!event_.tensor.shape.push_back(size))
      return fail_at(ErrorKind::limit_exceeded, file_, dimension.offset, "the tensor has more than 32 axes");
    return {};
  }

  result<void> parse_metadata(const Field& metadata) {
    FieldReader reader(metadata, file_);
    while (true) {
      LOUPE_ASSIGN(const auto field, reader.next());
      if (!field) return {};
      if (field->is(1, WireType::length_delimited)) LOUPE_TRY(parse_plugin_data(*field));
    }
  }

  result<void> parse_plugin_data(const Field& data) {
    FieldReader reader(data, file_);
    std::string_view name;
    std::string_view content;
    while (true) {
      LOUPE_ASSIGN(const auto field, reader.next());
      if (!field) break;
      if (field->is(1, WireType::length_delimited)) name = field->text();
      else if (field->is(2, WireType::length_delimited)) content = field->text();
    }
    if (name != "mode" && name != "mode_step") return {};
    std::int64_t number = 0;
    const auto [stop, status] = std::from_chars(content.data(), content.data() + content.size(), number);
    if (status != std::errc() || stop != content.data() + content.size())
      return corrupt(data.offset, "the value's mode or mode step is no number");
    if (name == "mode_step") {
      event_.mode_step = number;
      has_mode_step_ = true;
      return {};
    }
    const auto mode = mode_from_number(number);
    if (!mode) return corrupt(data.offset, "the value's mode is none of 1 to 4");
    event_.mode = *mode;
    return {};
  }

  [[nodiscard]] unexpected<Error> corrupt(std::int64_t offset, std::string_view detail) const {
    return fail_at(ErrorKind::corrupt, file_, offset, detail);
  }

  std::string_view file_;
  EventMessage event_;
  bool has_mode_step_ = false;
};

}  // namespace detail

LOUPE_DECL result<EventMessage> read_event_message(std::span<const std::byte> payload, std::string_view file,
                                                   std::int64_t offset) {
  return detail::EventParser(file).parse(payload, offset);
}

LOUPE_DECL result<std::uint64_t> TensorMessage::count(TypedField field, std::string_view file) const {
  std::uint64_t given = 0;
  LOUPE_TRY(for_each(field, file, [&](const wire::Field&) -> result<void> {
    ++given;
    return {};
  }));
  return given;
}

}  // namespace loupe::inline LOUPE_ABI::format
#endif  // LOUPE_SINGLE_FORMAT_EVENT_MESSAGE_IPP
#endif  // LOUPE_SINGLE_FORMAT_EVENT_MESSAGE_HPP

namespace loupe::inline LOUPE_ABI::format {

/// Where a record lies in its file, as index files say it.
struct RecordSpan {
  std::uint64_t start = 0;
  std::uint64_t length = 0;  ///< framing included
};

/// Which element types are written (format.md 4.4).
enum class DtypePolicy : std::uint8_t {
  /// Types that smdebug's reader lacks become wider ones: int8, int16, uint16 → int32; uint32, uint64 → int64;
  /// complex64 → complex128; bfloat16 → float32. Texts must be UTF-8, and a record fit in 2 GiB.
  widen_for_python,
  exact,
};

/// The type that elements of a type are written as.
constexpr ElementType stored_element_type(ElementType type, DtypePolicy policy) noexcept {
  if (policy == DtypePolicy::exact) return type;
  switch (type) {
    case ElementType::int8:
    case ElementType::int16:
    case ElementType::uint16: return ElementType::int32;
    case ElementType::uint32:
    case ElementType::uint64: return ElementType::int64;
    case ElementType::complex64: return ElementType::complex128;
    case ElementType::bfloat16: return ElementType::float32;
    default: return type;
  }
}

/// Appends the record of a tensor and says where it begins in `out`. The elements are copied once, in row-major order,
/// whatever the strides; without an allocation if `out` has room. Strings must have rank 1.
/// The view must be readable by the host. On an error, which names `tag`, nothing is appended: `invalid_argument` for a
/// name that isn't UTF-8, an empty view, an invalid shape, and numbers above the largest int64 where they are widened to
/// it; `limit_exceeded` for records larger than the policy allows.
LOUPE_DECL result<RecordSpan> append_tensor_record(ByteBuffer& out, const EventHeader& header, std::string_view tag,
                                                   const TensorView& tensor,
                                                   DtypePolicy policy = DtypePolicy::widen_for_python);

/// The same for a rank-1 tensor of texts.
LOUPE_DECL result<RecordSpan> append_strings_record(ByteBuffer& out, const EventHeader& header, std::string_view tag,
                                                    std::span<const std::string_view> texts,
                                                    DtypePolicy policy = DtypePolicy::widen_for_python);

/// Bytes that a value may take which a record states once for all elements, or for the rest of them.
inline constexpr std::uint64_t max_replicated_bytes = std::uint64_t{1} << 28;

/// A record, read. Views are into the payload. A record that doesn't say its mode is of mode global, and its mode step is
/// its step.
struct DecodedEvent : EventHeader {
  std::string_view tag;
  ElementType type = ElementType::none;  ///< `none`: the record has no summary and is to be skipped
  Shape shape;
  std::span<const std::byte> content;    ///< the elements, row-major, at any alignment, if they lie in the payload;
  Array values;                          ///< else here

  [[nodiscard]] bool has_tensor() const noexcept { return type != ElementType::none; }
  /// The tensor; valid while the payload and this object live.
  [[nodiscard]] TensorView view() const noexcept {
    return values.type() != ElementType::none ? values.view() : TensorView(content.data(), type, shape);
  }
};

/// Reads a record's payload, whatever program wrote it: fields in any order, unknown ones skipped, values raw or in typed
/// fields, of which a last one stands for all that are missing. Raw values are not copied.
/// Errors have `file` and the offset in it, `offset` being that of the payload: `corrupt` for bytes that are no event,
/// or where values and shape don't match; `unsupported` for other values than tensors, and for unknown element types;
/// `limit_exceeded` for a rank above 32 and for more than `max_replicated_bytes` out of few.
LOUPE_DECL result<DecodedEvent> decode_event(std::span<const std::byte> payload, std::string_view file,
                                             std::int64_t offset);

}  // namespace loupe::inline LOUPE_ABI::format

// ---- loupe/format/event.ipp
#ifndef LOUPE_SINGLE_FORMAT_EVENT_IPP
#define LOUPE_SINGLE_FORMAT_EVENT_IPP

namespace loupe::inline LOUPE_ABI::format {

namespace detail {

constexpr std::size_t decimal_digits(std::uint64_t number) noexcept {
  std::size_t digits = 1;
  for (; number >= 10; number /= 10) ++digits;
  return digits;
}

/// A record around a TensorProto, in smdebug's canonical encoding (format.md 4.2). All sizes are known at construction.
class EventEnvelope {
 public:
  EventEnvelope(const EventHeader& header, std::string_view tag, std::uint64_t tensor_size) noexcept
      : header_(header),
        tag_(tag),
        tensor_size_(tensor_size) {
    mode_step_size_ = static_cast<std::size_t>(
        std::to_chars(mode_step_, mode_step_ + sizeof mode_step_, header.mode_step).ptr - mode_step_);
    const std::uint64_t step_plugin =
        wire::bytes_field_size(step_name.size()) + wire::bytes_field_size(mode_step_size_);
    metadata_size_ = wire::bytes_field_size(step_plugin) + wire::bytes_field_size(mode_plugin_size);
    value_size_ = (tag.empty() ? 0 : wire::bytes_field_size(tag.size())) + wire::bytes_field_size(tensor_size) +
                  wire::bytes_field_size(metadata_size_);
    summary_size_ = wire::bytes_field_size(value_size_);
    payload_size_ = 9 + (header.step == 0 ? 0 : wire::varint_field_size(static_cast<std::uint64_t>(header.step))) +
                    wire::bytes_field_size(summary_size_);
  }

  [[nodiscard]] std::uint64_t payload_size() const noexcept { return payload_size_; }
  [[nodiscard]] std::uint64_t record_size() const noexcept { return payload_size_ + wire::record_overhead; }

  /// Writes the whole record to `record`; `write_tensor(FieldWriter&)` writes the `tensor_size` bytes of the TensorProto.
  template <class WriteTensor>
  void write(std::byte* record, WriteTensor&& write_tensor) const {
    wire::encode_record_header(record, payload_size_);
    wire::FieldWriter writer(record + wire::record_header_size);
    writer.fixed64(1, header_.wall_time);
    if (header_.step != 0) writer.varint(2, static_cast<std::uint64_t>(header_.step));
    writer.header(5, summary_size_);
    writer.header(1, value_size_);
    if (!tag_.empty()) writer.text(1, tag_);
    writer.header(8, tensor_size_);
    write_tensor(writer);
    writer.header(9, metadata_size_);
    writer.header(1, wire::bytes_field_size(step_name.size()) + wire::bytes_field_size(mode_step_size_));
    writer.text(1, step_name);
    writer.text(2, {mode_step_, mode_step_size_});
    writer.header(1, mode_plugin_size);
    writer.text(1, mode_name);
    const char digit = static_cast<char>('0' + static_cast<int>(header_.mode));
    writer.text(2, {&digit, 1});
    wire::store_little_endian(writer.position(), wire::smdebug_check_word);
  }

 private:
  static constexpr std::string_view step_name = "mode_step";
  static constexpr std::string_view mode_name = "mode";
  static constexpr std::uint64_t mode_plugin_size =
      wire::bytes_field_size(mode_name.size()) + wire::bytes_field_size(1);

  const EventHeader& header_;
  std::string_view tag_;
  char mode_step_[20];
  std::size_t mode_step_size_;
  std::uint64_t tensor_size_;
  std::uint64_t metadata_size_;
  std::uint64_t value_size_;
  std::uint64_t summary_size_;
  std::uint64_t payload_size_;
};

/// A TensorShapeProto; each axis is named after the tensor and its size.
class ShapeProto {
 public:
  ShapeProto(const Shape& shape, std::string_view tag) noexcept : shape_(shape), tag_(tag) {
    for (const std::int64_t extent : shape) size_ += wire::bytes_field_size(dimension_size(extent));
  }
  [[nodiscard]] std::uint64_t field_size() const noexcept { return wire::bytes_field_size(size_); }
  void write(wire::FieldWriter& writer) const noexcept {
    writer.header(2, size_);
    for (const std::int64_t extent : shape_) {
      const auto number = static_cast<std::uint64_t>(extent);
      const std::size_t digits = decimal_digits(number);
      writer.header(2, dimension_size(extent));
      if (number != 0) writer.varint(1, number);
      writer.header(2, tag_.size() + 1 + digits);
      writer.raw(tag_);
      writer.raw("_");
      auto* const text = reinterpret_cast<char*>(writer.position());
      std::to_chars(text, text + digits, number);
      writer.advance(digits);
    }
  }

 private:
  [[nodiscard]] std::uint64_t dimension_size(std::int64_t extent) const noexcept {
    const auto number = static_cast<std::uint64_t>(extent);
    return (number == 0 ? 0 : wire::varint_field_size(number)) +
           wire::bytes_field_size(tag_.size() + 1 + decimal_digits(number));
  }

  const Shape& shape_;
  std::string_view tag_;
  std::uint64_t size_ = 0;
};

/// Writes the elements, converted from `From` to `To`, in row-major order.
template <class From, class To>
void write_converted(const TensorView& tensor, std::byte* out) noexcept {
  for_each_run(tensor, [&](const std::byte* first, std::int64_t count) {
    for (std::int64_t index = 0; index < count; ++index, out += sizeof(To)) {
      const From element = load_element<From>(first + static_cast<std::size_t>(index) * sizeof(From));
      if constexpr (std::same_as<From, BFloat16>) wire::store_little_endian(out, to_float(element));
      else if constexpr (std::same_as<From, Complex64>)
        wire::store_little_endian(out, Complex128{element.real, element.imaginary});
      else wire::store_little_endian(out, static_cast<To>(element));
    }
  });
}

/// Writes the elements in row-major order, widened as the policy says.
LOUPE_DECL void write_elements(const TensorView& tensor, DtypePolicy policy, std::byte* out) noexcept {
  if (tensor.type == ElementType::boolean) {
    // Bytes of a C++ bool are 0 or 1, but memory of other origin can hold anything.
    for_each_run(tensor, [&](const std::byte* first, std::int64_t count) {
      for (std::int64_t index = 0; index < count; ++index)
        *out++ = first[index] != std::byte{0} ? std::byte{1} : std::byte{0};
    });
    return;
  }
  if (stored_element_type(tensor.type, policy) == tensor.type) return copy_row_major(tensor, out);
  switch (tensor.type) {
    case ElementType::int8: return write_converted<std::int8_t, std::int32_t>(tensor, out);
    case ElementType::int16: return write_converted<std::int16_t, std::int32_t>(tensor, out);
    case ElementType::uint16: return write_converted<std::uint16_t, std::int32_t>(tensor, out);
    case ElementType::uint32: return write_converted<std::uint32_t, std::int64_t>(tensor, out);
    case ElementType::uint64: return write_converted<std::uint64_t, std::int64_t>(tensor, out);
    case ElementType::complex64: return write_converted<Complex64, Complex128>(tensor, out);
    case ElementType::bfloat16: return write_converted<BFloat16, float>(tensor, out);
    default: return;
  }
}

/// Refuses unsigned numbers that int64 can't hold.
LOUPE_DECL result<void> check_range(std::string_view tag, const TensorView& tensor) {
  std::int64_t position = 0;
  std::int64_t first_large = -1;
  for_each_run(tensor, [&](const std::byte* first, std::int64_t count) {
    for (std::int64_t index = 0; index < count; ++index, ++position)
      if (first_large < 0 && load_element<std::uint64_t>(first + static_cast<std::size_t>(index) * 8) > INT64_MAX)
        first_large = position;
  });
  if (first_large < 0) return {};
  return fail(ErrorKind::invalid_argument, tag,
              Text::join("element ", to_text(first_large).view(),
                         " (in row-major order) is above the largest int64, the widest integer that Python reads"));
}

LOUPE_DECL result<void> check_record(std::string_view tag, const EventEnvelope& envelope, DtypePolicy policy) {
  if (!wire::is_utf8(tag)) return fail(ErrorKind::invalid_argument, tag, "the tensor's name is not UTF-8");
  if (policy == DtypePolicy::widen_for_python && envelope.payload_size() > INT32_MAX)
    return fail(ErrorKind::limit_exceeded, tag,
                "the record would be larger than the 2 GiB that Python's protobuf reads");
  return {};
}

/// Appends a rank-1 string tensor; `for_each_text(visit)` calls `visit(std::string_view)` for each element.
template <class ForEachText>
result<RecordSpan> append_texts(ByteBuffer& out, const EventHeader& header, std::string_view tag, std::int64_t count,
                                DtypePolicy policy, ForEachText&& for_each_text) {
  const Shape shape{count};
  const ShapeProto shape_proto(shape, tag);
  std::uint64_t tensor_size = shape_proto.field_size();
  bool is_utf8 = true;
  for_each_text([&](std::string_view text) {
    tensor_size += wire::bytes_field_size(text.size());
    if (policy == DtypePolicy::widen_for_python) is_utf8 = is_utf8 && wire::is_utf8(text);
  });
  const EventEnvelope envelope(header, tag, tensor_size);
  LOUPE_TRY(check_record(tag, envelope, policy));
  if (!is_utf8) return fail(ErrorKind::invalid_argument, tag, "a text of the tensor is not UTF-8");
  const RecordSpan span{out.size(), envelope.record_size()};
  envelope.write(out.extend(static_cast<std::size_t>(span.length)), [&](wire::FieldWriter& writer) {
    shape_proto.write(writer);
    for_each_text([&](std::string_view text) { writer.text(8, text); });
  });
  return span;
}

}  // namespace detail

LOUPE_DECL result<RecordSpan> append_tensor_record(ByteBuffer& out, const EventHeader& header, std::string_view tag,
                                                   const TensorView& tensor, DtypePolicy policy) {
  const auto count = element_count(tensor.shape);
  if (!tensor.has_tensor()) return fail(ErrorKind::invalid_argument, tag, "there is no tensor");
  if (!count)
    return fail(ErrorKind::invalid_argument, tag, "the tensor's shape has a negative size or too many elements");
  if (tensor.type == ElementType::string) {
    if (tensor.rank() != 1)
      return fail(ErrorKind::invalid_argument, tag, "only string tensors of rank 1 can be written");
    return detail::append_texts(out, header, tag, *count, policy, [&](auto&& visit) {
      for_each_run(tensor, [&](const std::byte* first, std::int64_t run) {
        for (std::int64_t index = 0; index < run; ++index)
          visit(load_element<std::string_view>(first + static_cast<std::size_t>(index) * sizeof(std::string_view)));
      });
    });
  }
  const ElementType stored = stored_element_type(tensor.type, policy);
  if (static_cast<std::uint64_t>(*count) > (std::uint64_t{1} << 47) / element_size(stored))
    return fail(ErrorKind::limit_exceeded, tag, "the elements would take more than 2^47 bytes");
  if (tensor.type == ElementType::uint64 && stored != tensor.type) LOUPE_TRY(detail::check_range(tag, tensor));

  const std::size_t content_size = static_cast<std::size_t>(*count) * element_size(stored);
  const auto data_type = static_cast<std::uint64_t>(data_type_of(stored));
  const detail::ShapeProto shape_proto(tensor.shape, tag);
  const detail::EventEnvelope envelope(header, tag,
                                       wire::varint_field_size(data_type) + shape_proto.field_size() +
                                           (content_size == 0 ? 0 : wire::bytes_field_size(content_size)));
  LOUPE_TRY(detail::check_record(tag, envelope, policy));
  const RecordSpan span{out.size(), envelope.record_size()};
  envelope.write(out.extend(static_cast<std::size_t>(span.length)), [&](wire::FieldWriter& writer) {
    writer.varint(1, data_type);
    shape_proto.write(writer);
    if (content_size == 0) return;
    writer.header(4, content_size);
    detail::write_elements(tensor, policy, writer.position());
    writer.advance(content_size);
  });
  return span;
}

LOUPE_DECL result<RecordSpan> append_strings_record(ByteBuffer& out, const EventHeader& header, std::string_view tag,
                                                    std::span<const std::string_view> texts, DtypePolicy policy) {
  return detail::append_texts(out, header, tag, static_cast<std::int64_t>(texts.size()), policy, [&](auto&& visit) {
    for (const std::string_view text : texts) visit(text);
  });
}

}  // namespace loupe::inline LOUPE_ABI::format
#endif  // LOUPE_SINGLE_FORMAT_EVENT_IPP
// ---- loupe/format/event_decode.ipp
#ifndef LOUPE_SINGLE_FORMAT_EVENT_DECODE_IPP
#define LOUPE_SINGLE_FORMAT_EVENT_DECODE_IPP

namespace loupe::inline LOUPE_ABI::format {

namespace detail {

/// Writes the number of a typed field to `out`; false if the type has no such number.
template <class Number>
bool store_number(const wire::Field& field, std::byte* out) noexcept {
  if constexpr (std::same_as<Number, float>) {
    wire::store_little_endian(out, field.as_float());
  } else if constexpr (std::same_as<Number, double>) {
    wire::store_little_endian(out, field.as_double());
  } else if constexpr (std::same_as<Number, bool>) {
    wire::store_little_endian(out, field.bits != 0);
  } else if constexpr (std::same_as<Number, Float16> || std::same_as<Number, BFloat16>) {
    if (field.bits > UINT16_MAX) return false;
    wire::store_little_endian(out, static_cast<std::uint16_t>(field.bits));
  } else if constexpr (sizeof(Number) == 8) {
    wire::store_little_endian(out, static_cast<Number>(field.bits));
  } else {
    // int_val is of type int32, whatever the number's own type: a varint's upper half only repeats the sign.
    using Written = std::conditional_t<std::same_as<Number, std::uint32_t>, std::uint32_t, std::int32_t>;
    const auto written = static_cast<Written>(field.bits);
    if (!std::in_range<Number>(written)) return false;
    wire::store_little_endian(out, static_cast<Number>(written));
  }
  return true;
}

/// Makes a tensor of the values of a message.
class ValueDecoder {
 public:
  ValueDecoder(const TensorMessage& tensor, ElementType type, std::string_view file) noexcept
      : tensor_(tensor),
        type_(type),
        file_(file) {}

  /// Elements in the payload as they are, if they can be used so; else `values` is filled.
  result<void> decode(DecodedEvent& event) const {
    if (type_ != ElementType::string && !tensor_.content.empty()) return take_content(event);
    LOUPE_ASSIGN(const std::uint64_t given, count_typed());
    if (given > tensor_.elements) return corrupt("the tensor has more values than its shape has elements");
    if (given == 0 && tensor_.elements > 0) return corrupt("the tensor has no values");
    LOUPE_TRY(check_replicated(given));
    if (type_ == ElementType::string) return take_texts(event);
    LOUPE_ASSIGN(event.values, Array::make(type_, tensor_.shape));
    return given == 0 ? result<void>() : take_numbers(event.values);
  }

 private:
  result<void> take_content(DecodedEvent& event) const {
    const std::span<const std::byte> content = tensor_.content;
    const std::size_t width = element_size(type_);
    if (content.size() % width != 0 || content.size() / width != tensor_.elements)
      return corrupt("the tensor's content is not as long as its shape and element type say");
    if (type_ != ElementType::boolean || is_canonical(content)) {
      event.content = content;
      return {};
    }
    LOUPE_ASSIGN(event.values, Array::make(type_, tensor_.shape));
    std::byte* out = event.values.bytes().data();
    for (const std::byte byte : content) *out++ = byte != std::byte{0} ? std::byte{1} : std::byte{0};
    return {};
  }

  /// Whether all bytes are those of a C++ bool; reading another as one would be undefined.
  static bool is_canonical(std::span<const std::byte> content) noexcept {
    std::byte all{0};
    for (const std::byte byte : content) all |= byte;
    return all <= std::byte{1};
  }

  result<std::uint64_t> count_typed() const {
    LOUPE_ASSIGN(const std::uint64_t numbers, tensor_.count(typed_field_of(type_), file_));
    if (!is_complex(type_)) return numbers;
    if (numbers % 2 != 0) return corrupt("a complex number lacks its second half");
    return numbers / 2;
  }

  /// Bounds what is made of few bytes, before any memory is taken for it.
  result<void> check_replicated(std::uint64_t given) const {
    if (tensor_.elements == given) return {};
    std::uint64_t width = element_size(type_);
    if (type_ == ElementType::string) {
      std::size_t longest = 0;
      LOUPE_TRY(tensor_.for_each(typed_field_of(type_), file_, [&](const wire::Field& field) -> result<void> {
        longest = longest < field.bytes.size() ? field.bytes.size() : longest;
        return {};
      }));
      width = sizeof(std::string) + sizeof(std::string_view) + longest;
    }
    if (tensor_.elements - given <= max_replicated_bytes / width) return {};
    return fail_at(ErrorKind::limit_exceeded, file_, tensor_.value_offset,
                   "few values stand for more than 256 MiB of them");
  }

  result<void> take_texts(DecodedEvent& event) const {
    const auto count = static_cast<std::size_t>(tensor_.elements);
    std::vector<std::string> texts;
    texts.reserve(count);
    LOUPE_TRY(tensor_.for_each(typed_field_of(type_), file_, [&](const wire::Field& field) -> result<void> {
      texts.emplace_back(field.text());
      return {};
    }));
    if (!texts.empty()) texts.resize(count, std::string(texts.back()));
    LOUPE_ASSIGN(event.values, Array::strings(std::move(texts), tensor_.shape));
    return {};
  }

  using StoreNumber = bool (*)(const wire::Field& field, std::byte* out) noexcept;

  [[nodiscard]] StoreNumber store_of_type() const noexcept {
    return visit_element_type(type_, []<class Type>() -> StoreNumber {
      if constexpr (std::is_void_v<Type> || std::same_as<Type, std::string_view>) return nullptr;
      else if constexpr (std::same_as<Type, Complex64>) return store_number<float>;
      else if constexpr (std::same_as<Type, Complex128>) return store_number<double>;
      else return store_number<Type>;
    });
  }

  result<void> take_numbers(Array& values) const {
    const StoreNumber store = store_of_type();
    const std::size_t width = element_size(type_);
    const std::size_t part = is_complex(type_) ? width / 2 : width;
    std::byte* out = values.bytes().data();
    std::byte* const end = out + values.bytes().size();
    LOUPE_TRY(tensor_.for_each(typed_field_of(type_), file_, [&](const wire::Field& field) -> result<void> {
      if (!store(field, out))
        return fail_at(ErrorKind::corrupt, file_, field.offset, "a value is beyond the tensor's element type");
      out += part;
      return {};
    }));
    for (; out != end; out += width) std::memcpy(out, out - width, width);
    return {};
  }

  [[nodiscard]] unexpected<Error> corrupt(std::string_view detail) const {
    return fail_at(ErrorKind::corrupt, file_, tensor_.content.empty() ? tensor_.value_offset : tensor_.content_offset,
                   detail);
  }

  const TensorMessage& tensor_;
  ElementType type_;
  std::string_view file_;
};

}  // namespace detail

LOUPE_DECL result<DecodedEvent> decode_event(std::span<const std::byte> payload, std::string_view file,
                                             std::int64_t offset) {
  LOUPE_ASSIGN(const EventMessage message, read_event_message(payload, file, offset));
  DecodedEvent event;
  static_cast<EventHeader&>(event) = message;
  event.tag = message.tag;
  if (!message.has_value) return event;
  const TensorMessage& tensor = message.tensor;
  ElementType type = element_type_from(tensor.data_type);
  // smdebug's strings have no type; nor has an empty tensor of them, which has nothing else either.
  if (tensor.data_type == DataType::invalid && tensor.content.empty()) type = ElementType::string;
  if (type == ElementType::none)
    return fail_at(
        ErrorKind::unsupported, file, tensor.value_offset,
        Text::join("the tensor's element type is number ", to_text(static_cast<std::int32_t>(tensor.data_type)).view(),
                   " of TensorFlow, which is not supported"));
  event.type = type;
  event.shape = tensor.shape;
  LOUPE_TRY(detail::ValueDecoder(tensor, type, file).decode(event));
  return event;
}

}  // namespace loupe::inline LOUPE_ABI::format
#endif  // LOUPE_SINGLE_FORMAT_EVENT_DECODE_IPP
#endif  // LOUPE_SINGLE_FORMAT_EVENT_HPP
// ---- loupe/format/fwd.hpp
#ifndef LOUPE_SINGLE_FORMAT_FWD_HPP
#define LOUPE_SINGLE_FORMAT_FWD_HPP
/// @file
/// Names of format/.

namespace loupe::inline LOUPE_ABI::format {

enum class WorkerNames : std::uint8_t;
enum class ColonIndex : std::uint8_t;
struct StepWorker;
struct ReductionName;

struct IndexMeta;
class IndexVisitor;
class IndexWriter;
struct CollectionsFile;

enum class DataType : std::int32_t;
enum class DtypePolicy : std::uint8_t;
struct EventHeader;
struct RecordSpan;
struct TensorMessage;
struct EventMessage;
struct DecodedEvent;
struct SmdebugValue;

}  // namespace loupe::inline LOUPE_ABI::format
#endif  // LOUPE_SINGLE_FORMAT_FWD_HPP
// ---- loupe/format/hook_config.hpp
#ifndef LOUPE_SINGLE_FORMAT_HOOK_CONFIG_HPP
#define LOUPE_SINGLE_FORMAT_HOOK_CONFIG_HPP
/// @file
/// Hook configurations: `debughookconfig.json` and its neighbours (format.md section 13).

namespace loupe::inline LOUPE_ABI::format {

/// What a hook configuration says, with everything resolved that it leaves open.
struct HookParameters {
  Text out_dir = "/opt/ml/output/tensors";
  SaveConfig save;
  ReductionConfig reductions = ReductionConfig::raw_only();
  /// The collections that are listed, each once: to be saved, and to take the place of what was there before. They
  /// begin with the patterns that the framework gives to collections of their name.
  std::vector<Collection> collections;
  std::vector<Text> include_regex;  ///< for collection `default`
  bool save_all = false;
  bool include_all_workers = false;
  bool export_tensorboard = false;
  Text tensorboard_dir;  ///< empty: none is named
  bool dry_run = false;
};

/// What smdebug makes of hook configurations and loupe doesn't (semantics.md 19-20 and 19-21). The defaults are loupe's.
struct HookConfigQuirks {
  bool ignores_dry_run = false;
  bool flags_need_reductions = false;  ///< `save_raw_tensor`, `save_shape`: real booleans, and only beside `reductions`
  bool refuses_lists = false;          ///< lists must be texts of comma-separated words
  bool takes_any_include_workers = false;  ///< whatever isn't `all` means one
  bool takes_any_number = false;           ///< no bounds for intervals and steps
  bool collections_forget_framework =
      false;                               ///< a listed collection has 500 for interval, even where a hook has another
};
template <compat::Compatibility Policy>
inline constexpr HookConfigQuirks hook_config_quirks = {};
template <>
inline constexpr HookConfigQuirks hook_config_quirks<compat::Smdebug> = {
    .ignores_dry_run = true,
    .flags_need_reductions = true,
    .refuses_lists = true,
    .takes_any_include_workers = true,
    .takes_any_number = true,
    .collections_forget_framework = true,
};

/// What surrounds a hook configuration.
struct HookConfigContext {
  FrameworkDefaults defaults = frameworkless_defaults;
  bool in_sagemaker_job =
      false;  ///< then TensorBoard is configured by a file of its own, and its keys here are ignored
  HookConfigQuirks quirks = {};
};

/// Reads a hook configuration; `file` names it in errors. Numbers may be texts, truth values the texts `true`, `True`,
/// `false`, `False` or 0 and 1, lists comma-separated texts or JSON lists (as which a pattern may have commas). A number
/// with a fraction is cut, as smdebug does. Unknown keys are ignored. Errors name the file, the key, the place and what
/// is allowed: `corrupt` for no JSON, `invalid_type` for a value of the wrong kind, `invalid_argument` for another.
LOUPE_DECL result<HookParameters> parse_hook_config(std::string_view text, std::string_view file,
                                                    const HookConfigContext& context = {});

/// Reads the TensorBoard or checkpoint configuration (format.md 13.2, 13.3): its `LocalPath`, if it has one.
LOUPE_DECL result<std::optional<Text>> parse_local_path(std::string_view text, std::string_view file);

/// Where the configuration files are, by the environment variable or SageMaker's fixed path.
inline Text hook_config_path(const Environment& environment) {
  return environment.get("SMDEBUG_CONFIG_FILE_PATH").value_or("/opt/ml/input/config/debughookconfig.json");
}
inline Text tensorboard_config_path(const Environment& environment) {
  return environment.get("TENSORBOARD_CONFIG_FILE_PATH").value_or("/opt/ml/input/config/tensorboardoutputconfig.json");
}
inline Text checkpoint_config_path(const Environment& environment) {
  return environment.get("CHECKPOINT_CONFIG_FILE_PATH").value_or("/opt/ml/input/config/checkpointconfig.json");
}
/// Whether this is a SageMaker job, which the mere presence of `TRAINING_JOB_NAME` says.
inline bool in_sagemaker_job(const Environment& environment) {
  return environment.get("TRAINING_JOB_NAME").has_value();
}

}  // namespace loupe::inline LOUPE_ABI::format

// ---- loupe/format/hook_config.ipp
#ifndef LOUPE_SINGLE_FORMAT_HOOK_CONFIG_IPP
#define LOUPE_SINGLE_FORMAT_HOOK_CONFIG_IPP

namespace loupe::inline LOUPE_ABI::format {

namespace detail {

/// The save settings that stand in one place of a configuration.
struct GivenSave {
  std::optional<std::int64_t> interval;
  std::optional<std::int64_t> start_step;
  std::optional<std::int64_t> end_step;
  std::optional<std::vector<std::int64_t>> save_steps;

  [[nodiscard]] bool empty() const noexcept { return !interval && !start_step && !end_step && !save_steps; }
  void apply_to(ModeSaveConfig& config) const {
    if (interval) config.interval = *interval;
    if (start_step) config.start_step = *start_step;
    if (end_step) config.end_step = *end_step;
    if (save_steps) config.save_steps = *save_steps;
  }
};

/// The settings for all modes, and those for one.
struct GivenSaves {
  GivenSave general;
  GivenSave of_mode[mode_count];

  [[nodiscard]] bool empty() const noexcept {
    bool none = general.empty();
    for (const GivenSave& given : of_mode) none = none && given.empty();
    return none;
  }
  void apply_to(ModeSaveConfig& config, Mode mode) const {
    general.apply_to(config);
    of_mode[mode_index(mode)].apply_to(config);
  }
};

/// The keys that hooks and collections share.
struct GivenParameters {
  GivenSaves save;
  std::vector<Text> include_regex;
  std::optional<StatisticList> reductions;
  std::optional<bool> save_raw_tensor;
  std::optional<bool> save_shape;
  std::optional<bool> save_histogram;

  [[nodiscard]] std::optional<ReductionConfig> reduction_config(const HookConfigQuirks& quirks) const {
    const bool has_flags = save_raw_tensor || save_shape;
    if (!reductions && (!has_flags || quirks.flags_need_reductions)) return std::nullopt;
    return ReductionConfig{.statistics = reductions.value_or(StatisticList()),
                           .save_raw_tensor = save_raw_tensor.value_or(false),
                           .save_shape = save_shape.value_or(false)};
  }
};

struct GivenCollection {
  Text name;
  GivenParameters parameters;
};

class HookConfigParser {
 public:
  HookConfigParser(std::string_view text, std::string_view file, const HookConfigContext& context)
      : in_(text, file, context.quirks.refuses_lists),
        file_(file),
        context_(context),
        quirks_(context.quirks) {}

  result<HookParameters> parse() {
    LOUPE_TRY(in_.for_each_key("", [&](std::string_view key) -> result<void> {
      if (key == "LocalPath") return assign(out_.out_dir, in_.read_text());
      if (key == "HookParameters") return read_hook_parameters();
      if (key == "CollectionConfigurations") return read_collections();
      return in_.json().skip_value();
    }));
    LOUPE_TRY(in_.json().finish());
    LOUPE_TRY(resolve());
    return std::move(out_);
  }

 private:
  template <class Target, class Value>
  static result<void> assign(Target& target, result<Value>&& value) {
    if (!value) return unexpected<Error>(std::move(value).error());
    target = *std::move(value);
    return {};
  }

  /// `save_raw_tensor` and `save_shape`.
  result<bool> read_saving_flag() {
    LOUPE_ASSIGN(const wire::JsonType type, in_.json().peek());
    if (quirks_.flags_need_reductions && type != wire::JsonType::boolean) {
      // smdebug looks at the value only if there are reductions: so it is kept for then.
      LOUPE_TRY(in_.json().skip_value());
      misplaced_flag_ = true;
      return false;
    }
    return in_.read_flag();
  }

  result<void> read_patterns(std::vector<Text>& patterns) {
    patterns.clear();
    return in_.read_words("patterns, comma-separated or in a list", [&](std::string_view pattern) -> result<void> {
      if (!pattern.empty()) patterns.emplace_back(pattern);
      return {};
    });
  }

  result<void> read_reductions(GivenParameters& given) {
    given.reductions.emplace();
    return in_.read_words("reductions, comma-separated or in a list", [&](std::string_view word) -> result<void> {
      auto one = parse_statistics(word);
      if (!one) return in_.refuse(ErrorKind::invalid_argument, one.error().detail);
      for (const Statistic statistic : *one) given.reductions->push_back(statistic);
      return {};
    });
  }

  result<void> read_save_setting(GivenSave& given, std::string_view key) {
    if (key == "save_interval") return assign(given.interval, in_.read_number());
    if (key == "start_step") return assign(given.start_step, in_.read_number());
    if (key == "end_step") return assign(given.end_step, in_.read_number());
    given.save_steps.emplace();
    return in_.read_words("steps, comma-separated or in a list", [&](std::string_view word) -> result<void> {
      LOUPE_ASSIGN(const std::int64_t step, in_.to_number(word));
      given.save_steps->push_back(step);
      return {};
    });
  }
  static bool is_save_setting(std::string_view key) noexcept {
    return key == "save_interval" || key == "start_step" || key == "end_step" || key == "save_steps";
  }

  /// Reads a key that hooks and collections share; false if it is none of those, and nothing is read.
  result<bool> read_shared(GivenParameters& given, std::string_view key) {
    GivenSave* place = &given.save.general;
    std::string_view setting = key;
    for (const Mode mode : all_modes) {
      const std::string_view name = mode_config_name(mode);
      if (!key.starts_with(name) || !key.substr(name.size()).starts_with('.')) continue;
      place = &given.save.of_mode[mode_index(mode)];
      setting = key.substr(name.size() + 1);
    }
    if (is_save_setting(setting)) LOUPE_TRY(read_save_setting(*place, setting));
    else if (key == "include_regex") LOUPE_TRY(read_patterns(given.include_regex));
    else if (key == "reductions") LOUPE_TRY(read_reductions(given));
    else if (key == "save_raw_tensor") LOUPE_TRY(assign(given.save_raw_tensor, read_saving_flag()));
    else if (key == "save_shape") LOUPE_TRY(assign(given.save_shape, read_saving_flag()));
    else return false;
    return true;
  }
  result<void> check_flags(const GivenParameters& given, std::string_view where) {
    if (!std::exchange(misplaced_flag_, false) || !given.reductions) return {};
    return fail(ErrorKind::invalid_argument, file_,
                Text::join(where, ": save_raw_tensor and save_shape must be JSON booleans"));
  }

  result<void> read_hook_parameters() {
    hook_ = {};
    LOUPE_TRY(in_.for_each_key("HookParameters", [&](std::string_view key) -> result<void> {
      LOUPE_ASSIGN(const bool is_read, read_shared(hook_, key));
      if (is_read) return {};
      if (key == "save_all") return assign(out_.save_all, in_.read_flag());
      if (key == "include_workers") return read_include_workers();
      if (key == "dry_run" && !quirks_.ignores_dry_run) return assign(out_.dry_run, in_.read_flag());
      if (context_.in_sagemaker_job) return in_.json().skip_value();
      if (key == "export_tensorboard") return assign(out_.export_tensorboard, in_.read_flag());
      if (key == "tensorboard_dir") return assign(out_.tensorboard_dir, in_.read_text());
      return in_.json().skip_value();
    }));
    return check_flags(hook_, "HookParameters");
  }

  result<void> read_include_workers() {
    LOUPE_ASSIGN(const Text workers, in_.read_text());
    out_.include_all_workers = workers == "all";
    if (workers != "all" && workers != "one" && !quirks_.takes_any_include_workers)
      return in_.refuse_text(workers, "one or all");
    return {};
  }

  result<void> read_collections() {
    collections_.clear();
    LOUPE_ASSIGN(const wire::JsonType type, in_.json().peek());
    if (type == wire::JsonType::null) return in_.json().read_null();
    if (type != wire::JsonType::array) return in_.refuse_type(type, "a list");
    LOUPE_TRY(in_.json().begin_array());
    while (true) {
      LOUPE_ASSIGN(const bool has_next, in_.json().next_element());
      if (!has_next) return {};
      GivenCollection given;
      const std::string where = "CollectionConfigurations[" + std::to_string(collections_.size()) + "]";
      in_.go_to(where);
      LOUPE_TRY(in_.for_each_key(where, [&](std::string_view key) -> result<void> {
        if (key == "CollectionName") return assign(given.name, in_.read_text());
        if (key != "CollectionParameters") return in_.json().skip_value();
        given.parameters = {};
        return in_.for_each_key(where + ".CollectionParameters", [&](std::string_view parameter) -> result<void> {
          if (parameter == "save_histogram") return assign(given.parameters.save_histogram, in_.read_flag());
          LOUPE_ASSIGN(const bool is_read, read_shared(given.parameters, parameter));
          if (is_read) return {};
          return in_.json().skip_value();
        });
      }));
      if (given.name.empty())
        return fail(ErrorKind::invalid_argument, file_, Text::join(where, " lacks a CollectionName"));
      LOUPE_TRY(check_flags(given.parameters, where));
      collections_.push_back(std::move(given));
    }
  }

  // Resolving: what a collection leaves open the hook says, and what the hook leaves open the framework.

  result<void> resolve() {
    ModeSaveConfig base{.interval = context_.defaults.save_interval};
    hook_.save.general.apply_to(base);
    out_.save = {base.interval, base.start_step, base.end_step, base.save_steps, {}, {}, {}, {}};
    std::optional<ModeSaveConfig>* const own[] = {&out_.save.train, &out_.save.eval, &out_.save.predict,
                                                  &out_.save.global};
    for (const Mode mode : all_modes) {
      const GivenSave& given = hook_.save.of_mode[mode_index(mode)];
      if (given.empty()) continue;
      *own[mode_index(mode)] = base;
      given.apply_to(**own[mode_index(mode)]);
    }
    LOUPE_TRY(check(out_.save.validate(), "HookParameters"));
    out_.include_regex = std::move(hook_.include_regex);
    if (auto reductions = hook_.reduction_config(quirks_)) out_.reductions = *std::move(reductions);
    for (const GivenCollection& given : collections_) LOUPE_TRY(resolve(given));
    return {};
  }

  result<void> resolve(const GivenCollection& given) {
    Collection& collection = listed(given.name);
    for (const Text& pattern : given.parameters.include_regex) collection.include(pattern);
    if (auto reductions = given.parameters.reduction_config(quirks_)) collection.reductions = std::move(reductions);
    if (given.parameters.save_histogram) collection.save_histogram = *given.parameters.save_histogram;
    collection.save.reset();
    if (given.parameters.save.empty() && !quirks_.collections_forget_framework) return {};
    collection.save.emplace();
    for (const Mode mode : all_modes) {
      ModeSaveConfig config;
      if (!quirks_.collections_forget_framework) config.interval = context_.defaults.save_interval;
      hook_.save.apply_to(config, mode);
      given.parameters.save.apply_to(config, mode);
      collection.save->set(mode, std::move(config));
    }
    return check(collection.save->validate(), Text::join("collection ", given.name.view()));
  }

  Collection& listed(std::string_view name) {
    for (Collection& collection : out_.collections)
      if (collection.name == name) return collection;
    Collection& collection = out_.collections.emplace_back();
    collection.name = name;
    for (const DefaultCollection& known : context_.defaults.collections)
      if (known.name == name && !known.pattern.empty()) collection.include(known.pattern);
    return collection;
  }

  [[nodiscard]] result<void> check(result<void>&& outcome, std::string_view where) const {
    if (outcome || quirks_.takes_any_number) return {};
    return fail(ErrorKind::invalid_argument, file_, Text::join(where, ": ", outcome.error().message().view()));
  }

  ConfigValues in_;
  std::string_view file_;
  const HookConfigContext& context_;
  const HookConfigQuirks& quirks_;
  HookParameters out_;
  GivenParameters hook_;
  std::vector<GivenCollection> collections_;
  bool misplaced_flag_ = false;
};

}  // namespace detail

LOUPE_DECL result<HookParameters> parse_hook_config(std::string_view text, std::string_view file,
                                                    const HookConfigContext& context) {
  return detail::HookConfigParser(text, file, context).parse();
}

LOUPE_DECL result<std::optional<Text>> parse_local_path(std::string_view text, std::string_view file) {
  wire::JsonReader json(text, file);
  std::optional<Text> path;
  std::string scratch;
  LOUPE_TRY(json.begin_object());
  while (true) {
    LOUPE_ASSIGN(const auto key, json.next_key(scratch));
    if (!key) break;
    if (*key == "LocalPath") {
      LOUPE_ASSIGN(path, json.read_string(scratch));
    } else {
      LOUPE_TRY(json.skip_value());
    }
  }
  LOUPE_TRY(json.finish());
  return path;
}

}  // namespace loupe::inline LOUPE_ABI::format
#endif  // LOUPE_SINGLE_FORMAT_HOOK_CONFIG_IPP
#endif  // LOUPE_SINGLE_FORMAT_HOOK_CONFIG_HPP
// ---- loupe/format/index.hpp
#ifndef LOUPE_SINGLE_FORMAT_INDEX_HPP
#define LOUPE_SINGLE_FORMAT_INDEX_HPP
/// @file
/// Index files: which records of which event file are whose (format.md section 6).

namespace loupe::inline LOUPE_ABI::format {

/// What an index file says of the step as a whole.
struct IndexMeta {
  Mode mode = Mode::global;
  std::int64_t mode_step = 0;
  /// Key of the event file, relative to the trial; empty if only shapes were saved.
  std::string_view event_file_name;
};

/// Takes the parts of an index document. Texts are valid during the call. An error ends the parsing.
class IndexVisitor {
 public:
  /// Called once, before or after the entries: as the document has it.
  virtual result<void> meta(const IndexMeta& meta) = 0;
  /// A record of the event file: `length` bytes from byte `start` on, framing included.
  virtual result<void> tensor(std::string_view name, std::uint64_t start, std::uint64_t length) = 0;
  virtual result<void> shape(std::string_view name, std::string_view original_name, const Shape& shape) = 0;

 protected:
  ~IndexVisitor() = default;
};

/// Reads an index document; `file` names it in errors. Accepts any key order, unknown keys, raw UTF-8, and documents
/// without `shape_payload` (of old). Errors are `index_reader` with the byte offset: no JSON, no or empty `meta`, neither
/// payload, an unknown mode, records without an event file, numbers below 0, an event file outside of the trial.
/// A negative `mode_step` is handed on: smdebug writes it, and the visitor must decide.
LOUPE_DECL result<void> parse_index(std::string_view text, std::string_view file, IndexVisitor& visitor);

/// Appends an index document to a buffer as smdebug writes it, byte for byte. All tensors come before the first shape.
class IndexWriter {
 public:
  /// An empty `event_file_name` says that there are only shapes.
  LOUPE_DECL IndexWriter(ByteBuffer& out, Mode mode, std::int64_t mode_step, std::string_view event_file_name);
  LOUPE_DECL void tensor(std::string_view name, std::uint64_t start, std::uint64_t length);
  LOUPE_DECL void shape(std::string_view name, std::string_view original_name, const Shape& shape);
  /// Completes the document.
  LOUPE_DECL void finish();

 private:
  LOUPE_DECL void begin_shapes();
  wire::JsonWriter json_;
  bool in_shapes_ = false;
};

}  // namespace loupe::inline LOUPE_ABI::format

// ---- loupe/format/index.ipp
#ifndef LOUPE_SINGLE_FORMAT_INDEX_IPP
#define LOUPE_SINGLE_FORMAT_INDEX_IPP

namespace loupe::inline LOUPE_ABI::format {

namespace detail {

/// The parser of one document.
class IndexParser {
 public:
  IndexParser(std::string_view text, std::string_view file, IndexVisitor& visitor) noexcept
      : json_(text, file), file_(file), visitor_(visitor) {}

  result<void> parse() {
    LOUPE_TRY(json_.begin_object());
    while (true) {
      LOUPE_ASSIGN(const auto key, json_.next_key(scratch_));
      if (!key) break;
      if (*key == "meta") { LOUPE_TRY(parse_meta()); }
      else if (*key == "tensor_payload") { LOUPE_TRY(parse_tensors()); }
      else if (*key == "shape_payload") { LOUPE_TRY(parse_shapes()); }
      else { LOUPE_TRY(json_.skip_value()); }
    }
    LOUPE_TRY(json_.finish());
    if (!has_meta_) return fail(ErrorKind::index_reader, file_, "the document has no meta");
    if (!has_payload_) return fail(ErrorKind::index_reader, file_, "the document has neither tensor_payload nor shape_payload");
    if (has_records_ && !has_event_file_)
      return fail(ErrorKind::index_reader, file_, "the document has records but no meta.event_file_name");
    return {};
  }

 private:
  result<void> parse_meta() {
    IndexMeta meta;
    std::optional<Mode> mode;
    bool has_mode_step = false;
    bool has_key = false;
    LOUPE_TRY(json_.begin_object());
    while (true) {
      LOUPE_ASSIGN(const auto key, json_.next_key(scratch_));
      if (!key) break;
      has_key = true;
      if (*key == "mode") {
        LOUPE_ASSIGN(const std::string_view name, json_.read_string(scratch_));
        mode = mode_from_name(trimmed_blanks(name));
        if (!mode) return json_.fail_here("the mode is none of TRAIN, EVAL, PREDICT, GLOBAL");
      } else if (*key == "mode_step") {
        LOUPE_ASSIGN(meta.mode_step, read_mode_step());
        has_mode_step = true;
      } else if (*key == "event_file_name") {
        LOUPE_ASSIGN(const std::string_view name, json_.read_string(event_file_scratch_));
        if (!check_key(name)) return json_.fail_here("the event file is not named by a path within the trial");
        meta.event_file_name = name;
        has_event_file_ = true;
      } else {
        LOUPE_TRY(json_.skip_value());
      }
    }
    if (!has_key) return fail(ErrorKind::index_reader, file_, "the document's meta is empty");
    if (!mode || !has_mode_step) return fail(ErrorKind::index_reader, file_, "the document's meta lacks mode or mode_step");
    if (has_meta_) return json_.fail_here("the document has a second meta");
    has_meta_ = true;
    meta.mode = *mode;
    return visitor_.meta(meta);
  }

  /// A number, or as of old a text of digits.
  result<std::int64_t> read_mode_step() {
    LOUPE_ASSIGN(const wire::JsonType type, json_.peek());
    if (type != wire::JsonType::string) return json_.read_int64();
    LOUPE_ASSIGN(const std::string_view text, json_.read_string(scratch_));
    const std::string_view digits = trimmed_blanks(text);
    std::int64_t number = 0;
    for (const char digit : digits) {
      if (digit < '0' || digit > '9' || number > (INT64_MAX - 9) / 10) return json_.fail_here("the mode step is not a number");
      number = number * 10 + (digit - '0');
    }
    if (digits.empty()) return json_.fail_here("the mode step is not a number");
    return number;
  }

  result<void> parse_tensors() {
    has_payload_ = true;
    LOUPE_TRY(json_.begin_array());
    while (true) {
      LOUPE_ASSIGN(const bool has_next, json_.next_element());
      if (!has_next) return {};
      std::optional<std::string_view> name;
      std::optional<std::uint64_t> start;
      std::optional<std::uint64_t> length;
      LOUPE_TRY(json_.begin_object());
      while (true) {
        LOUPE_ASSIGN(const auto key, json_.next_key(scratch_));
        if (!key) break;
        if (*key == "tensorname") { LOUPE_ASSIGN(name, json_.read_string(name_scratch_)); }
        else if (*key == "start_idx") { LOUPE_ASSIGN(start, json_.read_uint64()); }
        else if (*key == "length") { LOUPE_ASSIGN(length, json_.read_uint64()); }
        else { LOUPE_TRY(json_.skip_value()); }
      }
      if (!name || !start || !length) return json_.fail_here("an entry lacks tensorname, start_idx or length");
      has_records_ = true;
      LOUPE_TRY(visitor_.tensor(*name, *start, *length));
    }
  }

  result<void> parse_shapes() {
    has_payload_ = true;
    LOUPE_TRY(json_.begin_array());
    while (true) {
      LOUPE_ASSIGN(const bool has_next, json_.next_element());
      if (!has_next) return {};
      std::optional<std::string_view> name;
      std::optional<std::string_view> original_name;
      std::optional<Shape> shape;
      LOUPE_TRY(json_.begin_object());
      while (true) {
        LOUPE_ASSIGN(const auto key, json_.next_key(scratch_));
        if (!key) break;
        if (*key == "tensorname") { LOUPE_ASSIGN(name, json_.read_string(name_scratch_)); }
        else if (*key == "originalname") { LOUPE_ASSIGN(original_name, json_.read_string(original_scratch_)); }
        else if (*key == "shape") { LOUPE_ASSIGN(shape, read_shape()); }
        else { LOUPE_TRY(json_.skip_value()); }
      }
      if (!name || !shape) return json_.fail_here("an entry lacks tensorname or shape");
      LOUPE_TRY(visitor_.shape(*name, original_name.value_or(*name), *shape));
    }
  }

  result<Shape> read_shape() {
    Shape shape;
    LOUPE_TRY(json_.begin_array());
    while (true) {
      LOUPE_ASSIGN(const bool has_next, json_.next_element());
      if (!has_next) break;
      LOUPE_ASSIGN(const std::int64_t size, json_.read_int64());
      if (size < 0) return json_.fail_here("a size of a shape is negative");
      if (!shape.push_back(size)) return json_.fail_here("a shape has more than 32 axes");
    }
    return shape;
  }

  static std::string_view trimmed_blanks(std::string_view text) noexcept {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == '\n')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\n')) text.remove_suffix(1);
    return text;
  }

  wire::JsonReader json_;
  std::string_view file_;
  IndexVisitor& visitor_;
  std::string scratch_;
  std::string name_scratch_;
  std::string original_scratch_;
  std::string event_file_scratch_;
  bool has_meta_ = false;
  bool has_payload_ = false;
  bool has_records_ = false;
  bool has_event_file_ = false;
};

}  // namespace detail

LOUPE_DECL result<void> parse_index(std::string_view text, std::string_view file, IndexVisitor& visitor) {
  auto outcome = detail::IndexParser(text, file, visitor).parse();
  // Whatever is wrong with the text makes the index unreadable; what the visitor refused keeps its kind.
  if (!outcome && outcome.error().kind == ErrorKind::corrupt) outcome.error().kind = ErrorKind::index_reader;
  return outcome;
}

LOUPE_DECL IndexWriter::IndexWriter(ByteBuffer& out, Mode mode, std::int64_t mode_step, std::string_view event_file_name) : json_(out) {
  json_.begin_object().key("meta").begin_object();
  json_.key("mode").string(mode_name(mode)).key("mode_step").number(mode_step);
  if (!event_file_name.empty()) json_.key("event_file_name").string(event_file_name);
  json_.end_object().key("tensor_payload").begin_array();
}

LOUPE_DECL void IndexWriter::tensor(std::string_view name, std::uint64_t start, std::uint64_t length) {
  json_.begin_object().key("tensorname").string(name).key("start_idx").number(start).key("length").number(length).end_object();
}

LOUPE_DECL void IndexWriter::shape(std::string_view name, std::string_view original_name, const Shape& shape) {
  begin_shapes();
  json_.begin_object().key("tensorname").string(name).key("originalname").string(original_name).key("shape").begin_array();
  for (const std::int64_t size : shape) json_.number(size);
  json_.end_array().end_object();
}

LOUPE_DECL void IndexWriter::finish() {
  begin_shapes();
  json_.end_array().end_object();
}

LOUPE_DECL void IndexWriter::begin_shapes() {
  if (in_shapes_) return;
  in_shapes_ = true;
  json_.end_array().key("shape_payload").begin_array();
}

}  // namespace loupe::inline LOUPE_ABI::format
#endif  // LOUPE_SINGLE_FORMAT_INDEX_IPP
#endif  // LOUPE_SINGLE_FORMAT_INDEX_HPP
// ---- loupe/format/layout.hpp
#ifndef LOUPE_SINGLE_FORMAT_LAYOUT_HPP
#define LOUPE_SINGLE_FORMAT_LAYOUT_HPP
/// @file
/// Where everything of a trial lies, and what its names mean (format.md sections 1, 2 and 8): the only place that knows.

namespace loupe::inline LOUPE_ABI::format {

inline constexpr std::string_view index_prefix = "index/";
inline constexpr std::string_view events_prefix = "events/";
inline constexpr std::string_view collections_prefix = "collections/000000000/";
/// TensorBoard's files, unless they have a directory of their own.
inline constexpr std::string_view tensorboard_prefix = "tensorboard/";
/// Where each of several workers says that it has closed; of loupe's own.
inline constexpr std::string_view closed_prefix = "loupe/closed/";
inline constexpr std::string_view end_marker_key = "training_job_end.ts";
inline constexpr std::string_view claim_key = "claim.smd";

/// Index files of so many step numbers share a directory.
inline constexpr std::int64_t steps_per_bucket = 1000;

/// `events/<step>/<step>_<worker>.tfevents`. The worker is given as in files, escaped.
LOUPE_DECL Text event_key(std::int64_t step, std::string_view worker);
/// `index/<bucket>/<step>_<worker>.json`.
LOUPE_DECL Text index_key(std::int64_t step, std::string_view worker);
/// `collections/000000000/<worker>_collections.json`.
LOUPE_DECL Text collections_key(std::string_view worker);
/// `<MODE>/<step>_<pid>_<hostname>.tfevents`, relative to the TensorBoard directory.
LOUPE_DECL Text tensorboard_key(Mode mode, std::int64_t step, std::string_view process_on_host);

/// How smdebug makes a device's name fit into a file name: `/` → `_`, then `:` → `-`.
LOUPE_DECL Text escape_worker(std::string_view device);
/// The other way: `_` → `/`, then `-` → `:`. Names with `_` or `-` of their own don't come back.
LOUPE_DECL std::string unescape_worker(std::string_view name);
/// Refuses names of workers that make no file name, or one that readers would take for another: empty, longer than 200
/// bytes, with `/` or NUL, or with `__` behind the first letter.
LOUPE_DECL result<void> check_worker(std::string_view worker);

/// When a worker's name in a file is taken to be an escaped device.
enum class WorkerNames : std::uint8_t {
  escaped_by_first_letter,  ///< if it begins with `_`
  escaped_by_path,          ///< as smdebug: if `__` stands anywhere in the path (semantics.md 19-15)
};

/// What the name of an index or event file says.
struct StepWorker {
  std::int64_t step = 0;
  std::string worker;  ///< un-escaped
};
/// Reads the name of an index file (`.json`, or `.csv` of old); `index_reader` if it isn't one.
LOUPE_DECL result<StepWorker> parse_index_key(std::string_view key, WorkerNames names = WorkerNames::escaped_by_first_letter);
/// Reads the name of an event file.
LOUPE_DECL result<StepWorker> parse_event_key(std::string_view key, WorkerNames names = WorkerNames::escaped_by_first_letter);
/// The worker of a collections file, or nothing if the name is of something else.
LOUPE_DECL std::optional<std::string> parse_collections_key(std::string_view key);

/// What the names of scalars begin with.
inline constexpr std::string_view scalar_prefix = "scalar/";
/// What marks the names of reductions.
inline constexpr std::string_view reduction_prefix = "smdebug/reductions/";

/// Whether `:<digits>` is deleted from a tensor's name when its reductions are named; only TensorFlow's hooks keep it.
enum class ColonIndex : std::uint8_t { remove, keep };

/// Appends `smdebug/reductions/<operation>/<tensor>`; `operation` is a statistic's name such as `abs_l2`.
LOUPE_DECL void append_reduction_name(ByteBuffer& out, std::string_view operation, std::string_view tensor,
                                      ColonIndex colon = ColonIndex::remove);

/// A reduction's name taken apart. The parts view the name; `operation` is without `abs_`.
struct ReductionName {
  std::string_view operation;
  bool absolute = false;
  std::string_view tensor;
};
/// Nothing if the name is of a tensor itself.
LOUPE_DECL std::optional<ReductionName> split_reduction_name(std::string_view name) noexcept;

/// A TensorBoard tag of a name (format.md section 9): what is no letter or digit of any script, `_`, `-`, `/` or `.`
/// becomes `_`; leading slashes go.
LOUPE_DECL Text clean_tag(std::string_view name);

}  // namespace loupe::inline LOUPE_ABI::format

// ---- loupe/format/layout.ipp
#ifndef LOUPE_SINGLE_FORMAT_LAYOUT_IPP
#define LOUPE_SINGLE_FORMAT_LAYOUT_IPP

namespace loupe::inline LOUPE_ABI::format {

namespace detail {

/// A number as Python's `format(number, "0<width>")`: the sign counts, a wide number is kept whole.
inline Text padded(std::int64_t number, std::size_t width) {
  const Text digits = to_text(number);
  if (digits.size() >= width) return digits;
  const std::string_view zeros("000000000000", width - digits.size());
  if (number < 0) return Text::join("-", zeros, digits.view().substr(1));
  return Text::join(zeros, digits.view());
}

inline Text step_text(std::int64_t step) { return padded(step, 12); }

inline constexpr std::string_view collections_suffix = "_collections.json";
inline constexpr std::string_view old_collections_suffix = "_collections.ts";

/// Reads `<anything>/<step>_<worker>.<one of the suffixes>`.
inline result<StepWorker> parse_step_worker(std::string_view key, std::string_view suffix, std::string_view other_suffix,
                                            WorkerNames names) {
  const auto refuse = [key](const char* why) { return fail(ErrorKind::index_reader, key, why); };
  const auto slash = key.find_last_of('/');
  if (slash == std::string_view::npos) return refuse("the file lies in no directory of a trial");
  std::string_view name = key.substr(slash + 1);
  if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  else if (!other_suffix.empty() && name.ends_with(other_suffix)) name.remove_suffix(other_suffix.size());
  else return refuse("the file's name has not the ending of its kind");
  std::int64_t step = 0;
  std::size_t digits = 0;
  for (; digits < name.size() && name[digits] >= '0' && name[digits] <= '9'; ++digits) {
    if (step > (INT64_MAX - 9) / 10) return refuse("the step in the file's name is too large");
    step = step * 10 + (name[digits] - '0');
  }
  if (digits == 0 || digits == name.size() || name[digits] != '_') return refuse("the file's name doesn't begin with a step and _");
  const std::string_view worker = name.substr(digits + 1);
  if (worker.empty()) return refuse("the file's name lacks a worker");
  const bool is_escaped = names == WorkerNames::escaped_by_path ? key.find("__") != std::string_view::npos : worker.front() == '_';
  return StepWorker{step, is_escaped ? unescape_worker(worker) : std::string(worker)};
}

}  // namespace detail

LOUPE_DECL Text event_key(std::int64_t step, std::string_view worker) {
  const Text number = detail::step_text(step);
  return Text::join(events_prefix, number.view(), "/", number.view(), "_", worker, ".tfevents");
}

LOUPE_DECL Text index_key(std::int64_t step, std::string_view worker) {
  const std::int64_t bucket = step >= 0 ? step / steps_per_bucket : -((-step + steps_per_bucket - 1) / steps_per_bucket);
  return Text::join(index_prefix, detail::padded(bucket, 9).view(), "/", detail::step_text(step).view(), "_", worker, ".json");
}

LOUPE_DECL Text collections_key(std::string_view worker) {
  return Text::join(collections_prefix, worker, detail::collections_suffix);
}

LOUPE_DECL Text tensorboard_key(Mode mode, std::int64_t step, std::string_view process_on_host) {
  return Text::join(mode_name(mode), "/", detail::step_text(step).view(), "_", process_on_host, ".tfevents");
}

LOUPE_DECL Text escape_worker(std::string_view device) {
  std::string escaped(device);
  for (char& letter : escaped) {
    if (letter == '/') letter = '_';
    else if (letter == ':') letter = '-';
  }
  return escaped;
}

LOUPE_DECL std::string unescape_worker(std::string_view name) {
  std::string device(name);
  for (char& letter : device) {
    if (letter == '_') letter = '/';
    else if (letter == '-') letter = ':';
  }
  return device;
}

LOUPE_DECL result<void> check_worker(std::string_view worker) {
  const auto refuse = [worker](const char* why) { return fail(ErrorKind::invalid_argument, worker.substr(0, 200), why); };
  if (worker.empty()) return refuse("a worker's name must not be empty");
  if (worker.size() > 200) return refuse("a worker's name must not be longer than 200 bytes");
  if (worker.find('/') != std::string_view::npos || worker.find('\0') != std::string_view::npos)
    return refuse("a worker's name must not contain / or NUL; see escape_worker for names of devices");
  if (worker.find("__", 1) != std::string_view::npos)
    return refuse("a worker's name must not contain __, which smdebug takes for the mark of a device's name");
  return {};
}

LOUPE_DECL result<StepWorker> parse_index_key(std::string_view key, WorkerNames names) {
  return detail::parse_step_worker(key, ".json", ".csv", names);
}

LOUPE_DECL result<StepWorker> parse_event_key(std::string_view key, WorkerNames names) {
  return detail::parse_step_worker(key, ".tfevents", {}, names);
}

LOUPE_DECL std::optional<std::string> parse_collections_key(std::string_view key) {
  std::string_view name = key.substr(key.find_last_of('/') + 1);
  if (name.ends_with(detail::collections_suffix)) name.remove_suffix(detail::collections_suffix.size());
  else if (name.ends_with(detail::old_collections_suffix)) name.remove_suffix(detail::old_collections_suffix.size());
  else return std::nullopt;
  if (name.empty()) return std::nullopt;
  return name.front() == '_' ? unescape_worker(name) : std::string(name);
}

LOUPE_DECL void append_reduction_name(ByteBuffer& out, std::string_view operation, std::string_view tensor, ColonIndex colon) {
  out.append(reduction_prefix);
  out.append(operation);
  out.append('/');
  if (colon == ColonIndex::keep) {
    out.append(tensor);
    return;
  }
  const auto is_digit = [&](std::size_t at) { return at < tensor.size() && tensor[at] >= '0' && tensor[at] <= '9'; };
  std::size_t kept_from = 0;
  for (std::size_t at = 0; at < tensor.size(); ++at) {
    if (tensor[at] != ':' || !is_digit(at + 1)) continue;
    out.append(tensor.substr(kept_from, at - kept_from));
    while (is_digit(at + 1)) ++at;
    kept_from = at + 1;
  }
  out.append(tensor.substr(kept_from));
}

LOUPE_DECL std::optional<ReductionName> split_reduction_name(std::string_view name) noexcept {
  const auto mark = name.find(reduction_prefix);
  if (mark == std::string_view::npos) return std::nullopt;
  std::string_view rest = name.substr(mark + reduction_prefix.size());
  rest = rest.substr(0, rest.find(reduction_prefix));
  const auto slash = rest.find('/');
  ReductionName parts;
  parts.operation = rest.substr(0, slash);
  parts.tensor = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  if (parts.operation.starts_with("abs_")) {
    parts.absolute = true;
    parts.operation.remove_prefix(4);
  }
  return parts;
}

LOUPE_DECL Text clean_tag(std::string_view name) {
  std::string tag;
  while (!name.empty()) {
    const std::string_view before = name;
    const char32_t code = take_code_point(name);
    const std::string_view bytes = before.substr(0, before.size() - name.size());
    if (is_word_character(code) || code == '-' || code == '/' || code == '.') tag += bytes;
    else tag += '_';
  }
  const auto first = tag.find_first_not_of('/');
  return first == std::string::npos ? Text() : Text(std::string_view(tag).substr(first));
}

}  // namespace loupe::inline LOUPE_ABI::format
#endif  // LOUPE_SINGLE_FORMAT_LAYOUT_IPP
#endif  // LOUPE_SINGLE_FORMAT_LAYOUT_HPP
// ---- loupe/format/smdebug_compat.hpp
#ifndef LOUPE_SINGLE_FORMAT_SMDEBUG_COMPAT_HPP
#define LOUPE_SINGLE_FORMAT_SMDEBUG_COMPAT_HPP
/// @file
/// Event records as smdebug's reader decodes them, defects included (format.md 4.4 to 4.6): what `compat::Smdebug` reads.

namespace loupe::inline LOUPE_ABI::format {

/// What smdebug's reader answers.
struct SmdebugValue {
  DecodedEvent event;     ///< with the type, shape and elements that smdebug gives
  bool has_shape = true;  ///< false for Python's `None`, then there is no tensor, and for a bare Python `bool`
};

/// Reads a record's payload as smdebug does:
///
/// - int8 is taken for uint8; int16, uint16, uint32, uint64, complex64, bfloat16 and quantized types are missing;
/// - strings have no element type and rank 1;
/// - typed fields are read for int32, int64, float32 and bool only, and their shape is forgotten; no integers are `None`,
///   and any truth values are the single value true.
///
/// Where Python raises, the error's kind says what: `unsupported` KeyError, `invalid_type` SMDebugTypeError,
/// `invalid_argument` SMDebugValueError, `corrupt` ValueError (or what protobuf raises).
LOUPE_DECL result<SmdebugValue> decode_event_as_smdebug(std::span<const std::byte> payload, std::string_view file,
                                                        std::int64_t offset);

}  // namespace loupe::inline LOUPE_ABI::format

// ---- loupe/format/smdebug_compat.ipp
#ifndef LOUPE_SINGLE_FORMAT_SMDEBUG_COMPAT_IPP
#define LOUPE_SINGLE_FORMAT_SMDEBUG_COMPAT_IPP

namespace loupe::inline LOUPE_ABI::format {

namespace detail {

/// The types that smdebug's table has.
constexpr ElementType smdebug_element_type(DataType type) noexcept {
  switch (type) {
    case DataType::float16:
    case DataType::float32:
    case DataType::float64:
    case DataType::int32:
    case DataType::int64:
    case DataType::uint8:
    case DataType::boolean:
    case DataType::complex128:
    case DataType::string: return element_type_from(type);
    case DataType::int8: return ElementType::uint8;
    default: return ElementType::none;
  }
}

class SmdebugDecoder {
 public:
  SmdebugDecoder(const TensorMessage& tensor, std::string_view file) noexcept : tensor_(tensor), file_(file) {}

  result<void> decode(SmdebugValue& value) const {
    constexpr TypedField texts = typed_field_of(ElementType::string);
    LOUPE_ASSIGN(const std::uint64_t text_count, tensor_.count(texts, file_));
    if (tensor_.data_type == DataType::invalid && text_count > 0) return take_texts(texts, text_count, value.event);
    const ElementType type = smdebug_element_type(tensor_.data_type);
    if (type == ElementType::none) return error(ErrorKind::unsupported, "KeyError: smdebug has no such element type");
    if (!tensor_.content.empty()) return take_content(type, value.event);
    return take_typed(type, value);
  }

 private:
  result<void> take_texts(TypedField field, std::uint64_t given, DecodedEvent& event) const {
    if (tensor_.shape.size() != 1)
      return error(ErrorKind::invalid_argument, "SMDebugValueError: strings must have rank 1");
    const auto count = static_cast<std::uint64_t>(tensor_.shape[0]);
    if (count > given) return error(ErrorKind::corrupt, "IndexError: there are fewer strings than the shape says");
    std::vector<std::string> texts;
    LOUPE_TRY(tensor_.for_each(field, file_, [&](const wire::Field& text) -> result<void> {
      if (texts.size() == count) return {};
      if (!wire::is_utf8(text.text())) return error(ErrorKind::corrupt, "UnicodeDecodeError: a string is not UTF-8");
      texts.emplace_back(text.text());
      return {};
    }));
    return take(Array::strings(std::move(texts), tensor_.shape), event);
  }

  result<void> take_content(ElementType type, DecodedEvent& event) const {
    const std::size_t width = element_size(type);
    if (type == ElementType::string || tensor_.content.size() % width != 0 ||
        tensor_.content.size() / width != tensor_.elements)
      return error(ErrorKind::corrupt, "ValueError: the content doesn't fit the shape");
    event.type = type;
    event.shape = tensor_.shape;
    if (type != ElementType::boolean) {
      event.content = tensor_.content;
      return {};
    }
    LOUPE_ASSIGN(event.values, Array::make(type, tensor_.shape));
    std::byte* out = event.values.bytes().data();
    for (const std::byte byte : tensor_.content) *out++ = byte != std::byte{0} ? std::byte{1} : std::byte{0};
    return {};
  }

  result<void> take_typed(ElementType type, SmdebugValue& value) const {
    const TypedField field = typed_field_of(type);
    LOUPE_ASSIGN(const std::uint64_t given, tensor_.count(field, file_));
    switch (type) {
      case ElementType::int32:
      case ElementType::int64:
        if (given != 0) break;
        value.has_shape = false;
        return {};
      case ElementType::float32:
      case ElementType::boolean:
        if (given == 0) return error(ErrorKind::invalid_argument, "SMDebugValueError: the typed field is empty");
        break;
      default:
        return error(ErrorKind::invalid_type, "SMDebugTypeError: smdebug reads no typed field of this element type");
    }
    if (type == ElementType::boolean) {
      // A Python list with something in it is true.
      value.has_shape = false;
      LOUPE_TRY(take(Array::make(type, Shape()), value.event));
      value.event.values.bytes()[0] = std::byte{1};
      return {};
    }
    LOUPE_TRY(take(Array::make(type, {static_cast<std::int64_t>(given)}), value.event));
    std::byte* out = value.event.values.bytes().data();
    const std::size_t width = element_size(type);
    return tensor_.for_each(field, file_, [&](const wire::Field& number) -> result<void> {
      std::memcpy(out, &number.bits, width);
      out += width;
      return {};
    });
  }

  static result<void> take(result<Array> values, DecodedEvent& event) {
    LOUPE_ASSIGN(event.values, std::move(values));
    event.type = event.values.type();
    event.shape = event.values.shape();
    return {};
  }

  [[nodiscard]] unexpected<Error> error(ErrorKind kind, std::string_view detail) const {
    return fail_at(kind, file_, tensor_.value_offset, detail);
  }

  const TensorMessage& tensor_;
  std::string_view file_;
};

}  // namespace detail

LOUPE_DECL result<SmdebugValue> decode_event_as_smdebug(std::span<const std::byte> payload, std::string_view file,
                                                        std::int64_t offset) {
  LOUPE_ASSIGN(const EventMessage message, read_event_message(payload, file, offset));
  SmdebugValue value;
  static_cast<EventHeader&>(value.event) = message;
  value.event.tag = message.tag;
  if (message.has_value) LOUPE_TRY(detail::SmdebugDecoder(message.tensor, file).decode(value));
  return value;
}

}  // namespace loupe::inline LOUPE_ABI::format
#endif  // LOUPE_SINGLE_FORMAT_SMDEBUG_COMPAT_IPP
#endif  // LOUPE_SINGLE_FORMAT_SMDEBUG_COMPAT_HPP
// ---- loupe/format/tensorboard.hpp
#ifndef LOUPE_SINGLE_FORMAT_TENSORBOARD_HPP
#define LOUPE_SINGLE_FORMAT_TENSORBOARD_HPP
/// @file
/// Records of TensorBoard files: scalars and histograms, with true checksums (format.md section 9).

namespace loupe::inline LOUPE_ABI::format {

/// Appends the record with which TensorFlow's own files begin: format version 2. smdebug writes none.
LOUPE_DECL void append_version_record(ByteBuffer& out, double wall_time);

/// Appends a scalar's record. `tag` is a cleaned name (`clean_tag`); `invalid_argument` if it isn't UTF-8.
LOUPE_DECL result<void> append_scalar_summary(ByteBuffer& out, double wall_time, std::int64_t step,
                                              std::string_view tag, float value);

/// Appends a histogram's record. `tag` is a cleaned `<collection>/<tensor>`; `invalid_argument` if it isn't UTF-8.
LOUPE_DECL result<void> append_histogram_summary(ByteBuffer& out, double wall_time, std::int64_t step,
                                                 std::string_view tag, const Histogram& histogram);

}  // namespace loupe::inline LOUPE_ABI::format

// ---- loupe/format/tensorboard.ipp
#ifndef LOUPE_SINGLE_FORMAT_TENSORBOARD_IPP
#define LOUPE_SINGLE_FORMAT_TENSORBOARD_IPP

namespace loupe::inline LOUPE_ABI::format {

namespace detail {

/// Appends a record of `payload_size` bytes, which `write_payload(FieldWriter&)` writes, with true checksums.
template <class WritePayload>
void append_checked_record(ByteBuffer& out, std::uint64_t payload_size, WritePayload&& write_payload) {
  const auto size = static_cast<std::size_t>(payload_size);
  std::byte* const record = out.extend(size + wire::record_overhead);
  std::byte* const payload = record + wire::record_header_size;
  wire::encode_record_header(record, payload_size);
  wire::FieldWriter writer(payload);
  write_payload(writer);
  wire::store_little_endian(writer.position(), wire::payload_check_word({payload, size}, wire::PayloadCheck::crc32c));
}

/// Appends an Event with one Summary.Value, whose oneof field takes `field_size` bytes and is written by `write_field`.
template <class WriteField>
result<void> append_summary(ByteBuffer& out, double wall_time, std::int64_t step, std::string_view tag,
                            std::uint64_t field_size, WriteField&& write_field) {
  if (!wire::is_utf8(tag)) return fail(ErrorKind::invalid_argument, tag, "the TensorBoard tag is not UTF-8");
  const auto number = static_cast<std::uint64_t>(step);
  const std::uint64_t value_size = wire::bytes_field_size(tag.size()) + field_size;
  const std::uint64_t summary_size = wire::bytes_field_size(value_size);
  const std::uint64_t payload_size =
      9 + (number == 0 ? 0 : wire::varint_field_size(number)) + wire::bytes_field_size(summary_size);
  append_checked_record(out, payload_size, [&](wire::FieldWriter& writer) {
    writer.fixed64(1, wall_time);
    if (number != 0) writer.varint(2, number);
    writer.header(5, summary_size);
    writer.header(1, value_size);
    writer.text(1, tag);
    write_field(writer);
  });
  return {};
}

/// Protobuf leaves out zeros, but not the negative one.
constexpr bool is_default(double number) noexcept { return std::bit_cast<std::uint64_t>(number) == 0; }

}  // namespace detail

LOUPE_DECL void append_version_record(ByteBuffer& out, double wall_time) {
  constexpr std::string_view version = "brain.Event:2";
  detail::append_checked_record(out, 9 + wire::bytes_field_size(version.size()), [&](wire::FieldWriter& writer) {
    writer.fixed64(1, wall_time);
    writer.text(3, version);
  });
}

LOUPE_DECL result<void> append_scalar_summary(ByteBuffer& out, double wall_time, std::int64_t step,
                                              std::string_view tag, float value) {
  return detail::append_summary(out, wall_time, step, tag, 5,
                                [&](wire::FieldWriter& writer) { writer.fixed32(2, value); });
}

LOUPE_DECL result<void> append_histogram_summary(ByteBuffer& out, double wall_time, std::int64_t step,
                                                 std::string_view tag, const Histogram& histogram) {
  const double numbers[] = {histogram.minimum, histogram.maximum, histogram.count, histogram.sum,
                            histogram.sum_squares};
  const std::uint64_t packed_size = histogram.size() * sizeof(double);
  std::uint64_t size = 2 * wire::bytes_field_size(packed_size);
  for (const double number : numbers) size += detail::is_default(number) ? 0 : 9;
  return detail::append_summary(
      out, wall_time, step, tag, wire::bytes_field_size(size), [&](wire::FieldWriter& writer) {
        writer.header(5, size);
        for (std::uint32_t index = 0; index < 5; ++index)
          if (!detail::is_default(numbers[index])) writer.fixed64(index + 1, numbers[index]);
        const auto packed = [&](std::uint32_t field, auto&& number_of) {
          writer.header(field, packed_size);
          for (std::size_t index = 0; index < histogram.size(); ++index, writer.advance(sizeof(double)))
            wire::store_little_endian(writer.position(), number_of(index));
        };
        packed(6, [&](std::size_t index) { return histogram.limit(index); });
        packed(7, [&](std::size_t index) { return histogram.bucket(index); });
      });
}

}  // namespace loupe::inline LOUPE_ABI::format
#endif  // LOUPE_SINGLE_FORMAT_TENSORBOARD_IPP
#endif  // LOUPE_SINGLE_FORMAT_TENSORBOARD_HPP
// ---- loupe/capture/claim.hpp
#ifndef LOUPE_SINGLE_CAPTURE_CLAIM_HPP
#define LOUPE_SINGLE_CAPTURE_CLAIM_HPP
/// @file
/// The claim of a running process on a trial's folder (format.md section 5.4).

namespace loupe::inline LOUPE_ABI {

/// The process that a claim names. The start time tells it from a later process with the same number.
struct ClaimOwner {
  std::int64_t pid = 0;
  std::int64_t start_time = 0;  ///< clock ticks since the host's start, as /proc/<pid>/stat counts them; 0: unknown
  Text host;

  /// The calling process.
  LOUPE_DECL static ClaimOwner this_process();
  /// Reads the line that `line` writes; nothing if it isn't one, as smdebug's, which is empty.
  LOUPE_DECL static std::optional<ClaimOwner> parse(std::string_view line);
  /// The line that a claim file holds.
  [[nodiscard]] LOUPE_DECL Text line() const;

  enum class State : std::uint8_t { running, gone, unknown };
  /// Whether the process still runs; unknown if it belongs to another host.
  [[nodiscard]] LOUPE_DECL State state() const;
};

namespace detail {
/// The name of this host; `localhost` if it has none.
LOUPE_DECL Text host_name();
}  // namespace detail

/// What to do with a claim whose owner can't be told to have ended: smdebug's, or one made on another host.
enum class UnknownClaim : std::uint8_t { respect, take_over };

/// A claim that this process holds; given up by `release` or the destructor, but not by those of a forked child.
/// Move-only; one thread at a time.
class Claim {
 public:
  /// Holds nothing.
  Claim() noexcept = default;
  /// Claims `key`, in the place of a claim whose owner has ended. A claim of a running process is an error of kind
  /// invalid_state that names the process. Of several processes that do this at once, one gets the claim.
  LOUPE_DECL static result<Claim> acquire(const AnyStorage& storage, std::string_view key, UnknownClaim unknown);
  /// Claims `key` only if nobody has, with the empty object that smdebug writes; a claim that holds nothing if somebody has.
  LOUPE_DECL static result<Claim> try_acquire_as_smdebug(const AnyStorage& storage, std::string_view key);

  Claim(Claim&& other) noexcept
      : storage_(std::move(other.storage_)), key_(std::move(other.key_)), home_(other.home_) {
    other.storage_.reset();
  }
  Claim& operator=(Claim&& other) noexcept {
    std::swap(storage_, other.storage_);
    std::swap(key_, other.key_);
    std::swap(home_, other.home_);
    return *this;
  }
  ~Claim() { (void)release(); }

  [[nodiscard]] explicit operator bool() const noexcept { return storage_.has_value(); }
  /// Removes the claim. Again: nothing.
  LOUPE_DECL result<void> release();

 private:
  LOUPE_DECL Claim(AnyStorage storage, Text key);
  std::optional<AnyStorage> storage_;
  Text key_;
  HomeProcess home_;  ///< the one that claimed
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/capture/claim.ipp
#ifndef LOUPE_SINGLE_CAPTURE_CLAIM_IPP
#define LOUPE_SINGLE_CAPTURE_CLAIM_IPP

namespace loupe::inline LOUPE_ABI {

namespace detail {

LOUPE_DECL Text host_name() {
  char host[256] = {};
  if (::gethostname(host, sizeof host - 1) != 0 || host[0] == '\0') return "localhost";
  return std::string_view(host);
}

/// What the kernel says of a process.
struct ProcessStat {
  char state = '?';
  std::int64_t start_time = 0;
};

/// Reads /proc/<pid>/stat; nothing where there is no such process or no such file system.
inline std::optional<ProcessStat> process_stat(std::int64_t pid) {
  const Text path = Text::join("/proc/", to_text(pid).view(), "/stat");
  std::FILE* const file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return std::nullopt;
  char content[1024];
  const std::size_t size = std::fread(content, 1, sizeof content, file);
  std::fclose(file);
  // The second field, the program's name in parentheses, may itself hold anything; the state is the third, the start
  // time the twenty-second.
  std::string_view rest(content, size);
  const std::size_t name_end = rest.rfind(')');
  if (name_end == std::string_view::npos || rest.size() < name_end + 3) return std::nullopt;
  rest.remove_prefix(name_end + 2);
  ProcessStat stat;
  stat.state = rest[0];
  for (int field = 3; field < 22; ++field) {
    const std::size_t blank = rest.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(blank + 1);
  }
  if (std::from_chars(rest.data(), rest.data() + rest.size(), stat.start_time).ec != std::errc()) return std::nullopt;
  return stat;
}

/// Takes a word off the front of a line.
inline std::string_view take_word(std::string_view& line) noexcept {
  const std::size_t end = line.find(' ');
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return word;
}

inline std::optional<std::int64_t> take_number(std::string_view& line) noexcept {
  const std::string_view word = take_word(line);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number < 0) return std::nullopt;
  return number;
}

inline std::span<const std::byte> as_bytes(std::string_view text) noexcept {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// A name for the claim on taking over a claim of this content.
inline Text takeover_key(std::string_view key, std::string_view content) {
  std::uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a
  for (const char byte : content) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3u;
  char digits[17];
  const auto end = std::to_chars(digits, digits + sizeof digits, hash, 16).ptr;
  return Text::join(key, ".", std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

inline unexpected<Error> claimed(const AnyStorage& storage, std::string_view key,
                                 const std::optional<ClaimOwner>& owner) {
  const Text object = Text::join(storage.name().view(), "/", key);
  if (!owner)
    return fail(
        ErrorKind::invalid_state, object,
        "the folder is claimed by smdebug or an unknown program; if none is running, remove the file, or resume or "
        "overwrite the trial");
  return fail(
      ErrorKind::invalid_state, object,
      Text::join("the folder is claimed by process ", to_text(owner->pid).view(), " on host ", owner->host.view(),
                 owner->state() == ClaimOwner::State::running
                     ? ", which is running"
                     : "; if it isn't running, remove the file, or resume or overwrite the trial"));
}

/// How many takeovers of takeovers a claim may take, each left behind by a process that ended within one.
inline constexpr int max_takeovers = 8;

/// How often others may get ahead between two looks at a claim. A directory or a dangling link in its place looks so
/// for ever.
inline constexpr int max_claim_attempts = 1000;

/// Writes the claim of this process to `key`. A stale claim is replaced under a claim on doing so: otherwise a process
/// that has read the stale claim a moment ago could replace the new one.
inline result<void> write_claim(const AnyStorage& storage, std::string_view key, UnknownClaim unknown, int depth) {
  const Text mine = ClaimOwner::this_process().line();
  ByteBuffer found;
  for (int attempt = 0; attempt < max_claim_attempts; ++attempt) {
    auto written = storage.put(key, as_bytes(mine), PutMode::if_absent);
    if (written || written.error().kind != ErrorKind::already_exists) return written;
    found.clear();
    if (auto read = storage.read(key, {}, found); !read) {
      if (read.error().kind == ErrorKind::not_found) continue;
      return read;
    }
    const auto owner = ClaimOwner::parse(found.text());
    const auto state = owner ? owner->state() : ClaimOwner::State::unknown;
    if (state == ClaimOwner::State::running ||
        (state == ClaimOwner::State::unknown && unknown == UnknownClaim::respect) || depth == max_takeovers)
      return claimed(storage, key, owner);
    const Text guard = takeover_key(key, found.text());
    LOUPE_TRY(write_claim(storage, guard, UnknownClaim::respect, depth + 1));
    ByteBuffer now;
    auto outcome = storage.read(key, {}, now);
    const bool is_still_stale = outcome && now.text() == found.text();
    if (is_still_stale) outcome = storage.put(key, as_bytes(mine), PutMode::replace);
    auto unguarded = storage.remove(guard);
    if (is_still_stale) return outcome ? unguarded : outcome;
    if (!outcome && outcome.error().kind != ErrorKind::not_found) return outcome;
  }
  return fail(ErrorKind::invalid_state, Text::join(storage.name().view(), "/", key),
              "the folder can't be claimed: something of the claim's name is there that can't be read");
}

}  // namespace detail

LOUPE_DECL ClaimOwner ClaimOwner::this_process() {
  const std::int64_t pid = ::getpid();
  const auto stat = detail::process_stat(pid);
  return {pid, stat ? stat->start_time : 0, detail::host_name()};
}

LOUPE_DECL std::optional<ClaimOwner> ClaimOwner::parse(std::string_view line) {
  if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
  if (detail::take_word(line) != "loupe" || detail::take_word(line) != "pid") return std::nullopt;
  const auto pid = detail::take_number(line);
  if (!pid || *pid == 0 || detail::take_word(line) != "start") return std::nullopt;
  const auto start_time = detail::take_number(line);
  if (!start_time || detail::take_word(line) != "host" || line.empty()) return std::nullopt;
  return ClaimOwner{*pid, *start_time, line};
}

LOUPE_DECL Text ClaimOwner::line() const {
  return Text::join("loupe pid ", to_text(pid).view(), " start ", to_text(start_time).view(), " host ", host.view(),
                    "\n");
}

LOUPE_DECL ClaimOwner::State ClaimOwner::state() const {
  if (host != detail::host_name()) return State::unknown;
  if (pid > INT32_MAX) return State::gone;
  if (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) return State::gone;
  const auto stat = detail::process_stat(pid);
  if (!stat) return State::running;
  const bool has_ended = stat->state == 'Z' || stat->state == 'X';
  const bool is_another = start_time != 0 && start_time != stat->start_time;
  return has_ended || is_another ? State::gone : State::running;
}

LOUPE_DECL Claim::Claim(AnyStorage storage, Text key)
    : storage_(std::move(storage)), key_(std::move(key)) {}

LOUPE_DECL result<Claim> Claim::acquire(const AnyStorage& storage, std::string_view key, UnknownClaim unknown) {
  LOUPE_TRY(detail::write_claim(storage, key, unknown, 0));
  return Claim(storage, key);
}

LOUPE_DECL result<Claim> Claim::try_acquire_as_smdebug(const AnyStorage& storage, std::string_view key) {
  auto written = storage.put(key, {}, PutMode::if_absent);
  if (written) return Claim(storage, key);
  if (written.error().kind == ErrorKind::already_exists) return Claim();
  return fail(std::move(written).error());
}

LOUPE_DECL result<void> Claim::release() {
  if (!storage_) return {};
  const AnyStorage storage = *std::exchange(storage_, std::nullopt);
  return home_.is_here() ? storage.remove(key_) : result<void>();
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_CLAIM_IPP
#endif  // LOUPE_SINGLE_CAPTURE_CLAIM_HPP
// ---- loupe/capture/configuration.hpp
#ifndef LOUPE_SINGLE_CAPTURE_CONFIGURATION_HPP
#define LOUPE_SINGLE_CAPTURE_CONFIGURATION_HPP
/// @file
/// What a hook is told at construction.

// ---- loupe/capture/resume_policy.hpp
#ifndef LOUPE_SINGLE_CAPTURE_RESUME_POLICY_HPP
#define LOUPE_SINGLE_CAPTURE_RESUME_POLICY_HPP
/// @file
/// What a hook does with what earlier or other runs have left in its folder.

namespace loupe::inline LOUPE_ABI {

/// What a hook does with a folder that already holds a trial.
enum class ResumePolicy : std::uint8_t {
  refuse,     ///< a finished trial is an error; what a killed run has left is added to, and steps count from 0
  resume,     ///< the end marker is taken away, and steps count on from the largest that this worker has there
  overwrite,  ///< the trial is removed first, and nothing else that is in the folder
};

/// How a hook makes sure that it writes to its folder alone, where a job has a single worker.
enum class ClaimPolicy : std::uint8_t {
  take_over_stale,  ///< the claim of a process that no longer runs counts for nothing; that of a running one is an error
  smdebug,          ///< any claim silences the hook; claimed when the first step is written (format.md section 5.4)
};

/// Who writes the mark that tells readers that the trial is complete.
enum class EndMarkerPolicy : std::uint8_t {
  last_worker,   ///< the last of the workers to close
  every_worker,  ///< each worker as it closes, as smdebug does: the first to finish ends the trial for its readers
  never,         ///< none: the platform does, as in a SageMaker job
};

/// How a resumed run numbers the steps of a mode that its checkpointed state doesn't know.
enum class ResumedNumbering : std::uint8_t {
  from_zero,  ///< as in any run: the mode's first step is 0
  smdebug,    ///< on from the global step (semantics.md section 10)
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_RESUME_POLICY_HPP

namespace loupe::inline LOUPE_ABI {

/// Which ranks write: the chief (rank 0) alone, or every one its own files.
enum class IncludeWorkers : std::uint8_t { one, all };

/// What happens when the memory for steps that wait to be written is used up.
enum class Backpressure : std::uint8_t {
  block,        ///< the training thread waits at the begin of the next selected step
  drop,         ///< the step is not captured, and counted
  reduce_only,  ///< the step keeps reductions, shapes and scalars, but no raw tensors; counted
};

/// Receives what a hook reports in words: the first failure of each kind, and a summary at close. Called on the thread
/// that noticed it, the background writer's too. The default writes one line to the standard error stream.
struct ReportSink {
  void (*write)(void* context, std::string_view sentence) = nullptr;
  void* context = nullptr;
};

/// The configuration of a hook. Defaults are smdebug's. A hook checks the values when it is constructed.
struct HookConfig {
  /// Where the trial is written: a folder for `LocalStorage`.
  Text out_dir = {};
  /// When steps are saved: default every 500th step of each mode.
  SaveConfig save = {};
  /// What is saved of each tensor: default the raw tensor.
  ReductionConfig reductions = ReductionConfig::raw_only();
  /// The collections that exist without anyone's doing.
  FrameworkDefaults defaults = frameworkless_defaults;
  /// Collections that are defined or changed, and by that saved. If neither this nor the three below say anything, every
  /// tensor that is offered is saved.
  std::vector<Collection> collections = {};
  /// Further collections to save, by name.
  std::vector<Text> include_collections = {};
  /// Patterns of further tensors to save (Python-like, found anywhere in the name); they make up collection `default`.
  std::vector<Text> include_regex = {};
  /// Saves every tensor.
  bool save_all = false;
  IncludeWorkers include_workers = IncludeWorkers::one;
  /// Writes scalars and histograms for TensorBoard below `<out_dir>/tensorboard`, or to `tensorboard_dir` if given.
  bool export_tensorboard = false;
  Text tensorboard_dir = {};
  /// Goes through the motions without saving tensors.
  bool dry_run = false;
  /// What to do with a folder that already holds a trial.
  ResumePolicy resume = ResumePolicy::refuse;
  /// Where checkpoints are kept: counters are restored from its `metadata.json`, and kept there.
  Text checkpoint_dir = {};
  /// Keeps element types as they are, even those that smdebug's Python reader can't read; default: widens them.
  bool exact_element_types = false;
  Backpressure backpressure = Backpressure::block;
  /// Bytes of encoded steps that may wait for the writer.
  std::uint64_t max_pending_bytes = std::uint64_t{256} << 20;
  /// False: the hook saves nothing and touches nothing, as `USE_SMDEBUG=false` asks for.
  bool enabled = true;
  /// In a SageMaker job the platform writes the end marker, not the hook.
  bool in_sagemaker_job = false;
  /// The engine for patterns that are more than a literal, prefix or suffix; null: loupe's own.
  PatternCompiler pattern_compiler = nullptr;
  ReportSink report = {};
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_CONFIGURATION_HPP
// ---- loupe/capture/counters.hpp
#ifndef LOUPE_SINGLE_CAPTURE_COUNTERS_HPP
#define LOUPE_SINGLE_CAPTURE_COUNTERS_HPP
/// @file
/// How far a run has come.

namespace loupe::inline LOUPE_ABI {

/// The step counters of a run, each the step taken last; -1 before the first.
struct Counters {
  std::int64_t global = -1;
  std::int64_t modes[mode_count] = {-1, -1, -1, -1};  ///< by `mode_index`; that of `Mode::global` equals `global`
  std::int64_t last_saved = -1;                       ///< the last global step of which something was saved
  std::int64_t training_run = 0;                      ///< how often the run was resumed from a checkpoint
  bool restored = false;                              ///< goes on where an earlier run has ended

  friend bool operator==(const Counters&, const Counters&) = default;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_COUNTERS_HPP
// ---- loupe/capture/failure_log.hpp
#ifndef LOUPE_SINGLE_CAPTURE_FAILURE_LOG_HPP
#define LOUPE_SINGLE_CAPTURE_FAILURE_LOG_HPP
/// @file
/// Counts what went wrong in a hook and tells the user once of each kind.

// ---- loupe/capture/recorder.hpp
#ifndef LOUPE_SINGLE_CAPTURE_RECORDER_HPP
#define LOUPE_SINGLE_CAPTURE_RECORDER_HPP
/// @file
/// The part of a hook that is not a template, as the hook's templates see it.

// ---- loupe/capture/hook_ref.hpp
#ifndef LOUPE_SINGLE_CAPTURE_HOOK_REF_HPP
#define LOUPE_SINGLE_CAPTURE_HOOK_REF_HPP
/// @file
/// The face of a hook that model code sees: a reference that costs one branch while nobody listens.

namespace loupe::inline LOUPE_ABI {

/// A name handed to a probe: a literal, a C string, or anything with `data()` and `size()`. Borrowed for the call.
struct ProbeName {
  const char* data = "";
  std::size_t size = 0;
  constexpr ProbeName(const char* text) noexcept : data(text), size(__builtin_strlen(text)) {}
  template <class Text>
    requires requires(const Text& text) {
      { text.data() } -> std::convertible_to<const char*>;
      { text.size() } -> std::convertible_to<std::size_t>;
    }
  constexpr ProbeName(const Text& text) noexcept : data(text.data()), size(text.size()) {}
};

/// A tensor handed to a probe: row-major, readable by the host.
struct ProbeTensor {
  const void* data = nullptr;
  ElementType type = ElementType::none;
  const std::int64_t* shape = nullptr;
  std::size_t rank = 0;
};

/// What a `HookRef` points to; kept by the hook.
struct ProbeTarget {
  bool armed = false;  ///< whether the open step wants anything at all
  void (*save)(void* context, ProbeName, const ProbeTensor&) noexcept = nullptr;
  void* context = nullptr;
};

/// A copyable reference to a hook for code that should not know its type. Default-constructed, or while the hook's open
/// step wants nothing, every call is one branch. Same thread rule as its hook, which must outlive it.
/// With `LOUPE_DISABLE` defined calls compile to nothing.
class HookRef {
 public:
  constexpr HookRef() noexcept = default;
  constexpr explicit HookRef(ProbeTarget& target) noexcept : target_(&target) {}

  /// Whether a call now could be saved: ask before computing something only for the probe.
  [[nodiscard]] bool armed() const noexcept {
#if defined(LOUPE_DISABLE)
    return false;
#else
    return target_ != nullptr && target_->armed;
#endif
  }

  /// Offers `count` contiguous elements as a rank-1 tensor.
  template <Element Type>
  void operator()(ProbeName name, const Type* data, std::size_t count) const noexcept {
    if (!armed()) return;
    const auto size = static_cast<std::int64_t>(count);
    target_->save(target_->context, name, {data, element_type_of<Type>, &size, 1});
  }

  /// Offers a row-major tensor of `rank` axes of the sizes `shape[0] … shape[rank - 1]`.
  template <Element Type>
  void operator()(ProbeName name, const Type* data, const std::int64_t* shape, std::size_t rank) const noexcept {
    if (armed()) target_->save(target_->context, name, {data, element_type_of<Type>, shape, rank});
  }

 private:
  ProbeTarget* target_ = nullptr;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_HOOK_REF_HPP
// ---- loupe/capture/step_judge.hpp
#ifndef LOUPE_SINGLE_CAPTURE_STEP_JUDGE_HPP
#define LOUPE_SINGLE_CAPTURE_STEP_JUDGE_HPP
/// @file
/// Who looks at the tensors of a hook's steps while they are saved. `loupe/rules/attach.hpp` has one.

namespace loupe::inline LOUPE_ABI {

/// What was made of a step.
struct StepVerdict {
  std::uint32_t fired = 0;     ///< how many rules fired
  bool wants_stop = false;     ///< one of them says that the training is to end
  bool wants_skip = false;     ///< one of them says that this step's update is not to be applied

  /// Whether the loop is to be left.
  [[nodiscard]] constexpr bool stop() const noexcept { return wants_stop; }
  /// Whether this step's update is to be left out: also where the training is to end.
  [[nodiscard]] constexpr bool skip() const noexcept { return wants_skip || wants_stop; }
};

/// Looks at what is saved. On the hook's thread, in the order of saving; what it throws is a failure of the call that it
/// was made from, and the tensor is saved all the same.
class StepJudge {
 public:
  StepJudge() = default;
  StepJudge(const StepJudge&) = delete;
  StepJudge& operator=(const StepJudge&) = delete;
  virtual ~StepJudge() = default;

  virtual void begin_step(Step step, ModeStep mode_step) = 0;
  /// The statistics that it wants of a tensor of the open step, which is computed with those that are saved; null if it
  /// won't look at the tensor.
  virtual const StatisticSet* wants(std::string_view tensor) = 0;
  /// Shows a tensor that it wants.
  virtual void look(std::string_view tensor, const TensorView& value, const ReducedValues& reduced) = 0;
  /// Ends the judgement of the step.
  virtual StepVerdict end_step() = 0;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_STEP_JUDGE_HPP

namespace loupe::inline LOUPE_ABI {

struct Collection;

/// A tensor that is due in the open step; converts to false when it is not.
struct Selection {
  std::int32_t tensor = -1;
  constexpr explicit operator bool() const noexcept { return tensor >= 0; }
};

/// How a scalar is kept besides its value.
struct ScalarOptions {
  /// Seconds since the epoch; 0: now.
  double timestamp = 0;
};

/// What went wrong so far, and what was given up on.
struct CaptureFailures {
  std::uint64_t count = 0;           ///< failed calls and failed writes
  std::uint64_t dropped_steps = 0;   ///< steps given up: no memory left to wait in, or they could not be written
  std::uint64_t reduced_steps = 0;   ///< steps kept without raw tensors for lack of memory
  Error last;                        ///< the latest failure; meaningful if `count` is not 0
};

/// What was captured so far.
struct CaptureCounts {
  std::uint64_t steps = 0;           ///< steps handed to the writer
  std::uint64_t tensors = 0;         ///< records encoded: raw tensors, reductions, scalars
  std::uint64_t bytes = 0;           ///< bytes of those records
};

/// Records the tensors of one worker's steps and hands them to the writer. One thread at a time.
/// `target.armed` says whether the open step wants anything; ask it before any other call.
class Recorder {
 public:
  Recorder() = default;
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  virtual ~Recorder() = default;

  ProbeTarget target;
  KnownNames* known_names = nullptr;  ///< set when `target.armed` is

  virtual result<void> set_mode(Mode mode) = 0;
  virtual result<void> begin_step() = 0;
  virtual result<void> end_step() = 0;
  /// Decides by name, before a view of the tensor is built. `known_names->pass_over` says the same sooner of a tensor that
  /// is not due.
  virtual Selection select(std::string_view name) = 0;
  virtual result<void> record(Selection selection, const TensorView& tensor) = 0;
  virtual result<void> record_scalar(std::string_view name, const TensorView& value, const ScalarOptions& options) = 0;
  virtual result<void> record_custom(std::string_view name, const TensorView& tensor,
                                     std::span<const std::string_view> collections) = 0;
  virtual result<void> flush_custom() = 0;
  virtual result<void> flush() = 0;
  virtual result<void> close() = 0;

  /// Counts a failure that the caller absorbs, and reports it.
  virtual void absorb(Error error) noexcept = 0;
  /// After the last failure: reports how many there were. Again: nothing.
  virtual void summarise() noexcept = 0;
  [[nodiscard]] virtual CaptureFailures failures() const = 0;
  [[nodiscard]] virtual CaptureCounts counts() const = 0;
  [[nodiscard]] virtual Mode mode() const noexcept = 0;
  [[nodiscard]] virtual Step step() const noexcept = 0;
  [[nodiscard]] virtual ModeStep mode_step(Mode mode) const noexcept = 0;
  virtual result<Collection*> collection(std::string_view name) = 0;
  virtual result<void> add_collection(const Collection& collection) = 0;
  /// Whether a tensor belongs to a collection, saved or not.
  [[nodiscard]] virtual bool has_member(std::string_view collection, std::string_view tensor) = 0;

  /// Hands what is saved from the next step on to a judge, too. Refused if there is one already.
  virtual result<void> attach(Owner<StepJudge> judge) = 0;
  /// What the judge makes of the open step, the first time it is asked: what is saved afterwards is not judged. Else what
  /// it made of the step that was judged last; without a judge nothing.
  virtual StepVerdict verdict() = 0;
};

using RecorderOwner = Owner<Recorder>;

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_RECORDER_HPP

namespace loupe::inline LOUPE_ABI {

/// The failures of one hook. Safe for concurrent use.
class FailureLog {
 public:
  explicit FailureLog(ReportSink sink) noexcept : sink_(sink) {}

  void add(Error error) noexcept {
    const std::uint64_t kind = std::uint64_t{1} << static_cast<unsigned>(error.kind);
    // Counted whatever becomes of the sentence, for which there may be no memory.
    bool is_new = false;
    Text sentence;
    {
      MutexLock lock(mutex_, MutexLock::Deferred());
      lock_at_home(lock);
      ++failures_.count;
      is_new = (reported_ & kind) == 0;
      reported_ |= kind;
      if (is_new)
        (void)contained("report", [&]() -> result<void> {
          sentence = error.message();
          return {};
        });
      failures_.last = std::move(error);
    }
    if (is_new) note(sentence);
  }
  /// Tells the user something that is no failure.
  void note(const Text& sentence) noexcept {
    (void)contained("report", [&]() -> result<void> {
      report(sentence);
      return {};
    });
  }
  void add_dropped_step() noexcept {
    MutexLock lock(mutex_, MutexLock::Deferred());
    lock_at_home(lock);
    ++failures_.dropped_steps;
  }
  void add_reduced_step() noexcept {
    MutexLock lock(mutex_, MutexLock::Deferred());
    lock_at_home(lock);
    ++failures_.reduced_steps;
  }
  [[nodiscard]] CaptureFailures snapshot() const {
    MutexLock lock(mutex_, MutexLock::Deferred());
    lock_at_home(lock);
    return failures_;
  }
  /// At the end: says how much went wrong, if anything did. Again: nothing.
  void summarise() noexcept {
    (void)contained("report", [&]() -> result<void> {
      if (std::exchange(is_summarised_, true)) return {};
      const CaptureFailures all = snapshot();
      if (all.count == 0 && all.dropped_steps == 0 && all.reduced_steps == 0) return {};
      report(Text::join("failures: ", to_text(static_cast<long long>(all.count)).view(), ", steps lost: ",
                        to_text(static_cast<long long>(all.dropped_steps)).view(), ", steps kept without raw tensors: ",
                        to_text(static_cast<long long>(all.reduced_steps)).view()));
      return {};
    });
  }

 private:
  void report(const Text& sentence) {
    if (sink_.write != nullptr)
      sink_.write(sink_.context, sentence);
    else
      std::fprintf(stderr, "loupe: %s\n", sentence.c_str());
  }

  /// In a forked child there is nobody to lock out, and whoever held the lock at the fork is not there to give it back.
  void lock_at_home(MutexLock& lock) const noexcept {
    if (home_.is_here()) lock.lock();
  }

  ReportSink sink_;
  const HomeProcess home_;
  mutable Mutex mutex_;
  CaptureFailures failures_;
  std::uint64_t reported_ = 0;
  bool is_summarised_ = false;  // only the training thread touches it
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_FAILURE_LOG_HPP
// ---- loupe/capture/framework.hpp
#ifndef LOUPE_SINGLE_CAPTURE_FRAMEWORK_HPP
#define LOUPE_SINGLE_CAPTURE_FRAMEWORK_HPP
/// @file
/// The concept that a framework models: how its tensors become views.

namespace loupe::inline LOUPE_ABI {

/// `FrameworkType::view(tensor)` gives a view of the tensor's own memory, without a copy.
template <class FrameworkType, class Tensor>
concept Views = requires(const Tensor& tensor) {
  { FrameworkType::view(tensor) } noexcept -> std::same_as<TensorView>;
};

/// `FrameworkType::evaluate(expression)` computes a lazy expression into a tensor that can be viewed. It is called
/// only for expressions that are going to be saved.
template <class FrameworkType, class Expression>
concept Evaluates = requires(const Expression& expression) {
  requires Views<FrameworkType, std::remove_cvref_t<decltype(FrameworkType::evaluate(expression))>>;
};

/// What a hook can be given to save.
template <class FrameworkType, class Tensor>
concept SavesTensor = Views<FrameworkType, Tensor> || Evaluates<FrameworkType, Tensor>;

/// A framework:
/// - `name`: a text for messages;
/// - `Tensor`: a type of tensor that `view` takes (it may take others);
/// - `view(const Tensor&) noexcept -> TensorView`: no copy; an undefined tensor or missing gradient is an empty view,
///   never an exception;
/// - `fills(collection) -> bool`, constexpr: whether the framework can fill that default collection by itself or from
///   what its users save, so that a rule's needs can be checked at compile time.
/// Optionally `evaluate(expression)`, see `Evaluates`.
template <class FrameworkType>
concept Framework = requires {
  { FrameworkType::name } -> std::convertible_to<std::string_view>;
  typename FrameworkType::Tensor;
  requires Views<FrameworkType, typename FrameworkType::Tensor>;
  requires std::same_as<std::bool_constant<FrameworkType::fills("weights")>,
                        std::bool_constant<FrameworkType::fills("weights")>>;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_FRAMEWORK_HPP
// ---- loupe/capture/fwd.hpp
#ifndef LOUPE_SINGLE_CAPTURE_FWD_HPP
#define LOUPE_SINGLE_CAPTURE_FWD_HPP
/// @file
/// Names of capture/.

namespace loupe::inline LOUPE_ABI {

class SystemClock;
class ThreadExecutor;
struct Collection;
struct HookConfig;
class Recorder;
class HookRef;
struct NullHook;

template <class FrameworkType, class StorageType, class RanksType, class StrategyType, class ErrorsType, class ClockType,
          class ExecutorType, class CompatibilityType>
class BasicHook;

namespace detail {
template <class StrategyType, class CompatibilityType>
struct RecorderFactory;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_FWD_HPP
// ---- loupe/capture/hook.hpp
#ifndef LOUPE_SINGLE_CAPTURE_HOOK_HPP
#define LOUPE_SINGLE_CAPTURE_HOOK_HPP
/// @file
/// The hook: what a training loop or an inference engine hands its tensors to.
///
/// This header is enough to use a hook; constructing one needs `loupe/hook.hpp`, which brings the bodies.

// ---- loupe/capture/step_scope.hpp
#ifndef LOUPE_SINGLE_CAPTURE_STEP_SCOPE_HPP
#define LOUPE_SINGLE_CAPTURE_STEP_SCOPE_HPP
/// @file
/// One step of a loop as a scope: it closes itself, also when the loop leaves early or throws.

namespace loupe::inline LOUPE_ABI {

/// An open step of a hook. Closing publishes what was saved; the destructor closes too and absorbs a failure (counted by
/// the hook). A step that was closed otherwise, by the begin of the next one say, is not closed again. Move-only; same
/// thread rule as the hook, which must outlive it.
template <class HookType>
class [[nodiscard]] StepScope {
 public:
  /// A step that is not captured.
  StepScope() noexcept = default;
  explicit StepScope(HookType& hook) noexcept : hook_(&hook), number_(hook.current_step()) {}
  StepScope(StepScope&& other) noexcept : hook_(std::exchange(other.hook_, nullptr)), number_(other.number_) {}
  StepScope& operator=(StepScope&& other) noexcept {
    std::swap(hook_, other.hook_);
    std::swap(number_, other.number_);
    return *this;
  }
  ~StepScope() {
    if (is_current()) hook_->end_step_quietly();
  }

  /// Whether anything is saved at this step: ask before computing something only to save it.
  [[nodiscard]] bool armed() const noexcept { return hook_ != nullptr && hook_->armed(); }

  /// Offers a tensor, as `Hook::save`. Gives the scope itself to chain calls, or under `Expect` a `result<void>`.
  template <class Tensor>
  LOUPE_ALWAYS_INLINE decltype(auto) save(std::string_view name, const Tensor& tensor) {
    return chain([&] { return hook_->save(name, tensor); });
  }

  /// Saves a number whatever the save configuration says, as `Hook::save_scalar`.
  template <class Number>
  decltype(auto) scalar(std::string_view name, const Number& value, const ScalarOptions& options = {}) {
    return chain([&] { return hook_->save_scalar(name, value, options); });
  }

  /// What the hook's rules make of what was saved so far. Ask it where the answer is needed, say before the update is
  /// applied; what the step saves afterwards is not judged. Nothing at a step at which nothing is due.
  [[nodiscard]] StepVerdict verdict() { return is_current() && hook_->armed() ? hook_->verdict() : StepVerdict(); }

  /// Closes the step now and gives the outcome as the hook's error policy says. Again: nothing.
  auto end() {
    using Outcome = decltype(hook_->end_step());
    HookType* const hook = is_current() ? hook_ : nullptr;
    hook_ = nullptr;
    return hook != nullptr ? hook->end_step() : Outcome();
  }

 private:
  /// Whether the hook's latest step is this one.
  [[nodiscard]] bool is_current() const noexcept { return hook_ != nullptr && hook_->current_step() == number_; }
  template <class Call>
  LOUPE_ALWAYS_INLINE decltype(auto) chain(Call&& call) {
    using Outcome = decltype(call());
    if constexpr (std::is_void_v<Outcome>) {
      if (hook_ != nullptr) call();
      return (*this);
    } else {
      return hook_ != nullptr ? call() : Outcome();
    }
  }

  HookType* hook_ = nullptr;
  Step number_;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_STEP_SCOPE_HPP

namespace loupe::inline LOUPE_ABI {

/// The hook of one choice of policies; name it through `Hook`.
///
/// A hook belongs to one thread at a time. It captures what its configuration selects, and never harms the training
/// under `Count`: a failing call is counted and reported, and the loop goes on.
template <class FrameworkType, class StorageType, class RanksType, class StrategyType, class ErrorsType, class ClockType,
          class ExecutorType, class CompatibilityType>
class BasicHook {
 public:
  using Step = StepScope<BasicHook>;
  /// What a call gives: `void`, or `result<void>` under `Expect`.
  template <class Value>
  using Outcome = typename ErrorsType::template type<Value>;

  /// Opens the trial. `parts` are objects of the hook's policies, in any order; those not given are default-constructed,
  /// the storage from `config.out_dir`. A wrong configuration, or a folder that must not be written, is refused by
  /// exception whatever the error policy; a disk that fails makes a hook under `Count` stand aside: it saves nothing, and
  /// `failures()` says why. Without exceptions it stands aside in either case; use `create`.
  template <class... Parts>
    requires((std::same_as<std::remove_cvref_t<Parts>, StorageType> || std::same_as<std::remove_cvref_t<Parts>, RanksType> ||
              std::same_as<std::remove_cvref_t<Parts>, ClockType> || std::same_as<std::remove_cvref_t<Parts>, ExecutorType>) && ...)
  explicit BasicHook(const HookConfig& config, Parts&&... parts)
      : recorder_(detail::RecorderFactory<StrategyType, CompatibilityType>::template construct<StorageType, RanksType, ClockType,
                                                                                               ExecutorType, ErrorsType>(
            config, std::forward<Parts>(parts)...)) {}

  /// As the constructor, but gives any error as a value.
  template <class... Parts>
  static result<BasicHook> create(const HookConfig& config, Parts&&... parts) {
    LOUPE_ASSIGN(RecorderOwner recorder,
                 (detail::RecorderFactory<StrategyType, CompatibilityType>::template make<StorageType, RanksType, ClockType, ExecutorType>(
                     config, std::forward<Parts>(parts)...)));
    return BasicHook(std::move(recorder));
  }

  /// A hook that was moved from may be assigned to and destroyed, no more. Its open step goes along, but a `StepScope`
  /// doesn't follow: the step stays open until the next one begins.
  BasicHook(BasicHook&&) noexcept = default;
  BasicHook& operator=(BasicHook&&) noexcept = default;
  /// Closes the hook; a failure is counted.
  ~BasicHook() {
    if (!recorder_) return;
    absorb(recorder_->close());
    recorder_->summarise();
  }

  /// Sets the mode of the steps to come.
  Outcome<void> set_mode(Mode mode) { return finish(recorder_->set_mode(mode)); }

  /// Opens the next step, closing the open one: the global step and the mode's step go up by one (the first are 0).
  Outcome<Step> step(Mode mode) {
    result<void> begun = begin_step_in(mode);
    if constexpr (std::same_as<ErrorsType, Count>) {  // as below, but without a `result<Step>` to compile
      if (begun) return Step(*this);
      absorb(std::move(begun));
      return Step();
    } else {
      if (!begun) return finish(result<Step>(fail(std::move(begun).error())));
      return finish(result<Step>(Step(*this)));
    }
  }
  /// Opens the next step in the present mode.
  Outcome<Step> step() { return step(recorder_->mode()); }

  /// The long form of `step()`: open …
  Outcome<void> begin_step() { return finish(recorder_->begin_step()); }
  /// … and close. Not needed before `begin_step` or `close`, which do it.
  Outcome<void> end_step() { return finish(recorder_->end_step()); }
  /// Closes the step and absorbs a failure.
  void end_step_quietly() noexcept { absorb(recorder_->end_step()); }

  /// Whether the open step wants anything.
  [[nodiscard]] bool armed() const noexcept { return recorder_->target.armed; }

  /// Offers a tensor; it is saved, or reduced, if a collection that has it is due at this step. A tensor that is not due
  /// costs a branch or a look at its name; its elements are read only if due. Outside of a step nothing is due. Of two
  /// tensors of one name in a step the reader finds the last; of one without elements nothing is kept.
  template <class Tensor>
  LOUPE_ALWAYS_INLINE Outcome<void> save(std::string_view name, const Tensor& tensor) {
    if (!recorder_->target.armed) [[likely]]
      return done();
    return offer(name, tensor);
  }

  /// Saves one number as tensor `scalar/<name>`, whatever the save configuration says. `value` is a number, a text, or
  /// a tensor of one element.
  template <class Value>
  Outcome<void> save_scalar(std::string_view name, const Value& value, const ScalarOptions& options = {}) {
    if constexpr (std::is_arithmetic_v<Value>) {
      return finish(recorder_->record_scalar(name, {&value, element_type_of<Value>, {1}}, options));
    } else if constexpr (std::convertible_to<const Value&, std::string_view>) {
      const std::string_view text = value;
      return finish(recorder_->record_scalar(name, {&text, ElementType::string, {1}}, options));
    } else {
      return finish(
          with_view(value, [&](const TensorView& view) { return recorder_->record_scalar(name, view, options); }));
    }
  }

  /// Puts a tensor into collections by name and offers it; `collections` empty means collection `default`.
  template <class Tensor>
  Outcome<void> save_tensor(std::string_view name, const Tensor& tensor,
                            std::span<const std::string_view> collections = {}) {
    return finish(
        with_view(tensor, [&](const TensorView& view) { return recorder_->record_custom(name, view, collections); }));
  }
  /// Writes custom tensors that wait (only `compat::Smdebug` lets them wait).
  Outcome<void> flush_custom() { return finish(recorder_->flush_custom()); }

  /// A collection by name, created if missing; never null on success. Change it before the first step: later it is an
  /// error to ask (nothing would come of the change).
  [[nodiscard]] Outcome<Collection*> collection(std::string_view name) { return finish(recorder_->collection(name)); }
  /// Adds a collection or replaces the one of that name; refused after the first step.
  Outcome<void> add_collection(const Collection& collection) { return finish(recorder_->add_collection(collection)); }

  /// Attaches rules, which judge what is saved in the step in which it is saved: `loupe/rules/attach.hpp`. Once, before the
  /// first step.
  template <class... Rules>
  Outcome<void> rules(Rules&&... rules) {
    static_assert(requires { attach_rules(*this, std::forward<Rules>(rules)...); },
                  "loupe: rules are attached by loupe/rules/attach.hpp: include it, and hand rules of namespace loupe::rules");
    return finish(attach_rules(*this, std::forward<Rules>(rules)...));
  }
  /// What the rules made of the open step, or of the one before; see `StepScope::verdict`.
  [[nodiscard]] StepVerdict verdict() { return recorder_->verdict(); }
  /// The part of the hook that is no template, for parts of loupe that extend it.
  [[nodiscard]] Recorder& recorder() noexcept { return *recorder_; }

  /// Waits until all closed steps are written.
  Outcome<void> flush() { return finish(recorder_->flush()); }
  /// Closes the open step, waits for the writer, writes collections and end marker. Again: nothing.
  Outcome<void> close() {
    auto outcome = recorder_->close();
    if (ErrorsType::counts && !outcome) recorder_->absorb(outcome.error());
    recorder_->summarise();
    return ErrorsType::finish(std::move(outcome));
  }

  /// A reference for code that should not know the hook's type; valid while the hook lives, moved or not.
  [[nodiscard]] HookRef ref() const noexcept { return HookRef(recorder_->target); }
  [[nodiscard]] CaptureFailures failures() const { return recorder_->failures(); }
  [[nodiscard]] CaptureCounts counts() const { return recorder_->counts(); }
  [[nodiscard]] Mode mode() const noexcept { return recorder_->mode(); }
  /// The global step, -1 before the first. Also of a hook that was moved from, for the scope that it has left behind.
  [[nodiscard]] loupe::Step current_step() const noexcept { return recorder_ ? recorder_->step() : loupe::Step(-1); }
  /// The step of a mode, -1 before its first.
  [[nodiscard]] ModeStep current_step(Mode mode) const noexcept { return recorder_->mode_step(mode); }

 private:
  explicit BasicHook(RecorderOwner recorder) noexcept : recorder_(std::move(recorder)) {}

  /// At a step at which something is due. Kept out of the caller's code, which is the training loop, and apart from
  /// `look_up` so that a tensor that is passed over needs no stack frame.
  template <class Tensor>
  LOUPE_NEVER_INLINE Outcome<void> offer(std::string_view name, const Tensor& tensor) {
    if (recorder_->known_names->pass_over_next(name)) [[likely]]
      return done();
    return look_up(name, tensor);
  }
  template <class Tensor>
  LOUPE_NEVER_INLINE Outcome<void> look_up(std::string_view name, const Tensor& tensor) {
    if (recorder_->known_names->pass_over_successor(name)) return done();
    const Selection selection = recorder_->select(name);
    if (!selection) return done();
    return finish(with_view(tensor, [&](const TensorView& view) { return recorder_->record(selection, view); }));
  }
  /// Calls `call` with a view of a tensor, or of what a lazy expression computes; what computing throws is an error.
  template <class Tensor, class Call>
  static result<void> with_view(const Tensor& tensor, Call&& call) {
    static_assert(SavesTensor<FrameworkType, Tensor>,
                  "loupe: this hook's Framework has no view(tensor) for this type: hand it a tensor of the framework, "
                  "a loupe::TensorView, or specialise the framework for your type; text goes to save_scalar");
    if constexpr (Views<FrameworkType, Tensor>) {
      return call(FrameworkType::view(tensor));
    } else {
      return contained("evaluate an expression", [&]() -> result<void> {
        const auto evaluated = FrameworkType::evaluate(tensor);
        return call(FrameworkType::view(evaluated));
      });
    }
  }
  result<void> begin_step_in(Mode mode) {
    LOUPE_TRY(recorder_->set_mode(mode));
    return recorder_->begin_step();
  }
  /// Success, at no cost where it is `void`.
  static Outcome<void> done() {
    if constexpr (!std::is_void_v<Outcome<void>>) return {};
  }
  template <class Value>
  Outcome<Value> finish(result<Value>&& outcome) {
    if constexpr (ErrorsType::counts) {
      if (!outcome) recorder_->absorb(outcome.error());
    }
    return ErrorsType::finish(std::move(outcome));
  }
  void absorb(result<void>&& outcome) noexcept {
    if (!outcome) recorder_->absorb(std::move(outcome).error());
  }

  RecorderOwner recorder_;
};

namespace detail {

template <class Policy>
struct IsStorage : std::bool_constant<Storage<Policy>> {};
template <class Policy>
struct IsRankScheme : std::bool_constant<RankScheme<Policy>> {};
template <class Policy>
struct IsReductionStrategy : std::bool_constant<ReductionStrategy<Policy>> {};
template <class Policy>
struct IsErrorPolicy : std::bool_constant<ErrorPolicy<Policy>> {};
template <class Policy>
struct IsClock : std::bool_constant<Clock<Policy>> {};
template <class Policy>
struct IsExecutor : std::bool_constant<Executor<Policy>> {};
template <class Policy>
struct IsCompatibility : std::bool_constant<compat::Compatibility<Policy>> {};

/// Sorts a hook's policies into their slots.
template <class FrameworkType, class... Policies>
struct HookPolicies {
  using StorageSlot = PolicySlot<IsStorage, LocalStorage>;
  using RanksSlot = PolicySlot<IsRankScheme, ranks::Single>;
  using StrategySlot = PolicySlot<IsReductionStrategy, Fused>;
  using ErrorsSlot = PolicySlot<IsErrorPolicy, Count>;
  using ClockSlot = PolicySlot<IsClock, SystemClock>;
  using ExecutorSlot = PolicySlot<IsExecutor, ThreadExecutor>;
  using CompatibilitySlot = PolicySlot<IsCompatibility, compat::Native>;

  static_assert(Framework<FrameworkType>,
                "loupe::Hook: the first argument must model loupe::Framework (see capture/framework.hpp for what it needs)");
  static_assert(((slots_of_policy<Policies, StorageSlot, RanksSlot, StrategySlot, ErrorsSlot, ClockSlot, ExecutorSlot,
                                  CompatibilitySlot> == 1) && ...),
                "loupe::Hook: each policy must model exactly one of Storage, RankScheme, ReductionStrategy, ErrorPolicy, "
                "Clock, Executor, compat::Compatibility");
  static_assert(policies_in_slot<StorageSlot, Policies...> <= 1, "loupe::Hook: two storages were given; a hook has one");
  static_assert(policies_in_slot<RanksSlot, Policies...> <= 1, "loupe::Hook: two rank schemes were given; a hook has one");
  static_assert(policies_in_slot<StrategySlot, Policies...> <= 1,
                "loupe::Hook: two reduction strategies were given; a hook has one");
  static_assert(policies_in_slot<ErrorsSlot, Policies...> <= 1, "loupe::Hook: two error policies were given; a hook has one");
  static_assert(policies_in_slot<ClockSlot, Policies...> <= 1, "loupe::Hook: two clocks were given; a hook has one");
  static_assert(policies_in_slot<ExecutorSlot, Policies...> <= 1, "loupe::Hook: two executors were given; a hook has one");

  using type = BasicHook<FrameworkType, policy_of<StorageSlot, Policies...>, policy_of<RanksSlot, Policies...>,
                         policy_of<StrategySlot, Policies...>, policy_of<ErrorsSlot, Policies...>,
                         policy_of<ClockSlot, Policies...>, policy_of<ExecutorSlot, Policies...>,
                         policy_of<CompatibilitySlot, Policies...>>;
};

}  // namespace detail

/// A hook for a framework. Policies in any order, each recognised by the concept it models: Storage (default
/// `LocalStorage`), RankScheme (`ranks::Single`), ReductionStrategy (`Fused`), ErrorPolicy (`Count`), Clock
/// (`SystemClock`), Executor (`ThreadExecutor`; `InlineExecutor` writes in the training thread), and
/// `compat::Smdebug`.
template <class FrameworkType, class... Policies>
using Hook = typename detail::HookPolicies<FrameworkType, Policies...>::type;

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_HOOK_HPP
// ---- loupe/capture/hook_config_json.hpp
#ifndef LOUPE_SINGLE_CAPTURE_HOOK_CONFIG_JSON_HPP
#define LOUPE_SINGLE_CAPTURE_HOOK_CONFIG_JSON_HPP
/// @file
/// Hook configurations from `debughookconfig.json` and the environment (format.md section 13, semantics.md section 16).

namespace loupe::inline LOUPE_ABI {

/// What a configuration file is read with.
struct HookConfigSurroundings {
  /// Names the files of SageMaker jobs and says whether this is one; by default the process's.
  Environment environment = {};
  /// What the framework's hooks begin with.
  FrameworkDefaults defaults = frameworkless_defaults;
  /// smdebug's peculiarities: `format::hook_config_quirks<compat::Smdebug>`.
  format::HookConfigQuirks quirks = {};
};

/// A hook's configuration from the text of a `debughookconfig.json`; `file` names it in errors. The environment names the
/// files that say where checkpoints are and, in a SageMaker job, TensorBoard's output goes; they may be missing.
LOUPE_DECL result<HookConfig> read_hook_config(std::string_view text, std::string_view file,
                                               const HookConfigSurroundings& surroundings = {});
/// The same from a file; an empty path means the one that the environment names (`SMDEBUG_CONFIG_FILE_PATH`, else
/// SageMaker's), unless `USE_SMDEBUG` switches hooks off: then there is no need of one. `not_found` if it is missing.
LOUPE_DECL result<HookConfig> read_hook_config_file(std::string_view path,
                                                    const HookConfigSurroundings& surroundings = {});

/// As `read_hook_config`; throws an error, or gives a `result` if `Errors` is `Expect`.
template <ErrorPolicy Errors = DefaultErrorPolicy>
typename Errors::template type<HookConfig> config_from_json(std::string_view text, std::string_view file,
                                                            const HookConfigSurroundings& surroundings = {}) {
  return Errors::finish(read_hook_config(text, file, surroundings));
}
/// As `read_hook_config_file` for the file that the environment names; throws an error, or gives a `result` if `Errors` is
/// `Expect`.
template <ErrorPolicy Errors = DefaultErrorPolicy>
typename Errors::template type<HookConfig> config_from_environment(const HookConfigSurroundings& surroundings = {}) {
  return Errors::finish(read_hook_config_file({}, surroundings));
}

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/capture/hook_config_json.ipp
#ifndef LOUPE_SINGLE_CAPTURE_HOOK_CONFIG_JSON_IPP
#define LOUPE_SINGLE_CAPTURE_HOOK_CONFIG_JSON_IPP

namespace loupe::inline LOUPE_ABI {

namespace detail {

/// Appends a file's bytes to `out`; errors name the whole path.
inline result<void> read_file(std::string_view path, ByteBuffer& out) {
  const std::size_t slash = path.rfind('/');
  const bool has_folder = slash != std::string_view::npos;
  const LocalStorage folder(has_folder ? (slash == 0 ? path.substr(0, 1) : path.substr(0, slash))
                                       : std::string_view("."));
  auto read = folder.read(has_folder ? path.substr(slash + 1) : path, {}, out);
  if (!read) {
    Error error = std::move(read).error();
    error.object = path;
    return fail(std::move(error));
  }
  return {};
}

/// The `LocalPath` of a configuration file that need not be there.
inline result<Text> local_path_of(std::string_view path) {
  ByteBuffer text;
  if (auto read = read_file(path, text); !read) {
    if (read.error().kind == ErrorKind::not_found) return Text();
    return fail(std::move(read).error());
  }
  LOUPE_ASSIGN(std::optional<Text> local_path, format::parse_local_path(text.text(), path));
  return local_path ? *std::move(local_path) : Text();
}

/// What `USE_SMDEBUG` says: a word for yes or no, in any case; not set means yes.
inline result<bool> uses_smdebug(const Environment& environment) {
  const auto value = environment.get("USE_SMDEBUG");
  if (!value) return true;
  const auto is_one_of = [&](auto... words) {
    const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + ('a' - 'A') : a) == b; };
    const std::string_view given = *value;
    return (std::equal(given.begin(), given.end(), words.begin(), words.end(), same) || ...);
  };
  using namespace std::string_view_literals;
  if (is_one_of("y"sv, "yes"sv, "t"sv, "true"sv, "on"sv, "1"sv)) return true;
  if (is_one_of("n"sv, "no"sv, "f"sv, "false"sv, "off"sv, "0"sv)) return false;
  return fail(ErrorKind::invalid_argument, "USE_SMDEBUG",
              Text::join("is \"", value->view(), "\", but must be y, yes, t, true, on, 1, n, no, f, false, off or 0"));
}

}  // namespace detail

LOUPE_DECL result<HookConfig> read_hook_config(std::string_view text, std::string_view file,
                                               const HookConfigSurroundings& surroundings) {
  const Environment& environment = surroundings.environment;
  HookConfig config;
  config.defaults = surroundings.defaults;
  config.in_sagemaker_job = format::in_sagemaker_job(environment);
  LOUPE_ASSIGN(
      format::HookParameters given,
      format::parse_hook_config(text, file, {surroundings.defaults, config.in_sagemaker_job, surroundings.quirks}));
  config.out_dir = std::move(given.out_dir);
  config.save = std::move(given.save);
  config.reductions = std::move(given.reductions);
  config.collections = std::move(given.collections);
  config.include_regex = std::move(given.include_regex);
  config.save_all = given.save_all;
  config.include_workers = given.include_all_workers ? IncludeWorkers::all : IncludeWorkers::one;
  config.export_tensorboard = given.export_tensorboard;
  config.tensorboard_dir = std::move(given.tensorboard_dir);
  config.dry_run = given.dry_run;
  if (config.in_sagemaker_job) {
    LOUPE_ASSIGN(config.tensorboard_dir, detail::local_path_of(format::tensorboard_config_path(environment)));
  }
  LOUPE_ASSIGN(config.checkpoint_dir, detail::local_path_of(format::checkpoint_config_path(environment)));
  return config;
}

LOUPE_DECL result<HookConfig> read_hook_config_file(std::string_view path, const HookConfigSurroundings& surroundings) {
  LOUPE_ASSIGN(const bool is_enabled,
               path.empty() ? detail::uses_smdebug(surroundings.environment) : result<bool>(true));
  if (!is_enabled) {
    HookConfig config;
    config.enabled = false;
    return config;
  }
  const Text file = path.empty() ? format::hook_config_path(surroundings.environment) : Text(path);
  ByteBuffer text;
  LOUPE_TRY(detail::read_file(file, text));
  return read_hook_config(text.text(), file, surroundings);
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_HOOK_CONFIG_JSON_IPP
#endif  // LOUPE_SINGLE_CAPTURE_HOOK_CONFIG_JSON_HPP
// ---- loupe/capture/idle_recorder.hpp
#ifndef LOUPE_SINGLE_CAPTURE_IDLE_RECORDER_HPP
#define LOUPE_SINGLE_CAPTURE_IDLE_RECORDER_HPP
/// @file
/// The recorder of a hook that stands aside: it is switched off, or its trial could not be opened, and the training goes
/// on without it.

namespace loupe::inline LOUPE_ABI {

/// Saves nothing and fails at nothing; remembers why it has to, if there is a reason.
class IdleRecorder final : public Recorder {
 public:
  explicit IdleRecorder(ReportSink sink) noexcept : failures_(sink) {}
  IdleRecorder(ReportSink sink, Error reason) noexcept : failures_(sink) { failures_.add(std::move(reason)); }

  result<void> set_mode(Mode mode) override {
    mode_ = mode;
    return {};
  }
  result<void> begin_step() override { return {}; }
  result<void> end_step() override { return {}; }
  Selection select(std::string_view) override { return {}; }
  result<void> record(Selection, const TensorView&) override { return {}; }
  result<void> record_scalar(std::string_view, const TensorView&, const ScalarOptions&) override { return {}; }
  result<void> record_custom(std::string_view, const TensorView&, std::span<const std::string_view>) override { return {}; }
  result<void> flush_custom() override { return {}; }
  result<void> flush() override { return {}; }
  result<void> close() override { return {}; }
  void absorb(Error error) noexcept override { failures_.add(std::move(error)); }
  void summarise() noexcept override {}
  [[nodiscard]] CaptureFailures failures() const override { return failures_.snapshot(); }
  [[nodiscard]] CaptureCounts counts() const override { return {}; }
  [[nodiscard]] Mode mode() const noexcept override { return mode_; }
  [[nodiscard]] Step step() const noexcept override { return Step(-1); }
  [[nodiscard]] ModeStep mode_step(Mode mode) const noexcept override { return {mode, -1}; }
  result<Collection*> collection(std::string_view name) override { return collections_.get(name); }
  result<void> add_collection(const Collection&) override { return {}; }
  [[nodiscard]] bool has_member(std::string_view, std::string_view) override { return false; }
  result<void> attach(Owner<StepJudge>) override { return {}; }
  StepVerdict verdict() override { return {}; }

 private:
  FailureLog failures_;
  CollectionSet collections_;
  Mode mode_ = Mode::global;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_IDLE_RECORDER_HPP
// ---- loupe/capture/null_hook.hpp
#ifndef LOUPE_SINGLE_CAPTURE_NULL_HOOK_HPP
#define LOUPE_SINGLE_CAPTURE_NULL_HOOK_HPP
/// @file
/// A hook that is not there: the interface of `Hook` with nothing behind it.

namespace loupe::inline LOUPE_ABI {

/// A step of a `NullHook`.
struct [[nodiscard]] NullStep {
  constexpr NullStep() noexcept {}
  constexpr ~NullStep() {}
  [[nodiscard]] static constexpr bool armed() noexcept { return false; }
  template <class Tensor>
  constexpr NullStep& save(std::string_view, const Tensor&) noexcept {
    return *this;
  }
  template <class Number>
  constexpr NullStep& scalar(std::string_view, const Number&, const ScalarOptions& = {}) noexcept {
    return *this;
  }
  [[nodiscard]] static constexpr StepVerdict verdict() noexcept { return {}; }
  constexpr void end() noexcept {}
};

/// Stands for the pointer to a hook's collection; changes to it have no effect.
class NullCollection {
 public:
  explicit NullCollection(std::string_view name) : ignored_{.name = name} {}
  Collection& operator*() noexcept { return ignored_; }
  Collection* operator->() noexcept { return &ignored_; }

 private:
  Collection ignored_;
};

/// Takes the place of a hook where capture is switched off at compile time: every call is empty and compiles to nothing.
struct NullHook {
  using Step = NullStep;
  constexpr NullHook() noexcept = default;
  /// Takes what a hook is constructed from, and looks at none of it.
  template <class... Parts>
  constexpr explicit NullHook(const HookConfig&, Parts&&...) noexcept {}
  template <class... Parts>
  static result<NullHook> create(const HookConfig&, Parts&&...) {
    return NullHook();
  }

  constexpr void set_mode(Mode) noexcept {}
  static constexpr NullStep step() noexcept { return {}; }
  static constexpr NullStep step(Mode) noexcept { return {}; }
  constexpr void begin_step() noexcept {}
  constexpr void end_step() noexcept {}
  constexpr void end_step_quietly() noexcept {}
  [[nodiscard]] static constexpr bool armed() noexcept { return false; }
  template <class Tensor>
  constexpr void save(std::string_view, const Tensor&) noexcept {}
  template <class Number>
  constexpr void save_scalar(std::string_view, const Number&, const ScalarOptions& = {}) noexcept {}
  template <class Tensor>
  constexpr void save_tensor(std::string_view, const Tensor&, std::span<const std::string_view> = {}) noexcept {}
  constexpr void flush_custom() noexcept {}

  /// What a hook gives a pointer to, to be changed in vain.
  [[nodiscard]] static NullCollection collection(std::string_view name) { return NullCollection(name); }
  constexpr void add_collection(const Collection&) noexcept {}

  template <class... Rules>
  constexpr void rules(Rules&&...) noexcept {}
  [[nodiscard]] static constexpr StepVerdict verdict() noexcept { return {}; }
  constexpr void flush() noexcept {}
  constexpr void close() noexcept {}
  [[nodiscard]] static constexpr HookRef ref() noexcept { return {}; }
  [[nodiscard]] static CaptureFailures failures() { return {}; }
  [[nodiscard]] static constexpr CaptureCounts counts() noexcept { return {}; }
  [[nodiscard]] static constexpr Mode mode() noexcept { return Mode::global; }
  /// -1: no step is ever begun.
  [[nodiscard]] static constexpr loupe::Step current_step() noexcept { return loupe::Step(-1); }
  [[nodiscard]] static constexpr ModeStep current_step(Mode mode) noexcept { return {mode, -1}; }
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_NULL_HOOK_HPP
// ---- loupe/capture/quirks.hpp
#ifndef LOUPE_SINGLE_CAPTURE_QUIRKS_HPP
#define LOUPE_SINGLE_CAPTURE_QUIRKS_HPP
/// @file
/// What a hook does differently to write exactly what smdebug writes (semantics.md section 19).

namespace loupe::inline LOUPE_ABI {

/// The differences between loupe's capture and smdebug's. The defaults are loupe's.
struct CaptureQuirks {
  /// Scalars wait for the next file that is closed, and get its step and mode (6.3, 19-6). Else: those they were given in.
  bool scalars_wait = false;
  /// Custom tensors wait for `flush_custom`, only the last of their collections counts, raw values only (6.4, 19-19).
  bool custom_tensors_wait = false;
  /// A shape is indexed even where the raw tensor of the same step has it (19-1).
  bool shape_beside_raw = false;
  /// The collections file is written at the step after the first saved one, not with it (6.5).
  bool late_collections_file = false;
  /// A change of mode takes effect in the open step (section 1), not at the next one.
  bool mode_changes_open_step = false;
  /// Element types that Python can't read are written all the same (19-2).
  bool exact_element_types = false;
  /// A configuration that names no collections saves the framework's own ones only (5.3). Else: all that is offered.
  bool saves_defaults_only = false;
  /// Of two collections of one name the second counts, and names of collections that don't exist are no error.
  bool any_collection_names = false;
  /// TensorBoard files begin without a version record (format.md section 9).
  bool no_tensorboard_version = false;
  /// The numbering of a mode that is new in a resumed run (19-29).
  ResumedNumbering numbering = ResumedNumbering::from_zero;
  ClaimPolicy claim = ClaimPolicy::take_over_stale;
  EndMarkerPolicy end_marker = EndMarkerPolicy::last_worker;
};

/// The differences of a compatibility policy.
template <compat::Compatibility Policy>
inline constexpr CaptureQuirks capture_quirks = {};
template <>
inline constexpr CaptureQuirks capture_quirks<compat::Smdebug> = {
    .scalars_wait = true,
    .custom_tensors_wait = true,
    .shape_beside_raw = true,
    .late_collections_file = true,
    .mode_changes_open_step = true,
    .exact_element_types = true,
    .saves_defaults_only = true,
    .any_collection_names = true,
    .no_tensorboard_version = true,
    .numbering = ResumedNumbering::smdebug,
    .claim = ClaimPolicy::smdebug,
    .end_marker = EndMarkerPolicy::every_worker,
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_QUIRKS_HPP
// ---- loupe/capture/recorder_factory.hpp
#ifndef LOUPE_SINGLE_CAPTURE_RECORDER_FACTORY_HPP
#define LOUPE_SINGLE_CAPTURE_RECORDER_FACTORY_HPP
/// @file
/// Makes the recorder of a hook: where its policies become objects.

// ---- loupe/capture/recorder_parts.hpp
#ifndef LOUPE_SINGLE_CAPTURE_RECORDER_PARTS_HPP
#define LOUPE_SINGLE_CAPTURE_RECORDER_PARTS_HPP
/// @file
/// What the templates of a hook hand over to the code that is none: its policies as objects, of which a recorder is
/// made.

namespace loupe::inline LOUPE_ABI {

/// What a recorder is made of besides its configuration: the objects and choices that a hook's policies stand for.
struct RecorderParts {
  AnyStorage storage;
  AnyExecutor executor;
  AnyClock clock;
  Text worker;
  std::int64_t rank = 0;
  std::int64_t world_size = 1;
  ReduceFunction reduce = nullptr;
  CaptureQuirks quirks;
};

namespace detail {

/// Checks the configuration, opens the trial, and makes its recorder.
LOUPE_DECL result<RecorderOwner> make_recorder(const HookConfig& config, RecorderParts parts);

/// For constructors: the recorder that was made. A mistake of the caller's is thrown, and so is everything if `throws`;
/// what the world did (no such disk, no permission) gives a recorder that stands aside. Without exceptions any error
/// does.
LOUPE_DECL RecorderOwner recorder_or_idle(result<RecorderOwner> made, ReportSink report, bool throws);

/// The error of a hook that was given no folder.
LOUPE_DECL unexpected<Error> refuse_empty_out_dir();

}  // namespace detail
}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/capture/recorder_parts.ipp
#ifndef LOUPE_SINGLE_CAPTURE_RECORDER_PARTS_IPP
#define LOUPE_SINGLE_CAPTURE_RECORDER_PARTS_IPP

// ---- loupe/capture/step_recorder.hpp
#ifndef LOUPE_SINGLE_CAPTURE_STEP_RECORDER_HPP
#define LOUPE_SINGLE_CAPTURE_STEP_RECORDER_HPP
/// @file
/// The recorder that a hook has: decides, reduces, encodes into the step's buffer, and hands finished steps to the writer.

// ---- loupe/capture/run_state.hpp
#ifndef LOUPE_SINGLE_CAPTURE_RUN_STATE_HPP
#define LOUPE_SINGLE_CAPTURE_RUN_STATE_HPP
/// @file
/// The state of a run that is kept beside its checkpoints, so that it can go on from one (semantics.md section 10).

namespace loupe::inline LOUPE_ABI {

/// Restores the counters of the run that left the directory's `metadata.json`, and adds this run's whenever a checkpoint
/// has been written since it was last asked. Move-only; one thread at a time.
class RunState {
 public:
  /// Reads the state that is there; none is a fresh start, a malformed one an error. `checkpoints` is the directory.
  LOUPE_DECL static result<RunState> open(AnyStorage checkpoints,
                                          ResumedNumbering numbering = ResumedNumbering::from_zero);

  /// Where counting goes on; `restored` says whether there was a state.
  [[nodiscard]] const Counters& counters() const noexcept { return restored_; }
  /// To be called before the counters move: keeps them if the checkpoints have changed. A file counts by its name and
  /// size; one rewritten in the same size is not noticed.
  LOUPE_DECL result<void> before_step(const Counters& counters);

 private:
  /// A file of the checkpoint directory.
  struct Checkpoint {
    Text key;
    std::uint64_t size = 0;
    friend bool operator==(const Checkpoint&, const Checkpoint&) = default;
  };
  explicit RunState(AnyStorage checkpoints) : storage_(std::move(checkpoints)) {}
  LOUPE_DECL void restore(ResumedNumbering numbering);
  LOUPE_DECL result<void> list_checkpoints(std::vector<Checkpoint>& found) const;
  [[nodiscard]] LOUPE_DECL format::CheckpointState state_of(const Counters& counters) const;

  AnyStorage storage_;
  std::vector<format::CheckpointState> states_;
  std::vector<Checkpoint> checkpoints_;
  std::vector<Checkpoint> found_;  // a member, to keep its memory from step to step
  Counters restored_;
  ByteBuffer document_;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/capture/run_state.ipp
#ifndef LOUPE_SINGLE_CAPTURE_RUN_STATE_IPP
#define LOUPE_SINGLE_CAPTURE_RUN_STATE_IPP

namespace loupe::inline LOUPE_ABI {

namespace detail {

/// Whether a file is one of the state's own or of the uploader's, and thus no checkpoint.
inline bool is_state_file(std::string_view key) noexcept {
  const std::string_view name = key.substr(key.rfind('/') + 1);
  return name == format::checkpoint_state_key || name.find("sagemaker-uploaded") != std::string_view::npos;
}

}  // namespace detail

LOUPE_DECL result<RunState> RunState::open(AnyStorage checkpoints, ResumedNumbering numbering) {
  RunState state(std::move(checkpoints));
  const auto read = state.storage_.read(format::checkpoint_state_key, {}, state.document_);
  if (!read && read.error().kind != ErrorKind::not_found) return fail(read.error());
  if (read) {
    LOUPE_ASSIGN(state.states_, format::read_checkpoint_states(state.document_.text(), format::checkpoint_state_key));
  }
  state.restore(numbering);
  LOUPE_TRY(state.list_checkpoints(state.checkpoints_));
  return state;
}

LOUPE_DECL void RunState::restore(ResumedNumbering numbering) {
  if (states_.empty()) return;
  const format::CheckpointState& last = states_.back();
  restored_.restored = true;
  restored_.training_run = last.training_run + 1;
  restored_.global = last.latest_global_step_seen;
  restored_.last_saved = last.latest_global_step_saved.value_or(-1);
  for (const Mode mode : all_modes)
    restored_.modes[mode_index(mode)] = last.latest_mode_step[mode_index(mode)].value_or(
        numbering == ResumedNumbering::smdebug ? restored_.global : -1);
  restored_.modes[mode_index(Mode::global)] = restored_.global;
}

LOUPE_DECL result<void> RunState::list_checkpoints(std::vector<Checkpoint>& found) const {
  found.clear();
  LOUPE_TRY(storage_.list({}, {}, [&](const ObjectInfo& object) {
    if (!detail::is_state_file(object.key)) found.push_back({object.key, 0});
    return true;
  }));
  // A listing may leave sizes out. A file that is gone since counts as one without bytes.
  for (Checkpoint& checkpoint : found)
    if (const auto info = storage_.stat(checkpoint.key)) checkpoint.size = info->size;
  return {};
}

LOUPE_DECL format::CheckpointState RunState::state_of(const Counters& counters) const {
  format::CheckpointState state;
  state.training_run = counters.training_run;
  if (counters.last_saved >= 0) state.latest_global_step_saved = counters.last_saved;
  state.latest_global_step_seen = counters.global;
  for (const Mode mode : all_modes) {
    const std::size_t index = mode_index(mode);
    const bool is_used =
        counters.modes[index] != restored_.modes[index] || (!states_.empty() && states_.back().latest_mode_step[index]);
    if (is_used || mode == Mode::global) state.latest_mode_step[index] = counters.modes[index];
  }
  return state;
}

LOUPE_DECL result<void> RunState::before_step(const Counters& counters) {
  LOUPE_TRY(list_checkpoints(found_));
  if (found_ == checkpoints_) return {};
  if (!found_.empty()) {
    states_.push_back(state_of(counters));
    document_.clear();
    format::write_checkpoint_states(document_, states_);
    if (auto written = storage_.put(format::checkpoint_state_key, document_.bytes(), PutMode::replace); !written) {
      states_.pop_back();
      return written;
    }
  }
  std::swap(checkpoints_, found_);
  return {};
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_RUN_STATE_IPP
#endif  // LOUPE_SINGLE_CAPTURE_RUN_STATE_HPP
// ---- loupe/capture/staging.hpp
#ifndef LOUPE_SINGLE_CAPTURE_STAGING_HPP
#define LOUPE_SINGLE_CAPTURE_STAGING_HPP
/// @file
/// The bounded store of step buffers between the training thread and the writer.

// ---- loupe/capture/step_buffer.hpp
#ifndef LOUPE_SINGLE_CAPTURE_STEP_BUFFER_HPP
#define LOUPE_SINGLE_CAPTURE_STEP_BUFFER_HPP
/// @file
/// Everything that one worker saves at one step, encoded, on its way to storage.

namespace loupe::inline LOUPE_ABI {

/// The encoded records of a step and what the index has to say of them. `clear` keeps the memory for the next step.
class StepBuffer {
 public:
  /// A record of the event file.
  struct Record {
    std::uint64_t start;
    std::uint64_t length;
    std::uint32_t tag_begin;
    std::uint32_t tag_size;
  };
  /// A tensor of which the shape alone is kept; its sizes are `sizes[sizes_begin] …`.
  struct ShapeRecord {
    std::uint32_t name_begin;
    std::uint32_t name_size;
    std::uint32_t sizes_begin;
    std::uint32_t rank;
  };
  /// What a TensorBoard file of one mode gets in this step.
  struct Summaries {
    ByteBuffer records;
    std::int64_t step = 0;  ///< the global step that names the file
  };

  /// A further object that is published after the step, such as the collections file.
  struct Object {
    Text key;
    ByteBuffer bytes;
  };

  std::int64_t step = 0;
  StepBuffer* next = nullptr;  ///< the one behind it in the writer's queue
  std::vector<Object> objects;
  ByteBuffer events;
  std::vector<Record> records;
  std::vector<ShapeRecord> shapes;
  Summaries summaries[mode_count];

  void clear() noexcept {
    events.clear();
    texts_.clear();
    sizes_.clear();
    records.clear();
    shapes.clear();
    objects.clear();
    for (auto& of_mode : summaries) of_mode.records.clear();
    next = nullptr;
    has_mode_ = mode_is_from_shape_ = false;
  }

  /// Appends a name or tag; the parts are joined. Returns where it begins in `text(...)`.
  template <class... Parts>
  std::uint32_t keep_text(const Parts&... parts) {
    const auto begin = static_cast<std::uint32_t>(texts_.size());
    (texts_.append(std::string_view(parts)), ...);
    return begin;
  }
  [[nodiscard]] std::uint32_t text_end() const noexcept { return static_cast<std::uint32_t>(texts_.size()); }
  [[nodiscard]] std::string_view text(std::uint32_t begin, std::uint32_t size) const noexcept {
    return texts_.text().substr(begin, size);
  }
  /// The buffer that tags are composed in.
  [[nodiscard]] ByteBuffer& texts() noexcept { return texts_; }

  void keep_shape(std::string_view name, const Shape& shape) {
    const auto name_begin = keep_text(name);
    const auto sizes_begin = static_cast<std::uint32_t>(sizes_.size());
    sizes_.insert(sizes_.end(), shape.begin(), shape.end());
    shapes.push_back({name_begin, static_cast<std::uint32_t>(name.size()), sizes_begin, static_cast<std::uint32_t>(shape.size())});
  }
  [[nodiscard]] Shape shape(const ShapeRecord& record) const noexcept {
    return Shape(std::span<const std::int64_t>(sizes_.data() + record.sizes_begin, record.rank));
  }

  /// Notes the mode of an entry: the file's is that of its first one, a record's before a shape's (format.md section 6).
  void note_mode(Mode mode, std::int64_t mode_step, bool is_shape) noexcept {
    if (has_mode_ && !(mode_is_from_shape_ && !is_shape)) return;
    has_mode_ = true;
    mode_is_from_shape_ = is_shape;
    mode_ = mode;
    mode_step_ = mode_step;
  }
  [[nodiscard]] Mode mode() const noexcept { return mode_; }
  [[nodiscard]] std::int64_t mode_step() const noexcept { return mode_step_; }

  /// Whether there is nothing to write.
  [[nodiscard]] bool empty() const noexcept {
    if (!records.empty() || !shapes.empty() || !objects.empty()) return false;
    for (const auto& of_mode : summaries)
      if (!of_mode.records.empty()) return false;
    return true;
  }
  /// Bytes of memory that this buffer keeps from others while it waits.
  [[nodiscard]] std::uint64_t pending_bytes() const noexcept {
    std::uint64_t bytes = events.size() + texts_.size();
    for (const auto& object : objects) bytes += object.bytes.size();
    for (const auto& of_mode : summaries) bytes += of_mode.records.size();
    return bytes;
  }

 private:
  ByteBuffer texts_;
  std::vector<std::int64_t> sizes_;
  Mode mode_ = Mode::global;
  std::int64_t mode_step_ = 0;
  bool has_mode_ = false;
  bool mode_is_from_shape_ = false;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_STEP_BUFFER_HPP

namespace loupe::inline LOUPE_ABI {

/// Lends step buffers and counts the bytes of those that wait to be written. Buffers come back with their memory, so
/// after warm-up nothing is allocated. Safe for one training thread and any number of writers.
class Staging {
 public:
  /// Room for another step: enough; `scarce` from the limit on; `none` from twice the limit on.
  enum class Room : std::uint8_t { enough, scarce, none };

  explicit Staging(std::uint64_t max_pending_bytes) noexcept : max_pending_bytes_(max_pending_bytes) {}

  /// How much room the steps that wait leave. A step larger than the limit is let through alone.
  [[nodiscard]] Room room() const {
    const MutexLock lock(mutex_);
    if (pending_bytes_ < max_pending_bytes_) return Room::enough;
    return pending_bytes_ / 2 < max_pending_bytes_ ? Room::scarce : Room::none;
  }
  /// Waits until there is room. Writers must be at work.
  void wait_for_room() {
    const MutexLock lock(mutex_);
    while (pending_bytes_ >= max_pending_bytes_) freed_.wait(lock);
  }

  /// An empty buffer.
  StepBuffer* acquire() {
    const MutexLock lock(mutex_);
    if (idle_.empty()) {
      buffers_.emplace_back(new StepBuffer);
      idle_.reserve(buffers_.size());
      return buffers_.back().get();
    }
    StepBuffer* buffer = idle_.back();
    idle_.pop_back();
    return buffer;
  }
  /// Counts a buffer as waiting; `release_submitted` ends that.
  void submit(const StepBuffer& buffer) {
    const MutexLock lock(mutex_);
    pending_bytes_ += buffer.pending_bytes();
  }
  /// Takes a buffer back that was submitted.
  void release_submitted(StepBuffer* buffer) noexcept {
    {
      const MutexLock lock(mutex_);
      pending_bytes_ -= buffer->pending_bytes();
      buffer->clear();
      idle_.push_back(buffer);
    }
    freed_.notify_all();
  }
  /// Takes a buffer back that was not submitted.
  void release(StepBuffer* buffer) noexcept {
    buffer->clear();
    const MutexLock lock(mutex_);
    idle_.push_back(buffer);
  }

 private:
  const std::uint64_t max_pending_bytes_;
  mutable Mutex mutex_;
  Condition freed_;
  std::uint64_t pending_bytes_ = 0;
  std::vector<Owner<StepBuffer>> buffers_;
  std::vector<StepBuffer*> idle_;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_STAGING_HPP
// ---- loupe/capture/step_writer.hpp
#ifndef LOUPE_SINGLE_CAPTURE_STEP_WRITER_HPP
#define LOUPE_SINGLE_CAPTURE_STEP_WRITER_HPP
/// @file
/// Publishes steps: event data, then index, then whatever comes with them, in the order in which they were taken.

namespace loupe::inline LOUPE_ABI {

/// Takes step buffers from the training thread and writes them on an executor, one at a time whatever the executor is.
/// A step that can't be written is counted and given up; the ones before it stay readable.
class StepWriter {
 public:
  struct Target {
    AnyStorage trial;
    AnyStorage tensorboard;          ///< where `tensorboard_prefix` begins
    Text tensorboard_prefix;         ///< key prefix of TensorBoard files in `tensorboard`
    Text tensorboard_suffix;         ///< `<pid>_<hostname>`
    Text worker;
  };

  StepWriter(Target target, AnyExecutor executor, Staging& staging, FailureLog& failures)
      : target_(std::move(target)), executor_(std::move(executor)), staging_(staging), failures_(failures) {}
  StepWriter(const StepWriter&) = delete;
  StepWriter& operator=(const StepWriter&) = delete;
  ~StepWriter() { drain(); }

  /// Takes a buffer over; it goes back to the staging when it is written or given up. Never waits for storage, unless
  /// the executor runs tasks in the caller.
  LOUPE_DECL void submit(StepBuffer* buffer);
  /// Whether this is the process that made the writer. A forked child must leave the trial to its parent.
  [[nodiscard]] bool is_at_home() const noexcept { return home_.is_here(); }
  /// Waits until everything that was taken is written or given up; in a forked child for nothing.
  LOUPE_DECL void drain();

 private:
  LOUPE_DECL void run() noexcept;
  LOUPE_DECL StepBuffer* take_next() noexcept;
  LOUPE_DECL result<void> publish(const StepBuffer& buffer);
  LOUPE_DECL result<void> publish_summaries(const StepBuffer& buffer);

  Target target_;
  AnyExecutor executor_;
  Staging& staging_;
  FailureLog& failures_;
  ByteBuffer document_;  // the index being encoded; only the running task touches it
  Mutex mutex_;
  Condition idle_;
  StepBuffer* first_ = nullptr;
  StepBuffer* last_ = nullptr;
  bool is_running_ = false;
  const HomeProcess home_;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/capture/step_writer.ipp
#ifndef LOUPE_SINGLE_CAPTURE_STEP_WRITER_IPP
#define LOUPE_SINGLE_CAPTURE_STEP_WRITER_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL void StepWriter::submit(StepBuffer* buffer) {
  staging_.submit(*buffer);
  {
    const MutexLock lock(mutex_);
    (last_ != nullptr ? last_->next : first_) = buffer;
    last_ = buffer;
    if (is_running_) return;
    is_running_ = true;
  }
  // One task empties the queue, so a refusal can only mean that others keep the executor busy: then this thread writes.
  const auto posted =
      contained("post a task", [&]() -> result<bool> { return executor_.post([this]() noexcept { run(); }); });
  if (!posted || !*posted) run();
}

LOUPE_DECL StepBuffer* StepWriter::take_next() noexcept {
  const MutexLock lock(mutex_);
  StepBuffer* buffer = first_;
  if (buffer == nullptr) {
    is_running_ = false;
    idle_.notify_all();
    return nullptr;
  }
  first_ = buffer->next;
  if (first_ == nullptr) last_ = nullptr;
  return buffer;
}

LOUPE_DECL void StepWriter::run() noexcept {
  while (StepBuffer* buffer = take_next()) {
    if (auto outcome = contained("write a step", [&] { return publish(*buffer); }); !outcome) {
      failures_.add_dropped_step();
      failures_.add(std::move(outcome).error());
    }
    if (auto outcome = contained("write a TensorBoard file", [&] { return publish_summaries(*buffer); }); !outcome)
      failures_.add(std::move(outcome).error());
    for (const StepBuffer::Object& object : buffer->objects) {
      if (auto outcome = contained("write", [&] { return target_.trial.put(object.key, object.bytes.bytes(), PutMode::replace); });
          !outcome)
        failures_.add(std::move(outcome).error());
    }
    staging_.release_submitted(buffer);
  }
}

LOUPE_DECL void StepWriter::drain() {
  if (!is_at_home()) return;
  const MutexLock lock(mutex_);
  while (is_running_) idle_.wait(lock);
}

LOUPE_DECL result<void> StepWriter::publish(const StepBuffer& buffer) {
  if (buffer.records.empty() && buffer.shapes.empty()) return {};
  const auto event_key = format::event_key(buffer.step, target_.worker);
  if (!buffer.records.empty())
    LOUPE_TRY(target_.trial.put(event_key, buffer.events.bytes(), PutMode::replace));
  document_.clear();
  format::IndexWriter index(document_, buffer.mode(), buffer.mode_step(),
                            buffer.records.empty() ? std::string_view() : std::string_view(event_key));
  for (const StepBuffer::Record& record : buffer.records)
    index.tensor(buffer.text(record.tag_begin, record.tag_size), record.start, record.length);
  for (const StepBuffer::ShapeRecord& record : buffer.shapes) {
    const auto name = buffer.text(record.name_begin, record.name_size);
    index.shape(name, name, buffer.shape(record));
  }
  index.finish();
  return target_.trial.put(format::index_key(buffer.step, target_.worker), document_.bytes(), PutMode::replace);
}

LOUPE_DECL result<void> StepWriter::publish_summaries(const StepBuffer& buffer) {
  for (const Mode mode : all_modes) {
    const StepBuffer::Summaries& of_mode = buffer.summaries[mode_index(mode)];
    if (of_mode.records.empty()) continue;
    const auto key = Text::join(target_.tensorboard_prefix.view(),
                                format::tensorboard_key(mode, of_mode.step, target_.tensorboard_suffix));
    LOUPE_TRY(target_.tensorboard.put(key, of_mode.records.bytes(), PutMode::replace));
  }
  return {};
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_STEP_WRITER_IPP
#endif  // LOUPE_SINGLE_CAPTURE_STEP_WRITER_HPP
// ---- loupe/capture/trial_folder.hpp
#ifndef LOUPE_SINGLE_CAPTURE_TRIAL_FOLDER_HPP
#define LOUPE_SINGLE_CAPTURE_TRIAL_FOLDER_HPP
/// @file
/// The life of a trial's folder as one writing worker sees it: opened, claimed, written, closed.

namespace loupe::inline LOUPE_ABI {

/// How a worker opens and closes the folder of its trial. A plain value; copies may be used on any thread.
struct TrialFolderOptions {
  /// The worker's name as it stands in the names of files.
  Text worker;
  /// How many workers write to the folder.
  std::int64_t world_size = 1;
  /// Whether the folder is claimed: for a job of one worker, which others may be mistaken for. Only where the storage is
  /// this host's own.
  bool claims = true;
  ResumePolicy resume = ResumePolicy::refuse;
  ClaimPolicy claim = ClaimPolicy::take_over_stale;
  EndMarkerPolicy end_marker = EndMarkerPolicy::last_worker;
  /// Whether this is one of the workers that write: the others leave the end marker to those.
  bool writes = true;
};

/// The folder of a trial that this process writes to. Move-only; one thread at a time. Destroyed without `close` it gives
/// up its claim and leaves the trial as one that was not finished.
class TrialFolder {
 public:
  /// Does with what lies in the folder as the resume policy says. Errors: invalid_state for a finished trial under
  /// `refuse` and for a folder that another process has claimed; what the storage says.
  LOUPE_DECL static result<TrialFolder> open(AnyStorage storage, TrialFolderOptions options);

  /// Whether tensors and collections may be written; false once another process was found to have the claim.
  [[nodiscard]] bool may_write() const noexcept { return may_write_; }
  /// To be called before something is written: under `ClaimPolicy::smdebug` the first call claims. Gives `may_write()`.
  LOUPE_DECL result<bool> begin_writing();
  /// Whether steps of a run that did not finish lie in the folder, and this one neither continues nor removes them.
  [[nodiscard]] bool joins_unfinished_run() const noexcept { return joins_unfinished_run_; }
  /// Where counting goes on; from the start except under `ResumePolicy::resume`.
  [[nodiscard]] const Counters& counters() const noexcept { return counters_; }
  /// Ends the trial as the end-marker policy says and gives up the claim. Again: nothing.
  LOUPE_DECL result<void> close();

 private:
  TrialFolder(AnyStorage storage, TrialFolderOptions options)
      : storage_(std::move(storage)),
        options_(std::move(options)) {}
  LOUPE_DECL result<void> refuse_finished_trial() const;
  LOUPE_DECL result<void> look_for_unfinished_run();
  LOUPE_DECL result<void> find_counters();
  LOUPE_DECL result<void> remove_trial();
  LOUPE_DECL result<void> mark_end();
  [[nodiscard]] LOUPE_DECL Text closed_key() const;
  [[nodiscard]] LOUPE_DECL result<std::vector<Text>> keys_below(std::string_view prefix) const;
  [[nodiscard]] LOUPE_DECL result<std::vector<Text>> unfinished_below(std::string_view prefix) const;
  [[nodiscard]] bool claims() const noexcept {
    const Capabilities can = storage_.capabilities();
    return options_.claims && can.put_if_absent && can.map;
  }

  AnyStorage storage_;
  TrialFolderOptions options_;
  Claim claim_;
  Counters counters_;
  bool may_write_ = true;
  bool joins_unfinished_run_ = false;
  bool has_begun_ = false;
  bool is_closed_ = false;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/capture/trial_folder.ipp
#ifndef LOUPE_SINGLE_CAPTURE_TRIAL_FOLDER_IPP
#define LOUPE_SINGLE_CAPTURE_TRIAL_FOLDER_IPP

namespace loupe::inline LOUPE_ABI {

namespace detail {

inline std::string_view without_suffix(std::string_view text, std::string_view suffix) noexcept {
  return text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : text;
}

/// Whether a worker is one of a job with more workers than this one has: `worker_<rank>`, the rank too high.
inline bool is_beyond(std::string_view worker, std::int64_t world_size) noexcept {
  constexpr std::string_view prefix = "worker_";
  if (!worker.starts_with(prefix)) return false;
  worker.remove_prefix(prefix.size());
  std::int64_t rank = -1;
  const auto [end, error] = std::from_chars(worker.data(), worker.data() + worker.size(), rank);
  return error == std::errc() && end == worker.data() + worker.size() && rank >= world_size;
}

/// Keeps the largest mode steps of index files that a run can count on from.
class ModeStepReader final : public format::IndexVisitor {
 public:
  explicit ModeStepReader(Counters& counters) noexcept : counters_(counters) {}
  result<void> meta(const format::IndexMeta& meta) override {
    std::int64_t& last = counters_.modes[mode_index(meta.mode)];
    if (meta.mode_step <= max_resumed_step) last = std::max(last, meta.mode_step);
    return {};
  }
  result<void> tensor(std::string_view, std::uint64_t, std::uint64_t) override { return {}; }
  result<void> shape(std::string_view, std::string_view, const Shape&) override { return {}; }

 private:
  Counters& counters_;
};

}  // namespace detail

LOUPE_DECL result<TrialFolder> TrialFolder::open(AnyStorage storage, TrialFolderOptions options) {
  TrialFolder folder(std::move(storage), std::move(options));
  const TrialFolderOptions& chosen = folder.options_;
  const bool refuses = chosen.resume == ResumePolicy::refuse;
  if (!chosen.writes) {
    // What is in the folder belongs to the workers that write; smdebug's look for the end of a trial all the same.
    if (chosen.claim == ClaimPolicy::smdebug && refuses) LOUPE_TRY(folder.refuse_finished_trial());
    return folder;
  }
  // Looked for before the claim, so that a finished trial stays untouched, and after it, because the run that had the
  // claim may have finished meanwhile.
  if (refuses) LOUPE_TRY(folder.refuse_finished_trial());
  if (chosen.claim == ClaimPolicy::take_over_stale && folder.claims()) {
    LOUPE_ASSIGN(folder.claim_, Claim::acquire(folder.storage_, format::claim_key,
                                               refuses ? UnknownClaim::respect : UnknownClaim::take_over));
    if (refuses) LOUPE_TRY(folder.refuse_finished_trial());
  }
  if (refuses) LOUPE_TRY(folder.look_for_unfinished_run());
  else LOUPE_TRY(folder.storage_.remove(format::end_marker_key));
  if (chosen.world_size > 1) LOUPE_TRY(folder.storage_.remove(folder.closed_key()));
  if (chosen.resume == ResumePolicy::resume) LOUPE_TRY(folder.find_counters());
  if (chosen.resume == ResumePolicy::overwrite) LOUPE_TRY(folder.remove_trial());
  return folder;
}

LOUPE_DECL result<void> TrialFolder::refuse_finished_trial() const {
  const auto marker = storage_.stat(format::end_marker_key);
  if (marker)
    return fail(ErrorKind::invalid_state, storage_.name(),
                "it holds a finished trial; choose another folder, or say by the resume policy that the trial is to be "
                "resumed or overwritten");
  return marker.error().kind == ErrorKind::not_found ? result<void>() : fail(marker.error());
}

LOUPE_DECL result<void> TrialFolder::look_for_unfinished_run() {
  return storage_.list(format::index_prefix, {}, [&](const ObjectInfo& object) {
    const auto name = format::parse_index_key(object.key);
    joins_unfinished_run_ = name && name->worker == options_.worker;
    return !joins_unfinished_run_;
  });
}

LOUPE_DECL result<void> TrialFolder::find_counters() {
  LOUPE_ASSIGN(const std::vector<Text> keys, keys_below(format::index_prefix));
  ByteBuffer document;
  detail::ModeStepReader mode_steps(counters_);
  for (const Text& key : keys) {
    const auto name = format::parse_index_key(key);
    if (!name || key != format::index_key(name->step, options_.worker) || name->step > max_resumed_step) continue;
    counters_.restored = true;
    counters_.global = std::max(counters_.global, name->step);
    document.clear();
    LOUPE_TRY(storage_.read(key, {}, document));
    // A damaged file has lost its mode step; its step counts all the same.
    (void)format::parse_index(document.text(), key, mode_steps);
  }
  counters_.modes[mode_index(Mode::global)] = counters_.last_saved = counters_.global;
  return {};
}

LOUPE_DECL result<void> TrialFolder::remove_trial() {
  // Readers must not find a part of the old trial complete: collections go first, then indices, then what they point to.
  const auto is_ours = [&](std::string_view worker, std::string_view key, const Text& own_key) {
    return options_.world_size == 1 || key == own_key || detail::is_beyond(worker, options_.world_size);
  };
  const auto remove_where = [&](std::string_view prefix, auto&& belongs) -> result<void> {
    LOUPE_ASSIGN(const std::vector<Text> keys, keys_below(prefix));
    LOUPE_ASSIGN(const std::vector<Text> unfinished, unfinished_below(prefix));
    for (const Text& key : keys)
      if (belongs(key.view())) LOUPE_TRY(storage_.remove(key));
    for (const Text& key : unfinished)
      if (belongs(detail::without_suffix(key, ".tmp"))) LOUPE_TRY(storage_.remove(key));
    return {};
  };
  LOUPE_TRY(remove_where(format::collections_prefix, [&](std::string_view key) {
    const auto worker = format::parse_collections_key(key);
    return worker && is_ours(*worker, key, format::collections_key(options_.worker));
  }));
  LOUPE_TRY(remove_where(format::index_prefix, [&](std::string_view key) {
    const auto name = format::parse_index_key(key);
    return name && is_ours(name->worker, key, format::index_key(name->step, options_.worker));
  }));
  LOUPE_TRY(remove_where(format::events_prefix, [&](std::string_view key) {
    const auto name = format::parse_event_key(key);
    return name && is_ours(name->worker, key, format::event_key(name->step, options_.worker));
  }));
  if (options_.world_size > 1)
    return remove_where(format::closed_prefix, [&](std::string_view key) {
      return detail::is_beyond(key.substr(format::closed_prefix.size()), options_.world_size);
    });
  LOUPE_TRY(remove_where(format::tensorboard_prefix, [](std::string_view key) { return key.ends_with(".tfevents"); }));
  const auto everything = [](std::string_view) { return true; };
  LOUPE_TRY(remove_where(format::closed_prefix, everything));
  // What processes that ended while they claimed or marked have left.
  LOUPE_TRY(remove_where(Text::join(format::claim_key, "."), everything));
  return remove_where(Text::join(format::end_marker_key, "."), everything);
}

LOUPE_DECL result<std::vector<Text>> TrialFolder::keys_below(std::string_view prefix) const {
  std::vector<Text> keys;
  LOUPE_TRY(storage_.list(prefix, {}, [&](const ObjectInfo& object) {
    keys.emplace_back(object.key);
    return true;
  }));
  return keys;
}

LOUPE_DECL result<std::vector<Text>> TrialFolder::unfinished_below(std::string_view prefix) const {
  std::vector<Text> keys;
  LOUPE_TRY(storage_.list_unfinished(prefix, [&](const ObjectInfo& object) {
    keys.emplace_back(object.key);
    return true;
  }));
  return keys;
}

LOUPE_DECL result<bool> TrialFolder::begin_writing() {
  if (has_begun_) return may_write_;
  if (options_.claim == ClaimPolicy::smdebug && claims()) {
    LOUPE_ASSIGN(claim_, Claim::try_acquire_as_smdebug(storage_, format::claim_key));
    may_write_ = static_cast<bool>(claim_);
  }
  has_begun_ = true;  // not before: an attempt that failed has decided nothing
  return may_write_;
}

LOUPE_DECL Text TrialFolder::closed_key() const { return Text::join(format::closed_prefix, options_.worker.view()); }

LOUPE_DECL result<void> TrialFolder::mark_end() {
  const auto put_empty = [this](std::string_view key) { return storage_.put(key, {}, PutMode::replace); };
  if (options_.end_marker == EndMarkerPolicy::never) return {};
  if (options_.end_marker == EndMarkerPolicy::last_worker && !options_.writes) return {};
  if (options_.end_marker == EndMarkerPolicy::every_worker || options_.world_size == 1)
    return put_empty(format::end_marker_key);
  // Each worker says that it has closed before it looks who has: so the last to say it sees all, or several do.
  LOUPE_TRY(put_empty(closed_key()));
  LOUPE_ASSIGN(const std::vector<Text> closed, keys_below(format::closed_prefix));
  const auto count = std::count_if(closed.begin(), closed.end(), [&](const Text& key) {
    return !detail::is_beyond(key.view().substr(format::closed_prefix.size()), options_.world_size);
  });
  if (count < options_.world_size) return {};
  LOUPE_TRY(put_empty(format::end_marker_key));
  // A run that resumes the trial must not take these for its own workers': they may start one after another.
  for (const Text& key : closed) LOUPE_TRY(storage_.remove(key));
  return {};
}

LOUPE_DECL result<void> TrialFolder::close() {
  if (is_closed_) return {};
  is_closed_ = true;
  auto marked = mark_end();
  auto released = claim_.release();
  return marked ? released : marked;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_TRIAL_FOLDER_IPP
#endif  // LOUPE_SINGLE_CAPTURE_TRIAL_FOLDER_HPP

namespace loupe::inline LOUPE_ABI {

/// The recorder of a hook that captures: decides what is due, encodes it, and hands closed steps to its writer. For one
/// thread at a time, on which all calls return before the storage is asked for anything but the claim; the writer works
/// on the executor.
class StepRecorder final : public Recorder {
 public:
  /// Checks the configuration and opens the trial.
  LOUPE_DECL static result<RecorderOwner> make(HookConfig config, RecorderParts parts);
  LOUPE_DECL ~StepRecorder() override;

  LOUPE_DECL result<void> set_mode(Mode mode) override;
  LOUPE_DECL result<void> begin_step() override;
  LOUPE_DECL result<void> end_step() override;
  LOUPE_DECL Selection select(std::string_view name) override;
  LOUPE_DECL result<void> record(Selection selection, const TensorView& tensor) override;
  LOUPE_DECL result<void> record_scalar(std::string_view name, const TensorView& value, const ScalarOptions& options) override;
  LOUPE_DECL result<void> record_custom(std::string_view name, const TensorView& tensor,
                                        std::span<const std::string_view> collections) override;
  LOUPE_DECL result<void> flush_custom() override;
  LOUPE_DECL result<void> flush() override;
  LOUPE_DECL result<void> close() override;
  LOUPE_DECL void absorb(Error error) noexcept override;
  void summarise() noexcept override { failures_.summarise(); }
  [[nodiscard]] LOUPE_DECL CaptureFailures failures() const override;
  [[nodiscard]] CaptureCounts counts() const override { return counts_; }
  [[nodiscard]] Mode mode() const noexcept override { return next_mode_; }
  [[nodiscard]] Step step() const noexcept override { return Step(counters_.global); }
  [[nodiscard]] ModeStep mode_step(Mode mode) const noexcept override { return {mode, counters_.modes[mode_index(mode)]}; }
  LOUPE_DECL result<Collection*> collection(std::string_view name) override;
  LOUPE_DECL result<void> add_collection(const Collection& collection) override;
  [[nodiscard]] LOUPE_DECL bool has_member(std::string_view collection, std::string_view tensor) override;
  LOUPE_DECL result<void> attach(Owner<StepJudge> judge) override;
  LOUPE_DECL StepVerdict verdict() override;

 private:
  /// A scalar that waits for a step to be written in.
  struct WaitingScalar {
    Text name;
    Array value;
    double time;
  };
  /// A custom tensor that waits for `flush_custom`.
  struct WaitingTensor {
    Text name;
    Array value;
    Text collection;
  };

  LOUPE_DECL StepRecorder(HookConfig config, RecorderParts parts, CollectionSet collections, TrialFolder folder,
                          StepWriter::Target writer_target, std::optional<RunState> run_state, bool writes);
  LOUPE_DECL result<void> open_step();
  LOUPE_DECL result<void> close_step();
  LOUPE_DECL result<void> close_trial();
  LOUPE_DECL result<void> prepare();
  /// Arms the open step if anything is due; `may_take`: it may get a buffer if it has none.
  LOUPE_DECL void find_out_what_is_due(bool may_take);
  /// Whether this process is a forked child of the hook's own; then the step is given up and the child told.
  LOUPE_DECL bool leaves_to_parent();
  /// Gives the open step a buffer, under the back-pressure policy; false if the step is given up.
  LOUPE_DECL bool take_buffer();
  LOUPE_DECL void hand_over_buffer();
  LOUPE_DECL void begin_judgement();
  LOUPE_DECL void end_judgement();
  /// Hands the collections file to the writer, if this worker writes one.
  LOUPE_DECL void export_collections();
  /// Keeps `next` as the outcome if there was no error before; else absorbs its error.
  LOUPE_DECL void merge(result<void>& outcome, result<void> next) noexcept;
  /// Absorbs the errors of patterns that have come up since the last call.
  LOUPE_DECL void absorb_pattern_errors();

  LOUPE_DECL void save_probe(std::string_view name, const ProbeTensor& tensor) noexcept;
  LOUPE_DECL static result<void> check(std::string_view name, const TensorView& tensor);
  LOUPE_DECL result<void> check_name_once(TensorId tensor, std::string_view name);
  LOUPE_DECL result<void> record_due(std::string_view name, const Decision& decision, const TensorView& tensor);
  /// Encodes what `reduced_` has of the wanted statistics.
  LOUPE_DECL result<void> record_reductions(std::string_view name, StatisticSet wanted);
  /// Shows a tensor, and what `reduced_` has of it, to the judge.
  LOUPE_DECL result<void> show_judge(std::string_view name, const TensorView& tensor);
  /// What the judge wants of a tensor of the open step; null if nothing.
  LOUPE_DECL const StatisticSet* judge_wants(std::string_view name);
  /// Encodes a record whose tag is the end of the buffer's texts, from `tag_begin` on.
  LOUPE_DECL result<void> append(std::uint32_t tag_begin, double wall_time, const TensorView& tensor);
  LOUPE_DECL result<void> append_scalar_summary(std::string_view name, double wall_time, const TensorView& tensor);
  LOUPE_DECL result<void> append_histogram(std::string_view collection, std::string_view name, const TensorView& tensor);
  LOUPE_DECL result<void> write_scalar(std::string_view name, const TensorView& value, double time);
  LOUPE_DECL result<void> write_waiting_scalars();
  LOUPE_DECL ByteBuffer& summaries_of_mode();
  [[nodiscard]] double now() const noexcept { return static_cast<double>(parts_.clock.wall_ns()) * 1e-9; }
  [[nodiscard]] std::int64_t current_mode_step() const noexcept { return counters_.modes[mode_index(mode_)]; }

  HookConfig config_;
  RecorderParts parts_;
  CollectionSet collections_;
  TrialFolder folder_;
  std::optional<RunState> run_state_;
  FailureLog failures_;
  Staging staging_;
  Plan plan_;
  Counters counters_;
  CaptureCounts counts_;
  ReducedValues reduced_;
  Owner<StepJudge> judge_;
  StepVerdict verdict_;               ///< of the step that was judged last
  std::vector<Owner<NameFilter>> member_filters_;  ///< of the collections, by number, made when they are asked for
  std::vector<WaitingScalar> scalars_;
  std::vector<WaitingTensor> custom_;
  std::size_t absorbed_pattern_errors_ = 0;
  std::vector<bool> checked_names_;   ///< by tensor: its name can be written
  StepBuffer* buffer_ = nullptr;      ///< of the open step, if anything of it is kept
  double step_time_ = 0;              ///< seconds since the epoch at which the open step began
  Mode mode_ = Mode::global;          ///< of the open step
  Mode next_mode_ = Mode::global;     ///< of the steps to come
  const bool writes_;                 ///< this worker saves tensors
  const bool exports_tensorboard_;
  const bool exact_types_;
  bool is_prepared_ = false;
  bool is_open_ = false;
  bool is_closed_ = false;
  bool is_given_up_ = false;          ///< nothing more is kept of the open step
  bool raw_is_dropped_ = false;       ///< the open step keeps no raw tensors, for lack of memory
  bool is_judging_ = false;           ///< the judge has begun the open step and not ended it
  bool is_counted_reduced_ = false;   ///< a raw tensor of the open step was dropped
  bool has_saved_;                    ///< a tensor was offered at a step that was due
  bool has_exported_collections_ = false;
  StepWriter writer_;               ///< last: its destructor waits for tasks that use the others
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/capture/step_recorder.ipp
#ifndef LOUPE_SINGLE_CAPTURE_STEP_RECORDER_IPP
#define LOUPE_SINGLE_CAPTURE_STEP_RECORDER_IPP

namespace loupe::inline LOUPE_ABI {

namespace detail {

inline constexpr std::size_t max_tensor_name = 65536;

/// `<pid>_<hostname>`, which names TensorBoard's files.
inline Text process_on_host() {
  std::string host(host_name().view());
  std::replace(host.begin(), host.end(), '/', '_');
  return Text::join(to_text(::getpid()).view(), "_", std::string_view(host));
}

inline Error unknown_collection(const CollectionSet& known, std::string_view name) {
  Text sentence = "there is no such collection to save; there are";
  for (const Collection& collection : known) sentence = Text::join(sentence.view(), " ", collection.name.view());
  return {.kind = ErrorKind::invalid_argument, .object = Text::join("collection ", name), .detail = sentence};
}

/// The collections that a configuration defines and includes.
inline result<CollectionSet> collections_of(HookConfig& config, const CaptureQuirks& quirks) {
  CollectionSet collections(config.defaults);
  const bool names_nothing = config.collections.empty() && config.include_collections.empty() && config.include_regex.empty();
  for (const std::string_view name : config.defaults.always_saved) LOUPE_TRY(collections.include(name));
  NameSet configured;
  for (Collection& collection : config.collections) {
    if (!configured.insert(collection.name) && !quirks.any_collection_names)
      return fail(ErrorKind::invalid_argument, Text::join("collection ", collection.name.view()),
                  "it is configured twice; a name stands for one collection");
    LOUPE_TRY(collections.include(collection.name));
    LOUPE_TRY(collections.add(std::move(collection)));
  }
  for (const Text& name : config.include_collections) LOUPE_TRY(collections.include(name));
  if (!config.include_regex.empty()) {
    LOUPE_ASSIGN(Collection * picked, collections.get("default"));
    for (const Text& pattern : config.include_regex) picked->include(pattern);
    LOUPE_TRY(collections.include("default"));
  }
  if (config.save_all || (names_nothing && !quirks.saves_defaults_only)) {
    LOUPE_ASSIGN(Collection * all, collections.get("all"));
    all->include(".*");
    LOUPE_TRY(collections.include("all"));
  }
  return collections;
}

inline result<void> check_patterns(std::span<const Text> patterns, PatternCompiler engine) {
  const NameFilter filter(patterns, engine);
  if (!filter.errors().empty()) return fail(filter.errors().front());
  return {};
}

inline result<void> check_collection(const Collection& collection, PatternCompiler engine) {
  if (collection.name.empty()) return fail(ErrorKind::invalid_argument, "collections", "a collection needs a name");
  LOUPE_TRY(check_patterns(collection.include_regex, engine));
  return collection.save ? collection.save->validate() : result<void>();
}

inline result<void> check_hook_config(const HookConfig& config) {
  LOUPE_TRY(config.save.validate());
  LOUPE_TRY(check_patterns(config.include_regex, config.pattern_compiler));
  for (const Collection& collection : config.collections)
    LOUPE_TRY(check_collection(collection, config.pattern_compiler));
  if (config.max_pending_bytes == 0)
    return fail(ErrorKind::invalid_argument, "max_pending_bytes", "0 was given; it must be at least 1, or no step could wait");
  return {};
}

/// Refuses names that no reader could tell from something else.
inline result<void> check_tensor_name(std::string_view name) {
  if (name.empty()) return fail(ErrorKind::invalid_argument, "tensor name", "it is empty; a tensor needs a name");
  if (name.size() > max_tensor_name)
    return fail(ErrorKind::invalid_argument, name.substr(0, 64), "the tensor's name is longer than 65536 bytes");
  if (!wire::is_utf8(name))
    return fail(ErrorKind::invalid_argument, name.substr(0, 64), "the tensor's name is not UTF-8");
  if (name.find(format::reduction_prefix) != std::string_view::npos)
    return fail(ErrorKind::invalid_argument, name, "a tensor's name must not contain smdebug/reductions/, which marks reductions");
  return {};
}

}  // namespace detail

LOUPE_DECL result<RecorderOwner> StepRecorder::make(HookConfig config, RecorderParts parts) {
  return contained("open a hook", [&]() -> result<RecorderOwner> {
    if (!config.enabled) return RecorderOwner(new IdleRecorder(config.report));
    LOUPE_TRY(detail::check_hook_config(config));
    LOUPE_TRY(format::check_worker(parts.worker));
    LOUPE_ASSIGN(CollectionSet collections, detail::collections_of(config, parts.quirks));
    const bool is_chief = parts.rank == 0;
    const bool saves_all_ranks = config.include_workers == IncludeWorkers::all;
    LOUPE_ASSIGN(TrialFolder folder,
                 TrialFolder::open(parts.storage,
                                   {.worker = parts.worker,
                                    .world_size = saves_all_ranks ? parts.world_size : 1,
                                    .claims = parts.world_size == 1,
                                    .resume = config.resume,
                                    .claim = parts.quirks.claim,
                                    .end_marker = config.in_sagemaker_job ? EndMarkerPolicy::never : parts.quirks.end_marker,
                                    .writes = is_chief || saves_all_ranks}));
    StepWriter::Target target{parts.storage, parts.storage, format::tensorboard_prefix, detail::process_on_host(),
                              parts.worker};
    if (!config.tensorboard_dir.empty()) {
      target.tensorboard = AnyStorage(LocalStorage(config.tensorboard_dir));
      target.tensorboard_prefix = {};
    }
    const bool writes = folder.may_write() && (is_chief || saves_all_ranks);
    std::optional<RunState> run_state;
    if (!config.checkpoint_dir.empty()) {
      LOUPE_ASSIGN(run_state, RunState::open(AnyStorage(LocalStorage(config.checkpoint_dir)), parts.quirks.numbering));
    }
    return RecorderOwner(new StepRecorder(std::move(config), std::move(parts), std::move(collections), std::move(folder),
                                          std::move(target), std::move(run_state), writes));
  });
}

LOUPE_DECL StepRecorder::StepRecorder(HookConfig config, RecorderParts parts, CollectionSet collections, TrialFolder folder,
                                      StepWriter::Target writer_target, std::optional<RunState> run_state, bool writes)
    : config_(std::move(config)),
      parts_(std::move(parts)),
      collections_(std::move(collections)),
      folder_(std::move(folder)),
      run_state_(std::move(run_state)),
      failures_(config_.report),
      staging_(config_.max_pending_bytes),
      counters_(run_state_ && run_state_->counters().restored ? run_state_->counters() : folder_.counters()),
      writes_(writes),
      exports_tensorboard_(config_.export_tensorboard || !config_.tensorboard_dir.empty()),
      exact_types_(config_.exact_element_types || parts_.quirks.exact_element_types),
      has_saved_(counters_.last_saved >= 0),
      writer_(std::move(writer_target), std::move(parts_.executor), staging_, failures_) {
  target.context = this;
  known_names = &plan_.known_names();
  target.save = [](void* context, ProbeName name, const ProbeTensor& tensor) noexcept {
    static_cast<StepRecorder*>(context)->save_probe({name.data, name.size}, tensor);
  };
  if (folder_.joins_unfinished_run() && !counters_.restored)
    failures_.note(Text::join(parts_.storage.name().view(),
                              " holds steps of a run that did not finish: this run counts from 0 and replaces those that it "
                              "reaches; say by the resume policy if they are to be continued or removed"));
}

LOUPE_DECL StepRecorder::~StepRecorder() {
  if (buffer_ != nullptr && writer_.is_at_home()) staging_.release(buffer_);
}

LOUPE_DECL result<void> StepRecorder::set_mode(Mode mode) {
  if (mode_index(mode) >= mode_count)
    return fail(ErrorKind::invalid_argument, "mode", "not a mode; valid modes are TRAIN, EVAL, PREDICT, GLOBAL");
  next_mode_ = mode;
  if (!parts_.quirks.mode_changes_open_step || mode_ == mode) return {};
  mode_ = mode;
  // smdebug opens a step's writer at its beginning or never.
  if (is_open_) find_out_what_is_due(false);
  return {};
}

LOUPE_DECL result<void> StepRecorder::begin_step() {
  return contained("begin a step", [&] { return open_step(); });
}

LOUPE_DECL result<void> StepRecorder::end_step() {
  return contained("end a step", [&] { return close_step(); });
}

LOUPE_DECL result<void> StepRecorder::close() {
  return contained("close a hook", [&] { return close_trial(); });
}

LOUPE_DECL result<void> StepRecorder::flush() {
  return contained("flush a hook", [&]() -> result<void> {
    writer_.drain();
    return {};
  });
}

LOUPE_DECL result<void> StepRecorder::prepare() {
  // Only now: a program may add what its configuration includes until the first step.
  for (const Text& name : config_.include_collections)
    if (name != "all" && collections_.find(name) == nullptr && !parts_.quirks.any_collection_names)
      absorb(detail::unknown_collection(collections_, name));
  LOUPE_TRY(plan_.prepare(collections_, {config_.save, config_.reductions, config_.pattern_compiler}));
  is_prepared_ = true;
  absorb_pattern_errors();
  return {};
}

LOUPE_DECL result<void> StepRecorder::open_step() {
  if (is_closed_) return fail(ErrorKind::invalid_state, "hook", "a step was begun after the hook was closed");
  if (leaves_to_parent()) return {};
  if (auto closed = close_step(); !closed) absorb(std::move(closed).error());
  if (!is_prepared_) LOUPE_TRY(prepare());
  if (run_state_)
    if (auto kept = run_state_->before_step(counters_); !kept) absorb(std::move(kept).error());
  mode_ = next_mode_;
  ++counters_.global;
  if (mode_ != Mode::global) ++counters_.modes[mode_index(mode_)];
  counters_.modes[mode_index(Mode::global)] = counters_.global;
  is_open_ = true;
  is_given_up_ = raw_is_dropped_ = is_counted_reduced_ = false;
  step_time_ = now();
  if (has_saved_ && !has_exported_collections_ && parts_.quirks.late_collections_file) export_collections();
  find_out_what_is_due(true);
  if (judge_ && target.armed) begin_judgement();
  // A scalar that can't be written must not cost the step that it happens to come in.
  if (!scalars_.empty() && !parts_.quirks.scalars_wait)
    if (auto written = write_waiting_scalars(); !written) absorb(std::move(written).error());
  return {};
}

LOUPE_DECL void StepRecorder::find_out_what_is_due(bool may_take) {
  const bool is_due = plan_.begin_step(mode_, current_mode_step()) && writes_;
  target.armed = is_due && (config_.dry_run || buffer_ != nullptr || (may_take && take_buffer()));
}

/// A forked child has none of the threads that may have held a lock at the fork: it must not wait for one.
LOUPE_DECL bool StepRecorder::leaves_to_parent() {
  if (writer_.is_at_home()) return false;
  target.armed = is_open_ = false;
  buffer_ = nullptr;  // the staging has it
  is_given_up_ = true;
  absorb({.kind = ErrorKind::invalid_state,
          .object = "hook",
          .detail = "a forked child can't go on with its parent's hook; it needs one of its own"});
  return true;
}

LOUPE_DECL bool StepRecorder::take_buffer() {
  if (is_given_up_ || leaves_to_parent()) return false;
  if (config_.backpressure == Backpressure::block) {
    staging_.wait_for_room();
  } else if (const auto room = staging_.room(); room != Staging::Room::enough) {
    if (config_.backpressure == Backpressure::drop || room == Staging::Room::none) {
      failures_.add_dropped_step();
      is_given_up_ = true;
      return false;
    }
    raw_is_dropped_ = true;
  }
  const auto may_write = folder_.begin_writing();
  if (!may_write) absorb(may_write.error());
  is_given_up_ = !may_write || !*may_write;
  if (is_given_up_) return false;
  buffer_ = staging_.acquire();
  buffer_->step = counters_.global < 0 ? 0 : counters_.global;
  return true;
}

LOUPE_DECL result<void> StepRecorder::close_step() {
  if (!is_open_ || leaves_to_parent()) return {};
  target.armed = false;
  end_judgement();
  result<void> outcome;
  if (parts_.quirks.scalars_wait && buffer_ != nullptr) outcome = write_waiting_scalars();
  is_open_ = is_given_up_ = false;
  // Before the first step that readers can see: without it they can't open the trial.
  const bool has_content = has_saved_ || (buffer_ != nullptr && !buffer_->empty());
  if (has_content && !has_exported_collections_ && !parts_.quirks.late_collections_file) export_collections();
  hand_over_buffer();
  return outcome;
}

LOUPE_DECL void StepRecorder::hand_over_buffer() {
  StepBuffer* const buffer = std::exchange(buffer_, nullptr);
  if (buffer == nullptr) return;
  if (buffer->empty()) {
    staging_.release(buffer);
    return;
  }
  ++counts_.steps;
  counters_.last_saved = buffer->step;
  writer_.submit(buffer);
}

LOUPE_DECL void StepRecorder::export_collections() {
  if (!writes_ || !folder_.may_write()) return;
  has_exported_collections_ = true;
  StepBuffer* const buffer = staging_.acquire();
  StepBuffer::Object& file = buffer->objects.emplace_back();
  file.key = format::collections_key(parts_.worker);
  const std::int64_t workers = config_.include_workers == IncludeWorkers::all ? parts_.world_size : 1;
  format::write_collections_file(file.bytes, collections_, workers);
  writer_.submit(buffer);
}

LOUPE_DECL void StepRecorder::merge(result<void>& outcome, result<void> next) noexcept {
  if (next) return;
  if (outcome) outcome = std::move(next);
  else absorb(std::move(next).error());
}

LOUPE_DECL void StepRecorder::absorb_pattern_errors() {
  const std::vector<Error>& errors = plan_.pattern_errors();
  while (absorbed_pattern_errors_ < errors.size()) absorb(errors[absorbed_pattern_errors_++]);
}

LOUPE_DECL result<void> StepRecorder::close_trial() {
  if (is_closed_) return {};
  if (!writer_.is_at_home()) {
    is_closed_ = true;
    target.armed = false;
    return {};
  }
  result<void> outcome;
  if (parts_.quirks.scalars_wait) {
    // What still waits goes into the open file, or into one of its own for the last step.
    if (!scalars_.empty()) merge(outcome, write_waiting_scalars());
  } else if (!scalars_.empty() && !is_open_) {
    merge(outcome, open_step());
  }
  merge(outcome, close_step());
  hand_over_buffer();
  is_closed_ = true;
  // Again in the end, when all names of tensors are known; smdebug writes the file once.
  if (!(has_exported_collections_ && parts_.quirks.late_collections_file)) export_collections();
  writer_.drain();
  merge(outcome, folder_.close());
  return outcome;
}

LOUPE_DECL void StepRecorder::absorb(Error error) noexcept { failures_.add(std::move(error)); }

LOUPE_DECL CaptureFailures StepRecorder::failures() const { return failures_.snapshot(); }

LOUPE_DECL result<Collection*> StepRecorder::collection(std::string_view name) {
  return contained("find a collection", [&] { return collections_.get(name); });
}

LOUPE_DECL result<void> StepRecorder::add_collection(const Collection& collection) {
  return contained("add a collection", [&]() -> result<void> {
    LOUPE_TRY(detail::check_collection(collection, config_.pattern_compiler));
    LOUPE_TRY(collections_.add(collection));
    return collections_.include(collection.name);
  });
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_STEP_RECORDER_IPP
// ---- loupe/capture/step_recorder_judge.ipp
#ifndef LOUPE_SINGLE_CAPTURE_STEP_RECORDER_JUDGE_IPP
#define LOUPE_SINGLE_CAPTURE_STEP_RECORDER_JUDGE_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL bool StepRecorder::has_member(std::string_view collection, std::string_view tensor) {
  if (collection == "all") return true;
  for (std::size_t number = 0; number < collections_.size(); ++number) {
    if (collections_[number].name != collection) continue;
    if (collections_[number].tensor_names.contains(tensor)) return true;
    while (member_filters_.size() <= number)
      member_filters_.emplace_back(new NameFilter(collections_[member_filters_.size()].include_regex, config_.pattern_compiler));
    return member_filters_[number]->matches(tensor);
  }
  return false;
}

LOUPE_DECL result<void> StepRecorder::attach(Owner<StepJudge> judge) {
  if (judge_) return fail(ErrorKind::invalid_state, "hook", "it has a judge already; hand it all rules at once");
  judge_ = std::move(judge);
  return {};
}

LOUPE_DECL StepVerdict StepRecorder::verdict() {
  end_judgement();
  return verdict_;
}

LOUPE_DECL void StepRecorder::begin_judgement() {
  is_judging_ = true;
  verdict_ = {};
  auto begun = contained("begin to judge a step", [&]() -> result<void> {
    judge_->begin_step(Step(counters_.global), mode_step(mode_));
    return {};
  });
  if (!begun) absorb(std::move(begun).error());
}

LOUPE_DECL void StepRecorder::end_judgement() {
  if (!std::exchange(is_judging_, false)) return;
  auto ended = contained("judge a step", [&]() -> result<void> {
    verdict_ = judge_->end_step();
    return {};
  });
  if (!ended) absorb(std::move(ended).error());
}

LOUPE_DECL const StatisticSet* StepRecorder::judge_wants(std::string_view name) { return is_judging_ ? judge_->wants(name) : nullptr; }

LOUPE_DECL result<void> StepRecorder::show_judge(std::string_view name, const TensorView& tensor) {
  return contained("judge a tensor", [&]() -> result<void> {
    judge_->look(name, tensor, reduced_);
    return {};
  });
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_STEP_RECORDER_JUDGE_IPP
// ---- loupe/capture/step_recorder_records.ipp
#ifndef LOUPE_SINGLE_CAPTURE_STEP_RECORDER_RECORDS_IPP
#define LOUPE_SINGLE_CAPTURE_STEP_RECORDER_RECORDS_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL Selection StepRecorder::select(std::string_view name) {
  has_saved_ = true;
  auto outcome = contained("select a tensor", [&]() -> result<Selection> {
    const TensorId tensor = plan_.find_or_add(name);
    absorb_pattern_errors();
    return plan_.decision(tensor).any ? Selection{static_cast<std::int32_t>(tensor.value)} : Selection{};
  });
  if (outcome) return *outcome;
  absorb(std::move(outcome).error());
  return {};
}

LOUPE_DECL result<void> StepRecorder::record(Selection selection, const TensorView& tensor) {
  return contained("save a tensor", [&]() -> result<void> {
    if (buffer_ == nullptr || !tensor.has_tensor()) return {};
    const TensorId id{static_cast<std::uint32_t>(selection.tensor)};
    const std::string_view name = plan_.tensor_name(id);
    LOUPE_TRY(check_name_once(id, name));
    LOUPE_TRY(check(name, tensor));
    return record_due(name, plan_.decision(id), tensor);
  });
}

LOUPE_DECL void StepRecorder::save_probe(std::string_view name, const ProbeTensor& tensor) noexcept {
  if (plan_.known_names().pass_over(name)) return;
  const Selection selection = select(name);
  if (!selection) return;
  result<void> outcome =
      Extents::fits(tensor.rank)
          ? record(selection, {tensor.data, tensor.type, Shape(std::span(tensor.shape, tensor.rank))})
          : fail(ErrorKind::invalid_argument, name, "the tensor has more than 32 axes");
  if (!outcome) absorb(std::move(outcome).error());
}

LOUPE_DECL result<void> StepRecorder::check_name_once(TensorId tensor, std::string_view name) {
  if (tensor.value < checked_names_.size() && checked_names_[tensor.value]) return {};
  LOUPE_TRY(detail::check_tensor_name(name));
  if (tensor.value >= checked_names_.size()) checked_names_.resize(std::size_t{tensor.value} + 1);
  checked_names_[tensor.value] = true;
  return {};
}

LOUPE_DECL result<void> StepRecorder::check(std::string_view name, const TensorView& tensor) {
  if (!element_count(tensor.shape) || tensor.strides.size() != tensor.shape.size())
    return fail(ErrorKind::invalid_argument, name,
                "the tensor's shape and strides must have the same rank, and its sizes must be countable and not negative");
  if (element_size(tensor.type) == 0 && tensor.type != ElementType::none)
    return fail(ErrorKind::invalid_type, name, "the tensor's element type is a number that stands for none");
  if (!tensor.device.host_readable())
    return fail(ErrorKind::unsupported, name, "the tensor is in device memory that the host can't read; hand a host copy");
  if (tensor.data == nullptr && tensor.size() != 0)
    return fail(ErrorKind::invalid_argument, name, "the tensor has elements but no memory");
  return {};
}

LOUPE_DECL result<void> StepRecorder::record_due(std::string_view name, const Decision& decision, const TensorView& tensor) {
  const bool is_empty = tensor.byte_size() == 0;
  const bool keeps_raw = decision.raw && !is_empty && !raw_is_dropped_;
  if (decision.shape && (!keeps_raw || parts_.quirks.shape_beside_raw)) {
    buffer_->keep_shape(name, tensor.shape);
    buffer_->note_mode(mode_, current_mode_step(), true);
  }
  if (decision.raw && !is_empty && raw_is_dropped_ && !is_counted_reduced_) {
    is_counted_reduced_ = true;
    failures_.add_reduced_step();
  }
  result<void> outcome;
  const StatisticSet* const judged = judge_wants(name);
  if (const StatisticSet all = judged != nullptr ? decision.statistics | *judged : StatisticSet(decision.statistics); !all.empty())
    parts_.reduce(tensor, all, reduced_);
  else reduced_.clear();
  if (!decision.statistics.empty()) merge(outcome, record_reductions(name, decision.statistics));
  if (exports_tensorboard_ && decision.histogram_collection >= 0 && !is_empty && tensor.type != ElementType::boolean &&
      tensor.type != ElementType::string)
    merge(outcome,
          append_histogram(collections_[static_cast<std::size_t>(decision.histogram_collection)].name, name, tensor));
  if (keeps_raw) merge(outcome, append(buffer_->keep_text(name), step_time_, tensor));
  if (exports_tensorboard_ && decision.scalar_summary && tensor.size() == 1 && tensor.type != ElementType::string)
    merge(outcome, append_scalar_summary(name, step_time_, tensor));
  if (judged != nullptr) merge(outcome, show_judge(name, tensor));
  return outcome;
}

LOUPE_DECL result<void> StepRecorder::record_reductions(std::string_view name, StatisticSet wanted) {
  result<void> outcome;
  const auto append_value = [&](std::string_view operation, const Scalar& value) {
    const std::uint32_t tag = buffer_->text_end();
    format::append_reduction_name(buffer_->texts(), operation, name);
    const Scalar widened = Scalar::from(value.as_double());
    const auto one_element = [](const Scalar& scalar) { return TensorView(scalar.view().data, scalar.type(), {1}); };
    // A sum too large for any integer that Python reads is kept as a double.
    if (!append(tag, step_time_, one_element(value))) merge(outcome, append(tag, step_time_, one_element(widened)));
  };
  for (const Statistic statistic : reduced_.present & wanted) append_value(statistic_name(statistic), *reduced_.find(statistic));
  for (std::uint32_t index = 0; index < reduced_.custom_count; ++index)
    append_value(reduced_.custom[index].name, reduced_.custom[index].value);
  return outcome;
}

LOUPE_DECL result<void> StepRecorder::append(std::uint32_t tag_begin, double wall_time, const TensorView& tensor) {
  const std::uint32_t tag_size = buffer_->text_end() - tag_begin;
  const format::EventHeader header{wall_time, buffer_->step, mode_, current_mode_step()};
  const auto span = format::append_tensor_record(buffer_->events, header, buffer_->text(tag_begin, tag_size), tensor,
                                                 exact_types_ ? format::DtypePolicy::exact : format::DtypePolicy::widen_for_python);
  if (!span) return fail(span.error());
  buffer_->records.push_back({span->start, span->length, tag_begin, tag_size});
  buffer_->note_mode(mode_, current_mode_step(), false);
  ++counts_.tensors;
  counts_.bytes += span->length;
  return {};
}

LOUPE_DECL ByteBuffer& StepRecorder::summaries_of_mode() {
  StepBuffer::Summaries& of_mode = buffer_->summaries[mode_index(mode_)];
  if (of_mode.records.empty()) {
    of_mode.step = buffer_->step;
    if (!parts_.quirks.no_tensorboard_version) format::append_version_record(of_mode.records, step_time_);
  }
  return of_mode.records;
}

LOUPE_DECL result<void> StepRecorder::append_scalar_summary(std::string_view name, double wall_time, const TensorView& tensor) {
  const Text tag = format::clean_tag(name);
  double number = 0;
  visit_element_type(tensor.type, [&]<class Type>() {
    if constexpr (!std::is_void_v<Type> && !std::same_as<Type, std::string_view>)
      number = Scalar::from(load_element<Type>(tensor.data)).as_double();
  });
  return format::append_scalar_summary(summaries_of_mode(), wall_time, buffer_->step, tag, static_cast<float>(number));
}

LOUPE_DECL result<void> StepRecorder::append_histogram(std::string_view collection, std::string_view name, const TensorView& tensor) {
  const auto histogram = make_histogram(tensor);
  if (!histogram) return {};
  const Text tag = format::clean_tag(Text::join(collection, "/", name));
  return format::append_histogram_summary(summaries_of_mode(), step_time_, buffer_->step, tag, *histogram);
}

LOUPE_DECL result<void> StepRecorder::record_scalar(std::string_view name, const TensorView& value, const ScalarOptions& options) {
  return contained("save a scalar", [&]() -> result<void> {
    if (is_closed_) return fail(ErrorKind::invalid_state, name, "a scalar was given after the hook was closed");
    if (!value.has_tensor()) return {};
    LOUPE_TRY(detail::check_tensor_name(name));
    LOUPE_TRY(check(name, value));
    if (value.size() != 1)
      return fail(ErrorKind::invalid_type, name, "a scalar must be a number, a text, or a tensor of exactly one element");
    if (!writes_ || config_.dry_run) return {};
    const double time = options.timestamp != 0 ? options.timestamp : now();
    if (parts_.quirks.scalars_wait || !is_open_) {
      LOUPE_ASSIGN(Array kept, Array::copy_of(value));
      scalars_.push_back({name, std::move(kept), time});
      return {};
    }
    return write_scalar(name, value, time);
  });
}

LOUPE_DECL result<void> StepRecorder::write_scalar(std::string_view name, const TensorView& value, double time) {
  if (buffer_ == nullptr && !take_buffer()) return {};
  const std::uint32_t tag = buffer_->keep_text(format::scalar_prefix, name);
  const std::uint32_t tag_size = buffer_->text_end() - tag;
  if (exports_tensorboard_ && value.type != ElementType::string)
    LOUPE_TRY(append_scalar_summary(buffer_->text(tag, tag_size), time, value));
  const TensorView as_written(value.data, value.type, {1});
  LOUPE_TRY(append(tag, time, as_written));
  // Looked up in a copy: the judge may ask for texts of its own.
  if (!is_judging_) return {};
  const Text written_name = buffer_->text(tag, tag_size);
  const StatisticSet* const judged = judge_wants(written_name);
  if (judged == nullptr) return {};
  parts_.reduce(as_written, *judged, reduced_);
  return show_judge(written_name, as_written);
}

LOUPE_DECL result<void> StepRecorder::write_waiting_scalars() {
  result<void> outcome;
  for (const WaitingScalar& scalar : scalars_)
    merge(outcome, write_scalar(scalar.name, scalar.value.view(), scalar.time));
  scalars_.clear();
  return outcome;
}

LOUPE_DECL result<void> StepRecorder::record_custom(std::string_view name, const TensorView& tensor,
                                                    std::span<const std::string_view> collections) {
  return contained("save a custom tensor", [&]() -> result<void> {
    if (!tensor.has_tensor()) return {};
    if (is_closed_) return fail(ErrorKind::invalid_state, name, "a tensor was given after the hook was closed");
    LOUPE_TRY(detail::check_tensor_name(name));
    LOUPE_TRY(check(name, tensor));
    constexpr std::string_view default_collection[] = {"default"};
    if (collections.empty()) collections = default_collection;
    if (parts_.quirks.custom_tensors_wait) {
      LOUPE_ASSIGN(Array kept, Array::copy_of(tensor));
      const auto same = std::find_if(custom_.begin(), custom_.end(), [&](const WaitingTensor& waiting) { return waiting.name == name; });
      WaitingTensor waiting{name, std::move(kept), collections.back()};
      if (same != custom_.end()) *same = std::move(waiting);
      else custom_.push_back(std::move(waiting));
      return {};
    }
    if (!is_open_) return fail(ErrorKind::invalid_state, name, "a custom tensor was given outside of a step");
    for (const std::string_view collection : collections) LOUPE_TRY(plan_.add_to_collection(name, collection));
    if (!target.armed) return {};
    const Selection selection = select(name);
    return selection ? record(selection, tensor) : result<void>();
  });
}

LOUPE_DECL result<void> StepRecorder::flush_custom() {
  return contained("write custom tensors", [&]() -> result<void> {
    if (!is_prepared_) return {};  // no step has begun that they could be written to
    result<void> outcome;
    for (const WaitingTensor& waiting : custom_) {
      if (auto added = plan_.add_to_collection(waiting.name, waiting.collection); !added) {
        merge(outcome, std::move(added));
        continue;
      }
      const auto& reductions = collections_.find(waiting.collection)->reductions;
      if (buffer_ == nullptr || !reductions || !reductions->save_raw_tensor || waiting.value.view().byte_size() == 0) continue;
      merge(outcome, append(buffer_->keep_text(waiting.name), step_time_, waiting.value.view()));
    }
    custom_.clear();
    return outcome;
  });
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_CAPTURE_STEP_RECORDER_RECORDS_IPP
#endif  // LOUPE_SINGLE_CAPTURE_STEP_RECORDER_HPP

namespace loupe::inline LOUPE_ABI::detail {

constexpr bool is_callers_mistake(ErrorKind kind) noexcept {
  return kind == ErrorKind::invalid_argument || kind == ErrorKind::invalid_type || kind == ErrorKind::invalid_state ||
         kind == ErrorKind::invalid_collection_configuration || kind == ErrorKind::unsupported;
}

LOUPE_DECL result<RecorderOwner> make_recorder(const HookConfig& config, RecorderParts parts) {
  return StepRecorder::make(config, std::move(parts));
}

LOUPE_DECL RecorderOwner recorder_or_idle(result<RecorderOwner> made, ReportSink report, bool throws) {
  if (made) return *std::move(made);
#if LOUPE_HAS_EXCEPTIONS
  if (throws || is_callers_mistake(made.error().kind)) throw_error(std::move(made).error());
#else
  (void)throws;
#endif
  return RecorderOwner(new IdleRecorder(report, std::move(made).error()));
}

LOUPE_DECL unexpected<Error> refuse_empty_out_dir() {
  return fail(ErrorKind::invalid_argument, "out_dir", "it is empty; a hook needs a folder to write its trial to");
}

}  // namespace loupe::inline LOUPE_ABI::detail
#endif  // LOUPE_SINGLE_CAPTURE_RECORDER_PARTS_IPP
#endif  // LOUPE_SINGLE_CAPTURE_RECORDER_PARTS_HPP

namespace loupe::inline LOUPE_ABI::detail {

/// The object of type `Wanted` among the parts, moved or copied out; `fallback()` if there is none.
template <class Wanted, class Fallback>
auto take_part(Fallback&& fallback) {
  return fallback();
}
template <class Wanted, class Fallback, class First, class... Rest>
auto take_part(Fallback&& fallback, First&& first, Rest&&... rest) {
  if constexpr (std::same_as<std::remove_cvref_t<First>, Wanted>)
    return Wanted(std::forward<First>(first));
  else
    return take_part<Wanted>(std::forward<Fallback>(fallback), std::forward<Rest>(rest)...);
}

template <class StrategyType, class CompatibilityType>
struct RecorderFactory {
  template <class StorageType, class RanksType, class ClockType, class ExecutorType, class... Parts>
  static result<RecorderOwner> make(const HookConfig& config, Parts&&... parts) {
    // A policy that can't be made from nothing has to be among the parts; then its fallback is never looked into.
    const RanksType ranks = take_part<RanksType>([]<class Type = RanksType>() { return Type(); }, parts...);
    LOUPE_ASSIGN(AnyStorage storage, make_storage<StorageType>(config.out_dir, parts...));
    RecorderParts made{
        .storage = std::move(storage),
        .executor = make_executor<ExecutorType>(std::forward<Parts>(parts)...),
        .clock = AnyClock(take_part<ClockType>([]<class Type = ClockType>() { return Type(); }, std::forward<Parts>(parts)...)),
        .worker = ranks.worker_name(),
        .rank = ranks.rank(),
        .world_size = ranks.world_size(),
        .reduce = &reduce_tensor<StrategyType>,
        .quirks = capture_quirks<CompatibilityType>,
    };
    return make_recorder(config, std::move(made));
  }

  /// As `make`, for a constructor; see `recorder_or_idle`.
  template <class StorageType, class RanksType, class ClockType, class ExecutorType, class ErrorsType, class... Parts>
  static RecorderOwner construct(const HookConfig& config, Parts&&... parts) {
    auto made = make<StorageType, RanksType, ClockType, ExecutorType>(config, std::forward<Parts>(parts)...);
    return recorder_or_idle(std::move(made), config.report, !ErrorsType::counts);
  }

 private:
  /// The storage that was handed in, else one that is made from the configured folder.
  template <class StorageType, class... Parts>
  static result<AnyStorage> make_storage(const Text& out_dir, const Parts&... parts) {
    if constexpr ((std::same_as<Parts, StorageType> || ...)) {
      return AnyStorage(take_part<StorageType>([] {}, parts...));
    } else {
      static_assert(std::constructible_from<StorageType, Text>,
                    "loupe::Hook: a storage that isn't made from HookConfig::out_dir must be handed to the constructor");
      if (out_dir.empty()) return refuse_empty_out_dir();
      return AnyStorage(StorageType(out_dir));
    }
  }
  /// Executors that own a thread don't move: they are made in place, and can't be handed in.
  template <class ExecutorType, class... Parts>
  static AnyExecutor make_executor(Parts&&... parts) {
    if constexpr (std::move_constructible<ExecutorType>)
      return AnyExecutor(take_part<ExecutorType>([] { return ExecutorType(); }, std::forward<Parts>(parts)...));
    else
      return AnyExecutor(std::in_place_type<ExecutorType>);
  }
};

#ifdef LOUPE_SEPARATE_COMPILATION
// The commonest choice is compiled once.
extern template result<RecorderOwner>
RecorderFactory<Fused, compat::Native>::make<LocalStorage, ranks::Single, SystemClock, ThreadExecutor>(const HookConfig&);
#endif

}  // namespace loupe::inline LOUPE_ABI::detail
#endif  // LOUPE_SINGLE_CAPTURE_RECORDER_FACTORY_HPP
// ---- loupe/trial/catalog.hpp
#ifndef LOUPE_SINGLE_TRIAL_CATALOG_HPP
#define LOUPE_SINGLE_TRIAL_CATALOG_HPP
/// @file
/// Reads index files into snapshots, each file once.

// ---- loupe/trial/index_block.hpp
#ifndef LOUPE_SINGLE_TRIAL_INDEX_BLOCK_HPP
#define LOUPE_SINGLE_TRIAL_INDEX_BLOCK_HPP
/// @file
/// What one index file says, in the form in which a trial keeps it.

namespace loupe::inline LOUPE_ABI {

/// The name of a tensor or worker of a trial: made once, known by its address from then on.
struct Interned {
  Text name;
  std::uint32_t number = 0;  ///< counts those of its kind from 0
};

/// What an index entry is about: the value, the shape, or reduction number `part - first_reduction_part`.
inline constexpr std::uint16_t value_part = 0;
inline constexpr std::uint16_t shape_part = 1;
inline constexpr std::uint16_t first_reduction_part = 2;

/// One entry. A value or a reduction has its record at `[start, start + length)` of the event file; a shape has its
/// extents at `[start, start + length)` of the block's `extents`.
struct IndexEntry {
  const Interned* tensor = nullptr;
  std::uint64_t start = 0;
  std::uint64_t length : 48 = 0;
  std::uint64_t part : 16 = 0;
};
static_assert(sizeof(IndexEntry) == 24);

/// The longest record that an entry can describe.
inline constexpr std::uint64_t max_record_length = (std::uint64_t{1} << 48) - 1;

/// One index file: what one worker saved at one global step. Never changes once it is in a snapshot.
struct IndexBlock {
  std::int64_t global_step = 0;
  std::int64_t mode_step = 0;
  const Interned* worker = nullptr;
  Text event_key;                     ///< empty: the one that the layout gives
  std::vector<IndexEntry> entries;    ///< by tensor (its number), then by part
  std::vector<std::int64_t> extents;  ///< of all shapes
  std::uint32_t load_order = 0;       ///< counts the files that the trial has read
  Mode mode = Mode::global;

  /// Drops the values of tensors whose shape is here too.
  void hide_values_with_shapes() {
    std::vector<const Interned*> shaped;
    for (const IndexEntry& entry : entries)
      if (entry.part == shape_part) shaped.push_back(entry.tensor);
    std::sort(shaped.begin(), shaped.end(), std::less<>());
    std::erase_if(entries, [&](const IndexEntry& entry) {
      return entry.part == value_part && std::binary_search(shaped.begin(), shaped.end(), entry.tensor, std::less<>());
    });
  }
  /// Sorts the entries; of several about the same thing the last one stays.
  void seal() {
    // Files name their tensors in one order, that in which the trial met them first.
    const auto is_not_before = [](const IndexEntry& a, const IndexEntry& b) { return !before(a, b); };
    if (std::adjacent_find(entries.begin(), entries.end(), is_not_before) == entries.end()) return;
    std::vector<std::uint32_t> order(entries.size());
    std::iota(order.begin(), order.end(), std::uint32_t{0});
    std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
      if (before(entries[a], entries[b])) return true;
      return !before(entries[b], entries[a]) && a < b;
    });
    std::vector<IndexEntry> sealed;
    sealed.reserve(entries.size());
    for (const std::uint32_t place : order) {
      if (!sealed.empty() && !before(sealed.back(), entries[place])) sealed.pop_back();
      sealed.push_back(entries[place]);
    }
    entries = std::move(sealed);
  }
  /// The entries about a tensor.
  [[nodiscard]] std::pair<const IndexEntry*, const IndexEntry*> of(const Interned* tensor) const noexcept {
    const IndexEntry* first = lower_bound(tensor, 0);
    const IndexEntry* last = first;
    while (last != entries.data() + entries.size() && last->tensor == tensor) ++last;
    return {first, last};
  }
  [[nodiscard]] bool has(const Interned* tensor) const noexcept {
    const IndexEntry* first = lower_bound(tensor, 0);
    return first != entries.data() + entries.size() && first->tensor == tensor;
  }
  /// The entry about one part of a tensor, or null.
  [[nodiscard]] const IndexEntry* find(const Interned* tensor, std::uint16_t part) const noexcept {
    const IndexEntry* entry = lower_bound(tensor, part);
    return entry != entries.data() + entries.size() && entry->tensor == tensor && entry->part == part ? entry : nullptr;
  }
  /// The shape that an entry of `shape_part` stands for.
  [[nodiscard]] Shape shape(const IndexEntry& entry) const noexcept {
    return {std::span<const std::int64_t>(extents).subspan(static_cast<std::size_t>(entry.start), entry.length)};
  }

 private:
  static bool before(const IndexEntry& a, const IndexEntry& b) noexcept {
    if (a.tensor != b.tensor) return a.tensor->number < b.tensor->number;
    return a.part < b.part;
  }
  [[nodiscard]] const IndexEntry* lower_bound(const Interned* tensor, std::uint16_t part) const noexcept {
    IndexEntry wanted;
    wanted.tensor = tensor;
    wanted.part = part;
    return entries.data() + (std::lower_bound(entries.begin(), entries.end(), wanted, before) - entries.begin());
  }
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_TRIAL_INDEX_BLOCK_HPP
// ---- loupe/trial/snapshot.hpp
#ifndef LOUPE_SINGLE_TRIAL_SNAPSHOT_HPP
#define LOUPE_SINGLE_TRIAL_SNAPSHOT_HPP
/// @file
/// All that a trial knows at one moment, and the questions that need no storage.

// ---- loupe/trial/chunked_map.hpp
#ifndef LOUPE_SINGLE_TRIAL_CHUNKED_MAP_HPP
#define LOUPE_SINGLE_TRIAL_CHUNKED_MAP_HPP
/// @file
/// A sorted map whose copies share what they have in common: the form in which snapshots hold their tables.

namespace loupe::inline LOUPE_ABI {

/// Records sorted by `record.key()`, in chunks of at most `chunk_capacity` that copies of the map share. An edit copies
/// only the chunk that it changes, and only the first time: `edition` names the editor, and chunks made under the same
/// edition are its own. Copying a map costs one pointer a chunk. Copies may be read by any threads; a map is edited by
/// one thread that owns it, under an edition that no other map has.
template <class Record, std::size_t chunk_capacity = 64>
class ChunkedMap {
 public:
  using Key = decltype(std::declval<const Record&>().key());

  /// A place in a map; valid until the map is edited.
  struct Position {
    std::size_t chunk = 0;
    std::size_t index = 0;
    friend bool operator==(Position, Position) noexcept = default;
  };

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] Position begin() const noexcept { return {}; }
  [[nodiscard]] Position end() const noexcept { return {chunks_.size(), 0}; }
  [[nodiscard]] const Record& operator[](Position at) const noexcept { return chunks_[at.chunk]->records[at.index]; }
  /// The last record; the map must not be empty.
  [[nodiscard]] const Record& back() const noexcept { return chunks_.back()->records.back(); }

  [[nodiscard]] Position next(Position at) const noexcept {
    return ++at.index < chunks_[at.chunk]->records.size() ? at : Position{at.chunk + 1, 0};
  }
  /// The place before `at`, which must not be `begin()`.
  [[nodiscard]] Position previous(Position at) const noexcept {
    if (at.index > 0) return {at.chunk, at.index - 1};
    return {at.chunk - 1, chunks_[at.chunk - 1]->records.size() - 1};
  }

  /// The first place whose key is not less than `key`.
  [[nodiscard]] Position lower_bound(Key key) const noexcept {
    std::size_t first = 0;
    std::size_t last = chunks_.size();
    while (first < last) {
      const std::size_t middle = first + (last - first) / 2;
      if (chunks_[middle]->records.back().key() < key)
        first = middle + 1;
      else
        last = middle;
    }
    if (first == chunks_.size()) return end();
    return {first, lower_index(chunks_[first]->records, key)};
  }
  /// The record of a key, or null.
  [[nodiscard]] const Record* find(Key key) const noexcept {
    const Position at = lower_bound(key);
    if (at == end()) return nullptr;
    const Record& record = (*this)[at];
    return record.key() == key ? &record : nullptr;
  }

  /// Calls `visit(record)` in ascending order.
  template <class Visitor>
  void for_each(Visitor&& visit) const {
    for (const auto& chunk : chunks_)
      for (const Record& record : chunk->records) visit(record);
  }

  /// The record of a key, to be changed in place (but not in its key); `make()` gives a new one where there is none.
  template <class Maker>
  Record& edit(Key key, std::uint64_t edition, Maker&& make) {
    Position at = lower_bound(key);
    if (at == end()) return append(edition, make());
    Chunk* chunk = own(at.chunk, edition);
    if (chunk->records[at.index].key() == key) return chunk->records[at.index];
    ++size_;
    if (chunk->records.size() == chunk_capacity) {
      split(at.chunk, edition);
      if (at.index > chunk->records.size()) {
        at = {at.chunk + 1, at.index - chunk->records.size()};
        chunk = chunks_[at.chunk].get();
      }
    }
    return *chunk->records.insert(chunk->records.begin() + static_cast<std::ptrdiff_t>(at.index), make());
  }

 private:
  struct Chunk {
    std::uint64_t edition = 0;
    std::vector<Record> records;
  };

  static std::size_t lower_index(const std::vector<Record>& records, Key key) noexcept {
    std::size_t first = 0;
    std::size_t last = records.size();
    while (first < last) {
      const std::size_t middle = first + (last - first) / 2;
      if (records[middle].key() < key)
        first = middle + 1;
      else
        last = middle;
    }
    return first;
  }
  /// The chunk, after it has been copied unless it already belongs to this edition.
  Chunk* own(std::size_t index, std::uint64_t edition) {
    auto& chunk = chunks_[index];
    if (chunk->edition != edition) {
      auto copy = std::make_shared<Chunk>();
      copy->edition = edition;
      copy->records.reserve(chunk_capacity);
      copy->records.insert(copy->records.end(), chunk->records.begin(), chunk->records.end());
      chunk = std::move(copy);
    }
    return chunk.get();
  }
  Record& append(std::uint64_t edition, Record record) {
    ++size_;
    if (chunks_.empty() || chunks_.back()->records.size() == chunk_capacity) {
      chunks_.push_back(std::make_shared<Chunk>());
      chunks_.back()->edition = edition;
      chunks_.back()->records.reserve(chunk_capacity);
    }
    Chunk* chunk = own(chunks_.size() - 1, edition);
    chunk->records.push_back(std::move(record));
    return chunk->records.back();
  }
  void split(std::size_t index, std::uint64_t edition) {
    auto upper = std::make_shared<Chunk>();
    upper->edition = edition;
    upper->records.reserve(chunk_capacity);
    auto& records = chunks_[index]->records;
    const auto middle = records.begin() + static_cast<std::ptrdiff_t>(chunk_capacity / 2);
    upper->records.insert(upper->records.end(), std::move_iterator(middle), std::move_iterator(records.end()));
    records.erase(middle, records.end());
    chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(index) + 1, std::move(upper));
  }

  std::vector<std::shared_ptr<Chunk>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_TRIAL_CHUNKED_MAP_HPP
// ---- loupe/trial/reader_quirks.hpp
#ifndef LOUPE_SINGLE_TRIAL_READER_QUIRKS_HPP
#define LOUPE_SINGLE_TRIAL_READER_QUIRKS_HPP
/// @file
/// What a trial does differently to answer exactly as smdebug does (semantics.md section 19).

namespace loupe::inline LOUPE_ABI {

/// The differences between loupe's reading and smdebug's. The defaults are loupe's.
struct ReaderQuirks {
  /// One damaged index or collections file fails the whole refresh, and the other files read with it are lost (19-40).
  bool damaged_file_fails_refresh = false;
  /// Each pass lists from the token, although a file may have come before it while the last pass listed (12.1).
  bool lists_from_token = false;
  /// A shape in an index file hides the value of the same tensor in that file (19-1).
  bool shape_hides_value = false;
  /// Of two files that disagree on a step, the one of the tensor that was met first is believed, not the first file.
  bool claims_by_tensor = false;
  /// Two underscores anywhere in a file's path un-escape its worker name (19-15, 19-16).
  bool double_underscore_unescapes = false;
  /// The window of incomplete steps compares their count with a step number (19-14).
  bool window_counts_from_zero = false;
  /// `Tensor::steps` compares the mode step with the last complete global step (19-11).
  bool tensor_steps_by_mode_step = false;
  /// `has_passed_step` fails for an incomplete step of a mode when all is loaded, unless the number is a global step too (19-12).
  bool passed_step_looks_up_mode_step = false;
  /// A scope that turns refreshing on or off sets the opposite at its end, not what was there before (19-13).
  bool scopes_set_opposite = false;
  /// Asking names of a mode that was never seen, or of an unknown mode step, is an error (19-38).
  bool unknown_mode_fails = false;
  /// `inputs`, `labels` and `predictions` take the number for a global step whatever the mode (11.4).
  bool inputs_by_global_step = false;
  /// A record is taken for the tensor that the index says, whatever its own tag.
  bool tags_unchecked = false;
  /// Records must have the constant check word (format.md 3.3); else a true checksum will do as well.
  bool constant_check_word_only = false;
  /// Values are decoded by smdebug's rules: types missing, int8 unsigned, typed fields flat (19-2, format.md 4.6).
  bool smdebug_values = false;
  /// A reduction that neither is saved nor can be computed is reported by its own name, not by the tensor's (13.2).
  bool error_names_reduction = false;
  /// Names of reductions to be computed must be smdebug's, and are checked after the value was found (13.2).
  bool smdebug_reductions_only = false;
};

/// The differences of a compatibility policy.
template <compat::Compatibility Policy>
inline constexpr ReaderQuirks reader_quirks = {};
template <>
inline constexpr ReaderQuirks reader_quirks<compat::Smdebug> = {
    .damaged_file_fails_refresh = true,
    .lists_from_token = true,
    .shape_hides_value = true,
    .claims_by_tensor = true,
    .double_underscore_unescapes = true,
    .window_counts_from_zero = true,
    .tensor_steps_by_mode_step = true,
    .passed_step_looks_up_mode_step = true,
    .scopes_set_opposite = true,
    .unknown_mode_fails = true,
    .inputs_by_global_step = true,
    .tags_unchecked = true,
    .constant_check_word_only = true,
    .smdebug_values = true,
    .error_names_reduction = true,
    .smdebug_reductions_only = true,
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_TRIAL_READER_QUIRKS_HPP

namespace loupe::inline LOUPE_ABI {

/// Whether a step can be read. The numbers are smdebug's.
enum class StepState : std::uint8_t {
  unavailable = 0,        ///< it was not saved, and won't be
  available = 1,          ///< all that will ever be saved of it is there
  not_yet_available = 2,  ///< it, or some workers' part of it, may still come
};

/// Whether steps count that some workers have not written.
enum class Steps : std::uint8_t { complete, with_incomplete };

/// Index blocks by the name of their worker; those of one worker in the order in which they were loaded.
using BlockList = std::vector<std::shared_ptr<const IndexBlock>>;

/// A global step. Its mode and mode step are those of the first file that named it.
struct StepRecord {
  std::int64_t step = 0;
  std::int64_t mode_step = 0;
  Mode mode = Mode::global;
  std::uint32_t worker_count = 0;
  BlockList blocks;
  [[nodiscard]] std::int64_t key() const noexcept { return step; }
};

/// A step of a mode. When several global steps claim it, the first one has it; all their blocks belong to it.
struct ModeStepRecord {
  std::int64_t mode_step = 0;
  std::int64_t global_step = 0;
  BlockList blocks;
  [[nodiscard]] std::int64_t key() const noexcept { return mode_step; }
};

/// A tensor that was saved at some step, as value, shape or reduction.
struct TensorRecord {
  const Interned* tensor = nullptr;
  const Interned* original_name = nullptr;  ///< the framework's own name, where shapes were saved
  std::uint8_t modes = 0;                   ///< bit i: seen in the mode of index i
  [[nodiscard]] std::string_view key() const noexcept { return tensor->name; }
};

/// A kind of reduction that the trial's files hold. smdebug's have a statistic; others only their name.
struct ReductionName {
  Text name;  ///< with `abs_` before it where it is of absolute values
  std::optional<Statistic> statistic;
};

/// The blocks of one worker at one step of a tensor: what was saved of it there.
struct TensorStep {
  const Interned* tensor = nullptr;
  ModeStep at;                      ///< as the index files say
  std::int64_t global_step = 0;
  std::span<const std::shared_ptr<const IndexBlock>> blocks;

  struct Found {
    const IndexBlock* block = nullptr;
    const IndexEntry* entry = nullptr;
    explicit operator bool() const noexcept { return entry != nullptr; }
  };
  /// The newest entry about one part.
  [[nodiscard]] LOUPE_DECL Found find(std::uint16_t part) const noexcept;
  /// The parts that are reductions, ascending.
  [[nodiscard]] LOUPE_DECL std::vector<std::uint16_t> reductions() const;
  [[nodiscard]] std::string_view worker() const noexcept { return blocks.front()->worker->name; }
};

/// An immutable state of a trial. Any number of threads may ask it.
class Snapshot {
 public:
  /// The reductions that every trial knows; part `first_reduction_part + i` is statistic i.
  [[nodiscard]] LOUPE_DECL static std::shared_ptr<const std::vector<ReductionName>> known_reductions();

  /// Ascending steps of a mode, mode steps except for `Mode::global`.
  [[nodiscard]] LOUPE_DECL std::vector<std::int64_t> steps(Mode mode, Steps which) const;
  /// Ascending steps at which anything of a tensor was saved.
  [[nodiscard]] LOUPE_DECL std::vector<std::int64_t> steps(const Interned* tensor, Mode mode, Steps which) const;
  /// The last `count` of those that are not after `step`, or all.
  [[nodiscard]] LOUPE_DECL std::vector<std::int64_t> previous_steps(const Interned* tensor, ModeStep step,
                                                                    std::optional<std::size_t> count) const;
  /// Modes that were seen, never `Mode::global`.
  [[nodiscard]] LOUPE_DECL std::vector<Mode> modes() const;
  /// Mode and mode step of a global step.
  [[nodiscard]] LOUPE_DECL std::optional<ModeStep> mode_step(std::int64_t global_step) const;
  /// The global step of a mode step; a step of `Mode::global` is its own, known or not.
  [[nodiscard]] LOUPE_DECL std::optional<std::int64_t> global_step(ModeStep at) const;
  /// Whether the step can be read (semantics.md 12.3).
  [[nodiscard]] LOUPE_DECL result<StepState> passed(ModeStep at) const;
  /// The largest step of a mode, complete or not, or -1.
  [[nodiscard]] LOUPE_DECL std::int64_t last_step(Mode mode) const;
  /// Names of the workers that have written a global step, sorted.
  [[nodiscard]] LOUPE_DECL std::vector<std::string_view> workers(std::int64_t global_step) const;

  /// All tensors, those seen in a mode, those saved at a global step; sorted by name.
  [[nodiscard]] LOUPE_DECL std::vector<std::string_view> names() const;
  [[nodiscard]] LOUPE_DECL std::vector<std::string_view> names(Mode mode) const;
  [[nodiscard]] LOUPE_DECL std::vector<std::string_view> names(Step global_step) const;

  /// What was saved of a tensor at a step by a worker, or by the first one that has anything if `worker` is empty.
  /// Nothing if no worker has; `invalid_worker` if others have.
  [[nodiscard]] LOUPE_DECL result<std::optional<TensorStep>> locate(const Interned* tensor, ModeStep at,
                                                                    std::string_view worker) const;
  /// The workers that have anything of a tensor at a step, in the order in which their files were loaded.
  [[nodiscard]] LOUPE_DECL std::vector<std::string_view> workers(const Interned* tensor, ModeStep at) const;

  /// A global step, if anything of it is known.
  [[nodiscard]] const StepRecord* step(std::int64_t global_step) const noexcept { return steps_.find(global_step); }
  [[nodiscard]] const TensorRecord* tensor(std::string_view name) const noexcept { return tensors_.find(name); }
  [[nodiscard]] const ReductionName& reduction(std::uint16_t part) const noexcept {
    return (*reductions_)[part - std::size_t{first_reduction_part}];
  }
  /// The part of a reduction's name (`min`, `abs_mean`, …), if any file has one.
  [[nodiscard]] LOUPE_DECL std::optional<std::uint16_t> reduction_part(std::string_view name) const noexcept;
  /// The largest step known to be complete; it and all before it won't change any more. -1: none.
  [[nodiscard]] std::int64_t last_complete_step() const noexcept { return last_complete_step_; }
  /// Whether the run has ended and all its files have been seen.
  [[nodiscard]] bool loaded_all() const noexcept { return loaded_all_; }
  /// The index key at which the next refresh begins to list; empty: from the start.
  [[nodiscard]] std::string_view token() const noexcept { return token_; }
  /// Index files that could not be used: one error each, naming file and offset.
  [[nodiscard]] std::span<const Error> problems() const noexcept { return *problems_; }
  /// Number of entries in all index files.
  [[nodiscard]] std::size_t entry_count() const noexcept { return entry_count_; }
  [[nodiscard]] const ReaderQuirks& quirks() const noexcept { return quirks_; }

 private:
  friend class Catalog;
  [[nodiscard]] bool is_complete(std::int64_t global_step) const;
  [[nodiscard]] bool is_complete(ModeStep at, std::int64_t global_step) const;
  [[nodiscard]] const ModeStepRecord* record_of(const Interned* tensor, ModeStep at) const;

  ChunkedMap<StepRecord> steps_;
  ChunkedMap<ModeStepRecord> by_mode_[mode_count];
  ChunkedMap<TensorRecord> tensors_;
  std::shared_ptr<const std::vector<ReductionName>> reductions_ = known_reductions();
  std::shared_ptr<const std::vector<Error>> problems_ = std::make_shared<const std::vector<Error>>();
  std::shared_ptr<const void> names_;  ///< keeps the `Interned` alive
  Text token_;
  ReaderQuirks quirks_;
  std::int64_t last_complete_step_ = -1;
  std::size_t entry_count_ = 0;
  std::uint32_t required_workers_ = 1;
  bool loaded_all_ = false;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/trial/snapshot.ipp
#ifndef LOUPE_SINGLE_TRIAL_SNAPSHOT_IPP
#define LOUPE_SINGLE_TRIAL_SNAPSHOT_IPP

namespace loupe::inline LOUPE_ABI {
namespace detail {

inline bool any_has(const BlockList& blocks, const Interned* tensor) noexcept {
  for (const auto& block : blocks)
    if (block->has(tensor)) return true;
  return false;
}

}  // namespace detail

LOUPE_DECL TensorStep::Found TensorStep::find(std::uint16_t part) const noexcept {
  for (std::size_t index = blocks.size(); index-- > 0;)
    if (const IndexEntry* entry = blocks[index]->find(tensor, part)) return {blocks[index].get(), entry};
  return {};
}

LOUPE_DECL std::vector<std::uint16_t> TensorStep::reductions() const {
  std::vector<std::uint16_t> parts;
  for (const auto& block : blocks) {
    const auto [first, last] = block->of(tensor);
    for (const IndexEntry* entry = first; entry != last; ++entry)
      if (entry->part >= first_reduction_part) parts.push_back(static_cast<std::uint16_t>(entry->part));
  }
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  return parts;
}

LOUPE_DECL std::shared_ptr<const std::vector<ReductionName>> Snapshot::known_reductions() {
  auto names = std::make_shared<std::vector<ReductionName>>();
  for (const Statistic statistic : StatisticSet::all()) names->push_back({statistic_name(statistic), statistic});
  return names;
}

LOUPE_DECL bool Snapshot::is_complete(std::int64_t global_step) const {
  if (loaded_all_ || last_complete_step_ >= global_step) return true;
  const StepRecord* record = steps_.find(global_step);
  return record != nullptr && record->worker_count >= required_workers_;
}

LOUPE_DECL bool Snapshot::is_complete(ModeStep at, std::int64_t global_step) const {
  if (quirks_.tensor_steps_by_mode_step) return loaded_all_ || last_complete_step_ >= at.value;
  return is_complete(global_step);
}

LOUPE_DECL std::vector<std::int64_t> Snapshot::steps(Mode mode, Steps which) const {
  std::vector<std::int64_t> found;
  const auto add = [&](std::int64_t step, std::int64_t global_step) {
    if (which == Steps::with_incomplete || is_complete(global_step)) found.push_back(step);
  };
  if (mode == Mode::global)
    steps_.for_each([&](const StepRecord& record) { add(record.step, record.step); });
  else
    by_mode_[mode_index(mode)].for_each(
        [&](const ModeStepRecord& record) { add(record.mode_step, record.global_step); });
  return found;
}

LOUPE_DECL std::vector<std::int64_t> Snapshot::steps(const Interned* tensor, Mode mode, Steps which) const {
  std::vector<std::int64_t> found;
  for (const Mode saved : all_modes) {
    if (mode != Mode::global && saved != mode) continue;
    by_mode_[mode_index(saved)].for_each([&](const ModeStepRecord& record) {
      if (!detail::any_has(record.blocks, tensor)) return;
      const std::int64_t step = mode == Mode::global ? record.global_step : record.mode_step;
      if (which == Steps::with_incomplete || is_complete(ModeStep(mode, step), record.global_step))
        found.push_back(step);
    });
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

LOUPE_DECL std::vector<std::int64_t> Snapshot::previous_steps(const Interned* tensor, ModeStep step,
                                                              std::optional<std::size_t> count) const {
  std::vector<std::int64_t> found;
  if (step.mode != Mode::global && step.value < INT64_MAX) {
    const auto& records = by_mode_[mode_index(step.mode)];
    for (auto at = records.lower_bound(step.value + 1); at != records.begin();) {
      at = records.previous(at);
      const ModeStepRecord& record = records[at];
      if (!detail::any_has(record.blocks, tensor)) continue;
      if (!is_complete(ModeStep(step.mode, record.mode_step), record.global_step)) continue;
      found.push_back(record.mode_step);
      if (count && found.size() == *count) break;
    }
    std::reverse(found.begin(), found.end());
    return found;
  }
  found = steps(tensor, step.mode, Steps::complete);
  found.erase(std::upper_bound(found.begin(), found.end(), step.value), found.end());
  if (count && found.size() > *count) found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(*count));
  return found;
}

LOUPE_DECL std::vector<Mode> Snapshot::modes() const {
  std::vector<Mode> seen;
  for (const Mode mode : all_modes)
    if (mode != Mode::global && !by_mode_[mode_index(mode)].empty()) seen.push_back(mode);
  return seen;
}

LOUPE_DECL std::optional<ModeStep> Snapshot::mode_step(std::int64_t global_step) const {
  const StepRecord* record = steps_.find(global_step);
  if (record == nullptr) return std::nullopt;
  return ModeStep(record->mode, record->mode_step);
}

LOUPE_DECL std::optional<std::int64_t> Snapshot::global_step(ModeStep at) const {
  if (at.mode == Mode::global) return at.value;
  const ModeStepRecord* record = by_mode_[mode_index(at.mode)].find(at.value);
  if (record == nullptr) return std::nullopt;
  return record->global_step;
}

LOUPE_DECL result<StepState> Snapshot::passed(ModeStep at) const {
  const auto when_absent = loaded_all_ ? StepState::unavailable : StepState::not_yet_available;
  const auto judge = [&](const auto& records) -> result<StepState> {
    const auto place = records.lower_bound(at.value);
    if (place == records.end()) return when_absent;
    const auto& record = records[place];
    std::int64_t global_step;
    if constexpr (requires { record.global_step; })
      global_step = record.global_step;
    else
      global_step = record.step;
    if (record.key() > at.value)
      return last_complete_step_ >= global_step ? StepState::unavailable : StepState::not_yet_available;
    const StepRecord* written = steps_.find(global_step);
    const bool by_all = written != nullptr && written->worker_count >= required_workers_;
    if (!by_all && loaded_all_ && quirks_.passed_step_looks_up_mode_step && steps_.find(at.value) == nullptr)
      return fail(Error{.kind = ErrorKind::not_found, .object = "step", .step = at.value, .mode = at.mode});
    return by_all || loaded_all_ || global_step <= last_complete_step_ ? StepState::available
                                                                       : StepState::not_yet_available;
  };
  return at.mode == Mode::global ? judge(steps_) : judge(by_mode_[mode_index(at.mode)]);
}

LOUPE_DECL std::int64_t Snapshot::last_step(Mode mode) const {
  if (mode == Mode::global) return steps_.empty() ? -1 : steps_.back().step;
  const auto& records = by_mode_[mode_index(mode)];
  return records.empty() ? -1 : records.back().mode_step;
}

LOUPE_DECL std::vector<std::string_view> Snapshot::workers(std::int64_t global_step) const {
  std::vector<std::string_view> names;
  if (const StepRecord* record = steps_.find(global_step))
    for (const auto& block : record->blocks)
      if (names.empty() || names.back() != block->worker->name.view()) names.push_back(block->worker->name);
  return names;
}

LOUPE_DECL std::vector<std::string_view> Snapshot::names() const {
  std::vector<std::string_view> found;
  found.reserve(tensors_.size());
  tensors_.for_each([&](const TensorRecord& record) { found.push_back(record.tensor->name); });
  return found;
}

LOUPE_DECL std::vector<std::string_view> Snapshot::names(Mode mode) const {
  std::vector<std::string_view> found;
  tensors_.for_each([&](const TensorRecord& record) {
    if ((record.modes >> mode_index(mode) & 1) != 0) found.push_back(record.tensor->name);
  });
  return found;
}

LOUPE_DECL std::vector<std::string_view> Snapshot::names(Step global_step) const {
  const StepRecord* record = steps_.find(global_step.value);
  if (record == nullptr) return {};
  std::vector<const Interned*> tensors;
  for (const auto& block : record->blocks)
    for (const IndexEntry& entry : block->entries)
      if (tensors.empty() || tensors.back() != entry.tensor) tensors.push_back(entry.tensor);
  std::sort(tensors.begin(), tensors.end(), std::less<>());
  tensors.erase(std::unique(tensors.begin(), tensors.end()), tensors.end());
  std::vector<std::string_view> found(tensors.size());
  std::transform(tensors.begin(), tensors.end(), found.begin(), [](const Interned* tensor) { return tensor->name.view(); });
  std::sort(found.begin(), found.end());
  return found;
}

LOUPE_DECL const ModeStepRecord* Snapshot::record_of(const Interned* tensor, ModeStep at) const {
  const ModeStepRecord* record = by_mode_[mode_index(at.mode)].find(at.value);
  if (record != nullptr && detail::any_has(record->blocks, tensor)) return record;
  if (at.mode != Mode::global) return nullptr;
  const StepRecord* step = steps_.find(at.value);
  if (step == nullptr || (step->mode == Mode::global && step->mode_step == at.value)) return nullptr;
  record = by_mode_[mode_index(step->mode)].find(step->mode_step);
  return record != nullptr && detail::any_has(record->blocks, tensor) ? record : nullptr;
}

LOUPE_DECL result<std::optional<TensorStep>> Snapshot::locate(const Interned* tensor, ModeStep at,
                                                              std::string_view worker) const {
  const ModeStepRecord* record = record_of(tensor, at);
  if (record == nullptr) return std::optional<TensorStep>();
  const BlockList& blocks = record->blocks;
  for (std::size_t first = 0; first < blocks.size();) {
    std::size_t last = first;
    bool has_tensor = false;
    for (; last < blocks.size() && blocks[last]->worker == blocks[first]->worker; ++last)
      has_tensor = has_tensor || blocks[last]->has(tensor);
    if (has_tensor && (worker.empty() || blocks[first]->worker->name == worker)) {
      TensorStep found;
      found.tensor = tensor;
      found.at = ModeStep(blocks[first]->mode, record->mode_step);
      found.global_step = record->global_step;
      found.blocks = std::span(blocks).subspan(first, last - first);
      return std::optional(found);
    }
    first = last;
  }
  return fail(Error{.kind = ErrorKind::invalid_worker, .object = worker, .step = at.value, .mode = at.mode});
}

LOUPE_DECL std::vector<std::string_view> Snapshot::workers(const Interned* tensor, ModeStep at) const {
  const ModeStepRecord* record = record_of(tensor, at);
  if (record == nullptr) return {};
  std::vector<const IndexBlock*> having;
  for (const auto& block : record->blocks)
    if (block->has(tensor) && (having.empty() || having.back()->worker != block->worker)) having.push_back(block.get());
  std::sort(having.begin(), having.end(),
            [](const IndexBlock* a, const IndexBlock* b) { return a->load_order < b->load_order; });
  std::vector<std::string_view> names;
  for (const IndexBlock* block : having) names.push_back(block->worker->name);
  return names;
}

LOUPE_DECL std::optional<std::uint16_t> Snapshot::reduction_part(std::string_view name) const noexcept {
  for (std::size_t index = 0; index < reductions_->size(); ++index)
    if ((*reductions_)[index].name == name) return static_cast<std::uint16_t>(index + first_reduction_part);
  return std::nullopt;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_TRIAL_SNAPSHOT_IPP
#endif  // LOUPE_SINGLE_TRIAL_SNAPSHOT_HPP

namespace loupe::inline LOUPE_ABI {

/// Global steps `begin <= step < end`; an end that is not given is no limit.
struct StepRange {
  std::optional<std::int64_t> begin = {};
  std::optional<std::int64_t> end = {};

  [[nodiscard]] bool contains(std::int64_t step) const noexcept {
    return (!begin || step >= *begin) && (!end || step < *end);
  }
  /// Refuses negative limits and a begin that is not less than the end.
  [[nodiscard]] LOUPE_DECL result<void> validate() const;
};

/// What a catalog must know about a trial before it reads the first index file.
struct CatalogSettings {
  StepRange range = {};
  ReaderQuirks quirks = {};
  std::uint32_t required_workers = 1;    ///< how many must have written a step for it to be complete
  std::int64_t incomplete_window = 1000; ///< so many incomplete steps are waited for
  Text last_worker = {};                   ///< the lexicographically last of the trial's workers
};

/// The name of a worker in the names of files: of a device the escaped form, else the name itself.
LOUPE_DECL Text worker_in_files(std::string_view worker);

/// The name under which a trial keeps a reduction: `min`, `abs_min`, ….
LOUPE_DECL Text full_reduction_name(std::string_view operation, bool absolute);

/// The index files of a trial. Reading goes by `read`, in passes; each lists what is new since the last one. Files that
/// can't be used are passed over and reported by the snapshot, and read again when they have changed.
/// For one thread at a time; the snapshots may be shared with any.
class Catalog {
 public:
  LOUPE_DECL Catalog(AnyStorage storage, CatalogSettings settings);

  /// One pass over the files that are new. An error if they can't be listed.
  LOUPE_DECL result<void> read();
  /// Says that the run has ended and no more files will come.
  LOUPE_DECL void finish();
  /// The state after the last pass; the same object if nothing has changed since.
  [[nodiscard]] LOUPE_DECL std::shared_ptr<const Snapshot> snapshot();

 private:
  struct Names {
    std::deque<Interned> tensors;
    std::deque<Interned> workers;
    std::deque<Interned> original_names;
  };
  /// Numbers of tensors, and what the framework calls them.
  using OriginalNames = std::vector<std::pair<std::uint32_t, Text>>;
  struct RawName {
    std::uint32_t tensor = 0;
    std::uint16_t part = value_part;
    std::uint32_t batch = 0;          ///< the last batch that held the name,
    std::uint32_t place_in_batch = 0; ///< and its place among the names of that batch
  };
  struct NewBlock {
    std::shared_ptr<IndexBlock> block;
    std::uint32_t first_name = UINT32_MAX;  ///< the smallest `place_in_batch` of its names
    OriginalNames original_names;           ///< those that are news
  };
  struct FailedFile {
    bool is_damaged = false;  ///< it says what can't be; else it could not be read
    std::uint64_t generation = 0;
    Error error;
  };
  class Reader;

  result<std::vector<std::string>> list_new();
  std::uint64_t generation(const std::string& key) const;
  result<void> read_batch(std::vector<NewBlock>& batch);
  result<std::optional<NewBlock>> read_file(const std::string& key);
  const Interned* worker(std::string_view name);
  result<std::uint32_t> raw_name(std::string_view name);
  result<std::uint16_t> reduction_part(std::string_view operation, bool absolute);
  void apply(std::vector<NewBlock>& batch);
  void claim(const IndexBlock& block);
  void add(const std::shared_ptr<IndexBlock>& block);
  void note_tensors(const IndexBlock& block, const OriginalNames& original_names);
  void advance();
  void set_token(std::int64_t step);
  void refuse(const std::string& key, Error error);

  AnyStorage storage_;
  CatalogSettings settings_;
  Snapshot working_;
  std::shared_ptr<const Snapshot> published_;
  std::shared_ptr<Names> names_ = std::make_shared<Names>();
  std::uint64_t edition_ = 1;
  bool changed_ = true;

  NameTable raw_names_;
  std::vector<RawName> raw_infos_;
  NameTable tensor_names_;
  std::vector<TensorRecord> known_tensors_;
  NameTable worker_names_;
  NameTable original_names_;
  std::uint32_t batch_ = 0;
  std::uint32_t names_in_batch_ = 0;
  std::uint32_t files_read_ = 0;

  Text list_from_;                           ///< where the next pass begins to list
  std::set<std::string, std::less<>> seen_;  ///< keys at or after `list_from_`
  std::map<std::string, FailedFile, std::less<>> failed_;
  std::optional<std::int64_t> token_step_;
  ByteBuffer text_;
  std::vector<IndexEntry> entries_;
  std::vector<std::int64_t> extents_;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/trial/catalog.ipp
#ifndef LOUPE_SINGLE_TRIAL_CATALOG_IPP
#define LOUPE_SINGLE_TRIAL_CATALOG_IPP

namespace loupe::inline LOUPE_ABI {

/// The most problems that a snapshot lists.
inline constexpr std::size_t max_problems = 1000;

/// The most kinds of reductions, known ones included.
inline constexpr std::size_t max_reduction_names = 4096;

LOUPE_DECL result<void> StepRange::validate() const {
  if ((begin && *begin < 0) || (end && *end < 0))
    return fail(ErrorKind::invalid_argument, "range", "the limits must not be negative");
  if (begin && end && *begin >= *end)
    return fail(ErrorKind::invalid_argument, "range", "the begin must be less than the end");
  return {};
}

LOUPE_DECL Text worker_in_files(std::string_view worker) {
  return worker.starts_with('/') ? format::escape_worker(worker) : Text(worker);
}

LOUPE_DECL Text full_reduction_name(std::string_view operation, bool absolute) {
  return absolute ? Text::join("abs_", operation) : Text(operation);
}

/// Takes the parts of one index document as they come.
class Catalog::Reader final : public format::IndexVisitor {
 public:
  Reader(Catalog& catalog, IndexBlock& block) : catalog_(catalog), block_(block) {}

  result<void> meta(const format::IndexMeta& meta) override {
    block_.mode = meta.mode;
    block_.mode_step = meta.mode_step;
    event_file_ = Text(meta.event_file_name);
    return {};
  }
  result<void> tensor(std::string_view name, std::uint64_t start, std::uint64_t length) override {
    if (length > max_record_length || start > UINT64_MAX - length)
      return fail(ErrorKind::limit_exceeded, name, "an entry of the index lies beyond any file's end");
    LOUPE_ASSIGN(const RawName* raw, note(name));
    IndexEntry& entry = add(*raw, raw->part);
    entry.start = start;
    entry.length = length & max_record_length;
    has_records_ = true;
    return {};
  }
  result<void> shape(std::string_view name, std::string_view original_name, const Shape& shape) override {
    LOUPE_ASSIGN(const RawName* raw, note(name));
    if (raw->part != value_part) return {};
    IndexEntry& entry = add(*raw, shape_part);
    entry.start = catalog_.extents_.size();
    entry.length = shape.size() & max_record_length;
    catalog_.extents_.insert(catalog_.extents_.end(), shape.begin(), shape.end());
    const Interned* known = catalog_.known_tensors_[raw->tensor].original_name;
    if (known == nullptr || known->name != original_name) original_names_.emplace_back(raw->tensor, original_name);
    return {};
  }

  [[nodiscard]] const Text& event_file() const noexcept { return event_file_; }
  [[nodiscard]] bool has_records() const noexcept { return has_records_; }
  [[nodiscard]] std::uint32_t first_name() const noexcept { return first_name_; }
  [[nodiscard]] OriginalNames take_original_names() noexcept { return std::move(original_names_); }

 private:
  result<const RawName*> note(std::string_view name) {
    LOUPE_ASSIGN(const std::uint32_t id, catalog_.raw_name(name));
    RawName& raw = catalog_.raw_infos_[id];
    if (raw.batch != catalog_.batch_) {
      raw.batch = catalog_.batch_;
      raw.place_in_batch = catalog_.names_in_batch_++;
    }
    first_name_ = std::min(first_name_, raw.place_in_batch);
    return &raw;
  }
  IndexEntry& add(const RawName& raw, std::uint16_t part) {
    IndexEntry& entry = catalog_.entries_.emplace_back();
    entry.tensor = catalog_.known_tensors_[raw.tensor].tensor;
    entry.part = part;
    return entry;
  }

  Catalog& catalog_;
  IndexBlock& block_;
  Text event_file_;
  OriginalNames original_names_;
  bool has_records_ = false;
  std::uint32_t first_name_ = UINT32_MAX;
};

LOUPE_DECL Catalog::Catalog(AnyStorage storage, CatalogSettings settings)
    : storage_(std::move(storage)), settings_(std::move(settings)) {
  working_.quirks_ = settings_.quirks;
  working_.required_workers_ = settings_.required_workers;
  working_.names_ = names_;
}

LOUPE_DECL std::shared_ptr<const Snapshot> Catalog::snapshot() {
  if (changed_ || !published_) {
    auto problems = std::make_shared<std::vector<Error>>();
    for (const auto& [key, failed] : failed_) problems->push_back(failed.error);
    working_.problems_ = std::move(problems);
    published_ = std::make_shared<const Snapshot>(working_);
    ++edition_;
    changed_ = false;
  }
  return published_;
}

LOUPE_DECL void Catalog::finish() {
  working_.loaded_all_ = true;
  if (!working_.steps_.empty()) working_.last_complete_step_ = working_.steps_.back().step;
  changed_ = true;
}

LOUPE_DECL result<void> Catalog::read() {
  std::vector<NewBlock> batch;
  const Text token_before = working_.token_;
  const result<void> outcome = read_batch(batch);
  if (!outcome && settings_.quirks.damaged_file_fails_refresh) return outcome;
  if (!batch.empty()) apply(batch);
  advance();
  // A directory that grows while it is listed may show a file and hide one that came before it. So the next pass lists
  // from where this one did: what this pass could see was there before the next began.
  list_from_ = settings_.quirks.lists_from_token ? working_.token_ : token_before;
  seen_.erase(seen_.begin(), seen_.lower_bound(list_from_.view()));
  return outcome;
}

/// Changes when the file does; 0 if it can't be seen.
LOUPE_DECL std::uint64_t Catalog::generation(const std::string& key) const {
  const result<ObjectInfo> info = storage_.stat(key);
  return info ? info->generation : 0;
}

/// Keys of the files that were not read yet, or not with success and have changed since, in order.
LOUPE_DECL result<std::vector<std::string>> Catalog::list_new() {
  std::vector<std::string> found;
  // The file that the key names may itself be new, and listing begins after a key: one just before it.
  std::string_view after = list_from_;
  if (!after.empty()) after.remove_suffix(1);
  const bool wants_csv = settings_.quirks.damaged_file_fails_refresh;
  LOUPE_TRY(storage_.list(format::index_prefix, after, [&](const ObjectInfo& object) {
    if (!object.key.ends_with(".json") && !(wants_csv && object.key.ends_with(".csv"))) return true;
    if (seen_.find(object.key) == seen_.end()) found.emplace_back(object.key);
    return true;
  }));
  for (const auto& [key, file] : failed_)
    if (!file.is_damaged || generation(key) != file.generation) found.push_back(key);
  if (!std::is_sorted(found.begin(), found.end())) std::sort(found.begin(), found.end());
  return found;
}

LOUPE_DECL result<void> Catalog::read_batch(std::vector<NewBlock>& batch) {
  ++batch_;
  names_in_batch_ = 0;
  LOUPE_ASSIGN(auto files, list_new());
  result<void> outcome;
  for (std::string& key : files) {
    result<std::optional<NewBlock>> read = read_file(key);
    if (!read && settings_.quirks.damaged_file_fails_refresh) {
      if (outcome) outcome = unexpected<Error>(std::move(read).error());
      seen_.insert(std::move(key));
      continue;
    }
    if (!read) {
      refuse(key, std::move(read).error());
      continue;
    }
    if (const auto failed = failed_.find(key); failed != failed_.end()) {
      failed_.erase(failed);
      changed_ = true;
    }
    if (*read) batch.push_back(std::move(**read));
    seen_.insert(seen_.end(), std::move(key));
  }
  return outcome;
}

/// Keeps the error of a file that can't be used. One that could not be read at all is tried again in the next pass, one
/// that says what can't be only when it has changed.
LOUPE_DECL void Catalog::refuse(const std::string& key, Error error) {
  const bool is_damaged = error.kind == ErrorKind::index_reader || error.kind == ErrorKind::corrupt ||
                          error.kind == ErrorKind::limit_exceeded || error.kind == ErrorKind::invalid_argument;
  changed_ = true;
  seen_.insert(key);
  if (failed_.size() >= max_problems && !failed_.contains(key)) return;
  failed_[key] = {is_damaged, is_damaged ? generation(key) : 0, std::move(error)};
}

/// Nothing if the file is out of range or says nothing.
LOUPE_DECL result<std::optional<Catalog::NewBlock>> Catalog::read_file(const std::string& key) {
  LOUPE_ASSIGN(const format::StepWorker from, format::parse_index_key(key, settings_.quirks.double_underscore_unescapes ? format::WorkerNames::escaped_by_path
                                                                                          : format::WorkerNames::escaped_by_first_letter));
  if (!settings_.range.contains(from.step)) return std::optional<NewBlock>();
  text_.clear();
  LOUPE_TRY(storage_.read(key, {}, text_));
  NewBlock made{std::make_shared<IndexBlock>(), UINT32_MAX, {}};
  IndexBlock& block = *made.block;
  entries_.clear();
  extents_.clear();
  Reader reader(*this, block);
  LOUPE_TRY(format::parse_index(text_.text(), key, reader));
  if (entries_.empty()) return std::optional<NewBlock>();
  if (block.mode_step < 0)
    return fail(ErrorKind::invalid_argument, key, "mode_step must not be negative");
  if (reader.has_records() && reader.event_file() != format::event_key(from.step, worker_in_files(from.worker)))
    block.event_key = reader.event_file();
  block.global_step = from.step;
  block.worker = worker(from.worker);
  block.load_order = files_read_++;
  block.entries.assign(entries_.begin(), entries_.end());
  block.extents.assign(extents_.begin(), extents_.end());
  if (settings_.quirks.shape_hides_value) block.hide_values_with_shapes();
  block.seal();
  made.first_name = reader.first_name();
  made.original_names = reader.take_original_names();
  return std::optional(std::move(made));
}

LOUPE_DECL const Interned* Catalog::worker(std::string_view name) {
  const auto [id, is_new] = worker_names_.find_or_add(name);
  if (is_new) names_->workers.push_back({Text(name), id});
  return &names_->workers[id];
}

LOUPE_DECL result<std::uint32_t> Catalog::raw_name(std::string_view name) {
  const auto [id, is_new] = raw_names_.find_or_add(name);
  if (!is_new) return id;
  RawName raw;
  std::string_view tensor = name;
  if (const auto reduction = format::split_reduction_name(name)) {
    auto part = reduction_part(reduction->operation, reduction->absolute);
    raw.part = part ? *part : value_part;
    tensor = reduction->tensor;
    if (!part) return unexpected<Error>(std::move(part).error());
  }
  const auto [number, is_new_tensor] = tensor_names_.find_or_add(tensor);
  if (is_new_tensor) {
    names_->tensors.push_back({Text(tensor), number});
    known_tensors_.push_back({&names_->tensors.back(), nullptr, 0});
  }
  raw.tensor = number;
  raw_infos_.push_back(raw);
  return id;
}

LOUPE_DECL result<std::uint16_t> Catalog::reduction_part(std::string_view operation, bool absolute) {
  const Text name = full_reduction_name(operation, absolute);
  if (const auto part = working_.reduction_part(name)) return *part;
  if (working_.reductions_->size() >= max_reduction_names)
    return fail(ErrorKind::limit_exceeded, name, "a trial may hold at most 4096 kinds of reductions");
  auto names = std::make_shared<std::vector<ReductionName>>(*working_.reductions_);
  names->push_back({name, std::nullopt});
  working_.reductions_ = std::move(names);
  return *working_.reduction_part(name);
}

LOUPE_DECL void Catalog::apply(std::vector<NewBlock>& batch) {
  std::vector<const NewBlock*> claimants;
  for (const NewBlock& made : batch) claimants.push_back(&made);
  if (settings_.quirks.claims_by_tensor)
    std::sort(claimants.begin(), claimants.end(), [](const NewBlock* a, const NewBlock* b) {
      return a->first_name != b->first_name ? a->first_name < b->first_name : a->block->load_order < b->block->load_order;
    });
  for (const NewBlock* made : claimants) claim(*made->block);
  for (const NewBlock& made : batch) {
    add(made.block);
    note_tensors(*made.block, made.original_names);
  }
  changed_ = true;
}

/// Gives the block's steps their records; the first block that claims a step decides what it is.
LOUPE_DECL void Catalog::claim(const IndexBlock& block) {
  working_.steps_.edit(block.global_step, edition_, [&] {
    StepRecord record;
    record.step = block.global_step;
    record.mode = block.mode;
    record.mode_step = block.mode_step;
    return record;
  });
  working_.by_mode_[mode_index(block.mode)].edit(block.mode_step, edition_, [&] {
    ModeStepRecord record;
    record.mode_step = block.mode_step;
    record.global_step = block.mode == Mode::global ? block.mode_step : block.global_step;
    return record;
  });
}

LOUPE_DECL void Catalog::add(const std::shared_ptr<IndexBlock>& block) {
  const auto insert = [&](BlockList& blocks) {
    const auto place = std::upper_bound(blocks.begin(), blocks.end(), block, [](const auto& a, const auto& b) {
      return a->worker != b->worker && a->worker->name < b->worker->name;
    });
    const bool is_known = place != blocks.begin() && (*std::prev(place))->worker == block->worker;
    blocks.insert(place, block);
    return !is_known;
  };
  const auto no_maker = [] { return StepRecord(); };
  StepRecord& step = working_.steps_.edit(block->global_step, edition_, no_maker);
  if (insert(step.blocks)) ++step.worker_count;
  insert(working_.by_mode_[mode_index(block->mode)]
             .edit(block->mode_step, edition_, [] { return ModeStepRecord(); })
             .blocks);
  if (step.worker_count >= settings_.required_workers && step.step > working_.last_complete_step_)
    working_.last_complete_step_ = step.step;
  working_.entry_count_ += block->entries.size();
}

LOUPE_DECL void Catalog::note_tensors(const IndexBlock& block, const OriginalNames& original_names) {
  const auto mode_bit = static_cast<std::uint8_t>(1u << mode_index(block.mode));
  const auto store = [&](const TensorRecord& known) {
    working_.tensors_.edit(known.tensor->name, edition_, [&] { return known; }) = known;
  };
  for (const IndexEntry& entry : block.entries) {
    TensorRecord& known = known_tensors_[entry.tensor->number];
    if ((known.modes & mode_bit) != 0) continue;
    known.modes = static_cast<std::uint8_t>(known.modes | mode_bit);
    store(known);
  }
  for (const auto& [tensor, original_name] : original_names) {
    TensorRecord& known = known_tensors_[tensor];
    const auto [id, is_new] = original_names_.find_or_add(original_name);
    if (is_new) names_->original_names.push_back({original_name, id});
    known.original_name = &names_->original_names[id];
    store(known);
  }
}

LOUPE_DECL void Catalog::set_token(std::int64_t step) {
  token_step_ = step;
  working_.token_ = format::index_key(step, worker_in_files(settings_.last_worker));
  changed_ = true;
}

/// Moves the place where the next pass begins to list, and gives up on steps that have been incomplete for too long
/// (semantics.md 12.1).
LOUPE_DECL void Catalog::advance() {
  std::int64_t& last = working_.last_complete_step_;
  if (last >= token_step_.value_or(0) && last != token_step_) set_token(last);
  if (settings_.quirks.window_counts_from_zero) {
    if (static_cast<std::int64_t>(working_.steps_.size()) - last - 1 <= settings_.incomplete_window) return;
    last += settings_.incomplete_window / 2;
    set_token(last);
    return;
  }
  std::int64_t incomplete = 0;
  auto given_up = working_.steps_.lower_bound(last);
  if (given_up != working_.steps_.end() && working_.steps_[given_up].step == last)
    given_up = working_.steps_.next(given_up);
  for (auto at = given_up; at != working_.steps_.end() && incomplete <= settings_.incomplete_window; at = working_.steps_.next(at))
    ++incomplete;
  if (incomplete <= settings_.incomplete_window) return;
  for (std::int64_t count = 1; count < settings_.incomplete_window / 2; ++count) given_up = working_.steps_.next(given_up);
  last = working_.steps_[given_up].step;
  set_token(last);
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_TRIAL_CATALOG_IPP
#endif  // LOUPE_SINGLE_TRIAL_CATALOG_HPP
// ---- loupe/trial/event_files.hpp
#ifndef LOUPE_SINGLE_TRIAL_EVENT_FILES_HPP
#define LOUPE_SINGLE_TRIAL_EVENT_FILES_HPP
/// @file
/// Records of event files, read in place where the storage can map.

// ---- loupe/trial/follower.hpp
#ifndef LOUPE_SINGLE_TRIAL_FOLLOWER_HPP
#define LOUPE_SINGLE_TRIAL_FOLLOWER_HPP
/// @file
/// Follows a run: refreshes what is known of it, and waits for more.

namespace loupe::inline LOUPE_ABI {

/// How a trial waits. Durations are nanoseconds of the monotonic clock.
struct WaitSettings {
  std::shared_ptr<const AnyClock> clock;  ///< never null
  Interrupt* interrupt = nullptr;         ///< a request ends every wait with `cancelled`
  std::int64_t poll_interval = 0;         ///< how long a look at the storage stays good at most
  std::int64_t end_delay = 0;             ///< how long after the end marker stragglers' files may appear
};

/// Waits until `done()` says yes or fails; looks at once, then whenever objects under the prefixes change, at least once
/// in each poll interval, and a last time at the deadline (`INT64_MAX`: none). `timeout` or `cancelled` otherwise;
/// `waited_for` is what the error is about.
LOUPE_DECL result<void> poll_until(const AnyStorage& storage, std::span<const std::string_view> prefixes, const WaitSettings& wait,
                                   std::int64_t deadline, std::string_view waited_for, FunctionRef<result<bool>()> done);

/// Whether the run that writes into a storage has ended: its end marker, if it is there.
LOUPE_DECL result<std::optional<ObjectInfo>> find_end_marker(const AnyStorage& storage);

/// Keeps the newest snapshot of a trial. Refreshes are exclusive; everything may be called by any thread.
class Follower {
 public:
  LOUPE_DECL Follower(AnyStorage storage, CatalogSettings settings, WaitSettings wait);

  [[nodiscard]] LOUPE_DECL std::shared_ptr<const Snapshot> snapshot() const;
  /// Reads new index files once, for the last time if the run has ended `end_delay` ago.
  LOUPE_DECL result<void> refresh();
  /// Reads new index files unless all are loaded or refreshing is off. When the run has ended it reads a last time
  /// `end_delay` after its end, or after that was first seen if the storage doesn't say when it was, and never again.
  LOUPE_DECL result<void> refresh_if_due();
  /// Whether the step can be read, after a refresh.
  LOUPE_DECL result<StepState> has_passed_step(ModeStep at);
  /// Waits until each of the steps can be read, refreshing even where that was turned off. `step_unavailable` or
  /// `no_more_data` if one will never come; `timeout` at the deadline of the monotonic clock.
  LOUPE_DECL result<void> wait_for_steps(std::span<const ModeStep> steps, std::int64_t deadline);

  [[nodiscard]] bool refreshes() const noexcept { return refreshes_.load(std::memory_order_relaxed); }
  /// Whether a `RefreshScope` ends as smdebug's scopes do.
  [[nodiscard]] bool scopes_set_opposite() const noexcept { return scopes_set_opposite_; }
  void set_refreshes(bool on) noexcept { refreshes_.store(on, std::memory_order_relaxed); }

 private:
  LOUPE_DECL result<void> look_for_end();
  LOUPE_DECL result<void> read_locked();
  LOUPE_DECL result<void> finish_locked();
  LOUPE_DECL void publish();

  AnyStorage storage_;
  WaitSettings wait_;
  bool scopes_set_opposite_;
  std::atomic<bool> refreshes_{true};
  std::mutex refresh_mutex_;                       ///< guards the next two
  std::optional<std::int64_t> last_files_due_;     ///< monotonic; known once the run has ended
  Catalog catalog_;
  mutable std::mutex snapshot_mutex_;              ///< guards `snapshot_`
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/trial/follower.ipp
#ifndef LOUPE_SINGLE_TRIAL_FOLLOWER_IPP
#define LOUPE_SINGLE_TRIAL_FOLLOWER_IPP

// ---- loupe/trial/refresh_scope.hpp
#ifndef LOUPE_SINGLE_TRIAL_REFRESH_SCOPE_HPP
#define LOUPE_SINGLE_TRIAL_REFRESH_SCOPE_HPP
/// @file
/// Scopes in which trials refresh, or don't.

namespace loupe::inline LOUPE_ABI {

class Follower;

/// Turns refreshing of a trial on or off until the end of its life, then puts back what was there before, however the
/// scope is left. Move-only; must not outlive the trial.
class RefreshScope {
 public:
  LOUPE_DECL RefreshScope(Follower& follower, bool on) noexcept;
  RefreshScope(RefreshScope&& other) noexcept
      : follower_(std::exchange(other.follower_, nullptr)), on_(other.on_), before_(other.before_) {}
  RefreshScope& operator=(RefreshScope&&) = delete;
  LOUPE_DECL ~RefreshScope();

  /// Says that the scope is left because of an error, for trials that imitate smdebug, where that makes a difference.
  void fail() noexcept { failed_ = true; }

 private:
  Follower* follower_;
  bool on_;
  bool before_;
  bool failed_ = false;
  int exceptions_ = 0;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/trial/refresh_scope.ipp
#ifndef LOUPE_SINGLE_TRIAL_REFRESH_SCOPE_IPP
#define LOUPE_SINGLE_TRIAL_REFRESH_SCOPE_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL RefreshScope::RefreshScope(Follower& follower, bool on) noexcept
    : follower_(&follower), on_(on), before_(follower.refreshes()), exceptions_(std::uncaught_exceptions()) {
  follower.set_refreshes(on);
}

LOUPE_DECL RefreshScope::~RefreshScope() {
  if (follower_ == nullptr) return;
  if (!follower_->scopes_set_opposite()) {
    follower_->set_refreshes(before_);
  } else if (!failed_ && std::uncaught_exceptions() == exceptions_) {
    follower_->set_refreshes(!on_);
  }
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_TRIAL_REFRESH_SCOPE_IPP
#endif  // LOUPE_SINGLE_TRIAL_REFRESH_SCOPE_HPP

namespace loupe::inline LOUPE_ABI {

namespace detail {
inline std::int64_t later(std::int64_t now, std::int64_t wait) noexcept { return now > INT64_MAX - wait ? INT64_MAX : now + wait; }
}  // namespace detail

LOUPE_DECL result<void> poll_until(const AnyStorage& storage, std::span<const std::string_view> prefixes, const WaitSettings& wait,
                                   std::int64_t deadline, std::string_view waited_for, FunctionRef<result<bool>()> done) {
  LOUPE_ASSIGN(bool is_done, done());
  if (is_done) return {};
  StorageWatch watch = storage.watch(prefixes);
  while (true) {
    const std::int64_t now = wait.clock->monotonic_ns();
    LOUPE_ASSIGN(is_done, done());
    if (is_done) return {};
    if (now >= deadline) return fail(ErrorKind::timeout, waited_for, "waited until the deadline");
    if (watch.wait_until(*wait.clock, std::min(detail::later(now, wait.poll_interval), deadline), wait.interrupt) == WatchOutcome::interrupted)
      return fail(ErrorKind::cancelled, waited_for, "the wait was interrupted");
  }
}

LOUPE_DECL result<std::optional<ObjectInfo>> find_end_marker(const AnyStorage& storage) {
  const result<ObjectInfo> marker = storage.stat(format::end_marker_key);
  if (marker) return std::optional(*marker);
  if (marker.error().kind == ErrorKind::not_found) return std::optional<ObjectInfo>();
  return unexpected<Error>(marker.error());
}

LOUPE_DECL Follower::Follower(AnyStorage storage, CatalogSettings settings, WaitSettings wait)
    : storage_(storage), wait_(wait), scopes_set_opposite_(settings.quirks.scopes_set_opposite),
      catalog_(std::move(storage), std::move(settings)), snapshot_(catalog_.snapshot()) {}

LOUPE_DECL std::shared_ptr<const Snapshot> Follower::snapshot() const {
  const std::lock_guard lock(snapshot_mutex_);
  return snapshot_;
}

LOUPE_DECL result<void> Follower::read_locked() {
  const result<void> outcome = catalog_.read();
  publish();
  return outcome;
}

LOUPE_DECL void Follower::publish() {
  std::shared_ptr<const Snapshot> newest = catalog_.snapshot();
  const std::lock_guard lock(snapshot_mutex_);
  snapshot_ = std::move(newest);
}

LOUPE_DECL result<void> Follower::look_for_end() {
  if (last_files_due_) return {};
  LOUPE_ASSIGN(const std::optional<ObjectInfo> marker, find_end_marker(storage_));
  if (!marker) return {};
  // How far the clocks of the machines that write and read may be apart.
  constexpr std::int64_t skew = 60'000'000'000;
  const std::int64_t age = marker->modified_ns > 0 ? wait_.clock->wall_ns() - marker->modified_ns : 0;
  const std::int64_t now = wait_.clock->monotonic_ns();
  last_files_due_ = age >= skew && age - skew >= wait_.end_delay ? now : detail::later(now, wait_.end_delay);
  return {};
}

LOUPE_DECL result<void> Follower::finish_locked() {
  LOUPE_TRY(read_locked());  // also what could not be read the last time
  catalog_.finish();
  publish();
  return {};
}

LOUPE_DECL result<void> Follower::refresh() {
  const std::lock_guard lock(refresh_mutex_);
  LOUPE_TRY(look_for_end());
  const bool is_last = last_files_due_ && wait_.clock->monotonic_ns() >= *last_files_due_;
  LOUPE_TRY(read_locked());
  return is_last ? finish_locked() : result<void>();
}

LOUPE_DECL result<void> Follower::refresh_if_due() {
  if (!refreshes() || snapshot()->loaded_all()) return {};
  const std::lock_guard lock(refresh_mutex_);
  if (snapshot()->loaded_all()) return {};
  LOUPE_TRY(look_for_end());
  LOUPE_TRY(read_locked());
  if (!last_files_due_) return {};
  if (wait_.clock->monotonic_ns() < *last_files_due_ && !wait_.clock->wait_until(*last_files_due_, wait_.interrupt))
    return fail(ErrorKind::cancelled, format::end_marker_key, "the wait for the run's last files was interrupted");
  return finish_locked();
}

LOUPE_DECL result<StepState> Follower::has_passed_step(ModeStep at) {
  LOUPE_TRY(refresh_if_due());
  return snapshot()->passed(at);
}

LOUPE_DECL result<void> Follower::wait_for_steps(std::span<const ModeStep> steps, std::int64_t deadline) {
  RefreshScope scope(*this, true);
  const auto wait = [&](ModeStep at) {
    const std::string_view prefixes[] = {format::index_prefix, format::end_marker_key};
    const Text step = Text::join("step ", to_text(at.value).view(), " of mode ", mode_name(at.mode));
    return poll_until(storage_, prefixes, wait_, deadline, step, [&]() -> result<bool> {
      LOUPE_ASSIGN(const StepState state, has_passed_step(at));
      if (state != StepState::unavailable) return state == StepState::available;
      const auto known = snapshot();
      const std::int64_t last = known->last_step(at.mode);
      if (!known->loaded_all() || at.value < last)
        return fail(Error{.kind = ErrorKind::step_unavailable, .step = at.value, .mode = at.mode});
      return fail(Error{.kind = ErrorKind::no_more_data, .step = at.value, .mode = at.mode, .last_step = last});
    });
  };
  for (const ModeStep at : steps)
    if (result<void> outcome = wait(at); !outcome) {
      Error error = std::move(outcome).error();
      if (error.kind == ErrorKind::timeout || error.kind == ErrorKind::cancelled) {
        error.step = at.value;
        error.mode = at.mode;
      }
      scope.fail();
      return unexpected<Error>(std::move(error));
    }
  return {};
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_TRIAL_FOLLOWER_IPP
#endif  // LOUPE_SINGLE_TRIAL_FOLLOWER_HPP

namespace loupe::inline LOUPE_ABI {

/// A record's payload. Bytes and file name live as long as the owner.
struct EventPayload {
  std::span<const std::byte> bytes;
  std::string_view file;     ///< key of the event file
  std::uint64_t offset = 0;  ///< of the payload in the file
  std::shared_ptr<const void> owner;
};

/// The event files of a trial. Mapped ones stay mapped while they are among the last that were used. Any thread.
class EventFiles {
 public:
  struct Settings {
    WaitSettings wait;
    std::int64_t missing_deadline = 0;  ///< nanoseconds to wait for a file that the index names but isn't there
    std::size_t mapped_files = 64;
    bool constant_check_word_only = false;
  };
  LOUPE_DECL EventFiles(AnyStorage storage, Settings settings);

  /// The payload of an entry's record. `not_found` if the file is missing and won't come any more (format.md 10.3),
  /// `corrupt` if the file doesn't hold the record that the index says.
  LOUPE_DECL result<EventPayload> payload(const IndexBlock& block, const IndexEntry& entry);

 private:
  /// An event file, mapped, or a piece of one, read.
  struct Opened {
    Text key;
    MappedBytes mapped;
    ByteBuffer buffer;
  };
  struct Recent {
    const IndexBlock* block = nullptr;
    std::shared_ptr<const Opened> file;
    std::uint64_t last_use = 0;
  };
  result<std::span<const std::byte>> record(const IndexBlock& block, const IndexEntry& entry, std::shared_ptr<const Opened>& file);
  result<void> wait_for(const IndexBlock& block, const Text& key, FunctionRef<bool()> is_there);
  std::shared_ptr<const Opened> recent(const IndexBlock& block);
  void remember(const IndexBlock& block, std::shared_ptr<const Opened> file);
  result<bool> was_skipped(const IndexBlock& block, std::string_view key);

  AnyStorage storage_;
  Settings settings_;
  std::mutex mutex_;  ///< guards the members below
  std::vector<Recent> recent_;
  std::uint64_t uses_ = 0;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/trial/event_files.ipp
#ifndef LOUPE_SINGLE_TRIAL_EVENT_FILES_IPP
#define LOUPE_SINGLE_TRIAL_EVENT_FILES_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL EventFiles::EventFiles(AnyStorage storage, Settings settings)
    : storage_(std::move(storage)), settings_(std::move(settings)) {}

LOUPE_DECL std::shared_ptr<const EventFiles::Opened> EventFiles::recent(const IndexBlock& block) {
  const std::lock_guard lock(mutex_);
  for (Recent& known : recent_)
    if (known.block == &block) {
      known.last_use = ++uses_;
      return known.file;
    }
  return nullptr;
}

LOUPE_DECL void EventFiles::remember(const IndexBlock& block, std::shared_ptr<const Opened> file) {
  if (settings_.mapped_files == 0) return;
  const std::lock_guard lock(mutex_);
  Recent* place = nullptr;
  if (recent_.size() < settings_.mapped_files) {
    place = &recent_.emplace_back();
  } else {
    for (Recent& known : recent_)
      if (place == nullptr || known.last_use < place->last_use) place = &known;
  }
  *place = {&block, std::move(file), ++uses_};
}

/// Whether the worker has gone on to write a later event file.
LOUPE_DECL result<bool> EventFiles::was_skipped(const IndexBlock& block, std::string_view key) {
  bool has_later = false;
  LOUPE_TRY(storage_.list(format::events_prefix, key, [&](const ObjectInfo& object) {
    const auto later = format::parse_event_key(object.key);
    has_later = later && later->worker == block.worker->name && later->step != block.global_step;
    return !has_later;
  }));
  return has_later;
}

/// The bytes that the index says are the record, and the file that they are in.
LOUPE_DECL result<std::span<const std::byte>> EventFiles::record(const IndexBlock& block, const IndexEntry& entry,
                                                                 std::shared_ptr<const Opened>& file) {
  const auto cut_off = [&](const Text& key, std::uint64_t size) {
    return fail_at(ErrorKind::corrupt, key, static_cast<std::int64_t>(size),
                   Text::join("the file ends before the record that the index puts at byte ",
                              to_text(static_cast<long long>(entry.start)).view()));
  };
  const auto part_of = [&](std::span<const std::byte> bytes) -> result<std::span<const std::byte>> {
    if (entry.start > bytes.size() || entry.length > bytes.size() - entry.start) return cut_off(file->key, bytes.size());
    return bytes.subspan(static_cast<std::size_t>(entry.start), static_cast<std::size_t>(entry.length));
  };
  file = recent(block);
  if (file != nullptr) return part_of(file->mapped.bytes());
  auto opened = std::make_shared<Opened>();
  opened->key = block.event_key.empty() ? format::event_key(block.global_step, worker_in_files(block.worker->name))
                                        : block.event_key;
  if (storage_.capabilities().map) {
    LOUPE_ASSIGN(opened->mapped, storage_.map(opened->key));
    file = std::move(opened);
    remember(block, file);
    return part_of(file->mapped.bytes());
  }
  // A lying index must not make us allocate: the file's size bounds what is read.
  LOUPE_ASSIGN(const ObjectInfo info, storage_.stat(opened->key));
  if (entry.start > info.size || entry.length > info.size - entry.start) return cut_off(opened->key, info.size);
  LOUPE_TRY(storage_.read(opened->key, {entry.start, entry.length}, opened->buffer));
  if (opened->buffer.size() != entry.length) return cut_off(opened->key, entry.start + opened->buffer.size());
  const std::span<const std::byte> bytes = std::as_const(opened->buffer).bytes();
  file = std::move(opened);
  return bytes;
}

/// Waits for an event file that the index names and that isn't there, as long as it may still come (format.md 10.3).
LOUPE_DECL result<void> EventFiles::wait_for(const IndexBlock& block, const Text& key, FunctionRef<bool()> is_there) {
  const std::int64_t now = settings_.wait.clock->monotonic_ns();
  const std::int64_t deadline = now > INT64_MAX - settings_.missing_deadline ? INT64_MAX : now + settings_.missing_deadline;
  const std::string_view prefixes[] = {format::events_prefix, format::end_marker_key};
  return poll_until(storage_, prefixes, settings_.wait, deadline, key, [&]() -> result<bool> {
    // What says that it won't come is looked for before the file itself: that may appear in between.
    LOUPE_ASSIGN(bool is_given_up, was_skipped(block, key));
    if (!is_given_up) {
      LOUPE_ASSIGN(const std::optional<ObjectInfo> end, find_end_marker(storage_));
      is_given_up = end.has_value();
    }
    return is_there() || is_given_up;
  });
}

LOUPE_DECL result<EventPayload> EventFiles::payload(const IndexBlock& block, const IndexEntry& entry) {
  std::shared_ptr<const Opened> file;
  result<std::span<const std::byte>> bytes = record(block, entry, file);
  if (!bytes && bytes.error().kind == ErrorKind::not_found) {
    const Text key = bytes.error().object;
    const result<void> waited = wait_for(block, key, [&] {
      bytes = record(block, entry, file);
      return bytes || bytes.error().kind != ErrorKind::not_found;
    });
    if (!waited && waited.error().kind != ErrorKind::timeout) return unexpected<Error>(waited.error());
  }
  if (!bytes) return unexpected<Error>(std::move(bytes).error());
  const auto check = settings_.constant_check_word_only ? wire::RecordCheck::minimal : wire::RecordCheck::either;
  wire::RecordReader reader(*bytes, file->key, check);
  result<std::optional<wire::Record>> found = reader.next();
  if (!found) {
    Error error = std::move(found).error();
    if (error.offset >= 0) error.offset += static_cast<std::int64_t>(entry.start);
    // smdebug tells a wrong checksum from bytes that can't be decoded.
    if (settings_.constant_check_word_only) error.kind = ErrorKind::invalid_state;
    return fail(std::move(error));
  }
  if (!*found || (*found)->length != bytes->size())
    return fail_at(ErrorKind::corrupt, file->key, static_cast<std::int64_t>(entry.start),
                   "the record is not as long as the index says");
  EventPayload out;
  out.bytes = (*found)->payload;
  out.file = file->key;
  out.offset = entry.start + wire::record_header_size;
  out.owner = std::move(file);
  return out;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_TRIAL_EVENT_FILES_IPP
#endif  // LOUPE_SINGLE_TRIAL_EVENT_FILES_HPP
// ---- loupe/trial/fwd.hpp
#ifndef LOUPE_SINGLE_TRIAL_FWD_HPP
#define LOUPE_SINGLE_TRIAL_FWD_HPP
/// @file
/// Names of trial/.

namespace loupe::inline LOUPE_ABI {

struct TrialOptions;
struct NameQuery;
class Snapshot;
class Follower;
class RefreshScope;
class ValueView;
template <class ErrorsType>
class Tensor;
template <class StorageType, class ErrorsType, class ClockType, class StrategyType, class CompatibilityType, class PatternsType,
          class CompletenessType>
class BasicTrial;

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_TRIAL_FWD_HPP
// ---- loupe/trial/step_reader.hpp
#ifndef LOUPE_SINGLE_TRIAL_STEP_READER_HPP
#define LOUPE_SINGLE_TRIAL_STEP_READER_HPP
/// @file
/// Reads all that was saved at a step, tensor by tensor, in the order in which the step saved it.

// ---- loupe/trial/trial_core.hpp
#ifndef LOUPE_SINGLE_TRIAL_TRIAL_CORE_HPP
#define LOUPE_SINGLE_TRIAL_TRIAL_CORE_HPP
/// @file
/// The part of a trial that is not a template: everything but its policies' types.

// ---- loupe/trial/tensor_reader.hpp
#ifndef LOUPE_SINGLE_TRIAL_TENSOR_READER_HPP
#define LOUPE_SINGLE_TRIAL_TENSOR_READER_HPP
/// @file
/// Finds and reads what was saved of a tensor at a step, or says why there is nothing.

// ---- loupe/trial/value.hpp
#ifndef LOUPE_SINGLE_TRIAL_VALUE_HPP
#define LOUPE_SINGLE_TRIAL_VALUE_HPP
/// @file
/// Values as a trial gives them: seen where they lie, or owned with their type.

namespace loupe::inline LOUPE_ABI {

/// A tensor's elements where they lie, in a mapped file or a buffer, kept alive by this object. Always row-major without
/// gaps. In a file elements are as aligned as chance has it. Copies share the memory; any thread may read it.
class ValueView {
 public:
  ValueView() = default;
  ValueView(const TensorView& view, std::shared_ptr<const void> owner) : view_(view), owner_(std::move(owner)) {}
  /// Takes an array over.
  explicit ValueView(Array array) {
    auto owned = std::make_shared<const Array>(std::move(array));
    view_ = owned->view();
    owner_ = std::move(owned);
  }

  [[nodiscard]] const TensorView& view() const noexcept { return view_; }
  [[nodiscard]] ElementType type() const noexcept { return view_.type; }
  [[nodiscard]] const Shape& shape() const noexcept { return view_.shape; }
  /// The elements in place; nothing if they are of another type or not aligned for it.
  template <Element Type>
  [[nodiscard]] std::optional<std::span<const Type>> elements() const noexcept {
    if (view_.type != element_type_of<Type>) return std::nullopt;
    if (reinterpret_cast<std::uintptr_t>(view_.data) % alignof(Type) != 0) return std::nullopt;
    return std::span<const Type>(static_cast<const Type*>(view_.data), static_cast<std::size_t>(view_.size()));
  }
  /// A copy that owns its elements.
  [[nodiscard]] result<Array> copy() const { return Array::copy_of(view_); }

 private:
  TensorView view_;
  std::shared_ptr<const void> owner_;
};

/// The element of a tensor that holds a single number; nothing otherwise.
inline Scalar load_scalar(const TensorView& view) noexcept {
  return visit_element_type(view.type, [&]<class Type>() -> Scalar {
    if constexpr (std::is_void_v<Type> || std::same_as<Type, std::string_view>)
      return {};
    else
      return view.size() == 1 ? Scalar::from(load_element<Type>(view.data)) : Scalar();
  });
}

/// Specialise to let values convert to a container: `static Target make(const Values<Type>&)`.
template <class Target>
struct FromValues;

/// An owned tensor of a known element type. Converts to any container that has a `FromValues`, such as `xt::xarray`
/// with `loupe/trial/xtensor.hpp`.
template <Element Type>
class Values {
 public:
  Values() = default;
  /// The array must hold elements of `Type`.
  explicit Values(Array array) noexcept : array_(std::move(array)) {}

  [[nodiscard]] const Shape& shape() const noexcept { return array_.shape(); }
  [[nodiscard]] std::size_t size() const noexcept { return array_.size(); }
  [[nodiscard]] std::span<const Type> elements() const noexcept { return array_.elements<Type>(); }
  [[nodiscard]] const Type& operator[](std::size_t index) const noexcept { return elements()[index]; }
  [[nodiscard]] auto begin() const noexcept { return elements().begin(); }
  [[nodiscard]] auto end() const noexcept { return elements().end(); }
  [[nodiscard]] TensorView view() const noexcept { return array_.view(); }
  [[nodiscard]] const Array& array() const& noexcept { return array_; }
  [[nodiscard]] Array array() && noexcept { return std::move(array_); }

  template <class Target>
    requires requires(const Values& values) {
      { FromValues<Target>::make(values) } -> std::same_as<Target>;
    }
  operator Target() const {
    return FromValues<Target>::make(*this);
  }

 private:
  Array array_;
};

/// Whether every number of type `From` is one of type `To`.
template <class From, class To>
constexpr bool widens_to() noexcept {
  constexpr ElementType from = element_type_of<From>;
  constexpr ElementType to = element_type_of<To>;
  constexpr bool from_integer = is_signed_integer(from) || is_unsigned_integer(from);
  constexpr bool to_integer = is_signed_integer(to) || is_unsigned_integer(to);
  if constexpr (from == to) return true;
  else if constexpr (from == ElementType::string || to == ElementType::string || is_complex(from) || is_complex(to)) return false;
  else if constexpr (to == ElementType::float16 || to == ElementType::bfloat16 || to == ElementType::boolean) return false;
  else if constexpr (from == ElementType::boolean) return true;
  else if constexpr (is_floating(from)) return is_floating(to) && sizeof(From) < sizeof(To);
  else if constexpr (from_integer && to_integer)
    return sizeof(From) < sizeof(To) && (is_signed_integer(to) || is_unsigned_integer(from));
  else if constexpr (from_integer) return 2 * sizeof(From) <= sizeof(To);
  else return false;
}

/// Copies a value as elements of `Type`, widening where the stored type is a narrower one. `invalid_type` where a
/// stored number might not fit, an error about `name`.
template <Element Type>
result<Values<Type>> typed_copy(const TensorView& view, std::string_view name) {
  if (view.type == element_type_of<Type>) {
    LOUPE_ASSIGN(Array same, Array::copy_of(view));
    return Values<Type>(std::move(same));
  }
  return visit_element_type(view.type, [&]<class From>() -> result<Values<Type>> {
    if constexpr (!std::is_void_v<From> && widens_to<From, Type>()) {
      LOUPE_ASSIGN(Array wide, Array::make(element_type_of<Type>, view.shape));
      Type* out = wide.elements<Type>().data();
      for_each_run(view, [&](const std::byte* first, std::int64_t count) {
        for (std::int64_t index = 0; index < count; ++index) {
          const From element = load_element<From>(first + static_cast<std::size_t>(index) * sizeof(From));
          if constexpr (std::same_as<From, Float16> || std::same_as<From, BFloat16>)
            *out++ = static_cast<Type>(to_float(element));
          else
            *out++ = static_cast<Type>(element);
        }
      });
      return Values<Type>(std::move(wide));
    } else {
      return fail(ErrorKind::invalid_type, name,
                  Text::join("elements of type ", element_type_name(view.type), " can't be had as ",
                             element_type_name(element_type_of<Type>)));
    }
  });
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_TRIAL_VALUE_HPP

namespace loupe::inline LOUPE_ABI {

/// A reduction of a tensor at a step: as it was saved, or computed from the saved value.
struct ReductionValue {
  Text name;         ///< `min`, `abs_mean`, …
  Scalar number;     ///< none if what was saved is not a single number
  ValueView stored;  ///< as it was saved, of rank 0 or shape (1); no tensor if it was computed
  [[nodiscard]] bool is_saved() const noexcept { return stored.view().has_tensor(); }
};

/// A decoded value. smdebug decodes some to what has no shape: nothing at all, or a bare truth value.
struct DecodedValue {
  ValueView value;
  bool has_shape = true;
};

/// One statistic of a tensor by a reduction strategy: how the strategy passes into code that is no template.
using ComputeStatistic = result<Scalar> (*)(const TensorView& view, Statistic statistic);

/// Reads tensors through a follower and its event files, by the rules of semantics.md section 13. Any thread.
class TensorReader {
 public:
  TensorReader(Follower& follower, EventFiles& files, const ReaderQuirks& quirks, ComputeStatistic compute) noexcept
      : follower_(follower), files_(files), quirks_(quirks), compute_(compute) {}

  /// The value where it lies. `tensor_unavailable_for_step` with its reason if there is none.
  LOUPE_DECL result<ValueView> value(const Interned* tensor, ModeStep at, std::string_view worker);
  /// The saved shape, or that of the value.
  LOUPE_DECL result<Shape> shape(const Interned* tensor, ModeStep at, std::string_view worker);
  /// A reduction by its name, saved or else computed from the value.
  LOUPE_DECL result<ReductionValue> reduction(const Interned* tensor, ModeStep at, std::string_view name, std::string_view worker);
  /// One part of a tensor at a step of a snapshot that is held meanwhile. Errors: that it can't be read.
  LOUPE_DECL result<ValueView> part(const std::shared_ptr<const Snapshot>& snapshot, const TensorStep& step, TensorStep::Found found);
  /// The reductions that were saved; none is no error.
  LOUPE_DECL result<std::vector<ReductionValue>> saved_reductions(const Interned* tensor, ModeStep at, std::string_view worker);

 private:
  struct Place {
    std::shared_ptr<const Snapshot> snapshot;
    TensorStep step;
    ModeStep asked;
  };
  result<Place> locate(const Interned* tensor, ModeStep at, std::string_view worker);
  result<DecodedValue> read_value(const Place& place);
  result<DecodedValue> read(const Place& place, TensorStep::Found found);
  result<ReductionValue> read_reduction(const Place& place, std::uint16_t part);
  Error unavailable(const Place& place) const;
  Error unreadable(const Place& place, Error error) const;

  Follower& follower_;
  EventFiles& files_;
  const ReaderQuirks& quirks_;
  ComputeStatistic compute_;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/trial/tensor_reader.ipp
#ifndef LOUPE_SINGLE_TRIAL_TENSOR_READER_IPP
#define LOUPE_SINGLE_TRIAL_TENSOR_READER_IPP

namespace loupe::inline LOUPE_ABI {
namespace detail {

/// The elements of a record, in place or taken over.
inline ValueView value_of(format::DecodedEvent event, std::shared_ptr<const void> owner) {
  if (event.values.type() != ElementType::none) return ValueView(std::move(event.values));
  return ValueView(event.view(), std::move(owner));
}

}  // namespace detail

LOUPE_DECL result<TensorReader::Place> TensorReader::locate(const Interned* tensor, ModeStep at, std::string_view worker) {
  Place place{follower_.snapshot(), {}, at};
  LOUPE_ASSIGN(std::optional<TensorStep> found, place.snapshot->locate(tensor, at, worker));
  if (!found) {
    LOUPE_ASSIGN(const StepState state, follower_.has_passed_step(at));
    Error absent{.object = tensor->name, .step = at.value, .mode = at.mode};
    if (state != StepState::available) {
      const bool may_come = state == StepState::not_yet_available;
      absent.kind = may_come ? ErrorKind::step_not_yet_available : ErrorKind::step_unavailable;
      absent.reason = may_come ? Absence::not_yet : Absence::never_saved;
      return fail(std::move(absent));
    }
    place.snapshot = follower_.snapshot();
    LOUPE_ASSIGN(found, place.snapshot->locate(tensor, at, worker));
    if (!found) {
      absent.kind = ErrorKind::tensor_unavailable_for_step;
      absent.reason = Absence::never_saved;
      return fail(std::move(absent));
    }
  }
  place.step = *found;
  return place;
}

/// Why there is no value at a place that has something else of the tensor.
LOUPE_DECL Error TensorReader::unavailable(const Place& place) const {
  Error error{.kind = ErrorKind::tensor_unavailable_for_step,
              .object = place.step.tensor->name,
              .step = place.asked.value,
              .mode = place.asked.mode,
              .reason = Absence::only_shape};
  std::string names;
  for (const std::uint16_t part : place.step.reductions())
    names.append(names.empty() ? "saved are " : ", ").append(place.snapshot->reduction(part).name.view());
  if (!names.empty()) {
    error.reason = Absence::only_reduced;
    error.has_reductions = true;
    error.detail = names;
  }
  return error;
}

/// What a failure to read means for the tensor: its file is lost, or its bytes are damaged.
LOUPE_DECL Error TensorReader::unreadable(const Place& place, Error error) const {
  const bool is_lost = error.kind == ErrorKind::not_found;
  const bool is_damaged = error.kind == ErrorKind::corrupt || error.kind == ErrorKind::limit_exceeded ||
                          error.kind == ErrorKind::unsupported || error.kind == ErrorKind::invalid_argument;
  if (!is_lost && (!is_damaged || quirks_.smdebug_values)) return error;
  return Error{.kind = ErrorKind::tensor_unavailable_for_step,
               .object = place.step.tensor->name,
               .detail = error.message(),
               .step = place.step.at.value,
               .mode = place.step.at.mode,
               .offset = error.offset,
               .reason = is_lost ? Absence::lost : Absence::corrupt};
}

LOUPE_DECL result<DecodedValue> TensorReader::read(const Place& place, TensorStep::Found found) {
  const auto decode = [&]() -> result<DecodedValue> {
    LOUPE_ASSIGN(EventPayload payload, files_.payload(*found.block, *found.entry));
    const auto offset = static_cast<std::int64_t>(payload.offset);
    if (quirks_.smdebug_values) {
      LOUPE_ASSIGN(format::SmdebugValue value, format::decode_event_as_smdebug(payload.bytes, payload.file, offset));
      return DecodedValue{detail::value_of(std::move(value.event), std::move(payload.owner)), value.has_shape};
    }
    LOUPE_ASSIGN(format::DecodedEvent event, format::decode_event(payload.bytes, payload.file, offset));
    if (!event.has_tensor()) return fail_at(ErrorKind::corrupt, payload.file, offset, "the record has no tensor");
    const auto reduction = format::split_reduction_name(event.tag);
    const std::string_view tensor = reduction ? reduction->tensor : event.tag;
    const bool is_reduction = found.entry->part != value_part;
    bool is_named = tensor == place.step.tensor->name && reduction.has_value() == is_reduction;
    if (is_named && is_reduction)
      is_named = full_reduction_name(reduction->operation, reduction->absolute) == place.snapshot->reduction(static_cast<std::uint16_t>(found.entry->part)).name;
    if (!is_named)
      return fail_at(ErrorKind::corrupt, payload.file, offset, Text::join("the record is of tensor ", event.tag));
    return DecodedValue{detail::value_of(std::move(event), std::move(payload.owner))};
  };
  result<DecodedValue> decoded = decode();
  if (!decoded) return fail(unreadable(place, std::move(decoded).error()));
  return decoded;
}

LOUPE_DECL result<DecodedValue> TensorReader::read_value(const Place& place) {
  const TensorStep::Found found = place.step.find(value_part);
  if (!found) return fail(unavailable(place));
  return read(place, found);
}

LOUPE_DECL result<ValueView> TensorReader::value(const Interned* tensor, ModeStep at, std::string_view worker) {
  LOUPE_ASSIGN(const Place place, locate(tensor, at, worker));
  LOUPE_ASSIGN(DecodedValue decoded, read_value(place));
  return std::move(decoded.value);
}

LOUPE_DECL result<ValueView> TensorReader::part(const std::shared_ptr<const Snapshot>& snapshot, const TensorStep& step,
                                                TensorStep::Found found) {
  LOUPE_ASSIGN(DecodedValue decoded, read({snapshot, step, step.at}, found));
  return std::move(decoded.value);
}

LOUPE_DECL result<Shape> TensorReader::shape(const Interned* tensor, ModeStep at, std::string_view worker) {
  LOUPE_ASSIGN(const Place place, locate(tensor, at, worker));
  if (const TensorStep::Found found = place.step.find(shape_part)) return found.block->shape(*found.entry);
  result<DecodedValue> decoded = read_value(place);
  if (!decoded) {
    Error error = std::move(decoded).error();
    if (error.kind == ErrorKind::tensor_unavailable_for_step) {
      error.kind = ErrorKind::shape_unavailable_for_step;
      error.step = at.value;
      error.mode = at.mode;
    }
    return fail(std::move(error));
  }
  if (!decoded->has_shape) return fail(ErrorKind::not_implemented, tensor->name, "the value has no shape");
  return decoded->value.shape();
}

LOUPE_DECL result<ReductionValue> TensorReader::read_reduction(const Place& place, std::uint16_t part) {
  LOUPE_ASSIGN(DecodedValue decoded, read(place, place.step.find(part)));
  ReductionValue reduction{place.snapshot->reduction(part).name, {}, std::move(decoded.value)};
  reduction.number = load_scalar(reduction.stored.view());
  if (!reduction.number.has_value() && !quirks_.smdebug_values)
    return fail(unreadable(place, {.kind = ErrorKind::corrupt, .object = reduction.name, .detail = "a reduction must be one number"}));
  return reduction;
}

LOUPE_DECL result<ReductionValue> TensorReader::reduction(const Interned* tensor, ModeStep at, std::string_view name,
                                                          std::string_view worker) {
  LOUPE_ASSIGN(const Place place, locate(tensor, at, worker));
  if (const auto part = place.snapshot->reduction_part(name); part && place.step.find(*part))
    return read_reduction(place, *part);
  const TensorStep::Found found = place.step.find(value_part);
  if (!found) {
    Error error = unavailable(place);
    if (quirks_.error_names_reduction) {
      error.object = name;
      error.has_reductions = false;
    }
    return fail(std::move(error));
  }
  const std::optional<Statistic> statistic = statistic_from_name(name);
  const bool is_known = statistic && (!quirks_.smdebug_reductions_only || smdebug_statistics.contains(*statistic));
  const auto unknown = [&] {
    return fail(ErrorKind::invalid_argument, name,
                "no such reduction; there are min max mean std variance sum prod l1 l2, each also with abs_ before it, nan_count "
                "positive_infinity_count negative_infinity_count zero_count first_non_finite");
  };
  if (!is_known && !quirks_.smdebug_reductions_only) return unknown();
  LOUPE_ASSIGN(const DecodedValue decoded, read(place, found));
  if (!is_known) return unknown();
  TensorView view = decoded.value.view();
  if (!view.has_tensor()) return fail(ErrorKind::invalid_type, tensor->name, "there is no value to reduce");
  // numpy makes a list of a bare truth value before it reduces it.
  if (!decoded.has_shape) view = TensorView(view.data, view.type, {1});
  LOUPE_ASSIGN(const Scalar number, compute_(view, *statistic));
  return ReductionValue{name, number, {}};
}

LOUPE_DECL result<std::vector<ReductionValue>> TensorReader::saved_reductions(const Interned* tensor, ModeStep at,
                                                                              std::string_view worker) {
  LOUPE_ASSIGN(const Place place, locate(tensor, at, worker));
  std::vector<ReductionValue> saved;
  for (const std::uint16_t part : place.step.reductions()) {
    LOUPE_ASSIGN(ReductionValue reduction, read_reduction(place, part));
    saved.push_back(std::move(reduction));
  }
  return saved;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_TRIAL_TENSOR_READER_IPP
#endif  // LOUPE_SINGLE_TRIAL_TENSOR_READER_HPP
// ---- loupe/trial/trial_collections.hpp
#ifndef LOUPE_SINGLE_TRIAL_TRIAL_COLLECTIONS_HPP
#define LOUPE_SINGLE_TRIAL_TRIAL_COLLECTIONS_HPP
/// @file
/// The collections of a trial, as the run's hooks exported them.

namespace loupe::inline LOUPE_ABI {

/// Collections and workers of a trial; constant once loaded, so any thread may ask.
class TrialCollections {
 public:
  /// Waits for the collections files of all workers and reads the first one that is sound. `missing_collection_files` if
  /// the run has ended without them, `timeout` at the deadline. With `strict`, a damaged file is an error.
  LOUPE_DECL static result<TrialCollections> load(const AnyStorage& storage, const WaitSettings& wait, std::int64_t deadline,
                                                  PatternCompiler engine, bool strict);

  /// In the order of the file.
  [[nodiscard]] const CollectionSet& all() const noexcept { return collections_; }
  /// Whether a tensor belongs to a collection: it is listed there, or a pattern is found in its name.
  [[nodiscard]] LOUPE_DECL bool contains(std::string_view collection, std::string_view tensor) const;
  /// Names of the workers that wrote a collections file, sorted.
  [[nodiscard]] const std::vector<Text>& workers() const noexcept { return workers_; }
  /// How many workers save, as the file says.
  [[nodiscard]] std::int64_t num_workers() const noexcept { return num_workers_; }
  /// Files and patterns that could not be used.
  [[nodiscard]] const std::vector<Error>& problems() const noexcept { return problems_; }

 private:
  CollectionSet collections_;
  std::vector<NameFilter> filters_;  ///< of the collections, in their order
  std::vector<Text> workers_;
  std::vector<Error> problems_;
  std::int64_t num_workers_ = 1;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/trial/trial_collections.ipp
#ifndef LOUPE_SINGLE_TRIAL_TRIAL_COLLECTIONS_IPP
#define LOUPE_SINGLE_TRIAL_TRIAL_COLLECTIONS_IPP

namespace loupe::inline LOUPE_ABI {
namespace detail {

/// Waits for at least `count` collections files; gives the keys in order.
inline result<std::vector<std::string>> wait_for_collections_files(const AnyStorage& storage, const WaitSettings& wait,
                                                                   std::int64_t deadline, std::size_t count) {
  std::vector<std::string> keys;
  const auto list = [&]() -> result<void> {
    keys.clear();
    return storage.list(format::collections_prefix, {}, [&](const ObjectInfo& object) {
      if (format::parse_collections_key(object.key)) keys.emplace_back(object.key);
      return true;
    });
  };
  const std::string_view prefixes[] = {format::collections_prefix, format::end_marker_key};
  const Text sought = Text::join("collections files of a trial in ", storage.name().view());
  LOUPE_TRY(poll_until(storage, prefixes, wait, deadline, sought, [&]() -> result<bool> {
    LOUPE_TRY(list());
    if (keys.size() >= count) return true;
    LOUPE_ASSIGN(const std::optional<ObjectInfo> end, find_end_marker(storage));
    if (!end) return false;
    // Whatever was written before the marker is there by now.
    LOUPE_TRY(list());
    if (keys.size() < count) return loupe::fail(Error{.kind = ErrorKind::missing_collection_files});
    return true;
  }));
  std::sort(keys.begin(), keys.end());
  return keys;
}

}  // namespace detail

LOUPE_DECL result<TrialCollections> TrialCollections::load(const AnyStorage& storage, const WaitSettings& wait, std::int64_t deadline,
                                                           PatternCompiler engine, bool strict) {
  TrialCollections loaded;
  LOUPE_ASSIGN(std::vector<std::string> keys, detail::wait_for_collections_files(storage, wait, deadline, 1));
  bool is_read = false;
  const auto read_first = [&]() -> result<void> {
    loaded.problems_.clear();
    for (const std::string& key : keys) {
      ByteBuffer text;
      result<void> outcome = storage.read(key, {}, text);
      if (outcome) {
        result<format::CollectionsFile> file = format::read_collections(text.text(), key);
        if (file) {
          loaded.collections_ = std::move(file->collections);
          loaded.num_workers_ = file->num_workers;
          is_read = true;
          return {};
        }
        outcome = unexpected<Error>(std::move(file).error());
      }
      if (strict) return outcome;
      loaded.problems_.push_back(std::move(outcome).error());
    }
    return {};
  };
  LOUPE_TRY(read_first());
  if (is_read) {
    const auto expected_files = static_cast<std::size_t>(std::max<std::int64_t>(loaded.num_workers_, 1));
    LOUPE_ASSIGN(keys, detail::wait_for_collections_files(storage, wait, deadline, expected_files));
  } else {
    loaded.num_workers_ = static_cast<std::int64_t>(keys.size());
  }
  for (const std::string& key : keys)
    if (auto worker = format::parse_collections_key(key)) loaded.workers_.emplace_back(*worker);
  std::sort(loaded.workers_.begin(), loaded.workers_.end());
  for (const Collection& collection : loaded.collections_) {
    NameFilter& filter = loaded.filters_.emplace_back(collection.include_regex, engine);
    loaded.problems_.insert(loaded.problems_.end(), filter.errors().begin(), filter.errors().end());
  }
  return loaded;
}

LOUPE_DECL bool TrialCollections::contains(std::string_view collection, std::string_view tensor) const {
  for (std::size_t number = 0; number < collections_.size(); ++number)
    if (collections_[number].name == collection)
      return collections_[number].tensor_names.contains(tensor) || filters_[number].matches(tensor);
  return false;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_TRIAL_TRIAL_COLLECTIONS_IPP
#endif  // LOUPE_SINGLE_TRIAL_TRIAL_COLLECTIONS_HPP
// ---- loupe/trial/trial_options.hpp
#ifndef LOUPE_SINGLE_TRIAL_TRIAL_OPTIONS_HPP
#define LOUPE_SINGLE_TRIAL_TRIAL_OPTIONS_HPP
/// @file
/// How a trial is opened.

namespace loupe::inline LOUPE_ABI {

/// Options of a trial. Durations are nanoseconds. Those that are not given come from smdebug's variables in
/// `environment`, else they are smdebug's defaults.
struct TrialOptions {
  /// What the trial is called; empty: the last component of its path.
  Text name = {};
  /// Index files of other global steps are not read.
  StepRange range = {};
  /// Variables of semantics.md section 16 that concern reading; the process's own by default.
  Environment environment = {};
  /// After the end marker has appeared, stragglers' files are waited for once. `SMDEBUG_TRAINING_END_DELAY_REFRESH` in
  /// seconds, default 1 s.
  std::optional<std::int64_t> end_delay = {};
  /// So many steps that lack workers are waited for; of more, the older half is taken to be complete.
  /// `SMDEBUG_INCOMPLETE_STEP_WAIT_WINDOW`, default 1000.
  std::optional<std::int64_t> incomplete_window = {};
  /// How long an event file that the index names may be missing while the run goes on.
  /// `SMDEBUG_MISSING_EVENT_FILE_RETRY_LIMIT` times 2 s, default 200 s.
  std::optional<std::int64_t> missing_event_deadline = {};
  /// How long opening waits for the run's collections files.
  std::int64_t open_deadline = 60'000'000'000;
  /// A wait looks at the storage when it changes, and at least this often: not all changes can be noticed.
  std::int64_t poll_interval = 500'000'000;
  /// A request ends every wait with `cancelled`. Must outlive the trial.
  Interrupt* interrupt = nullptr;
  /// So many event files stay mapped.
  std::size_t mapped_files = 64;
};

/// The three tunables with their values settled.
struct TrialTunables {
  std::int64_t end_delay = 0;
  std::int64_t incomplete_window = 0;
  std::int64_t missing_event_deadline = 0;
};

/// The root that a path means: without the blanks around it, `~` replaced by `HOME` of the environment.
LOUPE_DECL Text trial_root(std::string_view path, const Environment& environment);

/// Settles options against the environment; `invalid_argument` names the variable or option that can't be used.
LOUPE_DECL result<TrialTunables> settle(const TrialOptions& options);

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/trial/trial_options.ipp
#ifndef LOUPE_SINGLE_TRIAL_TRIAL_OPTIONS_IPP
#define LOUPE_SINGLE_TRIAL_TRIAL_OPTIONS_IPP

namespace loupe::inline LOUPE_ABI {
namespace detail {

inline constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

/// A given option, else a variable times `unit`, else `fallback` times `unit`.
inline result<std::int64_t> settle_one(const Environment& environment, std::string_view option, std::string_view variable,
                                       const std::optional<std::int64_t>& given, std::int64_t unit, std::int64_t fallback) {
  if (given) {
    if (*given < 0) return fail(ErrorKind::invalid_argument, option, "must not be negative");
    return *given;
  }
  const auto text = environment.get(variable);
  if (!text) return fallback * unit;
  std::string_view digits = *text;
  while (!digits.empty() && digits.front() == ' ') digits.remove_prefix(1);
  while (!digits.empty() && digits.back() == ' ') digits.remove_suffix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 0 || number > INT64_MAX / 2 / unit)
    return fail(ErrorKind::invalid_argument, variable, "must be a whole number that is not negative");
  return number * unit;
}

}  // namespace detail

LOUPE_DECL Text trial_root(std::string_view path, const Environment& environment) {
  constexpr std::string_view blanks = " \t\n\r\f\v";
  const std::size_t first = path.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  path = path.substr(first, path.find_last_not_of(blanks) - first + 1);
  if (path == "~" || path.starts_with("~/"))
    if (const auto home = environment.get("HOME")) return Text::join(*home, path.substr(1));
  return path;
}

LOUPE_DECL result<TrialTunables> settle(const TrialOptions& options) {
  LOUPE_TRY(options.range.validate());
  TrialTunables settled;
  LOUPE_ASSIGN(settled.end_delay, detail::settle_one(options.environment, "end_delay", "SMDEBUG_TRAINING_END_DELAY_REFRESH",
                                                     options.end_delay, detail::nanoseconds_per_second, 1));
  LOUPE_ASSIGN(settled.incomplete_window,
               detail::settle_one(options.environment, "incomplete_window", "SMDEBUG_INCOMPLETE_STEP_WAIT_WINDOW",
                                  options.incomplete_window, 1, 1000));
  LOUPE_ASSIGN(settled.missing_event_deadline,
               detail::settle_one(options.environment, "missing_event_deadline", "SMDEBUG_MISSING_EVENT_FILE_RETRY_LIMIT",
                                  options.missing_event_deadline, 2 * detail::nanoseconds_per_second, 100));
  if (options.open_deadline < 0) return fail(ErrorKind::invalid_argument, "open_deadline", "must not be negative");
  if (options.poll_interval <= 0) return fail(ErrorKind::invalid_argument, "poll_interval", "must be positive");
  return settled;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_TRIAL_TRIAL_OPTIONS_IPP
#endif  // LOUPE_SINGLE_TRIAL_TRIAL_OPTIONS_HPP

namespace loupe::inline LOUPE_ABI {

/// Which tensors are asked for; what is not given does not restrict. `regex` and `collection` exclude each other.
struct NameQuery {
  std::optional<ModeStep> step = {};   ///< saved at this step
  std::optional<Mode> mode = {};       ///< seen in this mode
  std::vector<Text> regex = {};        ///< any of these patterns is found in the name; Python's syntax
  std::optional<Text> collection = {}; ///< members of this collection
};

/// What a trial's policies come down to.
struct TrialParts {
  AnyStorage storage;
  std::shared_ptr<const AnyClock> clock;
  Text path;
  PatternCompiler engine = nullptr;
  ComputeStatistic compute = nullptr;
  ReduceFunction reduce = nullptr;  ///< the same of several statistics in one pass
  std::uint32_t (*required_workers)(std::uint32_t num_workers) = nullptr;
  ReaderQuirks quirks;
};

/// A trial behind its policies. Any number of threads may ask; refreshes take turns.
class TrialCore {
 public:
  /// Waits for the collections files and reads all index files once.
  LOUPE_DECL static result<std::shared_ptr<TrialCore>> open(TrialParts parts, TrialOptions options);
  TrialCore(const TrialCore&) = delete;
  TrialCore& operator=(const TrialCore&) = delete;

  [[nodiscard]] const Text& name() const noexcept { return name_; }
  [[nodiscard]] const Text& path() const noexcept { return parts_.path; }
  [[nodiscard]] Follower& follower() noexcept { return follower_; }
  [[nodiscard]] TensorReader& tensors() noexcept { return reader_; }
  [[nodiscard]] const TrialCollections& collections() const noexcept { return collections_; }
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const { return follower_.snapshot(); }
  [[nodiscard]] const ReaderQuirks& quirks() const noexcept { return parts_.quirks; }
  [[nodiscard]] const AnyStorage& storage() const noexcept { return parts_.storage; }
  [[nodiscard]] const WaitSettings& wait_settings() const noexcept { return wait_; }
  /// Statistics by the trial's strategy.
  void reduce(const TensorView& view, StatisticSet wanted, ReducedValues& out) const { parts_.reduce(view, wanted, out); }

  /// The tensor of a name, after a refresh if it isn't known; null if there is none.
  LOUPE_DECL result<const Interned*> find(std::string_view name);
  /// Names of tensors, sorted.
  LOUPE_DECL result<std::vector<std::string>> tensor_names(const NameQuery& query);
  LOUPE_DECL result<std::vector<std::int64_t>> steps(Mode mode, Steps which);
  LOUPE_DECL result<std::vector<std::int64_t>> steps(const Interned* tensor, Mode mode, Steps which);
  LOUPE_DECL result<std::vector<std::int64_t>> previous_steps(const Interned* tensor, ModeStep step, std::optional<std::size_t> count);
  LOUPE_DECL result<std::vector<std::string>> workers();
  LOUPE_DECL result<std::vector<std::string>> workers(const Interned* tensor, ModeStep at);
  LOUPE_DECL result<std::optional<ModeStep>> mode_step(std::int64_t global_step);
  LOUPE_DECL result<std::optional<std::int64_t>> global_step(ModeStep at);
  /// Values of the tensors of collection `inputs`, or of those whose names match a pattern, by the number in which
  /// their names end.
  LOUPE_DECL result<std::vector<Array>> numbered_values(NameQuery query, ModeStep at);
  /// Waits until the steps can be read, at most `timeout` nanoseconds.
  LOUPE_DECL result<void> wait_for_steps(std::span<const ModeStep> steps, std::optional<std::int64_t> timeout);
  /// Everything in the trial's files that could not be used.
  [[nodiscard]] LOUPE_DECL std::vector<Error> problems() const;

 private:
  struct Opened {
    TrialParts parts;
    Text name = {};
    TrialCollections collections = {};
    WaitSettings wait = {};
    CatalogSettings catalog = {};
    EventFiles::Settings files = {};
  };
  LOUPE_DECL explicit TrialCore(Opened opened);

  TrialParts parts_;
  Text name_;
  TrialCollections collections_;
  WaitSettings wait_;
  Follower follower_;
  EventFiles files_;
  TensorReader reader_;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/trial/trial_core.ipp
#ifndef LOUPE_SINGLE_TRIAL_TRIAL_CORE_IPP
#define LOUPE_SINGLE_TRIAL_TRIAL_CORE_IPP

namespace loupe::inline LOUPE_ABI {
namespace detail {

/// The number after the last underscore of a name, 0 if it doesn't end in one.
inline std::int64_t trailing_number(std::string_view name) noexcept {
  const std::size_t underscore = name.rfind('_');
  if (underscore == std::string_view::npos) return 0;
  const std::string_view digits = name.substr(underscore + 1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() ? number : 0;
}

inline std::vector<std::string> owned(const std::vector<std::string_view>& texts) { return {texts.begin(), texts.end()}; }

}  // namespace detail

LOUPE_DECL result<std::shared_ptr<TrialCore>> TrialCore::open(TrialParts parts, TrialOptions options) {
  LOUPE_ASSIGN(const TrialTunables tunables, settle(options));
  Opened opened{.parts = std::move(parts)};
  opened.wait = {opened.parts.clock, options.interrupt, options.poll_interval, tunables.end_delay};
  const std::int64_t deadline = detail::later(opened.wait.clock->monotonic_ns(), options.open_deadline);
  LOUPE_ASSIGN(opened.collections, TrialCollections::load(opened.parts.storage, opened.wait, deadline, opened.parts.engine,
                                                          opened.parts.quirks.damaged_file_fails_refresh));
  const std::string_view path = opened.parts.path;
  opened.name = options.name.empty() ? Text(path.substr(path.rfind('/') + 1)) : std::move(options.name);
  opened.catalog.range = options.range;
  opened.catalog.quirks = opened.parts.quirks;
  const std::int64_t num_workers = std::clamp<std::int64_t>(opened.collections.num_workers(), 0, UINT32_MAX);
  opened.catalog.required_workers = opened.parts.required_workers(static_cast<std::uint32_t>(num_workers));
  opened.catalog.incomplete_window = tunables.incomplete_window;
  if (!opened.collections.workers().empty()) opened.catalog.last_worker = opened.collections.workers().back();
  opened.files = {opened.wait, tunables.missing_event_deadline, options.mapped_files, opened.parts.quirks.constant_check_word_only};
  std::shared_ptr<TrialCore> core(new TrialCore(std::move(opened)));
  LOUPE_TRY(core->follower_.refresh());
  return core;
}

LOUPE_DECL TrialCore::TrialCore(Opened opened)
    : parts_(std::move(opened.parts)), name_(std::move(opened.name)), collections_(std::move(opened.collections)),
      wait_(opened.wait), follower_(parts_.storage, std::move(opened.catalog), opened.wait),
      files_(parts_.storage, opened.files), reader_(follower_, files_, parts_.quirks, parts_.compute) {}

LOUPE_DECL result<const Interned*> TrialCore::find(std::string_view name) {
  std::shared_ptr<const Snapshot> known = snapshot();
  const TensorRecord* record = known->tensor(name);
  if (record == nullptr) {
    LOUPE_TRY(follower_.refresh_if_due());
    known = snapshot();
    record = known->tensor(name);
  }
  return record == nullptr ? nullptr : record->tensor;
}

LOUPE_DECL result<std::vector<std::string>> TrialCore::tensor_names(const NameQuery& query) {
  LOUPE_TRY(follower_.refresh_if_due());
  const auto known = snapshot();
  const Mode mode = query.step ? query.step->mode : query.mode.value_or(Mode::global);
  std::vector<std::string_view> names;
  if (query.step) {
    const auto global_step = known->global_step(*query.step);
    if (!global_step)
      return fail(Error{.kind = parts_.quirks.unknown_mode_fails ? ErrorKind::not_found : ErrorKind::step_unavailable,
                        .object = "step",
                        .step = query.step->value,
                        .mode = mode});
    names = known->names(Step(*global_step));
  } else if (mode != Mode::global) {
    names = known->names(mode);
    if (names.empty() && parts_.quirks.unknown_mode_fails)
      return fail(ErrorKind::not_found, mode_name(mode), "the mode was never seen");
  } else {
    names = known->names();
  }
  if (!query.regex.empty() && query.collection)
    return fail(ErrorKind::invalid_argument, "regex", "names are selected by a regex or by a collection, not by both");
  if (!query.regex.empty()) {
    const NameFilter filter(query.regex, parts_.engine);
    if (!filter.errors().empty()) return unexpected<Error>(filter.errors().front());
    std::erase_if(names, [&](std::string_view name) { return !filter.matches(name); });
  }
  if (query.collection)
    std::erase_if(names, [&](std::string_view name) { return !collections_.contains(*query.collection, name); });
  return detail::owned(names);
}

LOUPE_DECL result<std::vector<std::int64_t>> TrialCore::steps(Mode mode, Steps which) {
  LOUPE_TRY(follower_.refresh_if_due());
  return snapshot()->steps(mode, which);
}

LOUPE_DECL result<std::vector<std::int64_t>> TrialCore::steps(const Interned* tensor, Mode mode, Steps which) {
  LOUPE_TRY(follower_.refresh_if_due());
  return snapshot()->steps(tensor, mode, which);
}

LOUPE_DECL result<std::vector<std::int64_t>> TrialCore::previous_steps(const Interned* tensor, ModeStep step,
                                                                       std::optional<std::size_t> count) {
  LOUPE_TRY(follower_.refresh_if_due());
  return snapshot()->previous_steps(tensor, step, count);
}

LOUPE_DECL result<std::vector<std::string>> TrialCore::workers() {
  LOUPE_TRY(follower_.refresh_if_due());
  std::vector<std::string> names;
  for (const Text& worker : collections_.workers()) names.emplace_back(worker.view());
  return names;
}

LOUPE_DECL result<std::vector<std::string>> TrialCore::workers(const Interned* tensor, ModeStep at) {
  auto names = snapshot()->workers(tensor, at);
  if (names.empty() && at.mode == Mode::global && !snapshot()->mode_step(at.value)) {
    LOUPE_TRY(follower_.refresh_if_due());
    names = snapshot()->workers(tensor, at);
  }
  if (names.empty())
    return fail(Error{.kind = ErrorKind::tensor_unavailable_for_step,
                      .object = tensor->name,
                      .step = at.value,
                      .mode = at.mode,
                      .reason = Absence::never_saved});
  return detail::owned(names);
}

LOUPE_DECL result<std::optional<ModeStep>> TrialCore::mode_step(std::int64_t global_step) {
  if (const auto found = snapshot()->mode_step(global_step)) return found;
  LOUPE_TRY(follower_.refresh_if_due());
  return snapshot()->mode_step(global_step);
}

LOUPE_DECL result<std::optional<std::int64_t>> TrialCore::global_step(ModeStep at) {
  if (const auto found = snapshot()->global_step(at)) return found;
  LOUPE_TRY(follower_.refresh_if_due());
  return snapshot()->global_step(at);
}

LOUPE_DECL result<std::vector<Array>> TrialCore::numbered_values(NameQuery query, ModeStep at) {
  query.step = at;
  LOUPE_ASSIGN(std::vector<std::string> names, tensor_names(query));
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    const std::int64_t number_a = detail::trailing_number(a);
    const std::int64_t number_b = detail::trailing_number(b);
    return number_a != number_b ? number_a < number_b : a < b;
  });
  if (parts_.quirks.inputs_by_global_step) at.mode = Mode::global;
  std::vector<Array> values;
  for (const std::string& name : names) {
    LOUPE_ASSIGN(const Interned* tensor, find(name));
    LOUPE_ASSIGN(const ValueView value, reader_.value(tensor, at, {}));
    LOUPE_ASSIGN(Array copy, value.copy());
    values.push_back(std::move(copy));
  }
  return values;
}

LOUPE_DECL result<void> TrialCore::wait_for_steps(std::span<const ModeStep> steps, std::optional<std::int64_t> timeout) {
  const std::int64_t deadline =
      timeout ? detail::later(wait_.clock->monotonic_ns(), std::max<std::int64_t>(*timeout, 0)) : INT64_MAX;
  return follower_.wait_for_steps(steps, deadline);
}

LOUPE_DECL std::vector<Error> TrialCore::problems() const {
  std::vector<Error> all = collections_.problems();
  const auto known = snapshot();
  all.insert(all.end(), known->problems().begin(), known->problems().end());
  return all;
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_TRIAL_TRIAL_CORE_IPP
#endif  // LOUPE_SINGLE_TRIAL_TRIAL_CORE_HPP

namespace loupe::inline LOUPE_ABI {

/// What of a tensor a step's reader is to read.
struct TensorRequest {
  bool any = false;          ///< else the tensor is passed over
  StatisticSet statistics;   ///< read where they were saved, else computed from the value
};

/// What one worker saved of one tensor at one step. Valid during the call that it is handed to.
struct SavedTensor {
  const Interned* tensor = nullptr;
  const Interned* worker = nullptr;
  TensorView value;                        ///< without a tensor where only reductions were saved
  const ReducedValues* reduced = nullptr;  ///< those of the requested statistics that are to be had
};

/// Reads steps of a trial. One thread at a time.
class StepReader {
 public:
  explicit StepReader(std::shared_ptr<TrialCore> trial) : trial_(std::move(trial)) {}

  /// Reads a global step of a snapshot: worker by worker, in the order of their names, and each one's tensors in the order
  /// in which it saved them. What can't be read is handed to `fault`. Of shapes nothing is shown.
  LOUPE_DECL void read(const std::shared_ptr<const Snapshot>& snapshot, const StepRecord& step,
                       FunctionRef<TensorRequest(const Interned&)> request, FunctionRef<void(const SavedTensor&)> show,
                       FunctionRef<void(const Error&)> fault);

 private:
  struct Place {
    std::uint64_t start = 0;
    const Interned* tensor = nullptr;
  };
  /// Puts the tensors of one worker's files into `order_`.
  LOUPE_DECL void sort(std::span<const std::shared_ptr<const IndexBlock>> blocks);
  LOUPE_DECL void read_tensor(const std::shared_ptr<const Snapshot>& snapshot, const TensorStep& at, const TensorRequest& request,
                              FunctionRef<void(const SavedTensor&)> show, FunctionRef<void(const Error&)> fault);

  std::shared_ptr<TrialCore> trial_;
  std::vector<Place> order_;
  ReducedValues reduced_;
  ReducedValues computed_;
};

}  // namespace loupe::inline LOUPE_ABI

// ---- loupe/trial/step_reader.ipp
#ifndef LOUPE_SINGLE_TRIAL_STEP_READER_IPP
#define LOUPE_SINGLE_TRIAL_STEP_READER_IPP

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL void StepReader::sort(std::span<const std::shared_ptr<const IndexBlock>> blocks) {
  order_.clear();
  // Several files of one worker for one step are rare; then the newest one's order comes last.
  for (const auto& block : blocks)
    for (const IndexEntry& entry : block->entries) {
      if (entry.part == shape_part) continue;
      if (!order_.empty() && order_.back().tensor == entry.tensor) order_.back().start = std::min<std::uint64_t>(order_.back().start, entry.start);
      else order_.push_back({entry.start, entry.tensor});
    }
  const auto is_before = [](const Place& a, const Place& b) {
    return std::tie(a.start, a.tensor->number) < std::tie(b.start, b.tensor->number);
  };
  if (!std::is_sorted(order_.begin(), order_.end(), is_before)) std::sort(order_.begin(), order_.end(), is_before);
  if (blocks.size() > 1)
    for (auto place = order_.begin(); place != order_.end(); ++place)
      order_.erase(std::remove_if(place + 1, order_.end(), [&](const Place& later) { return later.tensor == place->tensor; }),
                   order_.end());
}

LOUPE_DECL void StepReader::read(const std::shared_ptr<const Snapshot>& snapshot, const StepRecord& step,
                                 FunctionRef<TensorRequest(const Interned&)> request, FunctionRef<void(const SavedTensor&)> show,
                                 FunctionRef<void(const Error&)> fault) {
  const std::span blocks(step.blocks);
  for (std::size_t first = 0, last = 0; first < blocks.size(); first = last) {
    while (last < blocks.size() && blocks[last]->worker == blocks[first]->worker) ++last;
    const auto of_worker = blocks.subspan(first, last - first);
    sort(of_worker);
    for (const Place& place : order_) {
      const TensorRequest wanted = request(*place.tensor);
      if (!wanted.any) continue;
      read_tensor(snapshot, {place.tensor, {step.mode, step.mode_step}, step.step, of_worker}, wanted, show, fault);
    }
  }
}

LOUPE_DECL void StepReader::read_tensor(const std::shared_ptr<const Snapshot>& snapshot, const TensorStep& at,
                                        const TensorRequest& request, FunctionRef<void(const SavedTensor&)> show,
                                        FunctionRef<void(const Error&)> fault) {
  reduced_.clear();
  for (const Statistic statistic : request.statistics) {
    const TensorStep::Found saved = at.find(static_cast<std::uint16_t>(first_reduction_part + static_cast<std::uint16_t>(statistic)));
    if (!saved) continue;
    const result<ValueView> stored = trial_->tensors().part(snapshot, at, saved);
    if (!stored) fault(stored.error());
    else if (const Scalar number = load_scalar(stored->view()); number.has_value()) reduced_.set(statistic, number);
  }
  ValueView value;
  if (const TensorStep::Found saved = at.find(value_part)) {
    result<ValueView> stored = trial_->tensors().part(snapshot, at, saved);
    if (stored) value = *std::move(stored);
    else fault(stored.error());
  }
  if (const StatisticSet missing = request.statistics - reduced_.present; value.view().has_tensor() && !missing.empty()) {
    trial_->reduce(value.view(), missing, computed_);
    for (const Statistic statistic : computed_.present) reduced_.set(statistic, *computed_.find(statistic));
  }
  if (value.view().has_tensor() || !reduced_.present.empty()) show({at.tensor, at.blocks.front()->worker, value.view(), &reduced_});
}

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_TRIAL_STEP_READER_IPP
#endif  // LOUPE_SINGLE_TRIAL_STEP_READER_HPP
// ---- loupe/trial/tensor.hpp
#ifndef LOUPE_SINGLE_TRIAL_TENSOR_HPP
#define LOUPE_SINGLE_TRIAL_TENSOR_HPP
/// @file
/// One tensor of a trial, over all its steps.

namespace loupe::inline LOUPE_ABI {

/// A step as it is asked for: a plain number or a `Step` is a global step, a `ModeStep` counts within its mode.
struct AtStep : ModeStep {
  template <std::integral Number>
    requires(!std::same_as<Number, bool>)
  constexpr AtStep(Number global_step) noexcept : ModeStep(Mode::global, static_cast<std::int64_t>(global_step)) {}
  constexpr AtStep(Step step) noexcept : ModeStep(Mode::global, step.value) {}
  constexpr AtStep(ModeStep step) noexcept : ModeStep(step) {}
};

namespace detail {
/// Steps with the mode that they are counted in.
inline result<std::vector<ModeStep>> mode_steps(Mode mode, const result<std::vector<std::int64_t>>& steps) {
  if (!steps) return unexpected<Error>(steps.error());
  std::vector<ModeStep> found;
  found.reserve(steps->size());
  for (const std::int64_t step : *steps) found.emplace_back(mode, step);
  return found;
}
}  // namespace detail

/// A tensor of a trial. Calls give values, or `result`s, as the trial's error policy says. A worker that is not named is
/// the first one, by name, that has anything of the tensor at the step. Cheap to copy; keeps the trial's data alive; any
/// thread may use it.
template <class ErrorsType>
class Tensor {
 public:
  template <class Value>
  using Outcome = typename ErrorsType::template type<Value>;

  Tensor(std::shared_ptr<TrialCore> trial, const Interned* tensor) noexcept : trial_(std::move(trial)), tensor_(tensor) {}

  [[nodiscard]] std::string_view name() const noexcept { return tensor_->name; }
  /// What the framework calls it, known where shapes were saved.
  [[nodiscard]] std::optional<std::string> original_name() const {
    const auto known = trial_->snapshot();
    const TensorRecord* record = known->tensor(tensor_->name);
    if (record == nullptr || record->original_name == nullptr) return std::nullopt;
    return std::string(record->original_name->name.view());
  }

  /// The value, owned. Errors: `tensor_unavailable_for_step` with the reason and the reductions there are,
  /// `step_unavailable`, `step_not_yet_available`, `invalid_worker`.
  [[nodiscard]] Outcome<Array> value(AtStep step, std::string_view worker = {}) const {
    return finish<Array>([&]() -> result<Array> {
      LOUPE_ASSIGN(const ValueView seen, trial_->tensors().value(tensor_, step, worker));
      return seen.copy();
    });
  }
  /// The value with elements of `Type`, widened where a narrower type was saved; `invalid_type` where numbers might not fit.
  template <Element Type>
  [[nodiscard]] Outcome<Values<Type>> value(AtStep step, std::string_view worker = {}) const {
    return finish<Values<Type>>([&]() -> result<Values<Type>> {
      LOUPE_ASSIGN(const ValueView seen, trial_->tensors().value(tensor_, step, worker));
      return typed_copy<Type>(seen.view(), tensor_->name);
    });
  }
  /// The value where it lies, without a copy.
  [[nodiscard]] Outcome<ValueView> view(AtStep step, std::string_view worker = {}) const {
    return finish<ValueView>([&] { return trial_->tensors().value(tensor_, step, worker); });
  }
  /// The value of a tensor that holds one number; `invalid_type` otherwise.
  [[nodiscard]] Outcome<double> scalar(AtStep step, std::string_view worker = {}) const {
    return finish<double>([&]() -> result<double> {
      LOUPE_ASSIGN(const ValueView seen, trial_->tensors().value(tensor_, step, worker));
      const Scalar number = load_scalar(seen.view());
      if (!number.has_value()) return fail(ErrorKind::invalid_type, tensor_->name, "the value is not a single number");
      return number.as_double();
    });
  }
  [[nodiscard]] Outcome<Shape> shape(AtStep step, std::string_view worker = {}) const {
    return finish<Shape>([&] { return trial_->tensors().shape(tensor_, step, worker); });
  }

  /// A reduction: the saved one, else computed from the value by the trial's strategy.
  [[nodiscard]] Outcome<ReductionValue> reduction_value(AtStep step, Statistic statistic, std::string_view worker = {}) const {
    return reduction_value(step, statistic_name(statistic), worker);
  }
  /// The same by name (`min`, `abs_l2`, or that of a custom reduction).
  [[nodiscard]] Outcome<ReductionValue> reduction_value(AtStep step, std::string_view name, std::string_view worker = {}) const {
    return finish<ReductionValue>([&] { return trial_->tensors().reduction(tensor_, step, name, worker); });
  }
  /// All reductions that were saved; none is no error.
  [[nodiscard]] Outcome<std::vector<ReductionValue>> reduction_values(AtStep step, std::string_view worker = {}) const {
    return finish<std::vector<ReductionValue>>([&] { return trial_->tensors().saved_reductions(tensor_, step, worker); });
  }

  /// Values at all complete steps of a mode, with their steps; the first failure is the answer.
  [[nodiscard]] Outcome<std::vector<std::pair<ModeStep, Array>>> values(Mode mode = Mode::global, std::string_view worker = {}) const {
    return finish<std::vector<std::pair<ModeStep, Array>>>([&]() -> result<std::vector<std::pair<ModeStep, Array>>> {
      std::vector<std::pair<ModeStep, Array>> found;
      LOUPE_ASSIGN(const std::vector<std::int64_t> steps, trial_->steps(tensor_, mode, Steps::complete));
      for (const std::int64_t step : steps) {
        LOUPE_ASSIGN(const ValueView seen, trial_->tensors().value(tensor_, {mode, step}, worker));
        LOUPE_ASSIGN(Array copy, seen.copy());
        found.emplace_back(ModeStep(mode, step), std::move(copy));
      }
      return found;
    });
  }
  /// Steps of a mode at which anything of the tensor was saved, ascending.
  [[nodiscard]] Outcome<std::vector<ModeStep>> steps(Mode mode = Mode::global, Steps which = Steps::complete) const {
    return finish<std::vector<ModeStep>>([&] { return detail::mode_steps(mode, trial_->steps(tensor_, mode, which)); });
  }
  /// The last `count` of those steps that are not after `step`; all of them if no count, or 0, is given.
  [[nodiscard]] Outcome<std::vector<ModeStep>> prev_steps(AtStep step, std::size_t count = 0) const {
    return finish<std::vector<ModeStep>>([&] {
      return detail::mode_steps(step.mode, trial_->previous_steps(tensor_, step, count == 0 ? std::nullopt : std::optional(count)));
    });
  }
  /// Workers that have anything of the tensor at a step, in the order in which their files were loaded.
  [[nodiscard]] Outcome<std::vector<std::string>> workers(AtStep step) const {
    return finish<std::vector<std::string>>([&] { return trial_->workers(tensor_, step); });
  }

 private:
  template <class Value, class Question>
  Outcome<Value> finish(Question&& question) const {
    return ErrorsType::finish(result<Value>(question()));
  }

  std::shared_ptr<TrialCore> trial_;
  const Interned* tensor_;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_TRIAL_TENSOR_HPP
// ---- loupe/trial/trial.hpp
#ifndef LOUPE_SINGLE_TRIAL_TRIAL_HPP
#define LOUPE_SINGLE_TRIAL_TRIAL_HPP
/// @file
/// A trial: what a run has saved, to be asked by name and step, while the run goes on or after.

// ---- loupe/trial/trial_policies.hpp
#ifndef LOUPE_SINGLE_TRIAL_TRIAL_POLICIES_HPP
#define LOUPE_SINGLE_TRIAL_TRIAL_POLICIES_HPP
/// @file
/// The policies of a trial, and how a pack of them is sorted.

namespace loupe::inline LOUPE_ABI {

class LocalStorage;

/// When is a step complete? A policy says how many of the workers must have written it.
template <class Policy>
concept Completeness = requires(std::uint32_t num_workers) {
  { Policy::required_workers(num_workers) } -> std::same_as<std::uint32_t>;
};

/// A step is complete when all workers have written it: smdebug's rule.
struct AllWorkers {
  static std::uint32_t required_workers(std::uint32_t num_workers) noexcept { return num_workers; }
};
/// A step is complete when any worker has written it: for runs whose workers save different steps.
struct AnyWorker {
  static std::uint32_t required_workers(std::uint32_t) noexcept { return 1; }
};

/// A regex engine as a policy: `Patterns<&compile_boost_regex>`.
template <PatternCompiler engine>
struct Patterns {
  static constexpr PatternCompiler compiler = engine;
};

/// A policy that names a regex engine.
template <class Policy>
concept PatternEngine = requires {
  { Policy::compiler } -> std::convertible_to<PatternCompiler>;
};

namespace detail {

/// Which policy belongs to which slot of a trial.
struct TrialSlots {
  template <class Policy>
  struct IsStorage : std::bool_constant<loupe::Storage<Policy>> {};
  template <class Policy>
  struct IsErrors : std::bool_constant<ErrorPolicy<Policy>> {};
  template <class Policy>
  struct IsClock : std::bool_constant<loupe::Clock<Policy>> {};
  template <class Policy>
  struct IsStrategy : std::bool_constant<ReductionStrategy<Policy>> {};
  template <class Policy>
  struct IsCompatibility : std::bool_constant<compat::Compatibility<Policy>> {};
  template <class Policy>
  struct IsPatterns : std::bool_constant<PatternEngine<Policy>> {};
  template <class Policy>
  struct IsCompleteness : std::bool_constant<loupe::Completeness<Policy>> {};

  using Storage = PolicySlot<IsStorage, LocalStorage>;
  using Errors = PolicySlot<IsErrors, DefaultErrorPolicy>;
  using Clock = PolicySlot<IsClock, SystemClock>;
  using Compatibility = PolicySlot<IsCompatibility, compat::Native>;
  using Engine = PolicySlot<IsPatterns, Patterns<&compile_python_regex>>;
  using Completeness = PolicySlot<IsCompleteness, AllWorkers>;
  /// Reductions are computed as smdebug computes them where smdebug is imitated.
  template <class... Policies>
  using Strategy = PolicySlot<IsStrategy, std::conditional_t<std::same_as<policy_of<Compatibility, Policies...>, compat::Smdebug>,
                                                             NumpyDefinitions, Fused>>;
};

/// Sorts a trial's policies into their slots.
template <class... Policies>
struct TrialPolicies {
  using Strategy = TrialSlots::Strategy<Policies...>;

  static_assert(((slots_of_policy<Policies, TrialSlots::Storage, TrialSlots::Errors, TrialSlots::Clock, Strategy,
                                  TrialSlots::Compatibility, TrialSlots::Engine, TrialSlots::Completeness> == 1) && ...),
                "loupe::Trial: each policy must model exactly one of Storage, ErrorPolicy, Clock, ReductionStrategy, "
                "compat::Compatibility, PatternEngine, Completeness");
  static_assert(policies_in_slot<TrialSlots::Storage, Policies...> <= 1, "loupe::Trial: two storages were given; a trial has one");
  static_assert(policies_in_slot<TrialSlots::Errors, Policies...> <= 1, "loupe::Trial: two error policies were given; a trial has one");
  static_assert(policies_in_slot<TrialSlots::Clock, Policies...> <= 1, "loupe::Trial: two clocks were given; a trial has one");
  static_assert(policies_in_slot<Strategy, Policies...> <= 1, "loupe::Trial: two reduction strategies were given; a trial has one");
  static_assert(policies_in_slot<TrialSlots::Compatibility, Policies...> <= 1,
                "loupe::Trial: two compatibility policies were given; a trial has one");
  static_assert(policies_in_slot<TrialSlots::Engine, Policies...> <= 1, "loupe::Trial: two regex engines were given; a trial has one");
  static_assert(policies_in_slot<TrialSlots::Completeness, Policies...> <= 1,
                "loupe::Trial: two rules of completeness were given; a trial has one");

  static_assert(!policy_of<TrialSlots::Errors, Policies...>::counts, "loupe::Trial: its error policy must be Throw or Expect");

  using type = BasicTrial<policy_of<TrialSlots::Storage, Policies...>, policy_of<TrialSlots::Errors, Policies...>,
                          policy_of<TrialSlots::Clock, Policies...>, policy_of<Strategy, Policies...>,
                          policy_of<TrialSlots::Compatibility, Policies...>, policy_of<TrialSlots::Engine, Policies...>,
                          policy_of<TrialSlots::Completeness, Policies...>>;
};

}  // namespace detail

/// A trial. Policies in any order, each recognised by the concept it models: Storage (default `LocalStorage`),
/// ErrorPolicy (`Throw`; without exceptions `Expect`), Clock (`SystemClock`), ReductionStrategy for reductions that were
/// not saved (`Fused`), PatternEngine (`compile_python_regex`), Completeness (`AllWorkers`), and `compat::Smdebug`.
template <class... Policies>
using Trial = typename detail::TrialPolicies<Policies...>::type;

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_TRIAL_TRIAL_POLICIES_HPP

namespace loupe::inline LOUPE_ABI {

/// The trial of one choice of policies; name it through `Trial`.
///
/// Opening waits for the run's collections files and reads its index; queries refresh what they need (semantics.md
/// 11.2). Steps of a mode other than `Mode::global` are mode steps. Under `Expect` a trial that could not be opened
/// gives its error in every call, and `opened()` tells. Any thread may ask; refreshes take turns.
template <class StorageType, class ErrorsType, class ClockType, class StrategyType, class CompatibilityType, class PatternsType,
          class CompletenessType>
class BasicTrial {
 public:
  using Tensor = loupe::Tensor<ErrorsType>;
  template <class Value>
  using Outcome = typename ErrorsType::template type<Value>;

  /// Opens the trial at a path of the storage; blanks around it don't count.
  explicit BasicTrial(std::string_view path, TrialOptions options = {}, ClockType clock = ClockType())
      : BasicTrial(trial_root(path, options.environment), std::move(options), std::move(clock)) {}
  /// Opens the trial that fills a storage.
  explicit BasicTrial(StorageType storage, TrialOptions options = {}, ClockType clock = ClockType())
      : BasicTrial(std::move(storage), std::move(options), std::move(clock), Text()) {}

  /// Whether the trial could be opened. Under `Throw` a trial that exists always was.
  [[nodiscard]] Outcome<void> opened() const {
    return finish<void>([](TrialCore&) { return result<void>(); });
  }
  /// The last component of the path unless the options say otherwise; empty if the trial could not be opened.
  [[nodiscard]] std::string_view name() const noexcept { return core_ ? (*core_)->name().view() : std::string_view(); }
  [[nodiscard]] std::string_view path() const noexcept { return core_ ? (*core_)->path().view() : std::string_view(); }

  /// A tensor by name; `tensor_unavailable` if none of that name was ever saved.
  [[nodiscard]] Outcome<Tensor> tensor(std::string_view name) const {
    return ErrorsType::finish([&]() -> result<Tensor> {
      if (!core_) return unexpected<Error>(core_.error());
      LOUPE_ASSIGN(const Interned* found, (*core_)->find(name));
      if (found == nullptr) return fail(Error{.kind = ErrorKind::tensor_unavailable, .object = name, .reason = Absence::never_saved});
      return Tensor(*core_, found);
    }());
  }
  [[nodiscard]] Outcome<bool> has_tensor(std::string_view name) const {
    return finish<bool>([&](TrialCore& core) -> result<bool> {
      LOUPE_ASSIGN(const Interned* found, core.find(name));
      return found != nullptr;
    });
  }
  /// Names of tensors, sorted: `tensor_names({.step = ModeStep(Mode::train, 10), .regex = {"relu"}})`.
  [[nodiscard]] Outcome<std::vector<std::string>> tensor_names(const NameQuery& query = {}) const {
    return finish<std::vector<std::string>>([&](TrialCore& core) { return core.tensor_names(query); });
  }

  /// Steps of a mode, ascending.
  [[nodiscard]] Outcome<std::vector<ModeStep>> steps(Mode mode = Mode::global, Steps which = Steps::complete) const {
    return finish<std::vector<ModeStep>>([&](TrialCore& core) { return detail::mode_steps(mode, core.steps(mode, which)); });
  }
  /// The modes seen so far, never `Mode::global`. Doesn't refresh.
  [[nodiscard]] Outcome<std::vector<Mode>> modes() const {
    return finish<std::vector<Mode>>([](TrialCore& core) { return core.snapshot()->modes(); });
  }
  /// Mode and mode step of a global step, if it is known.
  [[nodiscard]] Outcome<std::optional<ModeStep>> mode_step(Step global_step) const {
    return finish<std::optional<ModeStep>>([&](TrialCore& core) { return core.mode_step(global_step.value); });
  }
  /// The global step of a mode step, if it is known.
  [[nodiscard]] Outcome<std::optional<Step>> global_step(ModeStep at) const {
    return finish<std::optional<Step>>([&](TrialCore& core) -> result<std::optional<Step>> {
      LOUPE_ASSIGN(const std::optional<std::int64_t> found, core.global_step(at));
      return found ? std::optional(Step(*found)) : std::nullopt;
    });
  }
  /// Names of the workers, from the collections files, sorted.
  [[nodiscard]] Outcome<std::vector<std::string>> workers() const {
    return finish<std::vector<std::string>>([](TrialCore& core) { return core.workers(); });
  }
  /// How many workers save, as the run says.
  [[nodiscard]] Outcome<std::int64_t> num_workers() const {
    return finish<std::int64_t>([](TrialCore& core) { return core.collections().num_workers(); });
  }
  /// Names of the workers that have written a global step so far. Doesn't refresh.
  [[nodiscard]] Outcome<std::vector<std::string>> workers(Step global_step) const {
    return finish<std::vector<std::string>>([&](TrialCore& core) {
      const auto known = core.snapshot();
      const auto names = known->workers(global_step.value);
      return std::vector<std::string>(names.begin(), names.end());
    });
  }

  /// The collections of the run. Doesn't refresh.
  [[nodiscard]] Outcome<std::vector<Collection>> collections() const {
    return finish<std::vector<Collection>>([](TrialCore& core) {
      std::vector<Collection> all;
      for (const Collection& collection : core.collections().all()) all.push_back(collection);
      return all;
    });
  }
  /// A collection by name; an empty one if the run has none of that name.
  [[nodiscard]] Outcome<Collection> collection(std::string_view name) const {
    return finish<Collection>([&](TrialCore& core) -> result<Collection> {
      const Collection* found = core.collections().all().find(name);
      return found != nullptr ? *found : Collection{.name = name};
    });
  }
  /// Values of the tensors of collection `inputs` at a step, by the number in which their names end.
  [[nodiscard]] Outcome<std::vector<Array>> inputs(AtStep step) const {
    return finish<std::vector<Array>>([&](TrialCore& core) { return core.numbered_values({.collection = "inputs"}, step); });
  }
  /// Values of the tensors that are named `label…`.
  [[nodiscard]] Outcome<std::vector<Array>> labels(AtStep step) const {
    return finish<std::vector<Array>>([&](TrialCore& core) { return core.numbered_values({.regex = {"labels*"}}, step); });
  }
  /// Values of the tensors that are named `prediction…`.
  [[nodiscard]] Outcome<std::vector<Array>> predictions(AtStep step) const {
    return finish<std::vector<Array>>([&](TrialCore& core) { return core.numbered_values({.regex = {"predictions*"}}, step); });
  }

  /// Whether a step can be read, may still come, or never will.
  [[nodiscard]] Outcome<StepState> has_passed_step(AtStep step) const {
    return finish<StepState>([&](TrialCore& core) { return core.follower().has_passed_step(step); });
  }
  /// Waits until all the steps can be read, at most `timeout` nanoseconds if one is given. `step_unavailable` or
  /// `no_more_data` if one never will; `timeout`, `cancelled`.
  Outcome<void> wait_for_steps(const std::vector<AtStep>& steps, std::optional<std::int64_t> timeout = {}) const {
    return finish<void>([&](TrialCore& core) {
      const std::vector<ModeStep> wanted(steps.begin(), steps.end());
      return core.wait_for_steps(wanted, timeout);
    });
  }
  /// Reads what is new, whether refreshing is on or off.
  Outcome<void> refresh() const {
    return finish<void>([](TrialCore& core) { return core.follower().refresh(); });
  }
  /// Until the end of the scope's life, queries answer from what is known.
  [[nodiscard]] Outcome<RefreshScope> no_refresh() const { return scope(false); }
  /// Until the end of the scope's life, queries refresh.
  [[nodiscard]] Outcome<RefreshScope> with_refresh() const { return scope(true); }

  /// Whether the run has ended and all its files were seen. Doesn't refresh; nor do the next two.
  [[nodiscard]] bool loaded_all_steps() const { return core_ && (*core_)->snapshot()->loaded_all(); }
  /// The largest global step that is known to be complete, -1 if none.
  [[nodiscard]] std::int64_t last_complete_step() const { return core_ ? (*core_)->snapshot()->last_complete_step() : -1; }
  /// The index key from which the next refresh lists; empty: from the start.
  [[nodiscard]] std::string last_index_token() const {
    return core_ ? std::string((*core_)->snapshot()->token()) : std::string();
  }
  /// What could not be used of the trial's index and collections files: one error each, with file and offset.
  [[nodiscard]] std::vector<Error> problems() const { return core_ ? (*core_)->problems() : std::vector<Error>{core_.error()}; }
  /// An immutable state of the trial, for many questions to the same moment; null if the trial could not be opened.
  [[nodiscard]] std::shared_ptr<const Snapshot> snapshot() const { return core_ ? (*core_)->snapshot() : nullptr; }

  /// The trial behind its policies, or why it could not be opened: for code that reads whole steps, as rules do.
  [[nodiscard]] const result<std::shared_ptr<TrialCore>>& core() const noexcept { return core_; }

  /// Trials are the same if name and path are.
  friend bool operator==(const BasicTrial& a, const BasicTrial& b) noexcept { return a.name() == b.name() && a.path() == b.path(); }

 private:
  BasicTrial(Text root, TrialOptions options, ClockType clock)
      : BasicTrial(StorageType(root), std::move(options), std::move(clock), root) {}
  BasicTrial(StorageType storage, TrialOptions options, ClockType clock, Text path)
      : core_(TrialCore::open(
            TrialParts{
                .storage = AnyStorage(std::move(storage)),
                .clock = std::make_shared<const AnyClock>(std::move(clock)),
                .path = std::move(path),
                .engine = PatternsType::compiler,
                .compute = [](const TensorView& view, Statistic statistic) -> result<Scalar> {
                  if (!StatisticSet(StrategyType::provides).contains(statistic))
                    return fail(ErrorKind::unsupported, statistic_name(statistic), "the trial's reduction strategy doesn't give it");
                  return StrategyType::value(StrategyType::partials(view, statistic), statistic);
                },
                .reduce = &reduce_tensor<StrategyType>,
                .required_workers = &CompletenessType::required_workers,
                .quirks = reader_quirks<CompatibilityType>,
            },
            std::move(options))) {
    if constexpr (!std::is_same_v<Outcome<void>, result<void>>)
      if (!core_) ErrorsType::finish(result<void>(unexpected<Error>(core_.error())));
  }
  template <class Value, class Question>
  Outcome<Value> finish(Question&& question) const {
    if (!core_) return ErrorsType::finish(result<Value>(unexpected<Error>(core_.error())));
    return ErrorsType::finish(result<Value>(question(**core_)));
  }
  Outcome<RefreshScope> scope(bool on) const {
    return finish<RefreshScope>([&](TrialCore& core) { return RefreshScope(core.follower(), on); });
  }

  result<std::shared_ptr<TrialCore>> core_;
};

}  // namespace loupe::inline LOUPE_ABI
#endif  // LOUPE_SINGLE_TRIAL_TRIAL_HPP
// ---- loupe/rules/builtin/all_zero.hpp
#ifndef LOUPE_SINGLE_RULES_BUILTIN_ALL_ZERO_HPP
#define LOUPE_SINGLE_RULES_BUILTIN_ALL_ZERO_HPP
/// @file
/// AllZero: a tensor wholly or mostly zero (rules.md 5.8).

// ---- loupe/rules/builtin/tensor_choice.hpp
#ifndef LOUPE_SINGLE_RULES_BUILTIN_TENSOR_CHOICE_HPP
#define LOUPE_SINGLE_RULES_BUILTIN_TENSOR_CHOICE_HPP
/// @file
/// The parameters by which many rules choose their tensors (rules.md section 3).

// ---- loupe/rules/parameters.hpp
#ifndef LOUPE_SINGLE_RULES_PARAMETERS_HPP
#define LOUPE_SINGLE_RULES_PARAMETERS_HPP
/// @file
/// Parameters of rules: one description of each rule's, from which follow how they are read from strings, checked and
/// printed (rules.md section 3).

namespace loupe::inline LOUPE_ABI::rules {

/// Which numbers a parameter may have; never NaN or infinite.
struct NumberRange {
  double low = -std::numeric_limits<double>::max();
  double high = std::numeric_limits<double>::max();
  bool is_low_open = false;   ///< `low` itself is not allowed
  bool is_high_open = false;
  [[nodiscard]] constexpr bool contains(double number) const noexcept {
    return (is_low_open ? number > low : number >= low) && (is_high_open ? number < high : number <= high);
  }
};
constexpr NumberRange any_number() noexcept { return {}; }
constexpr NumberRange at_least(double low) noexcept { return {.low = low}; }
constexpr NumberRange above(double low) noexcept { return {.low = low, .is_low_open = true}; }
constexpr NumberRange between(double low, double high) noexcept { return {.low = low, .high = high}; }
/// Neither end itself.
constexpr NumberRange strictly_between(double low, double high) noexcept {
  return {.low = low, .high = high, .is_low_open = true, .is_high_open = true};
}

/// Visits the parameters of a rule. A rule describes them once:
///
/// ```cpp
/// void visit(ParameterVisitor& visitor) {
///   visitor.number("threshold", threshold, at_least(0));
///   visitor.flag("only_nan", only_nan);
/// }
/// ```
/// Integers have `low` and `high` as their ends, whole numbers both.
class ParameterVisitor {
 public:
  virtual ~ParameterVisitor() = default;
  virtual void number(std::string_view name, double& value, NumberRange range) = 0;
  virtual void number(std::string_view name, std::optional<double>& value, NumberRange range) = 0;
  virtual void integer(std::string_view name, std::int64_t& value, NumberRange range) = 0;
  virtual void integer(std::string_view name, std::optional<std::int64_t>& value, NumberRange range) = 0;
  virtual void flag(std::string_view name, bool& value) = 0;
  virtual void text(std::string_view name, Text& value) = 0;
  virtual void list(std::string_view name, std::vector<Text>& value) = 0;
  virtual void numbers(std::string_view name, std::vector<double>& value, NumberRange range) = 0;
  /// One of some words.
  virtual void word(std::string_view name, Text& value, std::span<const std::string_view> allowed) = 0;
};

/// A parameter as the service sends it.
struct NamedParameter {
  Text name;
  Text value;
};

/// Something whose parameters can be visited.
template <class Parameters>
concept VisitableParameters = requires(Parameters& parameters, ParameterVisitor& visitor) { parameters.visit(visitor); };

namespace detail {
/// The visits, for parameters of any type: a call of their `visit`.
using VisitParameters = FunctionRef<void(ParameterVisitor&)>;
LOUPE_DECL result<void> read_parameters(std::string_view rule, std::span<const NamedParameter> given, VisitParameters visit);
LOUPE_DECL result<void> check_parameters(std::string_view rule, VisitParameters visit);
LOUPE_DECL Text parameters_text(VisitParameters visit);
}  // namespace detail

/// Reads parameters from strings, strictly: `invalid_argument`, naming rule, parameter and what is allowed, for a name
/// that is unknown (with the nearest known one) or given twice, and for a value that doesn't parse or is out of range.
template <VisitableParameters Parameters>
result<void> read_parameters(std::string_view rule, std::span<const NamedParameter> given, Parameters& parameters) {
  return detail::read_parameters(rule, given, [&](ParameterVisitor& visitor) { parameters.visit(visitor); });
}
/// Checks the ranges of parameters that were given in code.
template <VisitableParameters Parameters>
result<void> check_parameters(std::string_view rule, Parameters parameters) {
  return detail::check_parameters(rule, [&](ParameterVisitor& visitor) { parameters.visit(visitor); });
}
/// `name:value`, one a line, as smdebug's reports have them; what is not given is left out.
template <VisitableParameters Parameters>
Text parameters_text(Parameters parameters) {
  return detail::parameters_text([&](ParameterVisitor& visitor) { parameters.visit(visitor); });
}

/// The nearest of some names, by Levenshtein's distance; empty if none is near enough to be meant.
LOUPE_DECL std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

/// Splits a list: a JSON array of strings or numbers, or text at commas that are not inside brackets of any kind, blanks
/// around the parts taken away. Empty text is an empty list.
LOUPE_DECL result<std::vector<Text>> split_list(std::string_view text);

}  // namespace loupe::inline LOUPE_ABI::rules

// ---- loupe/rules/parameters.ipp
#ifndef LOUPE_SINGLE_RULES_PARAMETERS_IPP
#define LOUPE_SINGLE_RULES_PARAMETERS_IPP

namespace loupe::inline LOUPE_ABI::rules {

namespace detail {

inline std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

inline Text number_text(double number) {
  ByteBuffer digits;
  wire::append_json_number(digits, number);
  return std::as_const(digits).text();
}

/// The shortest text that reads back as the number, whole numbers without a point.
inline Text plain_number(double number) {
  if (number == std::trunc(number) && std::abs(number) < 1e15) return to_text(static_cast<long long>(number));
  return number_text(number);
}

/// `at least 0`, `above 0`, `0 to 100`.
inline Text range_text(const NumberRange& range) {
  const bool has_low = range.low > -std::numeric_limits<double>::max();
  const bool has_high = range.high < std::numeric_limits<double>::max();
  if (has_low && has_high) {
    const std::string_view ends = range.is_low_open || range.is_high_open ? ", ends excluded" : "";
    return Text::join(plain_number(range.low).view(), " to ", plain_number(range.high).view(), ends);
  }
  if (has_low) return Text::join(range.is_low_open ? "above " : "at least ", plain_number(range.low).view());
  if (has_high) return Text::join(range.is_high_open ? "below " : "at most ", plain_number(range.high).view());
  return "any number";
}

inline Text joined(std::span<const std::string_view> words) {
  Text all;
  for (const std::string_view word : words) all = all.empty() ? Text(word) : Text::join(all.view(), ", ", word);
  return all;
}

inline std::optional<double> parse_number(std::string_view text) noexcept {
  text = trimmed(text);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(number)) return std::nullopt;
  return number;
}

/// Visits parameters until the first error, which names rule and parameter.
class FirstError : public ParameterVisitor {
 public:
  explicit FirstError(std::string_view rule) noexcept : rule_(rule) {}
  [[nodiscard]] result<void> outcome() { return std::move(outcome_); }

 protected:
  void refuse(std::string_view name, std::string_view value, std::string_view allowed) {
    if (!outcome_) return;
    outcome_ = fail(ErrorKind::invalid_argument, Text::join(rule_, ": ", name),
                    Text::join("'", value, "' was given; allowed is ", allowed));
  }
  void check(std::string_view name, double value, NumberRange range) {
    if (!range.contains(value)) refuse(name, number_text(value), range_text(range));
  }
  std::string_view rule_;
  result<void> outcome_;
};

/// Checks values that are there.
class ParameterChecker final : public FirstError {
 public:
  using FirstError::FirstError;
  void number(std::string_view name, double& value, NumberRange range) override { check(name, value, range); }
  void number(std::string_view name, std::optional<double>& value, NumberRange range) override {
    if (value) check(name, *value, range);
  }
  void integer(std::string_view name, std::int64_t& value, NumberRange range) override {
    check(name, static_cast<double>(value), range);
  }
  void integer(std::string_view name, std::optional<std::int64_t>& value, NumberRange range) override {
    if (value) check(name, static_cast<double>(*value), range);
  }
  void flag(std::string_view, bool&) override {}
  void text(std::string_view, Text&) override {}
  void list(std::string_view, std::vector<Text>&) override {}
  void numbers(std::string_view name, std::vector<double>& value, NumberRange range) override {
    for (const double number : value) check(name, number, range);
  }
  void word(std::string_view name, Text& value, std::span<const std::string_view> allowed) override {
    if (std::find(allowed.begin(), allowed.end(), value.view()) == allowed.end()) refuse(name, value, joined(allowed));
  }
};

/// Sets values from strings.
class ParameterParser final : public FirstError {
 public:
  ParameterParser(std::string_view rule, std::span<const NamedParameter> given) : FirstError(rule), given_(given) {}

  void number(std::string_view name, double& value, NumberRange range) override {
    if (const auto text = take(name)) parse(name, *text, value, range);
  }
  void number(std::string_view name, std::optional<double>& value, NumberRange range) override {
    if (const auto text = take(name); text && !is_none(*text)) parse(name, *text, value.emplace(), range);
  }
  void integer(std::string_view name, std::int64_t& value, NumberRange range) override {
    if (const auto text = take(name)) parse_whole(name, *text, value, range);
  }
  void integer(std::string_view name, std::optional<std::int64_t>& value, NumberRange range) override {
    if (const auto text = take(name); text && !is_none(*text)) parse_whole(name, *text, value.emplace(), range);
  }
  void flag(std::string_view name, bool& value) override {
    const auto text = take(name);
    if (!text) return;
    const std::string_view word = trimmed(*text);
    if (word == "True" || word == "true") value = true;
    else if (word == "False" || word == "false") value = false;
    else refuse(name, *text, "True, true, False, false");
  }
  void text(std::string_view name, Text& value) override {
    if (const auto text = take(name); text && !trimmed(*text).empty()) value = trimmed(*text);
  }
  void list(std::string_view name, std::vector<Text>& value) override {
    const auto text = take(name);
    if (!text || trimmed(*text).empty()) return;
    if (auto parts = split_list(*text)) value = *std::move(parts);
    else refuse(name, *text, "a JSON array of strings, or text with commas between");
  }
  void numbers(std::string_view name, std::vector<double>& value, NumberRange range) override {
    std::vector<Text> parts;
    list(name, parts);
    if (parts.empty()) return;
    value.clear();
    for (const Text& part : parts) parse(name, part, value.emplace_back(), range);
  }
  void word(std::string_view name, Text& value, std::span<const std::string_view> allowed) override {
    const auto text = take(name);
    if (!text) return;
    value = trimmed(*text);
    if (std::find(allowed.begin(), allowed.end(), value.view()) == allowed.end()) refuse(name, *text, joined(allowed));
  }

  /// The outcome of all visits; refuses what nobody has asked for.
  [[nodiscard]] result<void> finish() {
    if (!outcome_) return outcome();
    for (const NamedParameter& parameter : given_) {
      if (std::find(known_.begin(), known_.end(), parameter.name.view()) != known_.end()) continue;
      const std::string_view nearest = nearest_name(parameter.name, known_);
      return fail(ErrorKind::invalid_argument, Text::join(rule_, ": ", parameter.name.view()),
                  Text::join("there is no such parameter; there are: ", joined(known_).view(),
                             nearest.empty() ? "" : "; did you mean ", nearest, nearest.empty() ? "" : "?"));
    }
    return {};
  }

 private:
  std::optional<std::string_view> take(std::string_view name) {
    known_.push_back(name);
    std::optional<std::string_view> found;
    for (const NamedParameter& parameter : given_) {
      if (parameter.name != name) continue;
      if (found && outcome_)
        outcome_ = fail(ErrorKind::invalid_argument, Text::join(rule_, ": ", name), "the parameter is given twice");
      found = parameter.value;
    }
    return found;
  }
  static bool is_none(std::string_view text) noexcept { return trimmed(text).empty() || trimmed(text) == "None"; }
  void parse(std::string_view name, std::string_view text, double& value, NumberRange range) {
    const auto number = parse_number(text);
    if (!number || !range.contains(*number)) return refuse(name, text, Text::join("a number, ", range_text(range).view()));
    value = *number;
  }
  void parse_whole(std::string_view name, std::string_view text, std::int64_t& value, NumberRange range) {
    const auto number = parse_number(text);
    if (!number || !range.contains(*number) || *number != std::trunc(*number) || std::abs(*number) > 9e15)
      return refuse(name, text, Text::join("a whole number, ", range_text(range).view()));
    value = static_cast<std::int64_t>(*number);
  }

  std::span<const NamedParameter> given_;
  std::vector<std::string_view> known_;
};

class ParameterPrinter final : public ParameterVisitor {
 public:
  void number(std::string_view name, double& value, NumberRange) override { line(name, number_text(value)); }
  void number(std::string_view name, std::optional<double>& value, NumberRange range) override {
    if (value) number(name, *value, range);
  }
  void integer(std::string_view name, std::int64_t& value, NumberRange) override { line(name, to_text(value)); }
  void integer(std::string_view name, std::optional<std::int64_t>& value, NumberRange range) override {
    if (value) integer(name, *value, range);
  }
  void flag(std::string_view name, bool& value) override { line(name, value ? "True" : "False"); }
  void text(std::string_view name, Text& value) override {
    if (!value.empty()) line(name, value);
  }
  void list(std::string_view name, std::vector<Text>& value) override {
    const std::vector<std::string_view> parts(value.begin(), value.end());
    if (!parts.empty()) line(name, joined(parts));
  }
  void numbers(std::string_view name, std::vector<double>& value, NumberRange) override {
    std::vector<Text> parts;
    for (const double number : value) parts.push_back(plain_number(number));
    list(name, parts);
  }
  void word(std::string_view name, Text& value, std::span<const std::string_view>) override { line(name, value); }
  [[nodiscard]] Text take() { return std::move(lines_); }

 private:
  void line(std::string_view name, std::string_view value) { lines_ = Text::join(lines_.view(), name, ":", value, "\n"); }
  Text lines_;
};

LOUPE_DECL result<void> read_parameters(std::string_view rule, std::span<const NamedParameter> given, VisitParameters visit) {
  ParameterParser parser(rule, given);
  visit(parser);
  return parser.finish();
}

LOUPE_DECL result<void> check_parameters(std::string_view rule, VisitParameters visit) {
  ParameterChecker checker(rule);
  visit(checker);
  return checker.outcome();
}

LOUPE_DECL Text parameters_text(VisitParameters visit) {
  ParameterPrinter printer;
  visit(printer);
  return printer.take();
}

/// The parts of a JSON array of strings and numbers.
inline result<std::vector<Text>> json_list(std::string_view text) {
  wire::JsonReader json(text, "list");
  std::string scratch;
  std::vector<Text> parts;
  LOUPE_TRY(json.begin_array());
  while (true) {
    LOUPE_ASSIGN(const bool has_more, json.next_element());
    if (!has_more) break;
    LOUPE_ASSIGN(const wire::JsonType type, json.peek());
    if (type == wire::JsonType::number) {
      LOUPE_ASSIGN(const double number, json.read_double());
      parts.push_back(number_text(number));
    } else {
      LOUPE_ASSIGN(const std::string_view part, json.read_string(scratch));
      parts.emplace_back(part);
    }
  }
  LOUPE_TRY(json.finish());
  return parts;
}

}  // namespace detail

LOUPE_DECL std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known) {
  std::string_view nearest;
  std::size_t best = name.size() / 2 + 1;
  std::vector<std::size_t> row;
  for (const std::string_view candidate : known) {
    row.resize(candidate.size() + 1);
    for (std::size_t column = 0; column <= candidate.size(); ++column) row[column] = column;
    for (std::size_t line = 0; line < name.size(); ++line) {
      std::size_t diagonal = std::exchange(row[0], line + 1);
      for (std::size_t column = 0; column < candidate.size(); ++column) {
        const std::size_t replaced = diagonal + (name[line] == candidate[column] ? 0 : 1);
        diagonal = row[column + 1];
        row[column + 1] = std::min({replaced, row[column] + 1, diagonal + 1});
      }
    }
    if (row.back() < best) {
      best = row.back();
      nearest = candidate;
    }
  }
  return nearest;
}

LOUPE_DECL result<std::vector<Text>> split_list(std::string_view text) {
  text = detail::trimmed(text);
  if (text.starts_with('[') && text.ends_with(']'))
    if (auto parts = detail::json_list(text)) return parts;  // a pattern may begin and end so too
  std::vector<Text> parts;
  std::size_t begin = 0;
  int depth = 0;
  const auto add = [&](std::size_t end) {
    const std::string_view part = detail::trimmed(text.substr(begin, end - begin));
    if (!part.empty()) parts.emplace_back(part);
    begin = end + 1;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char character = text[at];
    if (character == '\\') ++at;
    else if (character == '(' || character == '[' || character == '{') ++depth;
    else if (character == ')' || character == ']' || character == '}') --depth;
    else if (character == ',' && depth <= 0) add(at);
  }
  if (begin <= text.size()) add(text.size());
  return parts;
}

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_PARAMETERS_IPP
#endif  // LOUPE_SINGLE_RULES_PARAMETERS_HPP
// ---- loupe/rules/tensors.hpp
#ifndef LOUPE_SINGLE_RULES_TENSORS_HPP
#define LOUPE_SINGLE_RULES_TENSORS_HPP
/// @file
/// Which tensors a rule looks at.

// ---- loupe/rules/evidence.hpp
#ifndef LOUPE_SINGLE_RULES_EVIDENCE_HPP
#define LOUPE_SINGLE_RULES_EVIDENCE_HPP
/// @file
/// What a rule may ask: a tensor of a step as one worker saved it. The hook shows it while the tensor is at hand, a trial
/// after reading it; a rule can't tell which.

namespace loupe::inline LOUPE_ABI::rules {

/// A step under judgement.
struct StepPlace {
  Step step;     ///< the global one
  ModeStep mode; ///< its mode, and its number within that
  friend bool operator==(const StepPlace&, const StepPlace&) = default;
};

/// Which tensors a collection has, by the hook or the trial that is judged.
class Directory {
 public:
  virtual ~Directory() = default;
  /// Whether a tensor belongs to a collection; to none that doesn't exist.
  [[nodiscard]] virtual bool contains(std::string_view collection, std::string_view tensor) const = 0;
};

/// A tensor by name. The number stands for the name as long as one judge judges: names count from 0.
struct TensorName {
  std::string_view name;
  std::uint32_t number = 0;
};

/// What a rule needs of a tensor.
struct Wanted {
  bool any = false;              ///< it looks at the tensor at all
  bool raw = false;              ///< it needs the elements
  StatisticSet statistics = {};  ///< it takes these, computed or as they were saved

  constexpr Wanted& operator|=(const Wanted& other) noexcept {
    any |= other.any;
    raw |= other.raw;
    statistics |= other.statistics;
    return *this;
  }
  friend constexpr bool operator==(const Wanted&, const Wanted&) = default;
};

/// The elements of a tensor.
constexpr Wanted wants_elements() noexcept { return {.any = true, .raw = true}; }
/// Statistics of a tensor.
constexpr Wanted wants_statistics(StatisticSet statistics) noexcept { return {.any = true, .statistics = statistics}; }

/// What one worker saved of one tensor at one step. Valid during the call that it is handed to.
struct Evidence {
  TensorName tensor;
  std::string_view worker;
  StepPlace at;
  TensorView value;                           ///< without a tensor where only reductions were saved
  const ReducedValues* reduced = nullptr;     ///< those that were wanted and are to be had; may be null

  [[nodiscard]] bool has_value() const noexcept { return value.has_tensor(); }
  /// A statistic as a number; nothing where there is none.
  [[nodiscard]] std::optional<double> statistic(Statistic statistic) const noexcept {
    const Scalar* found = reduced != nullptr ? reduced->find(statistic) : nullptr;
    return found != nullptr && found->has_value() ? std::optional(found->as_double()) : std::nullopt;
  }
};

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_EVIDENCE_HPP

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

// ---- loupe/rules/tensors.ipp
#ifndef LOUPE_SINGLE_RULES_TENSORS_IPP
#define LOUPE_SINGLE_RULES_TENSORS_IPP

namespace loupe::inline LOUPE_ABI::rules {

LOUPE_DECL Tensors::Tensors(std::vector<Text> collections, std::vector<Text> patterns)
    : collections_(std::move(collections)), patterns_(std::move(patterns)), filter_(patterns_) {}

LOUPE_DECL bool Tensors::decide(const TensorName& tensor, const Directory& directory) {
  if (tensor.number >= decided_.size()) decided_.resize(std::size_t{tensor.number} + 1, Decision::open);
  Decision& decision = decided_[tensor.number];
  if (decision == Decision::open) {
    bool is_in = selects_all() || filter_.matches(tensor.name);
    for (std::size_t index = 0; !is_in && index < collections_.size(); ++index)
      is_in = directory.contains(collections_[index], tensor.name);
    decision = is_in ? Decision::in : Decision::out;
  }
  return decision == Decision::in;
}

LOUPE_DECL result<void> Tensors::check() const {
  if (!filter_.errors().empty()) return fail(filter_.errors().front());
  return {};
}

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_TENSORS_IPP
#endif  // LOUPE_SINGLE_RULES_TENSORS_HPP

namespace loupe::inline LOUPE_ABI::rules {

/// Tensors by collection and by pattern: the union of both.
struct TensorChoice {
  std::vector<Text> collection_names = {};
  std::vector<Text> tensor_regex = {};

  void visit(ParameterVisitor& visitor) {
    visitor.list("collection_names", collection_names);
    visitor.list("tensor_regex", tensor_regex);
  }
  [[nodiscard]] bool empty() const noexcept { return collection_names.empty() && tensor_regex.empty(); }
  [[nodiscard]] Tensors tensors() const { return Tensors(collection_names, tensor_regex); }
};

namespace detail {
/// For rules that don't look at all tensors if none are chosen.
inline unexpected<Error> nothing_chosen(std::string_view rule) {
  return fail(ErrorKind::insufficient_information_for_rule_invocation, rule,
              "one of collection_names and tensor_regex must be given");
}
}  // namespace detail

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_BUILTIN_TENSOR_CHOICE_HPP
// ---- loupe/rules/builtin/tensor_rule.hpp
#ifndef LOUPE_SINGLE_RULES_BUILTIN_TENSOR_RULE_HPP
#define LOUPE_SINGLE_RULES_BUILTIN_TENSOR_RULE_HPP
/// @file
/// The part that rules have in common which judge each tensor by itself.

// ---- loupe/rules/rule.hpp
#ifndef LOUPE_SINGLE_RULES_RULE_HPP
#define LOUPE_SINGLE_RULES_RULE_HPP
/// @file
/// What a rule is, and a rule of any type.

// ---- loupe/rules/findings.hpp
#ifndef LOUPE_SINGLE_RULES_FINDINGS_HPP
#define LOUPE_SINGLE_RULES_FINDINGS_HPP
/// @file
/// What a rule found in a step.

namespace loupe::inline LOUPE_ABI::rules {

/// One thing that is wrong.
struct Violation {
  Text tensor;                              ///< empty where no single tensor is to blame
  Text worker;
  std::optional<std::int64_t> element = {}; ///< flat index of the first element that is wrong
  double value = 0;                         ///< what was measured
  double threshold = 0;                     ///< what it was held against
  Text reason;                              ///< a clause for a person: `mean of absolute values is below the threshold`
};

/// The most violations of a step that are kept in words; all are counted.
inline constexpr std::size_t max_violations = 100;

/// Collects what one rule finds in one step, and counts what it looked at. One thread at a time.
class Findings {
 public:
  /// Notes that a value was looked at.
  void count_datapoint() noexcept { ++datapoints_; }
  /// Adds a violation by a tensor.
  void add(const Evidence& by, double value, double threshold, std::string_view reason,
           std::optional<std::int64_t> element = {}) {
    if (++total_ > max_violations) return;
    violations_.push_back({by.tensor.name, by.worker, element, value, threshold, reason});
  }
  /// Adds a violation that isn't one tensor's, or one whose tensor is gone by now.
  void add(Violation violation) {
    if (++total_ <= max_violations) violations_.push_back(std::move(violation));
  }
  /// Tells the user, once for each tensor and sentence, why something wasn't judged. `sentence` is a literal.
  void warn(std::string_view tensor, std::string_view sentence) {
    if (warned_.size() >= max_warnings || !warned_.emplace(Text(tensor), sentence).second) return;
    warnings_.push_back(Text::join(tensor, ": ", sentence));
  }

  [[nodiscard]] std::span<const Violation> violations() const noexcept { return violations_; }
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
  /// Values looked at in all steps.
  [[nodiscard]] std::uint64_t datapoints() const noexcept { return datapoints_; }
  /// Warnings of all steps.
  [[nodiscard]] std::span<const Text> warnings() const noexcept { return warnings_; }

  /// Forgets the violations of the last step; what is counted over all steps stays.
  void begin_step() noexcept {
    violations_.clear();
    total_ = 0;
  }
  /// Hands the violations of this step over.
  [[nodiscard]] std::vector<Violation> take() noexcept { return std::exchange(violations_, {}); }

 private:
  static constexpr std::size_t max_warnings = 1000;
  std::vector<Violation> violations_;
  std::vector<Text> warnings_;
  std::set<std::pair<Text, std::string_view>> warned_;
  std::uint64_t total_ = 0;
  std::uint64_t datapoints_ = 0;
};

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_FINDINGS_HPP
// ---- loupe/rules/outcome.hpp
#ifndef LOUPE_SINGLE_RULES_OUTCOME_HPP
#define LOUPE_SINGLE_RULES_OUTCOME_HPP
/// @file
/// What a rule says of a step: three values, because "nothing was looked at" is not "no issue".

namespace loupe::inline LOUPE_ABI::rules {

/// What a rule, or a part of one, says of a step.
enum class Outcome : std::uint8_t {
  no_data,  ///< nothing that it looks at was there
  clear,    ///< there is no issue
  fired,    ///< its condition is met
};

/// Kleene's `and`: clear if either is, fired if both are.
constexpr Outcome both(Outcome one, Outcome other) noexcept {
  if (one == Outcome::clear || other == Outcome::clear) return Outcome::clear;
  return one == Outcome::fired && other == Outcome::fired ? Outcome::fired : Outcome::no_data;
}

/// Kleene's `or`: fired if either is, clear if both are.
constexpr Outcome either(Outcome one, Outcome other) noexcept {
  if (one == Outcome::fired || other == Outcome::fired) return Outcome::fired;
  return one == Outcome::clear && other == Outcome::clear ? Outcome::clear : Outcome::no_data;
}

/// Kleene's `not`: nothing known stays nothing known.
constexpr Outcome negated(Outcome of) noexcept {
  return of == Outcome::fired ? Outcome::clear : of == Outcome::clear ? Outcome::fired : Outcome::no_data;
}

/// Whether a condition that could be judged is met.
constexpr Outcome outcome_of(bool is_met) noexcept { return is_met ? Outcome::fired : Outcome::clear; }

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_OUTCOME_HPP

namespace loupe::inline LOUPE_ABI::rules {

/// A condition on steps. It is shown the tensors of one step after the other, in the order in which the step saved them,
/// and then says what it makes of the step:
///
/// - `wants(tensor, directory) -> Wanted`: asked once for each tensor name, before the first `look` at it;
/// - `look(evidence, findings)`: for each tensor that it wants, once for each worker that saved it;
/// - `conclude(at, findings) -> Outcome`: at the end of the step.
///
/// It may keep what it needs of earlier steps in itself; a copy of a rule that hasn't looked at anything starts afresh.
/// Optional: `name`, a static constant; `visit(ParameterVisitor&)`, its parameters; `check() -> result<void>`, whether
/// they go together; `has_ended() -> bool`, whether it will look at no further step; `idle(monotonic_ns, findings) ->
/// Outcome`, called while nothing new comes.
template <class Type>
concept RulePredicate = std::copy_constructible<Type> &&
                        requires(Type& rule, const TensorName& tensor, const Directory& directory, const Evidence& evidence,
                                 const StepPlace& at, Findings& findings) {
                          { rule.wants(tensor, directory) } -> std::same_as<Wanted>;
                          { rule.look(evidence, findings) } -> std::same_as<void>;
                          { rule.conclude(at, findings) } -> std::same_as<Outcome>;
                        };

/// A rule of any type, with its name. A copy has the same parameters and, if the original hasn't looked at a step yet, is
/// as good as new. One thread at a time.
class Rule {
 public:
  /// A rule that has a name of its own.
  template <class Type>
    requires(!std::same_as<std::remove_cvref_t<Type>, Rule> && requires { std::string_view(std::remove_cvref_t<Type>::name); })
  Rule(Type&& rule) : Rule(std::remove_cvref_t<Type>::name, std::forward<Type>(rule)) {}
  /// A rule under a name, by which firings are reported.
  template <class Type>
  Rule(std::string_view name, Type&& rule)
      : name_(name), model_(new Model<std::remove_cvref_t<Type>>(std::forward<Type>(rule))) {
    static_assert(RulePredicate<std::remove_cvref_t<Type>>,
                  "loupe::rules::Rule: the type must model loupe::rules::RulePredicate: copyable, with wants(tensor, directory) "
                  "-> Wanted, look(evidence, findings) and conclude(at, findings) -> Outcome; see loupe/rules/rule.hpp");
  }
  Rule(const Rule& other) : name_(other.name_), model_(other.model_->clone()) {}
  Rule(Rule&&) noexcept = default;
  Rule& operator=(Rule other) noexcept {
    name_ = std::move(other.name_);
    model_ = std::move(other.model_);
    return *this;
  }

  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  /// Whether the parameters are in range and go together.
  [[nodiscard]] result<void> check() const { return model_->check(name_); }
  /// `name:value`, one a line.
  [[nodiscard]] Text parameters() const { return model_->parameters(); }
  Wanted wants(const TensorName& tensor, const Directory& directory) { return model_->wants(tensor, directory); }
  void look(const Evidence& evidence, Findings& findings) { model_->look(evidence, findings); }
  Outcome conclude(const StepPlace& at, Findings& findings) { return model_->conclude(at, findings); }
  [[nodiscard]] bool has_ended() const noexcept { return model_->has_ended(); }
  Outcome idle(std::int64_t monotonic_ns, Findings& findings) { return model_->idle(monotonic_ns, findings); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual Base* clone() const = 0;
    virtual result<void> check(std::string_view name) const = 0;
    virtual Text parameters() const = 0;
    virtual Wanted wants(const TensorName& tensor, const Directory& directory) = 0;
    virtual void look(const Evidence& evidence, Findings& findings) = 0;
    virtual Outcome conclude(const StepPlace& at, Findings& findings) = 0;
    virtual bool has_ended() const noexcept = 0;
    virtual Outcome idle(std::int64_t monotonic_ns, Findings& findings) = 0;
  };
  template <class Type>
  struct Model final : Base {
    explicit Model(Type own) : rule(std::move(own)) {}
    Base* clone() const override { return new Model(rule); }
    result<void> check(std::string_view name) const override {
      if constexpr (VisitableParameters<Type>) LOUPE_TRY(check_parameters(name, rule));
      if constexpr (requires { rule.check(); }) return rule.check();
      else return {};
    }
    Text parameters() const override {
      if constexpr (VisitableParameters<Type>) return parameters_text(rule);
      else return {};
    }
    Wanted wants(const TensorName& tensor, const Directory& directory) override { return rule.wants(tensor, directory); }
    void look(const Evidence& evidence, Findings& findings) override { rule.look(evidence, findings); }
    Outcome conclude(const StepPlace& at, Findings& findings) override { return rule.conclude(at, findings); }
    bool has_ended() const noexcept override {
      if constexpr (requires { rule.has_ended(); }) return rule.has_ended();
      else return false;
    }
    Outcome idle(std::int64_t monotonic_ns, Findings& findings) override {
      if constexpr (requires { rule.idle(monotonic_ns, findings); }) return rule.idle(monotonic_ns, findings);
      else return Outcome::no_data;
    }
    Type rule;
  };

  Text name_;
  Owner<Base> model_;
};

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_RULE_HPP

namespace loupe::inline LOUPE_ABI::rules {

/// A rule that fires at a step if any tensor of it does. The derived rule has `judge(evidence, findings) -> Outcome`, which
/// adds a violation where it says `fired`; `no_data` means that the tensor could not be judged.
template <class Derived>
class TensorRule {
 public:
  void look(const Evidence& evidence, Findings& findings) {
    const Outcome outcome = static_cast<Derived&>(*this).judge(evidence, findings);
    if (outcome == Outcome::no_data) return;
    findings.count_datapoint();
    if (outcome > outcome_) outcome_ = outcome;
  }
  Outcome conclude(const StepPlace&, Findings&) noexcept { return std::exchange(outcome_, Outcome::no_data); }

 protected:
  TensorRule() = default;

 private:
  Outcome outcome_ = Outcome::no_data;
};

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_BUILTIN_TENSOR_RULE_HPP

namespace loupe::inline LOUPE_ABI::rules {

struct AllZeroParameters {
  TensorChoice tensors = {};
  double threshold = 100;  ///< percent of zeros

  void visit(ParameterVisitor& visitor) {
    tensors.visit(visitor);
    visitor.number("threshold", threshold, {.low = 0, .high = 100, .is_low_open = true});
  }
};

/// Fires if at least `threshold` percent of a tensor's elements are zero. Zeros of either sign count, subnormal numbers and
/// NaN don't.
class AllZero : public TensorRule<AllZero> {
 public:
  static constexpr std::string_view name = "AllZero";
  using Parameters = AllZeroParameters;
  explicit AllZero(Parameters parameters = {}) : parameters_(std::move(parameters)), tensors_(parameters_.tensors.tensors()) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const {
    if (parameters_.tensors.empty()) return detail::nothing_chosen(name);
    return tensors_.check();
  }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return tensors_.decide(tensor, directory) ? wants_statistics({Statistic::zero_count, Statistic::abs_max, Statistic::l1}) : Wanted{};
  }
  Outcome judge(const Evidence& tensor, Findings& findings) const {
    const auto zeros = tensor.statistic(Statistic::zero_count);
    if (!zeros || !tensor.has_value()) return judge_reductions(tensor, findings);
    const auto count = static_cast<double>(tensor.value.size());
    if (count == 0) return Outcome::no_data;
    if (!(100 * *zeros >= parameters_.threshold * count)) return Outcome::clear;
    findings.add(tensor, 100 * *zeros / count, parameters_.threshold, "percent of its elements are zero");
    return Outcome::fired;
  }

 private:
  /// Without the elements, or their number, only a tensor that is zero throughout can be told.
  Outcome judge_reductions(const Evidence& tensor, Findings& findings) const {
    auto largest = tensor.statistic(Statistic::abs_max);
    if (!largest) largest = tensor.statistic(Statistic::l1);
    if (!largest) return Outcome::no_data;
    if (*largest == 0) {
      findings.add(tensor, 100, parameters_.threshold, "percent of its elements are zero");
      return Outcome::fired;
    }
    return parameters_.threshold == 100 ? Outcome::clear : Outcome::no_data;
  }

  Parameters parameters_;
  Tensors tensors_;
};

inline AllZero all_zero(AllZeroParameters parameters) { return AllZero(std::move(parameters)); }

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_BUILTIN_ALL_ZERO_HPP
// ---- loupe/rules/builtin/class_imbalance.hpp
#ifndef LOUPE_SINGLE_RULES_BUILTIN_CLASS_IMBALANCE_HPP
#define LOUPE_SINGLE_RULES_BUILTIN_CLASS_IMBALANCE_HPP
/// @file
/// ClassImbalance: classes of very uneven size, or one that is mispredicted too often (rules.md 5.9).

// ---- loupe/rules/labels.hpp
#ifndef LOUPE_SINGLE_RULES_LABELS_HPP
#define LOUPE_SINGLE_RULES_LABELS_HPP
/// @file
/// Classes in tensors of labels and predictions.

// ---- loupe/rules/elements.hpp
#ifndef LOUPE_SINGLE_RULES_ELEMENTS_HPP
#define LOUPE_SINGLE_RULES_ELEMENTS_HPP
/// @file
/// The elements of a tensor as rules count with them: as doubles, or as whole numbers (rules.md section 4).

namespace loupe::inline LOUPE_ABI::rules {

/// Whether a tensor's elements can be taken as real numbers: not text, not complex.
inline bool has_real_elements(const TensorView& tensor) noexcept {
  return tensor.has_tensor() && tensor.type != ElementType::string && !is_complex(tensor.type);
}

/// Calls `visit(element)` with each element in row-major order, integers and `bool` as `std::int64_t` (unsigned ones that
/// are too large as `double`), others as `double`; a visit that gives false ends it. For tensors with real elements.
template <class Visitor>
void for_each_element(const TensorView& tensor, Visitor&& visit) {
  visit_element_type(tensor.type, [&]<class Type>() {
    if constexpr (!std::is_void_v<Type> && !std::same_as<Type, std::string_view> && !std::same_as<Type, Complex64> &&
                  !std::same_as<Type, Complex128>) {
      bool goes_on = true;
      for_each_run(tensor, [&](const std::byte* first, std::int64_t count) {
        for (std::int64_t index = 0; goes_on && index < count; ++index) {
          const Type element = load_element<Type>(first + static_cast<std::size_t>(index) * sizeof(Type));
          const auto give = [&](auto number) {
            if constexpr (std::is_void_v<decltype(visit(number))>) visit(number);
            else goes_on = visit(number);
          };
          if constexpr (std::same_as<Type, Float16> || std::same_as<Type, BFloat16>) give(static_cast<double>(to_float(element)));
          else if constexpr (std::is_floating_point_v<Type>) give(static_cast<double>(element));
          else if constexpr (std::same_as<Type, std::uint64_t>)
            if (element > INT64_MAX) give(static_cast<double>(element));
            else give(static_cast<std::int64_t>(element));
          else give(static_cast<std::int64_t>(element));
        }
      });
    }
  });
}

/// All elements as doubles, in row-major order, appended to `out`.
inline void append_elements(const TensorView& tensor, std::vector<double>& out) {
  out.reserve(out.size() + static_cast<std::size_t>(tensor.size()));
  for_each_element(tensor, [&](auto element) { out.push_back(static_cast<double>(element)); });
}

/// The only element of a tensor of one, as a double; nothing of others.
inline std::optional<double> only_element(const TensorView& tensor) {
  if (!has_real_elements(tensor) || tensor.size() != 1) return std::nullopt;
  double only = 0;
  for_each_element(tensor, [&](auto element) { only = static_cast<double>(element); });
  return only;
}

/// A whole number that a double holds exactly; nothing for others, NaN and infinities included.
inline std::optional<std::int64_t> whole_number(double number) noexcept {
  if (!(std::abs(number) < 9.2e18) || number != std::trunc(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_ELEMENTS_HPP

namespace loupe::inline LOUPE_ABI::rules {

/// The class of each sample; nothing for a sample whose class is NaN.
using Classes = std::vector<std::optional<std::int64_t>>;

/// For each row along the last axis the place of its largest element, the first one of equals; nothing for a row with a
/// NaN. A tensor without axes is one row.
inline Classes argmax_rows(const TensorView& tensor) {
  Classes classes;
  const std::int64_t width = tensor.rank() == 0 ? 1 : tensor.shape[tensor.rank() - 1];
  std::int64_t column = 0;
  std::int64_t best_column = 0;
  double best = 0;
  bool has_nan = false;
  for_each_element(tensor, [&](auto element) {
    const auto number = static_cast<double>(element);
    has_nan = has_nan || std::isnan(number);
    if (column == 0 || number > best) {
      best = number;
      best_column = column;
    }
    if (++column < width) return;
    classes.push_back(has_nan ? std::nullopt : std::optional(best_column));
    column = 0;
    has_nan = false;
  });
  return classes;
}

/// Each element as a class, rounded to the nearest whole number, halves up; nothing for NaN and what no class can be.
inline Classes rounded_classes(const TensorView& tensor) {
  Classes classes;
  classes.reserve(static_cast<std::size_t>(tensor.size()));
  for_each_element(tensor, [&](auto element) {
    if constexpr (std::same_as<decltype(element), std::int64_t>) classes.push_back(element);
    else classes.push_back(whole_number(std::floor(element + 0.5)));
  });
  return classes;
}

/// Whether every element is a whole number or NaN.
inline bool are_whole(const TensorView& tensor) {
  bool all = true;
  for_each_element(tensor, [&](auto element) {
    if constexpr (!std::same_as<decltype(element), std::int64_t>) all = std::isnan(element) || whole_number(element).has_value();
    return all;
  });
  return all;
}

/// Whether a tensor has a row of scores, or a one-hot vector, for each sample.
inline bool has_class_axis(const TensorView& tensor) noexcept { return tensor.rank() > 1 && tensor.shape[tensor.rank() - 1] > 1; }

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_LABELS_HPP

namespace loupe::inline LOUPE_ABI::rules {

struct ClassImbalanceParameters {
  double threshold_imbalance = 10;       ///< of the size of the largest class over that of the smallest
  double threshold_misprediction = 0.7;  ///< of the part of a class that is mispredicted
  std::int64_t samples = 500;            ///< labels to see before anything is judged
  bool argmax = false;                   ///< predictions are scores, the class being that of the highest
  Text labels_regex = ".*labels";
  Text predictions_regex = ".*predictions";

  void visit(ParameterVisitor& visitor) {
    visitor.number("threshold_imbalance", threshold_imbalance, at_least(1));
    visitor.number("threshold_misprediction", threshold_misprediction, between(0, 1));
    visitor.integer("samples", samples, at_least(1));
    visitor.flag("argmax", argmax);
    visitor.text("labels_regex", labels_regex);
    visitor.text("predictions_regex", predictions_regex);
  }
};

/// Counts the labels of all steps by class, and those that were mispredicted; fires, from `samples` labels on, if the classes
/// seen are too uneven or one is mispredicted too often. Labels and predictions of a worker are paired in the order of
/// their names.
class ClassImbalance {
 public:
  static constexpr std::string_view name = "ClassImbalance";
  using Parameters = ClassImbalanceParameters;
  explicit ClassImbalance(Parameters parameters = {})
      : parameters_(std::move(parameters)),
        labels_(Tensors::matching(parameters_.labels_regex)),
        predictions_(Tensors::matching(parameters_.predictions_regex)) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const {
    LOUPE_TRY(labels_.check());
    return predictions_.check();
  }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    const bool is_label = labels_.decide(tensor, directory);
    return predictions_.decide(tensor, directory) || is_label ? wants_elements() : Wanted{};
  }
  void look(const Evidence& tensor, Findings& findings) {
    if (!has_real_elements(tensor.value) || tensor.value.size() == 0) return;
    findings.count_datapoint();
    if (labels_.selects(tensor.tensor.number)) look_at_labels(tensor, findings);
    else if (parameters_.argmax) step_predictions_.push_back(seen(tensor, argmax_rows(tensor.value)));
    else step_predictions_.push_back(seen(tensor, rounded_classes(tensor.value)));
  }
  Outcome conclude(const StepPlace&, Findings& findings) {
    const bool has_data = !step_labels_.empty();
    count_step(findings);
    if (!has_data) return Outcome::no_data;
    return total_ >= parameters_.samples ? judge(findings) : Outcome::clear;
  }

 private:
  struct Seen {
    Text worker, tensor;
    Classes classes;
  };
  struct ClassCount {
    std::int64_t labels = 0;
    std::int64_t mispredicted = 0;
  };

  static Seen seen(const Evidence& tensor, Classes classes) { return {tensor.worker, tensor.tensor.name, std::move(classes)}; }
  void look_at_labels(const Evidence& tensor, Findings& findings) {
    if (has_class_axis(tensor.value)) step_labels_.push_back(seen(tensor, argmax_rows(tensor.value)));
    else if (are_whole(tensor.value)) step_labels_.push_back(seen(tensor, rounded_classes(tensor.value)));
    else findings.warn(tensor.tensor.name, "was left out: its labels are not whole numbers");
  }
  void count_step(Findings& findings) {
    const auto by_worker_and_name = [](const Seen& a, const Seen& b) {
      return a.worker != b.worker ? a.worker < b.worker : a.tensor < b.tensor;
    };
    std::sort(step_labels_.begin(), step_labels_.end(), by_worker_and_name);
    std::sort(step_predictions_.begin(), step_predictions_.end(), by_worker_and_name);
    std::size_t next = 0;  // the first prediction of the worker that has no labels yet
    for (std::size_t index = 0; index < step_labels_.size(); ++index) {
      const Seen& labels = step_labels_[index];
      while (next < step_predictions_.size() && step_predictions_[next].worker < labels.worker) ++next;
      const Seen* predictions = nullptr;
      if (next < step_predictions_.size() && step_predictions_[next].worker == labels.worker) predictions = &step_predictions_[next++];
      if (predictions != nullptr && predictions->classes.size() != labels.classes.size()) {
        findings.warn(predictions->tensor, "was left out: there are not as many predictions as labels");
        predictions = nullptr;
      }
      for (std::size_t sample = 0; sample < labels.classes.size(); ++sample) {
        if (!labels.classes[sample]) continue;
        ClassCount& count = classes_[*labels.classes[sample]];
        ++count.labels;
        ++total_;
        if (predictions != nullptr && predictions->classes[sample] != labels.classes[sample]) ++count.mispredicted;
      }
    }
    step_labels_.clear();
    step_predictions_.clear();
  }
  Outcome judge(Findings& findings) const {
    Outcome outcome = Outcome::clear;
    const auto fewer = [](const auto& a, const auto& b) { return a.second.labels < b.second.labels; };
    const auto smallest = std::min_element(classes_.begin(), classes_.end(), fewer);
    const auto largest = std::max_element(classes_.begin(), classes_.end(), fewer);
    const double ratio = static_cast<double>(largest->second.labels) / static_cast<double>(smallest->second.labels);
    if (ratio > parameters_.threshold_imbalance) {
      findings.add({{}, {}, {}, ratio, parameters_.threshold_imbalance,
                    Text::join({"class ", to_text(largest->first).view(), " has ", to_text(largest->second.labels).view(),
                                " samples, class ", to_text(smallest->first).view(), " ", to_text(smallest->second.labels).view()})});
      outcome = Outcome::fired;
    }
    for (const auto& [number, count] : classes_) {
      const double part = static_cast<double>(count.mispredicted) / static_cast<double>(count.labels);
      if (!(part > parameters_.threshold_misprediction)) continue;
      findings.add({{}, {}, {}, part, parameters_.threshold_misprediction,
                    Text::join("is the part of class ", to_text(number).view(), " that is mispredicted")});
      outcome = Outcome::fired;
    }
    return outcome;
  }

  Parameters parameters_;
  Tensors labels_;
  Tensors predictions_;
  std::vector<Seen> step_labels_;
  std::vector<Seen> step_predictions_;
  std::map<std::int64_t, ClassCount> classes_;
  std::int64_t total_ = 0;
};

inline ClassImbalance class_imbalance(ClassImbalanceParameters parameters = {}) { return ClassImbalance(std::move(parameters)); }

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_BUILTIN_CLASS_IMBALANCE_HPP
// ---- loupe/rules/builtin/dead_relu.hpp
#ifndef LOUPE_SINGLE_RULES_BUILTIN_DEAD_RELU_HPP
#define LOUPE_SINGLE_RULES_BUILTIN_DEAD_RELU_HPP
/// @file
/// DeadRelu: units that never activate (rules.md 5.5).

// ---- loupe/rules/node_activity.hpp
#ifndef LOUPE_SINGLE_RULES_NODE_ACTIVITY_HPP
#define LOUPE_SINGLE_RULES_NODE_ACTIVITY_HPP
/// @file
/// How often the nodes of a layer are active.

namespace loupe::inline LOUPE_ABI::rules {

/// Counts, node by node, the samples of the last steps in which the node was active. Axis 0 of a tensor counts samples, a
/// node is a position over the other axes; in a tensor of one axis or none each element is a sample of a node of its own.
class NodeActivity {
 public:
  /// Adds a step's samples; of steps before the last `window_steps` nothing is left. Where the number of nodes has changed
  /// counting starts afresh.
  template <class IsActive>
  void add(const TensorView& layer, std::int64_t window_steps, IsActive is_active) {
    Samples next;
    next.count = layer.rank() > 1 ? layer.shape[0] : 1;
    next.active.resize(next.count == 0 ? 0 : static_cast<std::size_t>(layer.size() / next.count));
    std::size_t node = 0;
    for_each_element(layer, [&](auto element) {
      if (is_active(static_cast<double>(element))) ++next.active[node];
      if (++node == next.active.size()) node = 0;
    });
    if (!steps_.empty() && steps_.front().active.size() != next.active.size()) steps_.clear();
    if (steps_.size() >= static_cast<std::size_t>(window_steps)) steps_.erase(steps_.begin());
    steps_.push_back(std::move(next));
  }
  [[nodiscard]] std::int64_t nodes() const noexcept {
    return steps_.empty() ? 0 : static_cast<std::int64_t>(steps_.front().active.size());
  }
  /// The number of nodes that were active in less than `percent` of the samples.
  [[nodiscard]] std::int64_t inactive_nodes(double percent) const {
    std::int64_t inactive = 0;
    std::int64_t samples = 0;
    for (const Samples& step : steps_) samples += step.count;
    for (std::size_t node = 0; node < static_cast<std::size_t>(nodes()); ++node) {
      std::int64_t active = 0;
      for (const Samples& step : steps_) active += step.active[node];
      if (100.0 * static_cast<double>(active) < percent * static_cast<double>(samples)) ++inactive;
    }
    return inactive;
  }

 private:
  struct Samples {
    std::int64_t count = 0;
    std::vector<std::int64_t> active;  ///< by node
  };
  std::vector<Samples> steps_;
};

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_NODE_ACTIVITY_HPP
// ---- loupe/rules/per_tensor.hpp
#ifndef LOUPE_SINGLE_RULES_PER_TENSOR_HPP
#define LOUPE_SINGLE_RULES_PER_TENSOR_HPP
/// @file
/// What a rule remembers of each tensor of each worker.

namespace loupe::inline LOUPE_ABI::rules {

/// A state for each tensor and worker, made when it is first asked for. Iterated by tensor number, then by worker.
template <class State>
class PerTensor {
 public:
  State& of(const Evidence& evidence) {
    const Key key{evidence.tensor.number, evidence.worker};
    const auto found = states_.find(key);
    return found != states_.end() ? found->second : states_.emplace(OwnedKey{key.number, Text(key.worker)}, State{}).first->second;
  }
  [[nodiscard]] auto begin() const noexcept { return states_.begin(); }
  [[nodiscard]] auto end() const noexcept { return states_.end(); }

 private:
  struct Key {
    std::uint32_t number;
    std::string_view worker;
  };
  struct OwnedKey {
    std::uint32_t number;
    Text worker;
  };
  struct Before {
    using is_transparent = void;
    template <class One, class Other>
    bool operator()(const One& one, const Other& other) const noexcept {
      if (one.number != other.number) return one.number < other.number;
      return std::string_view(one.worker) < std::string_view(other.worker);
    }
  };
  std::map<OwnedKey, State, Before> states_;
};

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_PER_TENSOR_HPP

namespace loupe::inline LOUPE_ABI::rules {

struct DeadReluParameters {
  std::vector<Text> tensor_regex = {".*relu_output"};
  double threshold_inactivity = 1.0;  ///< percent of the samples in which a living unit is active at least
  double threshold_layer = 50.0;      ///< percent of dead units that is let pass
  std::int64_t window_steps = 1;      ///< over how many of the last steps samples are counted

  void visit(ParameterVisitor& visitor) {
    visitor.list("tensor_regex", tensor_regex);
    visitor.number("threshold_inactivity", threshold_inactivity, between(0, 100));
    visitor.number("threshold_layer", threshold_layer, between(0, 100));
    visitor.integer("window_steps", window_steps, at_least(1));
  }
};

/// Fires if more than `threshold_layer` percent of the units of a layer are dead: their output was above 0 in less than
/// `threshold_inactivity` percent of the samples. A NaN is not above 0.
class DeadRelu : public TensorRule<DeadRelu> {
 public:
  static constexpr std::string_view name = "DeadRelu";
  using Parameters = DeadReluParameters;
  explicit DeadRelu(Parameters parameters = {}) : parameters_(std::move(parameters)), outputs_({}, parameters_.tensor_regex) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const { return outputs_.check(); }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return outputs_.decide(tensor, directory) ? wants_elements() : Wanted{};
  }
  Outcome judge(const Evidence& output, Findings& findings) {
    if (!has_real_elements(output.value) || output.value.size() == 0) return Outcome::no_data;
    NodeActivity& activity = activity_.of(output);
    activity.add(output.value, parameters_.window_steps, [](double value) { return value > 0; });
    const auto dead = static_cast<double>(activity.inactive_nodes(parameters_.threshold_inactivity));
    const auto nodes = static_cast<double>(activity.nodes());
    if (!(100 * dead > parameters_.threshold_layer * nodes)) return Outcome::clear;
    findings.add(output, 100 * dead / nodes, parameters_.threshold_layer,
                 Text::join("percent of its ", to_text(activity.nodes()).view(), " units are dead"));
    return Outcome::fired;
  }

 private:
  Parameters parameters_;
  Tensors outputs_;
  PerTensor<NodeActivity> activity_;
};

inline DeadRelu dead_relu(DeadReluParameters parameters = {}) { return DeadRelu(std::move(parameters)); }

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_BUILTIN_DEAD_RELU_HPP
// ---- loupe/rules/builtin/exploding_tensor.hpp
#ifndef LOUPE_SINGLE_RULES_BUILTIN_EXPLODING_TENSOR_HPP
#define LOUPE_SINGLE_RULES_BUILTIN_EXPLODING_TENSOR_HPP
/// @file
/// ExplodingTensor: elements that are not finite (rules.md 5.2).

namespace loupe::inline LOUPE_ABI::rules {

struct ExplodingTensorParameters {
  TensorChoice tensors = {};  ///< all if none are chosen
  bool only_nan = false;      ///< infinite elements are let pass

  void visit(ParameterVisitor& visitor) {
    tensors.visit(visitor);
    visitor.flag("only_nan", only_nan);
  }
};

/// Fires if any element of a tensor is NaN or infinite. Where only reductions were saved, extremes that are not finite tell
/// as much.
class ExplodingTensor : public TensorRule<ExplodingTensor> {
 public:
  static constexpr std::string_view name = "ExplodingTensor";
  using Parameters = ExplodingTensorParameters;
  explicit ExplodingTensor(Parameters parameters = {}) : parameters_(std::move(parameters)), tensors_(parameters_.tensors.tensors()) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const { return tensors_.check(); }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return tensors_.decide(tensor, directory) ? wants_statistics(looked_at) : Wanted{};
  }
  Outcome judge(const Evidence& tensor, Findings& findings) const {
    const auto nan = tensor.statistic(Statistic::nan_count);
    const auto positive = tensor.statistic(Statistic::positive_infinity_count);
    const auto negative = tensor.statistic(Statistic::negative_infinity_count);
    if (!nan || !positive || !negative) return judge_extremes(tensor, findings);
    const double infinite = parameters_.only_nan ? 0 : *positive + *negative;
    if (*nan + infinite == 0) return Outcome::clear;
    const auto first = tensor.statistic(Statistic::first_non_finite);
    // With only_nan the first element that isn't finite may be an infinite one, which is let pass.
    const bool is_first_known = first && *first >= 0 && !(parameters_.only_nan && *positive + *negative > 0);
    findings.add(tensor, *nan + infinite, 0, parameters_.only_nan ? "there are elements that are NaN" : "there are elements that are NaN or infinite",
                 is_first_known ? std::optional(static_cast<std::int64_t>(*first)) : std::nullopt);
    return Outcome::fired;
  }

 private:
  static constexpr StatisticSet extremes{Statistic::min, Statistic::max, Statistic::abs_min, Statistic::abs_max};
  static constexpr StatisticSet looked_at = StatisticSet{Statistic::nan_count, Statistic::positive_infinity_count,
                                                         Statistic::negative_infinity_count, Statistic::first_non_finite} | extremes;
  Outcome judge_extremes(const Evidence& tensor, Findings& findings) const {
    Outcome outcome = Outcome::no_data;
    for (const Statistic statistic : extremes) {
      const auto extreme = tensor.statistic(statistic);
      if (!extreme) continue;
      const bool is_bad = std::isnan(*extreme) || (!parameters_.only_nan && std::isinf(*extreme));
      if (is_bad) findings.add(tensor, *extreme, 0, "an extreme is not finite, so an element isn't");
      if (is_bad) return Outcome::fired;
      outcome = Outcome::clear;
    }
    return outcome;
  }

  Parameters parameters_;
  Tensors tensors_;
};

inline ExplodingTensor exploding_tensor(ExplodingTensorParameters parameters = {}) { return ExplodingTensor(std::move(parameters)); }

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_BUILTIN_EXPLODING_TENSOR_HPP
// ---- loupe/rules/builtin/loss_not_decreasing.hpp
#ifndef LOUPE_SINGLE_RULES_BUILTIN_LOSS_NOT_DECREASING_HPP
#define LOUPE_SINGLE_RULES_BUILTIN_LOSS_NOT_DECREASING_HPP
/// @file
/// LossNotDecreasing: the loss does not fall fast enough (rules.md 5.10).

namespace loupe::inline LOUPE_ABI::rules {

struct LossNotDecreasingParameters {
  TensorChoice tensors = {};
  bool use_losses_collection = true;       ///< collection `losses` is looked at too
  std::int64_t num_steps = 10;             ///< between the two losses that are compared, at least
  double diff_percent = 0.1;               ///< by how much the loss must fall
  double increase_threshold_percent = 5;   ///< by how much it may rise
  Text mode = {};                          ///< `EVAL`, `TRAIN`, `GLOBAL`; nothing: the first of them with two steps of the loss

  void visit(ParameterVisitor& visitor) {
    tensors.visit(visitor);
    visitor.flag("use_losses_collection", use_losses_collection);
    visitor.integer("num_steps", num_steps, at_least(1));
    visitor.number("diff_percent", diff_percent, strictly_between(0, 100));
    visitor.number("increase_threshold_percent", increase_threshold_percent, strictly_between(0, 100));
    static constexpr std::string_view modes[] = {"", "EVAL", "TRAIN", "GLOBAL"};
    visitor.word("mode", mode, modes);
  }
};

/// Compares each loss, every `num_steps` steps, with the newest one at least as far back: fires if it rose by more than
/// `increase_threshold_percent` percent, or didn't rise but fell by less than `diff_percent`, or is not finite.
class LossNotDecreasing : public TensorRule<LossNotDecreasing> {
 public:
  static constexpr std::string_view name = "LossNotDecreasing";
  using Parameters = LossNotDecreasingParameters;
  explicit LossNotDecreasing(Parameters parameters = {}) : parameters_(std::move(parameters)), losses_(chosen(parameters_)) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const {
    if (parameters_.tensors.empty() && !parameters_.use_losses_collection) return detail::nothing_chosen(name);
    return losses_.check();
  }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return losses_.decide(tensor, directory) ? wants_elements() : Wanted{};
  }
  Outcome judge(const Evidence& loss, Findings& findings) {
    const auto number = only_element(loss.value);
    if (!number) {
      if (loss.has_value()) findings.warn(loss.tensor.name, "was not judged: it is not a single number");
      return Outcome::no_data;
    }
    History& history = histories_.of(loss);
    const Mode mode = loss.at.mode.mode;
    std::optional<Comparison> compared[mode_count];
    if (mode != Mode::global) compared[mode_index(mode)] = history.of(mode).advance(loss.at.mode.value, *number, parameters_.num_steps);
    compared[mode_index(Mode::global)] = history.of(Mode::global).advance(loss.at.step.value, *number, parameters_.num_steps);
    const auto& comparison = compared[mode_index(judged_mode(history))];
    return comparison ? compare(loss, *comparison, findings) : Outcome::no_data;
  }

 private:
  struct Saved {
    std::int64_t step = 0;
    double loss = 0;
  };
  struct Comparison {
    Saved before, now;
  };
  /// The losses of one mode's steps.
  struct Sequence {
    std::vector<Saved> steps;  ///< from the newest one on that a later one may be compared with
    std::int64_t count = 0;
    std::int64_t last = -1;    ///< the last step at which a comparison was due

    std::optional<Comparison> advance(std::int64_t step, double loss, std::int64_t num_steps) {
      ++count;
      std::optional<Comparison> comparison;
      if (step >= last + num_steps) {
        last = step;
        while (steps.size() > 1 && steps[1].step <= step - num_steps) steps.erase(steps.begin());
        if (!steps.empty() && steps.front().step <= step - num_steps) comparison = {steps.front(), {step, loss}};
      }
      steps.push_back({step, loss});
      return comparison;
    }
  };
  struct History {
    Sequence modes[mode_count];
    [[nodiscard]] Sequence& of(Mode mode) noexcept { return modes[mode_index(mode)]; }
  };

  static Tensors chosen(const Parameters& parameters) {
    std::vector<Text> collections = parameters.tensors.collection_names;
    if (parameters.use_losses_collection) collections.emplace_back("losses");
    return Tensors(std::move(collections), parameters.tensors.tensor_regex);
  }
  /// The mode whose steps count by now.
  [[nodiscard]] Mode judged_mode(History& history) const {
    if (parameters_.mode == "EVAL") return Mode::eval;
    if (parameters_.mode == "TRAIN") return Mode::train;
    if (parameters_.mode == "GLOBAL") return Mode::global;
    for (const Mode mode : {Mode::eval, Mode::train})
      if (history.of(mode).count >= 2) return mode;
    return Mode::global;
  }
  Outcome compare(const Evidence& loss, const Comparison& comparison, Findings& findings) const {
    const double before = comparison.before.loss;
    const double now = comparison.now.loss;
    const Text since = Text::join(" since step ", to_text(comparison.before.step).view());
    if (!std::isfinite(before)) return Outcome::no_data;
    if (!std::isfinite(now)) {
      findings.add(loss, now, before, "the loss is not finite");
      return Outcome::fired;
    }
    const double percent = before == now ? 0 : 100 * (now - before) / std::abs(before);
    if (now > before) {
      if (!(percent > parameters_.increase_threshold_percent)) return Outcome::clear;
      findings.add(loss, percent, parameters_.increase_threshold_percent, Text::join("percent is how much the loss has risen", since.view()));
    } else {
      if (!(-percent < parameters_.diff_percent)) return Outcome::clear;
      findings.add(loss, 0 - percent, parameters_.diff_percent, Text::join("percent is how little the loss has fallen", since.view()));
    }
    return Outcome::fired;
  }

  Parameters parameters_;
  Tensors losses_;
  PerTensor<History> histories_;
};

inline LossNotDecreasing loss_not_decreasing(LossNotDecreasingParameters parameters = {}) {
  return LossNotDecreasing(std::move(parameters));
}

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_BUILTIN_LOSS_NOT_DECREASING_HPP
// ---- loupe/rules/builtin/poor_weight_initialization.hpp
#ifndef LOUPE_SINGLE_RULES_BUILTIN_POOR_WEIGHT_INITIALIZATION_HPP
#define LOUPE_SINGLE_RULES_BUILTIN_POOR_WEIGHT_INITIALIZATION_HPP
/// @file
/// PoorWeightInitialization: signs, in the first steps, of weights that were badly drawn (rules.md 5.3).

// ---- loupe/rules/mean.hpp
#ifndef LOUPE_SINGLE_RULES_MEAN_HPP
#define LOUPE_SINGLE_RULES_MEAN_HPP
/// @file
/// Means and percentiles of numbers that rules have at hand (rules.md section 4).

namespace loupe::inline LOUPE_ABI::rules {

/// The mean of `number(0)` … `number(count - 1)`, in eight partial sums. Where a sum would overflow it is a running mean,
/// which doesn't; NaN and infinities pass through. `count` is at least 1.
template <class Number>
double mean_of(std::size_t count, Number number) {
  double sums[8] = {};
  for (std::size_t index = 0; index < count; ++index) sums[index % 8] += number(index);
  const double sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
  if (std::isfinite(sum)) return sum / static_cast<double>(count);
  double mean = 0;
  for (std::size_t index = 0; index < count; ++index) {
    const double next = number(index);
    if (!std::isfinite(next)) return sum;
    mean += next / static_cast<double>(index + 1) - mean / static_cast<double>(index + 1);
  }
  return mean;
}

/// The percentile of numbers by linear interpolation between ranks, as numpy's default; the numbers are put into another
/// order. At least one number, none of them NaN; `percent` is 0 to 100.
inline double percentile(std::span<double> numbers, double percent) {
  const double rank = percent / 100 * static_cast<double>(numbers.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const auto nth = numbers.begin() + static_cast<std::ptrdiff_t>(below);
  std::nth_element(numbers.begin(), nth, numbers.end());
  const double fraction = rank - static_cast<double>(below);
  if (fraction == 0) return *nth;
  const double above = *std::min_element(nth + 1, numbers.end());
  return *nth + (above - *nth) * fraction;
}

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_MEAN_HPP

namespace loupe::inline LOUPE_ABI::rules {

struct PoorWeightInitializationParameters {
  std::vector<Text> activation_inputs_regex = {".*relu_input"};
  double threshold = 10.0;             ///< of the largest variance of activation inputs over the smallest
  double distribution_range = 0.001;   ///< of a gradient's 95th percentile less its 5th
  std::int64_t patience = 5;           ///< steps without a new minimum after which a loss no longer decreases
  std::int64_t steps = 10;             ///< how many steps are judged

  void visit(ParameterVisitor& visitor) {
    visitor.list("activation_inputs_regex", activation_inputs_regex);
    visitor.number("threshold", threshold, above(0));
    visitor.number("distribution_range", distribution_range, at_least(0));
    visitor.integer("patience", patience, at_least(1));
    visitor.integer("steps", steps, at_least(1));
  }
};

/// Fires if the variances of the activation inputs of a worker's layers differ too much, or a gradient's distribution is too
/// narrow, or a loss no longer decreases. Judges the first steps that have any of them, then ends. Looks at collections
/// `gradients` and `losses` besides the activation inputs.
class PoorWeightInitialization {
 public:
  static constexpr std::string_view name = "PoorWeightInitialization";
  using Parameters = PoorWeightInitializationParameters;
  explicit PoorWeightInitialization(Parameters parameters = {})
      : parameters_(std::move(parameters)), inputs_({}, parameters_.activation_inputs_regex) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const { return inputs_.check(); }
  [[nodiscard]] bool has_ended() const noexcept { return judged_steps_ >= parameters_.steps; }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    Wanted wanted;
    if (inputs_.decide(tensor, directory)) wanted |= wants_statistics(Statistic::variance);
    if (gradients_.decide(tensor, directory)) wanted |= wants_elements();
    if (losses_.decide(tensor, directory)) wanted |= wants_elements();
    return wanted;
  }
  void look(const Evidence& tensor, Findings& findings) {
    if (inputs_.selects(tensor.tensor.number)) look_at_input(tensor, findings);
    if (gradients_.selects(tensor.tensor.number)) look_at_gradient(tensor, findings);
    if (losses_.selects(tensor.tensor.number)) look_at_loss(tensor, findings);
  }
  Outcome conclude(const StepPlace&, Findings& findings) {
    for (const auto& [worker, layers] : layers_) {
      if (layers.count < 2) continue;
      note(Outcome::clear);
      const double ratio = layers.largest > 0 ? layers.largest / layers.smallest : 1;  // x / 0 is infinite
      if (!(ratio > parameters_.threshold)) continue;
      findings.add({layers.largest_layer, worker, {}, ratio, parameters_.threshold,
                    Text::join("is how many times the variance of ", layers.smallest_layer.view(), " its own variance is")});
      note(Outcome::fired);
    }
    layers_.clear();
    const Outcome outcome = std::exchange(outcome_, Outcome::no_data);
    if (outcome != Outcome::no_data) ++judged_steps_;
    return outcome;
  }

 private:
  struct Layers {
    std::int64_t count = 0;
    double smallest = 0, largest = 0;
    Text smallest_layer, largest_layer;
  };
  struct Loss {
    double best = std::numeric_limits<double>::infinity();
    std::int64_t without_progress = 0;  ///< steps since
  };

  void note(Outcome outcome) noexcept { outcome_ = std::max(outcome_, outcome); }
  void look_at_input(const Evidence& input, Findings& findings) {
    const auto variance = input.statistic(Statistic::variance);
    if (!variance) return;
    findings.count_datapoint();
    if (!std::isfinite(*variance)) return findings.warn(input.tensor.name, "was left out: it has elements that are not finite");
    Layers& layers = layers_[input.worker];
    if (layers.count == 0 || *variance < layers.smallest) {
      layers.smallest = *variance;
      layers.smallest_layer = input.tensor.name;
    }
    if (layers.count == 0 || *variance > layers.largest) {
      layers.largest = *variance;
      layers.largest_layer = input.tensor.name;
    }
    ++layers.count;
  }
  void look_at_gradient(const Evidence& gradient, Findings& findings) {
    if (!has_real_elements(gradient.value) || gradient.value.size() == 0) return;
    findings.count_datapoint();
    elements_.clear();
    append_elements(gradient.value, elements_);
    if (!std::all_of(elements_.begin(), elements_.end(), [](double element) { return std::isfinite(element); }))
      return findings.warn(gradient.tensor.name, "was left out: it has elements that are not finite");
    note(Outcome::clear);
    const double low = percentile(elements_, 5);
    const double range = percentile(elements_, 95) - low;
    if (!(range < parameters_.distribution_range)) return;
    findings.add(gradient, range, parameters_.distribution_range, "the gradient's 95th percentile is too near its 5th");
    note(Outcome::fired);
  }
  void look_at_loss(const Evidence& tensor, Findings& findings) {
    const auto number = only_element(tensor.value);
    if (!number) {
      if (tensor.has_value()) findings.warn(tensor.tensor.name, "was left out as a loss: it is not a single number");
      return;
    }
    findings.count_datapoint();
    note(Outcome::clear);
    Loss& loss = best_.of(tensor);
    if (std::isfinite(*number) && *number < loss.best) {
      loss = {*number, 0};
      return;
    }
    if (++loss.without_progress < parameters_.patience) return;
    findings.add(tensor, static_cast<double>(loss.without_progress), static_cast<double>(parameters_.patience),
                 "steps have passed without a new minimum of the loss");
    note(Outcome::fired);
  }

  Parameters parameters_;
  Tensors inputs_;
  Tensors gradients_ = Tensors::of("gradients");
  Tensors losses_ = Tensors::of("losses");
  std::map<Text, Layers, std::less<>> layers_;  ///< of the open step, by worker
  PerTensor<Loss> best_;
  std::vector<double> elements_;
  std::int64_t judged_steps_ = 0;
  Outcome outcome_ = Outcome::no_data;          ///< of the open step
};

inline PoorWeightInitialization poor_weight_initialization(PoorWeightInitializationParameters parameters = {}) {
  return PoorWeightInitialization(std::move(parameters));
}

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_BUILTIN_POOR_WEIGHT_INITIALIZATION_HPP
// ---- loupe/rules/builtin/saturated_activation.hpp
#ifndef LOUPE_SINGLE_RULES_BUILTIN_SATURATED_ACTIVATION_HPP
#define LOUPE_SINGLE_RULES_BUILTIN_SATURATED_ACTIVATION_HPP
/// @file
/// SaturatedActivation: inputs of tanh and sigmoid layers where the function is flat (rules.md 5.4).

namespace loupe::inline LOUPE_ABI::rules {

struct SaturatedActivationParameters {
  TensorChoice tensors = {.tensor_regex = {".*tanh_input|.*sigmoid_input"}};
  double threshold_tanh_min = -9.4999;     ///< an input is active if it lies between the two
  double threshold_tanh_max = 9.4999;
  double threshold_sigmoid_min = -23;
  double threshold_sigmoid_max = 16.99999;
  double threshold_inactivity = 1.0;       ///< percent of the samples in which a node that isn't saturated is active at least
  double threshold_layer = 50.0;           ///< percent of saturated nodes that is let pass
  std::int64_t window_steps = 1;           ///< over how many of the last steps samples are counted

  void visit(ParameterVisitor& visitor) {
    tensors.visit(visitor);
    visitor.number("threshold_tanh_min", threshold_tanh_min, any_number());
    visitor.number("threshold_tanh_max", threshold_tanh_max, any_number());
    visitor.number("threshold_sigmoid_min", threshold_sigmoid_min, any_number());
    visitor.number("threshold_sigmoid_max", threshold_sigmoid_max, any_number());
    visitor.number("threshold_inactivity", threshold_inactivity, between(0, 100));
    visitor.number("threshold_layer", threshold_layer, between(0, 100));
    visitor.integer("window_steps", window_steps, at_least(1));
  }
};

/// Fires if more than `threshold_layer` percent of the nodes of a layer are saturated: active in less than
/// `threshold_inactivity` percent of the samples. Inputs that are not finite are not active: they can't carry a gradient
/// either. Which function a layer has is told by its name.
class SaturatedActivation : public TensorRule<SaturatedActivation> {
 public:
  static constexpr std::string_view name = "SaturatedActivation";
  using Parameters = SaturatedActivationParameters;
  explicit SaturatedActivation(Parameters parameters = {})
      : parameters_(std::move(parameters)), inputs_(parameters_.tensors.tensors()) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const {
    if (parameters_.tensors.empty()) return detail::nothing_chosen(name);
    if (!(parameters_.threshold_tanh_min < parameters_.threshold_tanh_max) ||
        !(parameters_.threshold_sigmoid_min < parameters_.threshold_sigmoid_max))
      return fail(ErrorKind::invalid_argument, name, "the lower threshold of a function must be below the upper one");
    return inputs_.check();
  }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return inputs_.decide(tensor, directory) ? wants_elements() : Wanted{};
  }
  Outcome judge(const Evidence& input, Findings& findings) {
    if (!has_real_elements(input.value) || input.value.size() == 0) return Outcome::no_data;
    const bool is_tanh = input.tensor.name.find("tanh") != std::string_view::npos;
    if (!is_tanh && input.tensor.name.find("sigmoid") == std::string_view::npos) {
      findings.warn(input.tensor.name, "was not judged: its name says neither tanh nor sigmoid");
      return Outcome::no_data;
    }
    const double low = is_tanh ? parameters_.threshold_tanh_min : parameters_.threshold_sigmoid_min;
    const double high = is_tanh ? parameters_.threshold_tanh_max : parameters_.threshold_sigmoid_max;
    NodeActivity& activity = activity_.of(input);
    bool all_finite = true;
    activity.add(input.value, parameters_.window_steps, [&](double value) {
      all_finite = all_finite && value - value == 0;
      return low < value && value < high;
    });
    const auto saturated = static_cast<double>(activity.inactive_nodes(parameters_.threshold_inactivity));
    const auto nodes = static_cast<double>(activity.nodes());
    if (!(100 * saturated > parameters_.threshold_layer * nodes)) return Outcome::clear;
    findings.add(input, 100 * saturated / nodes, parameters_.threshold_layer,
                 Text::join("percent of its ", to_text(activity.nodes()).view(), " nodes are saturated",
                            all_finite ? "" : "; it has elements that are not finite"));
    return Outcome::fired;
  }

 private:
  Parameters parameters_;
  Tensors inputs_;
  PerTensor<NodeActivity> activity_;
};

inline SaturatedActivation saturated_activation(SaturatedActivationParameters parameters = {}) {
  return SaturatedActivation(std::move(parameters));
}

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_BUILTIN_SATURATED_ACTIVATION_HPP
// ---- loupe/rules/builtin/tensor_variance.hpp
#ifndef LOUPE_SINGLE_RULES_BUILTIN_TENSOR_VARIANCE_HPP
#define LOUPE_SINGLE_RULES_BUILTIN_TENSOR_VARIANCE_HPP
/// @file
/// TensorVariance: a variance too high or too low (rules.md 5.7).

namespace loupe::inline LOUPE_ABI::rules {

struct TensorVarianceParameters {
  TensorChoice tensors = {};
  std::optional<double> max_threshold = {};
  std::optional<double> min_threshold = {};

  void visit(ParameterVisitor& visitor) {
    tensors.visit(visitor);
    visitor.number("max_threshold", max_threshold, any_number());
    visitor.number("min_threshold", min_threshold, any_number());
  }
};

/// Fires if the population variance of a tensor is above or below a limit. A tensor of one element isn't judged.
class TensorVariance : public TensorRule<TensorVariance> {
 public:
  static constexpr std::string_view name = "TensorVariance";
  using Parameters = TensorVarianceParameters;
  explicit TensorVariance(Parameters parameters = {}) : parameters_(std::move(parameters)), tensors_(parameters_.tensors.tensors()) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const {
    if (parameters_.tensors.empty()) return detail::nothing_chosen(name);
    if (!parameters_.max_threshold && !parameters_.min_threshold)
      return fail(ErrorKind::insufficient_information_for_rule_invocation, name,
                  "one of max_threshold and min_threshold must be given");
    return tensors_.check();
  }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return tensors_.decide(tensor, directory) ? wants_statistics({Statistic::variance, Statistic::std}) : Wanted{};
  }
  Outcome judge(const Evidence& tensor, Findings& findings) const {
    if (tensor.has_value() && tensor.value.size() == 1) return Outcome::no_data;
    auto variance = tensor.statistic(Statistic::variance);
    if (!variance)
      if (const auto deviation = tensor.statistic(Statistic::std)) variance = *deviation * *deviation;
    if (!variance) return Outcome::no_data;
    if (!std::isfinite(*variance)) {
      findings.warn(tensor.tensor.name, "was not judged: its variance is not finite");
      return Outcome::clear;
    }
    if (parameters_.max_threshold && *variance > *parameters_.max_threshold) {
      findings.add(tensor, *variance, *parameters_.max_threshold, "the variance is above the threshold");
      return Outcome::fired;
    }
    if (parameters_.min_threshold && *variance < *parameters_.min_threshold) {
      findings.add(tensor, *variance, *parameters_.min_threshold, "the variance is below the threshold");
      return Outcome::fired;
    }
    return Outcome::clear;
  }

 private:
  Parameters parameters_;
  Tensors tensors_;
};

inline TensorVariance tensor_variance(TensorVarianceParameters parameters) { return TensorVariance(std::move(parameters)); }

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_BUILTIN_TENSOR_VARIANCE_HPP
// ---- loupe/rules/builtin/vanishing_gradient.hpp
#ifndef LOUPE_SINGLE_RULES_BUILTIN_VANISHING_GRADIENT_HPP
#define LOUPE_SINGLE_RULES_BUILTIN_VANISHING_GRADIENT_HPP
/// @file
/// VanishingGradient: gradients so small that nothing is learned (rules.md 5.1).

namespace loupe::inline LOUPE_ABI::rules {

struct VanishingGradientParameters {
  double threshold = 1e-7;  ///< of the mean of absolute values

  void visit(ParameterVisitor& visitor) { visitor.number("threshold", threshold, at_least(0)); }
};

/// Fires if the mean of the absolute values of any gradient is below the threshold. A gradient with elements that are
/// not finite doesn't fire. Looks at collection `gradients`.
class VanishingGradient : public TensorRule<VanishingGradient> {
 public:
  static constexpr std::string_view name = "VanishingGradient";
  using Parameters = VanishingGradientParameters;
  explicit VanishingGradient(Parameters parameters = {}) : parameters_(parameters) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return gradients_.decide(tensor, directory) ? wants_statistics(Statistic::abs_mean) : Wanted{};
  }
  Outcome judge(const Evidence& gradient, Findings& findings) const {
    const auto mean = gradient.statistic(Statistic::abs_mean);
    if (!mean) return Outcome::no_data;
    if (!std::isfinite(*mean)) findings.warn(gradient.tensor.name, "has elements that are not finite");
    if (!(*mean < parameters_.threshold)) return Outcome::clear;
    findings.add(gradient, *mean, parameters_.threshold, "the mean of the absolute values is below the threshold");
    return Outcome::fired;
  }

 private:
  Parameters parameters_;
  Tensors gradients_ = Tensors::of("gradients");
};

inline VanishingGradient vanishing_gradient(VanishingGradientParameters parameters = {}) { return VanishingGradient(parameters); }

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_BUILTIN_VANISHING_GRADIENT_HPP
// ---- loupe/rules/builtin/weight_update_ratio.hpp
#ifndef LOUPE_SINGLE_RULES_BUILTIN_WEIGHT_UPDATE_RATIO_HPP
#define LOUPE_SINGLE_RULES_BUILTIN_WEIGHT_UPDATE_RATIO_HPP
/// @file
/// WeightUpdateRatio: updates too large or too small for the weights (rules.md 5.6).

namespace loupe::inline LOUPE_ABI::rules {

struct WeightUpdateRatioParameters {
  std::optional<std::int64_t> num_steps = {};  ///< compares with the earliest step at most so far back; nothing: the last one
  double large_threshold = 10.0;
  double small_threshold = 1e-8;
  double epsilon = 1e-9;                       ///< added to the mean of the weights

  void visit(ParameterVisitor& visitor) {
    visitor.integer("num_steps", num_steps, at_least(1));
    visitor.number("large_threshold", large_threshold, above(0));
    visitor.number("small_threshold", small_threshold, at_least(0));
    visitor.number("epsilon", epsilon, above(0));
  }
};

/// Fires if the mean absolute change of a weight since an earlier step, over the mean of its absolute values there, is above
/// or below a limit. Looks at collection `weights`. Steps are those of TRAIN from the first one on that has the weight,
/// global ones before. Frozen weights fire: leave them out of the collection.
class WeightUpdateRatio : public TensorRule<WeightUpdateRatio> {
 public:
  static constexpr std::string_view name = "WeightUpdateRatio";
  using Parameters = WeightUpdateRatioParameters;
  explicit WeightUpdateRatio(Parameters parameters = {}) : parameters_(parameters) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const {
    if (parameters_.small_threshold < parameters_.large_threshold) return {};
    return fail(ErrorKind::invalid_argument, name, "small_threshold must be below large_threshold");
  }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return weights_.decide(tensor, directory) ? wants_elements() : Wanted{};
  }
  Outcome judge(const Evidence& weight, Findings& findings) {
    if (!has_real_elements(weight.value) || weight.value.size() == 0) return Outcome::no_data;
    History& history = histories_.of(weight);
    const bool is_train = weight.at.mode.mode == Mode::train;
    if (is_train && !history.is_train) history = {.is_train = true, .steps = {}};
    if (history.is_train && !is_train) return Outcome::no_data;
    Saved now{history.is_train ? weight.at.mode.value : weight.at.step.value, weight.value.shape, {}};
    append_elements(weight.value, now.elements);
    std::vector<Saved>& steps = history.steps;
    if (parameters_.num_steps)
      while (!steps.empty() && steps.front().step < now.step - *parameters_.num_steps) steps.erase(steps.begin());
    const Outcome outcome = steps.empty() ? Outcome::no_data : compare(weight, steps.front(), now, findings);
    if (!parameters_.num_steps) steps.clear();
    steps.push_back(std::move(now));
    return outcome;
  }

 private:
  struct Saved {
    std::int64_t step = 0;
    Shape shape;
    std::vector<double> elements;
  };
  struct History {
    bool is_train = false;
    std::vector<Saved> steps;  ///< that a later one may be compared with, ascending
  };

  Outcome compare(const Evidence& weight, const Saved& before, const Saved& now, Findings& findings) const {
    if (before.shape != now.shape) return Outcome::no_data;
    const std::size_t count = now.elements.size();
    const double change = mean_of(count, [&](std::size_t at) { return std::abs(now.elements[at] - before.elements[at]); });
    const double size = mean_of(count, [&](std::size_t at) { return std::abs(before.elements[at]); });
    const double ratio = change / (size + parameters_.epsilon);
    if (!std::isfinite(ratio)) {
      findings.warn(weight.tensor.name, "was not judged: it has elements that are not finite");
      return Outcome::clear;
    }
    const bool is_large = ratio > parameters_.large_threshold;
    if (!is_large && !(ratio < parameters_.small_threshold)) return Outcome::clear;
    findings.add(weight, ratio, is_large ? parameters_.large_threshold : parameters_.small_threshold,
                 Text::join("the ratio of update to weight since step ", to_text(before.step).view(),
                            is_large ? " is too large" : " is too small"));
    return Outcome::fired;
  }

  Parameters parameters_;
  Tensors weights_ = Tensors::of("weights");
  PerTensor<History> histories_;
};

inline WeightUpdateRatio weight_update_ratio(WeightUpdateRatioParameters parameters = {}) { return WeightUpdateRatio(parameters); }

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_BUILTIN_WEIGHT_UPDATE_RATIO_HPP
// ---- loupe/rules/evaluation.hpp
#ifndef LOUPE_SINGLE_RULES_EVALUATION_HPP
#define LOUPE_SINGLE_RULES_EVALUATION_HPP
/// @file
/// Rules over a trial: one that has ended, or one that is still written (rules.md 2.1).

// ---- loupe/rules/judge.hpp
#ifndef LOUPE_SINGLE_RULES_JUDGE_HPP
#define LOUPE_SINGLE_RULES_JUDGE_HPP
/// @file
/// Puts rules to work on one step after the other, whoever shows the steps: the hook, a follower of a run, a reader of a
/// finished one.

// ---- loupe/rules/firing.hpp
#ifndef LOUPE_SINGLE_RULES_FIRING_HPP
#define LOUPE_SINGLE_RULES_FIRING_HPP
/// @file
/// A rule's condition that was met at a step: who, where, what and how much.

namespace loupe::inline LOUPE_ABI::rules {

/// A rule fired. The first violation is that of the tensor that the step saved first.
struct Firing {
  Text rule;
  StepPlace at;
  std::vector<Violation> violations;  ///< at most `max_violations`
  std::uint64_t total = 0;            ///< how many there were

  /// `ExplodingTensor fired at step 12 (TRAIN 10): gradient/w of worker_0, element 3: …; 4 more`.
  [[nodiscard]] LOUPE_DECL Text sentence() const;
  /// One JSON object on one line, without a line end: rule, step, mode, mode_step, violations, violations_total. Numbers
  /// that JSON doesn't have are strings (`NaN`, `Infinity`).
  LOUPE_DECL void append_json(ByteBuffer& out) const;
};

}  // namespace loupe::inline LOUPE_ABI::rules

// ---- loupe/rules/firing.ipp
#ifndef LOUPE_SINGLE_RULES_FIRING_IPP
#define LOUPE_SINGLE_RULES_FIRING_IPP

namespace loupe::inline LOUPE_ABI::rules {

namespace detail {

inline std::string_view non_finite_name(double number) noexcept {
  return std::isnan(number) ? "NaN" : number > 0 ? "Infinity" : "-Infinity";
}

inline Text number_words(double number) {
  if (!std::isfinite(number)) return non_finite_name(number);
  ByteBuffer digits;
  wire::append_json_number(digits, number);
  return std::as_const(digits).text();
}

inline void write_number(wire::JsonWriter& json, double number) {
  if (std::isfinite(number)) json.number(number);
  else json.string(non_finite_name(number));
}

}  // namespace detail

LOUPE_DECL Text Firing::sentence() const {
  Text sentence = Text::join(rule.view(), " fired at step ", to_text(at.step.value).view());
  if (at.mode.mode != Mode::global)
    sentence = Text::join(sentence.view(), " (", mode_name(at.mode.mode), " ", to_text(at.mode.value).view(), ")");
  if (violations.empty()) return sentence;
  const Violation& first = violations.front();
  sentence = Text::join(sentence.view(), ": ", first.tensor.view());
  if (!first.worker.empty()) sentence = Text::join(sentence.view(), first.tensor.empty() ? "" : " of ", first.worker.view());
  if (first.element) sentence = Text::join(sentence.view(), ", element ", to_text(*first.element).view());
  sentence = Text::join({sentence.view(), first.tensor.empty() && first.worker.empty() ? "" : ": ", first.reason.view(), " (",
                         detail::number_words(first.value).view(), ", threshold ", detail::number_words(first.threshold).view(), ")"});
  if (total > 1) sentence = Text::join(sentence.view(), "; ", to_text(static_cast<long long>(total - 1)).view(), " more");
  return sentence;
}

LOUPE_DECL void Firing::append_json(ByteBuffer& out) const {
  wire::JsonWriter json(out);
  json.begin_object().key("rule").string(rule);
  json.key("step").number(at.step.value).key("mode").string(mode_name(at.mode.mode)).key("mode_step").number(at.mode.value);
  json.key("violations").begin_array();
  for (const Violation& violation : violations) {
    json.begin_object().key("tensor").string(violation.tensor).key("worker").string(violation.worker);
    if (violation.element) json.key("element").number(*violation.element);
    json.key("value");
    detail::write_number(json, violation.value);
    json.key("threshold");
    detail::write_number(json, violation.threshold);
    json.key("reason").string(violation.reason).end_object();
  }
  json.end_array().key("violations_total").number(total).end_object();
}

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_FIRING_IPP
#endif  // LOUPE_SINGLE_RULES_FIRING_HPP

namespace loupe::inline LOUPE_ABI::rules {

/// How one rule of a judge is run.
struct RuleTerms {
  std::int64_t start_step = 0;                   ///< the first global step that it judges
  std::optional<std::int64_t> end_step = {};     ///< the first that it doesn't judge any more
  bool ends_at_first_firing = false;             ///< as the managed service's debugger rules do
};

/// What came of a rule so far.
struct RuleRecord {
  std::string_view name;
  std::uint64_t firings = 0;
  std::uint64_t violations = 0;
  std::uint64_t datapoints = 0;                  ///< values looked at; with none, no issue means nothing
  std::optional<Firing> last;
  std::span<const Text> warnings;
  bool has_ended = false;                        ///< looks at no further step
};

/// Some rules at work. One thread at a time.
class Judge {
 public:
  /// Adds a rule; `invalid_argument` if its parameters or terms are out of range, or another has its name.
  LOUPE_DECL result<void> add(Rule rule, RuleTerms terms = {});

  /// The number of a tensor's name.
  [[nodiscard]] std::uint32_t number_of(std::string_view tensor) { return names_.find_or_add(tensor).id; }
  /// What the rules together want of a tensor. Asks each rule once; the directory must know the tensor's collections by
  /// then.
  LOUPE_DECL const Wanted& wanted(std::uint32_t tensor, const Directory& directory);

  LOUPE_DECL void begin_step(const StepPlace& at);
  /// Shows a tensor of the step that is wanted. Its number must be of `number_of`.
  LOUPE_DECL void look(const Evidence& evidence);
  /// Ends the step. What fired stays until the next step begins.
  LOUPE_DECL std::span<const Firing> end_step();
  /// Nothing new has come by now; rules of time may fire.
  LOUPE_DECL std::span<const Firing> idle(std::int64_t monotonic_ns);

  [[nodiscard]] std::size_t size() const noexcept { return runs_.size(); }
  /// Whether no rule looks at any further step.
  [[nodiscard]] LOUPE_DECL bool has_ended() const noexcept;
  [[nodiscard]] LOUPE_DECL RuleRecord record(std::size_t rule) const;
  [[nodiscard]] std::string_view tensor_name(std::uint32_t number) const noexcept { return names_[number]; }

 private:
  struct Run {
    Rule rule;
    RuleTerms terms;
    Findings findings;
    std::optional<Firing> last;
    std::uint64_t firings = 0;
    std::uint64_t violations = 0;
    bool is_due = false;     ///< the open step is within its terms
    bool has_ended = false;
  };
  struct Known {
    Wanted wanted;
    std::vector<std::uint32_t> runs;  ///< of the rules that want it
    bool is_decided = false;
  };
  void take(Run& run, Outcome outcome, const StepPlace& at);

  NameTable names_;
  std::vector<Known> known_;  ///< by tensor
  std::vector<Run> runs_;
  std::vector<Firing> firings_;
  StepPlace at_;
};

}  // namespace loupe::inline LOUPE_ABI::rules

// ---- loupe/rules/judge.ipp
#ifndef LOUPE_SINGLE_RULES_JUDGE_IPP
#define LOUPE_SINGLE_RULES_JUDGE_IPP

namespace loupe::inline LOUPE_ABI::rules {

LOUPE_DECL result<void> Judge::add(Rule rule, RuleTerms terms) {
  LOUPE_TRY(rule.check());
  for (const Run& run : runs_)
    if (run.rule.name() == rule.name())
      return fail(ErrorKind::invalid_argument, Text::join("rule ", rule.name()), "there is another rule of that name");
  if (terms.start_step < 0)
    return fail(ErrorKind::invalid_argument, Text::join(rule.name(), ": start_step"), "it must be at least 0");
  if (terms.end_step && *terms.end_step < terms.start_step)
    return fail(ErrorKind::invalid_argument, Text::join(rule.name(), ": end_step"), "it must not be before start_step");
  if (!known_.empty())
    return fail(ErrorKind::invalid_state, Text::join("rule ", rule.name()), "rules can't be added after the first step");
  runs_.push_back({.rule = std::move(rule), .terms = terms, .findings = {}, .last = {}});
  return {};
}

LOUPE_DECL const Wanted& Judge::wanted(std::uint32_t tensor, const Directory& directory) {
  if (tensor >= known_.size()) known_.resize(std::size_t{tensor} + 1);
  Known& known = known_[tensor];
  if (known.is_decided) return known.wanted;
  const TensorName name{names_[tensor], tensor};
  for (std::uint32_t index = 0; index < runs_.size(); ++index) {
    const Wanted wanted = runs_[index].rule.wants(name, directory);
    if (!wanted.any) continue;
    known.wanted |= wanted;
    known.runs.push_back(index);
  }
  known.is_decided = true;
  return known.wanted;
}

LOUPE_DECL void Judge::begin_step(const StepPlace& at) {
  at_ = at;
  firings_.clear();
  for (Run& run : runs_) {
    run.findings.begin_step();
    if (run.terms.end_step && at.step.value >= *run.terms.end_step) run.has_ended = true;
    run.is_due = !run.has_ended && at.step.value >= run.terms.start_step;
  }
}

LOUPE_DECL void Judge::look(const Evidence& evidence) {
  for (const std::uint32_t index : known_[evidence.tensor.number].runs) {
    Run& run = runs_[index];
    if (run.is_due) run.rule.look(evidence, run.findings);
  }
}

LOUPE_DECL void Judge::take(Run& run, Outcome outcome, const StepPlace& at) {
  if (outcome == Outcome::fired) {
    ++run.firings;
    run.violations += run.findings.total();
    run.last = Firing{run.rule.name(), at, run.findings.take(), run.findings.total()};
    firings_.push_back(*run.last);
    if (run.terms.ends_at_first_firing) run.has_ended = true;
  }
  if (run.rule.has_ended()) run.has_ended = true;
}

LOUPE_DECL std::span<const Firing> Judge::end_step() {
  for (Run& run : runs_) {
    if (!std::exchange(run.is_due, false)) continue;
    take(run, run.rule.conclude(at_, run.findings), at_);
  }
  return firings_;
}

LOUPE_DECL std::span<const Firing> Judge::idle(std::int64_t monotonic_ns) {
  firings_.clear();
  for (Run& run : runs_) {
    if (run.has_ended) continue;
    run.findings.begin_step();
    take(run, run.rule.idle(monotonic_ns, run.findings), at_);
  }
  return firings_;
}

LOUPE_DECL bool Judge::has_ended() const noexcept {
  for (const Run& run : runs_)
    if (!run.has_ended) return false;
  return true;
}

LOUPE_DECL RuleRecord Judge::record(std::size_t rule) const {
  const Run& run = runs_[rule];
  return {run.rule.name(),           run.firings, run.violations, run.findings.datapoints(), run.last,
          run.findings.warnings(), run.has_ended};
}

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_JUDGE_IPP
#endif  // LOUPE_SINGLE_RULES_JUDGE_HPP

namespace loupe::inline LOUPE_ABI::rules {

/// Which steps are judged, and how long steps to come are waited for.
struct EvaluationOptions {
  std::int64_t start_step = 0;                 ///< the first global step
  std::optional<std::int64_t> end_step = {};   ///< the first that is not judged any more; nothing: until the data ends
  bool follows = true;                         ///< waits for steps to come while the run goes on; else ends with what is there
  std::int64_t idle_interval = 1'000'000'000;  ///< nanoseconds between two looks at rules of time while nothing comes
};

/// Why an evaluation ended.
enum class EvaluationEnd : std::uint8_t {
  no_more_data,   ///< the run has ended and all its steps were judged
  end_step,       ///< the last step of interest was judged
  rules_ended,    ///< no rule looks at any further step
  writer_died,    ///< the process that wrote the run is gone without having ended it; what there is was judged
  caught_up,      ///< all that is there by now was judged, and following was not asked for
};

/// Runs a judge over the steps of a trial, in their order, each once. One thread at a time.
class Evaluation {
 public:
  Evaluation(std::shared_ptr<TrialCore> trial, Judge& judge, EvaluationOptions options = {})
      : trial_(std::move(trial)), reader_(trial_), judge_(judge), options_(options), next_(options.start_step), directory_(*trial_) {}

  /// Judges steps until there is a reason to end. `on_firing` is told each firing in the step in which it happens.
  /// Errors: what the storage says, `cancelled` if the trial's interrupt was requested; another call goes on.
  LOUPE_DECL result<EvaluationEnd> run(FunctionRef<void(const Firing&)> on_firing);

  /// The next global step to judge.
  [[nodiscard]] std::int64_t next_step() const noexcept { return next_; }
  [[nodiscard]] std::uint64_t judged_steps() const noexcept { return judged_steps_; }
  /// What could not be read, so was not judged; of each file or tensor at most the first hundred.
  [[nodiscard]] std::span<const Error> problems() const noexcept { return problems_; }

 private:
  /// The collections as the trial's files say.
  class TrialDirectory final : public Directory {
   public:
    explicit TrialDirectory(TrialCore& trial) noexcept : trial_(trial) {}
    [[nodiscard]] bool contains(std::string_view collection, std::string_view tensor) const override {
      return collection == "all" || trial_.collections().contains(collection, tensor);
    }

   private:
    TrialCore& trial_;
  };

  /// Judges the known steps from the next one to `last`.
  LOUPE_DECL std::optional<EvaluationEnd> judge_known(const std::shared_ptr<const Snapshot>& snapshot, std::int64_t last,
                                                      FunctionRef<void(const Firing&)> on_firing);
  LOUPE_DECL void judge_step(const std::shared_ptr<const Snapshot>& snapshot, const StepRecord& step,
                             FunctionRef<void(const Firing&)> on_firing);
  /// Waits for more; false if the writer is gone.
  LOUPE_DECL result<bool> wait_for_more(FunctionRef<void(const Firing&)> on_firing);
  [[nodiscard]] LOUPE_DECL std::uint32_t number_of(const Interned& tensor);

  std::shared_ptr<TrialCore> trial_;
  StepReader reader_;
  Judge& judge_;
  EvaluationOptions options_;
  std::int64_t next_;
  std::uint64_t judged_steps_ = 0;
  TrialDirectory directory_;
  std::vector<std::uint32_t> numbers_;  ///< by the trial's own number of a tensor
  std::vector<Error> problems_;
};

/// Judges the steps of a trial, waiting for more while it is written. The trial must be open.
template <class TrialType>
result<EvaluationEnd> evaluate(const TrialType& trial, Judge& judge, FunctionRef<void(const Firing&)> on_firing,
                               EvaluationOptions options = {}) {
  if (!trial.core()) return fail(trial.core().error());
  return Evaluation(*trial.core(), judge, options).run(on_firing);
}

}  // namespace loupe::inline LOUPE_ABI::rules

// ---- loupe/rules/evaluation.ipp
#ifndef LOUPE_SINGLE_RULES_EVALUATION_IPP
#define LOUPE_SINGLE_RULES_EVALUATION_IPP

// ---- loupe/rules/writer_process.hpp
#ifndef LOUPE_SINGLE_RULES_WRITER_PROCESS_HPP
#define LOUPE_SINGLE_RULES_WRITER_PROCESS_HPP
/// @file
/// Whether the process that writes a trial is still there.

namespace loupe::inline LOUPE_ABI::rules {

/// Whether a trial's folder is claimed by a process of this host that no longer runs. False where that can't be known: the
/// trial is of several workers, of another host, or written by another program.
inline bool writer_is_gone(const AnyStorage& storage) {
  ByteBuffer line;
  if (!storage.read(format::claim_key, {}, line)) return false;
  const auto owner = ClaimOwner::parse(line.text());
  return owner && owner->state() == ClaimOwner::State::gone;
}

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_WRITER_PROCESS_HPP

namespace loupe::inline LOUPE_ABI::rules {

LOUPE_DECL std::uint32_t Evaluation::number_of(const Interned& tensor) {
  constexpr std::uint32_t unknown = UINT32_MAX;
  if (tensor.number >= numbers_.size()) numbers_.resize(std::size_t{tensor.number} + 1, unknown);
  std::uint32_t& number = numbers_[tensor.number];
  if (number == unknown) number = judge_.number_of(tensor.name);
  return number;
}

LOUPE_DECL void Evaluation::judge_step(const std::shared_ptr<const Snapshot>& snapshot, const StepRecord& step,
                                       FunctionRef<void(const Firing&)> on_firing) {
  const StepPlace at{Step(step.step), {step.mode, step.mode_step}};
  judge_.begin_step(at);
  reader_.read(
      snapshot, step,
      [&](const Interned& tensor) -> TensorRequest {
        const Wanted& wanted = judge_.wanted(number_of(tensor), directory_);
        return {wanted.any, wanted.statistics};
      },
      [&](const SavedTensor& saved) {
        judge_.look({{saved.tensor->name, number_of(*saved.tensor)}, saved.worker->name, at, saved.value, saved.reduced});
      },
      [&](const Error& error) {
        constexpr std::size_t max_problems = 100;
        if (problems_.size() < max_problems) problems_.push_back(error);
      });
  for (const Firing& firing : judge_.end_step()) on_firing(firing);
  ++judged_steps_;
}

LOUPE_DECL std::optional<EvaluationEnd> Evaluation::judge_known(const std::shared_ptr<const Snapshot>& snapshot, std::int64_t last,
                                                                FunctionRef<void(const Firing&)> on_firing) {
  const std::vector<std::int64_t> steps = snapshot->steps(Mode::global, Steps::with_incomplete);
  for (auto step = std::lower_bound(steps.begin(), steps.end(), next_); step != steps.end() && *step <= last; ++step) {
    if (options_.end_step && *step >= *options_.end_step) return EvaluationEnd::end_step;
    const StepRecord* const record = snapshot->step(*step);
    next_ = *step + 1;
    if (record != nullptr) judge_step(snapshot, *record, on_firing);
    if (judge_.has_ended()) return EvaluationEnd::rules_ended;
  }
  if (options_.end_step && next_ >= *options_.end_step) return EvaluationEnd::end_step;
  return std::nullopt;
}

LOUPE_DECL result<bool> Evaluation::wait_for_more(FunctionRef<void(const Firing&)> on_firing) {
  const WaitSettings& wait = trial_->wait_settings();
  const std::string_view prefixes[] = {format::index_prefix, format::end_marker_key};
  const std::int64_t now = wait.clock->monotonic_ns();
  for (const Firing& firing : judge_.idle(now)) on_firing(firing);
  const auto known = trial_->snapshot();
  const auto has_more = [&]() -> result<bool> {
    LOUPE_TRY(trial_->follower().refresh_if_due());
    const auto latest = trial_->snapshot();
    return latest->loaded_all() || latest->last_complete_step() > known->last_complete_step();
  };
  const auto outcome = poll_until(trial_->storage(), prefixes, wait, now + options_.idle_interval, "a step", has_more);
  if (outcome || outcome.error().kind != ErrorKind::timeout) return outcome ? result<bool>(true) : fail(outcome.error());
  return !writer_is_gone(trial_->storage());
}

LOUPE_DECL result<EvaluationEnd> Evaluation::run(FunctionRef<void(const Firing&)> on_firing) {
  LOUPE_TRY(trial_->follower().refresh_if_due());
  while (true) {
    const auto snapshot = trial_->snapshot();
    const bool is_last = snapshot->loaded_all();
    // A step that a worker has not written yet waits, and so do those behind it, for rules see steps in order.
    if (const auto end = judge_known(snapshot, is_last ? INT64_MAX : snapshot->last_complete_step(), on_firing)) return *end;
    if (is_last) return EvaluationEnd::no_more_data;
    if (!options_.follows) return EvaluationEnd::caught_up;
    LOUPE_ASSIGN(const bool may_come, wait_for_more(on_firing));
    if (may_come) continue;
    LOUPE_TRY(trial_->follower().refresh());
    if (const auto end = judge_known(trial_->snapshot(), INT64_MAX, on_firing)) return *end;
    return EvaluationEnd::writer_died;
  }
}

}  // namespace loupe::inline LOUPE_ABI::rules
#endif  // LOUPE_SINGLE_RULES_EVALUATION_IPP
#endif  // LOUPE_SINGLE_RULES_EVALUATION_HPP
// ---- loupe/frameworks/span.hpp
#ifndef LOUPE_SINGLE_FRAMEWORKS_SPAN_HPP
#define LOUPE_SINGLE_FRAMEWORKS_SPAN_HPP
/// @file
/// The framework of loops without a framework: spans, vectors, arrays, single numbers, and views.

namespace loupe::inline LOUPE_ABI::frameworks {

/// Contiguous memory of elements with `data()` and `size()`: `std::span`, `std::vector`, `std::array`. Not text, which is
/// one value: hand it to `save_scalar`.
template <class Range>
concept ContiguousElements = requires(const Range& range) {
  { *range.data() } -> std::convertible_to<const std::remove_cvref_t<decltype(*range.data())>&>;
  { range.size() } -> std::convertible_to<std::size_t>;
  requires Element<std::remove_cvref_t<decltype(*range.data())>>;
} && !std::convertible_to<const Range&, std::string_view>;

/// Raw memory. A span is a rank-1 tensor; for other shapes hand a `TensorView`. A number is a tensor of rank 0.
struct Span {
  static constexpr std::string_view name = "span";
  using Tensor = std::span<const float>;

  static TensorView view(const TensorView& tensor) noexcept { return tensor; }
  template <ContiguousElements Range>
  static TensorView view(const Range& range) noexcept {
    using Type = std::remove_cvref_t<decltype(*range.data())>;
    return {range.data(), element_type_of<Type>, {static_cast<std::int64_t>(range.size())}};
  }
  template <Element Number>
    requires std::is_arithmetic_v<Number>
  static TensorView view(const Number& number) noexcept {
    return {&number, element_type_of<Number>, Shape()};
  }
  /// Users of raw memory may name their tensors as they like, so every collection can be filled.
  static constexpr bool fills(std::string_view) noexcept { return true; }
};

}  // namespace loupe::inline LOUPE_ABI::frameworks
#endif  // LOUPE_SINGLE_FRAMEWORKS_SPAN_HPP
// ---- loupe/hook.hpp
#ifndef LOUPE_SINGLE_HOOK_HPP
#define LOUPE_SINGLE_HOOK_HPP
/// @file
/// `loupe::Hook` with all that is needed to construct one that writes to the local file system.

#endif  // LOUPE_SINGLE_HOOK_HPP
// ---- loupe/probe.hpp
#ifndef LOUPE_SINGLE_PROBE_HPP
#define LOUPE_SINGLE_PROBE_HPP
/// @file
/// What model code includes: `loupe::HookRef`, the cheapest header of loupe.

#endif  // LOUPE_SINGLE_PROBE_HPP
// ---- loupe/trial.hpp
#ifndef LOUPE_SINGLE_TRIAL_HPP
#define LOUPE_SINGLE_TRIAL_HPP
/// @file
/// `loupe::Trial` with all that is needed to open one from the local file system.

#endif  // LOUPE_SINGLE_TRIAL_HPP
#endif  // LOUPE_SINGLE_LOUPE_HPP
