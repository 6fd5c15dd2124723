#include "loupe/capture/hook_ref.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/catch.hpp"

using loupe::HookRef;
using loupe::ProbeName;
using loupe::ProbeTarget;
using loupe::ProbeTensor;

namespace {

struct Seen {
  std::string name;
  loupe::ElementType type;
  std::vector<std::int64_t> shape;
  const void* data;
};

ProbeTarget listener(std::vector<Seen>& seen) {
  ProbeTarget target;
  target.armed = true;
  target.context = &seen;
  target.save = [](void* context, ProbeName name, const ProbeTensor& tensor) noexcept {
    static_cast<std::vector<Seen>*>(context)->push_back(
        {std::string(name.data, name.size), tensor.type, {tensor.shape, tensor.shape + tensor.rank}, tensor.data});
  };
  return target;
}

}  // namespace

TEST_CASE("a detached probe takes every call and does nothing") {
  const HookRef probe;
  const float number = 1;
  CHECK_FALSE(probe.armed());
  probe("layer/out", &number, 1);
}

TEST_CASE("an armed probe hands over name, type, shape and memory, and none of it while disarmed") {
  std::vector<Seen> seen;
  ProbeTarget target = listener(seen);
  const HookRef probe(target);
  const std::vector<float> activations{1, 2, 3};
  const double matrix[6] = {};
  const std::int64_t shape[] = {2, 3};
  probe("layer/out", activations.data(), activations.size());
  probe(std::string("layer/matrix"), matrix, shape, 2);
  target.armed = false;
  probe(std::string_view("layer/later"), matrix, 6);
  REQUIRE(seen.size() == 2);
  CHECK(seen[0].name == "layer/out");
  CHECK(seen[0].type == loupe::ElementType::float32);
  CHECK(seen[0].shape == std::vector<std::int64_t>{3});
  CHECK(seen[0].data == activations.data());
  CHECK(seen[1].name == "layer/matrix");
  CHECK(seen[1].shape == std::vector<std::int64_t>{2, 3});
}
