#include "loupe/base/result.hpp"

#include <memory>
#include <string>

#include "support/catch.hpp"

using loupe::ErrorKind;
using loupe::fail;
using loupe::result;

namespace {

result<std::unique_ptr<int>> made(bool works) {
  if (!works) return fail(ErrorKind::not_found, "thing", "there is none");
  return std::make_unique<int>(4);
}

result<int> doubled(bool works) {
  LOUPE_ASSIGN(const std::unique_ptr<int> number, made(works));
  LOUPE_TRY(made(works));
  return 2 * *number;
}

}  // namespace

TEST_CASE("a function passes the first error on and otherwise its value") {
  CHECK(doubled(true).value() == 8);
  const auto failed = doubled(false);
  REQUIRE_FALSE(failed);
  CHECK(failed.error().kind == ErrorKind::not_found);
  CHECK(failed.error().object == "thing");
}

TEST_CASE("damage knows its offset") {
  const result<int> damaged = loupe::fail_at(ErrorKind::corrupt, "file", 17, "bad");
  CHECK(damaged.error().offset == 17);
}
