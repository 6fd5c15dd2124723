#include "loupe/format/hook_config.hpp"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <string>
#include <vector>

#include "loupe/select/plan.hpp"
#include "support/catch.hpp"
#include "support/table.hpp"

using namespace loupe;
using namespace loupe::format;

namespace {

std::string text_of_json(const rapidjson::Value& value) {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer(text);
  value.Accept(writer);
  return text.GetString();
}

/// What a hook makes of its parameters at the first step.
struct Prepared {
  HookParameters parameters;
  CollectionSet collections;
  Plan plan;
};

/// In an object of its own: a plan refers to its set of collections.
result<void> prepare(Prepared& out, std::string_view text, const HookConfigContext& context) {
  LOUPE_ASSIGN(out.parameters, parse_hook_config(text, "config.json", context));
  out.collections = CollectionSet(context.defaults);
  for (const Collection& collection : out.parameters.collections) {
    LOUPE_TRY(out.collections.include(collection.name));
    LOUPE_TRY(out.collections.add(collection));
  }
  if (!out.parameters.include_regex.empty()) {
    LOUPE_ASSIGN(Collection* const picked, out.collections.get("default"));
    for (const Text& pattern : out.parameters.include_regex) picked->include(pattern);
    LOUPE_TRY(out.collections.include("default"));
  }
  if (out.parameters.save_all) {
    LOUPE_ASSIGN(Collection* const all, out.collections.get("all"));
    all->include(".*");
    LOUPE_TRY(out.collections.include("all"));
  }
  return out.plan.prepare(out.collections, {out.parameters.save, out.parameters.reductions, nullptr});
}

void check_save_config(const ModeSaveConfigs& configs, const rapidjson::Value& expected) {
  for (const Mode mode : all_modes) {
    const std::string name(mode_name(mode));
    const auto& of_mode = expected.HasMember("*") ? expected["*"] : expected[name.c_str()];
    const auto& config = configs.of(mode);
    REQUIRE(config);
    CHECK(config->interval == of_mode["save_interval"].GetInt64());
    CHECK(config->start_step == of_mode["start_step"].GetInt64());
    CHECK(config->end_step.has_value() == of_mode["end_step"].IsInt64());
    if (config->end_step) CHECK(*config->end_step == of_mode["end_step"].GetInt64());
    std::vector<std::int64_t> steps;
    for (const auto& step : of_mode["save_steps"].GetArray()) steps.push_back(step.GetInt64());
    CHECK(config->save_steps == steps);
  }
}

void check_answer(Prepared& prepared, const rapidjson::Value& expected) {
  std::vector<std::string> included;
  for (const std::string_view name : prepared.collections.included()) included.emplace_back(name);
  std::sort(included.begin(), included.end());
  CHECK(included == texts_of(expected["include_collections"]));
  CHECK(prepared.parameters.save_all == expected["save_all"].GetBool());
  CHECK(prepared.parameters.include_all_workers == expected["save_all_workers"].GetBool());
  CHECK(prepared.parameters.dry_run == expected["dry_run"].GetBool());
  CHECK(prepared.parameters.tensorboard_dir ==
        (expected["tensorboard_dir"].IsString() ? text_of(expected["tensorboard_dir"]) : ""));

  CHECK(prepared.collections.size() == expected["collections"].MemberCount());
  std::vector<std::string> saved;
  for (const Collection& collection : prepared.collections) {
    CAPTURE(collection.name.c_str());
    if (prepared.collections.is_included(collection.name)) saved.emplace_back(collection.name.view());
    REQUIRE(expected["collections"].HasMember(collection.name.c_str()));
    const auto& answer = expected["collections"][collection.name.c_str()];
    std::vector<std::string> patterns;
    for (const Text& pattern : collection.include_regex) patterns.emplace_back(pattern.view());
    CHECK(patterns == texts_of(answer["include_regex"]));
    CHECK(collection.save_histogram == answer["save_histogram"].GetBool());
    CHECK(statistics_text(collection.reductions->statistics) == text_of(answer["reduction_config"]["reductions"]));
    CHECK(collection.reductions->save_raw_tensor == answer["reduction_config"]["save_raw_tensor"].GetBool());
    CHECK(collection.reductions->save_shape == answer["reduction_config"]["save_shape"].GetBool());
    check_save_config(*collection.save, answer["save_config"]);
  }
  std::sort(saved.begin(), saved.end());
  CHECK(saved == texts_of(expected["monitored"]));

  for (const Mode mode : all_modes)
    for (const auto& of_collection : expected["saved_steps"][std::string(mode_name(mode)).c_str()].GetObject()) {
      const Collection& collection = *prepared.collections.find(text_of(of_collection.name));
      std::vector<std::int64_t> steps;
      std::vector<std::int64_t> expected_steps;
      for (std::int64_t step = 0; step <= 12; ++step)
        if (collection.save->of(mode)->should_save(step)) steps.push_back(step);
      for (const auto& step : of_collection.value.GetArray()) expected_steps.push_back(step.GetInt64());
      CHECK(steps == expected_steps);
    }
}

void check_table(const Table& table) {
  for (const auto& row : table.rows()) {
    const auto& in = row["in"];
    const bool names_framework = in.HasMember("framework");
    const std::string text = text_of_json(names_framework ? in["config"] : in);
    HookConfigContext context{.quirks = hook_config_quirks<compat::Smdebug>};
    if (names_framework) context.defaults = text_of(in["framework"]) == "xgboost" ? xgboost_defaults : pytorch_defaults;
    CAPTURE(text);
    Prepared prepared;
    const auto outcome = prepare(prepared, text, context);
    if (is_refused(row["out"])) {
      REQUIRE_FALSE(outcome);
      CHECK(outcome.error().kind == (text_of(row["out"]["error"]) == "InvalidCollectionConfiguration"
                                         ? ErrorKind::invalid_collection_configuration
                                         : ErrorKind::invalid_argument));
      continue;
    }
    if (!outcome) FAIL(outcome.error().message().c_str());
    check_answer(prepared, row["out"]);
  }
}

HookParameters parsed(std::string_view text, const HookConfigContext& context = {}) {
  auto parameters = parse_hook_config(text, "config.json", context);
  if (!parameters) FAIL(parameters.error().message().c_str());
  return *std::move(parameters);
}

std::string refusal(std::string_view text, ErrorKind kind = ErrorKind::invalid_argument) {
  const auto parameters = parse_hook_config(text, "config.json");
  CAPTURE(text);
  REQUIRE_FALSE(parameters);
  CHECK(parameters.error().kind == kind);
  CHECK(parameters.error().object == "config.json");
  return parameters.error().detail.c_str();
}

}  // namespace

TEST_CASE("hook configurations mean what smdebug makes of them") { check_table(Table("configs")); }

TEST_CASE("hook configurations mean to each framework what smdebug makes of them") {
  check_table(Table("configs_frameworks"));
}

TEST_CASE("what smdebug ignores or refuses for no reason is honoured") {
  const HookParameters parameters = parsed(R"({"LocalPath": "/runs/1", "HookParameters": {
      "dry_run": "true", "save_raw_tensor": "True", "save_shape": 1, "reductions": ["min", "abs_mean"], "save_steps": [1, "2", 5],
      "include_regex": ["a{1,2}", "b"]}})");
  CHECK(parameters.out_dir == "/runs/1");
  CHECK(parameters.dry_run);
  CHECK(parameters.reductions == ReductionConfig{.statistics = {Statistic::min, Statistic::abs_mean},
                                                 .save_raw_tensor = true,
                                                 .save_shape = true});
  CHECK(parameters.save.save_steps == std::vector<std::int64_t>{1, 2, 5});
  REQUIRE(parameters.include_regex.size() == 2);
  CHECK(parameters.include_regex[0] == "a{1,2}");
}

TEST_CASE("saving flags count without reductions") {
  const HookParameters parameters = parsed(R"({"HookParameters": {"save_shape": true}})");
  CHECK(parameters.reductions == ReductionConfig{.statistics = {}, .save_raw_tensor = false, .save_shape = true});
  CHECK(parsed(R"({"HookParameters": {"save_shape": true}})", {.quirks = hook_config_quirks<compat::Smdebug>})
            .reductions == ReductionConfig::raw_only());
}

TEST_CASE("a collection takes the framework's interval, which smdebug forgets") {
  constexpr std::string_view text =
      R"({"CollectionConfigurations": [{"CollectionName": "trees", "CollectionParameters": {"start_step": 1}}]})";
  const auto interval = [&](const HookConfigQuirks& quirks) {
    return parsed(text, {.defaults = xgboost_defaults, .quirks = quirks})
        .collections.at(0)
        .save->of(Mode::train)
        ->interval;
  };
  CHECK(interval(hook_config_quirks<compat::Native>) == 10);
  CHECK(interval(hook_config_quirks<compat::Smdebug>) == 500);
}

TEST_CASE("keys may come in any order, and the more specific setting wins") {
  const HookParameters parameters = parsed(
      R"({"CollectionConfigurations": [{"CollectionParameters": {"eval.save_interval": "1", "end_step": 9}, "CollectionName": "weights"}],
                                               "HookParameters": {"train.save_interval": 7, "save_interval": 3}})");
  const ModeSaveConfigs& save = *parameters.collections.at(0).save;
  CHECK(save.of(Mode::eval) == ModeSaveConfig{.interval = 1, .end_step = 9});
  CHECK(save.of(Mode::train) == ModeSaveConfig{.interval = 7, .end_step = 9});
  CHECK(save.of(Mode::predict) == ModeSaveConfig{.interval = 3, .end_step = 9});
  CHECK(parameters.save.of(Mode::eval).interval == 3);
  CHECK(parameters.collections.at(0).include_regex.at(0) == "^(?!gradient).*weight");
}

TEST_CASE("in a SageMaker job TensorBoard isn't configured here") {
  constexpr std::string_view text = R"({"HookParameters": {"export_tensorboard": true, "tensorboard_dir": "/tb"}})";
  CHECK(parsed(text).export_tensorboard);
  const HookParameters in_job = parsed(text, {.in_sagemaker_job = true});
  CHECK_FALSE(in_job.export_tensorboard);
  CHECK(in_job.tensorboard_dir.empty());
}

TEST_CASE("a value out of bounds is refused with its key, what it is and what is allowed") {
  CHECK(refusal(R"({"HookParameters": {"save_interval": 0}})") ==
        "HookParameters: save_interval: is 0, but must be at least 1");
  CHECK(refusal(R"({"HookParameters": {"eval.save_steps": "3,-1"}})") ==
        "HookParameters: eval.save_steps: is -1, but its steps must be at least 0");
  CHECK(refusal(
            R"({"CollectionConfigurations": [{"CollectionName": "a", "CollectionParameters": {"start_step": -1}}]})") ==
        "collection a: train.start_step: is -1, but must be at least 0");
  CHECK(refusal(R"({"HookParameters": {"train.save_interval": "abc"}})") ==
        "HookParameters.train.save_interval is \"abc\", but must be a whole number");
  CHECK(refusal(R"({"HookParameters": {"include_workers": "some"}})") ==
        "HookParameters.include_workers is \"some\", but must be one or all");
  CHECK(refusal(R"({"HookParameters": {"reductions": "min,median"}})")
            .starts_with("HookParameters.reductions has the word median, but allowed are min "));
  CHECK(refusal(R"({"CollectionConfigurations": [{"CollectionName": "a"}, {"CollectionParameters": null}]})") ==
        "CollectionConfigurations[1] lacks a CollectionName");
}

TEST_CASE("a value of the wrong kind is refused with its key") {
  CHECK(refusal(R"({"HookParameters": {"save_interval": [1]}})", ErrorKind::invalid_type) ==
        "HookParameters.save_interval is a list, but must be a number, or a text of one");
  refusal(R"({"LocalPath": 5})", ErrorKind::invalid_type);
  refusal(R"({"HookParameters": []})", ErrorKind::invalid_type);
  refusal(R"({"CollectionConfigurations": {}})", ErrorKind::invalid_type);
  refusal(R"({"CollectionConfigurations": [5]})", ErrorKind::invalid_type);
  refusal("[]", ErrorKind::invalid_type);
}

TEST_CASE("a text that is no JSON is damaged, and says where") {
  const auto parameters = parse_hook_config(R"({"HookParameters": {"save_interval": 1})", "config.json");
  REQUIRE_FALSE(parameters);
  CHECK(parameters.error().kind == ErrorKind::corrupt);
  CHECK(parameters.error().offset == 39);
}

TEST_CASE("unknown keys are passed over") {
  const HookParameters parameters = parsed(R"({"S3OutputPath": "s3://b/p", "HookParameters": {"unheard": {"of": []}},
      "CollectionConfigurations": [{"CollectionName": "a", "More": 1, "CollectionParameters": {"include_regex": "x", "what": null}}]})");
  CHECK(parameters.out_dir == "/opt/ml/output/tensors");
  CHECK(parameters.collections.at(0).include_regex.at(0) == "x");
}

TEST_CASE("the environment says where the configurations are") {
  const Environment none = Environment::none();
  CHECK(hook_config_path(none) == "/opt/ml/input/config/debughookconfig.json");
  CHECK(tensorboard_config_path(none) == "/opt/ml/input/config/tensorboardoutputconfig.json");
  CHECK(checkpoint_config_path(none) == "/opt/ml/input/config/checkpointconfig.json");
  CHECK_FALSE(in_sagemaker_job(none));
  const Environment job{{"SMDEBUG_CONFIG_FILE_PATH", "a"},
                        {"TENSORBOARD_CONFIG_FILE_PATH", "b"},
                        {"CHECKPOINT_CONFIG_FILE_PATH", "c"},
                        {"TRAINING_JOB_NAME", ""}};
  CHECK(hook_config_path(job) == "a");
  CHECK(tensorboard_config_path(job) == "b");
  CHECK(checkpoint_config_path(job) == "c");
  CHECK(in_sagemaker_job(job));
}

TEST_CASE("the files beside it hold a path, or none") {
  CHECK(parse_local_path(R"({"LocalPath": "/opt/ml/checkpoints", "x": 1})", "f").value() ==
        Text("/opt/ml/checkpoints"));
  CHECK(parse_local_path("{}", "f").value() == std::nullopt);
  CHECK_FALSE(parse_local_path(R"({"LocalPath": 5})", "f"));
  CHECK_FALSE(parse_local_path("", "f"));
}
