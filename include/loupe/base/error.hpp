#pragma once
/// @file
/// One vocabulary of errors for the whole library: kinds, their fields, and the sentence they make.

#include <cstdint>
#include <string_view>

#include "loupe/base/config.hpp"
#include "loupe/base/mode.hpp"
#include "loupe/base/text.hpp"

namespace loupe::inline LOUPE_ABI {

/// What went wrong. The first group are smdebug's exceptions (semantics.md section 14), the second what storage,
/// codec and configuration add.
enum class ErrorKind : std::uint8_t {
  tensor_unavailable,           ///< no tensor of that name was ever saved
  tensor_unavailable_for_step,  ///< the tensor has no value at that step; `reason` says why
  shape_unavailable_for_step,
  step_unavailable,             ///< the step was not saved and never will be
  step_not_yet_available,       ///< the run goes on and may still write the step
  no_more_data,                 ///< the run has ended before that step; `last_step` is the largest there is
  no_more_profiler_data,
  invalid_worker,
  missing_collection_files,
  index_reader,                 ///< an index file is unreadable, or a file name is none of the format's
  invalid_collection_configuration,
  rule_evaluation_condition_met,
  insufficient_information_for_rule_invocation,
  invalid_argument,             ///< a value outside what is allowed (smdebug: SMDebugValueError)
  invalid_type,                 ///< a value of the wrong type (smdebug: SMDebugTypeError)
  invalid_state,                ///< the call is not possible now (smdebug: SMDebugRuntimeError)
  not_implemented,
  not_found,                    ///< no such file, object or variable
  already_exists,
  permission_denied,
  no_space,
  io,                           ///< the system refused a read or write; `os_error` is its errno
  corrupt,                      ///< bytes that are not what the format says; `offset` says where
  unsupported,                  ///< the backend or engine can't do this
  limit_exceeded,               ///< larger, longer or deeper than loupe allows
  timeout,
  cancelled,
};

/// Why a value is not there.
enum class Absence : std::uint8_t {
  unspecified,
  not_yet,       ///< the run goes on; it may come
  never_saved,   ///< this tensor was not saved at this step
  only_reduced,  ///< reductions were saved instead of the value
  only_shape,    ///< the shape was saved instead of the value
  lost,          ///< the index names an event file that is not there
  corrupt,       ///< the bytes are there and damaged
};

/// An error with its facts. Which fields are meaningful follows from the kind; the others keep their defaults.
struct Error {
  ErrorKind kind = ErrorKind::invalid_state;
  Text object = {};             ///< what it is about: a tensor, worker, collection, file, key, parameter
  Text detail = {};             ///< what was wrong and, for arguments, what is allowed
  std::int64_t step = -1;       ///< step asked for, in `mode`
  Mode mode = Mode::global;
  std::int64_t last_step = -1;  ///< no_more_data: the largest step of the mode
  std::int64_t offset = -1;     ///< byte offset in the file `object`
  int os_error = 0;             ///< errno of the system call, if one failed
  Absence reason = Absence::unspecified;
  bool has_reductions = false;  ///< tensor_unavailable_for_step: reductions of the tensor can be asked for

  /// The whole sentence.
  [[nodiscard]] LOUPE_DECL Text message() const;
};

/// The enumerator's name, e.g. `tensor_unavailable_for_step`.
LOUPE_DECL std::string_view error_kind_name(ErrorKind kind) noexcept;

/// The enumerator's name as words, e.g. `only reductions were saved`.
LOUPE_DECL std::string_view absence_words(Absence reason) noexcept;

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/base/error.ipp"
#endif
