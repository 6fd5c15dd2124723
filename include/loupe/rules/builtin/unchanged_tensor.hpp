#pragma once
/// @file
/// UnchangedTensor: a tensor that stopped changing (rules.md 5.15).

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/shape.hpp"
#include "loupe/rules/builtin/tensor_choice.hpp"
#include "loupe/rules/builtin/tensor_rule.hpp"
#include "loupe/rules/closeness.hpp"
#include "loupe/rules/elements.hpp"
#include "loupe/rules/per_tensor.hpp"

namespace loupe::inline LOUPE_ABI::rules {

struct UnchangedTensorParameters {
  TensorChoice tensors = {};
  std::int64_t num_steps = 3;   ///< over how many of the last steps that have the tensor
  Closeness closeness = {};

  void visit(ParameterVisitor& visitor) {
    tensors.visit(visitor);
    visitor.integer("num_steps", num_steps, at_least(2));
    closeness.visit(visitor);
  }
};

/// Fires if a tensor is close to what it was at each of the `num_steps - 1` steps before that have it.
class UnchangedTensor : public TensorRule<UnchangedTensor> {
 public:
  static constexpr std::string_view name = "UnchangedTensor";
  using Parameters = UnchangedTensorParameters;
  explicit UnchangedTensor(Parameters parameters = {}) : parameters_(std::move(parameters)), tensors_(parameters_.tensors.tensors()) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const {
    if (parameters_.tensors.empty()) return detail::nothing_chosen(name);
    return tensors_.check();
  }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return tensors_.decide(tensor, directory) ? wants_elements() : Wanted{};
  }
  Outcome judge(const Evidence& tensor, Findings& findings) {
    if (!has_real_elements(tensor.value) || tensor.value.size() == 0) return Outcome::no_data;
    std::vector<Saved>& before = histories_.of(tensor);
    Saved now{tensor.at.step.value, tensor.value.shape, {}};
    append_elements(tensor.value, now.elements);
    const auto needed = static_cast<std::size_t>(parameters_.num_steps - 1);
    Outcome outcome = Outcome::no_data;
    if (before.size() >= needed) {
      const bool is_unchanged = std::all_of(before.begin(), before.end(), [&](const Saved& earlier) {
        return earlier.shape == now.shape && parameters_.closeness.are_close(now.elements, earlier.elements);
      });
      outcome = outcome_of(is_unchanged);
      if (is_unchanged)
        findings.add(tensor, largest_difference(now.elements, before.front().elements), parameters_.closeness.atol,
                     Text::join("is the largest difference since step ", to_text(before.front().step).view()));
      before.erase(before.begin());
    }
    before.push_back(std::move(now));
    return outcome;
  }

 private:
  struct Saved {
    std::int64_t step = 0;
    Shape shape;
    std::vector<double> elements;
  };
  Parameters parameters_;
  Tensors tensors_;
  PerTensor<std::vector<Saved>> histories_;
};

inline UnchangedTensor unchanged_tensor(UnchangedTensorParameters parameters) { return UnchangedTensor(std::move(parameters)); }

}  // namespace loupe::inline LOUPE_ABI::rules
