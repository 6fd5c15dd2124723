#pragma once
/// @file
/// The files of a trial's folder.

#include <string>
#include <vector>

namespace conformance {

/// Paths below the folder, sorted.
std::vector<std::string> files_below(const std::string& folder);

/// The same with the process and host in the names of TensorBoard's files masked, as the documents show them.
std::vector<std::string> masked_files(const std::string& folder);

/// The bytes of a file; empty if it can't be read.
std::string read_file(const std::string& path);

/// Copies all files of one folder into another, which is made if need be.
void copy_files(const std::string& from, const std::string& into);

/// A new empty folder, removed with all that is in it when the object goes.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace conformance
