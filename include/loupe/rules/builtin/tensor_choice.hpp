#pragma once
/// @file
/// The parameters by which many rules choose their tensors (rules.md section 3).

#include <string_view>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/rules/parameters.hpp"
#include "loupe/rules/tensors.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// Tensors by collection and by pattern: the union of both.
struct TensorChoice {
  std::vector<Text> collection_names = {};
  std::vector<Text> tensor_regex = {};

  void visit(ParameterVisitor& visitor) {
    visitor.list("collection_names", collection_names);
    visitor.list("tensor_regex", tensor_regex);
  }
  [[nodiscard]] bool empty() const noexcept { return collection_names.empty() && tensor_regex.empty(); }
  [[nodiscard]] Tensors tensors() const { return Tensors(collection_names, tensor_regex); }
};

namespace detail {
/// For rules that don't look at all tensors if none are chosen.
inline unexpected<Error> nothing_chosen(std::string_view rule) {
  return fail(ErrorKind::insufficient_information_for_rule_invocation, rule,
              "one of collection_names and tensor_regex must be given");
}
}  // namespace detail

}  // namespace loupe::inline LOUPE_ABI::rules
