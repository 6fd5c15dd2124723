#include "loupe/base/exceptions.hpp"

#if LOUPE_HAS_EXCEPTIONS
namespace loupe::inline LOUPE_ABI {

LOUPE_DECL void throw_error(Error error) {
#define LOUPE_THROW_KIND(kind_name) \
  case ErrorKind::kind_name: throw ExceptionOf<ErrorKind::kind_name>(std::move(error))
  switch (error.kind) {
    LOUPE_THROW_KIND(tensor_unavailable);
    LOUPE_THROW_KIND(tensor_unavailable_for_step);
    LOUPE_THROW_KIND(shape_unavailable_for_step);
    LOUPE_THROW_KIND(step_unavailable);
    LOUPE_THROW_KIND(step_not_yet_available);
    LOUPE_THROW_KIND(no_more_data);
    LOUPE_THROW_KIND(no_more_profiler_data);
    LOUPE_THROW_KIND(invalid_worker);
    LOUPE_THROW_KIND(missing_collection_files);
    LOUPE_THROW_KIND(index_reader);
    LOUPE_THROW_KIND(invalid_collection_configuration);
    LOUPE_THROW_KIND(rule_evaluation_condition_met);
    LOUPE_THROW_KIND(insufficient_information_for_rule_invocation);
    LOUPE_THROW_KIND(invalid_argument);
    LOUPE_THROW_KIND(invalid_type);
    LOUPE_THROW_KIND(invalid_state);
    LOUPE_THROW_KIND(not_implemented);
    LOUPE_THROW_KIND(not_found);
    LOUPE_THROW_KIND(already_exists);
    LOUPE_THROW_KIND(permission_denied);
    LOUPE_THROW_KIND(no_space);
    LOUPE_THROW_KIND(io);
    LOUPE_THROW_KIND(corrupt);
    LOUPE_THROW_KIND(unsupported);
    LOUPE_THROW_KIND(limit_exceeded);
    LOUPE_THROW_KIND(timeout);
    LOUPE_THROW_KIND(cancelled);
  }
#undef LOUPE_THROW_KIND
  throw Exception(std::move(error));
}

}  // namespace loupe::inline LOUPE_ABI
#endif
