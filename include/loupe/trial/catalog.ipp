#include <algorithm>
#include <utility>

#include "loupe/format/index.hpp"
#include "loupe/format/layout.hpp"
#include "loupe/trial/catalog.hpp"

namespace loupe::inline LOUPE_ABI {

/// The most problems that a snapshot lists.
inline constexpr std::size_t max_problems = 1000;

/// The most kinds of reductions, known ones included.
inline constexpr std::size_t max_reduction_names = 4096;

LOUPE_DECL result<void> StepRange::validate() const {
  if ((begin && *begin < 0) || (end && *end < 0))
    return fail(ErrorKind::invalid_argument, "range", "the limits must not be negative");
  if (begin && end && *begin >= *end)
    return fail(ErrorKind::invalid_argument, "range", "the begin must be less than the end");
  return {};
}

LOUPE_DECL Text worker_in_files(std::string_view worker) {
  return worker.starts_with('/') ? format::escape_worker(worker) : Text(worker);
}

LOUPE_DECL Text full_reduction_name(std::string_view operation, bool absolute) {
  return absolute ? Text::join("abs_", operation) : Text(operation);
}

/// Takes the parts of one index document as they come.
class Catalog::Reader final : public format::IndexVisitor {
 public:
  Reader(Catalog& catalog, IndexBlock& block) : catalog_(catalog), block_(block) {}

  result<void> meta(const format::IndexMeta& meta) override {
    block_.mode = meta.mode;
    block_.mode_step = meta.mode_step;
    event_file_ = Text(meta.event_file_name);
    return {};
  }
  result<void> tensor(std::string_view name, std::uint64_t start, std::uint64_t length) override {
    if (length > max_record_length || start > UINT64_MAX - length)
      return fail(ErrorKind::limit_exceeded, name, "an entry of the index lies beyond any file's end");
    LOUPE_ASSIGN(const RawName* raw, note(name));
    IndexEntry& entry = add(*raw, raw->part);
    entry.start = start;
    entry.length = length & max_record_length;
    has_records_ = true;
    return {};
  }
  result<void> shape(std::string_view name, std::string_view original_name, const Shape& shape) override {
    LOUPE_ASSIGN(const RawName* raw, note(name));
    if (raw->part != value_part) return {};
    IndexEntry& entry = add(*raw, shape_part);
    entry.start = catalog_.extents_.size();
    entry.length = shape.size() & max_record_length;
    catalog_.extents_.insert(catalog_.extents_.end(), shape.begin(), shape.end());
    const Interned* known = catalog_.known_tensors_[raw->tensor].original_name;
    if (known == nullptr || known->name != original_name) original_names_.emplace_back(raw->tensor, original_name);
    return {};
  }

  [[nodiscard]] const Text& event_file() const noexcept { return event_file_; }
  [[nodiscard]] bool has_records() const noexcept { return has_records_; }
  [[nodiscard]] std::uint32_t first_name() const noexcept { return first_name_; }
  [[nodiscard]] OriginalNames take_original_names() noexcept { return std::move(original_names_); }

 private:
  result<const RawName*> note(std::string_view name) {
    LOUPE_ASSIGN(const std::uint32_t id, catalog_.raw_name(name));
    RawName& raw = catalog_.raw_infos_[id];
    if (raw.batch != catalog_.batch_) {
      raw.batch = catalog_.batch_;
      raw.place_in_batch = catalog_.names_in_batch_++;
    }
    first_name_ = std::min(first_name_, raw.place_in_batch);
    return &raw;
  }
  IndexEntry& add(const RawName& raw, std::uint16_t part) {
    IndexEntry& entry = catalog_.entries_.emplace_back();
    entry.tensor = catalog_.known_tensors_[raw.tensor].tensor;
    entry.part = part;
    return entry;
  }

  Catalog& catalog_;
  IndexBlock& block_;
  Text event_file_;
  OriginalNames original_names_;
  bool has_records_ = false;
  std::uint32_t first_name_ = UINT32_MAX;
};

LOUPE_DECL Catalog::Catalog(AnyStorage storage, CatalogSettings settings)
    : storage_(std::move(storage)), settings_(std::move(settings)) {
  working_.quirks_ = settings_.quirks;
  working_.required_workers_ = settings_.required_workers;
  working_.names_ = names_;
}

LOUPE_DECL std::shared_ptr<const Snapshot> Catalog::snapshot() {
  if (changed_ || !published_) {
    auto problems = std::make_shared<std::vector<Error>>();
    for (const auto& [key, failed] : failed_) problems->push_back(failed.error);
    working_.problems_ = std::move(problems);
    published_ = std::make_shared<const Snapshot>(working_);
    ++edition_;
    changed_ = false;
  }
  return published_;
}

LOUPE_DECL void Catalog::finish() {
  working_.loaded_all_ = true;
  if (!working_.steps_.empty()) working_.last_complete_step_ = working_.steps_.back().step;
  changed_ = true;
}

LOUPE_DECL result<void> Catalog::read() {
  std::vector<NewBlock> batch;
  const Text token_before = working_.token_;
  const result<void> outcome = read_batch(batch);
  if (!outcome && settings_.quirks.damaged_file_fails_refresh) return outcome;
  if (!batch.empty()) apply(batch);
  advance();
  // A directory that grows while it is listed may show a file and hide one that came before it. So the next pass lists
  // from where this one did: what this pass could see was there before the next began.
  list_from_ = settings_.quirks.lists_from_token ? working_.token_ : token_before;
  seen_.erase(seen_.begin(), seen_.lower_bound(list_from_.view()));
  return outcome;
}

/// Changes when the file does; 0 if it can't be seen.
LOUPE_DECL std::uint64_t Catalog::generation(const std::string& key) const {
  const result<ObjectInfo> info = storage_.stat(key);
  return info ? info->generation : 0;
}

/// Keys of the files that were not read yet, or not with success and have changed since, in order.
LOUPE_DECL result<std::vector<std::string>> Catalog::list_new() {
  std::vector<std::string> found;
  // The file that the key names may itself be new, and listing begins after a key: one just before it.
  std::string_view after = list_from_;
  if (!after.empty()) after.remove_suffix(1);
  const bool wants_csv = settings_.quirks.damaged_file_fails_refresh;
  LOUPE_TRY(storage_.list(format::index_prefix, after, [&](const ObjectInfo& object) {
    if (!object.key.ends_with(".json") && !(wants_csv && object.key.ends_with(".csv"))) return true;
    if (seen_.find(object.key) == seen_.end()) found.emplace_back(object.key);
    return true;
  }));
  for (const auto& [key, file] : failed_)
    if (!file.is_damaged || generation(key) != file.generation) found.push_back(key);
  if (!std::is_sorted(found.begin(), found.end())) std::sort(found.begin(), found.end());
  return found;
}

LOUPE_DECL result<void> Catalog::read_batch(std::vector<NewBlock>& batch) {
  ++batch_;
  names_in_batch_ = 0;
  LOUPE_ASSIGN(auto files, list_new());
  result<void> outcome;
  for (std::string& key : files) {
    result<std::optional<NewBlock>> read = read_file(key);
    if (!read && settings_.quirks.damaged_file_fails_refresh) {
      if (outcome) outcome = unexpected<Error>(std::move(read).error());
      seen_.insert(std::move(key));
      continue;
    }
    if (!read) {
      refuse(key, std::move(read).error());
      continue;
    }
    if (const auto failed = failed_.find(key); failed != failed_.end()) {
      failed_.erase(failed);
      changed_ = true;
    }
    if (*read) batch.push_back(std::move(**read));
    seen_.insert(seen_.end(), std::move(key));
  }
  return outcome;
}

/// Keeps the error of a file that can't be used. One that could not be read at all is tried again in the next pass, one
/// that says what can't be only when it has changed.
LOUPE_DECL void Catalog::refuse(const std::string& key, Error error) {
  const bool is_damaged = error.kind == ErrorKind::index_reader || error.kind == ErrorKind::corrupt ||
                          error.kind == ErrorKind::limit_exceeded || error.kind == ErrorKind::invalid_argument;
  changed_ = true;
  seen_.insert(key);
  if (failed_.size() >= max_problems && !failed_.contains(key)) return;
  failed_[key] = {is_damaged, is_damaged ? generation(key) : 0, std::move(error)};
}

/// Nothing if the file is out of range or says nothing.
LOUPE_DECL result<std::optional<Catalog::NewBlock>> Catalog::read_file(const std::string& key) {
  LOUPE_ASSIGN(const format::StepWorker from, format::parse_index_key(key, settings_.quirks.double_underscore_unescapes ? format::WorkerNames::escaped_by_path
                                                                                          : format::WorkerNames::escaped_by_first_letter));
  if (!settings_.range.contains(from.step)) return std::optional<NewBlock>();
  text_.clear();
  LOUPE_TRY(storage_.read(key, {}, text_));
  NewBlock made{std::make_shared<IndexBlock>(), UINT32_MAX, {}};
  IndexBlock& block = *made.block;
  entries_.clear();
  extents_.clear();
  Reader reader(*this, block);
  LOUPE_TRY(format::parse_index(text_.text(), key, reader));
  if (entries_.empty()) return std::optional<NewBlock>();
  if (block.mode_step < 0)
    return fail(ErrorKind::invalid_argument, key, "mode_step must not be negative");
  if (reader.has_records() && reader.event_file() != format::event_key(from.step, worker_in_files(from.worker)))
    block.event_key = reader.event_file();
  block.global_step = from.step;
  block.worker = worker(from.worker);
  block.load_order = files_read_++;
  block.entries.assign(entries_.begin(), entries_.end());
  block.extents.assign(extents_.begin(), extents_.end());
  if (settings_.quirks.shape_hides_value) block.hide_values_with_shapes();
  block.seal();
  made.first_name = reader.first_name();
  made.original_names = reader.take_original_names();
  return std::optional(std::move(made));
}

LOUPE_DECL const Interned* Catalog::worker(std::string_view name) {
  const auto [id, is_new] = worker_names_.find_or_add(name);
  if (is_new) names_->workers.push_back({Text(name), id});
  return &names_->workers[id];
}

LOUPE_DECL result<std::uint32_t> Catalog::raw_name(std::string_view name) {
  const auto [id, is_new] = raw_names_.find_or_add(name);
  if (!is_new) return id;
  RawName raw;
  std::string_view tensor = name;
  if (const auto reduction = format::split_reduction_name(name)) {
    auto part = reduction_part(reduction->operation, reduction->absolute);
    raw.part = part ? *part : value_part;
    tensor = reduction->tensor;
    if (!part) return unexpected<Error>(std::move(part).error());
  }
  const auto [number, is_new_tensor] = tensor_names_.find_or_add(tensor);
  if (is_new_tensor) {
    names_->tensors.push_back({Text(tensor), number});
    known_tensors_.push_back({&names_->tensors.back(), nullptr, 0});
  }
  raw.tensor = number;
  raw_infos_.push_back(raw);
  return id;
}

LOUPE_DECL result<std::uint16_t> Catalog::reduction_part(std::string_view operation, bool absolute) {
  const Text name = full_reduction_name(operation, absolute);
  if (const auto part = working_.reduction_part(name)) return *part;
  if (working_.reductions_->size() >= max_reduction_names)
    return fail(ErrorKind::limit_exceeded, name, "a trial may hold at most 4096 kinds of reductions");
  auto names = std::make_shared<std::vector<ReductionName>>(*working_.reductions_);
  names->push_back({name, std::nullopt});
  working_.reductions_ = std::move(names);
  return *working_.reduction_part(name);
}

LOUPE_DECL void Catalog::apply(std::vector<NewBlock>& batch) {
  std::vector<const NewBlock*> claimants;
  for (const NewBlock& made : batch) claimants.push_back(&made);
  if (settings_.quirks.claims_by_tensor)
    std::sort(claimants.begin(), claimants.end(), [](const NewBlock* a, const NewBlock* b) {
      return a->first_name != b->first_name ? a->first_name < b->first_name : a->block->load_order < b->block->load_order;
    });
  for (const NewBlock* made : claimants) claim(*made->block);
  for (const NewBlock& made : batch) {
    add(made.block);
    note_tensors(*made.block, made.original_names);
  }
  changed_ = true;
}

/// Gives the block's steps their records; the first block that claims a step decides what it is.
LOUPE_DECL void Catalog::claim(const IndexBlock& block) {
  working_.steps_.edit(block.global_step, edition_, [&] {
    StepRecord record;
    record.step = block.global_step;
    record.mode = block.mode;
    record.mode_step = block.mode_step;
    return record;
  });
  working_.by_mode_[mode_index(block.mode)].edit(block.mode_step, edition_, [&] {
    ModeStepRecord record;
    record.mode_step = block.mode_step;
    record.global_step = block.mode == Mode::global ? block.mode_step : block.global_step;
    return record;
  });
}

LOUPE_DECL void Catalog::add(const std::shared_ptr<IndexBlock>& block) {
  const auto insert = [&](BlockList& blocks) {
    const auto place = std::upper_bound(blocks.begin(), blocks.end(), block, [](const auto& a, const auto& b) {
      return a->worker != b->worker && a->worker->name < b->worker->name;
    });
    const bool is_known = place != blocks.begin() && (*std::prev(place))->worker == block->worker;
    blocks.insert(place, block);
    return !is_known;
  };
  const auto no_maker = [] { return StepRecord(); };
  StepRecord& step = working_.steps_.edit(block->global_step, edition_, no_maker);
  if (insert(step.blocks)) ++step.worker_count;
  insert(working_.by_mode_[mode_index(block->mode)]
             .edit(block->mode_step, edition_, [] { return ModeStepRecord(); })
             .blocks);
  if (step.worker_count >= settings_.required_workers && step.step > working_.last_complete_step_)
    working_.last_complete_step_ = step.step;
  working_.entry_count_ += block->entries.size();
}

LOUPE_DECL void Catalog::note_tensors(const IndexBlock& block, const OriginalNames& original_names) {
  const auto mode_bit = static_cast<std::uint8_t>(1u << mode_index(block.mode));
  const auto store = [&](const TensorRecord& known) {
    working_.tensors_.edit(known.tensor->name, edition_, [&] { return known; }) = known;
  };
  for (const IndexEntry& entry : block.entries) {
    TensorRecord& known = known_tensors_[entry.tensor->number];
    if ((known.modes & mode_bit) != 0) continue;
    known.modes = static_cast<std::uint8_t>(known.modes | mode_bit);
    store(known);
  }
  for (const auto& [tensor, original_name] : original_names) {
    TensorRecord& known = known_tensors_[tensor];
    const auto [id, is_new] = original_names_.find_or_add(original_name);
    if (is_new) names_->original_names.push_back({original_name, id});
    known.original_name = &names_->original_names[id];
    store(known);
  }
}

LOUPE_DECL void Catalog::set_token(std::int64_t step) {
  token_step_ = step;
  working_.token_ = format::index_key(step, worker_in_files(settings_.last_worker));
  changed_ = true;
}

/// Moves the place where the next pass begins to list, and gives up on steps that have been incomplete for too long
/// (semantics.md 12.1).
LOUPE_DECL void Catalog::advance() {
  std::int64_t& last = working_.last_complete_step_;
  if (last >= token_step_.value_or(0) && last != token_step_) set_token(last);
  if (settings_.quirks.window_counts_from_zero) {
    if (static_cast<std::int64_t>(working_.steps_.size()) - last - 1 <= settings_.incomplete_window) return;
    last += settings_.incomplete_window / 2;
    set_token(last);
    return;
  }
  std::int64_t incomplete = 0;
  auto given_up = working_.steps_.lower_bound(last);
  if (given_up != working_.steps_.end() && working_.steps_[given_up].step == last)
    given_up = working_.steps_.next(given_up);
  for (auto at = given_up; at != working_.steps_.end() && incomplete <= settings_.incomplete_window; at = working_.steps_.next(at))
    ++incomplete;
  if (incomplete <= settings_.incomplete_window) return;
  for (std::int64_t count = 1; count < settings_.incomplete_window / 2; ++count) given_up = working_.steps_.next(given_up);
  last = working_.steps_[given_up].step;
  set_token(last);
}

}  // namespace loupe::inline LOUPE_ABI
