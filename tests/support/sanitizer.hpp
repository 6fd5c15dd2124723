#pragma once
/// @file
/// What a sanitizer changes for a test.

#if defined(__SANITIZE_ADDRESS__)
#define LOUPE_TEST_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LOUPE_TEST_HAS_ASAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LOUPE_TEST_IS_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define LOUPE_TEST_IS_SANITIZED 1
#endif
#endif

/// Whether a forked child may wait for ever for the allocator's lock, if another thread had it at the fork.
#if defined(LOUPE_TEST_HAS_ASAN)
inline constexpr bool forks_need_idle_threads = true;
#else
inline constexpr bool forks_need_idle_threads = false;
#endif

/// Whether an allocation larger than any memory ends the process instead of failing.
#if defined(LOUPE_TEST_IS_SANITIZED)
inline constexpr bool huge_allocations_end_the_process = true;
#else
inline constexpr bool huge_allocations_end_the_process = false;
#endif
