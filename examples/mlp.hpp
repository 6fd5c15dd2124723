#pragma once
/// @file
/// A multilayer perceptron and how it learns, on xtensor. It knows nothing of loupe.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>
#include <xtensor/xmath.hpp>
#include <xtensor/xtensor.hpp>

using Matrix = xt::xtensor<float, 2>;
using Vector = xt::xtensor<float, 1>;

/// The product of two matrices. The inner loop walks along rows, so the compiler can vectorise it.
inline Matrix product(const Matrix& a, const Matrix& b) {
  const std::size_t rows = a.shape(0), inner = a.shape(1), columns = b.shape(1);
  Matrix out = xt::zeros<float>({rows, columns});
  for (std::size_t row = 0; row < rows; ++row) {
    float* const sums = out.data() + row * columns;
    for (std::size_t k = 0; k < inner; ++k) {
      const float factor = a.data()[row * inner + k];
      const float* const other = b.data() + k * columns;
      for (std::size_t column = 0; column < columns; ++column) sums[column] += factor * other[column];
    }
  }
  return out;
}

/// Each row as probabilities: exponentials that sum up to 1. The largest is taken off first, so that none overflows.
inline Matrix softmax(const Matrix& logits) {
  Matrix out = logits;
  const std::size_t classes = out.shape(1);
  for (float* row = out.data(); row != out.data() + out.size(); row += classes) {
    const float largest = *std::max_element(row, row + classes);
    float sum = 0;
    for (std::size_t k = 0; k < classes; ++k) sum += row[k] = std::exp(row[k] - largest);
    for (std::size_t k = 0; k < classes; ++k) row[k] /= sum;
  }
  return out;
}

/// What a layer learns; gradients have the same form.
struct Parameters {
  Matrix weight;  ///< [inputs, outputs]
  Vector bias;    ///< [outputs]
};

/// What comes out of the network for a batch, and what lay on the way.
struct Forward {
  std::vector<Matrix> activations;  ///< of each layer, behind the input itself; the last are the logits
  Matrix probabilities;             ///< [batch, classes]
  float loss = 0;                   ///< mean cross entropy
  float accuracy = 0;               ///< share of the batch whose most probable class is right
};

/// Fully connected layers, ReLU between them, softmax and cross entropy behind the last.
class Mlp {
 public:
  std::vector<Parameters> layers;

  /// `sizes`: inputs, units of each hidden layer, classes. Weights begin as uniform random numbers after He.
  Mlp(const std::vector<std::size_t>& sizes, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    for (std::size_t layer = 0; layer + 1 < sizes.size(); ++layer) {
      const float limit = std::sqrt(6.0F / static_cast<float>(sizes[layer]));
      Matrix weight = Matrix::from_shape({sizes[layer], sizes[layer + 1]});
      for (float& element : weight)
        element = limit * (static_cast<float>(random() >> 40) / static_cast<float>(1 << 23) - 1.0F);
      layers.push_back({std::move(weight), xt::zeros<float>({sizes[layer + 1]})});
    }
  }

  [[nodiscard]] Forward forward(const Matrix& input, const std::vector<std::size_t>& labels) const {
    Forward pass;
    pass.activations.push_back(input);
    for (const auto& [weight, bias] : layers) {
      const Matrix sums = product(pass.activations.back(), weight) + bias;
      const bool is_last = pass.activations.size() == layers.size();
      pass.activations.push_back(is_last ? sums : Matrix(xt::maximum(sums, 0.0F)));
    }
    pass.probabilities = softmax(pass.activations.back());
    for (std::size_t row = 0; row < labels.size(); ++row) {
      const float right = pass.probabilities(row, labels[row]);
      const float* const first = &pass.probabilities(row, 0);
      pass.loss -= std::log(right);
      pass.accuracy += right == *std::max_element(first, first + pass.probabilities.shape(1)) ? 1.0F : 0.0F;
    }
    pass.loss /= static_cast<float>(labels.size());
    pass.accuracy /= static_cast<float>(labels.size());
    return pass;
  }

  /// The gradients of the loss with respect to each layer's parameters.
  [[nodiscard]] std::vector<Parameters> backward(const Forward& pass, const std::vector<std::size_t>& labels) const {
    Matrix delta = pass.probabilities;  // of the loss with respect to a layer's sums, from the last layer to the first
    for (std::size_t row = 0; row < labels.size(); ++row) delta(row, labels[row]) -= 1.0F;
    delta /= static_cast<float>(labels.size());

    std::vector<Parameters> gradients(layers.size());
    for (std::size_t layer = layers.size(); layer-- > 0;) {
      const Matrix& input = pass.activations[layer];
      gradients[layer] = {product(xt::transpose(input), delta), xt::sum(delta, {0})};
      if (layer > 0) delta = product(delta, xt::transpose(layers[layer].weight)) * xt::cast<float>(input > 0.0F);
    }
    return gradients;
  }
};

/// Stochastic gradient descent with momentum.
class Sgd {
 public:
  Sgd(float rate, float momentum) : rate_(rate), momentum_(momentum) {}

  /// Moves the network's parameters against the gradients.
  void apply(Mlp& network, const std::vector<Parameters>& gradients) {
    if (velocity_.empty()) {
      velocity_ = gradients;
      for (auto& [weight, bias] : velocity_) {
        weight.fill(0.0F);
        bias.fill(0.0F);
      }
    }
    for (std::size_t layer = 0; layer < gradients.size(); ++layer) {
      auto& [weight, bias] = velocity_[layer];
      weight = momentum_ * weight - rate_ * gradients[layer].weight;
      bias = momentum_ * bias - rate_ * gradients[layer].bias;
      network.layers[layer].weight += weight;
      network.layers[layer].bias += bias;
    }
  }

 private:
  float rate_;
  float momentum_;
  std::vector<Parameters> velocity_;
};
