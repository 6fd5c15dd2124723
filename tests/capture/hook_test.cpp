#include "loupe/capture/hook.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"
#include "loupe/storage/memory.hpp"
#include "loupe/trial/trial.hpp"
#include "support/catch.hpp"

using loupe::ErrorKind;
using loupe::HookConfig;
using loupe::MemoryStorage;
using loupe::Mode;
using loupe::ModeStep;
using loupe::Statistic;
using loupe::TensorView;

namespace {

using Span = loupe::frameworks::Span;
using MemoryHook = loupe::Hook<Span, MemoryStorage, loupe::Throw, loupe::InlineExecutor>;
using BackgroundHook = loupe::Hook<Span, MemoryStorage, loupe::Throw>;
using MemoryTrial = loupe::Trial<MemoryStorage>;

static_assert(std::is_same_v<loupe::Hook<Span, loupe::Throw, MemoryStorage>, BackgroundHook>, "policies come in any order");
static_assert(!std::is_copy_constructible_v<MemoryHook> && std::is_move_constructible_v<MemoryHook>);

HookConfig every_step() {
  HookConfig config;
  config.save.interval = 1;
  return config;
}

const std::vector<float> weights{1, -2, 3, 4};

std::vector<std::int64_t> steps_of(const MemoryTrial& trial, Mode mode) {
  std::vector<std::int64_t> numbers;
  for (const ModeStep step : trial.steps(mode)) numbers.push_back(step.value);
  return numbers;
}

std::vector<std::string> keys_of(const MemoryStorage& storage) {
  std::vector<std::string> keys;
  REQUIRE(storage.list("", "", [&](const loupe::ObjectInfo& object) {
    keys.emplace_back(object.key);
    return true;
  }));
  return keys;
}

}  // namespace

TEST_CASE("what a loop saves is read back with its values, modes and steps") {
  const MemoryStorage storage;
  {
    MemoryHook hook(every_step(), storage);
    for (int batch = 0; batch < 3; ++batch) {
      auto step = hook.step(Mode::train);
      step.save("fc.weight", weights).save("loss", 0.5f - static_cast<float>(batch));
    }
    auto step = hook.step(Mode::eval);
    step.save("loss", 7.0);
  }
  const MemoryTrial trial(storage);
  CHECK(steps_of(trial, Mode::train) == std::vector<std::int64_t>{0, 1, 2});
  CHECK(steps_of(trial, Mode::eval) == std::vector<std::int64_t>{0});
  CHECK(steps_of(trial, Mode::global) == std::vector<std::int64_t>{0, 1, 2, 3});
  CHECK(trial.tensor("loss").scalar(ModeStep(Mode::train, 2)) == -1.5);
  CHECK(trial.tensor("loss").scalar(3) == 7.0);
  const auto value = trial.tensor("fc.weight").value<float>(1);
  CHECK(std::vector<float>(value.begin(), value.end()) == weights);
  CHECK(trial.loaded_all_steps());
}

TEST_CASE("an interval selects mode steps, and tensors of other steps are not even looked at") {
  const MemoryStorage storage;
  HookConfig config;
  config.save.interval = 4;
  MemoryHook hook(config, storage);
  int armed = 0;
  for (int batch = 0; batch < 10; ++batch) {
    auto step = hook.step(Mode::train);
    armed += step.armed() ? 1 : 0;
    step.save("w", weights);
  }
  hook.close();
  CHECK(armed == 3);
  const MemoryTrial trial(storage);
  CHECK(steps_of(trial, Mode::train) == std::vector<std::int64_t>{0, 4, 8});
}

TEST_CASE("a step closes itself when the loop leaves it by an exception") {
  const MemoryStorage storage;
  MemoryHook hook(every_step(), storage);
  try {
    auto step = hook.step(Mode::train);
    step.save("w", weights);
    throw std::runtime_error("diverged");
  } catch (const std::runtime_error&) {
  }
  hook.close();
  CHECK(MemoryTrial(storage).has_tensor("w"));
}

TEST_CASE("configured collections select by pattern and are reduced as they say") {
  const MemoryStorage storage;
  HookConfig config = every_step();
  config.collections.push_back(
      {.name = "weights", .include_regex = {"weight$"}, .reductions = loupe::ReductionConfig{.statistics = {Statistic::l2, Statistic::abs_max}}});
  MemoryHook hook(config, storage);
  {
    auto step = hook.step(Mode::train);
    step.save("fc.weight", weights).save("fc.bias", weights);
  }
  hook.close();
  const MemoryTrial trial(storage);
  CHECK(trial.tensor_names() == std::vector<std::string>{"fc.weight"});
  const auto reductions = trial.tensor("fc.weight").reduction_values(0);
  CHECK(reductions.size() == 2);
  CHECK(trial.tensor("fc.weight").reduction_value(0, Statistic::l2).number.as_double() == Approx(5.477225575));
  CHECK(trial.tensor("fc.weight").reduction_value(0, Statistic::abs_max).number.as_double() == 4.0);
  CHECK_THROWS_AS(trial.tensor("fc.weight").value(0), loupe::TensorUnavailableForStep);
}

TEST_CASE("a shape is kept instead of the value, and not beside it") {
  const MemoryStorage storage;
  HookConfig config = every_step();
  config.collections.push_back({.name = "shapes", .include_regex = {"^s"}, .reductions = loupe::ReductionConfig{.save_shape = true}});
  config.collections.push_back(
      {.name = "both", .include_regex = {"^b"}, .reductions = loupe::ReductionConfig{.save_raw_tensor = true, .save_shape = true}});
  MemoryHook hook(config, storage);
  {
    auto step = hook.step();
    step.save("s", TensorView(weights.data(), loupe::ElementType::float32, {2, 2})).save("b", weights);
  }
  hook.close();
  const MemoryTrial trial(storage);
  CHECK(trial.tensor("s").shape(0) == loupe::Shape{2, 2});
  CHECK_THROWS_AS(trial.tensor("s").value(0), loupe::TensorUnavailableForStep);
  CHECK(trial.tensor("b").value(0).size() == 4);
  CHECK(trial.tensor("b").shape(0) == loupe::Shape{4});
}

TEST_CASE("scalars are kept at the step they were given in, whatever is due") {
  const MemoryStorage storage;
  HookConfig config;
  config.save.interval = 100;
  MemoryHook hook(config, storage);
  hook.save_scalar("before", 1);
  for (int batch = 0; batch < 3; ++batch) {
    auto step = hook.step(batch == 2 ? Mode::eval : Mode::train);
    step.scalar("accuracy", 0.25 * batch).scalar("note", "epoch");
  }
  hook.save_scalar("after", std::int64_t{9});
  hook.close();
  const MemoryTrial trial(storage);
  CHECK(trial.tensor("scalar/accuracy").scalar(ModeStep(Mode::train, 1)) == 0.25);
  CHECK(trial.tensor("scalar/accuracy").scalar(ModeStep(Mode::eval, 0)) == 0.5);
  CHECK(trial.tensor("scalar/before").scalar(0) == 1.0);
  CHECK(trial.tensor("scalar/after").scalar(3) == 9.0);
  CHECK(trial.tensor("scalar/note").value(0).elements<std::string_view>()[0] == "epoch");
}

TEST_CASE("a scalar of two elements and a tensor without memory are refused by a sentence") {
  MemoryHook hook(every_step(), MemoryStorage());
  auto step = hook.step();
  CHECK_THROWS_AS(step.scalar("s", weights), loupe::InvalidType);
  CHECK_THROWS_AS(step.save("t", TensorView(nullptr, loupe::ElementType::float32, {3})), loupe::InvalidArgument);
  CHECK_THROWS_AS(step.save("t", TensorView(weights.data(), loupe::ElementType::float32, {-3})), loupe::InvalidArgument);
  CHECK_THROWS_AS(
      step.save("t", TensorView(weights.data(), loupe::ElementType::float32, {1}, {1}, {loupe::DeviceKind::cuda, 0})), loupe::Unsupported);
  CHECK_THROWS_AS(step.save("t", TensorView(weights.data(), static_cast<loupe::ElementType>(99), {1})), loupe::InvalidType);
  CHECK_THROWS_AS(step.save("", weights), loupe::InvalidArgument);
  CHECK_THROWS_AS(step.save("smdebug/reductions/min/w", weights), loupe::InvalidArgument);
}

TEST_CASE("an empty view is no error and is not saved") {
  const MemoryStorage storage;
  MemoryHook hook(every_step(), storage);
  {
    auto step = hook.step();
    step.save("no gradient", TensorView()).save("w", weights);
  }
  hook.close();
  CHECK(MemoryTrial(storage).tensor_names() == std::vector<std::string>{"w"});
}

TEST_CASE("odd names make the whole way and back") {
  const MemoryStorage storage;
  const std::vector<std::string> names{"a/../b", "../../etc/passwd", "/abs", "weiß 🎉", std::string("nul\0byte", 8), std::string(5000, 'x'), "conv:0/w:12",
                                       "\"quoted\\\n", " "};
  MemoryHook hook(every_step(), storage);
  {
    auto step = hook.step();
    for (std::size_t number = 0; number < names.size(); ++number) step.save(names[number], static_cast<double>(number));
  }
  hook.close();
  const MemoryTrial trial(storage);
  for (std::size_t number = 0; number < names.size(); ++number) {
    INFO("name " << number);
    CHECK(trial.tensor(names[number]).scalar(0) == static_cast<double>(number));
  }
  for (const std::string& key : keys_of(storage)) CHECK(key.find("..") == std::string::npos);
}

TEST_CASE("nonsense in a configuration is refused at construction by a sentence that says what is allowed") {
  const auto refusal = [](HookConfig config) {
    const auto hook = MemoryHook::create(std::move(config), MemoryStorage());
    REQUIRE_FALSE(hook);
    return hook.error();
  };
  HookConfig config = every_step();
  config.save.interval = 0;
  CHECK(refusal(config).kind == ErrorKind::invalid_argument);
  CHECK(std::string(refusal(config).message().view()).find("interval") != std::string::npos);
  CHECK_THROWS_AS(MemoryHook(config, MemoryStorage()), loupe::InvalidArgument);
  config = every_step();
  config.collections.push_back({.name = "c", .include_regex = {"x"}, .save = loupe::SaveConfig{.interval = -3}});
  CHECK(refusal(config).kind == ErrorKind::invalid_argument);
  config = every_step();
  config.max_pending_bytes = 0;
  CHECK(refusal(config).kind == ErrorKind::invalid_argument);
  config = every_step();
  config.include_regex = {"(unclosed"};
  CHECK(refusal(config).kind == ErrorKind::invalid_argument);
  const auto without_folder = loupe::Hook<Span>::create(every_step());
  REQUIRE_FALSE(without_folder);
  CHECK(without_folder.error().object == "out_dir");
}

TEST_CASE("a collection without patterns or names is refused at the first step") {
  HookConfig config = every_step();
  config.collections.push_back({.name = "mine"});
  MemoryHook hook(config, MemoryStorage());
  CHECK_THROWS_AS(hook.begin_step(), loupe::InvalidCollectionConfiguration);
}

TEST_CASE("a hook that counts goes on, counts its failures and tells them once of each kind") {
  std::vector<std::string> told;
  HookConfig config = every_step();
  config.report = {.write = [](void* context, std::string_view sentence) {
                     static_cast<std::vector<std::string>*>(context)->emplace_back(sentence);
                   },
                   .context = &told};
  loupe::Hook<Span, MemoryStorage, loupe::InlineExecutor> hook(config, MemoryStorage());
  for (int batch = 0; batch < 3; ++batch) {
    auto step = hook.step(Mode::train);
    step.save("w", weights).save("bad", TensorView(nullptr, loupe::ElementType::float32, {3}));
  }
  CHECK(hook.failures().count == 3);
  CHECK(hook.failures().last.object == "bad");
  CHECK(told.size() == 1);
  hook.close();
  REQUIRE(told.size() == 2);
  CHECK(told[1].find("failures: 3,") != std::string::npos);
}

TEST_CASE("under Expect each call gives a result") {
  auto hook = loupe::Hook<Span, MemoryStorage, loupe::Expect>::create(every_step(), MemoryStorage());
  REQUIRE(hook);
  auto step = hook->step(Mode::train);
  REQUIRE(step);
  CHECK(step->save("w", weights).has_value());
  CHECK(step->save("bad", TensorView(nullptr, loupe::ElementType::float32, {3})).error().kind == ErrorKind::invalid_argument);
  CHECK(step->end().has_value());
  CHECK(hook->close().has_value());
  CHECK(hook->begin_step().error().kind == ErrorKind::invalid_state);
}

TEST_CASE("closing twice is closing once, and a step after it is refused") {
  const MemoryStorage storage;
  MemoryHook hook(every_step(), storage);
  hook.begin_step();
  hook.save("w", weights);
  hook.close();
  hook.close();
  CHECK_THROWS_AS(hook.begin_step(), loupe::InvalidState);
  CHECK(MemoryTrial(storage).tensor("w").value(0).size() == 4);
}

TEST_CASE("a mode that is set takes effect at the next step") {
  MemoryHook hook(every_step(), MemoryStorage());
  hook.set_mode(Mode::train);
  hook.begin_step();
  hook.begin_step();
  hook.set_mode(Mode::eval);
  CHECK(hook.current_step(Mode::train).value == 1);
  CHECK(hook.current_step(Mode::eval).value == -1);
  hook.begin_step();
  CHECK(hook.current_step(Mode::eval).value == 0);
  CHECK(hook.current_step().value == 2);
  CHECK(hook.current_step(Mode::global).value == 2);
  CHECK_THROWS_AS(hook.set_mode(static_cast<Mode>(7)), loupe::InvalidArgument);
}

TEST_CASE("the background writer writes every step, in order, by the time the hook is closed") {
  const MemoryStorage storage;
  {
    BackgroundHook hook(every_step(), storage);
    for (int batch = 0; batch < 200; ++batch) {
      auto step = hook.step(Mode::train);
      step.save("w", weights).save("number", static_cast<std::int64_t>(batch));
    }
  }
  const MemoryTrial trial(storage);
  REQUIRE(trial.steps(Mode::train).size() == 200);
  for (int batch = 0; batch < 200; ++batch) CHECK(trial.tensor("number").scalar(batch) == batch);
}

TEST_CASE("a dry run saves no tensors but says what it would have") {
  const MemoryStorage storage;
  HookConfig config = every_step();
  config.dry_run = true;
  MemoryHook hook(config, storage);
  for (int batch = 0; batch < 3; ++batch) {
    auto step = hook.step(Mode::train);
    step.save("w", weights).scalar("s", 1);
  }
  hook.close();
  CHECK(keys_of(storage) == std::vector<std::string>{"collections/000000000/worker_0_collections.json", "training_job_end.ts"});
}

TEST_CASE("only the chief writes unless all workers are included") {
  using RankHook = loupe::Hook<Span, MemoryStorage, loupe::Throw, loupe::ranks::Explicit>;
  const MemoryStorage storage;
  for (const auto who : {loupe::IncludeWorkers::one, loupe::IncludeWorkers::all}) {
    const MemoryStorage folder;
    std::vector<RankHook> hooks;
    for (int rank = 0; rank < 2; ++rank) {
      HookConfig config = every_step();
      config.include_workers = who;
      hooks.emplace_back(config, folder, loupe::ranks::Explicit::make(rank, 2).value());
    }
    for (auto& hook : hooks) {
      auto step = hook.step(Mode::train);
      step.save("w", weights);
    }
    for (auto& hook : hooks) hook.close();
    const MemoryTrial trial(folder);
    CHECK(trial.steps().size() == 1);
    CHECK(trial.tensor("w").workers(0).size() == (who == loupe::IncludeWorkers::all ? 2 : 1));
    CHECK(trial.loaded_all_steps());
  }
}

TEST_CASE("a probe saves through the hook it belongs to") {
  const MemoryStorage storage;
  MemoryHook hook(every_step(), storage);
  const loupe::HookRef probe = hook.ref();
  probe("too early", weights.data(), weights.size());
  {
    auto step = hook.step(Mode::predict);
    probe("layer/out", weights.data(), weights.size());
  }
  hook.close();
  CHECK(MemoryTrial(storage).tensor_names() == std::vector<std::string>{"layer/out"});
}

TEST_CASE("integers that Python can't read are widened, unless exact types are asked for") {
  for (const bool exact : {false, true}) {
    const MemoryStorage storage;
    HookConfig config = every_step();
    config.exact_element_types = exact;
    MemoryHook hook(config, storage);
    {
      auto step = hook.step();
      step.save("i8", std::vector<std::int8_t>{-1, 2});
    }
    hook.close();
    CHECK(MemoryTrial(storage).tensor("i8").value(0).type() == (exact ? loupe::ElementType::int8 : loupe::ElementType::int32));
  }
}

TEST_CASE("custom tensors belong to the collections they are given") {
  const MemoryStorage storage;
  HookConfig config = every_step();
  config.collections.push_back({.name = "mine", .include_regex = {"^only this$"}});
  MemoryHook hook(config, storage);
  const std::string_view mine[] = {"mine"};
  {
    auto step = hook.step();
    hook.save_tensor("special", weights, mine);
    step.save("other", weights);
  }
  hook.close();
  const MemoryTrial trial(storage);
  CHECK(trial.tensor_names() == std::vector<std::string>{"special"});
  CHECK(trial.tensor_names({.collection = "mine"}) == std::vector<std::string>{"special"});
}
