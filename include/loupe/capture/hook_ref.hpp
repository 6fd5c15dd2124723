#pragma once
/// @file
/// The face of a hook that model code sees: a reference that costs one branch while nobody listens.

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "loupe/base/config.hpp"
#include "loupe/base/element_type_of.hpp"

namespace loupe::inline LOUPE_ABI {

/// A name handed to a probe: a literal, a C string, or anything with `data()` and `size()`. Borrowed for the call.
struct ProbeName {
  const char* data = "";
  std::size_t size = 0;
  constexpr ProbeName(const char* text) noexcept : data(text), size(__builtin_strlen(text)) {}
  template <class Text>
    requires requires(const Text& text) {
      { text.data() } -> std::convertible_to<const char*>;
      { text.size() } -> std::convertible_to<std::size_t>;
    }
  constexpr ProbeName(const Text& text) noexcept : data(text.data()), size(text.size()) {}
};

/// A tensor handed to a probe: row-major, readable by the host.
struct ProbeTensor {
  const void* data = nullptr;
  ElementType type = ElementType::none;
  const std::int64_t* shape = nullptr;
  std::size_t rank = 0;
};

/// What a `HookRef` points to; kept by the hook.
struct ProbeTarget {
  bool armed = false;  ///< whether the open step wants anything at all
  void (*save)(void* context, ProbeName, const ProbeTensor&) noexcept = nullptr;
  void* context = nullptr;
};

/// A copyable reference to a hook for code that should not know its type. Default-constructed, or while the hook's open
/// step wants nothing, every call is one branch. Same thread rule as its hook, which must outlive it.
/// With `LOUPE_DISABLE` defined calls compile to nothing.
class HookRef {
 public:
  constexpr HookRef() noexcept = default;
  constexpr explicit HookRef(ProbeTarget& target) noexcept : target_(&target) {}

  /// Whether a call now could be saved: ask before computing something only for the probe.
  [[nodiscard]] bool armed() const noexcept {
#if defined(LOUPE_DISABLE)
    return false;
#else
    return target_ != nullptr && target_->armed;
#endif
  }

  /// Offers `count` contiguous elements as a rank-1 tensor.
  template <Element Type>
  void operator()(ProbeName name, const Type* data, std::size_t count) const noexcept {
    if (!armed()) return;
    const auto size = static_cast<std::int64_t>(count);
    target_->save(target_->context, name, {data, element_type_of<Type>, &size, 1});
  }

  /// Offers a row-major tensor of `rank` axes of the sizes `shape[0] … shape[rank - 1]`.
  template <Element Type>
  void operator()(ProbeName name, const Type* data, const std::int64_t* shape, std::size_t rank) const noexcept {
    if (armed()) target_->save(target_->context, name, {data, element_type_of<Type>, shape, rank});
  }

 private:
  ProbeTarget* target_ = nullptr;
};

}  // namespace loupe::inline LOUPE_ABI
