#include "loupe/storage/local.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <initializer_list>
#include <utility>

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
