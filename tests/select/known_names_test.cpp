#include "loupe/select/known_names.hpp"

#include <random>
#include <string>

#include "loupe/select/name_table.hpp"
#include "support/catch.hpp"

using loupe::NameTable;

TEST_CASE("names are the same if all their bytes are, at any length") {
  std::mt19937 random(11);
  for (std::size_t size = 0; size < 70; ++size) {
    std::string name;
    for (std::size_t at = 0; at < size; ++at) name += static_cast<char>(random());
    const std::string copy = name;
    CHECK(loupe::detail::is_same_name(name, copy));
    CHECK_FALSE(loupe::detail::is_same_name(name, copy + '\0'));
    for (std::size_t at = 0; at < size; ++at) {
      std::string other = name;
      other[at] = static_cast<char>(other[at] ^ 1);
      REQUIRE_FALSE(loupe::detail::is_same_name(name, other));
    }
  }
}

TEST_CASE("a name is passed over where it is expected, if its tag isn't wanted") {
  NameTable table;
  for (const char* name : {"a", "b", "c"}) table.find_or_add(name);
  table.set_tag(1, 1);
  const std::uint8_t is_wanted[] = {0, 1};
  auto known = table.known();
  known.is_wanted = is_wanted;
  table.restart();
  CHECK_FALSE(known.pass_over("b"));
  CHECK(known.pass_over("a"));
  CHECK_FALSE(known.pass_over("b"));
  CHECK(table.find_or_add("b").id == 1);
  CHECK(known.pass_over("c"));
  CHECK_FALSE(known.pass_over("a"));
}

TEST_CASE("an order other than that of the first round is expected from the second time on") {
  NameTable table;
  for (const char* name : {"a", "b", "c"}) table.find_or_add(name);
  const std::uint8_t is_wanted[] = {0};
  auto known = table.known();
  known.is_wanted = is_wanted;
  const auto passes = [&](std::string_view name) {
    if (known.pass_over(name)) return true;
    table.find_or_add(name);
    return false;
  };
  for (const bool is_known : {false, true}) {
    table.restart();
    CHECK(passes("c") == is_known);
    CHECK(passes("a") == is_known);
  }
}

TEST_CASE("nothing is known of no names") {
  NameTable table;
  CHECK_FALSE(table.known().pass_over("a"));
}
