#include "loupe/format/checkpoint_state.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/table.hpp"

using namespace loupe;
using namespace loupe::format;

namespace {

std::string written(const std::vector<CheckpointState>& states) {
  ByteBuffer out;
  write_checkpoint_states(out, states);
  return std::string(out.text());
}

}  // namespace

TEST_CASE("the state file that smdebug wrote reads and writes back to the same bytes") {
  const std::string text = read_test_data("fixtures/checkpoints/pt_resume/metadata.json");
  const auto states = read_checkpoint_states(text, "metadata.json");
  REQUIRE(states);
  REQUIRE(states->size() == 3);
  CHECK(states->back().training_run == 1);
  CHECK(states->back().latest_global_step_saved == 8);
  CHECK(states->back().latest_mode_step[mode_index(Mode::train)] == 6);
  CHECK_FALSE(states->back().latest_mode_step[mode_index(Mode::predict)]);
  CHECK(written(*states) == text);
}

TEST_CASE("the last of the sorted states is the one to resume from") {
  const auto states = read_checkpoint_states(
      R"([{"training-run": 1, "latest-global-step-saved": null, "latest-global-step-seen": 9, "latest-mode-step": {}},
          {"training-run": 0, "latest-global-step-saved": 2, "latest-global-step-seen": 3, "latest-mode-step": {"GLOBAL": 3}, "more": []},
          {"training-run": 2, "latest-global-step-saved": null, "latest-global-step-seen": 9, "latest-mode-step": {}}])",
      "metadata.json");
  REQUIRE(states);
  CHECK((*states)[0].latest_global_step_seen == 3);
  CHECK(states->back().training_run == 2);
  CHECK_FALSE(states->back().latest_global_step_saved);
}

TEST_CASE("a state that lacks a key or holds no number is damaged") {
  for (
      const char* text :
      {"", "{}", "[{}]", "[5]", R"([{"training-run": 0, "latest-global-step-saved": 2, "latest-global-step-seen": 3}])",
       R"([{"training-run": "0", "latest-global-step-saved": 2, "latest-global-step-seen": 3, "latest-mode-step": {}}])",
       R"([{"training-run": 0, "latest-global-step-saved": 2, "latest-global-step-seen": null, "latest-mode-step": {}}])",
       R"([{"training-run": 0, "latest-global-step-saved": 2, "latest-global-step-seen": 9223372036854775807, "latest-mode-step": {}}])",
       R"([{"training-run": 0, "latest-global-step-saved": 2, "latest-global-step-seen": 3, "latest-mode-step": {"train": 1}}])"}) {
    CAPTURE(text);
    const auto states = read_checkpoint_states(text, "metadata.json");
    REQUIRE_FALSE(states);
    CHECK(states.error().kind == ErrorKind::corrupt);
    CHECK(states.error().object == "metadata.json");
  }
}
