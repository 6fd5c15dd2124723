#include "loupe/select/collection_set.hpp"

#include <string>

#include "loupe/select/plan.hpp"
#include "support/catch.hpp"

using namespace loupe;

TEST_CASE("a hook's set begins with the framework's collections and what it always saves") {
  const CollectionSet collections(pytorch_defaults);
  CHECK(collections.size() == 6);
  REQUIRE(collections.find("weights") != nullptr);
  CHECK(collections.find("weights")->include_regex[0] == "^(?!gradient).*weight");
  CHECK(collections.is_included("losses"));
  CHECK_FALSE(collections.is_included("weights"));
  CHECK(collections.may_be_empty("all"));
}

TEST_CASE("a collection is created when it is first asked for, and stays where it is") {
  CollectionSet collections;
  Collection* const first = collections.get("first").value();
  for (int number = 0; number < 100; ++number) collections.get(std::to_string(number)).value()->include("x");
  CHECK(collections.get("first").value() == first);
  CHECK(collections.size() == 101);
  CHECK(collections[0].name == "first");
  CHECK_FALSE(collections.may_be_empty("first"));
  CHECK(collections.find("absent") == nullptr);
}

TEST_CASE("adding a collection replaces the one of the same name in its place") {
  CollectionSet collections;
  collections.get("a").value()->include("old");
  collections.get("b").value();
  REQUIRE(collections.add(Collection{.name = "a", .include_regex = {Text("new")}}));
  CHECK(collections.size() == 2);
  CHECK(collections[0].include_regex[0] == "new");
}

TEST_CASE("to include all is to include every collection") {
  CollectionSet collections;
  REQUIRE(collections.include("mine"));
  CHECK(collections.is_included("mine"));
  CHECK_FALSE(collections.is_included("others"));
  REQUIRE(collections.include("all"));
  CHECK(collections.is_included("others"));
}

TEST_CASE("a collection without a name is refused") {
  CollectionSet collections;
  CHECK(collections.get("").error().kind == ErrorKind::invalid_argument);
  CHECK(collections.include("").error().kind == ErrorKind::invalid_argument);
}

TEST_CASE("after the first step collections can be read but neither added nor changed") {
  CollectionSet collections(pytorch_defaults);
  Plan plan;
  REQUIRE(plan.prepare(collections, {}));
  CHECK(collections.is_frozen());
  CHECK(collections.get("late").error().kind == ErrorKind::invalid_state);
  CHECK(collections.get("weights").error().object == "collection weights");
  CHECK(collections.add(Collection{.name = "late"}).error().kind == ErrorKind::invalid_state);
  CHECK(collections.include("weights").error().kind == ErrorKind::invalid_state);
  CHECK(collections.find("weights") != nullptr);
}
