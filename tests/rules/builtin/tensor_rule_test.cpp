#include "loupe/rules/builtin/tensor_rule.hpp"

#include "support/catch.hpp"

using namespace loupe::rules;

namespace {

/// Says of each tensor what its number says.
struct Parrot : TensorRule<Parrot> {
  static Wanted wants(const TensorName&, const Directory&) { return wants_elements(); }
  static Outcome judge(const Evidence& tensor, Findings&) { return static_cast<Outcome>(tensor.tensor.number); }
};

Outcome outcome_of_tensors(std::initializer_list<std::uint32_t> outcomes) {
  Parrot rule;
  Findings findings;
  std::uint64_t judged = 0;
  for (const std::uint32_t outcome : outcomes) {
    rule.look({.tensor = {"t", outcome}, .worker = {}, .at = {}, .value = {}}, findings);
    judged += outcome != 0 ? 1 : 0;
  }
  CHECK(findings.datapoints() == judged);
  const Outcome concluded = rule.conclude({}, findings);
  CHECK(rule.conclude({}, findings) == Outcome::no_data);
  return concluded;
}

}  // namespace

TEST_CASE("a step fires if any of its tensors does; tensors that can't be judged don't count") {
  CHECK(outcome_of_tensors({}) == Outcome::no_data);
  CHECK(outcome_of_tensors({0, 0}) == Outcome::no_data);
  CHECK(outcome_of_tensors({0, 1}) == Outcome::clear);
  CHECK(outcome_of_tensors({2, 1, 0}) == Outcome::fired);
}
