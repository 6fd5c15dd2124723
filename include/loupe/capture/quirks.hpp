#pragma once
/// @file
/// What a hook does differently to write exactly what smdebug writes (semantics.md section 19).

#include "loupe/base/compatibility.hpp"
#include "loupe/base/config.hpp"
#include "loupe/capture/resume_policy.hpp"

namespace loupe::inline LOUPE_ABI {

/// The differences between loupe's capture and smdebug's. The defaults are loupe's.
struct CaptureQuirks {
  /// Scalars wait for the next file that is closed, and get its step and mode (6.3, 19-6). Else: those they were given in.
  bool scalars_wait = false;
  /// Custom tensors wait for `flush_custom`, only the last of their collections counts, raw values only (6.4, 19-19).
  bool custom_tensors_wait = false;
  /// A shape is indexed even where the raw tensor of the same step has it (19-1).
  bool shape_beside_raw = false;
  /// The collections file is written at the step after the first saved one, not with it (6.5).
  bool late_collections_file = false;
  /// A change of mode takes effect in the open step (section 1), not at the next one.
  bool mode_changes_open_step = false;
  /// Element types that Python can't read are written all the same (19-2).
  bool exact_element_types = false;
  /// A configuration that names no collections saves the framework's own ones only (5.3). Else: all that is offered.
  bool saves_defaults_only = false;
  /// Of two collections of one name the second counts, and names of collections that don't exist are no error.
  bool any_collection_names = false;
  /// TensorBoard files begin without a version record (format.md section 9).
  bool no_tensorboard_version = false;
  /// The numbering of a mode that is new in a resumed run (19-29).
  ResumedNumbering numbering = ResumedNumbering::from_zero;
  ClaimPolicy claim = ClaimPolicy::take_over_stale;
  EndMarkerPolicy end_marker = EndMarkerPolicy::last_worker;
};

/// The differences of a compatibility policy.
template <compat::Compatibility Policy>
inline constexpr CaptureQuirks capture_quirks = {};
template <>
inline constexpr CaptureQuirks capture_quirks<compat::Smdebug> = {
    .scalars_wait = true,
    .custom_tensors_wait = true,
    .shape_beside_raw = true,
    .late_collections_file = true,
    .mode_changes_open_step = true,
    .exact_element_types = true,
    .saves_defaults_only = true,
    .any_collection_names = true,
    .no_tensorboard_version = true,
    .numbering = ResumedNumbering::smdebug,
    .claim = ClaimPolicy::smdebug,
    .end_marker = EndMarkerPolicy::every_worker,
};

}  // namespace loupe::inline LOUPE_ABI
