#include "loupe/select/collection.hpp"

#include <vector>

#include "support/catch.hpp"

using namespace loupe;

TEST_CASE("a set of names holds each name once") {
  NameSet names{"b", "é", "a", "b", "Z"};
  CHECK(names.size() == 4);
  CHECK(names.contains("é"));
  CHECK_FALSE(names.contains("c"));
}

TEST_CASE("sets of names are equal whatever the order") {
  CHECK(NameSet{"a", "b"} == NameSet{"b", "a"});
  CHECK(NameSet{"a", "b"} != NameSet{"a", "c"});
  CHECK(NameSet{"a"} != NameSet{"a", "b"});
}

TEST_CASE("collections are equal if all their fields are") {
  Collection one{.name = "relu"};
  one.include("relu").add_tensor("x");
  Collection other = one;
  CHECK(one == other);
  other.save_histogram = false;
  CHECK(one != other);
  other = one;
  other.save = ModeSaveConfigs(SaveConfig{});
  CHECK(one != other);
}
