#include "loupe/capture/claim.hpp"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>

#include "loupe/base/byte_buffer.hpp"

namespace loupe::inline LOUPE_ABI {

namespace detail {

LOUPE_DECL Text host_name() {
  char host[256] = {};
  if (::gethostname(host, sizeof host - 1) != 0 || host[0] == '\0') return "localhost";
  return std::string_view(host);
}

/// What the kernel says of a process.
struct ProcessStat {
  char state = '?';
  std::int64_t start_time = 0;
};

/// Reads /proc/<pid>/stat; nothing where there is no such process or no such file system.
inline std::optional<ProcessStat> process_stat(std::int64_t pid) {
  const Text path = Text::join("/proc/", to_text(pid).view(), "/stat");
  std::FILE* const file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return std::nullopt;
  char content[1024];
  const std::size_t size = std::fread(content, 1, sizeof content, file);
  std::fclose(file);
  // The second field, the program's name in parentheses, may itself hold anything; the state is the third, the start
  // time the twenty-second.
  std::string_view rest(content, size);
  const std::size_t name_end = rest.rfind(')');
  if (name_end == std::string_view::npos || rest.size() < name_end + 3) return std::nullopt;
  rest.remove_prefix(name_end + 2);
  ProcessStat stat;
  stat.state = rest[0];
  for (int field = 3; field < 22; ++field) {
    const std::size_t blank = rest.find(' ');
    if (blank == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(blank + 1);
  }
  if (std::from_chars(rest.data(), rest.data() + rest.size(), stat.start_time).ec != std::errc()) return std::nullopt;
  return stat;
}

/// Takes a word off the front of a line.
inline std::string_view take_word(std::string_view& line) noexcept {
  const std::size_t end = line.find(' ');
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return word;
}

inline std::optional<std::int64_t> take_number(std::string_view& line) noexcept {
  const std::string_view word = take_word(line);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (error != std::errc() || end != word.data() + word.size() || number < 0) return std::nullopt;
  return number;
}

inline std::span<const std::byte> as_bytes(std::string_view text) noexcept {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// A name for the claim on taking over a claim of this content.
inline Text takeover_key(std::string_view key, std::string_view content) {
  std::uint64_t hash = 0xCBF29CE484222325u;  // FNV-1a
  for (const char byte : content) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001B3u;
  char digits[17];
  const auto end = std::to_chars(digits, digits + sizeof digits, hash, 16).ptr;
  return Text::join(key, ".", std::string_view(digits, static_cast<std::size_t>(end - digits)));
}

inline unexpected<Error> claimed(const AnyStorage& storage, std::string_view key,
                                 const std::optional<ClaimOwner>& owner) {
  const Text object = Text::join(storage.name().view(), "/", key);
  if (!owner)
    return fail(
        ErrorKind::invalid_state, object,
        "the folder is claimed by smdebug or an unknown program; if none is running, remove the file, or resume or "
        "overwrite the trial");
  return fail(
      ErrorKind::invalid_state, object,
      Text::join("the folder is claimed by process ", to_text(owner->pid).view(), " on host ", owner->host.view(),
                 owner->state() == ClaimOwner::State::running
                     ? ", which is running"
                     : "; if it isn't running, remove the file, or resume or overwrite the trial"));
}

/// How many takeovers of takeovers a claim may take, each left behind by a process that ended within one.
inline constexpr int max_takeovers = 8;

/// How often others may get ahead between two looks at a claim. A directory or a dangling link in its place looks so
/// for ever.
inline constexpr int max_claim_attempts = 1000;

/// Writes the claim of this process to `key`. A stale claim is replaced under a claim on doing so: otherwise a process
/// that has read the stale claim a moment ago could replace the new one.
inline result<void> write_claim(const AnyStorage& storage, std::string_view key, UnknownClaim unknown, int depth) {
  const Text mine = ClaimOwner::this_process().line();
  ByteBuffer found;
  for (int attempt = 0; attempt < max_claim_attempts; ++attempt) {
    auto written = storage.put(key, as_bytes(mine), PutMode::if_absent);
    if (written || written.error().kind != ErrorKind::already_exists) return written;
    found.clear();
    if (auto read = storage.read(key, {}, found); !read) {
      if (read.error().kind == ErrorKind::not_found) continue;
      return read;
    }
    const auto owner = ClaimOwner::parse(found.text());
    const auto state = owner ? owner->state() : ClaimOwner::State::unknown;
    if (state == ClaimOwner::State::running ||
        (state == ClaimOwner::State::unknown && unknown == UnknownClaim::respect) || depth == max_takeovers)
      return claimed(storage, key, owner);
    const Text guard = takeover_key(key, found.text());
    LOUPE_TRY(write_claim(storage, guard, UnknownClaim::respect, depth + 1));
    ByteBuffer now;
    auto outcome = storage.read(key, {}, now);
    const bool is_still_stale = outcome && now.text() == found.text();
    if (is_still_stale) outcome = storage.put(key, as_bytes(mine), PutMode::replace);
    auto unguarded = storage.remove(guard);
    if (is_still_stale) return outcome ? unguarded : outcome;
    if (!outcome && outcome.error().kind != ErrorKind::not_found) return outcome;
  }
  return fail(ErrorKind::invalid_state, Text::join(storage.name().view(), "/", key),
              "the folder can't be claimed: something of the claim's name is there that can't be read");
}

}  // namespace detail

LOUPE_DECL ClaimOwner ClaimOwner::this_process() {
  const std::int64_t pid = ::getpid();
  const auto stat = detail::process_stat(pid);
  return {pid, stat ? stat->start_time : 0, detail::host_name()};
}

LOUPE_DECL std::optional<ClaimOwner> ClaimOwner::parse(std::string_view line) {
  if (!line.empty() && line.back() == '\n') line.remove_suffix(1);
  if (detail::take_word(line) != "loupe" || detail::take_word(line) != "pid") return std::nullopt;
  const auto pid = detail::take_number(line);
  if (!pid || *pid == 0 || detail::take_word(line) != "start") return std::nullopt;
  const auto start_time = detail::take_number(line);
  if (!start_time || detail::take_word(line) != "host" || line.empty()) return std::nullopt;
  return ClaimOwner{*pid, *start_time, line};
}

LOUPE_DECL Text ClaimOwner::line() const {
  return Text::join("loupe pid ", to_text(pid).view(), " start ", to_text(start_time).view(), " host ", host.view(),
                    "\n");
}

LOUPE_DECL ClaimOwner::State ClaimOwner::state() const {
  if (host != detail::host_name()) return State::unknown;
  if (pid > INT32_MAX) return State::gone;
  if (::kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH) return State::gone;
  const auto stat = detail::process_stat(pid);
  if (!stat) return State::running;
  const bool has_ended = stat->state == 'Z' || stat->state == 'X';
  const bool is_another = start_time != 0 && start_time != stat->start_time;
  return has_ended || is_another ? State::gone : State::running;
}

LOUPE_DECL Claim::Claim(AnyStorage storage, Text key)
    : storage_(std::move(storage)), key_(std::move(key)) {}

LOUPE_DECL result<Claim> Claim::acquire(const AnyStorage& storage, std::string_view key, UnknownClaim unknown) {
  LOUPE_TRY(detail::write_claim(storage, key, unknown, 0));
  return Claim(storage, key);
}

LOUPE_DECL result<Claim> Claim::try_acquire_as_smdebug(const AnyStorage& storage, std::string_view key) {
  auto written = storage.put(key, {}, PutMode::if_absent);
  if (written) return Claim(storage, key);
  if (written.error().kind == ErrorKind::already_exists) return Claim();
  return fail(std::move(written).error());
}

LOUPE_DECL result<void> Claim::release() {
  if (!storage_) return {};
  const AnyStorage storage = *std::exchange(storage_, std::nullopt);
  return home_.is_here() ? storage.remove(key_) : result<void>();
}

}  // namespace loupe::inline LOUPE_ABI
