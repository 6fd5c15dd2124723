#include "conformance/folder.hpp"

#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace conformance {

namespace files = std::filesystem;

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& entry : files::recursive_directory_iterator(folder))
    if (entry.is_regular_file()) found.push_back(entry.path().lexically_relative(folder).generic_string());
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> masked_files(const std::string& folder) {
  std::vector<std::string> found = files_below(folder);
  for (std::string& file : found) {
    const std::size_t underscore = file.find('_', file.rfind('/') + 1);
    if (file.starts_with("tensorboard/") && file.ends_with(".tfevents") && underscore != std::string::npos)
      file.replace(underscore, std::string::npos, "_<pid>_<host>.tfevents");
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void copy_files(const std::string& from, const std::string& into) {
  for (const std::string& file : files_below(from)) {
    const files::path target = files::path(into) / file;
    files::create_directories(target.parent_path());
    files::copy_file(files::path(from) / file, target, files::copy_options::overwrite_existing);
  }
}

TemporaryFolder::TemporaryFolder() : path_((files::temp_directory_path() / "loupe-XXXXXX").string()) {
  if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no temporary folder could be made");
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  files::remove_all(path_, ignored);
}

}  // namespace conformance
