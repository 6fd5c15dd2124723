#pragma once
/// @file
/// Finds and reads what was saved of a tensor at a step, or says why there is nothing.

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/scalar.hpp"
#include "loupe/base/step.hpp"
#include "loupe/trial/event_files.hpp"
#include "loupe/trial/follower.hpp"
#include "loupe/trial/snapshot.hpp"
#include "loupe/trial/value.hpp"

namespace loupe::inline LOUPE_ABI {

/// A reduction of a tensor at a step: as it was saved, or computed from the saved value.
struct ReductionValue {
  Text name;         ///< `min`, `abs_mean`, …
  Scalar number;     ///< none if what was saved is not a single number
  ValueView stored;  ///< as it was saved, of rank 0 or shape (1); no tensor if it was computed
  [[nodiscard]] bool is_saved() const noexcept { return stored.view().has_tensor(); }
};

/// A decoded value. smdebug decodes some to what has no shape: nothing at all, or a bare truth value.
struct DecodedValue {
  ValueView value;
  bool has_shape = true;
};

/// One statistic of a tensor by a reduction strategy: how the strategy passes into code that is no template.
using ComputeStatistic = result<Scalar> (*)(const TensorView& view, Statistic statistic);

/// Reads tensors through a follower and its event files, by the rules of semantics.md section 13. Any thread.
class TensorReader {
 public:
  TensorReader(Follower& follower, EventFiles& files, const ReaderQuirks& quirks, ComputeStatistic compute) noexcept
      : follower_(follower), files_(files), quirks_(quirks), compute_(compute) {}

  /// The value where it lies. `tensor_unavailable_for_step` with its reason if there is none.
  LOUPE_DECL result<ValueView> value(const Interned* tensor, ModeStep at, std::string_view worker);
  /// The saved shape, or that of the value.
  LOUPE_DECL result<Shape> shape(const Interned* tensor, ModeStep at, std::string_view worker);
  /// A reduction by its name, saved or else computed from the value.
  LOUPE_DECL result<ReductionValue> reduction(const Interned* tensor, ModeStep at, std::string_view name, std::string_view worker);
  /// One part of a tensor at a step of a snapshot that is held meanwhile. Errors: that it can't be read.
  LOUPE_DECL result<ValueView> part(const std::shared_ptr<const Snapshot>& snapshot, const TensorStep& step, TensorStep::Found found);
  /// The reductions that were saved; none is no error.
  LOUPE_DECL result<std::vector<ReductionValue>> saved_reductions(const Interned* tensor, ModeStep at, std::string_view worker);

 private:
  struct Place {
    std::shared_ptr<const Snapshot> snapshot;
    TensorStep step;
    ModeStep asked;
  };
  result<Place> locate(const Interned* tensor, ModeStep at, std::string_view worker);
  result<DecodedValue> read_value(const Place& place);
  result<DecodedValue> read(const Place& place, TensorStep::Found found);
  result<ReductionValue> read_reduction(const Place& place, std::uint16_t part);
  Error unavailable(const Place& place) const;
  Error unreadable(const Place& place, Error error) const;

  Follower& follower_;
  EventFiles& files_;
  const ReaderQuirks& quirks_;
  ComputeStatistic compute_;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/trial/tensor_reader.ipp"
#endif
