#pragma once
/// @file
/// A rule's condition that was met at a step: who, where, what and how much.

#include <cstdint>
#include <vector>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/text.hpp"
#include "loupe/rules/evidence.hpp"
#include "loupe/rules/findings.hpp"
#include "loupe/wire/json_writer.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// A rule fired. The first violation is that of the tensor that the step saved first.
struct Firing {
  Text rule = {};
  std::uint32_t rule_number = 0;       ///< among the judge's rules, in the order in which they were added
  StepPlace at = {};
  std::vector<Violation> violations = {};  ///< at most `max_violations`
  std::uint64_t total = 0;            ///< how many there were

  /// `ExplodingTensor fired at step 12 (TRAIN 10): gradient/w of worker_0, element 3: …; 4 more`.
  [[nodiscard]] LOUPE_DECL Text sentence() const;
  /// One JSON object on one line, without a line end: rule, step, mode, mode_step, violations, violations_total. Numbers
  /// that JSON doesn't have are strings (`NaN`, `Infinity`).
  LOUPE_DECL void append_json(ByteBuffer& out) const;
  /// The violations as a JSON array, each with step, mode and mode step of its own.
  LOUPE_DECL void append_violations(wire::JsonWriter& json) const;
};

}  // namespace loupe::inline LOUPE_ABI::rules

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/rules/firing.ipp"
#endif
