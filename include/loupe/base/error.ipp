#include "loupe/base/error.hpp"

#include <string.h>

namespace loupe::inline LOUPE_ABI {

LOUPE_DECL std::string_view error_kind_name(ErrorKind kind) noexcept {
  switch (kind) {
    case ErrorKind::tensor_unavailable: return "tensor_unavailable";
    case ErrorKind::tensor_unavailable_for_step: return "tensor_unavailable_for_step";
    case ErrorKind::shape_unavailable_for_step: return "shape_unavailable_for_step";
    case ErrorKind::step_unavailable: return "step_unavailable";
    case ErrorKind::step_not_yet_available: return "step_not_yet_available";
    case ErrorKind::no_more_data: return "no_more_data";
    case ErrorKind::no_more_profiler_data: return "no_more_profiler_data";
    case ErrorKind::invalid_worker: return "invalid_worker";
    case ErrorKind::missing_collection_files: return "missing_collection_files";
    case ErrorKind::index_reader: return "index_reader";
    case ErrorKind::invalid_collection_configuration: return "invalid_collection_configuration";
    case ErrorKind::rule_evaluation_condition_met: return "rule_evaluation_condition_met";
    case ErrorKind::insufficient_information_for_rule_invocation:
      return "insufficient_information_for_rule_invocation";
    case ErrorKind::invalid_argument: return "invalid_argument";
    case ErrorKind::invalid_type: return "invalid_type";
    case ErrorKind::invalid_state: return "invalid_state";
    case ErrorKind::not_implemented: return "not_implemented";
    case ErrorKind::not_found: return "not_found";
    case ErrorKind::already_exists: return "already_exists";
    case ErrorKind::permission_denied: return "permission_denied";
    case ErrorKind::no_space: return "no_space";
    case ErrorKind::io: return "io";
    case ErrorKind::corrupt: return "corrupt";
    case ErrorKind::unsupported: return "unsupported";
    case ErrorKind::limit_exceeded: return "limit_exceeded";
    case ErrorKind::timeout: return "timeout";
    case ErrorKind::cancelled: return "cancelled";
  }
  return "unknown";
}

LOUPE_DECL std::string_view absence_words(Absence reason) noexcept {
  switch (reason) {
    case Absence::unspecified: return "";
    case Absence::not_yet: return "not written yet";
    case Absence::never_saved: return "never saved at this step";
    case Absence::only_reduced: return "only reductions were saved";
    case Absence::only_shape: return "only the shape was saved";
    case Absence::lost: return "its event file is missing";
    case Absence::corrupt: return "its bytes are damaged";
  }
  return "";
}

namespace detail {

// What `strerror_r` gives: the buffer that it was handed in POSIX, a text of its own choice in glibc.
inline std::string_view system_words(int failed, const char* buffer) noexcept { return failed == 0 ? buffer : ""; }
inline std::string_view system_words(const char* words, const char*) noexcept { return words; }

/// `errno 2: No such file or directory`.
inline Text system_error_text(int number) {
  char buffer[128] = {};
  const std::string_view words = system_words(::strerror_r(number, buffer, sizeof buffer), buffer);
  return Text::join("errno ", to_text(number).view(), words.empty() ? "" : ": ", words);
}

}  // namespace detail

LOUPE_DECL Text Error::message() const {
  const Text at = Text::join(" step ", to_text(step).view(), " of mode ", mode_name(mode));
  const auto with_detail = [&](const Text& sentence) {
    return detail.empty() ? sentence : Text::join(sentence.view(), ": ", detail.view());
  };
  switch (kind) {
    case ErrorKind::tensor_unavailable:
      return with_detail(Text::join("tensor ", object.view(), " was not saved"));
    case ErrorKind::tensor_unavailable_for_step:
    case ErrorKind::shape_unavailable_for_step: {
      const std::string_view what = kind == ErrorKind::shape_unavailable_for_step ? "shape" : "value";
      Text sentence = Text::join(what, " of tensor ", object.view(), " is not available at", at.view());
      if (reason != Absence::unspecified) sentence = Text::join(sentence.view(), " (", absence_words(reason), ")");
      if (has_reductions) sentence = Text::join(sentence.view(), "; its reductions can be asked for");
      return with_detail(sentence);
    }
    case ErrorKind::step_unavailable:
      return with_detail(Text::join(at.view().substr(1), " is not available because it was not saved"));
    case ErrorKind::step_not_yet_available:
      return with_detail(Text::join(at.view().substr(1), " is not available yet"));
    case ErrorKind::no_more_data:
      return with_detail(Text::join("looked for", at.view(), ", but the run has ended; the largest step is ",
                                    to_text(last_step).view()));
    case ErrorKind::no_more_profiler_data:
      return with_detail("looked for profiler data, but the run has ended");
    case ErrorKind::invalid_worker: return with_detail(Text::join("invalid worker ", object.view()));
    case ErrorKind::missing_collection_files:
      return with_detail("the run has ended, and not all of its collections files are there");
    case ErrorKind::invalid_collection_configuration:
      return with_detail(Text::join("collection ", object.view(),
                                    " is not configured: give it tensor names or an include_regex"));
    case ErrorKind::rule_evaluation_condition_met:
      return with_detail(Text::join("rule ", object.view(), " met its condition at", at.view()));
    case ErrorKind::insufficient_information_for_rule_invocation:
      return with_detail(Text::join("not enough information to invoke rule ", object.view()));
    default: break;
  }
  Text sentence = object.empty() ? detail : with_detail(object);
  if (sentence.empty()) sentence = error_kind_name(kind);
  if (offset >= 0) sentence = Text::join(sentence.view(), " (at byte ", to_text(offset).view(), ")");
  if (os_error != 0) sentence = Text::join(sentence.view(), " (", detail::system_error_text(os_error).view(), ")");
  return sentence;
}

}  // namespace loupe::inline LOUPE_ABI
