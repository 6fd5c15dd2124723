#include "loupe/capture/recorder_factory.hpp"

#ifdef LOUPE_SEPARATE_COMPILATION
#include "loupe/base/clock.hpp"
#include "loupe/base/thread_executor.hpp"
#include "loupe/ranks/single.hpp"
#include "loupe/reduce/fused.hpp"
#include "loupe/storage/local.hpp"

namespace loupe::inline LOUPE_ABI::detail {

template result<RecorderOwner>
RecorderFactory<Fused, compat::Native>::make<LocalStorage, ranks::Single, SystemClock, ThreadExecutor>(const HookConfig&);

}  // namespace loupe::inline LOUPE_ABI::detail
#endif
