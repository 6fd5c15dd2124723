#pragma once
/// @file
/// The output folder of a script, which can be left as a killed process leaves it.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "loupe/base/result.hpp"
#include "loupe/storage/local.hpp"

namespace conformance {

/// Local files. After `kill`, what would be published is left as smdebug leaves the files of an open step: event files
/// with their first record, index files with their first entry, both under their temporary names and worth nothing. Copies
/// share that state.
class ScriptStorage {
 public:
  using Staged = loupe::LocalStorage::Staged;

  explicit ScriptStorage(const std::string& folder)
      : local_(std::string_view(folder)),
        folder_(folder),
        killed_(std::make_shared<Killed>()) {}

  /// From here on nothing is published. `has_records`: a tensor of the open step has been written.
  void kill(bool has_records) { *killed_ = {true, has_records}; }

  [[nodiscard]] loupe::Capabilities capabilities() const noexcept { return local_.capabilities(); }
  [[nodiscard]] loupe::Text name() const { return local_.name(); }
  loupe::result<void> list(std::string_view prefix, std::string_view start_after, loupe::ListSink sink) {
    return local_.list(prefix, start_after, sink);
  }
  loupe::result<loupe::ObjectInfo> stat(std::string_view key) { return local_.stat(key); }
  loupe::result<void> read(std::string_view key, loupe::ByteRange range, loupe::ByteBuffer& out) {
    return local_.read(key, range, out);
  }
  loupe::result<void> put(std::string_view key, std::span<const std::byte> bytes, loupe::PutMode mode) {
    if (!killed_->is_killed) return local_.put(key, bytes, mode);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const bool has_shapes = !text.ends_with("\"shape_payload\": []}");
    if (key.starts_with("events/") && killed_->has_records) leave(key);
    if (key.starts_with("index/") && (killed_->has_records || has_shapes)) leave(key);
    if (key.starts_with("tensorboard/")) leave(key);
    return {};
  }
  loupe::result<void> remove(std::string_view key) {
    return killed_->is_killed ? loupe::result<void>() : local_.remove(key);
  }
  loupe::result<Staged> stage(std::string_view key) { return local_.stage(key); }

 private:
  struct Killed {
    bool is_killed = false;
    bool has_records = false;
  };
  void leave(std::string_view key) const {
    const std::filesystem::path path = std::filesystem::path(folder_) / std::string(key).append(".tmp");
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path).flush();
  }

  loupe::LocalStorage local_;
  std::string folder_;
  std::shared_ptr<Killed> killed_;
};

}  // namespace conformance
