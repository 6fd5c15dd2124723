#pragma once
/// @file
/// SimilarAcrossRuns: tensors that differ from those of another run (rules.md 5.13).

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/rules/builtin/tensor_choice.hpp"
#include "loupe/rules/builtin/tensor_rule.hpp"
#include "loupe/rules/closeness.hpp"
#include "loupe/rules/elements.hpp"
#include "loupe/rules/reference_run.hpp"

namespace loupe::inline LOUPE_ABI::rules {

struct SimilarAcrossRunsParameters {
  std::shared_ptr<ReferenceRun> other = {};  ///< what is compared with; strings can't say it
  TensorChoice tensors = {};                 ///< all if none are chosen
  Closeness closeness = {.equal_nan = true};

  void visit(ParameterVisitor& visitor) {
    tensors.visit(visitor);
    closeness.visit(visitor);
  }
};

/// Fires if a tensor differs from that of the other run at the same step of its mode. One that is in this run only is
/// passed over and told.
class SimilarAcrossRuns : public TensorRule<SimilarAcrossRuns> {
 public:
  static constexpr std::string_view name = "SimilarAcrossRuns";
  using Parameters = SimilarAcrossRunsParameters;
  explicit SimilarAcrossRuns(Parameters parameters = {}) : parameters_(std::move(parameters)), tensors_(parameters_.tensors.tensors()) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const {
    if (parameters_.other == nullptr)
      return fail(ErrorKind::insufficient_information_for_rule_invocation, name, "other_trials must be given: one trial to compare with");
    return tensors_.check();
  }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return tensors_.decide(tensor, directory) ? wants_elements() : Wanted{};
  }
  Outcome judge(const Evidence& tensor, Findings& findings) {
    if (!has_real_elements(tensor.value)) return Outcome::no_data;
    const auto other = parameters_.other->value(tensor.tensor.name, tensor.at.mode);
    if (!other || !has_real_elements(other->view())) {
      findings.warn(tensor.tensor.name, "is not in the other run at every step");
      return Outcome::no_data;
    }
    if (other->view().shape != tensor.value.shape) {
      findings.add(tensor, 0, 0, "the shapes differ");
      return Outcome::fired;
    }
    mine_.clear();
    theirs_.clear();
    append_elements(tensor.value, mine_);
    append_elements(other->view(), theirs_);
    if (parameters_.closeness.are_close(mine_, theirs_)) return Outcome::clear;
    findings.add(tensor, largest_difference(mine_, theirs_), parameters_.closeness.atol, "is the largest difference from the other run");
    return Outcome::fired;
  }

 private:
  Parameters parameters_;
  Tensors tensors_;
  std::vector<double> mine_, theirs_;
};

inline SimilarAcrossRuns similar_across_runs(SimilarAcrossRunsParameters parameters) { return SimilarAcrossRuns(std::move(parameters)); }

}  // namespace loupe::inline LOUPE_ABI::rules
