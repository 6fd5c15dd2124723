#pragma once
/// @file
/// Shows steps made by hand to a rule, as a driver would.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/reduce/fused.hpp"
#include "loupe/rules/judge.hpp"
#include "loupe/select/collection.hpp"

/// Collections by name, each with the names of its tensors.
class TestDirectory final : public loupe::rules::Directory {
 public:
  TestDirectory& add(std::string_view collection, std::string_view tensor) {
    members_[std::string(collection)].insert(tensor);
    return *this;
  }
  [[nodiscard]] bool contains(std::string_view collection, std::string_view tensor) const override {
    const auto found = members_.find(std::string(collection));
    return found != members_.end() && found->second.contains(tensor);
  }

 private:
  std::map<std::string, loupe::NameSet> members_;
};

/// A judge with one rule, and the steps that are shown to it. Tensors are vectors of any element type.
class StepStage {
 public:
  explicit StepStage(loupe::rules::Rule rule) : name_(rule.name()) { REQUIRE(judge_.add(std::move(rule))); }

  /// Puts a tensor into a collection; to be said before it is first shown.
  StepStage& in(std::string_view collection, std::string_view tensor) {
    directory_.add(collection, tensor);
    return *this;
  }
  /// Begins the next step; mode steps count within the mode.
  StepStage& step(loupe::Mode mode = loupe::Mode::global) {
    const std::int64_t number = mode == loupe::Mode::global ? next_ : mode_next_[static_cast<std::size_t>(mode)]++;
    return step_at(next_, {mode, number});
  }
  StepStage& step_at(std::int64_t step, loupe::ModeStep mode_step) {
    next_ = step + 1;
    at_ = {loupe::Step(step), mode_step};
    judge_.begin_step(at_);
    return *this;
  }
  StepStage& step_at(std::int64_t step) { return step_at(step, {loupe::Mode::global, step}); }
  template <class Type>
  StepStage& show(std::string_view tensor, const std::vector<Type>& elements, loupe::Shape shape = {}, std::string_view worker = "worker_0") {
    if (shape.empty()) shape = {static_cast<std::int64_t>(elements.size())};
    return show_view(tensor, {elements.data(), loupe::element_type_of<Type>, shape}, worker);
  }
  StepStage& show(std::string_view tensor, double number, std::string_view worker = "worker_0") {
    return show_view(tensor, {&number, loupe::ElementType::float64, loupe::Shape()}, worker);
  }
  StepStage& show_view(std::string_view tensor, const loupe::TensorView& value, std::string_view worker = "worker_0") {
    const std::uint32_t number = judge_.number_of(tensor);
    const loupe::rules::Wanted wanted = judge_.wanted(number, directory_);
    if (!wanted.any) return *this;
    loupe::reduce_tensor<loupe::Fused>(value, wanted.statistics, reduced_);
    judge_.look({{tensor, number}, worker, at_, value, &reduced_});
    return *this;
  }
  /// Shows reductions without the elements that they are of.
  StepStage& show_reduced(std::string_view tensor, std::vector<std::pair<loupe::Statistic, double>> values, std::string_view worker = "worker_0") {
    const std::uint32_t number = judge_.number_of(tensor);
    if (!judge_.wanted(number, directory_).any) return *this;
    reduced_.clear();
    for (const auto& [statistic, value] : values) reduced_.set(statistic, loupe::Scalar::from(value));
    judge_.look({{tensor, number}, worker, at_, {}, &reduced_});
    return *this;
  }
  /// Ends the step; whether the rule fired.
  bool fires() {
    const auto firings = judge_.end_step();
    last_ = firings.empty() ? std::nullopt : std::optional(firings.front());
    return last_.has_value();
  }
  /// The firing of the last step.
  [[nodiscard]] const loupe::rules::Firing& firing() const {
    REQUIRE(last_);
    return *last_;
  }
  [[nodiscard]] const loupe::rules::Violation& violation(std::size_t index = 0) const {
    REQUIRE(firing().violations.size() > index);
    return firing().violations[index];
  }
  [[nodiscard]] loupe::rules::RuleRecord record() const { return judge_.record(0); }
  [[nodiscard]] loupe::rules::Judge& judge() noexcept { return judge_; }

 private:
  std::string name_;
  loupe::rules::Judge judge_;
  TestDirectory directory_;
  loupe::ReducedValues reduced_;
  loupe::rules::StepPlace at_;
  std::optional<loupe::rules::Firing> last_;
  std::int64_t next_ = 0;
  std::int64_t mode_next_[loupe::mode_count] = {};
};
