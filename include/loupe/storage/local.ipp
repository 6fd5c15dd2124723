#include "loupe/storage/local.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace loupe::inline LOUPE_ABI {

namespace detail {

/// A refused system call as an error; `key` says of what.
inline unexpected<Error> system_failure(std::string_view key, std::string_view action, int number) {
  const ErrorKind kind = number == ENOENT || number == ENOTDIR                     ? ErrorKind::not_found
                         : number == EACCES || number == EPERM || number == EROFS  ? ErrorKind::permission_denied
                         : number == ENOSPC || number == EDQUOT                    ? ErrorKind::no_space
                         : number == ENAMETOOLONG                                  ? ErrorKind::invalid_argument
                         : number == EEXIST                                        ? ErrorKind::already_exists
                                                                                   : ErrorKind::io;
  return fail(Error{.kind = kind, .object = key, .detail = action, .os_error = number});
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

inline int open_retrying(const char* path, int flags, mode_t mode = 0) noexcept {
  int descriptor;
  do descriptor = ::open(path, flags | O_CLOEXEC, mode);
  while (descriptor < 0 && errno == EINTR);
  return descriptor;
}

/// Creates the directories above a path that are missing; false with errno if one can't be.
inline bool create_parents(std::string_view path) {
  const auto slash = path.find_last_of('/');
  if (slash == std::string_view::npos || slash == 0) return true;
  const Text parent = path.substr(0, slash);
  if (::mkdir(parent.c_str(), 0777) == 0 || errno == EEXIST) return true;
  if (errno != ENOENT || !create_parents(parent)) return false;
  return ::mkdir(parent.c_str(), 0777) == 0 || errno == EEXIST;
}

/// Opens a file to write it anew, with the directories it needs.
inline int open_to_write(const Text& path, int further_flags) {
  const int flags = O_WRONLY | O_CREAT | further_flags;
  const int descriptor = open_retrying(path.c_str(), flags, 0666);
  if (descriptor >= 0 || errno != ENOENT || !create_parents(path)) return descriptor;
  return open_retrying(path.c_str(), flags, 0666);
}

/// Writes all bytes; false with errno.
inline bool write_all(int descriptor, std::span<const std::byte> bytes) noexcept {
  constexpr std::size_t at_once = std::size_t{1} << 30;  // Linux writes at most 0x7ffff000 bytes in a call
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size() < at_once ? bytes.size() : at_once);
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

/// Opens an object's file to read it, and says how large it is.
inline result<int> open_object(const Text& path, std::string_view key, struct stat& about) {
  const int descriptor = open_retrying(path.c_str(), O_RDONLY | O_NONBLOCK);
  if (descriptor < 0) return system_failure(key, "it can't be opened", errno);
  if (::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode)) return descriptor;
  ::close(descriptor);
  return fail(ErrorKind::not_found, key, "it is not a file");
}

inline result<void> sync_directory_of(const Text& path, std::string_view key) {
  const auto slash = path.view().find_last_of('/');
  const Text directory = slash == std::string_view::npos ? Text(".") : Text(path.view().substr(0, slash == 0 ? 1 : slash));
  const OpenFile opened(open_retrying(directory.c_str(), O_RDONLY | O_DIRECTORY));
  if (opened.get() < 0 || ::fsync(opened.get()) != 0) return system_failure(key, "its directory can't be synchronised", errno);
  return {};
}

}  // namespace detail

LOUPE_DECL result<ObjectInfo> LocalStorage::stat(std::string_view key) const {
  LOUPE_ASSIGN(const Text path, path_of(key));
  struct ::stat about {};
  if (::stat(path.c_str(), &about) != 0) return detail::system_failure(key, "there is no such file", errno);
  if (!S_ISREG(about.st_mode)) return fail(ErrorKind::not_found, key, "it is not a file");
  const auto nanoseconds = static_cast<std::uint64_t>(about.st_mtim.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(about.st_mtim.tv_nsec);
  const std::uint64_t generation = (nanoseconds ^ (static_cast<std::uint64_t>(about.st_ino) << 20)) * 0x9E3779B97F4A7C15u + static_cast<std::uint64_t>(about.st_size);
  return ObjectInfo{key, static_cast<std::uint64_t>(about.st_size), generation};
}

LOUPE_DECL result<void> LocalStorage::read(std::string_view key, ByteRange range, ByteBuffer& out) const {
  LOUPE_ASSIGN(const Text path, path_of(key));
  struct ::stat about {};
  LOUPE_ASSIGN(const int descriptor, detail::open_object(path, key, about));
  const detail::OpenFile file(descriptor);
  const auto size = static_cast<std::uint64_t>(about.st_size);
  if (range.offset > size)
    return fail_at(ErrorKind::invalid_argument, key, static_cast<std::int64_t>(size), "the offset lies behind the file's end");
  const std::uint64_t wanted = range.length < size - range.offset ? range.length : size - range.offset;
  const std::size_t begin = out.size();
  std::byte* const to = out.extend(static_cast<std::size_t>(wanted));
  std::uint64_t done = 0;
  while (done < wanted) {
    const ssize_t got = ::pread(descriptor, to + done, static_cast<std::size_t>(wanted - done), static_cast<off_t>(range.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      const int number = errno;
      out.truncate(begin);
      return detail::system_failure(key, "it can't be read", number);
    }
    if (got == 0) break;  // it has become shorter meanwhile
    done += static_cast<std::uint64_t>(got);
  }
  out.truncate(begin + static_cast<std::size_t>(done));
  return {};
}

LOUPE_DECL result<MappedBytes> LocalStorage::map(std::string_view key) const {
  LOUPE_ASSIGN(const Text path, path_of(key));
  struct ::stat about {};
  LOUPE_ASSIGN(const int descriptor, detail::open_object(path, key, about));
  const detail::OpenFile file(descriptor);
  if (about.st_size == 0) return MappedBytes();
  const auto size = static_cast<std::size_t>(about.st_size);
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (memory == MAP_FAILED) return detail::system_failure(key, "it can't be mapped", errno);
  return MappedBytes({static_cast<const std::byte*>(memory), size},
                     std::shared_ptr<const void>(memory, [size](const void* mapped) { ::munmap(const_cast<void*>(mapped), size); }));
}

LOUPE_DECL result<LocalStorage::Staged> LocalStorage::stage(std::string_view key) const {
  LOUPE_ASSIGN(Text path, path_of(key));
  const int descriptor = detail::open_to_write(Text::join(path.view(), ".tmp"), O_TRUNC);
  if (descriptor < 0) return detail::system_failure(key, "its temporary file can't be created", errno);
  return Staged(std::move(path), key, descriptor, durability_);
}

LOUPE_DECL LocalStorage::Staged::~Staged() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(Text::join(path_.view(), ".tmp").c_str());
}

LOUPE_DECL result<std::uint64_t> LocalStorage::Staged::append(std::span<const std::byte> bytes) {
  if (descriptor_ < 0) return fail(ErrorKind::invalid_state, key_, "bytes were appended after the commit");
  const std::uint64_t offset = size_;
  if (!detail::write_all(descriptor_, bytes)) return detail::system_failure(key_, "it can't be written", errno);
  size_ += bytes.size();
  return offset;
}

LOUPE_DECL result<void> LocalStorage::Staged::commit() {
  if (descriptor_ < 0) return fail(ErrorKind::invalid_state, key_, "it was committed before");
  const Text temporary = Text::join(path_.view(), ".tmp");
  if (durability_ != Durability::none && ::fdatasync(descriptor_) != 0)
    return detail::system_failure(key_, "it can't be synchronised", errno);
  const bool is_closed = ::close(std::exchange(descriptor_, -1)) == 0;
  if (!is_closed || ::rename(temporary.c_str(), path_.c_str()) != 0) {
    const int number = errno;
    ::unlink(temporary.c_str());
    return detail::system_failure(key_, "it can't be published", number);
  }
  return durability_ == Durability::data_and_directory ? detail::sync_directory_of(path_, key_) : result<void>();
}

LOUPE_DECL result<void> LocalStorage::put(std::string_view key, std::span<const std::byte> bytes, PutMode mode) const {
  if (mode == PutMode::if_absent) return put_if_absent(key, bytes);
  LOUPE_ASSIGN(Staged staged, stage(key));
  LOUPE_TRY(staged.append(bytes));
  return staged.commit();
}

LOUPE_DECL result<void> LocalStorage::put_if_absent(std::string_view key, std::span<const std::byte> bytes) const {
  LOUPE_ASSIGN(const Text path, path_of(key));
  // Written under a name of its own and then linked: whole at once, and of several writers one succeeds.
  Text temporary;
  int descriptor = -1;
  for (int attempt = 0; descriptor < 0; ++attempt) {
    temporary = Text::join(path.view(), ".", to_text(::getpid()).view(), "-", to_text(attempt).view(), ".tmp");
    descriptor = detail::open_to_write(temporary, O_EXCL);
    if (descriptor < 0 && (errno != EEXIST || attempt == 1000)) return detail::system_failure(key, "its temporary file can't be created", errno);
  }
  bool is_written = detail::write_all(descriptor, bytes) && (durability_ == Durability::none || ::fdatasync(descriptor) == 0);
  int number = errno;
  ::close(descriptor);
  if (is_written && ::link(temporary.c_str(), path.c_str()) != 0) {
    is_written = false;
    number = errno;
  }
  ::unlink(temporary.c_str());
  if (!is_written) return detail::system_failure(key, number == EEXIST ? "there is such a file" : "it can't be published", number);
  return durability_ == Durability::data_and_directory ? detail::sync_directory_of(path, key) : result<void>();
}

LOUPE_DECL result<void> LocalStorage::remove(std::string_view key) const {
  LOUPE_ASSIGN(const Text path, path_of(key));
  if (::unlink(path.c_str()) == 0 || errno == ENOENT || errno == ENOTDIR) return {};
  return detail::system_failure(key, "it can't be removed", errno);
}

}  // namespace loupe::inline LOUPE_ABI
