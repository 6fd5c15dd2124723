#include "loupe/storage/local.hpp"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

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
