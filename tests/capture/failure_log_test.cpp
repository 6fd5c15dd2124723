#include "loupe/capture/failure_log.hpp"

#include <string>
#include <vector>

#include "support/catch.hpp"

using loupe::Error;
using loupe::ErrorKind;
using loupe::FailureLog;

namespace {
loupe::ReportSink into(std::vector<std::string>& told) {
  return {.write = [](void* context, std::string_view sentence) { static_cast<std::vector<std::string>*>(context)->emplace_back(sentence); },
          .context = &told};
}
}  // namespace

TEST_CASE("each kind of failure is told once, all are counted") {
  std::vector<std::string> told;
  FailureLog log(into(told));
  for (int round = 0; round < 5; ++round) {
    log.add({.kind = ErrorKind::no_space, .object = "disk"});
    log.add({.kind = ErrorKind::io, .object = "file", .detail = "write failed"});
  }
  log.add_dropped_step();
  CHECK(log.snapshot().count == 10);
  CHECK(log.snapshot().last.object == "file");
  REQUIRE(told.size() == 2);
  CHECK(told[1] == "file: write failed");
  log.summarise();
  REQUIRE(told.size() == 3);
  log.summarise();
  REQUIRE(told.size() == 3);
  CHECK(told[2] == "failures: 10, steps lost: 1, steps kept without raw tensors: 0");
}

TEST_CASE("a run without failures ends without a word") {
  std::vector<std::string> told;
  FailureLog(into(told)).summarise();
  CHECK(told.empty());
}

TEST_CASE("a sink that throws harms nobody") {
  FailureLog log({.write = [](void*, std::string_view) { throw 3; }});
  log.add({.kind = ErrorKind::io});
  CHECK(log.snapshot().count == 1);
}
