#pragma once
/// @file
/// FeatureImportanceOverweight: few features carry most of the importance (rules.md 5.20).

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/rules/elements.hpp"
#include "loupe/rules/parameters.hpp"
#include "loupe/rules/rule.hpp"
#include "loupe/rules/tensors.hpp"

namespace loupe::inline LOUPE_ABI::rules {

struct FeatureImportanceOverweightParameters {
  double threshold = 0.8;      ///< of the sum of the largest importances over that of all
  std::int64_t nfeatures = 3;  ///< how many are the largest
  Text tensor_regex = ".*feature_importance/weight";

  void visit(ParameterVisitor& visitor) {
    visitor.number("threshold", threshold, between(0, 1));
    visitor.integer("nfeatures", nfeatures, at_least(1));
    visitor.text("tensor_regex", tensor_regex);
  }
};

/// Fires if the `nfeatures` largest importances of a step, one scalar a feature, are more than `threshold` of all. A step with
/// no more features than that isn't judged.
class FeatureImportanceOverweight {
 public:
  static constexpr std::string_view name = "FeatureImportanceOverweight";
  using Parameters = FeatureImportanceOverweightParameters;
  explicit FeatureImportanceOverweight(Parameters parameters = {})
      : parameters_(std::move(parameters)), importances_(Tensors::matching(parameters_.tensor_regex)) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const { return importances_.check(); }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return importances_.decide(tensor, directory) ? wants_elements() : Wanted{};
  }
  void look(const Evidence& feature, Findings& findings) {
    const auto importance = only_element(feature.value);
    if (!importance) return;
    findings.count_datapoint();
    if (!std::isfinite(*importance) || *importance < 0)
      return findings.warn(feature.tensor.name, "was left out: an importance is finite and not negative");
    features_[Text(feature.worker)].push_back({*importance, feature.tensor.name});
  }
  Outcome conclude(const StepPlace&, Findings& findings) {
    Outcome outcome = Outcome::no_data;
    for (auto& [worker, features] : features_) outcome = std::max(outcome, judge(worker, features, findings));
    features_.clear();
    return outcome;
  }

 private:
  struct Feature {
    double importance = 0;
    Text name;
  };

  Outcome judge(const Text& worker, std::vector<Feature>& features, Findings& findings) const {
    const auto most = static_cast<std::size_t>(parameters_.nfeatures);
    if (features.size() <= most) return Outcome::no_data;
    std::sort(features.begin(), features.end(), [](const Feature& a, const Feature& b) {
      return a.importance != b.importance ? a.importance > b.importance : a.name < b.name;
    });
    double largest = 0, all = 0;
    Text names;
    for (std::size_t index = 0; index < features.size(); ++index) {
      all += features[index].importance;
      if (index >= most) continue;
      largest = all;
      names = names.empty() ? features[index].name : Text::join(names.view(), ", ", features[index].name.view());
    }
    if (!(all > 0) || !std::isfinite(all)) return Outcome::no_data;
    const double ratio = largest / all;
    if (!(ratio > parameters_.threshold)) return Outcome::clear;
    findings.add({features[0].name, worker, {}, ratio, parameters_.threshold, Text::join("is the part of all importance that these have: ", names.view())});
    return Outcome::fired;
  }

  Parameters parameters_;
  Tensors importances_;
  std::map<Text, std::vector<Feature>> features_;  ///< of the open step, by worker
};

inline FeatureImportanceOverweight feature_importance_overweight(FeatureImportanceOverweightParameters parameters = {}) {
  return FeatureImportanceOverweight(std::move(parameters));
}

}  // namespace loupe::inline LOUPE_ABI::rules
