#pragma once
/// @file
/// StalledTrainingRule: no new step for too long (rules.md 5.14).

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/rules/parameters.hpp"
#include "loupe/rules/rule.hpp"

namespace loupe::inline LOUPE_ABI::rules {

struct StalledTrainingRuleParameters {
  std::int64_t threshold = 1800;       ///< seconds
  bool stop_training_on_fire = false;  ///< the job whose name begins so is to be stopped: the program's work, not the rule's
  Text training_job_name_prefix = {};

  void visit(ParameterVisitor& visitor) {
    visitor.integer("threshold", threshold, between(1, 1e9));
    visitor.flag("stop_training_on_fire", stop_training_on_fire);
    visitor.text("training_job_name_prefix", training_job_name_prefix);
  }
};

/// Fires once, if no step has come for `threshold` seconds. A step has no time of its own: time counts from the first look
/// after it at which nothing new had come.
class StalledTrainingRule {
 public:
  static constexpr std::string_view name = "StalledTrainingRule";
  using Parameters = StalledTrainingRuleParameters;
  explicit StalledTrainingRule(Parameters parameters = {}) : parameters_(std::move(parameters)) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const {
    if (!parameters_.stop_training_on_fire || !parameters_.training_job_name_prefix.empty()) return {};
    return fail(ErrorKind::insufficient_information_for_rule_invocation, name, "training_job_name_prefix must be given to stop a training");
  }
  [[nodiscard]] const Parameters& parameters() const noexcept { return parameters_; }
  [[nodiscard]] bool has_ended() const noexcept { return has_fired_; }
  static Wanted wants(const TensorName&, const Directory&) noexcept { return {}; }
  static void look(const Evidence&, Findings&) noexcept {}
  Outcome conclude(const StepPlace&, Findings& findings) noexcept {
    findings.count_datapoint();
    waiting_since_.reset();
    return Outcome::clear;
  }
  Outcome idle(std::int64_t monotonic_ns, Findings& findings) {
    if (!waiting_since_) waiting_since_ = monotonic_ns;
    const double seconds = static_cast<double>(monotonic_ns - *waiting_since_) * 1e-9;
    if (!(seconds > static_cast<double>(parameters_.threshold))) return Outcome::clear;
    has_fired_ = true;
    findings.add({{}, {}, {}, seconds, static_cast<double>(parameters_.threshold), "seconds have passed without a new step"});
    return Outcome::fired;
  }

 private:
  Parameters parameters_;
  std::optional<std::int64_t> waiting_since_;
  bool has_fired_ = false;
};

inline StalledTrainingRule stalled_training_rule(StalledTrainingRuleParameters parameters = {}) {
  return StalledTrainingRule(std::move(parameters));
}

}  // namespace loupe::inline LOUPE_ABI::rules
