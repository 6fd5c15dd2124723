#include "loupe/capture/step_recorder.hpp"

#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "loupe/format/layout.hpp"
#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"
#include "loupe/storage/fault.hpp"
#include "loupe/storage/memory.hpp"
#include "loupe/trial/trial.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/sanitizer.hpp"
#include "support/temporary_folder.hpp"

using loupe::AnyStorage;
using loupe::Collection;
using loupe::ErrorKind;
using loupe::HookConfig;
using loupe::MemoryStorage;
using loupe::Mode;
using loupe::Statistic;
using loupe::Task;
using loupe::TensorView;

namespace {

using Span = loupe::frameworks::Span;
using MemoryHook = loupe::Hook<Span, MemoryStorage, loupe::InlineExecutor>;
using ThrowingHook = loupe::Hook<Span, MemoryStorage, loupe::Throw, loupe::InlineExecutor>;
using SmdebugHook = loupe::Hook<Span, MemoryStorage, loupe::InlineExecutor, loupe::compat::Smdebug>;
using MemoryTrial = loupe::Trial<MemoryStorage>;

const std::vector<float> weights{1, -2, 3, 4};
constexpr std::uint64_t unwritable = std::uint64_t{1} << 63;  // Python has no integer type for it
constexpr std::string_view no_utf8 = "w\xff";

HookConfig every_step() {
  HookConfig config;
  config.save.interval = 1;
  config.report = {.write = [](void*, std::string_view) {}};
  return config;
}

/// An executor that is busy until it is let go; then it works in the caller.
struct BusyExecutor {
  struct State {
    bool is_busy = true;
    std::vector<Task> tasks;
  };
  std::shared_ptr<State> state = std::make_shared<State>();
  bool post(Task task) {
    if (state->is_busy) state->tasks.push_back(std::move(task));
    else task();
    return true;
  }
  void drain() {}
  void let_go() {
    state->is_busy = false;
    for (Task& task : state->tasks) task();
    state->tasks.clear();
  }
};

/// A framework whose expressions find no memory.
struct Failing : Span {
  struct Expression {};
  using Span::view;
  static std::vector<float> evaluate(const Expression&) { throw std::bad_alloc(); }
};

}  // namespace

TEST_CASE("a waiting scalar that can't be written costs neither the step nor the other scalars") {
  const MemoryStorage storage;
  ThrowingHook hook(every_step(), storage);
  hook.save_scalar("seed", unwritable);
  hook.save_scalar("text", no_utf8);
  hook.save_scalar("good", 3);
  {
    auto step = hook.step(Mode::train);
    step.save("w", weights);
  }
  hook.close();
  CHECK(hook.failures().count == 2);
  const MemoryTrial trial(storage);
  CHECK(trial.tensor("w").value(0).size() == 4);
  CHECK(trial.tensor("scalar/good").scalar(0) == 3.0);
}

TEST_CASE("a rank that saves nothing writes no collections file, whatever its checkpoints say") {
  using RankHook = loupe::Hook<Span, MemoryStorage, loupe::Throw, loupe::InlineExecutor, loupe::ranks::Explicit>;
  using SmdebugRankHook = loupe::Hook<Span, MemoryStorage, loupe::Throw, loupe::InlineExecutor, loupe::ranks::Explicit,
                                      loupe::compat::Smdebug>;
  const TemporaryFolder checkpoints;
  const std::string state =
      R"([{"training-run": 0, "latest-global-step-saved": 2, "latest-global-step-seen": 2, )"
      R"("latest-mode-step": {"GLOBAL": 2}}])";
  const std::span<const std::byte> bytes = std::as_bytes(std::span(state));
  REQUIRE(AnyStorage(loupe::LocalStorage(checkpoints.path())).put("metadata.json", bytes, loupe::PutMode::replace));
  HookConfig config = every_step();
  config.checkpoint_dir = checkpoints.path();
  const auto run = [&]<class Hook>(std::type_identity<Hook>) {
    const MemoryStorage storage;
    Hook hook(config, storage, loupe::ranks::Explicit::make(1, 2).value());
    CHECK(hook.current_step().value == 2);
    for (int step = 0; step < 2; ++step) hook.step(Mode::train).save("w", weights);
    hook.close();
    CHECK_FALSE(AnyStorage(storage).stat(loupe::format::collections_key("worker_1")));
  };
  run(std::type_identity<RankHook>());
  run(std::type_identity<SmdebugRankHook>());
}

TEST_CASE("custom tensors that are flushed before the first step wait on") {
  const MemoryStorage storage;
  HookConfig config = every_step();
  config.collections.push_back({.name = "default", .include_regex = {"^$"}});
  SmdebugHook hook(config, storage);
  hook.save_tensor("x", weights);
  hook.flush_custom();
  CHECK(hook.failures().count == 0);
  hook.begin_step();
  hook.flush_custom();
  hook.close();
  CHECK(hook.failures().count == 0);
  CHECK(MemoryTrial(storage).tensor("x").value(0).size() == 4);
}

TEST_CASE("what an expression throws when it is computed is a failure of the call, under every error policy") {
  loupe::Hook<Failing, MemoryStorage, loupe::InlineExecutor> counting(every_step(), MemoryStorage());
  auto step = counting.step(Mode::train);
  step.save("a", Failing::Expression()).scalar("b", Failing::Expression());
  counting.save_tensor("c", Failing::Expression());
  CHECK(counting.failures().count == 3);
  CHECK(counting.failures().last.kind == ErrorKind::limit_exceeded);
  loupe::Hook<Failing, MemoryStorage, loupe::InlineExecutor, loupe::Expect> expecting(every_step(), MemoryStorage());
  CHECK_FALSE(expecting.save_scalar("b", Failing::Expression()));
}

TEST_CASE("a name that is not UTF-8 is refused whatever is kept of its tensor") {
  for (const auto& reductions :
       {loupe::ReductionConfig::raw_only(), loupe::ReductionConfig{.statistics = {Statistic::max}},
        loupe::ReductionConfig{.save_shape = true}}) {
    HookConfig config = every_step();
    config.reductions = reductions;
    MemoryHook hook(config, MemoryStorage());
    {
      auto step = hook.step(Mode::train);
      step.save(no_utf8, weights);
    }
    CHECK(hook.failures().count == 1);
    CHECK(hook.failures().last.kind == ErrorKind::invalid_argument);
  }
}

TEST_CASE("a forked child leaves the trial to its parent, and waits for none of its locks") {
  const TemporaryFolder folder;
  HookConfig config = every_step();
  config.out_dir = folder.path();
  constexpr int forks = 10;  // one of them may catch the writer with a lock in its hands
  {
    loupe::Hook<Span> hook(config);
    for (int number = 0; number < forks; ++number) {
      hook.step(Mode::train).save("w", weights);
      std::optional<loupe::Hook<Span>::Step> step(hook.step(Mode::train));
      step->save("w", weights);
      if (forks_need_idle_threads) hook.flush();
      ChildProcess child([&] {
        step->save("w2", weights);
        step.reset();
        hook.step(Mode::train).save("w", weights);
        hook.flush();
        hook.close();
        if (hook.failures().count != 2 || hook.failures().last.kind != ErrorKind::invalid_state)
          throw std::runtime_error("the child's step was not refused");
      });
      CHECK(child.wait() == 0);
    }
    CHECK_FALSE(AnyStorage(loupe::LocalStorage(folder.path())).stat(loupe::format::end_marker_key));
  }
  const loupe::Trial<> trial(folder.path());
  CHECK(trial.steps(Mode::train).size() == 2 * forks);
  CHECK(trial.tensor_names().size() == 1);
}

TEST_CASE("steps that find no memory are counted, not the calls in them") {
  using BusyHook = loupe::Hook<Span, MemoryStorage, BusyExecutor>;
  for (const auto policy : {loupe::Backpressure::drop, loupe::Backpressure::reduce_only}) {
    HookConfig config = every_step();
    config.backpressure = policy;
    config.max_pending_bytes = policy == loupe::Backpressure::drop ? 1 : 100000;
    config.collections.push_back({.name = "w", .include_regex = {"^w"}});
    const loupe::ReductionConfig shape_only{.save_shape = true};
    config.collections.push_back({.name = "s", .include_regex = {"^s"}, .reductions = shape_only});
    BusyExecutor executor;
    BusyHook hook(config, MemoryStorage(), executor);
    hook.step(Mode::train).save("w", std::vector<float>(30000)).save("s", weights);
    {
      auto step = hook.step(Mode::train);
      step.save("s", weights).scalar("a", 1).scalar("b", 2);
    }
    CHECK(hook.failures().dropped_steps == (policy == loupe::Backpressure::drop ? 1 : 0));
    CHECK(hook.failures().reduced_steps == 0);
    hook.step(Mode::train).save("w", weights).save("w2", weights);
    CHECK(hook.failures().dropped_steps == (policy == loupe::Backpressure::drop ? 2 : 0));
    CHECK(hook.failures().reduced_steps == (policy == loupe::Backpressure::drop ? 0 : 1));
    executor.let_go();
  }
}

TEST_CASE("an empty view is no error as a custom tensor or a scalar either") {
  ThrowingHook hook(every_step(), MemoryStorage());
  auto step = hook.step(Mode::train);
  hook.save_tensor("gradient", TensorView());
  step.scalar("loss", TensorView());
  CHECK(hook.counts().tensors == 0);
}

TEST_CASE("a rank scheme whose worker names make no file names is refused before the folder is touched") {
  struct Named {
    std::string_view name;
    [[nodiscard]] std::int64_t rank() const noexcept { return 0; }
    [[nodiscard]] std::int64_t world_size() const noexcept { return 1; }
    [[nodiscard]] loupe::Text worker_name() const { return name; }
  };
  using NamedHook = loupe::Hook<Span, MemoryStorage, loupe::Expect, Named>;
  for (const std::string_view name : {"a/b", "", "a__b"}) {
    const MemoryStorage storage;
    const auto hook = NamedHook::create(every_step(), storage, Named{name});
    REQUIRE_FALSE(hook);
    CHECK(hook.error().kind == ErrorKind::invalid_argument);
    bool is_touched = false;
    CHECK(AnyStorage(storage).list("", {}, [&](const auto&) { return is_touched = true; }));
    CHECK_FALSE(is_touched);
  }
  CHECK(NamedHook::create(every_step(), MemoryStorage(), Named{"worker"}));
}

TEST_CASE("a pattern that can't be read is told, however its collection came about") {
  MemoryHook hook(every_step(), MemoryStorage());
  hook.add_collection({.name = "added", .include_regex = {"("}});
  CHECK(hook.failures().count == 1);
  hook.collection("changed")->include("(");
  hook.begin_step();
  CHECK(hook.failures().count == 2);
  CHECK(hook.failures().last.kind == ErrorKind::invalid_argument);
}

TEST_CASE("a collection that is refused is not included either") {
  HookConfig config = every_step();
  config.include_regex = {"^x"};
  ThrowingHook hook(config, MemoryStorage());
  CHECK_THROWS_AS(hook.add_collection({.name = "added", .include_regex = {"("}}), loupe::InvalidArgument);
  hook.collection("added")->include("^w");
  {
    auto step = hook.step();
    step.save("w", weights);
  }
  hook.close();
  CHECK(hook.counts().tensors == 0);
}

TEST_CASE("a collection that is to be saved and doesn't exist is told with those that do, at the first step") {
  HookConfig config = every_step();
  config.include_collections = {"losess", "later"};
  MemoryHook hook(config, MemoryStorage());
  hook.collection("later")->include("^w");
  CHECK(hook.failures().count == 0);
  auto step = hook.step();
  step.save("w", weights);
  CHECK(hook.failures().count == 1);
  const std::string sentence(hook.failures().last.message());
  CHECK(sentence.starts_with("collection losess: there is no such collection"));
  CHECK(sentence.find(" losses ") != std::string::npos);
  step.end();
  hook.close();
  CHECK(hook.counts().tensors == 1);
}

TEST_CASE("a collection that is configured twice is refused") {
  HookConfig config = every_step();
  config.collections = {{.name = "mine", .include_regex = {"a"}}, {.name = "mine", .include_regex = {"b"}}};
  CHECK_THROWS_AS(MemoryHook(config, MemoryStorage()), loupe::InvalidArgument);
  CHECK_NOTHROW(SmdebugHook(config, MemoryStorage()));
}

TEST_CASE("a run that begins among the steps of one that did not finish says so") {
  std::vector<std::string> told;
  HookConfig config = every_step();
  config.report = {.write = [](void* context, std::string_view sentence) {
                     static_cast<std::vector<std::string>*>(context)->emplace_back(sentence);
                   },
                   .context = &told};
  const MemoryStorage storage;
  {
    MemoryHook hook(config, storage);
    CHECK(told.empty());
    hook.step().save("w", weights);
    hook.flush();
    REQUIRE(AnyStorage(storage).stat(loupe::format::index_key(0, "worker_0")));
  }
  REQUIRE(AnyStorage(storage).remove(loupe::format::end_marker_key));
  const auto resume = GENERATE(loupe::ResumePolicy::refuse, loupe::ResumePolicy::resume, loupe::ResumePolicy::overwrite);
  config.resume = resume;
  const MemoryHook hook(config, storage);
  CHECK(told.size() == (resume == loupe::ResumePolicy::refuse ? 1 : 0));
}

TEST_CASE("each of several failures of one call is counted") {
  SmdebugHook hook(every_step(), MemoryStorage());
  const std::string_view unknown[] = {"no such collection"};
  hook.save_tensor("a", weights, unknown);
  hook.save_tensor("b", weights, unknown);
  hook.begin_step();
  hook.flush_custom();
  CHECK(hook.failures().count == 2);
}

TEST_CASE("the summary comes after the failure of closing itself, and counts it") {
  using FaultyHook = loupe::Hook<Span, loupe::FaultStorage<MemoryStorage>, loupe::InlineExecutor>;
  std::vector<std::string> told;
  HookConfig config = every_step();
  config.report = {.write = [](void* context, std::string_view sentence) {
                     static_cast<std::vector<std::string>*>(context)->emplace_back(sentence);
                   },
                   .context = &told};
  const auto plan = loupe::FaultPlan::fail_nth(1).only(loupe::StorageOperation::remove);
  FaultyHook hook(config, loupe::FaultStorage(MemoryStorage(), plan));
  hook.close();
  CHECK(hook.failures().count == 1);
  REQUIRE(told.size() == 2);
  CHECK(told.back().starts_with("failures: 1,"));
}
