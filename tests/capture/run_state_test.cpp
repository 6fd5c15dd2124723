#include "loupe/capture/run_state.hpp"

#include <string>
#include <string_view>

#include "loupe/storage/fault.hpp"
#include "loupe/storage/local.hpp"
#include "loupe/storage/memory.hpp"
#include "support/catch.hpp"
#include "support/data.hpp"
#include "support/table.hpp"

using loupe::AnyStorage;
using loupe::ByteBuffer;
using loupe::Counters;
using loupe::MemoryStorage;
using loupe::Mode;
using loupe::mode_index;
using loupe::PutMode;
using loupe::ResumedNumbering;
using loupe::RunState;

namespace {

void put(const AnyStorage& storage, std::string_view key, std::string_view content) {
  REQUIRE(storage.put(key, {reinterpret_cast<const std::byte*>(content.data()), content.size()}, PutMode::replace));
}

std::string content(const AnyStorage& storage, std::string_view key = "metadata.json") {
  ByteBuffer bytes;
  return storage.read(key, {}, bytes) ? std::string(bytes.text()) : std::string("no such file");
}

RunState opened(const AnyStorage& storage, ResumedNumbering numbering = ResumedNumbering::from_zero) {
  auto state = RunState::open(storage, numbering);
  REQUIRE(state);
  return *std::move(state);
}

Counters at(std::int64_t global, std::int64_t train, std::int64_t last_saved) {
  Counters counters;
  counters.global = counters.modes[mode_index(Mode::global)] = global;
  counters.modes[mode_index(Mode::train)] = train;
  counters.last_saved = last_saved;
  return counters;
}

constexpr std::string_view none = "no such file";

}  // namespace

TEST_CASE("without a state file a run starts afresh, and without new checkpoints it keeps nothing") {
  const AnyStorage storage{MemoryStorage()};
  put(storage, "old.pt", "weights");
  RunState state = opened(storage);
  CHECK(state.counters() == Counters{});
  REQUIRE(state.before_step(at(0, 0, 0)));
  CHECK(content(storage) == none);
}

TEST_CASE("each new checkpoint adds the state at that moment, as smdebug writes it") {
  const AnyStorage storage{MemoryStorage()};
  RunState state = opened(storage);
  put(storage, "epoch_1.pt", "weights");
  REQUIRE(state.before_step(at(2, 2, 2)));
  const std::string first =
      R"({"training-run": 0, "latest-global-step-saved": 2, "latest-global-step-seen": 2, "latest-mode-step": {"GLOBAL": 2, "TRAIN": 2}})";
  CHECK(content(storage) == "[" + first + "]");
  REQUIRE(state.before_step(at(3, 3, 2)));
  CHECK(content(storage) == "[" + first + "]");
  put(storage, "deep/er/epoch_2.pt", "weights");
  REQUIRE(state.before_step(at(4, 4, -1)));
  CHECK(
      content(storage) ==
      "[" + first +
          R"(, {"training-run": 0, "latest-global-step-saved": null, "latest-global-step-seen": 4, "latest-mode-step": {"GLOBAL": 4, "TRAIN": 4}}])");
}

TEST_CASE("a checkpoint that grows or goes away is a change, and files of the state and the uploader are none") {
  const AnyStorage storage{MemoryStorage()};
  put(storage, "a.pt", "1");
  RunState state = opened(storage);
  const auto keeps = [&] {
    REQUIRE(storage.remove("metadata.json"));
    REQUIRE(state.before_step(at(1, 1, 1)));
    return content(storage) != none;
  };
  CHECK_FALSE(keeps());
  put(storage, "a.pt", "12");
  CHECK(keeps());
  CHECK_FALSE(keeps());
  put(storage, "a.pt", "34");
  CHECK_FALSE(keeps());
  put(storage, "metadata.json.sagemaker-uploaded", "x");
  put(storage, "a.pt.sagemaker-uploaded", "x");
  CHECK_FALSE(keeps());
  put(storage, "b.pt", "1");
  CHECK(keeps());
  REQUIRE(storage.remove("b.pt"));
  CHECK(keeps());
  REQUIRE(storage.remove("a.pt"));
  CHECK_FALSE(keeps());
}

TEST_CASE("a run goes on from the last state: steps seen and saved, modes, number of the run") {
  const AnyStorage storage{MemoryStorage()};
  put(storage, "metadata.json", read_test_data("fixtures/checkpoints/pt_resume/metadata.json"));
  const Counters counters = opened(storage).counters();
  CHECK(counters.restored);
  CHECK(counters.global == 8);
  CHECK(counters.last_saved == 8);
  CHECK(counters.training_run == 2);
  CHECK(counters.modes[mode_index(Mode::train)] == 6);
  CHECK(counters.modes[mode_index(Mode::eval)] == 1);
  CHECK(counters.modes[mode_index(Mode::predict)] == -1);
  CHECK(counters.modes[mode_index(Mode::global)] == 8);
}

TEST_CASE("smdebug numbers a mode that is new in a resumed run on from the global step") {
  const AnyStorage storage{MemoryStorage()};
  put(storage, "metadata.json",
      R"([{"training-run": 0, "latest-global-step-saved": null, "latest-global-step-seen": 5, "latest-mode-step": {"GLOBAL": 5, "TRAIN": 3}}])");
  const Counters counters = opened(storage, ResumedNumbering::smdebug).counters();
  CHECK(counters.modes[mode_index(Mode::train)] == 3);
  CHECK(counters.modes[mode_index(Mode::eval)] == 5);
  CHECK(counters.last_saved == -1);
}

TEST_CASE("a resumed run adds to the states that are there, and names the modes used so far only") {
  for (const auto numbering : {ResumedNumbering::from_zero, ResumedNumbering::smdebug}) {
    const AnyStorage storage{MemoryStorage()};
    const std::string before =
        R"({"training-run": 0, "latest-global-step-saved": null, "latest-global-step-seen": 5, "latest-mode-step": {"GLOBAL": 5, "TRAIN": 3}})";
    put(storage, "metadata.json", "[" + before + "]");
    RunState state = opened(storage, numbering);
    Counters counters = state.counters();
    put(storage, "new.pt", "weights");
    counters.global = counters.modes[mode_index(Mode::global)] = 6;
    REQUIRE(state.before_step(counters));
    CHECK(
        content(storage) ==
        "[" + before +
            R"(, {"training-run": 1, "latest-global-step-saved": null, "latest-global-step-seen": 6, "latest-mode-step": {"GLOBAL": 6, "TRAIN": 3}}])");
  }
}

TEST_CASE("a malformed state file keeps a hook from starting") {
  for (const std::string_view text : {"", "{}", "[{}]", "[{\"training-run\": 0}]", "[1", "[]x"}) {
    INFO(text);
    const AnyStorage storage{MemoryStorage()};
    put(storage, "metadata.json", text);
    CHECK_FALSE(RunState::open(storage));
  }
}

TEST_CASE("a state that can't be written is an error, and is written at the next step") {
  const MemoryStorage memory;
  auto state = RunState::open(
      AnyStorage(loupe::FaultStorage(memory, loupe::FaultPlan::fail_nth(1).only(loupe::StorageOperation::put))));
  REQUIRE(state);
  put(AnyStorage(memory), "new.pt", "weights");
  CHECK_FALSE(state->before_step(at(1, 1, 1)));
  CHECK(content(AnyStorage(memory)) == none);
  REQUIRE(state->before_step(at(2, 2, 1)));
  CHECK(
      content(AnyStorage(memory)) ==
      R"([{"training-run": 0, "latest-global-step-saved": 1, "latest-global-step-seen": 2, "latest-mode-step": {"GLOBAL": 2, "TRAIN": 2}}])");
}

TEST_CASE("a checkpoint directory that isn't there yet is an empty one") {
  CHECK(opened(AnyStorage{loupe::LocalStorage("/nonexistent/checkpoints")}).counters() == Counters{});
}
