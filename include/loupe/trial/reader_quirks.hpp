#pragma once
/// @file
/// What a trial does differently to answer exactly as smdebug does (semantics.md section 19).

#include "loupe/base/compatibility.hpp"
#include "loupe/base/config.hpp"

namespace loupe::inline LOUPE_ABI {

/// The differences between loupe's reading and smdebug's. The defaults are loupe's.
struct ReaderQuirks {
  /// One damaged index or collections file fails the whole refresh, and the other files read with it are lost (19-40).
  bool damaged_file_fails_refresh = false;
  /// Each pass lists from the token, although a file may have come before it while the last pass listed (12.1).
  bool lists_from_token = false;
  /// A shape in an index file hides the value of the same tensor in that file (19-1).
  bool shape_hides_value = false;
  /// Of two files that disagree on a step, the one of the tensor that was met first is believed, not the first file.
  bool claims_by_tensor = false;
  /// Two underscores anywhere in a file's path un-escape its worker name (19-15, 19-16).
  bool double_underscore_unescapes = false;
  /// The window of incomplete steps compares their count with a step number (19-14).
  bool window_counts_from_zero = false;
  /// `Tensor::steps` compares the mode step with the last complete global step (19-11).
  bool tensor_steps_by_mode_step = false;
  /// `has_passed_step` fails for an incomplete step of a mode when all is loaded, unless the number is a global step too (19-12).
  bool passed_step_looks_up_mode_step = false;
  /// A scope that turns refreshing on or off sets the opposite at its end, not what was there before (19-13).
  bool scopes_set_opposite = false;
  /// Asking names of a mode that was never seen, or of an unknown mode step, is an error (19-38).
  bool unknown_mode_fails = false;
  /// `inputs`, `labels` and `predictions` take the number for a global step whatever the mode (11.4).
  bool inputs_by_global_step = false;
  /// A record is taken for the tensor that the index says, whatever its own tag.
  bool tags_unchecked = false;
  /// Records must have the constant check word (format.md 3.3); else a true checksum will do as well.
  bool constant_check_word_only = false;
  /// Values are decoded by smdebug's rules: types missing, int8 unsigned, typed fields flat (19-2, format.md 4.6).
  bool smdebug_values = false;
  /// A reduction that neither is saved nor can be computed is reported by its own name, not by the tensor's (13.2).
  bool error_names_reduction = false;
  /// Names of reductions to be computed must be smdebug's, and are checked after the value was found (13.2).
  bool smdebug_reductions_only = false;
};

/// The differences of a compatibility policy.
template <compat::Compatibility Policy>
inline constexpr ReaderQuirks reader_quirks = {};
template <>
inline constexpr ReaderQuirks reader_quirks<compat::Smdebug> = {
    .damaged_file_fails_refresh = true,
    .lists_from_token = true,
    .shape_hides_value = true,
    .claims_by_tensor = true,
    .double_underscore_unescapes = true,
    .window_counts_from_zero = true,
    .tensor_steps_by_mode_step = true,
    .passed_step_looks_up_mode_step = true,
    .scopes_set_opposite = true,
    .unknown_mode_fails = true,
    .inputs_by_global_step = true,
    .tags_unchecked = true,
    .constant_check_word_only = true,
    .smdebug_values = true,
    .error_names_reduction = true,
    .smdebug_reductions_only = true,
};

}  // namespace loupe::inline LOUPE_ABI
