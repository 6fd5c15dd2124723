#pragma once
/// @file
/// Where everything of a trial lies, and what its names mean (format.md sections 1, 2 and 8): the only place that knows.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/mode.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/text.hpp"

namespace loupe::inline LOUPE_ABI::format {

inline constexpr std::string_view index_prefix = "index/";
inline constexpr std::string_view events_prefix = "events/";
inline constexpr std::string_view collections_prefix = "collections/000000000/";
/// TensorBoard's files, unless they have a directory of their own.
inline constexpr std::string_view tensorboard_prefix = "tensorboard/";
/// Where each of several workers says that it has closed; of loupe's own.
inline constexpr std::string_view closed_prefix = "loupe/closed/";
inline constexpr std::string_view end_marker_key = "training_job_end.ts";
inline constexpr std::string_view claim_key = "claim.smd";

/// Index files of so many step numbers share a directory.
inline constexpr std::int64_t steps_per_bucket = 1000;

/// `events/<step>/<step>_<worker>.tfevents`. The worker is given as in files, escaped.
LOUPE_DECL Text event_key(std::int64_t step, std::string_view worker);
/// `index/<bucket>/<step>_<worker>.json`.
LOUPE_DECL Text index_key(std::int64_t step, std::string_view worker);
/// `collections/000000000/<worker>_collections.json`.
LOUPE_DECL Text collections_key(std::string_view worker);
/// `<MODE>/<step>_<pid>_<hostname>.tfevents`, relative to the TensorBoard directory.
LOUPE_DECL Text tensorboard_key(Mode mode, std::int64_t step, std::string_view process_on_host);

/// How smdebug makes a device's name fit into a file name: `/` → `_`, then `:` → `-`.
LOUPE_DECL Text escape_worker(std::string_view device);
/// The other way: `_` → `/`, then `-` → `:`. Names with `_` or `-` of their own don't come back.
LOUPE_DECL std::string unescape_worker(std::string_view name);
/// Refuses names of workers that make no file name, or one that readers would take for another: empty, longer than 200
/// bytes, with `/` or NUL, or with `__` behind the first letter.
LOUPE_DECL result<void> check_worker(std::string_view worker);

/// When a worker's name in a file is taken to be an escaped device.
enum class WorkerNames : std::uint8_t {
  escaped_by_first_letter,  ///< if it begins with `_`
  escaped_by_path,          ///< as smdebug: if `__` stands anywhere in the path (semantics.md 19-15)
};

/// What the name of an index or event file says.
struct StepWorker {
  std::int64_t step = 0;
  std::string worker;  ///< un-escaped
};
/// Reads the name of an index file (`.json`, or `.csv` of old); `index_reader` if it isn't one.
LOUPE_DECL result<StepWorker> parse_index_key(std::string_view key, WorkerNames names = WorkerNames::escaped_by_first_letter);
/// Reads the name of an event file.
LOUPE_DECL result<StepWorker> parse_event_key(std::string_view key, WorkerNames names = WorkerNames::escaped_by_first_letter);
/// The worker of a collections file, or nothing if the name is of something else.
LOUPE_DECL std::optional<std::string> parse_collections_key(std::string_view key);

/// What the names of scalars begin with.
inline constexpr std::string_view scalar_prefix = "scalar/";
/// What marks the names of reductions.
inline constexpr std::string_view reduction_prefix = "smdebug/reductions/";

/// Whether `:<digits>` is deleted from a tensor's name when its reductions are named; only TensorFlow's hooks keep it.
enum class ColonIndex : std::uint8_t { remove, keep };

/// Appends `smdebug/reductions/<operation>/<tensor>`; `operation` is a statistic's name such as `abs_l2`.
LOUPE_DECL void append_reduction_name(ByteBuffer& out, std::string_view operation, std::string_view tensor,
                                      ColonIndex colon = ColonIndex::remove);

/// A reduction's name taken apart. The parts view the name; `operation` is without `abs_`.
struct ReductionName {
  std::string_view operation;
  bool absolute = false;
  std::string_view tensor;
};
/// Nothing if the name is of a tensor itself.
LOUPE_DECL std::optional<ReductionName> split_reduction_name(std::string_view name) noexcept;

/// A TensorBoard tag of a name (format.md section 9): what is no letter or digit of any script, `_`, `-`, `/` or `.`
/// becomes `_`; leading slashes go.
LOUPE_DECL Text clean_tag(std::string_view name);

}  // namespace loupe::inline LOUPE_ABI::format

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/format/layout.ipp"
#endif
