// Trains a network on handwritten digits and lets loupe save what it looks like inside.
//
//   quickstart_train DIGITS_CSV OUT_DIR

#include <cstdio>
#include <exception>
#include <loupe/frameworks/xtensor.hpp>
#include <loupe/hook.hpp>
#include <stdexcept>
#include <string>

#include "digits.hpp"
#include "mlp.hpp"

namespace {

constexpr int steps = 1500;
constexpr int look_every = 50;  // steps from one look at the network's inside, and from one test, to the next

/// What is saved, and when: the losses at every step, the rest only now and then.
loupe::HookConfig what_to_save(const char* out_dir) {
  using enum loupe::Statistic;
  return {
      .out_dir = loupe::Text(out_dir),
      .save = {.interval = look_every},
      .collections =
          {
              {.name = "losses", .include_regex = {"^loss$"}, .save = loupe::SaveConfig{.interval = 1}},
              {.name = "weights",
               .include_regex = {"^fc.*weight"},
               .reductions = loupe::ReductionConfig{.statistics = {min, max, mean, std, l2}}},
              {.name = "gradients",
               .include_regex = {"^gradient/"},
               .reductions = loupe::ReductionConfig{.statistics = {l2, abs_max}}},
              {.name = "biases", .include_regex = {"^fc.*bias"}},
              {.name = "activations", .include_regex = {"^activation/"}},
          },
  };
}

void train(const Digits& digits, const char* out_dir) {
  const auto [training, test] = split(digits);
  Mlp network({Digits::pixels, 128, 64, Digits::classes}, 1);
  Sgd sgd(0.01F, 0.9F);
  Batches batches(training, 32, 2);

  loupe::Hook<loupe::frameworks::Xtensor> hook(what_to_save(out_dir));
  std::printf("training on %zu digits, testing on %zu\n", training.size(), test.size());
  std::fflush(stdout);

  for (int number = 0; number < steps; ++number) {
    {
      auto step = hook.step(loupe::Mode::train);  // closes itself
      const Digits batch = batches.next();
      const Forward pass = network.forward(batch.images, batch.labels);
      const std::vector<Parameters> gradients = network.backward(pass, batch.labels);

      step.save("loss", pass.loss);
      for (std::size_t layer = 0; layer < gradients.size(); ++layer) {
        const std::string name = "fc" + std::to_string(layer + 1);
        step.save(name + ".weight", network.layers[layer].weight)
            .save(name + ".bias", network.layers[layer].bias)
            .save("gradient/" + name + ".weight", gradients[layer].weight)
            .save("gradient/" + name + ".bias", gradients[layer].bias)
            .save("activation/" + name, pass.activations[layer + 1]);
      }
      sgd.apply(network, gradients);
    }
    if (number % look_every == 0) {
      auto step = hook.step(loupe::Mode::eval);
      const Forward pass = network.forward(test.images, test.labels);
      step.save("loss", pass.loss).scalar("accuracy", pass.accuracy);
    }
  }
  hook.close();
  // A hook never stops a training: what it could not save it counts, and says once why.
  if (hook.failures().count > 0) throw std::runtime_error("the training went well, but not all of it could be saved");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: quickstart_train DIGITS_CSV OUT_DIR\n");
    return 2;
  }
  try {
    train(read_digits(argv[1]), argv[2]);
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "quickstart_train: %s\n", problem.what());
    return 1;
  }
}
