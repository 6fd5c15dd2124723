#pragma once
/// @file
/// What the hooks of each framework begin with, as data (semantics.md sections 5.2 and 5.3).

#include <cstdint>
#include <span>
#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/select/save_config.hpp"

namespace loupe::inline LOUPE_ABI {

/// A collection that exists without anyone's doing; it may stay empty.
struct DefaultCollection {
  std::string_view name;
  std::string_view pattern = {};  ///< its one regex, if it has one
};

/// A framework's collections, those that are always saved, and its interval.
struct FrameworkDefaults {
  std::string_view name;
  std::span<const DefaultCollection> collections;
  std::span<const std::string_view> always_saved;
  std::int64_t save_interval = default_save_interval;
};

namespace detail {
inline constexpr DefaultCollection pytorch_collections[] = {
    {"all"},
    {"default"},
    {"weights", "^(?!gradient).*weight"},
    {"biases", "^(?!gradient).*bias"},
    {"gradients", "^gradient"},
    {"losses", "[Ll]oss_(?!input).*output"},
};
inline constexpr DefaultCollection mxnet_collections[] = {
    {"all"},
    {"default"},
    {"weights", "^(?!gradient).*weight"},
    {"biases", "^(?!gradient).*bias"},
    {"gradients", "^gradient"},
    {"losses", ".*loss._(?!input).*output"},
};
inline constexpr DefaultCollection tensorflow_collections[] = {
    {"all"},       {"default"}, {"weights"},    {"biases", "^(?!gradient).*bias"},
    {"gradients"}, {"losses"},  {"metrics"},    {"inputs"},
    {"outputs"},   {"layers"},  {"sm_metrics"}, {"optimizer_variables"},
};
inline constexpr DefaultCollection xgboost_collections[] = {
    {"all"},
    {"default"},
    {"hyperparameters", "^hyperparameters/.*$"},
    {"predictions", "^predictions$"},
    {"labels", "^labels$"},
    {"feature_importance", "^feature_importance/.*"},
    {"average_shap", "^average_shap/.*[^/bias]$"},
    {"full_shap", "^full_shap/.*[^/bias]$"},
    {"trees", "^trees/.*"},
    {"metrics", "^[a-zA-z]+-[a-zA-z0-9]+$"},
    {"losses", "^[a-zA-z]+-.+(?<!(auc|map))$"},
};
inline constexpr std::string_view losses_only[] = {"losses"};
inline constexpr std::string_view metrics_only[] = {"metrics"};
inline constexpr std::string_view tensorflow_always[] = {"metrics", "losses", "sm_metrics"};
}  // namespace detail

inline constexpr FrameworkDefaults pytorch_defaults{"pytorch", detail::pytorch_collections, detail::losses_only};
inline constexpr FrameworkDefaults mxnet_defaults{"mxnet", detail::mxnet_collections, detail::losses_only};
/// Those of TensorFlow 2 with eager execution.
inline constexpr FrameworkDefaults tensorflow_defaults{"tensorflow", detail::tensorflow_collections,
                                                       detail::tensorflow_always};
inline constexpr FrameworkDefaults xgboost_defaults{"xgboost", detail::xgboost_collections, detail::metrics_only, 10};
/// Hand-written loops: PyTorch's, whose names they tend to borrow.
inline constexpr FrameworkDefaults frameworkless_defaults{"frameworkless", detail::pytorch_collections,
                                                          detail::losses_only};

/// What smdebug's code knows about some collections by their name.
struct CollectionClasses {
  bool scalar = false;         ///< its tensors are single numbers: TensorBoard scalars, no reductions, no histograms
  bool summaries = false;      ///< ready-made TensorBoard summaries: no reductions, no histograms
  bool training_only = false;  ///< never saved in EVAL and PREDICT
};

/// The classes of a collection; none for names that smdebug doesn't know.
constexpr CollectionClasses collection_classes(std::string_view name) noexcept {
  const auto is_one_of = [name](auto... names) { return ((name == names) || ...); };
  return {.scalar = is_one_of("losses", "metrics", "feature_importance", "average_shap", "sm_metrics"),
          .summaries = is_one_of("tensorflow_summaries"),
          .training_only = is_one_of("gradients", "optimizer_variables")};
}

}  // namespace loupe::inline LOUPE_ABI
