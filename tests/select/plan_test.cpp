#include "loupe/select/plan.hpp"

#include <algorithm>
#include <new>
#include <random>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/counting_allocator.hpp"

using namespace loupe;

namespace {

/// A set in which the named collections are to be saved.
CollectionSet including(const FrameworkDefaults& defaults, std::initializer_list<std::string_view> names) {
  CollectionSet collections(defaults);
  for (const std::string_view name : names) REQUIRE(collections.include(name));
  return collections;
}

const Decision& decide(Plan& plan, std::string_view name) { return plan.decision(plan.find_or_add(name)); }

}  // namespace

TEST_CASE("a tensor is saved if one of its collections is due in the step") {
  CollectionSet collections = including(pytorch_defaults, {"weights"});
  collections.get("losses").value()->save = ModeSaveConfigs(SaveConfig{.interval = 2});
  Plan plan;
  REQUIRE(plan.prepare(collections, {.save = {.interval = 3}}));
  REQUIRE(plan.begin_step(Mode::train, 0));
  CHECK(decide(plan, "fc.weight").raw);
  CHECK(decide(plan, "loss_output_0").raw);
  CHECK_FALSE(decide(plan, "fc.bias").any);
  CHECK_FALSE(plan.begin_step(Mode::train, 1));
  CHECK_FALSE(decide(plan, "fc.weight").any);
  REQUIRE(plan.begin_step(Mode::train, 2));
  CHECK_FALSE(decide(plan, "fc.weight").any);
  CHECK(decide(plan, "loss_output_0").any);
  CHECK(plan.is_due("losses"));
  CHECK_FALSE(plan.is_due("weights"));
  REQUIRE(plan.begin_step(Mode::train, 3));
  CHECK(decide(plan, "fc.weight").any);
}

TEST_CASE("gradients and optimizer variables are never due in EVAL and PREDICT") {
  CollectionSet collections = including(pytorch_defaults, {"gradients", "optimizer_variables"});
  collections.get("optimizer_variables").value()->include("^optimizer");
  Plan plan;
  REQUIRE(plan.prepare(collections, {.save = {.interval = 1}}));
  for (const Mode mode : all_modes) {
    REQUIRE(plan.begin_step(mode, 4));
    const bool trains = mode == Mode::train || mode == Mode::global;
    CHECK(decide(plan, "gradient/fc.weight").any == trains);
    CHECK(decide(plan, "optimizer/momentum").any == trains);
    CHECK(decide(plan, "loss_output_0").any);
  }
}

TEST_CASE("what is saved is the union over the due collections, but scalar collections add no reductions") {
  CollectionSet collections = including(pytorch_defaults, {"a", "b", "metrics"});
  collections.get("a").value()->include("x").reductions =
      ReductionConfig{.statistics = {Statistic::min}, .save_shape = true};
  collections.get("b").value()->include("x").reductions =
      ReductionConfig{.statistics = {Statistic::abs_l2, Statistic::min}};
  collections.get("metrics").value()->include("x").reductions = ReductionConfig{.statistics = {Statistic::max}};
  collections.get("b").value()->save = ModeSaveConfigs(SaveConfig{.interval = 2});
  Plan plan;
  REQUIRE(plan.prepare(collections, {.save = {.interval = 1}}));
  REQUIRE(plan.begin_step(Mode::global, 2));
  const Decision both = decide(plan, "x");
  CHECK(both.statistics == StatisticSet{Statistic::min, Statistic::abs_l2});
  CHECK(both.shape);
  CHECK(both.raw);
  CHECK(both.scalar_summary);
  REQUIRE(plan.begin_step(Mode::global, 1));
  CHECK(decide(plan, "x").statistics == StatisticSet{Statistic::min});
}

TEST_CASE("the histogram goes by the first due collection in the order of creation that has histograms") {
  CollectionSet collections = including(pytorch_defaults, {"first", "second", "third"});
  for (const char* name : {"first", "second", "third"}) collections.get(name).value()->include("x");
  collections.get("first").value()->save_histogram = false;
  collections.get("losses").value()->include("x");
  Plan plan;
  REQUIRE(plan.prepare(collections, {}));
  REQUIRE(plan.begin_step(Mode::train, 0));
  CHECK(collections[static_cast<std::size_t>(decide(plan, "x").histogram_collection)].name == "second");
  CHECK(decide(plan, "loss_output_0").histogram_collection == -1);
}

TEST_CASE("the names that match are added to their collections, and only those of collections to be saved") {
  CollectionSet collections = including(pytorch_defaults, {"weights", "mine"});
  collections.get("mine").value()->add_tensor("fc.bias");
  Plan plan;
  REQUIRE(plan.prepare(collections, {}));
  plan.begin_step(Mode::train, 7);
  for (const char* name : {"fc.weight", "fc.bias", "other"}) plan.find_or_add(name);
  CHECK(collections.find("weights")->tensor_names == NameSet{"fc.weight"});
  CHECK(collections.find("mine")->tensor_names == NameSet{"fc.bias"});
  CHECK(collections.find("biases")->tensor_names.empty());
  plan.begin_step(Mode::train, 500);
  CHECK(decide(plan, "fc.bias").any);
}

TEST_CASE("preparing completes every collection as smdebug does") {
  CollectionSet collections(pytorch_defaults);
  ModeSaveConfigs partial;
  partial.set(Mode::eval, ModeSaveConfig{.interval = 9});
  collections.get("weights").value()->save = partial;
  collections.get("losses").value()->reductions = ReductionConfig{.statistics = {Statistic::mean}};
  Plan plan;
  REQUIRE(plan.prepare(collections, {.save = {.interval = 4}, .reductions = {.statistics = {Statistic::min}}}));
  const Collection& weights = *collections.find("weights");
  CHECK(weights.save->of(Mode::eval)->interval == 9);
  CHECK(weights.save->of(Mode::train)->interval == 4);
  CHECK(weights.reductions == ReductionConfig{.statistics = {Statistic::min}});
  CHECK(collections.find("losses")->reductions == ReductionConfig::raw_only());
  CHECK_FALSE(collections.find("losses")->save_histogram);
}

TEST_CASE("a collection that selects nothing is refused, unless it was there from the beginning") {
  CollectionSet collections(pytorch_defaults);
  collections.get("empty").value();
  Plan plan;
  const auto outcome = plan.prepare(collections, {});
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == ErrorKind::invalid_collection_configuration);
  CHECK(outcome.error().object == "empty");
  CHECK_FALSE(collections.is_frozen());
  CHECK_FALSE(plan.is_prepared());
}

TEST_CASE("settings out of bounds are refused with the collection's name") {
  CollectionSet collections(pytorch_defaults);
  collections.get("weights").value()->save = ModeSaveConfigs(SaveConfig{.interval = 0});
  Plan plan;
  CHECK(plan.prepare(collections, {}).error().object == "collection weights: train.save_interval");
  CHECK(plan.prepare(collections, {.save = {.interval = -1}}).error().object == "save_interval");
}

TEST_CASE("a tensor can be put into a collection by name, whatever the patterns say") {
  CollectionSet collections = including(pytorch_defaults, {"weights"});
  Plan plan;
  REQUIRE(plan.prepare(collections, {}));
  REQUIRE(plan.begin_step(Mode::train, 0));
  CHECK_FALSE(decide(plan, "custom").any);
  REQUIRE(plan.add_to_collection("custom", "weights"));
  CHECK(decide(plan, "custom").raw);
  CHECK(collections.find("weights")->tensor_names == NameSet{"custom"});
  REQUIRE(plan.add_to_collection("custom", "biases"));
  CHECK(collections.find("biases")->tensor_names.contains("custom"));
  CHECK(plan.add_to_collection("custom", "absent").error().kind == ErrorKind::invalid_argument);
}

TEST_CASE("a known tensor that isn't due is passed over, in its usual place only") {
  CollectionSet collections = including(pytorch_defaults, {"weights"});
  Plan plan;
  REQUIRE(plan.prepare(collections, {.save = {.interval = 500}}));
  plan.begin_step(Mode::train, 0);
  const TensorId first = plan.find_or_add("a.weight");
  const TensorId second = plan.find_or_add("b.weight");
  const TensorId bias = plan.find_or_add("c.bias");

  plan.begin_step(Mode::train, 1);
  CHECK_FALSE(plan.known_names().pass_over("b.weight"));
  CHECK(plan.known_names().pass_over("a.weight"));
  CHECK(plan.known_names().pass_over("b.weight"));
  CHECK_FALSE(plan.known_names().pass_over("new"));
  CHECK(plan.known_names().pass_over("c.bias"));

  plan.begin_step(Mode::train, 500);
  CHECK_FALSE(plan.known_names().pass_over("a.weight"));
  CHECK(plan.find_or_add("a.weight") == first);
  CHECK(plan.find_or_add("b.weight") == second);
  CHECK(plan.known_names().pass_over("c.bias"));
  CHECK(plan.find_or_add("c.bias") == bias);
  CHECK(plan.tensor_name(second) == "b.weight");
  CHECK(plan.tensor_count() == 3);
}

TEST_CASE("whatever the order of a step's tensors, only those that aren't due are passed over") {
  CollectionSet collections = including(pytorch_defaults, {"weights"});
  Plan plan;
  REQUIRE(plan.prepare(collections, {.save = {.interval = 3}}));
  std::vector<std::string> names;
  for (int layer = 0; layer < 20; ++layer)
    for (const char* part : {".weight", ".bias", ""}) names.push_back("l" + std::to_string(layer) + part);
  std::mt19937 random(5);
  for (int step = 0; step < 200; ++step) {
    plan.begin_step(Mode::train, step);
    if (step % 7 == 0) std::shuffle(names.begin(), names.end(), random);
    for (const std::string& name : names) {
      if (random() % 4 == 0) continue;
      const bool is_due = step % 3 == 0 && name.ends_with("weight");
      const bool passed = plan.known_names().pass_over(name);
      if (passed) REQUIRE_FALSE(is_due);
      if (!passed) REQUIRE(decide(plan, name).any == is_due);
    }
  }
}

namespace {
/// Fails for the second name it is shown.
class Failing {
 public:
  static result<AnyPattern> compile(std::string_view) { return AnyPattern(Failing()); }
  result<bool> search(std::string_view name) const {
    if (name == "b" && failures++ == 0) throw std::bad_alloc();
    return name == "b" || name == "d";
  }
  static inline int failures = 0;
};
}  // namespace

TEST_CASE("an exception out of a pattern leaves every other tensor's decision as it was") {
  CollectionSet collections(pytorch_defaults);
  collections.get("own").value()->include_regex = {"(who|what)ever"};
  REQUIRE(collections.include("own"));
  Plan plan;
  REQUIRE(plan.prepare(collections, {.engine = &Failing::compile}));
  plan.begin_step(Mode::train, 0);
  CHECK_FALSE(decide(plan, "a").any);
  CHECK_THROWS_AS(plan.find_or_add("b"), std::bad_alloc);
  CHECK_FALSE(decide(plan, "c").any);
  CHECK(decide(plan, "d").any);
  plan.begin_step(Mode::train, 500);
  CHECK_FALSE(decide(plan, "a").any);
  CHECK(decide(plan, "b").any);
  CHECK_FALSE(decide(plan, "c").any);
}

TEST_CASE("a plan is prepared once") {
  CollectionSet collections(pytorch_defaults);
  Plan plan;
  REQUIRE(plan.prepare(collections, {}));
  CHECK(plan.prepare(collections, {}).error().kind == ErrorKind::invalid_state);
}

TEST_CASE("a pattern that is refused is kept as an error and the others work on") {
  CollectionSet collections = including(pytorch_defaults, {"mine"});
  collections.get("mine").value()->include("a(b").include("c");
  Plan plan;
  REQUIRE(plan.prepare(collections, {}));
  plan.begin_step(Mode::train, 0);
  REQUIRE(plan.pattern_errors().size() == 1);
  CHECK(plan.pattern_errors()[0].object == "pattern a(b");
  CHECK(decide(plan, "c").any);
}

TEST_CASE("more than 64 collections, and more combinations than are remembered, are decided right") {
  CollectionSet collections;
  for (int number = 0; number < 130; ++number) {
    const std::string name = "collection" + std::to_string(number);
    Collection& collection = *collections.get(name).value();
    collection.add_tensor("t" + std::to_string(number)).add_tensor("all");
    collection.save = ModeSaveConfigs(SaveConfig{.interval = 1'000'000, .save_steps = {number, number + 1}});
    REQUIRE(collections.include(name));
  }
  Plan plan;
  REQUIRE(plan.prepare(collections, {}));
  for (int round = 0; round < 2; ++round)
    for (int step = 1; step < 130; ++step) {
      REQUIRE(plan.begin_step(Mode::train, step));
      for (const int number : {0, step - 1, step, step + 1, 129})
        if (number < 130)
          REQUIRE(decide(plan, "t" + std::to_string(number)).any == (number == step || number == step - 1));
      REQUIRE(decide(plan, "all").any);
    }
}

TEST_CASE("once names and combinations have been seen a step allocates nothing") {
  CollectionSet collections = including(pytorch_defaults, {"weights", "gradients", "biases"});
  collections.get("biases").value()->save = ModeSaveConfigs(SaveConfig{.interval = 3});
  Plan plan;
  REQUIRE(plan.prepare(collections, {.save = {.interval = 2}}));
  std::vector<std::string> names;
  for (int layer = 0; layer < 50; ++layer)
    for (const char* part : {".weight", ".bias"}) {
      names.push_back("a.rather.long.name.of.layer" + std::to_string(layer) + part);
      names.push_back("gradient/" + names.back());
    }
  std::size_t saved = 0;
  const auto run = [&](std::int64_t step) {
    plan.begin_step(step % 5 == 4 ? Mode::eval : Mode::train, step);
    for (const std::string& name : names) saved += plan.decision(plan.find_or_add(name)).any ? 1 : 0;
  };
  for (std::int64_t step = 0; step < 60; ++step) run(step);
  const std::size_t before = allocations_of_this_thread;
  for (std::int64_t step = 60; step < 200; ++step) run(step);
  CHECK(allocations_of_this_thread == before);
  CHECK(saved > 0);
}

TEST_CASE("a tensor can't be put into a collection before the plan is prepared") {
  loupe::Plan plan;
  const auto refused = plan.add_to_collection("w", "weights");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().kind == loupe::ErrorKind::invalid_state);
}
