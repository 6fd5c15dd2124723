#include "loupe/base/expected.hpp"

#include <memory>
#include <string>

#include "support/catch.hpp"

using loupe::expected;
using loupe::unexpected;

// What both std::expected and the subset offer, so that either build proves the same.
TEST_CASE("a value or an error is kept through copies, moves and assignments") {
  expected<std::string, int> value("text");
  expected<std::string, int> error = unexpected(7);
  CHECK(value.has_value());
  CHECK_FALSE(error);
  CHECK(*value == "text");
  CHECK(error.error() == 7);
  expected<std::string, int> copy = value;
  copy = error;
  CHECK(copy.error() == 7);
  copy = value;
  CHECK(copy->size() == 4);
  const expected<std::string, int> moved = std::move(value);
  CHECK(moved.value() == "text");
  CHECK(error.value_or("other") == "other");
  copy = copy;
  CHECK(*copy == "text");
}

TEST_CASE("move-only values can be taken out") {
  expected<std::unique_ptr<int>, int> value(std::make_unique<int>(3));
  const std::unique_ptr<int> taken = *std::move(value);
  CHECK(*taken == 3);
  expected<std::unique_ptr<int>, int> other = unexpected(1);
  other = expected<std::unique_ptr<int>, int>(std::make_unique<int>(5));
  CHECK(**other == 5);
}

TEST_CASE("nothing or an error") {
  const expected<void, std::string> fine;
  const expected<void, std::string> wrong = unexpected(std::string("why"));
  CHECK(fine.has_value());
  CHECK_FALSE(wrong);
  CHECK(wrong.error() == "why");
}
