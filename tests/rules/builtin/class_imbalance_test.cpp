#include "loupe/rules/builtin/class_imbalance.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::rules::class_imbalance;
using Labels = std::vector<std::int64_t>;

namespace {

Labels labels_of(std::size_t zeros, std::size_t ones) {
  Labels labels(zeros, 0);
  labels.insert(labels.end(), ones, 1);
  return labels;
}

}  // namespace

TEST_CASE("classes are uneven if one is more than ten times another, once enough labels were seen") {
  StepStage stage(class_imbalance());
  CHECK_FALSE(stage.step().show("labels", labels_of(459, 40)).fires());
  CHECK(stage.step().show("labels", labels_of(1, 0)).fires());
  CHECK(stage.violation().value == 11.5);
  CHECK_FALSE(StepStage(class_imbalance()).step().show("labels", labels_of(450, 50)).fires());
}

TEST_CASE("a class that is mispredicted too often fires") {
  StepStage stage(class_imbalance({.samples = 4}));
  CHECK_FALSE(stage.step().show("labels", Labels{0, 0, 1, 1}).show("predictions", Labels{0, 0, 1, 0}).fires());
  CHECK(stage.step().show("labels", Labels{1, 1}).show("predictions", Labels{0, 0}).fires());
  CHECK(stage.violation().value == 0.75);
  CHECK(stage.violation().reason.view().find("class 1") != std::string_view::npos);
}

TEST_CASE("labels may be one-hot, predictions scores, and a binary score is rounded with halves up") {
  StepStage scores(class_imbalance({.threshold_misprediction = 0, .samples = 2, .argmax = true}));
  CHECK_FALSE(scores.step()
                  .show("labels", std::vector<float>{0, 1, 1, 0}, {2, 2})
                  .show("predictions", std::vector<float>{0.1F, 0.9F, 0.5F, 0.5F}, {2, 2})
                  .fires());
  StepStage binary(class_imbalance({.threshold_misprediction = 0, .samples = 2}));
  CHECK_FALSE(binary.step().show("labels", Labels{1, 0}).show("predictions", std::vector<float>{0.5F, 0.49F}).fires());
}

TEST_CASE("a sample without a label is dropped, a prediction that is NaN is a wrong one") {
  constexpr double nan_label = std::numeric_limits<double>::quiet_NaN();
  StepStage stage(class_imbalance({.threshold_misprediction = 0.4, .samples = 2}));
  CHECK(stage.step()
            .show("labels", std::vector<double>{nan_label, 0, 0})
            .show("predictions", std::vector<double>{5, 0, nan_label})
            .fires());
  CHECK(stage.violation().value == 0.5);
}

TEST_CASE("labels that are no whole numbers and predictions that are too few are left out with a warning") {
  StepStage stage(class_imbalance({.threshold_misprediction = 0, .samples = 2}));
  CHECK_FALSE(stage.step().show("labels", std::vector<float>{0.5F, 1}).fires());
  CHECK_FALSE(stage.step().show("labels", Labels{0, 1}).show("predictions", Labels{1}).fires());
  CHECK(stage.record().warnings.size() == 2);
}

TEST_CASE("labels and predictions of one worker are paired in the order of their names") {
  StepStage stage(class_imbalance({.threshold_misprediction = 0, .samples = 4}));
  CHECK_FALSE(stage.step()
                  .show("b_labels", Labels{1})
                  .show("a_labels", Labels{0})
                  .show("a_predictions", Labels{0})
                  .show("b_predictions", Labels{1})
                  .show("a_labels", Labels{0}, {}, "worker_1")
                  .show("b_labels", Labels{1}, {}, "worker_1")
                  .show("b_predictions", Labels{1}, {}, "worker_1")
                  .show("a_predictions", Labels{0}, {}, "worker_1")
                  .fires());
  CHECK(stage.record().datapoints == 8);
}
