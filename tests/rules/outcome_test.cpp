#include "loupe/rules/outcome.hpp"

#include "support/catch.hpp"

using loupe::rules::both;
using loupe::rules::either;
using loupe::rules::negated;
using loupe::rules::Outcome;

TEST_CASE("and, or and not are Kleene's: what isn't known decides nothing") {
  constexpr Outcome all[] = {Outcome::no_data, Outcome::clear, Outcome::fired};
  for (const Outcome one : all) {
    CHECK(both(one, Outcome::clear) == Outcome::clear);
    CHECK(both(one, Outcome::fired) == one);
    CHECK(either(one, Outcome::fired) == Outcome::fired);
    CHECK(either(one, Outcome::clear) == one);
    CHECK(negated(negated(one)) == one);
    for (const Outcome other : all) {
      CHECK(both(one, other) == both(other, one));
      CHECK(either(one, other) == either(other, one));
      CHECK(negated(both(one, other)) == either(negated(one), negated(other)));
    }
  }
  CHECK(both(Outcome::no_data, Outcome::no_data) == Outcome::no_data);
}
