#pragma once
/// @file
/// CheckInputImages: input images that were not normalised to zero mean (rules.md 5.16).

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/rules/builtin/tensor_rule.hpp"
#include "loupe/rules/elements.hpp"
#include "loupe/rules/parameters.hpp"
#include "loupe/rules/per_tensor.hpp"
#include "loupe/rules/tensors.hpp"

namespace loupe::inline LOUPE_ABI::rules {

struct CheckInputImagesParameters {
  double threshold_mean = 0.2;           ///< by how much the mean of a channel may differ from 0
  std::int64_t threshold_samples = 500;  ///< images to see before anything is judged
  Text regex = ".*hybridsequential0_input_0";
  std::int64_t channel = 1;              ///< the axis of the colour channels

  void visit(ParameterVisitor& visitor) {
    visitor.number("threshold_mean", threshold_mean, at_least(0));
    visitor.integer("threshold_samples", threshold_samples, at_least(1));
    visitor.text("regex", regex);
    visitor.integer("channel", channel, between(0, static_cast<double>(max_rank - 1)));
  }
};

/// Keeps the mean of each channel over all images seen, counted on axis 0, or one a tensor if that is the channels' axis;
/// fires, from `threshold_samples` images on, if one differs too much from 0. Pixels that are not finite are left out.
class CheckInputImages : public TensorRule<CheckInputImages> {
 public:
  static constexpr std::string_view name = "CheckInputImages";
  using Parameters = CheckInputImagesParameters;
  explicit CheckInputImages(Parameters parameters = {}) : parameters_(std::move(parameters)), images_(Tensors::matching(parameters_.regex)) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  [[nodiscard]] result<void> check() const { return images_.check(); }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    return images_.decide(tensor, directory) ? wants_elements() : Wanted{};
  }
  Outcome judge(const Evidence& images, Findings& findings) {
    const auto channel = static_cast<std::size_t>(parameters_.channel);
    if (!has_real_elements(images.value) || images.value.size() == 0) return Outcome::no_data;
    if (images.value.rank() <= channel) {
      findings.warn(images.tensor.name, "was not judged: it has no axis of that number for its channels");
      return Outcome::no_data;
    }
    Seen& seen = seen_.of(images);
    const auto channels = static_cast<std::size_t>(images.value.shape[channel]);
    if (seen.channels.size() != channels) seen = {0, std::vector<Channel>(channels)};
    seen.images += channel == 0 ? 1 : images.value.shape[0];
    add_pixels(images, channel, seen.channels, findings);
    if (seen.images < parameters_.threshold_samples) return Outcome::clear;
    const auto worst = std::max_element(seen.channels.begin(), seen.channels.end(),
                                        [](const Channel& a, const Channel& b) { return std::abs(a.mean) < std::abs(b.mean); });
    if (!(std::abs(worst->mean) > parameters_.threshold_mean)) return Outcome::clear;
    findings.add(images, worst->mean, parameters_.threshold_mean,
                 Text::join({"is the mean of channel ", to_text(worst - seen.channels.begin()).view(), " over ",
                             to_text(seen.images).view(), " images, which should be near 0"}));
    return Outcome::fired;
  }

 private:
  struct Channel {
    std::int64_t pixels = 0;
    double mean = 0;
  };
  struct Seen {
    std::int64_t images = 0;
    std::vector<Channel> channels;
  };

  void add_pixels(const Evidence& images, std::size_t channel, std::vector<Channel>& channels, Findings& findings) {
    std::int64_t plane = 1;  // pixels of one channel that follow one another
    for (std::size_t axis = channel + 1; axis < images.value.rank(); ++axis) plane *= images.value.shape[axis];
    sums_.assign(channels.size(), {});
    std::int64_t pixel = 0;
    std::size_t at = 0;
    bool has_bad_pixels = false;
    for_each_element(images.value, [&](auto element) {
      const auto number = static_cast<double>(element);
      if (std::isfinite(number)) {
        sums_[at].mean += number;  // the sum, divided below
        ++sums_[at].pixels;
      } else {
        has_bad_pixels = true;
      }
      if (++pixel < plane) return;
      pixel = 0;
      if (++at == channels.size()) at = 0;
    });
    if (has_bad_pixels) findings.warn(images.tensor.name, "has pixels that are not finite; they were left out");
    for (std::size_t index = 0; index < channels.size(); ++index) {
      const Channel& step = sums_[index];
      if (step.pixels == 0) continue;
      Channel& all = channels[index];
      all.pixels += step.pixels;
      const double step_mean = step.mean / static_cast<double>(step.pixels);
      all.mean += (step_mean - all.mean) * (static_cast<double>(step.pixels) / static_cast<double>(all.pixels));
    }
  }

  Parameters parameters_;
  Tensors images_;
  PerTensor<Seen> seen_;
  std::vector<Channel> sums_;
};

inline CheckInputImages check_input_images(CheckInputImagesParameters parameters = {}) { return CheckInputImages(std::move(parameters)); }

}  // namespace loupe::inline LOUPE_ABI::rules
