#include "loupe/rules/per_tensor.hpp"

#include <vector>

#include "support/catch.hpp"

using loupe::rules::Evidence;

TEST_CASE("each tensor of each worker has a state of its own, made when it is asked for") {
  loupe::rules::PerTensor<int> states;
  const auto evidence = [](std::uint32_t number, std::string_view worker) {
    return Evidence{.tensor = {"w", number}, .worker = worker, .at = {}, .value = {}};
  };
  CHECK(states.of(evidence(1, "b")) == 0);
  states.of(evidence(1, "b")) = 1;
  states.of(evidence(0, "b")) = 2;
  states.of(evidence(1, "a")) = 3;
  CHECK(states.of(evidence(1, "b")) == 1);
  std::vector<int> in_order;
  for (const auto& [key, state] : states) in_order.push_back(state);
  CHECK(in_order == std::vector<int>{2, 3, 1});
}
