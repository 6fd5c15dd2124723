#pragma once
/// @file
/// Compiled regular expressions of any engine.

#include <concepts>
#include <string_view>
#include <utility>

#include "loupe/base/config.hpp"
#include "loupe/base/result.hpp"
#include "loupe/select/pattern_compiler.hpp"

namespace loupe::inline LOUPE_ABI {

/// What an engine makes of a pattern: `search` says whether the pattern is found anywhere in a name.
template <class Type>
concept CompiledPattern = requires(const Type& pattern, std::string_view name) {
  { pattern.search(name) } -> std::same_as<result<bool>>;
};

/// Any engine's compiled pattern; owns it. Searching is safe from several threads if the engine's is.
class AnyPattern {
 public:
  AnyPattern() noexcept = default;
  template <CompiledPattern Pattern>
  explicit AnyPattern(Pattern pattern)
      : pattern_(new Pattern(std::move(pattern))),
        search_([](const void* object, std::string_view name) {
          return static_cast<const Pattern*>(object)->search(name);
        }),
        destroy_([](void* object) noexcept { delete static_cast<Pattern*>(object); }) {}
  AnyPattern(AnyPattern&& other) noexcept
      : pattern_(std::exchange(other.pattern_, nullptr)),
        search_(other.search_),
        destroy_(other.destroy_) {}
  AnyPattern& operator=(AnyPattern other) noexcept {
    std::swap(pattern_, other.pattern_);
    std::swap(search_, other.search_);
    std::swap(destroy_, other.destroy_);
    return *this;
  }
  ~AnyPattern() {
    if (pattern_ != nullptr) destroy_(pattern_);
  }
  /// An empty pattern is found nowhere.
  [[nodiscard]] result<bool> search(std::string_view name) const {
    return pattern_ == nullptr ? result<bool>(false) : search_(pattern_, name);
  }

 private:
  void* pattern_ = nullptr;
  result<bool> (*search_)(const void*, std::string_view) = nullptr;
  void (*destroy_)(void*) noexcept = nullptr;
};

}  // namespace loupe::inline LOUPE_ABI
