#include "loupe/storage/local.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

namespace loupe::inline LOUPE_ABI {

namespace detail {

/// The directory that a path lies in.
inline Text directory_of(std::string_view path) {
  const auto slash = path.find_last_of('/');
  if (slash == std::string_view::npos) return ".";
  return path.substr(0, slash == 0 ? 1 : slash);
}

inline bool sync_directory(const Text& path) noexcept {
  const OpenFile directory(open_retrying(path.c_str(), O_RDONLY | O_DIRECTORY));
  return directory.get() >= 0 && ::fsync(directory.get()) == 0;
}

/// Creates the directories above a path that are missing; false with errno if one can't be. `syncs`: their names
/// survive a crash of the machine.
inline bool create_parents(std::string_view path, bool syncs) {
  const Text parent = directory_of(path);
  if (::mkdir(parent.c_str(), 0777) != 0) {
    if (errno == EEXIST) return true;
    if (errno != ENOENT || parent.size() >= path.size() || !create_parents(parent, syncs)) return false;
    if (::mkdir(parent.c_str(), 0777) != 0) return errno == EEXIST;
  }
  return !syncs || sync_directory(directory_of(parent));
}

/// Takes the lock of an open file; false if another has it. Where a file system has no locks everybody gets one.
inline bool try_lock(int descriptor) noexcept {
  return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

/// Whether the open file still stands at `path`.
inline bool is_at(int descriptor, const Text& path) noexcept {
  struct ::stat opened{};
  struct ::stat named{};
  return ::fstat(descriptor, &opened) == 0 && ::lstat(path.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}

/// Removes what a killed writer, or somebody else, has left where a temporary file is to stand. False if it is being
/// written or can't be removed.
inline bool remove_leftover(const Text& path) noexcept {
  const OpenFile file(open_retrying(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOFOLLOW));
  if (file.get() < 0 && errno != ELOOP && errno != ENXIO) return errno == ENOENT;  // those two: a link, a FIFO
  if (file.get() >= 0) {
    if (!try_lock(file.get())) return false;
    if (!is_at(file.get(), path)) return true;  // it was published while this function opened it
  }
  return ::unlink(path.c_str()) == 0 || errno == ENOENT;
}

/// Creates an empty file to write, `<path>.tmp`, with the directories it needs; -1 with errno if that fails. Its writer
/// holds its lock until it is renamed, so nobody takes it for a leftover; where another writer holds that of
/// `<path>.tmp` it is `<path>.1.tmp`, and so on. `name` gets its path.
inline int create_temporary(const Text& path, bool syncs, Text& name) {
  int missing_parents = 0;
  int number = 0;
  for (int attempt = 0; attempt < 1000; ++attempt) {
    name = number == 0 ? Text::join(path.view(), ".tmp") : Text::join(path.view(), ".", to_text(number).view(), ".tmp");
    const int descriptor = open_retrying(name.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0666);
    if (descriptor >= 0) {
      if (try_lock(descriptor) && is_at(descriptor, name)) return descriptor;
      ::close(descriptor);  // another took it for a leftover before it was locked
    } else if (errno == ENOENT) {
      // Somebody may remove directories as fast as they are created, or a link may lead nowhere.
      if (++missing_parents > 10 || !create_parents(path, syncs)) return -1;
    } else if (errno != EEXIST) {
      return -1;
    } else if (!remove_leftover(name)) {
      ++number;
    }
  }
  errno = EBUSY;
  return -1;
}

/// Reserves the room that a large piece needs. Disk file systems then find a place for all of it at once instead of for
/// page after page. What it can't do, a full disk included, the write that follows does or reports.
inline void reserve(int descriptor, std::uint64_t offset, std::size_t size) noexcept {
#ifdef __linux__
  constexpr std::size_t large = std::size_t{1} << 20;
  if (size >= large) (void)::fallocate(descriptor, 0, static_cast<off_t>(offset), static_cast<off_t>(size));
#endif
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

/// Dates a file by the clock. The kernel does that by the tick, several milliseconds, and the number of a file that was
/// just replaced is given to the next: then a file could look the same as the one before the last.
inline void set_time(int descriptor) noexcept {
  timespec times[2] = {{0, UTIME_OMIT}, {0, 0}};
  if (::clock_gettime(CLOCK_REALTIME, &times[1]) == 0) (void)::futimens(descriptor, times);  // a file system may refuse
}

/// Renames a file unless something has the new name; false with errno.
inline bool rename_if_absent(const Text& from, const Text& to) noexcept {
  // Of several links to one name one succeeds. FAT and some networks have no links.
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0 || errno == ENOENT;
#ifdef RENAME_NOREPLACE
  if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS)
    return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0;
#endif
  return false;
}

/// Learns of writes that failed late: network file systems report them when a descriptor is closed, and the file's own
/// keeps the lock until the file has its name.
inline bool close_a_copy(int descriptor) noexcept {
  const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
  return copy < 0 || ::close(copy) == 0;  // without one to spare nothing is learned
}

}  // namespace detail

LOUPE_DECL result<LocalStorage::Staged> LocalStorage::stage(std::string_view key) const {
  LOUPE_ASSIGN(Text path, path_of(key));
  if (key.ends_with(".tmp"))
    return fail(ErrorKind::invalid_argument, key, "names that end in .tmp are those of unfinished files");
  Text temporary;
  const int descriptor = detail::create_temporary(path, durability_ == Durability::data_and_directory, temporary);
  if (descriptor < 0) return detail::system_failure(key, temporary, "its temporary file can't be created", errno);
  return Staged(std::move(path), std::move(temporary), key, descriptor, durability_);
}

LOUPE_DECL LocalStorage::Staged::~Staged() {
  if (descriptor_ >= 0) drop();
}

LOUPE_DECL void LocalStorage::Staged::drop() noexcept {
  ::unlink(temporary_.c_str());
  ::close(std::exchange(descriptor_, -1));
}

LOUPE_DECL result<std::uint64_t> LocalStorage::Staged::append(std::span<const std::byte> bytes) {
  if (descriptor_ < 0) return fail(ErrorKind::invalid_state, key_, "it was committed before, or a write to it failed");
  const std::uint64_t offset = size_;
  detail::reserve(descriptor_, offset, bytes.size());
  if (!detail::write_all(descriptor_, bytes)) return failed("it can't be written");
  size_ += bytes.size();
  return offset;
}

LOUPE_DECL unexpected<Error> LocalStorage::Staged::failed(std::string_view action) {
  const int number = errno;
  drop();
  return detail::system_failure(key_, path_, action, number);
}

LOUPE_DECL result<void> LocalStorage::Staged::publish(PutMode mode) {
  if (descriptor_ < 0) return fail(ErrorKind::invalid_state, key_, "it was committed before, or a write to it failed");
  detail::set_time(descriptor_);
  if (durability_ != Durability::none && ::fdatasync(descriptor_) != 0) return failed("it can't be synchronised");
  if (!detail::close_a_copy(descriptor_)) return failed("it can't be written");
  const bool is_published = mode == PutMode::if_absent ? detail::rename_if_absent(temporary_, path_)
                                                       : ::rename(temporary_.c_str(), path_.c_str()) == 0;
  if (!is_published)
    return failed(mode == PutMode::if_absent && errno == EEXIST ? "there is such a file" : "it can't be published");
  ::close(std::exchange(descriptor_, -1));
  if (durability_ == Durability::data_and_directory && !detail::sync_directory(detail::directory_of(path_)))
    return detail::system_failure(key_, path_, "its directory can't be synchronised", errno);
  return {};
}

LOUPE_DECL result<void> LocalStorage::put(std::string_view key, std::span<const std::byte> bytes, PutMode mode) const {
  LOUPE_ASSIGN(Staged staged, stage(key));
  LOUPE_TRY(staged.append(bytes));
  return staged.publish(mode);
}

}  // namespace loupe::inline LOUPE_ABI
