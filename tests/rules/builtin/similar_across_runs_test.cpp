#include "loupe/rules/builtin/similar_across_runs.hpp"

#include <limits>
#include <map>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::ModeStep;
using loupe::rules::similar_across_runs;
using Floats = std::vector<float>;

namespace {

/// Another run, of one step.
class OneStep final : public loupe::rules::ReferenceRun {
 public:
  explicit OneStep(std::map<std::string, Floats> values) : values_(std::move(values)) {}
  std::optional<loupe::Array> value(std::string_view tensor, ModeStep at) override {
    const auto found = values_.find(std::string(tensor));
    if (found == values_.end() || at.value != 0) return std::nullopt;
    const auto size = static_cast<std::int64_t>(found->second.size());
    return loupe::Array::copy_of({found->second.data(), loupe::ElementType::float32, {size}}).value();
  }

 private:
  std::map<std::string, Floats> values_;
};
bool fires(const Floats& mine, const Floats& theirs) {
  StepStage stage(similar_across_runs({.other = std::make_shared<OneStep>(std::map<std::string, Floats>{{"t", theirs}})}));
  return stage.step().show("t", mine).fires();
}

}  // namespace

TEST_CASE("the same values never fire, one that differs does, and so do other shapes") {
  constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();
  CHECK_FALSE(fires({1, not_a_number}, {1, not_a_number}));
  CHECK(fires({1, 2}, {1, 2.001F}));
  CHECK(fires({1, 2}, {1, 2, 3}));
  CHECK(fires({1, not_a_number}, {1, 0}));
}

TEST_CASE("what the other run doesn't have is told once, and not judged") {
  StepStage stage(similar_across_runs({.other = std::make_shared<OneStep>(std::map<std::string, Floats>{{"t", {1}}})}));
  CHECK_FALSE(stage.step().show("u", Floats{1}).fires());
  CHECK_FALSE(stage.step().show("t", Floats{2}).fires());
  CHECK(stage.record().warnings.size() == 2);
  CHECK(stage.record().datapoints == 0);
}

TEST_CASE("without another run there is nothing to compare with") {
  loupe::rules::Judge judge;
  CHECK(judge.add(similar_across_runs({})).error().kind == loupe::ErrorKind::insufficient_information_for_rule_invocation);
}
