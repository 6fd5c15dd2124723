#include "loupe/base/contained.hpp"

#include <new>
#include <stdexcept>

#include "support/catch.hpp"

using loupe::contained;
using loupe::ErrorKind;
using loupe::result;

TEST_CASE("exceptions become errors that name the action") {
  const auto no_memory = contained("save", []() -> result<int> { throw std::bad_alloc(); });
  CHECK(no_memory.error().kind == ErrorKind::limit_exceeded);
  CHECK(no_memory.error().object == "save");
  const auto user = contained("call", []() -> result<void> { throw std::runtime_error("broken callback"); });
  CHECK(user.error().detail == "broken callback");
  const auto unknown = contained("call", []() -> result<void> { throw 3; });
  CHECK(unknown.error().kind == ErrorKind::invalid_state);
  CHECK(contained("call", []() -> result<int> { return 5; }).value() == 5);
}
