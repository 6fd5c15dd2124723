#include "loupe/capture/hook.hpp"

#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "loupe/frameworks/span.hpp"
#include "loupe/hook.hpp"
#include "loupe/trial/trial.hpp"
#include "support/catch.hpp"
#include "support/child_process.hpp"
#include "support/temporary_folder.hpp"

using loupe::HookConfig;
using loupe::Mode;
using loupe::ModeStep;
using loupe::ResumePolicy;
using loupe::Step;

namespace {

using Hook = loupe::Hook<loupe::frameworks::Span, loupe::Throw>;
using Trial = loupe::Trial<>;

HookConfig configuration(const TemporaryFolder& folder, ResumePolicy resume) {
  HookConfig config;
  config.out_dir = folder.path();
  config.save.interval = 1;
  config.resume = resume;
  return config;
}

/// What the run saves at a step, so that whoever reads it knows what must be there.
Mode mode_of(std::int64_t step) { return step % 5 == 4 ? Mode::eval : Mode::train; }
std::int64_t mode_step_of(std::int64_t step) { return step % 5 == 4 ? step / 5 : step - step / 5; }
std::vector<float> weights_of(std::int64_t step) {
  return std::vector<float>(step % 7 == 0 ? 50000 : 500, static_cast<float>(step));
}

std::int64_t save_step(Hook& hook) {
  const std::int64_t number = hook.current_step().value + 1;
  auto step = hook.step(mode_of(number));
  step.save("weights", weights_of(number)).save("number", number).scalar("loss", 0.5 * static_cast<double>(number));
  return number;
}

/// A run that saves steps until it is killed. It tells the number of a step once that step is published.
void run_until_killed(const TemporaryFolder& folder, ResumePolicy resume, int output) {
  Hook hook(configuration(folder, resume));
  while (true) {
    const std::int64_t number = save_step(hook);
    if (number % 3 != 2) continue;
    hook.flush();
    if (::write(output, &number, sizeof number) != sizeof number) return;
  }
}

/// Lets a run begin, kills it at a moment that only chance knows, and gives the last step that it said was published.
std::int64_t run_and_kill(const TemporaryFolder& folder, ResumePolicy resume, std::mt19937& random) {
  ChildProcess run([&](int output) { run_until_killed(folder, resume, output); });
  std::int64_t published = -1;
  for (auto reports = random() % 6; reports > 0; --reports)
    REQUIRE(run.read(&published, sizeof published, 60000) == sizeof published);
  const timespec moment{0, static_cast<long>(random() % 4'000'000)};
  ::ppoll(nullptr, 0, &moment, nullptr);
  run.kill();
  while (run.read(&published, sizeof published, 0) == sizeof published) {
  }
  return published;
}

Trial opened(const TemporaryFolder& folder) {
  loupe::TrialOptions options;
  options.environment = {{"SMDEBUG_TRAINING_END_DELAY_REFRESH", "0"}};
  options.open_deadline = 0;
  options.missing_event_deadline = 0;
  return Trial(std::string_view(folder.path()), options);
}

bool has_index(const TemporaryFolder& folder) {
  for (const std::string& file : folder.files())
    if (file.starts_with("index/") && file.ends_with(".json")) return true;
  return false;
}

/// Checks that the steps 0 … last are there whole, and no others; gives the last.
std::int64_t check_steps(const TemporaryFolder& folder) {
  if (!has_index(folder)) return -1;
  const Trial trial = opened(folder);
  CHECK(trial.problems().empty());
  const auto steps = trial.steps();
  std::int64_t expected = 0;
  for (const ModeStep at : steps) {
    const std::int64_t step = at.value;
    INFO("step " << step);
    REQUIRE(step == expected++);
    CHECK(trial.mode_step(Step(step)) == ModeStep(mode_of(step), mode_step_of(step)));
    const auto weights = trial.tensor("weights").value<float>(step);
    CHECK(std::vector<float>(weights.begin(), weights.end()) == weights_of(step));
    CHECK(trial.tensor("number").scalar(step) == static_cast<double>(step));
    CHECK(trial.tensor("scalar/loss").scalar(step) == 0.5 * static_cast<double>(step));
  }
  return expected - 1;
}

void run_three_steps(const TemporaryFolder& folder, ResumePolicy resume) {
  Hook hook(configuration(folder, resume));
  for (int count = 0; count < 3; ++count) save_step(hook);
  hook.close();
}

int kills() { return std::getenv("LOUPE_SOAK") != nullptr ? 1000 : 30; }

}  // namespace

TEST_CASE("of a killed run every published step is whole, and the next run works under each resume policy") {
  for (int kill = 0; kill < kills(); ++kill) {
    INFO("kill " << kill);
    std::mt19937 random(static_cast<unsigned>(kill));
    const TemporaryFolder folder;
    const std::int64_t published = run_and_kill(folder, ResumePolicy::refuse, random);
    const std::int64_t last = check_steps(folder);
    REQUIRE(last >= published);
    constexpr ResumePolicy policies[] = {ResumePolicy::refuse, ResumePolicy::resume, ResumePolicy::overwrite};
    const ResumePolicy next = policies[kill % 3];
    run_three_steps(folder, next);
    const std::int64_t expected = next == ResumePolicy::refuse   ? (last > 2 ? last : 2)
                                  : next == ResumePolicy::resume ? last + 3
                                                                 : 2;
    CHECK(check_steps(folder) == expected);
    CHECK(std::filesystem::exists(std::filesystem::path(folder.path()) / "training_job_end.ts"));
    CHECK_THROWS_AS(Hook(configuration(folder, ResumePolicy::refuse)), loupe::InvalidState);
    if (next != ResumePolicy::overwrite) continue;
    for (const std::string& file : folder.files()) {
      INFO(file);
      CHECK_FALSE(file.ends_with(".tmp"));
      CHECK_FALSE(file.starts_with("claim"));
    }
  }
}

TEST_CASE("a run that is killed again and again gets on") {
  for (int chain = 0; chain < kills() / 10; ++chain) {
    INFO("chain " << chain);
    std::mt19937 random(static_cast<unsigned>(1000 + chain));
    const TemporaryFolder folder;
    std::int64_t last = -1;
    for (int kill = 0; kill < 5; ++kill) {
      const std::int64_t published = run_and_kill(folder, ResumePolicy::resume, random);
      const std::int64_t now = check_steps(folder);
      CHECK(now >= published);
      CHECK(now >= last);
      last = now;
    }
    run_three_steps(folder, ResumePolicy::resume);
    CHECK(check_steps(folder) == last + 3);
  }
}
