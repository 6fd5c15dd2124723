#include <algorithm>
#include <cstddef>
#include <functional>

#include "loupe/trial/snapshot.hpp"

namespace loupe::inline LOUPE_ABI {
namespace detail {

inline bool any_has(const BlockList& blocks, const Interned* tensor) noexcept {
  for (const auto& block : blocks)
    if (block->has(tensor)) return true;
  return false;
}

}  // namespace detail

LOUPE_DECL TensorStep::Found TensorStep::find(std::uint16_t part) const noexcept {
  for (std::size_t index = blocks.size(); index-- > 0;)
    if (const IndexEntry* entry = blocks[index]->find(tensor, part)) return {blocks[index].get(), entry};
  return {};
}

LOUPE_DECL std::vector<std::uint16_t> TensorStep::reductions() const {
  std::vector<std::uint16_t> parts;
  for (const auto& block : blocks) {
    const auto [first, last] = block->of(tensor);
    for (const IndexEntry* entry = first; entry != last; ++entry)
      if (entry->part >= first_reduction_part) parts.push_back(static_cast<std::uint16_t>(entry->part));
  }
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  return parts;
}

LOUPE_DECL std::shared_ptr<const std::vector<ReductionName>> Snapshot::known_reductions() {
  auto names = std::make_shared<std::vector<ReductionName>>();
  for (const Statistic statistic : StatisticSet::all()) names->push_back({statistic_name(statistic), statistic});
  return names;
}

LOUPE_DECL bool Snapshot::is_complete(std::int64_t global_step) const {
  if (loaded_all_ || last_complete_step_ >= global_step) return true;
  const StepRecord* record = steps_.find(global_step);
  return record != nullptr && record->worker_count >= required_workers_;
}

LOUPE_DECL bool Snapshot::is_complete(ModeStep at, std::int64_t global_step) const {
  if (quirks_.tensor_steps_by_mode_step) return loaded_all_ || last_complete_step_ >= at.value;
  return is_complete(global_step);
}

LOUPE_DECL std::vector<std::int64_t> Snapshot::steps(Mode mode, Steps which) const {
  std::vector<std::int64_t> found;
  const auto add = [&](std::int64_t step, std::int64_t global_step) {
    if (which == Steps::with_incomplete || is_complete(global_step)) found.push_back(step);
  };
  if (mode == Mode::global)
    steps_.for_each([&](const StepRecord& record) { add(record.step, record.step); });
  else
    by_mode_[mode_index(mode)].for_each(
        [&](const ModeStepRecord& record) { add(record.mode_step, record.global_step); });
  return found;
}

LOUPE_DECL std::vector<std::int64_t> Snapshot::steps(const Interned* tensor, Mode mode, Steps which) const {
  std::vector<std::int64_t> found;
  for (const Mode saved : all_modes) {
    if (mode != Mode::global && saved != mode) continue;
    by_mode_[mode_index(saved)].for_each([&](const ModeStepRecord& record) {
      if (!detail::any_has(record.blocks, tensor)) return;
      const std::int64_t step = mode == Mode::global ? record.global_step : record.mode_step;
      if (which == Steps::with_incomplete || is_complete(ModeStep(mode, step), record.global_step))
        found.push_back(step);
    });
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

LOUPE_DECL std::vector<std::int64_t> Snapshot::previous_steps(const Interned* tensor, ModeStep step,
                                                              std::optional<std::size_t> count) const {
  std::vector<std::int64_t> found;
  if (step.mode != Mode::global && step.value < INT64_MAX) {
    const auto& records = by_mode_[mode_index(step.mode)];
    for (auto at = records.lower_bound(step.value + 1); at != records.begin();) {
      at = records.previous(at);
      const ModeStepRecord& record = records[at];
      if (!detail::any_has(record.blocks, tensor)) continue;
      if (!is_complete(ModeStep(step.mode, record.mode_step), record.global_step)) continue;
      found.push_back(record.mode_step);
      if (count && found.size() == *count) break;
    }
    std::reverse(found.begin(), found.end());
    return found;
  }
  found = steps(tensor, step.mode, Steps::complete);
  found.erase(std::upper_bound(found.begin(), found.end(), step.value), found.end());
  if (count && found.size() > *count) found.erase(found.begin(), found.end() - static_cast<std::ptrdiff_t>(*count));
  return found;
}

LOUPE_DECL std::vector<Mode> Snapshot::modes() const {
  std::vector<Mode> seen;
  for (const Mode mode : all_modes)
    if (mode != Mode::global && !by_mode_[mode_index(mode)].empty()) seen.push_back(mode);
  return seen;
}

LOUPE_DECL std::optional<ModeStep> Snapshot::mode_step(std::int64_t global_step) const {
  const StepRecord* record = steps_.find(global_step);
  if (record == nullptr) return std::nullopt;
  return ModeStep(record->mode, record->mode_step);
}

LOUPE_DECL std::optional<std::int64_t> Snapshot::global_step(ModeStep at) const {
  if (at.mode == Mode::global) return at.value;
  const ModeStepRecord* record = by_mode_[mode_index(at.mode)].find(at.value);
  if (record == nullptr) return std::nullopt;
  return record->global_step;
}

LOUPE_DECL result<StepState> Snapshot::passed(ModeStep at) const {
  const auto when_absent = loaded_all_ ? StepState::unavailable : StepState::not_yet_available;
  const auto judge = [&](const auto& records) -> result<StepState> {
    const auto place = records.lower_bound(at.value);
    if (place == records.end()) return when_absent;
    const auto& record = records[place];
    std::int64_t global_step;
    if constexpr (requires { record.global_step; })
      global_step = record.global_step;
    else
      global_step = record.step;
    if (record.key() > at.value)
      return last_complete_step_ >= global_step ? StepState::unavailable : StepState::not_yet_available;
    const StepRecord* written = steps_.find(global_step);
    const bool by_all = written != nullptr && written->worker_count >= required_workers_;
    if (!by_all && loaded_all_ && quirks_.passed_step_looks_up_mode_step && steps_.find(at.value) == nullptr)
      return fail(Error{.kind = ErrorKind::not_found, .object = "step", .step = at.value, .mode = at.mode});
    return by_all || loaded_all_ || global_step <= last_complete_step_ ? StepState::available
                                                                       : StepState::not_yet_available;
  };
  return at.mode == Mode::global ? judge(steps_) : judge(by_mode_[mode_index(at.mode)]);
}

LOUPE_DECL std::int64_t Snapshot::last_step(Mode mode) const {
  if (mode == Mode::global) return steps_.empty() ? -1 : steps_.back().step;
  const auto& records = by_mode_[mode_index(mode)];
  return records.empty() ? -1 : records.back().mode_step;
}

LOUPE_DECL std::vector<std::string_view> Snapshot::workers(std::int64_t global_step) const {
  std::vector<std::string_view> names;
  if (const StepRecord* record = steps_.find(global_step))
    for (const auto& block : record->blocks)
      if (names.empty() || names.back() != block->worker->name.view()) names.push_back(block->worker->name);
  return names;
}

LOUPE_DECL std::vector<std::string_view> Snapshot::names() const {
  std::vector<std::string_view> found;
  found.reserve(tensors_.size());
  tensors_.for_each([&](const TensorRecord& record) { found.push_back(record.tensor->name); });
  return found;
}

LOUPE_DECL std::vector<std::string_view> Snapshot::names(Mode mode) const {
  std::vector<std::string_view> found;
  tensors_.for_each([&](const TensorRecord& record) {
    if ((record.modes >> mode_index(mode) & 1) != 0) found.push_back(record.tensor->name);
  });
  return found;
}

LOUPE_DECL std::vector<std::string_view> Snapshot::names(Step global_step) const {
  const StepRecord* record = steps_.find(global_step.value);
  if (record == nullptr) return {};
  std::vector<const Interned*> tensors;
  for (const auto& block : record->blocks)
    for (const IndexEntry& entry : block->entries)
      if (tensors.empty() || tensors.back() != entry.tensor) tensors.push_back(entry.tensor);
  std::sort(tensors.begin(), tensors.end(), std::less<>());
  tensors.erase(std::unique(tensors.begin(), tensors.end()), tensors.end());
  std::vector<std::string_view> found(tensors.size());
  std::transform(tensors.begin(), tensors.end(), found.begin(), [](const Interned* tensor) { return tensor->name.view(); });
  std::sort(found.begin(), found.end());
  return found;
}

LOUPE_DECL const ModeStepRecord* Snapshot::record_of(const Interned* tensor, ModeStep at) const {
  const ModeStepRecord* record = by_mode_[mode_index(at.mode)].find(at.value);
  if (record != nullptr && detail::any_has(record->blocks, tensor)) return record;
  if (at.mode != Mode::global) return nullptr;
  const StepRecord* step = steps_.find(at.value);
  if (step == nullptr || (step->mode == Mode::global && step->mode_step == at.value)) return nullptr;
  record = by_mode_[mode_index(step->mode)].find(step->mode_step);
  return record != nullptr && detail::any_has(record->blocks, tensor) ? record : nullptr;
}

LOUPE_DECL result<std::optional<TensorStep>> Snapshot::locate(const Interned* tensor, ModeStep at,
                                                              std::string_view worker) const {
  const ModeStepRecord* record = record_of(tensor, at);
  if (record == nullptr) return std::optional<TensorStep>();
  const BlockList& blocks = record->blocks;
  for (std::size_t first = 0; first < blocks.size();) {
    std::size_t last = first;
    bool has_tensor = false;
    for (; last < blocks.size() && blocks[last]->worker == blocks[first]->worker; ++last)
      has_tensor = has_tensor || blocks[last]->has(tensor);
    if (has_tensor && (worker.empty() || blocks[first]->worker->name == worker)) {
      TensorStep found;
      found.tensor = tensor;
      found.at = ModeStep(blocks[first]->mode, record->mode_step);
      found.global_step = record->global_step;
      found.blocks = std::span(blocks).subspan(first, last - first);
      return std::optional(found);
    }
    first = last;
  }
  return fail(Error{.kind = ErrorKind::invalid_worker, .object = worker, .step = at.value, .mode = at.mode});
}

LOUPE_DECL std::vector<std::string_view> Snapshot::workers(const Interned* tensor, ModeStep at) const {
  const ModeStepRecord* record = record_of(tensor, at);
  if (record == nullptr) return {};
  std::vector<const IndexBlock*> having;
  for (const auto& block : record->blocks)
    if (block->has(tensor) && (having.empty() || having.back()->worker != block->worker)) having.push_back(block.get());
  std::sort(having.begin(), having.end(),
            [](const IndexBlock* a, const IndexBlock* b) { return a->load_order < b->load_order; });
  std::vector<std::string_view> names;
  for (const IndexBlock* block : having) names.push_back(block->worker->name);
  return names;
}

LOUPE_DECL std::optional<std::uint16_t> Snapshot::reduction_part(std::string_view name) const noexcept {
  for (std::size_t index = 0; index < reductions_->size(); ++index)
    if ((*reductions_)[index].name == name) return static_cast<std::uint16_t>(index + first_reduction_part);
  return std::nullopt;
}

}  // namespace loupe::inline LOUPE_ABI
