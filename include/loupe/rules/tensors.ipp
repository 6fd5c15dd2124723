#include "loupe/rules/tensors.hpp"

#include <utility>

namespace loupe::inline LOUPE_ABI::rules {

LOUPE_DECL Tensors::Tensors(std::vector<Text> collections, std::vector<Text> patterns)
    : collections_(std::move(collections)), patterns_(std::move(patterns)), filter_(patterns_) {}

LOUPE_DECL bool Tensors::decide(const TensorName& tensor, const Directory& directory) {
  if (tensor.number >= decided_.size()) decided_.resize(std::size_t{tensor.number} + 1, Decision::open);
  Decision& decision = decided_[tensor.number];
  if (decision == Decision::open) {
    bool is_in = selects_all() || filter_.matches(tensor.name);
    for (std::size_t index = 0; !is_in && index < collections_.size(); ++index)
      is_in = directory.contains(collections_[index], tensor.name);
    decision = is_in ? Decision::in : Decision::out;
  }
  return decision == Decision::in;
}

LOUPE_DECL result<void> Tensors::check() const {
  if (!filter_.errors().empty()) return fail(filter_.errors().front());
  return {};
}

}  // namespace loupe::inline LOUPE_ABI::rules
