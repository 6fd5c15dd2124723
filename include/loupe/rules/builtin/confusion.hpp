#pragma once
/// @file
/// Confusion: the quality of a classifier by its confusion matrix (rules.md 5.18).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/rules/labels.hpp"
#include "loupe/rules/parameters.hpp"
#include "loupe/rules/rule.hpp"
#include "loupe/rules/tensors.hpp"

namespace loupe::inline LOUPE_ABI::rules {

struct ConfusionParameters {
  std::optional<std::int64_t> category_no = {};  ///< the number of classes; nothing: as many as there are
  Text labels = "labels";                        ///< a tensor's name, looked for besides the collection
  Text predictions = "predictions";
  Text labels_collection = "labels";
  Text predictions_collection = "predictions";
  double min_diag = 0.9;                         ///< of the predictions of a class that are right
  double max_off_diag = 0.1;                     ///< of those that are of one other class
  Text diag_denominator = "column";              ///< `trace`: by the sum of the diagonal, as the printed formula says

  void visit(ParameterVisitor& visitor) {
    visitor.integer("category_no", category_no, between(2, 10'000));
    visitor.text("labels", labels);
    visitor.text("predictions", predictions);
    visitor.text("labels_collection", labels_collection);
    visitor.text("predictions_collection", predictions_collection);
    visitor.number("min_diag", min_diag, between(0, 1));
    visitor.number("max_off_diag", max_off_diag, between(0, 1));
    static constexpr std::string_view denominators[] = {"column", "trace"};
    visitor.word("diag_denominator", diag_denominator, denominators);
  }
};

/// Counts, afresh at each step, which labels were predicted as which classes; fires if of the predictions of a class too few
/// are right or too many are of one other class.
class Confusion {
 public:
  static constexpr std::string_view name = "Confusion";
  using Parameters = ConfusionParameters;
  explicit Confusion(Parameters parameters = {})
      : parameters_(std::move(parameters)),
        labels_(Tensors::of(parameters_.labels_collection)),
        predictions_(Tensors::of(parameters_.predictions_collection)) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    const bool is_label = labels_.decide(tensor, directory) || tensor.name == parameters_.labels;
    return predictions_.decide(tensor, directory) || tensor.name == parameters_.predictions || is_label ? wants_elements() : Wanted{};
  }
  void look(const Evidence& tensor, Findings& findings) {
    if (!has_real_elements(tensor.value) || tensor.value.size() == 0) return;
    findings.count_datapoint();
    const bool is_label = labels_.selects(tensor.tensor.number) || tensor.tensor.name == parameters_.labels;
    std::vector<Seen>& seen = is_label ? step_labels_ : step_predictions_;
    seen.push_back({tensor.worker, tensor.tensor.name, has_class_axis(tensor.value) ? argmax_rows(tensor.value) : rounded_classes(tensor.value)});
  }
  Outcome conclude(const StepPlace&, Findings& findings) {
    Outcome outcome = Outcome::no_data;
    const auto by_worker_and_name = [](const Seen& a, const Seen& b) { return a.worker != b.worker ? a.worker < b.worker : a.tensor < b.tensor; };
    std::sort(step_labels_.begin(), step_labels_.end(), by_worker_and_name);
    std::sort(step_predictions_.begin(), step_predictions_.end(), by_worker_and_name);
    std::size_t next = 0;
    for (const Seen& labels : step_labels_) {
      while (next < step_predictions_.size() && step_predictions_[next].worker < labels.worker) ++next;
      if (next == step_predictions_.size() || step_predictions_[next].worker != labels.worker) continue;
      outcome = std::max(outcome, judge(labels, step_predictions_[next++], findings));
    }
    step_labels_.clear();
    step_predictions_.clear();
    return outcome;
  }

 private:
  struct Seen {
    Text worker, tensor;
    Classes classes;
  };
  /// More classes than a matrix can sensibly be made of.
  static constexpr std::int64_t max_classes = 10'000;

  Outcome judge(const Seen& labels, const Seen& predictions, Findings& findings) {
    if (labels.classes.size() != predictions.classes.size()) {
      findings.warn(predictions.tensor, "was left out: there are not as many predictions as labels");
      return Outcome::no_data;
    }
    std::int64_t classes = parameters_.category_no.value_or(0);
    std::int64_t pairs = 0;
    for (std::size_t sample = 0; sample < labels.classes.size(); ++sample) {
      const auto label = labels.classes[sample], prediction = predictions.classes[sample];
      if (!label || !prediction) continue;
      ++pairs;
      if (!parameters_.category_no) classes = std::max({classes, *label + 1, *prediction + 1});
      if (*label < 0 || *prediction < 0 || *label >= classes || *prediction >= classes || classes > max_classes) {
        findings.warn(labels.tensor, "was left out with its predictions: there is a class that is negative or too large");
        return Outcome::no_data;
      }
    }
    if (pairs == 0) return Outcome::no_data;
    const auto size = static_cast<std::size_t>(classes);
    matrix_.assign(size * size, 0);
    for (std::size_t sample = 0; sample < labels.classes.size(); ++sample)
      if (labels.classes[sample] && predictions.classes[sample])
        ++matrix_[static_cast<std::size_t>(*labels.classes[sample]) * size + static_cast<std::size_t>(*predictions.classes[sample])];
    return judge_matrix(labels, size, findings);
  }
  Outcome judge_matrix(const Seen& labels, std::size_t size, Findings& findings) const {
    Outcome outcome = Outcome::clear;
    double trace = 0;
    for (std::size_t number = 0; number < size; ++number) trace += static_cast<double>(matrix_[number * size + number]);
    const auto add = [&](std::size_t label, std::size_t prediction, double part, double threshold) {
      findings.add({labels.tensor, labels.worker, {}, part, threshold,
                    Text::join({"of the predictions of class ", to_text(static_cast<long long>(prediction)).view(), " are of samples of class ",
                                to_text(static_cast<long long>(label)).view()})});
      outcome = Outcome::fired;
    };
    for (std::size_t prediction = 0; prediction < size; ++prediction) {
      double column = 0;
      for (std::size_t label = 0; label < size; ++label) column += static_cast<double>(matrix_[label * size + prediction]);
      if (column == 0) continue;
      for (std::size_t label = 0; label < size; ++label) {
        const auto count = static_cast<double>(matrix_[label * size + prediction]);
        const bool is_diagonal = label == prediction;
        const double part = count / (is_diagonal && parameters_.diag_denominator == "trace" ? trace : column);
        if (is_diagonal ? part < parameters_.min_diag : part > parameters_.max_off_diag)
          add(label, prediction, part, is_diagonal ? parameters_.min_diag : parameters_.max_off_diag);
      }
    }
    return outcome;
  }

  Parameters parameters_;
  Tensors labels_;
  Tensors predictions_;
  std::vector<Seen> step_labels_;
  std::vector<Seen> step_predictions_;
  std::vector<std::int64_t> matrix_;  ///< of one pair: by label, then by prediction
};

inline Confusion confusion(ConfusionParameters parameters = {}) { return Confusion(std::move(parameters)); }

}  // namespace loupe::inline LOUPE_ABI::rules
