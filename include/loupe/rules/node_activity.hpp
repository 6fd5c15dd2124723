#pragma once
/// @file
/// How often the nodes of a layer are active.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/tensor_view.hpp"
#include "loupe/rules/elements.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// Counts, node by node, the samples of the last steps in which the node was active. Axis 0 of a tensor counts samples, a
/// node is a position over the other axes; in a tensor of one axis or none each element is a sample of a node of its own.
class NodeActivity {
 public:
  /// Adds a step's samples; of steps before the last `window_steps` nothing is left. Where the number of nodes has changed
  /// counting starts afresh.
  template <class IsActive>
  void add(const TensorView& layer, std::int64_t window_steps, IsActive is_active) {
    Samples next;
    next.count = layer.rank() > 1 ? layer.shape[0] : 1;
    next.active.resize(next.count == 0 ? 0 : static_cast<std::size_t>(layer.size() / next.count));
    std::size_t node = 0;
    for_each_element(layer, [&](auto element) {
      if (is_active(static_cast<double>(element))) ++next.active[node];
      if (++node == next.active.size()) node = 0;
    });
    if (!steps_.empty() && steps_.front().active.size() != next.active.size()) steps_.clear();
    if (steps_.size() >= static_cast<std::size_t>(window_steps)) steps_.erase(steps_.begin());
    steps_.push_back(std::move(next));
  }
  [[nodiscard]] std::int64_t nodes() const noexcept {
    return steps_.empty() ? 0 : static_cast<std::int64_t>(steps_.front().active.size());
  }
  /// The number of nodes that were active in less than `percent` of the samples.
  [[nodiscard]] std::int64_t inactive_nodes(double percent) const {
    std::int64_t inactive = 0;
    std::int64_t samples = 0;
    for (const Samples& step : steps_) samples += step.count;
    for (std::size_t node = 0; node < static_cast<std::size_t>(nodes()); ++node) {
      std::int64_t active = 0;
      for (const Samples& step : steps_) active += step.active[node];
      if (100.0 * static_cast<double>(active) < percent * static_cast<double>(samples)) ++inactive;
    }
    return inactive;
  }

 private:
  struct Samples {
    std::int64_t count = 0;
    std::vector<std::int64_t> active;  ///< by node
  };
  std::vector<Samples> steps_;
};

}  // namespace loupe::inline LOUPE_ABI::rules
