#include "loupe/base/home_process.hpp"

#include <unistd.h>

#include "support/catch.hpp"
#include "support/child_process.hpp"

TEST_CASE("a forked child is not at home in what its parent made, copies included, but in what it makes itself") {
  const loupe::HomeProcess home;
  CHECK(home.is_here());
  ChildProcess child([&] {
    const loupe::HomeProcess copy = home;
    if (home.is_here() || copy.is_here()) ::_exit(2);
    if (!loupe::HomeProcess().is_here()) ::_exit(3);
  });
  CHECK(child.wait() == 0);
}
