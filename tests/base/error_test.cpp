#include "loupe/base/error.hpp"

#include <string>

#include "support/catch.hpp"

using loupe::Absence;
using loupe::Error;
using loupe::ErrorKind;
using loupe::Mode;

namespace {
std::string message(const Error& error) { return std::string(error.message().view()); }
}  // namespace

TEST_CASE("a missing value says tensor, step, mode, reason, and what can be had instead") {
  CHECK(message({.kind = ErrorKind::tensor_unavailable_for_step,
                 .object = "fc.weight",
                 .step = 3,
                 .mode = Mode::eval,
                 .reason = Absence::only_reduced,
                 .has_reductions = true}) ==
        "value of tensor fc.weight is not available at step 3 of mode EVAL (only reductions were saved); its reductions can "
        "be asked for");
}

TEST_CASE("steps that are not there say why") {
  CHECK(message({.kind = ErrorKind::step_unavailable, .step = 4, .mode = Mode::train}) ==
        "step 4 of mode TRAIN is not available because it was not saved");
  CHECK(message({.kind = ErrorKind::step_not_yet_available, .step = 4, .mode = Mode::global}) ==
        "step 4 of mode GLOBAL is not available yet");
  CHECK(message({.kind = ErrorKind::no_more_data, .step = 9, .mode = Mode::train, .last_step = 7}) ==
        "looked for step 9 of mode TRAIN, but the run has ended; the largest step is 7");
}

TEST_CASE("damage is located by file and byte, a refused system call by its errno") {
  CHECK(message({.kind = ErrorKind::corrupt, .object = "events/0/a.tfevents", .detail = "length check word is wrong", .offset = 12}) ==
        "events/0/a.tfevents: length check word is wrong (at byte 12)");
  CHECK(message({.kind = ErrorKind::io, .object = "f", .detail = "write failed", .os_error = 5}) == "f: write failed (errno 5: Input/output error)");
}

TEST_CASE("every kind of error makes a sentence and has a name") {
  for (int number = 0; number <= static_cast<int>(ErrorKind::cancelled); ++number) {
    const auto kind = static_cast<ErrorKind>(number);
    CHECK_FALSE(message({.kind = kind}).empty());
    CHECK(loupe::error_kind_name(kind) != "unknown");
  }
}
