#pragma once
/// @file
/// What a rule is, and a rule of any type.

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/base/owner.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/text.hpp"
#include "loupe/rules/evidence.hpp"
#include "loupe/rules/findings.hpp"
#include "loupe/rules/outcome.hpp"
#include "loupe/rules/parameters.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// A condition on steps. It is shown the tensors of one step after the other, in the order in which the step saved them,
/// and then says what it makes of the step:
///
/// - `wants(tensor, directory) -> Wanted`: asked once for each tensor name, before the first `look` at it;
/// - `look(evidence, findings)`: for each tensor that it wants, once for each worker that saved it;
/// - `conclude(at, findings) -> Outcome`: at the end of the step.
///
/// It may keep what it needs of earlier steps in itself; a copy of a rule that hasn't looked at anything starts afresh.
/// Optional: `name`, a static constant; `needed_collections`, a static array of names of collections without which it has
/// nothing to look at, for the check when it is attached to a hook; `visit(ParameterVisitor&)`, its parameters; `check() -> result<void>`, whether
/// they go together; `has_ended() -> bool`, whether it will look at no further step; `idle(monotonic_ns, findings) ->
/// Outcome`, called while nothing new comes.
template <class Type>
concept RulePredicate = std::copy_constructible<Type> &&
                        requires(Type& rule, const TensorName& tensor, const Directory& directory, const Evidence& evidence,
                                 const StepPlace& at, Findings& findings) {
                          { rule.wants(tensor, directory) } -> std::same_as<Wanted>;
                          { rule.look(evidence, findings) } -> std::same_as<void>;
                          { rule.conclude(at, findings) } -> std::same_as<Outcome>;
                        };

/// A rule of any type, with its name. A copy has the same parameters and, if the original hasn't looked at a step yet, is
/// as good as new. One thread at a time.
class Rule {
 public:
  /// A rule that has a name of its own.
  template <class Type>
    requires(!std::same_as<std::remove_cvref_t<Type>, Rule> && requires { std::string_view(std::remove_cvref_t<Type>::name); })
  Rule(Type&& rule) : Rule(std::remove_cvref_t<Type>::name, std::forward<Type>(rule)) {}
  /// A rule under a name, by which firings are reported.
  template <class Type>
  Rule(std::string_view name, Type&& rule)
      : name_(name), model_(new Model<std::remove_cvref_t<Type>>(std::forward<Type>(rule))) {
    static_assert(RulePredicate<std::remove_cvref_t<Type>>,
                  "loupe::rules::Rule: the type must model loupe::rules::RulePredicate: copyable, with wants(tensor, directory) "
                  "-> Wanted, look(evidence, findings) and conclude(at, findings) -> Outcome; see loupe/rules/rule.hpp");
  }
  Rule(const Rule& other) : name_(other.name_), model_(other.model_->clone()) {}
  Rule(Rule&&) noexcept = default;
  Rule& operator=(Rule other) noexcept {
    name_ = std::move(other.name_);
    model_ = std::move(other.model_);
    return *this;
  }

  [[nodiscard]] std::string_view name() const noexcept { return name_; }
  /// Whether the parameters are in range and go together.
  [[nodiscard]] result<void> check() const { return model_->check(name_); }
  /// `name:value`, one a line.
  [[nodiscard]] Text parameters() const { return model_->parameters(); }
  Wanted wants(const TensorName& tensor, const Directory& directory) { return model_->wants(tensor, directory); }
  void look(const Evidence& evidence, Findings& findings) { model_->look(evidence, findings); }
  Outcome conclude(const StepPlace& at, Findings& findings) { return model_->conclude(at, findings); }
  [[nodiscard]] bool has_ended() const noexcept { return model_->has_ended(); }
  Outcome idle(std::int64_t monotonic_ns, Findings& findings) { return model_->idle(monotonic_ns, findings); }

 private:
  struct Base {
    virtual ~Base() = default;
    virtual Base* clone() const = 0;
    virtual result<void> check(std::string_view name) const = 0;
    virtual Text parameters() const = 0;
    virtual Wanted wants(const TensorName& tensor, const Directory& directory) = 0;
    virtual void look(const Evidence& evidence, Findings& findings) = 0;
    virtual Outcome conclude(const StepPlace& at, Findings& findings) = 0;
    virtual bool has_ended() const noexcept = 0;
    virtual Outcome idle(std::int64_t monotonic_ns, Findings& findings) = 0;
  };
  template <class Type>
  struct Model final : Base {
    explicit Model(Type own) : rule(std::move(own)) {}
    Base* clone() const override { return new Model(rule); }
    result<void> check(std::string_view name) const override {
      if constexpr (VisitableParameters<Type>) LOUPE_TRY(check_parameters(name, rule));
      if constexpr (requires { rule.check(); }) return rule.check();
      else return {};
    }
    Text parameters() const override {
      if constexpr (VisitableParameters<Type>) return parameters_text(rule);
      else return {};
    }
    Wanted wants(const TensorName& tensor, const Directory& directory) override { return rule.wants(tensor, directory); }
    void look(const Evidence& evidence, Findings& findings) override { rule.look(evidence, findings); }
    Outcome conclude(const StepPlace& at, Findings& findings) override { return rule.conclude(at, findings); }
    bool has_ended() const noexcept override {
      if constexpr (requires { rule.has_ended(); }) return rule.has_ended();
      else return false;
    }
    Outcome idle(std::int64_t monotonic_ns, Findings& findings) override {
      if constexpr (requires { rule.idle(monotonic_ns, findings); }) return rule.idle(monotonic_ns, findings);
      else return Outcome::no_data;
    }
    Type rule;
  };

  Text name_;
  Owner<Base> model_;
};

}  // namespace loupe::inline LOUPE_ABI::rules
