#include "loupe/trial/trial_core.hpp"

#include <string>
#include <vector>

#include "loupe/base/manual_clock.hpp"
#include "loupe/reduce/fused.hpp"
#include "loupe/storage/memory.hpp"
#include "support/catch.hpp"
#include "support/fake_run.hpp"

using loupe::ErrorKind;
using loupe::Mode;
using loupe::ModeStep;
using Names = std::vector<std::string>;

namespace {

struct Opening {
  FakeRun run{loupe::AnyStorage(loupe::MemoryStorage())};
  loupe::ManualClock clock;
  loupe::result<std::shared_ptr<loupe::TrialCore>> open(const loupe::ReaderQuirks& quirks = {}, loupe::TrialOptions options = {}) const {
    loupe::TrialParts parts{.storage = run.storage(),
                            .clock = std::make_shared<const loupe::AnyClock>(clock),
                            .path = "runs/7",
                            .compute = [](const loupe::TensorView& view, loupe::Statistic statistic) {
                              return loupe::Fused::value(loupe::Fused::partials(view, statistic), statistic);
                            },
                            .required_workers = [](std::uint32_t workers) { return workers; },
                            .quirks = quirks};
    return loupe::TrialCore::open(std::move(parts), std::move(options));
  }
};

constexpr std::string_view collections =
    R"("losses": {"name": "losses", "include_regex": ["loss"], "tensor_names": []}, )"
    R"("inputs": {"name": "inputs", "include_regex": ["^input"], "tensor_names": ["image"]})";

/// Two training steps and one of evaluation.
Opening small_run() {
  Opening at;
  at.run.collections("worker_0", 1, collections);
  at.run.step(0, Mode::train, 0).tensor("loss", {1}).tensor("fc.weight", {1}).tensor("image", {1}).write();
  at.run.step(1, Mode::eval, 0).tensor("loss", {2}).tensor("input_10", {10}).tensor("input_9", {9}).tensor("labels_0", {5}).write();
  at.run.step(2, Mode::train, 1).tensor("loss", {3}).write();
  return at;
}

}  // namespace

TEST_CASE("a trial is called after the last component of its path, or as the options say") {
  const Opening at = small_run();
  CHECK((*at.open())->name() == "7");
  CHECK((*at.open({}, {.name = "mine"}))->name() == "mine");
  CHECK((*at.open())->path() == "runs/7");
}

TEST_CASE("names are selected by step, mode, patterns and collection") {
  const auto core = *small_run().open();
  CHECK(*core->tensor_names({}) == Names{"fc.weight", "image", "input_10", "input_9", "labels_0", "loss"});
  CHECK(*core->tensor_names({.mode = Mode::train}) == Names{"fc.weight", "image", "loss"});
  CHECK(*core->tensor_names({.step = ModeStep(Mode::train, 1)}) == Names{"loss"});
  CHECK(*core->tensor_names({.step = ModeStep(Mode::global, 0)}) == Names{"fc.weight", "image", "loss"});
  CHECK(*core->tensor_names({.regex = {"^fc", "_\\d$"}}) == Names{"fc.weight", "input_9", "labels_0"});
  CHECK(*core->tensor_names({.step = ModeStep(Mode::eval, 0), .regex = {"s"}}) == Names{"labels_0", "loss"});
  CHECK(*core->tensor_names({.collection = "inputs"}) == Names{"image", "input_10", "input_9"});
  CHECK(*core->tensor_names({.mode = Mode::train, .collection = "inputs"}) == Names{"image"});
  CHECK(core->tensor_names({.collection = "nothing"})->empty());
}

TEST_CASE("names of what was never seen are none, or an error for a mode's unknown step") {
  const auto core = *small_run().open();
  CHECK(core->tensor_names({.step = ModeStep(Mode::global, 9)})->empty());
  CHECK(core->tensor_names({.mode = Mode::predict})->empty());
  CHECK(core->tensor_names({.step = ModeStep(Mode::train, 9)}).error().kind == ErrorKind::step_unavailable);
  const auto as_smdebug = *small_run().open({.unknown_mode_fails = true});
  CHECK(as_smdebug->tensor_names({.mode = Mode::predict}).error().kind == ErrorKind::not_found);
  CHECK(as_smdebug->tensor_names({.step = ModeStep(Mode::train, 9)}).error().kind == ErrorKind::not_found);
}

TEST_CASE("patterns and a collection exclude each other, and a pattern must be one") {
  const auto core = *small_run().open();
  CHECK(core->tensor_names({.regex = {"a"}, .collection = "inputs"}).error().kind == ErrorKind::invalid_argument);
  CHECK_FALSE(core->tensor_names({.regex = {"(open"}}));
}

TEST_CASE("inputs and labels come by the number in which their names end") {
  const auto core = *small_run().open();
  const auto inputs = core->numbered_values({.collection = "inputs"}, ModeStep(Mode::eval, 0));
  REQUIRE(inputs);
  REQUIRE(inputs->size() == 2);
  CHECK((*inputs)[0].elements<float>()[0] == 9);
  CHECK((*inputs)[1].elements<float>()[0] == 10);
  CHECK(core->numbered_values({.regex = {"labels*"}}, ModeStep(Mode::global, 1))->size() == 1);
}

TEST_CASE("as in smdebug, inputs take the number of a mode's step for a global one") {
  const auto core = *small_run().open({.inputs_by_global_step = true});
  CHECK(core->numbered_values({.collection = "inputs"}, ModeStep(Mode::eval, 0)).error().kind == ErrorKind::tensor_unavailable_for_step);
}

TEST_CASE("what isn't known is looked for in a refresh before it is answered") {
  Opening at = small_run();
  const auto core = *at.open();
  at.run.step(3, Mode::predict, 0).tensor("new", {1}).write();
  CHECK(core->snapshot()->modes().size() == 2);
  CHECK(*core->mode_step(3) == std::optional(ModeStep(Mode::predict, 0)));
  at.run.step(4, Mode::predict, 1).tensor("newer", {1}).write();
  CHECK(*core->global_step(ModeStep(Mode::predict, 1)) == std::optional<std::int64_t>(4));
  at.run.step(5).tensor("newest", {1}).write();
  const auto found = core->find("newest");
  REQUIRE(found);
  CHECK(*found != nullptr);
  CHECK(*core->find("never") == nullptr);
}

TEST_CASE("a trial without a collections file can't be opened, one with damaged files tells of them") {
  Opening none;
  none.run.end();
  CHECK(none.open().error().kind == ErrorKind::missing_collection_files);
  Opening damaged = small_run();
  damaged.run.put(loupe::format::index_key(1, "worker_0"), "{");
  damaged.run.put("collections/000000000/a_collections.json", "{");
  const auto core = damaged.open();
  REQUIRE(core);
  CHECK((*core)->problems().size() == 2);
  CHECK(*(*core)->tensor_names({}) == Names{"fc.weight", "image", "loss"});
  const auto strict = damaged.open({.damaged_file_fails_refresh = true});
  REQUIRE_FALSE(strict);
}

TEST_CASE("options that can't be are refused before anything is read") {
  const Opening at = small_run();
  CHECK(at.open({}, {.range = {3, 1}}).error().kind == ErrorKind::invalid_argument);
  const auto ranged = at.open({}, {.range = {1, 2}});
  REQUIRE(ranged);
  CHECK((*ranged)->snapshot()->steps(Mode::global, loupe::Steps::complete) == std::vector<std::int64_t>{1});
}
