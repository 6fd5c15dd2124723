#include "loupe/format/layout.hpp"

#include "loupe/select/code_points.hpp"

namespace loupe::inline LOUPE_ABI::format {

namespace detail {

/// A number as Python's `format(number, "0<width>")`: the sign counts, a wide number is kept whole.
inline Text padded(std::int64_t number, std::size_t width) {
  const Text digits = to_text(number);
  if (digits.size() >= width) return digits;
  const std::string_view zeros("000000000000", width - digits.size());
  if (number < 0) return Text::join("-", zeros, digits.view().substr(1));
  return Text::join(zeros, digits.view());
}

inline Text step_text(std::int64_t step) { return padded(step, 12); }

inline constexpr std::string_view collections_suffix = "_collections.json";
inline constexpr std::string_view old_collections_suffix = "_collections.ts";

/// Reads `<anything>/<step>_<worker>.<one of the suffixes>`.
inline result<StepWorker> parse_step_worker(std::string_view key, std::string_view suffix, std::string_view other_suffix,
                                            WorkerNames names) {
  const auto refuse = [key](const char* why) { return fail(ErrorKind::index_reader, key, why); };
  const auto slash = key.find_last_of('/');
  if (slash == std::string_view::npos) return refuse("the file lies in no directory of a trial");
  std::string_view name = key.substr(slash + 1);
  if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  else if (!other_suffix.empty() && name.ends_with(other_suffix)) name.remove_suffix(other_suffix.size());
  else return refuse("the file's name has not the ending of its kind");
  std::int64_t step = 0;
  std::size_t digits = 0;
  for (; digits < name.size() && name[digits] >= '0' && name[digits] <= '9'; ++digits) {
    if (step > (INT64_MAX - 9) / 10) return refuse("the step in the file's name is too large");
    step = step * 10 + (name[digits] - '0');
  }
  if (digits == 0 || digits == name.size() || name[digits] != '_') return refuse("the file's name doesn't begin with a step and _");
  const std::string_view worker = name.substr(digits + 1);
  if (worker.empty()) return refuse("the file's name lacks a worker");
  const bool is_escaped = names == WorkerNames::escaped_by_path ? key.find("__") != std::string_view::npos : worker.front() == '_';
  return StepWorker{step, is_escaped ? unescape_worker(worker) : std::string(worker)};
}

}  // namespace detail

LOUPE_DECL Text event_key(std::int64_t step, std::string_view worker) {
  const Text number = detail::step_text(step);
  return Text::join(events_prefix, number.view(), "/", number.view(), "_", worker, ".tfevents");
}

LOUPE_DECL Text index_key(std::int64_t step, std::string_view worker) {
  const std::int64_t bucket = step >= 0 ? step / steps_per_bucket : -((-step + steps_per_bucket - 1) / steps_per_bucket);
  return Text::join(index_prefix, detail::padded(bucket, 9).view(), "/", detail::step_text(step).view(), "_", worker, ".json");
}

LOUPE_DECL Text collections_key(std::string_view worker) {
  return Text::join(collections_prefix, worker, detail::collections_suffix);
}

LOUPE_DECL Text tensorboard_key(Mode mode, std::int64_t step, std::string_view process_on_host) {
  return Text::join(mode_name(mode), "/", detail::step_text(step).view(), "_", process_on_host, ".tfevents");
}

LOUPE_DECL Text escape_worker(std::string_view device) {
  std::string escaped(device);
  for (char& letter : escaped) {
    if (letter == '/') letter = '_';
    else if (letter == ':') letter = '-';
  }
  return escaped;
}

LOUPE_DECL std::string unescape_worker(std::string_view name) {
  std::string device(name);
  for (char& letter : device) {
    if (letter == '_') letter = '/';
    else if (letter == '-') letter = ':';
  }
  return device;
}

LOUPE_DECL result<void> check_worker(std::string_view worker) {
  const auto refuse = [worker](const char* why) { return fail(ErrorKind::invalid_argument, worker.substr(0, 200), why); };
  if (worker.empty()) return refuse("a worker's name must not be empty");
  if (worker.size() > 200) return refuse("a worker's name must not be longer than 200 bytes");
  if (worker.find('/') != std::string_view::npos || worker.find('\0') != std::string_view::npos)
    return refuse("a worker's name must not contain / or NUL; see escape_worker for names of devices");
  if (worker.find("__", 1) != std::string_view::npos)
    return refuse("a worker's name must not contain __, which smdebug takes for the mark of a device's name");
  return {};
}

LOUPE_DECL result<StepWorker> parse_index_key(std::string_view key, WorkerNames names) {
  return detail::parse_step_worker(key, ".json", ".csv", names);
}

LOUPE_DECL result<StepWorker> parse_event_key(std::string_view key, WorkerNames names) {
  return detail::parse_step_worker(key, ".tfevents", {}, names);
}

LOUPE_DECL std::optional<std::string> parse_collections_key(std::string_view key) {
  std::string_view name = key.substr(key.find_last_of('/') + 1);
  if (name.ends_with(detail::collections_suffix)) name.remove_suffix(detail::collections_suffix.size());
  else if (name.ends_with(detail::old_collections_suffix)) name.remove_suffix(detail::old_collections_suffix.size());
  else return std::nullopt;
  if (name.empty()) return std::nullopt;
  return name.front() == '_' ? unescape_worker(name) : std::string(name);
}

LOUPE_DECL void append_reduction_name(ByteBuffer& out, std::string_view operation, std::string_view tensor, ColonIndex colon) {
  out.append(reduction_prefix);
  out.append(operation);
  out.append('/');
  if (colon == ColonIndex::keep) {
    out.append(tensor);
    return;
  }
  const auto is_digit = [&](std::size_t at) { return at < tensor.size() && tensor[at] >= '0' && tensor[at] <= '9'; };
  std::size_t kept_from = 0;
  for (std::size_t at = 0; at < tensor.size(); ++at) {
    if (tensor[at] != ':' || !is_digit(at + 1)) continue;
    out.append(tensor.substr(kept_from, at - kept_from));
    while (is_digit(at + 1)) ++at;
    kept_from = at + 1;
  }
  out.append(tensor.substr(kept_from));
}

LOUPE_DECL std::optional<ReductionName> split_reduction_name(std::string_view name) noexcept {
  const auto mark = name.find(reduction_prefix);
  if (mark == std::string_view::npos) return std::nullopt;
  std::string_view rest = name.substr(mark + reduction_prefix.size());
  rest = rest.substr(0, rest.find(reduction_prefix));
  const auto slash = rest.find('/');
  ReductionName parts;
  parts.operation = rest.substr(0, slash);
  parts.tensor = slash == std::string_view::npos ? std::string_view() : rest.substr(slash + 1);
  if (parts.operation.starts_with("abs_")) {
    parts.absolute = true;
    parts.operation.remove_prefix(4);
  }
  return parts;
}

LOUPE_DECL Text clean_tag(std::string_view name) {
  std::string tag;
  while (!name.empty()) {
    const std::string_view before = name;
    const char32_t code = take_code_point(name);
    const std::string_view bytes = before.substr(0, before.size() - name.size());
    if (is_word_character(code) || code == '-' || code == '/' || code == '.') tag += bytes;
    else tag += '_';
  }
  const auto first = tag.find_first_not_of('/');
  return first == std::string::npos ? Text() : Text(std::string_view(tag).substr(first));
}

}  // namespace loupe::inline LOUPE_ABI::format
