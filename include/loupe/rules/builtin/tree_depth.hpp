#pragma once
/// @file
/// TreeDepth: trees of a boosted model that are too deep (rules.md 5.19).

#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/rules/elements.hpp"
#include "loupe/rules/parameters.hpp"
#include "loupe/rules/rule.hpp"
#include "loupe/rules/tensors.hpp"

namespace loupe::inline LOUPE_ABI::rules {

struct TreeDepthParameters {
  double depth = 4;
  Text direction = "deeper";  ///< `deeper`: fires if a tree is deeper; `shallower`: if all trees are less deep

  void visit(ParameterVisitor& visitor) {
    visitor.number("depth", depth, above(0));
    static constexpr std::string_view directions[] = {"deeper", "shallower"};
    visitor.word("direction", direction, directions);
  }
};

/// Takes the depth of a tree from its largest node number, counted breadth-first: the binary logarithm, rounded down.
/// Looks at the column `Node` of the tables of trees (`trees/Node`, `tree/Node`), and at `Tree` to tell trees apart;
/// without that all nodes are one tree's.
class TreeDepth {
 public:
  static constexpr std::string_view name = "TreeDepth";
  using Parameters = TreeDepthParameters;
  explicit TreeDepth(Parameters parameters = {}) : parameters_(std::move(parameters)) {}

  void visit(ParameterVisitor& visitor) { parameters_.visit(visitor); }
  Wanted wants(const TensorName& tensor, const Directory& directory) {
    const bool is_node = nodes_.decide(tensor, directory);
    return trees_.decide(tensor, directory) || is_node ? wants_elements() : Wanted{};
  }
  void look(const Evidence& column, Findings& findings) {
    if (!has_real_elements(column.value) || column.value.size() == 0) return;
    findings.count_datapoint();
    Columns& columns = columns_[Text(column.worker)];
    std::vector<double>& numbers = nodes_.selects(column.tensor.number) ? columns.nodes : columns.trees;
    if (nodes_.selects(column.tensor.number)) columns.node_column = column.tensor.name;
    append_elements(column.value, numbers);
  }
  Outcome conclude(const StepPlace&, Findings& findings) {
    Outcome outcome = Outcome::no_data;
    for (auto& [worker, columns] : columns_) outcome = std::max(outcome, judge(worker, columns, findings));
    columns_.clear();
    return outcome;
  }
  /// The depth of a tree whose largest node number is given.
  static constexpr std::int64_t depth_of(std::int64_t largest_node) noexcept {
    return largest_node <= 0 ? 0 : static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(largest_node))) - 1;
  }

 private:
  struct Columns {
    Text node_column;
    std::vector<double> nodes, trees;
  };

  Outcome judge(const Text& worker, const Columns& columns, Findings& findings) const {
    std::map<double, std::int64_t> largest;  // by tree
    const bool has_trees = columns.trees.size() == columns.nodes.size();
    for (std::size_t row = 0; row < columns.nodes.size(); ++row) {
      const auto node = whole_number(columns.nodes[row]);
      if (!node || *node < 0) {
        findings.warn(columns.node_column, "has node numbers that are none; they were left out");
        continue;
      }
      const double tree = has_trees && !std::isnan(columns.trees[row]) ? columns.trees[row] : 0;
      std::int64_t& of_tree = largest[tree];
      of_tree = std::max(of_tree, *node);
    }
    if (largest.empty()) return Outcome::no_data;
    const bool is_deeper = parameters_.direction == "deeper";
    Outcome outcome = is_deeper ? Outcome::clear : Outcome::fired;
    for (const auto& [tree, node] : largest) {
      const auto depth = static_cast<double>(depth_of(node));
      if (!is_deeper && !(depth < parameters_.depth)) return Outcome::clear;
      if (is_deeper && depth > parameters_.depth) {
        findings.add({columns.node_column, worker, node, depth, parameters_.depth,
                      Text::join("is the depth of tree ", to_text(whole_number(tree).value_or(0)).view())});
        outcome = Outcome::fired;
      }
    }
    if (!is_deeper) findings.add({columns.node_column, worker, {}, 0, parameters_.depth, "all trees are less deep"});
    return outcome;
  }

  Parameters parameters_;
  Tensors nodes_ = Tensors::matching("^trees?/Node$");
  Tensors trees_ = Tensors::matching("^trees?/Tree$");
  std::map<Text, Columns> columns_;  ///< of the open step, by worker
};

inline TreeDepth tree_depth(TreeDepthParameters parameters = {}) { return TreeDepth(std::move(parameters)); }

}  // namespace loupe::inline LOUPE_ABI::rules
