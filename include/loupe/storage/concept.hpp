#pragma once
/// @file
/// The concept that a storage backend models, and its vocabulary.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "loupe/base/byte_buffer.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/function_ref.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/text.hpp"

namespace loupe::inline LOUPE_ABI {

/// A part of an object; by default all of it. What lies behind the object's end is left out.
struct ByteRange {
  std::uint64_t offset = 0;
  std::uint64_t length = UINT64_MAX;
};

/// An object. A listing may leave `size` and `generation` at 0 where they would cost a look at each object; `stat` gives
/// them. Two equal generations of one key mean equal bytes.
struct ObjectInfo {
  std::string_view key;
  std::uint64_t size = 0;
  std::uint64_t generation = 0;
  std::int64_t modified_ns = 0;  ///< nanoseconds since the Unix epoch by the storage's clock; 0 if it doesn't say
};

/// What a backend promises besides the basic calls; what it doesn't promise nobody relies on.
struct Capabilities {
  bool atomic_put = false;     ///< readers see an object's old bytes or its new ones, never a mixture
  bool put_if_absent = false;  ///< of several writers with `PutMode::if_absent` one wins
  bool ordered_list = false;   ///< listings are in ascending order of the keys' bytes
  bool range_read = false;     ///< a part of an object costs less than all of it
  bool append = false;         ///< `stage` writes through instead of collecting in memory
  bool map = false;            ///< `map` gives bytes without a copy
  bool asynchronous = false;   ///< calls return before the bytes are durable elsewhere
};

enum class PutMode : std::uint8_t {
  replace,
  if_absent,  ///< `already_exists` if there is such an object
};

/// What a listing calls for each object; false ends the listing.
using ListSink = FunctionRef<bool(const ObjectInfo&)>;

/// A place for objects (named byte strings). Keys are relative paths in UTF-8 with `/` between components, none of them
/// empty, `.`, `..` or longer than 247 bytes; others are refused with `invalid_argument`. All calls may be made
/// concurrently, on one object or on copies; a `Staged` belongs to one thread. No call throws; errors name the key.
///
/// - `capabilities()`, `name()`: a text for messages;
/// - `list(prefix, start_after, sink)`: objects whose key begins with `prefix` and is greater than `start_after`; a prefix
///   that nothing has lists nothing; staged objects don't appear before their commit;
/// - `stat(key)`: `not_found` if there is no such object;
/// - `read(key, range, out)`: appends to `out`; an offset behind the end is `invalid_argument`;
/// - `put(key, bytes, mode)`: publishes an object whole;
/// - `remove(key)`: no error if there is none;
/// - `stage(key)` → `append(bytes)` gives the offset that the bytes got → `commit()` publishes, once: later calls are
///   `invalid_state`; one that is destroyed uncommitted leaves nothing. After a failure it can only be destroyed.
template <class Type>
concept Storage =
    requires(Type& storage, const Type& constant, std::string_view key, ByteRange range, ByteBuffer& out,
             std::span<const std::byte> bytes, PutMode mode, ListSink sink, typename Type::Staged& staged) {
      { constant.capabilities() } noexcept -> std::same_as<Capabilities>;
      { constant.name() } -> std::convertible_to<Text>;
      { storage.list(key, key, sink) } -> std::same_as<result<void>>;
      { storage.stat(key) } -> std::same_as<result<ObjectInfo>>;
      { storage.read(key, range, out) } -> std::same_as<result<void>>;
      { storage.put(key, bytes, mode) } -> std::same_as<result<void>>;
      { storage.remove(key) } -> std::same_as<result<void>>;
      { storage.stage(key) } -> std::same_as<result<typename Type::Staged>>;
      { staged.append(bytes) } -> std::same_as<result<std::uint64_t>>;
      { staged.commit() } -> std::same_as<result<void>>;
    };

/// The longest key.
inline constexpr std::size_t max_key_size = 4096;
/// The longest component of a key: file systems allow 255 bytes, and an unfinished file's name has a suffix.
inline constexpr std::size_t max_key_component_size = 247;

/// Refuses keys that are not relative paths in canonical form.
inline result<void> check_key(std::string_view key) {
  const auto refuse = [key](const char* why) { return fail(ErrorKind::invalid_argument, key.substr(0, 256), why); };
  if (key.empty()) return refuse("a key must not be empty");
  if (key.size() > max_key_size) return refuse("a key must not be longer than 4096 bytes");
  if (key.find('\0') != std::string_view::npos) return refuse("a key must not contain a NUL byte");
  while (true) {
    const auto slash = key.find('/');
    const std::string_view component = key.substr(0, slash);
    if (component.empty() || component == "." || component == "..")
      return refuse("a key must be a relative path without empty components, . or ..");
    if (component.size() > max_key_component_size)
      return refuse("a component of a key must not be longer than 247 bytes");
    if (slash == std::string_view::npos) return {};
    key.remove_prefix(slash + 1);
  }
}

}  // namespace loupe::inline LOUPE_ABI
