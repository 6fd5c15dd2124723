#pragma once
/// @file
/// A folder for files that a benchmark writes, on the disk of the working directory: /tmp may be memory.

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace benchmarks {

/// A new folder below the working directory; removed with all that is in it.
class TemporaryFolder {
 public:
  TemporaryFolder() : path_("loupe-benchmark-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no folder can be made in the working directory");
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Removes the files whose names end in `suffix` from all folders below; the folders stay.
  void remove_files(std::string_view suffix) const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path_))
      if (entry.is_regular_file() && entry.path().native().ends_with(suffix)) std::filesystem::remove(entry.path());
  }

 private:
  std::string path_;
};

}  // namespace benchmarks
