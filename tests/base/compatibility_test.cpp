#include "loupe/base/compatibility.hpp"

#include "support/catch.hpp"

TEST_CASE("only the named compatibility policies are ones") {
  CHECK(loupe::compat::Compatibility<loupe::compat::Native>);
  CHECK(loupe::compat::Compatibility<loupe::compat::Smdebug>);
  CHECK_FALSE(loupe::compat::Compatibility<int>);
}
