#pragma once
/// @file
/// ClassImbalance: classes of very uneven size, or one that is mispredicted too often (rules.md 5.9).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/rules/labels.hpp"
#include "loupe/rules/parameters.hpp"
#include "loupe/rules/rule.hpp"
#include "loupe/rules/tensors.hpp"

namespace loupe::inline LOUPE_ABI::rules {

struct ClassImbalanceParameters {
  double threshold_imbalance = 10;       ///< of the size of the largest class over that of the smallest
  double threshold_misprediction = 0.7;  ///< of the part of a class that is mispredicted
  std::int64_t samples = 500;            ///< labels to see before anything is judged
  bool argmax = false;                   ///< predictions are scores, the class being that of the highest
  Text labels_regex = ".*labels";
  Text predictions_regex = ".*predictions";

  void visit(ParameterVisitor& visitor) {
    visitor.number("threshold_imbalance", threshold_imbalance, at_least(1));
    visitor.number("threshold_misprediction", threshold_misprediction, between(0, 1));
    visitor.integer("samples", samples, at_least(1));
    visitor.flag("argmax", argmax);
    visitor.text("labels_regex", labels_regex);
    visitor.text("predictions_regex", predictions_regex);
  }
};

/// Counts the labels of all steps by class, and those that were mispredicted; fires, from `samples` labels on, if the classes
/// seen are too uneven or one is mispredicted too often. Labels and predictions of a worker are paired in the order of
/// their names.
class ClassImbalance {
 public:
  static constexpr std::string_view name = "ClassImbalance";
  using Parameters = ClassImbalanceParameters;
  explicit ClassImbalance(Parameters parameters = {})
      : parameters_(std::move(parameters)),
        labels_(Tensors::matching(parameters_.labels_regex)),
        predictions_(Tensors::matching(parameters_.predictions_regex)) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const {
    LOUPE_TRY(labels_.check());
    return predictions_.check();
  }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    const bool is_label = labels_.decide(tensor, directory);
    return predictions_.decide(tensor, directory) || is_label ? wants_elements() : Wanted{};
  }
  void look(const Evidence& tensor, Findings& findings) {
    if (!has_real_elements(tensor.value) || tensor.value.size() == 0) return;
    findings.count_datapoint();
    if (labels_.selects(tensor.tensor.number)) look_at_labels(tensor, findings);
    else if (parameters_.argmax) step_predictions_.push_back(seen(tensor, argmax_rows(tensor.value)));
    else step_predictions_.push_back(seen(tensor, rounded_classes(tensor.value)));
  }
  Outcome conclude(const StepPlace&, Findings& findings) {
    const bool has_data = !step_labels_.empty();
    count_step(findings);
    if (!has_data) return Outcome::no_data;
    return total_ >= parameters_.samples ? judge(findings) : Outcome::clear;
  }

 private:
  struct Seen {
    Text worker, tensor;
    Classes classes;
  };
  struct ClassCount {
    std::int64_t labels = 0;
    std::int64_t mispredicted = 0;
  };

  static Seen seen(const Evidence& tensor, Classes classes) { return {tensor.worker, tensor.tensor.name, std::move(classes)}; }
  void look_at_labels(const Evidence& tensor, Findings& findings) {
    if (has_class_axis(tensor.value)) step_labels_.push_back(seen(tensor, argmax_rows(tensor.value)));
    else if (are_whole(tensor.value)) step_labels_.push_back(seen(tensor, rounded_classes(tensor.value)));
    else findings.warn(tensor.tensor.name, "was left out: its labels are not whole numbers");
  }
  void count_step(Findings& findings) {
    const auto by_worker_and_name = [](const Seen& a, const Seen& b) {
      return a.worker != b.worker ? a.worker < b.worker : a.tensor < b.tensor;
    };
    std::sort(step_labels_.begin(), step_labels_.end(), by_worker_and_name);
    std::sort(step_predictions_.begin(), step_predictions_.end(), by_worker_and_name);
    std::size_t next = 0;  // the first prediction of the worker that has no labels yet
    for (std::size_t index = 0; index < step_labels_.size(); ++index) {
      const Seen& labels = step_labels_[index];
      while (next < step_predictions_.size() && step_predictions_[next].worker < labels.worker) ++next;
      const Seen* predictions = nullptr;
      if (next < step_predictions_.size() && step_predictions_[next].worker == labels.worker) predictions = &step_predictions_[next++];
      if (predictions != nullptr && predictions->classes.size() != labels.classes.size()) {
        findings.warn(predictions->tensor, "was left out: there are not as many predictions as labels");
        predictions = nullptr;
      }
      for (std::size_t sample = 0; sample < labels.classes.size(); ++sample) {
        if (!labels.classes[sample]) continue;
        ClassCount& count = classes_[*labels.classes[sample]];
        ++count.labels;
        ++total_;
        if (predictions != nullptr && predictions->classes[sample] != labels.classes[sample]) ++count.mispredicted;
      }
    }
    step_labels_.clear();
    step_predictions_.clear();
  }
  Outcome judge(Findings& findings) const {
    Outcome outcome = Outcome::clear;
    const auto fewer = [](const auto& a, const auto& b) { return a.second.labels < b.second.labels; };
    const auto smallest = std::min_element(classes_.begin(), classes_.end(), fewer);
    const auto largest = std::max_element(classes_.begin(), classes_.end(), fewer);
    const double ratio = static_cast<double>(largest->second.labels) / static_cast<double>(smallest->second.labels);
    if (ratio > parameters_.threshold_imbalance) {
      findings.add({{}, {}, {}, ratio, parameters_.threshold_imbalance,
                    Text::join({"class ", to_text(largest->first).view(), " has ", to_text(largest->second.labels).view(),
                                " samples, class ", to_text(smallest->first).view(), " ", to_text(smallest->second.labels).view()})});
      outcome = Outcome::fired;
    }
    for (const auto& [number, count] : classes_) {
      const double part = static_cast<double>(count.mispredicted) / static_cast<double>(count.labels);
      if (!(part > parameters_.threshold_misprediction)) continue;
      findings.add({{}, {}, {}, part, parameters_.threshold_misprediction,
                    Text::join("is the part of class ", to_text(number).view(), " that is mispredicted")});
      outcome = Outcome::fired;
    }
    return outcome;
  }

  Parameters parameters_;
  Tensors labels_;
  Tensors predictions_;
  std::vector<Seen> step_labels_;
  std::vector<Seen> step_predictions_;
  std::map<std::int64_t, ClassCount> classes_;
  std::int64_t total_ = 0;
};

inline ClassImbalance class_imbalance(ClassImbalanceParameters parameters = {}) { return ClassImbalance(std::move(parameters)); }

}  // namespace loupe::inline LOUPE_ABI::rules
