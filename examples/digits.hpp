#pragma once
/// @file
/// Handwritten digits: reading them from a file, and handing them out in shuffled batches.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <xtensor/xtensor.hpp>

/// Images, one a row, and the digit that each of them shows.
struct Digits {
  static constexpr std::size_t pixels = 64;
  static constexpr std::size_t classes = 10;

  xt::xtensor<float, 2> images;  ///< [count, pixels], from 0 (white) to 1 (black)
  std::vector<std::size_t> labels;

  [[nodiscard]] std::size_t size() const { return labels.size(); }

  /// The digits of the given numbers.
  [[nodiscard]] Digits pick(const std::vector<std::size_t>& numbers) const {
    Digits picked{xt::xtensor<float, 2>::from_shape({numbers.size(), pixels}), {}};
    for (const std::size_t number : numbers) {
      for (std::size_t pixel = 0; pixel < pixels; ++pixel) picked.images(picked.size(), pixel) = images(number, pixel);
      picked.labels.push_back(labels[number]);
    }
    return picked;
  }
};

/// Reads lines of 64 pixels from 0 to 16 and a digit, separated by commas. Throws std::runtime_error with the line's
/// number if one is something else.
inline Digits read_digits(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path + " can't be read");
  std::vector<float> pixels;
  std::vector<std::size_t> labels;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    const auto refuse = [&](std::string_view why) {
      throw std::runtime_error(path + ", line " + std::to_string(number) + ": " + std::string(why));
    };
    const char* at = line.data();
    const char* const end = at + line.size();
    for (std::size_t column = 0; column <= Digits::pixels; ++column) {
      unsigned value = 0;
      const auto [rest, error] = std::from_chars(at, end, value);
      const bool is_last = column == Digits::pixels;
      if (error != std::errc() || (is_last ? rest != end : rest == end || *rest != ','))
        refuse("expected 64 pixels and a digit, separated by commas");
      if (value > (is_last ? 9U : 16U)) refuse(is_last ? "the digit is above 9" : "a pixel is above 16");
      if (is_last) labels.push_back(value);
      else pixels.push_back(static_cast<float>(value) / 16.0F);
      at = rest + (is_last ? 0 : 1);
    }
  }
  if (labels.empty()) throw std::runtime_error(path + " holds no digits");
  Digits digits{xt::xtensor<float, 2>::from_shape({labels.size(), Digits::pixels}), std::move(labels)};
  std::copy(pixels.begin(), pixels.end(), digits.images.begin());
  return digits;
}

/// Every fifth digit is kept back for testing.
struct DigitsSplit {
  Digits training;
  Digits test;
};

inline DigitsSplit split(const Digits& digits) {
  std::vector<std::size_t> training;
  std::vector<std::size_t> test;
  for (std::size_t number = 0; number < digits.size(); ++number) (number % 5 == 4 ? test : training).push_back(number);
  return {digits.pick(training), digits.pick(test)};
}

/// An endless stream of batches: all digits once in random order, then again in another. The generator's own
/// arithmetic decides the order, not a library's distribution, so that every platform trains alike.
class Batches {
 public:
  Batches(const Digits& digits, std::size_t batch_size, std::uint64_t seed)
      : digits_(digits),
        batch_size_(batch_size),
        random_(seed),
        position_(digits.size()) {
    for (std::size_t number = 0; number < digits.size(); ++number) order_.push_back(number);
  }

  Digits next() {
    std::vector<std::size_t> numbers;
    while (numbers.size() < batch_size_) {
      if (position_ == order_.size()) shuffle();
      numbers.push_back(order_[position_++]);
    }
    return digits_.pick(numbers);
  }

 private:
  void shuffle() {
    for (std::size_t last = order_.size() - 1; last > 0; --last)
      std::swap(order_[last], order_[random_() % (last + 1)]);
    position_ = 0;
  }

  const Digits& digits_;
  std::size_t batch_size_;
  std::mt19937_64 random_;
  std::vector<std::size_t> order_;
  std::size_t position_;
};
