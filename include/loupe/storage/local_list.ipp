#include "loupe/storage/local.hpp"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

namespace loupe::inline LOUPE_ABI {

namespace detail {

/// Which files a walk is for.
enum class LocalFiles : std::uint8_t { published, unfinished };

/// Walks a tree of directories in the order of the keys' bytes.
class LocalLister {
 public:
  LocalLister(const Text& root, LocalFiles files, std::string_view prefix, std::string_view start_after, ListSink sink) noexcept
      : root_(root), prefix_(prefix), start_after_(start_after), sink_(sink), files_(files) {}

  /// Lists below the directory whose keys begin with `base` (empty or ending in a slash); false if the sink had enough.
  result<bool> list(const std::string& base) {
    std::vector<std::string> names;  // of directories, these end in a slash: so their keys sort where they belong
    const std::string path = std::string(root_.view()) + "/" + base;
    DIR* const directory = ::opendir(path.c_str());
    if (directory == nullptr) {
      // The last: too long for any key to name what is in it.
      if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG) return true;
      return system_failure(base.empty() ? root_.view() : std::string_view(base), "the directory can't be listed", errno);
    }
    while (true) {
      errno = 0;
      const dirent* const entry = ::readdir(directory);
      if (entry == nullptr) break;
      std::string name = entry->d_name;
      if (name == "." || name == ".." || !keep(base, name, entry->d_type, path)) continue;
      names.push_back(std::move(name));
    }
    const int number = errno;
    ::closedir(directory);
    if (number != 0) return system_failure(base.empty() ? root_.view() : std::string_view(base), "the directory can't be read", number);
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) {
      const std::string key = base + name;
      if (name.back() == '/') {
        LOUPE_ASSIGN(const bool goes_on, list(key));
        if (!goes_on) return false;
      } else if (!sink_(ObjectInfo{.key = key})) {
        return false;
      }
    }
    return true;
  }

 private:
  /// Whether an entry is listed or searched; appends the slash of a directory.
  bool keep(const std::string& base, std::string& name, unsigned char type, const std::string& path) const {
    if (type == DT_UNKNOWN) {
      struct ::stat about {};
      if (::lstat((path + name).c_str(), &about) != 0) return false;
      type = S_ISDIR(about.st_mode) ? DT_DIR : S_ISREG(about.st_mode) ? DT_REG : DT_UNKNOWN;
    }
    if (type == DT_REG) {
      const std::string key = base + name;
      const LocalFiles kind = name.ends_with(".tmp") ? LocalFiles::unfinished : LocalFiles::published;
      return kind == files_ && key.starts_with(prefix_) && key > start_after_;
    }
    if (type != DT_DIR) return false;
    name += '/';
    const std::string key = base + name;
    const bool may_have_prefix = key.starts_with(prefix_) || prefix_.starts_with(key);
    return may_have_prefix && (key > start_after_ || start_after_.starts_with(key));
  }

  const Text& root_;
  std::string_view prefix_;
  std::string_view start_after_;
  ListSink sink_;
  LocalFiles files_;
};

inline result<void> list_local(const Text& root, LocalFiles files, std::string_view prefix, std::string_view start_after,
                               ListSink sink) {
  // Nothing outside of the directory that the prefix names can match, and nothing at all if no key can begin so.
  const auto slash = prefix.find_last_of('/');
  const std::string base(slash == std::string_view::npos ? std::string_view() : prefix.substr(0, slash + 1));
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
