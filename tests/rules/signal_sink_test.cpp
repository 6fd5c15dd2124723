#include "loupe/rules/signal_sink.hpp"

#include <unistd.h>

#include "support/catch.hpp"
#include "support/child_process.hpp"

using loupe::rules::send_signal;

TEST_CASE("a firing ends the process that is told") {
  ChildProcess child([] { ChildProcess::wait_to_be_killed(); });
  CHECK(send_signal(child.pid(), SIGKILL)->fired({}));
  CHECK(child.wait() == -1);
}

TEST_CASE("a process that isn't there is an error, a group of processes is refused") {
  CHECK(send_signal(INT32_MAX)->fired({}).error().kind == loupe::ErrorKind::not_found);
  for (const pid_t group : {0, -1, -5}) CHECK(send_signal(group, 0)->fired({}).error().kind == loupe::ErrorKind::invalid_argument);
}
