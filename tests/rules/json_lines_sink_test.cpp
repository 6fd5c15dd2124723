#include "loupe/rules/json_lines_sink.hpp"

#include <fstream>
#include <string>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using loupe::rules::Firing;
using loupe::rules::json_lines;

TEST_CASE("each firing is a line of the file, behind those that are there") {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/firings.jsonl";
  for (int times = 0; times < 2; ++times) {
    const auto sink = json_lines(path);
    REQUIRE(sink->fired({.rule = "A"}));
    REQUIRE(sink->fired({.rule = "B"}));
  }
  std::ifstream file(path);
  std::string line;
  int lines = 0;
  while (std::getline(file, line)) CHECK(line.starts_with(lines++ % 2 == 0 ? R"({"rule": "A", )" : R"({"rule": "B", )"));
  CHECK(lines == 4);
}

TEST_CASE("a file that can't be written is an error that names it") {
  const auto refused = json_lines("/nonexistent/firings.jsonl")->fired({});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().object == "/nonexistent/firings.jsonl");
  CHECK(refused.error().os_error != 0);
  CHECK_FALSE(json_lines("/dev/full")->fired({}));
}
