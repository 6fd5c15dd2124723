#include "loupe/rules/tensors.hpp"

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::rules::Tensors;

TEST_CASE("tensors are those of collections and those with a pattern in their names, or all") {
  TestDirectory directory;
  directory.add("weights", "w");
  Tensors chosen({"weights"}, {"^act"});
  CHECK(chosen.decide({"w", 0}, directory));
  CHECK(chosen.decide({"act1", 1}, directory));
  CHECK_FALSE(chosen.decide({"react", 2}, directory));
  CHECK(Tensors().decide({"anything", 0}, directory));
  CHECK(Tensors().selects_all());
}

TEST_CASE("a name is decided on once, a copy decides again") {
  TestDirectory directory;
  Tensors chosen = Tensors::of("weights");
  CHECK_FALSE(chosen.selects(0));
  CHECK_FALSE(chosen.decide({"w", 0}, directory));
  directory.add("weights", "w");
  CHECK_FALSE(chosen.decide({"w", 0}, directory));
  Tensors copy = chosen;
  CHECK(copy.decide({"w", 0}, directory));
  CHECK(copy.selects(0));
}

TEST_CASE("a pattern that can't be read is an error, and selects nothing") {
  Tensors chosen({}, {"("});
  CHECK_FALSE(chosen.check());
  CHECK_FALSE(chosen.decide({"(", 0}, TestDirectory()));
  CHECK(Tensors::matching("a").check());
}
