#pragma once
/// @file
/// What a hook is told at construction.

#include <cstdint>
#include <string_view>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/error.hpp"
#include "loupe/base/text.hpp"
#include "loupe/capture/resume_policy.hpp"
#include "loupe/select/collection.hpp"
#include "loupe/select/framework_defaults.hpp"
#include "loupe/select/pattern_compiler.hpp"
#include "loupe/select/reduction_config.hpp"
#include "loupe/select/save_config.hpp"

namespace loupe::inline LOUPE_ABI {

/// Which ranks write: the chief (rank 0) alone, or every one its own files.
enum class IncludeWorkers : std::uint8_t { one, all };

/// What happens when the memory for steps that wait to be written is used up.
enum class Backpressure : std::uint8_t {
  block,        ///< the training thread waits at the begin of the next selected step
  drop,         ///< the step is not captured, and counted
  reduce_only,  ///< the step keeps reductions, shapes and scalars, but no raw tensors; counted
};

/// Receives what a hook reports in words: the first failure of each kind, and a summary at close. Called on the thread
/// that noticed it, the background writer's too. The default writes one line to the standard error stream.
struct ReportSink {
  void (*write)(void* context, std::string_view sentence) = nullptr;
  void* context = nullptr;
};

/// The configuration of a hook. Defaults are smdebug's. A hook checks the values when it is constructed.
struct HookConfig {
  /// Where the trial is written: a folder for `LocalStorage`.
  Text out_dir = {};
  /// When steps are saved: default every 500th step of each mode.
  SaveConfig save = {};
  /// What is saved of each tensor: default the raw tensor.
  ReductionConfig reductions = ReductionConfig::raw_only();
  /// The collections that exist without anyone's doing.
  FrameworkDefaults defaults = frameworkless_defaults;
  /// Collections that are defined or changed, and by that saved. If neither this nor the three below say anything, every
  /// tensor that is offered is saved.
  std::vector<Collection> collections = {};
  /// Further collections to save, by name.
  std::vector<Text> include_collections = {};
  /// Patterns of further tensors to save (Python-like, found anywhere in the name); they make up collection `default`.
  std::vector<Text> include_regex = {};
  /// Saves every tensor.
  bool save_all = false;
  IncludeWorkers include_workers = IncludeWorkers::one;
  /// Writes scalars and histograms for TensorBoard below `<out_dir>/tensorboard`, or to `tensorboard_dir` if given.
  bool export_tensorboard = false;
  Text tensorboard_dir = {};
  /// Goes through the motions without saving tensors.
  bool dry_run = false;
  /// What to do with a folder that already holds a trial.
  ResumePolicy resume = ResumePolicy::refuse;
  /// Where checkpoints are kept: counters are restored from its `metadata.json`, and kept there.
  Text checkpoint_dir = {};
  /// Keeps element types as they are, even those that smdebug's Python reader can't read; default: widens them.
  bool exact_element_types = false;
  Backpressure backpressure = Backpressure::block;
  /// Bytes of encoded steps that may wait for the writer.
  std::uint64_t max_pending_bytes = std::uint64_t{256} << 20;
  /// False: the hook saves nothing and touches nothing, as `USE_SMDEBUG=false` asks for.
  bool enabled = true;
  /// In a SageMaker job the platform writes the end marker, not the hook.
  bool in_sagemaker_job = false;
  /// The engine for patterns that are more than a literal, prefix or suffix; null: loupe's own.
  PatternCompiler pattern_compiler = nullptr;
  ReportSink report = {};
};

}  // namespace loupe::inline LOUPE_ABI
