#include "loupe/select/save_config.hpp"

#include <string>

#include "support/catch.hpp"
#include "support/table.hpp"

using namespace loupe;

namespace {

ModeSaveConfig config_of(const rapidjson::Value& row) {
  ModeSaveConfig config;
  if (row["save_interval"].IsInt64()) config.interval = row["save_interval"].GetInt64();
  if (row["start_step"].IsInt64()) config.start_step = row["start_step"].GetInt64();
  if (row["end_step"].IsInt64()) config.end_step = row["end_step"].GetInt64();
  if (row["save_steps"].IsArray())
    for (const auto& step : row["save_steps"].GetArray()) config.save_steps.push_back(step.GetInt64());
  return config;
}

std::string refusal(const ModeSaveConfig& config) {
  const auto outcome = config.validate("train.");
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().kind == ErrorKind::invalid_argument);
  return outcome.error().message().c_str();
}

}  // namespace

TEST_CASE("the steps that are saved are those that smdebug saves") {
  const Table table("save_config");
  for (const auto& row : table.rows()) {
    const ModeSaveConfig config = config_of(row["in"]);
    std::vector<std::int64_t> saved;
    for (std::int64_t step = 0; step <= 30; ++step)
      if (config.should_save(step)) saved.push_back(step);
    std::vector<std::int64_t> expected;
    for (const auto& step : row["out"].GetArray()) expected.push_back(step.GetInt64());
    CHECK(saved == expected);
  }
}

TEST_CASE("a setting that no one can mean is refused with its name, its value and what is allowed") {
  CHECK(refusal({.interval = 0}) == "train.save_interval: is 0, but must be at least 1");
  CHECK(refusal({.interval = -3}) == "train.save_interval: is -3, but must be at least 1");
  CHECK(refusal({.start_step = -1}) == "train.start_step: is -1, but must be at least 0");
  CHECK(refusal({.end_step = -2}) == "train.end_step: is -2, but must be at least 0, or absent for no end");
  CHECK(refusal({.save_steps = {1, -7}}) == "train.save_steps: is -7, but its steps must be at least 0");
  CHECK(refusal({.start_step = 10, .end_step = 5}) ==
        "train.end_step: is 5, but start_step is 10: nothing would be saved; to disable saving give end_step 0");
}

TEST_CASE("settings that smdebug accepts for a reason stay allowed") {
  CHECK(ModeSaveConfig{}.validate());
  CHECK(ModeSaveConfig{.end_step = 0}.validate());
  CHECK(ModeSaveConfig{.start_step = 10, .end_step = 0}.validate());
  CHECK(ModeSaveConfig{.start_step = 10, .end_step = 5, .save_steps = {7}}.validate());
  CHECK(ModeSaveConfig{.start_step = 5, .end_step = 5}.validate());
}

TEST_CASE("whether a step is saved is defined even for settings that are refused") {
  CHECK_FALSE(ModeSaveConfig{.interval = 0}.should_save(0));
  CHECK(ModeSaveConfig{.interval = 0, .save_steps = {4}}.should_save(4));
  CHECK_FALSE(ModeSaveConfig{.interval = -1}.should_save(INT64_MIN));
}

TEST_CASE("a mode without settings of its own has those of all modes") {
  const SaveConfig config{.interval = 10, .eval = ModeSaveConfig{.interval = 1, .end_step = 3}};
  CHECK(config.of(Mode::train).interval == 10);
  CHECK(config.of(Mode::global).interval == 10);
  CHECK(config.of(Mode::eval) == ModeSaveConfig{.interval = 1, .end_step = 3});
}

TEST_CASE("every mode's settings are checked, and the error says whose it is") {
  const auto outcome = SaveConfig{.predict = ModeSaveConfig{.interval = 0}}.validate();
  REQUIRE_FALSE(outcome);
  CHECK(outcome.error().object == "predict.save_interval");
  CHECK(SaveConfig{.interval = 0}.validate().error().object == "save_interval");
  CHECK(SaveConfig{}.validate());
}

TEST_CASE("modes that a collection leaves open are filled in from the hook's settings") {
  ModeSaveConfigs configs;
  configs.set(Mode::train, ModeSaveConfig{.interval = 2});
  configs.fill_from(SaveConfig{.interval = 7});
  CHECK(configs.of(Mode::train)->interval == 2);
  CHECK(configs.of(Mode::predict)->interval == 7);
}

TEST_CASE("the order of modes in a file is kept and makes no difference to equality") {
  ModeSaveConfigs configs{SaveConfig{}};
  configs.place(Mode::global, 0);
  configs.place(Mode::predict, 1);
  CHECK(configs.mode_at(0) == Mode::global);
  CHECK(configs.mode_at(1) == Mode::predict);
  CHECK(configs.mode_at(2) == Mode::train);
  CHECK(configs.mode_at(3) == Mode::eval);
  CHECK(configs == ModeSaveConfigs{SaveConfig{}});
}
