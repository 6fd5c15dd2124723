#pragma once
/// @file
/// The exception types of the `Throw` policy: one per kind of error that callers tell apart, all carrying the `Error`.

#include "loupe/base/config.hpp"

#if LOUPE_HAS_EXCEPTIONS
#include <exception>
#include <utility>

#include "loupe/base/error.hpp"

namespace loupe::inline LOUPE_ABI {

/// Base of all exceptions that loupe throws.
class Exception : public std::exception {
 public:
  explicit Exception(Error error) : error_(std::move(error)), message_(error_.message()) {}
  const char* what() const noexcept override { return message_.c_str(); }
  /// The facts.
  [[nodiscard]] const Error& error() const noexcept { return error_; }

 private:
  Error error_;
  Text message_;
};

/// The exception type of one kind.
template <ErrorKind Kind>
class ExceptionOf : public Exception {
 public:
  using Exception::Exception;
};

using TensorUnavailable = ExceptionOf<ErrorKind::tensor_unavailable>;
using TensorUnavailableForStep = ExceptionOf<ErrorKind::tensor_unavailable_for_step>;
using ShapeUnavailableForStep = ExceptionOf<ErrorKind::shape_unavailable_for_step>;
using StepUnavailable = ExceptionOf<ErrorKind::step_unavailable>;
using StepNotYetAvailable = ExceptionOf<ErrorKind::step_not_yet_available>;
using NoMoreData = ExceptionOf<ErrorKind::no_more_data>;
using NoMoreProfilerData = ExceptionOf<ErrorKind::no_more_profiler_data>;
using InvalidWorker = ExceptionOf<ErrorKind::invalid_worker>;
using MissingCollectionFiles = ExceptionOf<ErrorKind::missing_collection_files>;
using IndexReaderException = ExceptionOf<ErrorKind::index_reader>;
using InvalidCollectionConfiguration = ExceptionOf<ErrorKind::invalid_collection_configuration>;
using RuleEvaluationConditionMet = ExceptionOf<ErrorKind::rule_evaluation_condition_met>;
using InsufficientInformationForRuleInvocation =
    ExceptionOf<ErrorKind::insufficient_information_for_rule_invocation>;
using InvalidArgument = ExceptionOf<ErrorKind::invalid_argument>;
using InvalidType = ExceptionOf<ErrorKind::invalid_type>;
using InvalidState = ExceptionOf<ErrorKind::invalid_state>;
using NotImplemented = ExceptionOf<ErrorKind::not_implemented>;
using NotFound = ExceptionOf<ErrorKind::not_found>;
using AlreadyExists = ExceptionOf<ErrorKind::already_exists>;
using PermissionDenied = ExceptionOf<ErrorKind::permission_denied>;
using NoSpace = ExceptionOf<ErrorKind::no_space>;
using IoFailure = ExceptionOf<ErrorKind::io>;
using Corrupt = ExceptionOf<ErrorKind::corrupt>;
using Unsupported = ExceptionOf<ErrorKind::unsupported>;
using LimitExceeded = ExceptionOf<ErrorKind::limit_exceeded>;
using Timeout = ExceptionOf<ErrorKind::timeout>;
using Cancelled = ExceptionOf<ErrorKind::cancelled>;

/// Throws the exception type of the error's kind.
[[noreturn]] LOUPE_DECL void throw_error(Error error);

}  // namespace loupe::inline LOUPE_ABI

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/base/exceptions.ipp"
#endif
#endif
