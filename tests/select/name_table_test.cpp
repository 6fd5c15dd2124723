#include "loupe/select/name_table.hpp"

#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"

using loupe::NameTable;

TEST_CASE("names get numbers in the order in which they are first seen") {
  NameTable table;
  CHECK(table.find("a") == NameTable::none);
  CHECK(table.find_or_add("b").id == 0);
  CHECK(table.find_or_add("a").is_new);
  CHECK(table.find_or_add("b").id == 0);
  CHECK_FALSE(table.find_or_add("a").is_new);
  CHECK(table.find("a") == 1);
  CHECK(table[1] == "a");
  CHECK(table.size() == 2);
}

TEST_CASE("a table of many names finds each whatever the order of questions") {
  NameTable table;
  std::vector<std::string> names;
  for (int number = 0; number < 2000; ++number)
    names.push_back("layer" + std::to_string(number % 977) + "/" + std::to_string(number));
  for (std::uint32_t number = 0; number < names.size(); ++number)
    REQUIRE(table.find_or_add(names[number]).id == number);
  std::mt19937 random(3);
  for (int question = 0; question < 20000; ++question) {
    const auto number = static_cast<std::uint32_t>(random() % 2000);
    if (question % 100 == 0) table.restart();
    const auto found = table.find_or_add(names[number]);
    REQUIRE(found.id == number);
    REQUIRE_FALSE(found.is_new);
  }
}

TEST_CASE("names of any bytes, the empty one too, are told apart") {
  NameTable table;
  using namespace std::string_view_literals;
  CHECK(table.find_or_add(""sv).id == 0);
  CHECK(table.find_or_add("\0"sv).id == 1);
  CHECK(table.find_or_add("\0\0"sv).id == 2);
  CHECK(table.find_or_add(""sv).id == 0);
}
