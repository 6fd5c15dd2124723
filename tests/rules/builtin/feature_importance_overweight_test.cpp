#include "loupe/rules/builtin/feature_importance_overweight.hpp"

#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/step_stage.hpp"

namespace {

StepStage& show(StepStage& stage, const std::vector<double>& importances) {
  stage.step();
  for (std::size_t feature = 0; feature < importances.size(); ++feature)
    stage.show("feature_importance/weight/f" + std::to_string(feature), importances[feature]);
  return stage;
}
bool fires(const std::vector<double>& importances) {
  StepStage stage(loupe::rules::feature_importance_overweight());
  return show(stage, importances).fires();
}

}  // namespace

TEST_CASE("three features with more than four fifths of all importance fire") {
  CHECK(fires({0.5, 0.3, 0.1, 0.1}));
  CHECK(fires({5, 3, 1, 1}));
  CHECK_FALSE(fires({0.25, 0.25, 0.25, 0.25}));
  CHECK_FALSE(fires({0.5, 0.3, 0.2}));
  CHECK_FALSE(fires({0, 0, 0, 0}));
}

TEST_CASE("importances that are negative or not finite are left out") {
  StepStage stage(loupe::rules::feature_importance_overweight());
  CHECK(show(stage, {0.5, 0.3, 0.1, 0.1, -7, std::numeric_limits<double>::quiet_NaN()}).fires());
  CHECK(stage.record().warnings.size() == 2);
  CHECK(stage.violation().reason.view().find("f0, feature_importance/weight/f1") != std::string_view::npos);
}
