#include "loupe/capture/recorder_parts.hpp"

#include <utility>

#include "loupe/base/exceptions.hpp"
#include "loupe/capture/idle_recorder.hpp"
#include "loupe/capture/step_recorder.hpp"

namespace loupe::inline LOUPE_ABI::detail {

constexpr bool is_callers_mistake(ErrorKind kind) noexcept {
  return kind == ErrorKind::invalid_argument || kind == ErrorKind::invalid_type || kind == ErrorKind::invalid_state ||
         kind == ErrorKind::invalid_collection_configuration || kind == ErrorKind::unsupported;
}

LOUPE_DECL result<RecorderOwner> make_recorder(const HookConfig& config, RecorderParts parts) {
  return StepRecorder::make(config, std::move(parts));
}

LOUPE_DECL RecorderOwner recorder_or_idle(result<RecorderOwner> made, ReportSink report, bool throws) {
  if (made) return *std::move(made);
#if LOUPE_HAS_EXCEPTIONS
  if (throws || is_callers_mistake(made.error().kind)) throw_error(std::move(made).error());
#else
  (void)throws;
#endif
  return RecorderOwner(new IdleRecorder(report, std::move(made).error()));
}

LOUPE_DECL unexpected<Error> refuse_empty_out_dir() {
  return fail(ErrorKind::invalid_argument, "out_dir", "it is empty; a hook needs a folder to write its trial to");
}

}  // namespace loupe::inline LOUPE_ABI::detail
