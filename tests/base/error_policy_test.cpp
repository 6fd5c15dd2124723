#include "loupe/base/error_policy.hpp"

#include <string>

#include "support/catch.hpp"

using loupe::Error;
using loupe::ErrorKind;
using loupe::result;

namespace {

struct Broken {
  static constexpr bool counts = false;
};
static_assert(loupe::ErrorPolicy<loupe::Throw>);
static_assert(loupe::ErrorPolicy<loupe::Expect>);
static_assert(loupe::ErrorPolicy<loupe::Count>);
static_assert(!loupe::ErrorPolicy<Broken>);
static_assert(!loupe::ErrorPolicy<int>);

template <class Type>
void throws(ErrorKind kind) {
  const auto call = [kind] { loupe::Throw::finish(result<int>(loupe::fail(kind, "the object", "the detail"))); };
  CHECK_THROWS_AS(call(), Type);
  try {
    call();
  } catch (const loupe::Exception& exception) {
    CHECK(exception.error().kind == kind);
    CHECK(std::string(exception.what()) == std::string(exception.error().message().view()));
  }
}

}  // namespace

TEST_CASE("each kind of error is thrown as a type of its own that carries the facts") {
  throws<loupe::TensorUnavailable>(ErrorKind::tensor_unavailable);
  throws<loupe::TensorUnavailableForStep>(ErrorKind::tensor_unavailable_for_step);
  throws<loupe::ShapeUnavailableForStep>(ErrorKind::shape_unavailable_for_step);
  throws<loupe::StepUnavailable>(ErrorKind::step_unavailable);
  throws<loupe::StepNotYetAvailable>(ErrorKind::step_not_yet_available);
  throws<loupe::NoMoreData>(ErrorKind::no_more_data);
  throws<loupe::NoMoreProfilerData>(ErrorKind::no_more_profiler_data);
  throws<loupe::InvalidWorker>(ErrorKind::invalid_worker);
  throws<loupe::MissingCollectionFiles>(ErrorKind::missing_collection_files);
  throws<loupe::IndexReaderException>(ErrorKind::index_reader);
  throws<loupe::InvalidCollectionConfiguration>(ErrorKind::invalid_collection_configuration);
  throws<loupe::RuleEvaluationConditionMet>(ErrorKind::rule_evaluation_condition_met);
  throws<loupe::InsufficientInformationForRuleInvocation>(ErrorKind::insufficient_information_for_rule_invocation);
  throws<loupe::InvalidArgument>(ErrorKind::invalid_argument);
  throws<loupe::InvalidType>(ErrorKind::invalid_type);
  throws<loupe::InvalidState>(ErrorKind::invalid_state);
  throws<loupe::NotImplemented>(ErrorKind::not_implemented);
  throws<loupe::NotFound>(ErrorKind::not_found);
  throws<loupe::AlreadyExists>(ErrorKind::already_exists);
  throws<loupe::PermissionDenied>(ErrorKind::permission_denied);
  throws<loupe::NoSpace>(ErrorKind::no_space);
  throws<loupe::IoFailure>(ErrorKind::io);
  throws<loupe::Corrupt>(ErrorKind::corrupt);
  throws<loupe::Unsupported>(ErrorKind::unsupported);
  throws<loupe::LimitExceeded>(ErrorKind::limit_exceeded);
  throws<loupe::Timeout>(ErrorKind::timeout);
  throws<loupe::Cancelled>(ErrorKind::cancelled);
}

TEST_CASE("Expect hands the result on, Count gives an empty value") {
  CHECK(loupe::Expect::finish(result<int>(3)).value() == 3);
  CHECK(loupe::Expect::finish(result<int>(loupe::fail(ErrorKind::io, "f", "x"))).error().kind == ErrorKind::io);
  CHECK(loupe::Count::finish(result<int>(3)) == 3);
  CHECK(loupe::Count::finish(result<int>(loupe::fail(ErrorKind::io, "f", "x"))) == 0);
  CHECK(loupe::Throw::finish(result<int>(3)) == 3);
}
