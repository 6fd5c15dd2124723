#include "loupe/rules/attach.hpp"

#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "loupe/base/manual_clock.hpp"
#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"
#include "loupe/rules/catalogue.hpp"
#include "loupe/rules/evaluation.hpp"
#include "loupe/rules/predicate.hpp"
#include "loupe/storage/memory.hpp"
#include "loupe/trial/trial.hpp"
#include "support/catch.hpp"

using namespace loupe::rules;
using loupe::HookConfig;
using loupe::MemoryStorage;
using loupe::Mode;
using loupe::frameworks::Span;
using Floats = std::vector<float>;

namespace {

using MemoryHook = loupe::Hook<Span, MemoryStorage, loupe::InlineExecutor>;
using ExpectingHook = loupe::Hook<Span, MemoryStorage, loupe::InlineExecutor, loupe::Expect>;
constexpr float not_a_number = std::numeric_limits<float>::quiet_NaN();

HookConfig every_step() {
  HookConfig config;
  config.save.interval = 1;
  config.report = {.write = [](void*, std::string_view) {}};
  return config;
}

Rule positive(std::string_view name = "Positive") { return when(any_of(Tensors::matching("^a$"), mean > 0)).named(name); }

}  // namespace

TEST_CASE("a NaN is told in its step, before the update is applied") {
  MemoryHook hook(every_step(), MemoryStorage());
  std::vector<std::string> told;
  hook.rules(loupe::rules::make_builtin_rule("ExplodingTensor", {}).value(),
             on_firing([&](const Firing& firing) { told.push_back(std::string(firing.sentence().view())); }));
  for (int number = 0; number < 3; ++number) {
    auto step = hook.step(Mode::train);
    step.save("w", Floats{1, number == 1 ? not_a_number : 2});
    const auto verdict = step.verdict();
    CHECK(verdict.stop() == (number == 1));
    CHECK(told.size() == (number >= 1 ? 1 : 0));
  }
  CHECK(told[0].starts_with("ExplodingTensor fired at step 1 (TRAIN 1): w of worker_0, element 1: "));
}

TEST_CASE("a step that nobody asks about is judged when it ends") {
  MemoryHook hook(every_step(), MemoryStorage());
  int told = 0;
  hook.rules(positive(), on_firing([&](const Firing&) { ++told; }));
  hook.step().save("a", 1.0);
  CHECK(told == 1);
  CHECK(hook.verdict().fired == 1);
}

TEST_CASE("what is saved after the verdict is not judged, and the verdict stays") {
  MemoryHook hook(every_step(), MemoryStorage());
  int told = 0;
  hook.rules(positive(), on_firing([&](const Firing&) { ++told; }));
  auto step = hook.step();
  step.save("a", 0.0);
  CHECK(step.verdict().fired == 0);
  step.save("a", 1.0);
  CHECK(step.verdict().fired == 0);
  step.end();
  CHECK(told == 0);
}

TEST_CASE("a rule says by how it is attached what the loop is asked to do") {
  MemoryHook hook(every_step(), MemoryStorage());
  hook.rules(report_only(positive("Report")), skip_update(positive("Skip"), {.start_step = 1}), stop_training(positive("Stop"), {.start_step = 2}));
  const auto verdict_of = [&] {
    auto step = hook.step();
    step.save("a", 1.0);
    return step.verdict();
  };
  const auto report = verdict_of();
  CHECK((report.fired == 1 && !report.skip() && !report.stop()));
  const auto skip = verdict_of();
  CHECK((skip.fired == 2 && skip.skip() && !skip.stop()));
  const auto stop = verdict_of();
  CHECK((stop.fired == 3 && stop.skip() && stop.stop()));
}

TEST_CASE("rules that can't work are refused when they are attached, and so are more rules") {
  ExpectingHook hook = ExpectingHook::create(every_step(), MemoryStorage()).value();
  CHECK_FALSE(hook.rules(positive(), positive()));
  CHECK_FALSE(hook.rules(report_only(positive(), {.start_step = -1})));
  CHECK(hook.rules(positive()));
  CHECK_FALSE(hook.rules(positive("Other")));
}

TEST_CASE("a rule or a sink that throws costs neither the step nor the other rules") {
  MemoryHook hook(every_step(), MemoryStorage());
  int told = 0;
  const auto throws = tensor_is(wants_elements(), [](const Evidence&) -> bool { throw std::runtime_error("no"); });
  hook.rules(positive(), on_firing([](const Firing&) { throw std::runtime_error("no"); }), on_firing([&](const Firing&) { ++told; }),
             when(any_of(Tensors::matching("b"), throws)).named("Throws"));
  auto step = hook.step();
  step.save("a", 1.0).save("b", 1.0).save("c", 1.0);
  CHECK(step.verdict().fired == 1);
  step.end();
  CHECK(told == 1);
  CHECK(hook.failures().count == 2);
  CHECK(hook.counts().tensors == 3);
}

TEST_CASE("rules see scalars, and tensors of collections that are not saved by themselves") {
  HookConfig config = every_step();
  config.save_all = true;
  config.collections = {{.name = "mine", .include_regex = {"^w"}}};
  MemoryHook hook(config, MemoryStorage());
  hook.rules(when(any_of("mine", mean > 0)).named("Mine"), when(any_of(Tensors::matching("^scalar/loss"), mean > 0)).named("Loss"));
  auto step = hook.step();
  step.save("w", 1.0).scalar("loss", 1.0);
  CHECK(step.verdict().fired == 2);
}

namespace {

/// What fired, with all that is told of it.
std::vector<std::string> tell(const Firing& firing) {
  loupe::ByteBuffer line;
  firing.append_json(line);
  return {std::string(std::as_const(line).text())};
}

/// All built-in rules that need no other trial, with parameters under which random trials make them fire.
std::vector<Rule> all_rules() {
  const std::vector<NamedParameter> choice = {{"tensor_regex", "w,g"}};
  std::vector<Rule> rules;
  for (const std::string_view name : builtin_rule_names()) {
    std::vector<NamedParameter> parameters;
    auto made = make_builtin_rule(name, parameters);
    if (!made) made = make_builtin_rule(name, choice);
    if (!made) made = make_builtin_rule(name, std::vector<NamedParameter>{{"tensor_regex", "w,g"}, {"max_threshold", "1"}});
    if (made) rules.push_back(*std::move(made));
  }
  rules.push_back(when(count_of(Tensors(), change(l2_norm) > 0) >= 2 && !any_of("losses", mean > 2)).for_steps(2).named("Composed"));
  return rules;
}

/// Values such as go wrong in trainings.
Floats random_values(std::mt19937_64& random, std::size_t size) {
  Floats values(size);
  const auto kind = random() % 8;
  for (float& value : values) {
    value = static_cast<float>(static_cast<double>(random() % 2001) / 1000.0 - 1.0);
    if (kind == 0) value = 0;
    if (kind == 1) value *= 1e-9F;
    if (kind == 2 && random() % 4 == 0) value = random() % 2 == 0 ? not_a_number : std::numeric_limits<float>::infinity();
    if (kind == 3) value *= 1e6F;
    if (kind == 4) value = static_cast<float>(random() % 3);
  }
  return values;
}

}  // namespace

TEST_CASE("inline, live and afterwards the same rules fire at the same steps with the same words") {
  const int trials = std::getenv("LOUPE_SOAK") != nullptr ? 1000 : 100;
  std::size_t firings = 0;
  for (int seed = 0; seed < trials; ++seed) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed));
    const MemoryStorage memory;
    HookConfig config = every_step();
    config.save.interval = 1 + static_cast<std::int64_t>(random() % 3);
    config.save_all = true;
    if (random() % 2 == 0) config.reductions = {.statistics = loupe::smdebug_statistics, .save_raw_tensor = true};
    MemoryHook hook(config, memory);
    std::vector<std::vector<std::string>> inline_firings, live_firings, offline_firings;
    auto attached = on_firing([&](const Firing& firing) { inline_firings.push_back(tell(firing)); });
    auto* const judge = new HookJudge(hook.recorder());
    loupe::Owner<loupe::StepJudge> owned(judge);
    for (const Rule& rule : all_rules()) REQUIRE(judge->add({.rule = rule}));
    judge->add_sink(attached);
    REQUIRE(hook.recorder().attach(std::move(owned)));

    std::unique_ptr<loupe::Trial<MemoryStorage>> live_trial;
    std::unique_ptr<Evaluation> live;
    Judge live_judge, offline_judge;
    for (const Rule& rule : all_rules()) {
      REQUIRE(live_judge.add(rule));
      REQUIRE(offline_judge.add(rule));
    }
    const char* const names[] = {"gradient/w", "w", "bias", "loss", "relu_output", "tanh_input", "relu_input", "labels", "predictions"};
    const auto steps = 4 + random() % 12;
    for (std::size_t number = 0; number < steps; ++number) {
      {
        auto step = hook.step(random() % 4 == 0 ? Mode::eval : Mode::train);
        for (const char* name : names) {
          if (random() % 6 == 0) continue;
          const bool is_loss = std::string_view(name) == "loss";
          const Floats values = random_values(random, is_loss ? 1 : 6);
          if (random() % 2 == 0) step.save(name, values);
          else step.save(name, loupe::TensorView(values.data(), loupe::ElementType::float32, is_loss ? loupe::Shape{1} : loupe::Shape{3, 2}));
        }
        if (random() % 2 == 0) (void)step.verdict();
      }
      if (random() % 2 != 0) continue;
      if (!live_trial && hook.counts().steps > 0) {
        live_trial = std::make_unique<loupe::Trial<MemoryStorage>>(memory, loupe::TrialOptions{.end_delay = 0});
        live = std::make_unique<Evaluation>(*live_trial->core(), live_judge, EvaluationOptions{.follows = false});
      }
      if (live) REQUIRE(live->run([&](const Firing& firing) { live_firings.push_back(tell(firing)); }));
    }
    hook.close();
    const loupe::Trial<MemoryStorage> trial(memory, {.end_delay = 0});
    REQUIRE(evaluate(trial, offline_judge, [&](const Firing& firing) { offline_firings.push_back(tell(firing)); }));
    if (!live) live = std::make_unique<Evaluation>(*trial.core(), live_judge);
    REQUIRE(live->run([&](const Firing& firing) { live_firings.push_back(tell(firing)); }));
    CAPTURE(seed);
    CHECK(inline_firings == offline_firings);
    CHECK(live_firings == offline_firings);
    firings += offline_firings.size();
  }
  CHECK(firings > 10 * static_cast<std::size_t>(trials));
}
