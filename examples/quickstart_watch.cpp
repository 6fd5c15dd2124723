// Watches a training from outside: opens the trial that it writes and prints what comes in, until the training ends.
//
//   quickstart_watch OUT_DIR

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <loupe/trial.hpp>
#include <loupe/trial/xtensor.hpp>
#include <string>
#include <vector>
#include <xtensor/xmath.hpp>

namespace {

using loupe::Mode;
using loupe::ModeStep;
using loupe::Statistic;

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t patience = 60 * second;  // with a training that doesn't begin, or doesn't go on

/// The weights of the network's layers have these gradients, in the order of the layers.
std::vector<std::string> gradients_of(const loupe::Trial<>& trial) {
  return trial.tensor_names({.regex = {"^gradient/.*weight$"}});
}

/// Of all hidden units, the share that was 0 for each digit of the batch.
double silent_share(const loupe::Trial<>& trial, ModeStep step) {
  std::size_t silent = 0;
  std::size_t units = 0;
  for (const char* layer : {"activation/fc1", "activation/fc2"}) {
    const xt::xarray<float> outputs = trial.tensor(layer).value<float>(step);  // [batch, units]
    const xt::xarray<float> largest = xt::amax(outputs, {0});
    silent += static_cast<std::size_t>(std::count(largest.begin(), largest.end(), 0.0F));
    units += largest.size();
  }
  return static_cast<double>(silent) / static_cast<double>(units);
}

void print_head(const loupe::Trial<>& trial) {
  const std::vector<std::string> gradients = gradients_of(trial);
  std::printf("%6s  %19s  %10s%*s  %7s\n", "", "loss", "accuracy", static_cast<int>(13 * gradients.size()),
              "gradient norms", "silent");
  std::printf("%6s  %9s %9s  %10s", "step", "training", "test", "in test");
  for (const std::string& name : gradients) std::printf(" %12s", name.substr(name.find('/') + 1).c_str());
  std::printf("  %7s\n", "units");
}

/// A line for a test and the training step before it.
void print_line(const loupe::Trial<>& trial, ModeStep test) {
  const std::vector<std::string> gradients = gradients_of(trial);
  const loupe::Step before = trial.global_step(test).value();
  const ModeStep looked = trial.tensor(gradients.front()).prev_steps(before, 1).front();
  const ModeStep training = trial.mode_step(loupe::Step(looked.value)).value();

  const auto loss = trial.tensor("loss");
  std::printf("%6lld  %9.4f %9.4f  %8.1f %%", static_cast<long long>(training.value), loss.scalar(training),
              loss.scalar(test), 100 * trial.tensor("scalar/accuracy").scalar(test));
  for (const std::string& name : gradients)
    std::printf(" %12.4f", trial.tensor(name).reduction_value(training, Statistic::l2).number.as_double());
  std::printf("  %5.1f %%\n", 100 * silent_share(trial, training));
  std::fflush(stdout);
}

void print_summary(const loupe::Trial<>& trial) {
  const auto accuracy = trial.tensor("scalar/accuracy");
  double best = 0;
  for (const ModeStep test : accuracy.steps(Mode::eval)) best = std::max(best, accuracy.scalar(test));
  std::printf("\nThe run has ended: %zu training steps, %zu tests, best accuracy %.1f %%, %zu tensors saved.\n",
              trial.steps(Mode::train).size(), trial.steps(Mode::eval).size(), 100 * best, trial.tensor_names().size());
}

void watch(const char* folder) {
  std::printf("watching %s\n\n", folder);
  std::fflush(stdout);
  const loupe::Trial<> trial(folder, {.open_deadline = patience, .poll_interval = second / 20});
  for (std::int64_t number = 0;; ++number) {
    const ModeStep test(Mode::eval, number);
    try {
      trial.wait_for_steps({test}, patience);
    } catch (const loupe::NoMoreData&) {
      break;
    }
    const auto what_is_known = trial.no_refresh();
    if (number == 0) print_head(trial);
    print_line(trial, test);
  }
  print_summary(trial);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: quickstart_watch OUT_DIR\n");
    return 2;
  }
  try {
    watch(argv[1]);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "quickstart_watch: %s: %s\n", argv[1], problem.what());
    return 1;
  }
}
