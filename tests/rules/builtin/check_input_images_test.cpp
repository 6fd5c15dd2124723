#include "loupe/rules/builtin/check_input_images.hpp"

#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::rules::check_input_images;

namespace {

/// So many images of 3 channels of 2 pixels, the last channel with a mean of its own.
std::vector<float> images(std::int64_t count, float last_mean) {
  std::vector<float> pixels;
  for (std::int64_t image = 0; image < count; ++image) pixels.insert(pixels.end(), {1, -1, 1, -1, last_mean + 1, last_mean - 1});
  return pixels;
}
constexpr const char* name = "hybridsequential0_input_0";

}  // namespace

TEST_CASE("images whose channel has a mean other than 0 fire from the 500th on, not before") {
  StepStage stage(check_input_images());
  CHECK_FALSE(stage.step().show(name, images(499, 0.3F), {499, 3, 1, 2}).fires());
  CHECK(stage.step().show(name, images(1, 0.3F), {1, 3, 1, 2}).fires());
  CHECK(stage.violation().value == Approx(0.3));
  CHECK(stage.violation().reason.view().find("channel 2 over 500 images") != std::string_view::npos);
}

TEST_CASE("normalised images don't fire, nor do ones without such an axis") {
  StepStage stage(check_input_images({.threshold_samples = 1}));
  CHECK_FALSE(stage.step().show(name, images(4, 0.1F), {4, 3, 1, 2}).fires());
  CHECK_FALSE(stage.step().show(name, std::vector<float>{5, 5}).fires());
  CHECK(stage.record().warnings.size() == 1);
}

TEST_CASE("pixels that are not finite are left out, and another number of channels starts afresh") {
  StepStage stage(check_input_images({.threshold_samples = 1}));
  CHECK_FALSE(stage.step().show(name, std::vector<float>{std::numeric_limits<float>::infinity(), 0}, {1, 1, 2}).fires());
  CHECK(stage.record().warnings.size() == 1);
  CHECK(stage.step().show(name, std::vector<float>{1, 0}, {1, 2, 1}).fires());
}

TEST_CASE("channels may be the first axis, then a tensor is one image") {
  StepStage stage(check_input_images({.threshold_samples = 2, .channel = 0}));
  CHECK_FALSE(stage.step().show(name, std::vector<float>{1, 1}, {1, 2}).fires());
  CHECK(stage.step().show(name, std::vector<float>{1, 1}, {1, 2}).fires());
}
