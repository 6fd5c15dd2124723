#include "loupe/capture/hook_config_json.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using loupe::Environment;
using loupe::ErrorKind;
using loupe::HookConfig;
using loupe::Statistic;

namespace {

std::string put(const TemporaryFolder& folder, std::string_view name, std::string_view content) {
  const std::string path = folder.path() + "/" + std::string(name);
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

/// Nothing is set, and SageMaker's fixed paths lead nowhere.
Environment nothing() { return {{"CHECKPOINT_CONFIG_FILE_PATH", "/nonexistent/checkpointconfig.json"}}; }

HookConfig config_of(std::string_view text, const Environment& environment = nothing()) {
  return loupe::config_from_json(text, "debughookconfig.json", {.environment = environment});
}

}  // namespace

TEST_CASE("every key of a configuration reaches the hook") {
  const HookConfig config = config_of(R"({
    "S3OutputPath": "s3://bucket/prefix", "LocalPath": "/data/run",
    "HookParameters": {"save_interval": "100", "eval.save_interval": 1, "save_steps": [3], "reductions": "min,abs_mean",
                       "save_shape": true, "include_regex": "relu,tanh", "include_workers": "all", "save_all": "true",
                       "export_tensorboard": "true", "tensorboard_dir": "/data/tb", "dry_run": true},
    "CollectionConfigurations": [{"CollectionName": "weights"}, {"CollectionName": "mine", "CollectionParameters":
                                 {"include_regex": "^m", "train.save_interval": "7", "reductions": "std", "save_histogram": false}}]})");
  CHECK(config.out_dir == "/data/run");
  CHECK(config.save.interval == 100);
  CHECK(config.save.of(loupe::Mode::eval).interval == 1);
  CHECK(config.save.of(loupe::Mode::train).save_steps == std::vector<std::int64_t>{3});
  CHECK(config.reductions ==
        loupe::ReductionConfig{.statistics = {Statistic::min, Statistic::abs_mean}, .save_shape = true});
  CHECK(config.include_regex == std::vector<loupe::Text>{"relu", "tanh"});
  CHECK(config.include_workers == loupe::IncludeWorkers::all);
  CHECK(config.save_all);
  CHECK(config.export_tensorboard);
  CHECK(config.tensorboard_dir == "/data/tb");
  CHECK(config.dry_run);
  REQUIRE(config.collections.size() == 2);
  CHECK(config.collections[0].include_regex == std::vector<loupe::Text>{"^(?!gradient).*weight"});
  CHECK(config.collections[1].name == "mine");
  CHECK_FALSE(config.collections[1].save_histogram);
  CHECK_FALSE(config.in_sagemaker_job);
}

TEST_CASE("an empty configuration is smdebug's defaults") {
  const HookConfig config = config_of("{}");
  CHECK(config.out_dir == "/opt/ml/output/tensors");
  CHECK(config.save.interval == 500);
  CHECK(config.reductions == loupe::ReductionConfig::raw_only());
  CHECK(config.include_workers == loupe::IncludeWorkers::one);
  CHECK(config.checkpoint_dir.empty());
  CHECK(config.tensorboard_dir.empty());
}

TEST_CASE("the environment names the checkpoints' directory, and in a SageMaker job TensorBoard's") {
  const TemporaryFolder folder;
  Environment environment{
      {"CHECKPOINT_CONFIG_FILE_PATH", put(folder, "checkpoint.json", R"({"LocalPath": "/data/checkpoints"})")},
      {"TENSORBOARD_CONFIG_FILE_PATH", put(folder, "tensorboard.json", R"({"LocalPath": "/data/tb"})")}};
  constexpr std::string_view text =
      R"({"HookParameters": {"tensorboard_dir": "/elsewhere", "export_tensorboard": true}})";
  CHECK(config_of(text, environment).checkpoint_dir == "/data/checkpoints");
  CHECK(config_of(text, environment).tensorboard_dir == "/elsewhere");
  environment.set("TRAINING_JOB_NAME", "");
  const HookConfig config = config_of(text, environment);
  CHECK(config.in_sagemaker_job);
  CHECK(config.tensorboard_dir == "/data/tb");
  CHECK_FALSE(config.export_tensorboard);
}

TEST_CASE("a neighbouring file that is damaged is an error that names it, one without LocalPath says nothing") {
  const TemporaryFolder folder;
  const std::string path = put(folder, "checkpoint.json", "{\"LocalPath\": ");
  const auto damaged =
      loupe::read_hook_config("{}", "hook.json", {.environment = {{"CHECKPOINT_CONFIG_FILE_PATH", path}}});
  REQUIRE_FALSE(damaged);
  CHECK(damaged.error().object.view() == path);
  put(folder, "checkpoint.json", "{\"Other\": 1}");
  CHECK(config_of("{}", {{"CHECKPOINT_CONFIG_FILE_PATH", path}}).checkpoint_dir.empty());
}

TEST_CASE("the hook's configuration file is found by the environment") {
  const TemporaryFolder folder;
  Environment environment = nothing();
  environment.set("SMDEBUG_CONFIG_FILE_PATH", put(folder, "hook.json", R"({"LocalPath": "/data/run"})"));
  CHECK(loupe::config_from_environment({.environment = environment}).out_dir == "/data/run");
  CHECK(loupe::read_hook_config_file(folder.path() + "/hook.json", {.environment = nothing()})->out_dir == "/data/run");
}

TEST_CASE("a file that is missing or wrong is an exception, or an error under Expect, that names it") {
  Environment environment = nothing();
  environment.set("SMDEBUG_CONFIG_FILE_PATH", "/nonexistent/hook.json");
  CHECK_THROWS_AS(loupe::config_from_environment({.environment = environment}), loupe::NotFound);
  const auto missing = loupe::config_from_environment<loupe::Expect>({.environment = environment});
  REQUIRE_FALSE(missing);
  CHECK(missing.error().object == "/nonexistent/hook.json");
  const auto wrong = loupe::config_from_json<loupe::Expect>(R"({"HookParameters": {"save_interval": 0}})", "hook.json",
                                                            {.environment = nothing()});
  REQUIRE_FALSE(wrong);
  CHECK(wrong.error().kind == ErrorKind::invalid_argument);
  CHECK(wrong.error().object == "hook.json");
}

TEST_CASE("smdebug's reading of a configuration can be asked for") {
  constexpr std::string_view text = R"({"HookParameters": {"dry_run": true, "save_shape": true}})";
  const HookConfig config = loupe::config_from_json(
      text, "hook.json",
      {.environment = nothing(), .quirks = loupe::format::hook_config_quirks<loupe::compat::Smdebug>});
  CHECK_FALSE(config.dry_run);
  CHECK_FALSE(config.reductions.save_shape);
  CHECK(config_of(text).dry_run);
  CHECK(config_of(text).reductions.save_shape);
}

TEST_CASE("USE_SMDEBUG switches hooks off that are configured by the environment") {
  Environment environment = nothing();
  environment.set("SMDEBUG_CONFIG_FILE_PATH", "/nonexistent/hook.json");
  for (const std::string_view no : {"n", "NO", "False", "off", "0"}) {
    environment.set("USE_SMDEBUG", no);
    CHECK_FALSE(loupe::config_from_environment({.environment = environment}).enabled);
  }
  for (const std::string_view yes : {"Y", "yes", "T", "true", "ON", "1"}) {
    environment.set("USE_SMDEBUG", yes);
    CHECK_THROWS_AS(loupe::config_from_environment({.environment = environment}), loupe::NotFound);
  }
  environment.set("USE_SMDEBUG", "perhaps");
  CHECK_THROWS_AS(loupe::config_from_environment({.environment = environment}), loupe::InvalidArgument);
}

TEST_CASE("a hook that is switched off saves nothing, touches nothing and says nothing") {
  const TemporaryFolder folder;
  HookConfig config;
  config.out_dir = folder.path();
  config.enabled = false;
  config.report = {.write = [](void*, std::string_view) { FAIL("nothing is to be reported"); }};
  loupe::Hook<loupe::frameworks::Span> hook(config);
  {
    auto step = hook.step(loupe::Mode::train);
    CHECK_FALSE(step.armed());
    step.save("w", std::vector<float>{1, 2}).scalar("loss", 0.5);
  }
  hook.close();
  CHECK(hook.failures().count == 0);
  CHECK(folder.files().empty());
}
