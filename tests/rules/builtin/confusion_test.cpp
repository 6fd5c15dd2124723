#include "loupe/rules/builtin/confusion.hpp"

#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::rules::confusion;
using Classes = std::vector<std::int64_t>;

namespace {

bool fires(const Classes& labels, const Classes& predictions, loupe::rules::ConfusionParameters parameters = {}) {
  StepStage stage(confusion(std::move(parameters)));
  return stage.step().show("labels", labels).show("predictions", predictions).fires();
}

}  // namespace

TEST_CASE("perfect predictions don't fire, but by the formula as it is printed") {
  CHECK_FALSE(fires({0, 1, 2}, {0, 1, 2}));
  CHECK(fires({0, 1, 2}, {0, 1, 2}, {.diag_denominator = "trace"}));
}

TEST_CASE("too few right predictions of a class fire, and too many that are of another") {
  const Classes labels{0, 0, 0, 0, 0, 0, 0, 0, 1, 1};
  StepStage stage(confusion());
  CHECK(stage.step().show("labels", labels).show("predictions", Classes(10, 0)).fires());
  CHECK(stage.firing().total == 2);
  CHECK(stage.violation(0).value == 0.8);
  CHECK(stage.violation(1).value == 0.2);
  CHECK_FALSE(fires(labels, Classes(10, 0), {.min_diag = 0.8, .max_off_diag = 0.2}));
}

TEST_CASE("collections name labels and predictions, which may be scores") {
  StepStage stage(confusion());
  stage.in("labels", "y").in("predictions", "p");
  CHECK_FALSE(stage.step().show("y", Classes{1, 0}).show("p", std::vector<float>{0.1F, 0.9F, 0.6F, 0.4F}, {2, 2}).fires());
  CHECK(stage.record().datapoints == 2);
}

TEST_CASE("what can't be a class is left out with a warning, a sample without one is dropped") {
  for (const auto& [labels, predictions] : {std::pair(Classes{0, 2}, Classes{0, 1}), {Classes{-1}, Classes{0}}, {Classes{0}, Classes{0, 1}}}) {
    StepStage stage(confusion({.category_no = 2}));
    CHECK_FALSE(stage.step().show("labels", labels).show("predictions", predictions).fires());
    CHECK(stage.record().warnings.size() == 1);
  }
  StepStage huge(confusion());
  CHECK_FALSE(huge.step().show("labels", Classes{INT64_MAX - 1}).show("predictions", Classes{0}).fires());
  StepStage dropped(confusion());
  CHECK_FALSE(dropped.step()
                  .show("labels", std::vector<double>{0, std::numeric_limits<double>::quiet_NaN()})
                  .show("predictions", std::vector<double>{0, 1})
                  .fires());
}
