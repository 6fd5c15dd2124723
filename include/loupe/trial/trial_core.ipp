#include <algorithm>
#include <charconv>
#include <utility>

#include "loupe/trial/trial_core.hpp"

namespace loupe::inline LOUPE_ABI {
namespace detail {

/// The number after the last underscore of a name, 0 if it doesn't end in one.
inline std::int64_t trailing_number(std::string_view name) noexcept {
  const std::size_t underscore = name.rfind('_');
  if (underscore == std::string_view::npos) return 0;
  const std::string_view digits = name.substr(underscore + 1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() ? number : 0;
}

inline std::vector<std::string> owned(const std::vector<std::string_view>& texts) { return {texts.begin(), texts.end()}; }

}  // namespace detail

LOUPE_DECL result<std::shared_ptr<TrialCore>> TrialCore::open(TrialParts parts, TrialOptions options) {
  LOUPE_ASSIGN(const TrialTunables tunables, settle(options));
  Opened opened{.parts = std::move(parts)};
  opened.wait = {opened.parts.clock, options.interrupt, options.poll_interval, tunables.end_delay};
  const std::int64_t deadline = detail::later(opened.wait.clock->monotonic_ns(), options.open_deadline);
  LOUPE_ASSIGN(opened.collections, TrialCollections::load(opened.parts.storage, opened.wait, deadline, opened.parts.engine,
                                                          opened.parts.quirks.damaged_file_fails_refresh));
  const std::string_view path = opened.parts.path;
  opened.name = options.name.empty() ? Text(path.substr(path.rfind('/') + 1)) : std::move(options.name);
  opened.catalog.range = options.range;
  opened.catalog.quirks = opened.parts.quirks;
  const std::int64_t num_workers = std::clamp<std::int64_t>(opened.collections.num_workers(), 0, UINT32_MAX);
  opened.catalog.required_workers = opened.parts.required_workers(static_cast<std::uint32_t>(num_workers));
  opened.catalog.incomplete_window = tunables.incomplete_window;
  if (!opened.collections.workers().empty()) opened.catalog.last_worker = opened.collections.workers().back();
  opened.files = {opened.wait, tunables.missing_event_deadline, options.mapped_files, opened.parts.quirks.constant_check_word_only};
  std::shared_ptr<TrialCore> core(new TrialCore(std::move(opened)));
  LOUPE_TRY(core->follower_.refresh());
  return core;
}

LOUPE_DECL TrialCore::TrialCore(Opened opened)
    : parts_(std::move(opened.parts)), name_(std::move(opened.name)), collections_(std::move(opened.collections)),
      wait_(opened.wait), follower_(parts_.storage, std::move(opened.catalog), opened.wait),
      files_(parts_.storage, opened.files), reader_(follower_, files_, parts_.quirks, parts_.compute) {}

LOUPE_DECL result<const Interned*> TrialCore::find(std::string_view name) {
  std::shared_ptr<const Snapshot> known = snapshot();
  const TensorRecord* record = known->tensor(name);
  if (record == nullptr) {
    LOUPE_TRY(follower_.refresh_if_due());
    known = snapshot();
    record = known->tensor(name);
  }
  return record == nullptr ? nullptr : record->tensor;
}

LOUPE_DECL result<std::vector<std::string>> TrialCore::tensor_names(const NameQuery& query) {
  LOUPE_TRY(follower_.refresh_if_due());
  const auto known = snapshot();
  const Mode mode = query.step ? query.step->mode : query.mode.value_or(Mode::global);
  std::vector<std::string_view> names;
  if (query.step) {
    const auto global_step = known->global_step(*query.step);
    if (!global_step)
      return fail(Error{.kind = parts_.quirks.unknown_mode_fails ? ErrorKind::not_found : ErrorKind::step_unavailable,
                        .object = "step",
                        .step = query.step->value,
                        .mode = mode});
    names = known->names(Step(*global_step));
  } else if (mode != Mode::global) {
    names = known->names(mode);
    if (names.empty() && parts_.quirks.unknown_mode_fails)
      return fail(ErrorKind::not_found, mode_name(mode), "the mode was never seen");
  } else {
    names = known->names();
  }
  if (!query.regex.empty() && query.collection)
    return fail(ErrorKind::invalid_argument, "regex", "names are selected by a regex or by a collection, not by both");
  if (!query.regex.empty()) {
    const NameFilter filter(query.regex, parts_.engine);
    if (!filter.errors().empty()) return unexpected<Error>(filter.errors().front());
    std::erase_if(names, [&](std::string_view name) { return !filter.matches(name); });
  }
  if (query.collection)
    std::erase_if(names, [&](std::string_view name) { return !collections_.contains(*query.collection, name); });
  return detail::owned(names);
}

LOUPE_DECL result<std::vector<std::int64_t>> TrialCore::steps(Mode mode, Steps which) {
  LOUPE_TRY(follower_.refresh_if_due());
  return snapshot()->steps(mode, which);
}

LOUPE_DECL result<std::vector<std::int64_t>> TrialCore::steps(const Interned* tensor, Mode mode, Steps which) {
  LOUPE_TRY(follower_.refresh_if_due());
  return snapshot()->steps(tensor, mode, which);
}

LOUPE_DECL result<std::vector<std::int64_t>> TrialCore::previous_steps(const Interned* tensor, ModeStep step,
                                                                       std::optional<std::size_t> count) {
  LOUPE_TRY(follower_.refresh_if_due());
  return snapshot()->previous_steps(tensor, step, count);
}

LOUPE_DECL result<std::vector<std::string>> TrialCore::workers() {
  LOUPE_TRY(follower_.refresh_if_due());
  std::vector<std::string> names;
  for (const Text& worker : collections_.workers()) names.emplace_back(worker.view());
  return names;
}

LOUPE_DECL result<std::vector<std::string>> TrialCore::workers(const Interned* tensor, ModeStep at) {
  auto names = snapshot()->workers(tensor, at);
  if (names.empty() && at.mode == Mode::global && !snapshot()->mode_step(at.value)) {
    LOUPE_TRY(follower_.refresh_if_due());
    names = snapshot()->workers(tensor, at);
  }
  if (names.empty())
    return fail(Error{.kind = ErrorKind::tensor_unavailable_for_step,
                      .object = tensor->name,
                      .step = at.value,
                      .mode = at.mode,
                      .reason = Absence::never_saved});
  return detail::owned(names);
}

LOUPE_DECL result<std::optional<ModeStep>> TrialCore::mode_step(std::int64_t global_step) {
  if (const auto found = snapshot()->mode_step(global_step)) return found;
  LOUPE_TRY(follower_.refresh_if_due());
  return snapshot()->mode_step(global_step);
}

LOUPE_DECL result<std::optional<std::int64_t>> TrialCore::global_step(ModeStep at) {
  if (const auto found = snapshot()->global_step(at)) return found;
  LOUPE_TRY(follower_.refresh_if_due());
  return snapshot()->global_step(at);
}

LOUPE_DECL result<std::vector<Array>> TrialCore::numbered_values(NameQuery query, ModeStep at) {
  query.step = at;
  LOUPE_ASSIGN(std::vector<std::string> names, tensor_names(query));
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    const std::int64_t number_a = detail::trailing_number(a);
    const std::int64_t number_b = detail::trailing_number(b);
    return number_a != number_b ? number_a < number_b : a < b;
  });
  if (parts_.quirks.inputs_by_global_step) at.mode = Mode::global;
  std::vector<Array> values;
  for (const std::string& name : names) {
    LOUPE_ASSIGN(const Interned* tensor, find(name));
    LOUPE_ASSIGN(const ValueView value, reader_.value(tensor, at, {}));
    LOUPE_ASSIGN(Array copy, value.copy());
    values.push_back(std::move(copy));
  }
  return values;
}

LOUPE_DECL result<void> TrialCore::wait_for_steps(std::span<const ModeStep> steps, std::optional<std::int64_t> timeout) {
  const std::int64_t deadline =
      timeout ? detail::later(wait_.clock->monotonic_ns(), std::max<std::int64_t>(*timeout, 0)) : INT64_MAX;
  return follower_.wait_for_steps(steps, deadline);
}

LOUPE_DECL std::vector<Error> TrialCore::problems() const {
  std::vector<Error> all = collections_.problems();
  const auto known = snapshot();
  all.insert(all.end(), known->problems().begin(), known->problems().end());
  return all;
}

}  // namespace loupe::inline LOUPE_ABI
