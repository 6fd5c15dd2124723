#include "loupe/capture/step_recorder.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "loupe/base/contained.hpp"
#include "loupe/capture/idle_recorder.hpp"
#include "loupe/format/collections_file.hpp"
#include "loupe/format/layout.hpp"
#include "loupe/select/name_filter.hpp"
#include "loupe/storage/local.hpp"
#include "loupe/wire/utf8.hpp"

namespace loupe::inline LOUPE_ABI {

namespace detail {

inline constexpr std::size_t max_tensor_name = 65536;

/// `<pid>_<hostname>`, which names TensorBoard's files.
inline Text process_on_host() {
  std::string host(host_name().view());
  std::replace(host.begin(), host.end(), '/', '_');
  return Text::join(to_text(::getpid()).view(), "_", std::string_view(host));
}

inline Error unknown_collection(const CollectionSet& known, std::string_view name) {
  Text sentence = "there is no such collection to save; there are";
  for (const Collection& collection : known) sentence = Text::join(sentence.view(), " ", collection.name.view());
  return {.kind = ErrorKind::invalid_argument, .object = Text::join("collection ", name), .detail = sentence};
}

/// The collections that a configuration defines and includes.
inline result<CollectionSet> collections_of(HookConfig& config, const CaptureQuirks& quirks) {
  CollectionSet collections(config.defaults);
  const bool names_nothing = config.collections.empty() && config.include_collections.empty() && config.include_regex.empty();
  for (const std::string_view name : config.defaults.always_saved) LOUPE_TRY(collections.include(name));
  NameSet configured;
  for (Collection& collection : config.collections) {
    if (!configured.insert(collection.name) && !quirks.any_collection_names)
      return fail(ErrorKind::invalid_argument, Text::join("collection ", collection.name.view()),
                  "it is configured twice; a name stands for one collection");
    LOUPE_TRY(collections.include(collection.name));
    LOUPE_TRY(collections.add(std::move(collection)));
  }
  for (const Text& name : config.include_collections) LOUPE_TRY(collections.include(name));
  if (!config.include_regex.empty()) {
    LOUPE_ASSIGN(Collection * picked, collections.get("default"));
    for (const Text& pattern : config.include_regex) picked->include(pattern);
    LOUPE_TRY(collections.include("default"));
  }
  if (config.save_all || (names_nothing && !quirks.saves_defaults_only)) {
    LOUPE_ASSIGN(Collection * all, collections.get("all"));
    all->include(".*");
    LOUPE_TRY(collections.include("all"));
  }
  return collections;
}

inline result<void> check_patterns(std::span<const Text> patterns, PatternCompiler engine) {
  const NameFilter filter(patterns, engine);
  if (!filter.errors().empty()) return fail(filter.errors().front());
  return {};
}

inline result<void> check_collection(const Collection& collection, PatternCompiler engine) {
  if (collection.name.empty()) return fail(ErrorKind::invalid_argument, "collections", "a collection needs a name");
  LOUPE_TRY(check_patterns(collection.include_regex, engine));
  return collection.save ? collection.save->validate() : result<void>();
}

inline result<void> check_hook_config(const HookConfig& config) {
  LOUPE_TRY(config.save.validate());
  LOUPE_TRY(check_patterns(config.include_regex, config.pattern_compiler));
  for (const Collection& collection : config.collections)
    LOUPE_TRY(check_collection(collection, config.pattern_compiler));
  if (config.max_pending_bytes == 0)
    return fail(ErrorKind::invalid_argument, "max_pending_bytes", "0 was given; it must be at least 1, or no step could wait");
  return {};
}

/// Refuses names that no reader could tell from something else.
inline result<void> check_tensor_name(std::string_view name) {
  if (name.empty()) return fail(ErrorKind::invalid_argument, "tensor name", "it is empty; a tensor needs a name");
  if (name.size() > max_tensor_name)
    return fail(ErrorKind::invalid_argument, name.substr(0, 64), "the tensor's name is longer than 65536 bytes");
  if (!wire::is_utf8(name))
    return fail(ErrorKind::invalid_argument, name.substr(0, 64), "the tensor's name is not UTF-8");
  if (name.find(format::reduction_prefix) != std::string_view::npos)
    return fail(ErrorKind::invalid_argument, name, "a tensor's name must not contain smdebug/reductions/, which marks reductions");
  return {};
}

}  // namespace detail

LOUPE_DECL result<RecorderOwner> StepRecorder::make(HookConfig config, RecorderParts parts) {
  return contained("open a hook", [&]() -> result<RecorderOwner> {
    if (!config.enabled) return RecorderOwner(new IdleRecorder(config.report));
    LOUPE_TRY(detail::check_hook_config(config));
    LOUPE_TRY(format::check_worker(parts.worker));
    LOUPE_ASSIGN(CollectionSet collections, detail::collections_of(config, parts.quirks));
    const bool is_chief = parts.rank == 0;
    const bool saves_all_ranks = config.include_workers == IncludeWorkers::all;
    LOUPE_ASSIGN(TrialFolder folder,
                 TrialFolder::open(parts.storage,
                                   {.worker = parts.worker,
                                    .world_size = saves_all_ranks ? parts.world_size : 1,
                                    .claims = parts.world_size == 1,
                                    .resume = config.resume,
                                    .claim = parts.quirks.claim,
                                    .end_marker = config.in_sagemaker_job ? EndMarkerPolicy::never : parts.quirks.end_marker,
                                    .writes = is_chief || saves_all_ranks}));
    StepWriter::Target target{parts.storage, parts.storage, format::tensorboard_prefix, detail::process_on_host(),
                              parts.worker};
    if (!config.tensorboard_dir.empty()) {
      target.tensorboard = AnyStorage(LocalStorage(config.tensorboard_dir));
      target.tensorboard_prefix = {};
    }
    const bool writes = folder.may_write() && (is_chief || saves_all_ranks);
    std::optional<RunState> run_state;
    if (!config.checkpoint_dir.empty()) {
      LOUPE_ASSIGN(run_state, RunState::open(AnyStorage(LocalStorage(config.checkpoint_dir)), parts.quirks.numbering));
    }
    return RecorderOwner(new StepRecorder(std::move(config), std::move(parts), std::move(collections), std::move(folder),
                                          std::move(target), std::move(run_state), writes));
  });
}

LOUPE_DECL StepRecorder::StepRecorder(HookConfig config, RecorderParts parts, CollectionSet collections, TrialFolder folder,
                                      StepWriter::Target writer_target, std::optional<RunState> run_state, bool writes)
    : config_(std::move(config)),
      parts_(std::move(parts)),
      collections_(std::move(collections)),
      folder_(std::move(folder)),
      run_state_(std::move(run_state)),
      failures_(config_.report),
      staging_(config_.max_pending_bytes),
      counters_(run_state_ && run_state_->counters().restored ? run_state_->counters() : folder_.counters()),
      writes_(writes),
      exports_tensorboard_(config_.export_tensorboard || !config_.tensorboard_dir.empty()),
      exact_types_(config_.exact_element_types || parts_.quirks.exact_element_types),
      has_saved_(counters_.last_saved >= 0),
      writer_(std::move(writer_target), std::move(parts_.executor), staging_, failures_) {
  target.context = this;
  known_names = &plan_.known_names();
  target.save = [](void* context, ProbeName name, const ProbeTensor& tensor) noexcept {
    static_cast<StepRecorder*>(context)->save_probe({name.data, name.size}, tensor);
  };
  if (folder_.joins_unfinished_run() && !counters_.restored)
    failures_.note(Text::join(parts_.storage.name().view(),
                              " holds steps of a run that did not finish: this run counts from 0 and replaces those that it "
                              "reaches; say by the resume policy if they are to be continued or removed"));
}

LOUPE_DECL StepRecorder::~StepRecorder() {
  if (buffer_ != nullptr && writer_.is_at_home()) staging_.release(buffer_);
}

LOUPE_DECL result<void> StepRecorder::set_mode(Mode mode) {
  if (mode_index(mode) >= mode_count)
    return fail(ErrorKind::invalid_argument, "mode", "not a mode; valid modes are TRAIN, EVAL, PREDICT, GLOBAL");
  next_mode_ = mode;
  if (!parts_.quirks.mode_changes_open_step || mode_ == mode) return {};
  mode_ = mode;
  // smdebug opens a step's writer at its beginning or never.
  if (is_open_) find_out_what_is_due(false);
  return {};
}

LOUPE_DECL result<void> StepRecorder::begin_step() {
  return contained("begin a step", [&] { return open_step(); });
}

LOUPE_DECL result<void> StepRecorder::end_step() {
  return contained("end a step", [&] { return close_step(); });
}

LOUPE_DECL result<void> StepRecorder::close() {
  return contained("close a hook", [&] { return close_trial(); });
}

LOUPE_DECL result<void> StepRecorder::flush() {
  return contained("flush a hook", [&]() -> result<void> {
    writer_.drain();
    return {};
  });
}

LOUPE_DECL result<void> StepRecorder::prepare() {
  // Only now: a program may add what its configuration includes until the first step.
  for (const Text& name : config_.include_collections)
    if (name != "all" && collections_.find(name) == nullptr && !parts_.quirks.any_collection_names)
      absorb(detail::unknown_collection(collections_, name));
  LOUPE_TRY(plan_.prepare(collections_, {config_.save, config_.reductions, config_.pattern_compiler}));
  is_prepared_ = true;
  absorb_pattern_errors();
  return {};
}

LOUPE_DECL result<void> StepRecorder::open_step() {
  if (is_closed_) return fail(ErrorKind::invalid_state, "hook", "a step was begun after the hook was closed");
  if (leaves_to_parent()) return {};
  if (auto closed = close_step(); !closed) absorb(std::move(closed).error());
  if (!is_prepared_) LOUPE_TRY(prepare());
  if (run_state_)
    if (auto kept = run_state_->before_step(counters_); !kept) absorb(std::move(kept).error());
  mode_ = next_mode_;
  ++counters_.global;
  if (mode_ != Mode::global) ++counters_.modes[mode_index(mode_)];
  counters_.modes[mode_index(Mode::global)] = counters_.global;
  is_open_ = true;
  is_given_up_ = raw_is_dropped_ = is_counted_reduced_ = false;
  step_time_ = now();
  if (has_saved_ && !has_exported_collections_ && parts_.quirks.late_collections_file) export_collections();
  find_out_what_is_due(true);
  if (judge_ && target.armed) begin_judgement();
  // A scalar that can't be written must not cost the step that it happens to come in.
  if (!scalars_.empty() && !parts_.quirks.scalars_wait)
    if (auto written = write_waiting_scalars(); !written) absorb(std::move(written).error());
  return {};
}

LOUPE_DECL void StepRecorder::find_out_what_is_due(bool may_take) {
  const bool is_due = plan_.begin_step(mode_, current_mode_step()) && writes_;
  target.armed = is_due && (config_.dry_run || buffer_ != nullptr || (may_take && take_buffer()));
}

/// A forked child has none of the threads that may have held a lock at the fork: it must not wait for one.
LOUPE_DECL bool StepRecorder::leaves_to_parent() {
  if (writer_.is_at_home()) return false;
  target.armed = is_open_ = false;
  buffer_ = nullptr;  // the staging has it
  is_given_up_ = true;
  absorb({.kind = ErrorKind::invalid_state,
          .object = "hook",
          .detail = "a forked child can't go on with its parent's hook; it needs one of its own"});
  return true;
}

LOUPE_DECL bool StepRecorder::take_buffer() {
  if (is_given_up_ || leaves_to_parent()) return false;
  if (config_.backpressure == Backpressure::block) {
    staging_.wait_for_room();
  } else if (const auto room = staging_.room(); room != Staging::Room::enough) {
    if (config_.backpressure == Backpressure::drop || room == Staging::Room::none) {
      failures_.add_dropped_step();
      is_given_up_ = true;
      return false;
    }
    raw_is_dropped_ = true;
  }
  const auto may_write = folder_.begin_writing();
  if (!may_write) absorb(may_write.error());
  is_given_up_ = !may_write || !*may_write;
  if (is_given_up_) return false;
  buffer_ = staging_.acquire();
  buffer_->step = counters_.global < 0 ? 0 : counters_.global;
  return true;
}

LOUPE_DECL result<void> StepRecorder::close_step() {
  if (!is_open_ || leaves_to_parent()) return {};
  target.armed = false;
  end_judgement();
  result<void> outcome;
  if (parts_.quirks.scalars_wait && buffer_ != nullptr) outcome = write_waiting_scalars();
  is_open_ = is_given_up_ = false;
  // Before the first step that readers can see: without it they can't open the trial.
  const bool has_content = has_saved_ || (buffer_ != nullptr && !buffer_->empty());
  if (has_content && !has_exported_collections_ && !parts_.quirks.late_collections_file) export_collections();
  hand_over_buffer();
  return outcome;
}

LOUPE_DECL void StepRecorder::hand_over_buffer() {
  StepBuffer* const buffer = std::exchange(buffer_, nullptr);
  if (buffer == nullptr) return;
  if (buffer->empty()) {
    staging_.release(buffer);
    return;
  }
  ++counts_.steps;
  counters_.last_saved = buffer->step;
  writer_.submit(buffer);
}

LOUPE_DECL void StepRecorder::export_collections() {
  if (!writes_ || !folder_.may_write()) return;
  has_exported_collections_ = true;
  StepBuffer* const buffer = staging_.acquire();
  StepBuffer::Object& file = buffer->objects.emplace_back();
  file.key = format::collections_key(parts_.worker);
  const std::int64_t workers = config_.include_workers == IncludeWorkers::all ? parts_.world_size : 1;
  format::write_collections_file(file.bytes, collections_, workers);
  writer_.submit(buffer);
}

LOUPE_DECL void StepRecorder::merge(result<void>& outcome, result<void> next) noexcept {
  if (next) return;
  if (outcome) outcome = std::move(next);
  else absorb(std::move(next).error());
}

LOUPE_DECL void StepRecorder::absorb_pattern_errors() {
  const std::vector<Error>& errors = plan_.pattern_errors();
  while (absorbed_pattern_errors_ < errors.size()) absorb(errors[absorbed_pattern_errors_++]);
}

LOUPE_DECL result<void> StepRecorder::close_trial() {
  if (is_closed_) return {};
  if (!writer_.is_at_home()) {
    is_closed_ = true;
    target.armed = false;
    return {};
  }
  result<void> outcome;
  if (parts_.quirks.scalars_wait) {
    // What still waits goes into the open file, or into one of its own for the last step.
    if (!scalars_.empty()) merge(outcome, write_waiting_scalars());
  } else if (!scalars_.empty() && !is_open_) {
    merge(outcome, open_step());
  }
  merge(outcome, close_step());
  hand_over_buffer();
  is_closed_ = true;
  // Again in the end, when all names of tensors are known; smdebug writes the file once.
  if (!(has_exported_collections_ && parts_.quirks.late_collections_file)) export_collections();
  writer_.drain();
  merge(outcome, folder_.close());
  return outcome;
}

LOUPE_DECL void StepRecorder::absorb(Error error) noexcept { failures_.add(std::move(error)); }

LOUPE_DECL CaptureFailures StepRecorder::failures() const { return failures_.snapshot(); }

LOUPE_DECL result<Collection*> StepRecorder::collection(std::string_view name) {
  return contained("find a collection", [&] { return collections_.get(name); });
}

LOUPE_DECL result<void> StepRecorder::add_collection(const Collection& collection) {
  return contained("add a collection", [&]() -> result<void> {
    LOUPE_TRY(detail::check_collection(collection, config_.pattern_compiler));
    LOUPE_TRY(collections_.add(collection));
    return collections_.include(collection.name);
  });
}

}  // namespace loupe::inline LOUPE_ABI
