#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "loupe/rules/json_lines_sink.hpp"

namespace loupe::inline LOUPE_ABI::rules {

LOUPE_DECL result<void> JsonLinesSink::fired(const Firing& firing) {
  line_.clear();
  firing.append_json(line_);
  line_.append('\n');
  const auto failed = [&](std::string_view what) {
    return fail(Error{.kind = ErrorKind::io, .object = path_, .detail = what, .os_error = errno});
  };
  const int file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return failed("it can't be opened to append firings");
  const ssize_t written = ::write(file, line_.data(), line_.size());
  const bool is_whole = written == static_cast<ssize_t>(line_.size());
  if (written >= 0 && !is_whole) errno = ENOSPC;
  result<void> outcome;
  if (!is_whole) outcome = failed("a firing can't be written");
  ::close(file);
  return outcome;
}

}  // namespace loupe::inline LOUPE_ABI::rules
