#pragma once
/// @file
/// Where tests find their data files.

#include <cstdlib>
#include <string>
#include <string_view>

/// The path of a file or folder below tests/data: ctest says where that is, otherwise it is looked for from the
/// repository's root.
inline std::string test_data(std::string_view relative) {
  const char* root = std::getenv("LOUPE_TEST_DATA");
  return std::string(root != nullptr ? root : "tests/data").append("/").append(relative);
}
