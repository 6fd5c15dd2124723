#pragma once
/// @file
/// What a fuzz target includes. A target is one function that takes any bytes and must neither crash nor hang:
///
/// ```cpp
/// #include "fuzz/driver.hpp"
///
/// extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
///   const std::string_view text = fuzz::text(data, size);
///   …parse it; fuzz::require(property, "what must hold");
///   return 0;
/// }
/// ```
///
/// tests/fuzz/NAME_fuzz.cpp becomes the program fuzz_NAME, with seeds in tests/fuzz/corpus/NAME. Usually driver.cpp is
/// its main function: `fuzz_NAME [--seconds N] [--runs N] [--seed S] [FILE or FOLDER ...]` runs the seeds, and then
/// mutations of them. The same seed makes the same inputs in the same order. With LOUPE_LIBFUZZER it is libFuzzer's.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace fuzz {

inline std::string_view text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

inline std::span<const std::byte> bytes(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

/// Ends the program, as a crash would, if something that must hold doesn't.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: violated: %s\n", what);
  std::abort();
}

}  // namespace fuzz
