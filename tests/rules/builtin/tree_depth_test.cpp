#include "loupe/rules/builtin/tree_depth.hpp"

#include <cstdint>
#include <vector>

#include "support/catch.hpp"
#include "support/step_stage.hpp"

using loupe::rules::tree_depth;
using loupe::rules::TreeDepth;
using Numbers = std::vector<std::int64_t>;

TEST_CASE("the depth of a tree is the binary logarithm of its largest node") {
  CHECK(TreeDepth::depth_of(0) == 0);
  CHECK(TreeDepth::depth_of(2) == 1);
  CHECK(TreeDepth::depth_of(30) == 4);
  CHECK(TreeDepth::depth_of(31) == 4);
  CHECK(TreeDepth::depth_of(62) == 5);
}

TEST_CASE("a tree deeper than is let pass fires, told apart by the table's trees") {
  StepStage stage(tree_depth());
  CHECK_FALSE(stage.step().show("trees/Node", Numbers{0, 31}).fires());
  CHECK(stage.step().show("trees/Tree", Numbers{0, 0, 1, 1}).show("trees/Node", Numbers{0, 1, 0, 62}).fires());
  CHECK(stage.firing().total == 1);
  CHECK(stage.violation().value == 5);
  CHECK(stage.violation().reason.view().ends_with("tree 1"));
}

TEST_CASE("trees that are all shallower fire if that is asked for") {
  StepStage stage(tree_depth({.depth = 3, .direction = "shallower"}));
  CHECK(stage.step().show("tree/Tree", Numbers{0, 1}).show("tree/Node", Numbers{3, 6}).fires());
  CHECK_FALSE(stage.step().show("tree/Tree", Numbers{0, 1}).show("tree/Node", Numbers{3, 8}).fires());
}

TEST_CASE("numbers that are no nodes are left out") {
  StepStage stage(tree_depth());
  CHECK_FALSE(stage.step().show("trees/Node", std::vector<double>{-1, 0.5, 1e300}).fires());
  CHECK(stage.record().warnings.size() == 1);
}
