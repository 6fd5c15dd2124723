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
