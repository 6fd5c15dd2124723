#include "loupe/select/code_point_set.hpp"

#include <random>
#include <set>

#include "support/catch.hpp"

using namespace loupe;

TEST_CASE("a set of code points is what was added, whatever the order and overlap") {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    CodePointSet set;
    std::set<char32_t> model;
    for (int part = 0; part < 8; ++part) {
      const auto first = static_cast<char32_t>(random() % 60);
      const auto last = static_cast<char32_t>(first + random() % 6);
      set.add({first, last});
      for (char32_t code = first; code <= last; ++code) model.insert(code);
    }
    for (char32_t code = 0; code < 70; ++code) {
      REQUIRE(set.contains(code) == model.contains(code));
      REQUIRE(set.complement().contains(code) != model.contains(code));
    }
    for (std::size_t index = 1; index < set.ranges().size(); ++index)
      REQUIRE(set.ranges()[index].first > set.ranges()[index - 1].last + 1);
  }
}

TEST_CASE("the complement of nothing is everything") {
  CHECK(CodePointSet().complement().ranges().size() == 1);
  CHECK(CodePointSet().complement().contains(last_code_point));
  CHECK(CodePointSet{{0, last_code_point}}.complement().ranges().empty());
}

TEST_CASE("the other case of letters is added both ways") {
  CodePointSet set{{'a', 'c'}, {'X', 'Z'}, {'5', '5'}};
  set.add_other_case();
  for (const char32_t code : U"abcABCxyzXYZ5")
    if (code != 0) CHECK(set.contains(code));
  CHECK_FALSE(set.contains('d'));
  CHECK_FALSE(set.contains('['));
}

TEST_CASE("named classes and their capitals are complements") {
  for (const bool ascii_only : {false, true})
    for (const char32_t name : {U'd', U's', U'w'})
      for (const char32_t code : U" a5_é-\n\u2003")
        CHECK(named_class(name, ascii_only).contains(code) != named_class(name - 'a' + 'A', ascii_only).contains(code));
  CHECK(named_class('w', false).contains(U'é'));
  CHECK_FALSE(named_class('w', true).contains(U'é'));
  CHECK(named_class('s', false).contains(U'\u2003'));
}
