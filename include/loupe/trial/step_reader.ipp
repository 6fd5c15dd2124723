#include "loupe/trial/step_reader.hpp"

#include <algorithm>
#include <span>
#include <tuple>

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL void StepReader::sort(std::span<const std::shared_ptr<const IndexBlock>> blocks) {
  order_.clear();
  // Several files of one worker for one step are rare; then the newest one's order comes last.
  for (const auto& block : blocks)
    for (const IndexEntry& entry : block->entries) {
      if (entry.part == shape_part) continue;
      if (!order_.empty() && order_.back().tensor == entry.tensor) order_.back().start = std::min<std::uint64_t>(order_.back().start, entry.start);
      else order_.push_back({entry.start, entry.tensor});
    }
  const auto is_before = [](const Place& a, const Place& b) {
    return std::tie(a.start, a.tensor->number) < std::tie(b.start, b.tensor->number);
  };
  if (!std::is_sorted(order_.begin(), order_.end(), is_before)) std::sort(order_.begin(), order_.end(), is_before);
  if (blocks.size() > 1)
    for (auto place = order_.begin(); place != order_.end(); ++place)
      order_.erase(std::remove_if(place + 1, order_.end(), [&](const Place& later) { return later.tensor == place->tensor; }),
                   order_.end());
}

LOUPE_DECL void StepReader::read(const std::shared_ptr<const Snapshot>& snapshot, const StepRecord& step,
                                 FunctionRef<TensorRequest(const Interned&)> request, FunctionRef<void(const SavedTensor&)> show,
                                 FunctionRef<void(const Error&)> fault) {
  const std::span blocks(step.blocks);
  for (std::size_t first = 0, last = 0; first < blocks.size(); first = last) {
    while (last < blocks.size() && blocks[last]->worker == blocks[first]->worker) ++last;
    const auto of_worker = blocks.subspan(first, last - first);
    sort(of_worker);
    for (const Place& place : order_) {
      const TensorRequest wanted = request(*place.tensor);
      if (!wanted.any) continue;
      read_tensor(snapshot, {place.tensor, {step.mode, step.mode_step}, step.step, of_worker}, wanted, show, fault);
    }
  }
}

LOUPE_DECL void StepReader::read_tensor(const std::shared_ptr<const Snapshot>& snapshot, const TensorStep& at,
                                        const TensorRequest& request, FunctionRef<void(const SavedTensor&)> show,
                                        FunctionRef<void(const Error&)> fault) {
  reduced_.clear();
  for (const Statistic statistic : request.statistics) {
    const TensorStep::Found saved = at.find(static_cast<std::uint16_t>(first_reduction_part + static_cast<std::uint16_t>(statistic)));
    if (!saved) continue;
    const result<ValueView> stored = trial_->tensors().part(snapshot, at, saved);
    if (!stored) fault(stored.error());
    else if (const Scalar number = load_scalar(stored->view()); number.has_value()) reduced_.set(statistic, number);
  }
  ValueView value;
  if (const TensorStep::Found saved = at.find(value_part)) {
    result<ValueView> stored = trial_->tensors().part(snapshot, at, saved);
    if (stored) value = *std::move(stored);
    else fault(stored.error());
  }
  if (const StatisticSet missing = request.statistics - reduced_.present; value.view().has_tensor() && !missing.empty()) {
    trial_->reduce(value.view(), missing, computed_);
    for (const Statistic statistic : computed_.present) reduced_.set(statistic, *computed_.find(statistic));
  }
  if (value.view().has_tensor() || !reduced_.present.empty()) show({at.tensor, at.blocks.front()->worker, value.view(), &reduced_});
}

}  // namespace loupe::inline LOUPE_ABI
