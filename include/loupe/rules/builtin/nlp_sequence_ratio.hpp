#pragma once
/// @file
/// NLPSequenceRatio: too many of certain tokens, such as padding (rules.md 5.17).

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/rules/builtin/tensor_rule.hpp"
#include "loupe/rules/elements.hpp"
#include "loupe/rules/parameters.hpp"
#include "loupe/rules/tensors.hpp"

namespace loupe::inline LOUPE_ABI::rules {

struct NLPSequenceRatioParameters {
  std::vector<Text> tensor_regex = {".*embedding0_input_0"};
  std::vector<double> token_values = {0};
  std::vector<double> token_thresholds_percent = {50};  ///< of all tokens, one for each value

  void visit(ParameterVisitor& visitor) {
    visitor.list("tensor_regex", tensor_regex);
    visitor.numbers("token_values", token_values, any_number());
    visitor.numbers("token_thresholds_percent", token_thresholds_percent, between(0, 100));
  }
};

/// Fires if more than so many percent of a sequence's tokens have one of the values. Each step is judged by itself.
class NLPSequenceRatio : public TensorRule<NLPSequenceRatio> {
 public:
  static constexpr std::string_view name = "NLPSequenceRatio";
  using Parameters = NLPSequenceRatioParameters;
  explicit NLPSequenceRatio(Parameters parameters = {}) : parameters_(std::move(parameters)), sequences_({}, parameters_.tensor_regex) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const {
    if (parameters_.token_values.size() != parameters_.token_thresholds_percent.size())
      return fail(ErrorKind::invalid_argument, name, "there must be as many token_thresholds_percent as token_values");
    return sequences_.check();
  }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return sequences_.decide(tensor, directory) ? wants_elements() : Wanted{};
  }
  Outcome judge(const Evidence& sequence, Findings& findings) {
    if (!has_real_elements(sequence.value) || sequence.value.size() == 0) return Outcome::no_data;
    const std::size_t tokens = parameters_.token_values.size();
    counts_.assign(tokens, 0);
    for_each_element(sequence.value, [&](auto element) {
      for (std::size_t token = 0; token < tokens; ++token)
        if (is_token(element, parameters_.token_values[token])) ++counts_[token];
    });
    Outcome outcome = Outcome::clear;
    for (std::size_t token = 0; token < tokens; ++token) {
      const double percent = 100 * static_cast<double>(counts_[token]) / static_cast<double>(sequence.value.size());
      const double threshold = parameters_.token_thresholds_percent[token];
      if (!(percent > threshold)) continue;
      findings.add(sequence, percent, threshold, "percent of its tokens have one of the values");
      outcome = Outcome::fired;
    }
    return outcome;
  }

 private:
  template <class Number>
  static bool is_token(Number element, double token) noexcept {
    if constexpr (std::same_as<Number, std::int64_t>) return whole_number(token) == element;
    else return element == token;
  }

  Parameters parameters_;
  Tensors sequences_;
  std::vector<std::int64_t> counts_;
};

inline NLPSequenceRatio nlp_sequence_ratio(NLPSequenceRatioParameters parameters = {}) { return NLPSequenceRatio(std::move(parameters)); }

}  // namespace loupe::inline LOUPE_ABI::rules
