#include "loupe/rules/builtin/tensor_choice.hpp"

#include "support/catch.hpp"

using loupe::rules::NamedParameter;
using loupe::rules::TensorChoice;

TEST_CASE("tensors are chosen by lists as the service sends them; an empty list is none") {
  TensorChoice choice;
  CHECK(choice.empty());
  CHECK(choice.tensors().selects_all());
  const NamedParameter given[] = {{"collection_names", "weights, biases"}, {"tensor_regex", ""}};
  REQUIRE(loupe::rules::read_parameters("R", given, choice));
  CHECK(choice.collection_names == std::vector<loupe::Text>{"weights", "biases"});
  CHECK(choice.tensor_regex.empty());
  CHECK_FALSE(choice.empty());
  CHECK_FALSE(choice.tensors().selects_all());
}
