#pragma once
/// @file
/// The collections of a trial, as the run's hooks exported them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/select/collection_set.hpp"
#include "loupe/select/name_filter.hpp"
#include "loupe/storage/any_storage.hpp"
#include "loupe/trial/follower.hpp"

namespace loupe::inline LOUPE_ABI {

/// Collections and workers of a trial; constant once loaded, so any thread may ask.
class TrialCollections {
 public:
  /// Waits for the collections files of all workers and reads the first one that is sound. `missing_collection_files` if
  /// the run has ended without them, `timeout` at the deadline. With `strict`, a damaged file is an error.
  LOUPE_DECL static result<TrialCollections> load(const AnyStorage& storage, const WaitSettings& wait, std::int64_t deadline,
                                                  PatternCompiler engine, bool strict);

  /// In the order of the file.
  [[nodiscard]] const CollectionSet& all() const noexcept { return collections_; }
  /// Whether a tensor belongs to a collection: it is listed there, or a pattern is found in its name.
  [[nodiscard]] LOUPE_DECL bool contains(std::string_view collection, std::string_view tensor) const;
  /// Names of the workers that wrote a collections file, sorted.
  [[nodiscard]] const std::vector<Text>& workers() const noexcept { return workers_; }
  /// How many workers save, as the file says.
  [[nodiscard]] std::int64_t num_workers() const noexcept { return num_workers_; }
  /// Files and patterns that could not be used.
  [[nodiscard]] const std::vector<Error>& problems() const noexcept { return problems_; }

 private:
  CollectionSet collections_;
  std::vector<NameFilter> filters_;  ///< of the collections, in their order
  std::vector<Text> workers_;
  std::vector<Error> problems_;
  std::int64_t num_workers_ = 1;
};

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/trial/trial_collections.ipp"
#endif
