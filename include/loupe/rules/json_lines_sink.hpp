#pragma once
/// @file
/// Writes firings to a file, a line each.

#include <memory>
#include <utility>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/text.hpp"
#include "loupe/rules/firing_sink.hpp"

namespace loupe::inline LOUPE_ABI::rules {

/// Appends each firing to a file as a line of JSON. A line is written at once, so several processes may share the file.
class JsonLinesSink final : public FiringSink {
 public:
  /// The file is created at the first firing; its directory must be there.
  explicit JsonLinesSink(Text path) : path_(std::move(path)) {}
  LOUPE_DECL result<void> fired(const Firing& firing) override;

 private:
  Text path_;
  ByteBuffer line_;
};
/// `hook.rules(exploding_tensor(), json_lines("firings.jsonl"))`.
inline std::shared_ptr<JsonLinesSink> json_lines(Text path) { return std::make_shared<JsonLinesSink>(std::move(path)); }

}  // namespace loupe::inline LOUPE_ABI::rules

#ifndef LOUPE_SEPARATE_COMPILATION
#include "loupe/rules/json_lines_sink.ipp"
#endif
