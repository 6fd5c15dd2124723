#pragma once
/// @file
/// Reads all that was saved at a step, tensor by tensor, in the order in which the step saved it.

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/function_ref.hpp"
#include "loupe/base/result.hpp"
#include "loupe/reduce/strategy.hpp"
#include "loupe/trial/snapshot.hpp"
#include "loupe/trial/trial_core.hpp"

namespace loupe::inline LOUPE_ABI {

/// What of a tensor a step's reader is to read.
struct TensorRequest {
  bool any = false;          ///< else the tensor is passed over
  StatisticSet statistics;   ///< read where they were saved, else computed from the value
};

/// What one worker saved of one tensor at one step. Valid during the call that it is handed to.
struct SavedTensor {
  const Interned* tensor = nullptr;
  const Interned* worker = nullptr;
  TensorView value;                        ///< without a tensor where only reductions were saved
  const ReducedValues* reduced = nullptr;  ///< those of the requested statistics that are to be had
};

/// Reads steps of a trial. One thread at a time.
class StepReader {
 public:
  explicit StepReader(std::shared_ptr<TrialCore> trial) : trial_(std::move(trial)) {}

  /// Reads a global step of a snapshot: worker by worker, in the order of their names, and each one's tensors in the order
  /// in which it saved them. What can't be read is handed to `fault`. Of shapes nothing is shown.
  LOUPE_DECL void read(const std::shared_ptr<const Snapshot>& snapshot, const StepRecord& step,
                       FunctionRef<TensorRequest(const Interned&)> request, FunctionRef<void(const SavedTensor&)> show,
                       FunctionRef<void(const Error&)> fault);

 private:
  struct Place {
    std::uint64_t start = 0;
    const Interned* tensor = nullptr;
  };
  /// Puts the tensors of one worker's files into `order_`.
  LOUPE_DECL void sort(std::span<const std::shared_ptr<const IndexBlock>> blocks);
  LOUPE_DECL void read_tensor(const std::shared_ptr<const Snapshot>& snapshot, const TensorStep& at, const TensorRequest& request,
                              FunctionRef<void(const SavedTensor&)> show, FunctionRef<void(const Error&)> fault);

  std::shared_ptr<TrialCore> trial_;
  std::vector<Place> order_;
  ReducedValues reduced_;
  ReducedValues computed_;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/trial/step_reader.ipp"
#endif
