#include <charconv>
#include <string_view>

#include "loupe/trial/trial_options.hpp"

namespace loupe::inline LOUPE_ABI {
namespace detail {

inline constexpr std::int64_t nanoseconds_per_second = 1'000'000'000;

/// A given option, else a variable times `unit`, else `fallback` times `unit`.
inline result<std::int64_t> settle_one(const Environment& environment, std::string_view option, std::string_view variable,
                                       const std::optional<std::int64_t>& given, std::int64_t unit, std::int64_t fallback) {
  if (given) {
    if (*given < 0) return fail(ErrorKind::invalid_argument, option, "must not be negative");
    return *given;
  }
  const auto text = environment.get(variable);
  if (!text) return fallback * unit;
  std::string_view digits = *text;
  while (!digits.empty() && digits.front() == ' ') digits.remove_prefix(1);
  while (!digits.empty() && digits.back() == ' ') digits.remove_suffix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 0 || number > INT64_MAX / 2 / unit)
    return fail(ErrorKind::invalid_argument, variable, "must be a whole number that is not negative");
  return number * unit;
}

}  // namespace detail

LOUPE_DECL Text trial_root(std::string_view path, const Environment& environment) {
  constexpr std::string_view blanks = " \t\n\r\f\v";
  const std::size_t first = path.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  path = path.substr(first, path.find_last_not_of(blanks) - first + 1);
  if (path == "~" || path.starts_with("~/"))
    if (const auto home = environment.get("HOME")) return Text::join(*home, path.substr(1));
  return path;
}

LOUPE_DECL result<TrialTunables> settle(const TrialOptions& options) {
  LOUPE_TRY(options.range.validate());
  TrialTunables settled;
  LOUPE_ASSIGN(settled.end_delay, detail::settle_one(options.environment, "end_delay", "SMDEBUG_TRAINING_END_DELAY_REFRESH",
                                                     options.end_delay, detail::nanoseconds_per_second, 1));
  LOUPE_ASSIGN(settled.incomplete_window,
               detail::settle_one(options.environment, "incomplete_window", "SMDEBUG_INCOMPLETE_STEP_WAIT_WINDOW",
                                  options.incomplete_window, 1, 1000));
  LOUPE_ASSIGN(settled.missing_event_deadline,
               detail::settle_one(options.environment, "missing_event_deadline", "SMDEBUG_MISSING_EVENT_FILE_RETRY_LIMIT",
                                  options.missing_event_deadline, 2 * detail::nanoseconds_per_second, 100));
  if (options.open_deadline < 0) return fail(ErrorKind::invalid_argument, "open_deadline", "must not be negative");
  if (options.poll_interval <= 0) return fail(ErrorKind::invalid_argument, "poll_interval", "must be positive");
  return settled;
}

}  // namespace loupe::inline LOUPE_ABI
