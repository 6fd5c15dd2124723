#include "loupe/rules/node_activity.hpp"

#include <vector>

#include "support/catch.hpp"

using loupe::ElementType;
using loupe::TensorView;
using loupe::rules::NodeActivity;

namespace {

const auto is_positive = [](double value) { return value > 0; };

}  // namespace

TEST_CASE("a node is a place over all axes but the first, which counts samples") {
  const std::vector<float> numbers{1, 0, 0, 1, 0, 0};
  NodeActivity rows;
  rows.add(TensorView(numbers.data(), ElementType::float32, {2, 3}), 1, is_positive);
  CHECK(rows.nodes() == 3);
  CHECK(rows.inactive_nodes(1) == 2);
  CHECK(rows.inactive_nodes(100) == 2);
  NodeActivity line;
  line.add(TensorView(numbers.data(), ElementType::float32, {6}), 1, is_positive);
  CHECK(line.nodes() == 6);
  CHECK(line.inactive_nodes(1) == 4);
}

TEST_CASE("samples of the last steps count, and none of before the layer changed its size") {
  const std::vector<float> active{1, 1};
  const std::vector<float> idle{0, 0};
  NodeActivity nodes;
  const auto add = [&](const std::vector<float>& numbers, loupe::Shape shape) {
    nodes.add(TensorView(numbers.data(), ElementType::float32, shape), 2, is_positive);
  };
  add(active, {1, 2});
  add(idle, {1, 2});
  CHECK(nodes.inactive_nodes(50) == 0);
  CHECK(nodes.inactive_nodes(51) == 2);
  add(idle, {1, 2});
  CHECK(nodes.inactive_nodes(1) == 2);
  add(active, {2, 1});
  CHECK(nodes.nodes() == 1);
  CHECK(nodes.inactive_nodes(100) == 0);
}
