#pragma once
/// @file
/// Values as a trial gives them: seen where they lie, or owned with their type.

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "loupe/base/array.hpp"
#include "loupe/base/config.hpp"
#include "loupe/base/element_type.hpp"
#include "loupe/base/result.hpp"
#include "loupe/base/scalar.hpp"
#include "loupe/base/tensor_view.hpp"

namespace loupe::inline LOUPE_ABI {

/// A tensor's elements where they lie, in a mapped file or a buffer, kept alive by this object. Always row-major without
/// gaps. In a file elements are as aligned as chance has it. Copies share the memory; any thread may read it.
class ValueView {
 public:
  ValueView() = default;
  ValueView(const TensorView& view, std::shared_ptr<const void> owner) : view_(view), owner_(std::move(owner)) {}
  /// Takes an array over.
  explicit ValueView(Array array) {
    auto owned = std::make_shared<const Array>(std::move(array));
    view_ = owned->view();
    owner_ = std::move(owned);
  }

  [[nodiscard]] const TensorView& view() const noexcept { return view_; }
  [[nodiscard]] ElementType type() const noexcept { return view_.type; }
  [[nodiscard]] const Shape& shape() const noexcept { return view_.shape; }
  /// The elements in place; nothing if they are of another type or not aligned for it.
  template <Element Type>
  [[nodiscard]] std::optional<std::span<const Type>> elements() const noexcept {
    if (view_.type != element_type_of<Type>) return std::nullopt;
    if (reinterpret_cast<std::uintptr_t>(view_.data) % alignof(Type) != 0) return std::nullopt;
    return std::span<const Type>(static_cast<const Type*>(view_.data), static_cast<std::size_t>(view_.size()));
  }
  /// A copy that owns its elements.
  [[nodiscard]] result<Array> copy() const { return Array::copy_of(view_); }

 private:
  TensorView view_;
  std::shared_ptr<const void> owner_;
};

/// The element of a tensor that holds a single number; nothing otherwise.
inline Scalar load_scalar(const TensorView& view) noexcept {
  return visit_element_type(view.type, [&]<class Type>() -> Scalar {
    if constexpr (std::is_void_v<Type> || std::same_as<Type, std::string_view>)
      return {};
    else
      return view.size() == 1 ? Scalar::from(load_element<Type>(view.data)) : Scalar();
  });
}

/// Specialise to let values convert to a container: `static Target make(const Values<Type>&)`.
template <class Target>
struct FromValues;

/// An owned tensor of a known element type. Converts to any container that has a `FromValues`, such as `xt::xarray`
/// with `loupe/trial/xtensor.hpp`.
template <Element Type>
class Values {
 public:
  Values() = default;
  /// The array must hold elements of `Type`.
  explicit Values(Array array) noexcept : array_(std::move(array)) {}

  [[nodiscard]] const Shape& shape() const noexcept { return array_.shape(); }
  [[nodiscard]] std::size_t size() const noexcept { return array_.size(); }
  [[nodiscard]] std::span<const Type> elements() const noexcept { return array_.elements<Type>(); }
  [[nodiscard]] const Type& operator[](std::size_t index) const noexcept { return elements()[index]; }
  [[nodiscard]] auto begin() const noexcept { return elements().begin(); }
  [[nodiscard]] auto end() const noexcept { return elements().end(); }
  [[nodiscard]] TensorView view() const noexcept { return array_.view(); }
  [[nodiscard]] const Array& array() const& noexcept { return array_; }
  [[nodiscard]] Array array() && noexcept { return std::move(array_); }

  template <class Target>
    requires requires(const Values& values) {
      { FromValues<Target>::make(values) } -> std::same_as<Target>;
    }
  operator Target() const {
    return FromValues<Target>::make(*this);
  }

 private:
  Array array_;
};

/// Whether every number of type `From` is one of type `To`.
template <class From, class To>
constexpr bool widens_to() noexcept {
  constexpr ElementType from = element_type_of<From>;
  constexpr ElementType to = element_type_of<To>;
  constexpr bool from_integer = is_signed_integer(from) || is_unsigned_integer(from);
  constexpr bool to_integer = is_signed_integer(to) || is_unsigned_integer(to);
  if constexpr (from == to) return true;
  else if constexpr (from == ElementType::string || to == ElementType::string || is_complex(from) || is_complex(to)) return false;
  else if constexpr (to == ElementType::float16 || to == ElementType::bfloat16 || to == ElementType::boolean) return false;
  else if constexpr (from == ElementType::boolean) return true;
  else if constexpr (is_floating(from)) return is_floating(to) && sizeof(From) < sizeof(To);
  else if constexpr (from_integer && to_integer)
    return sizeof(From) < sizeof(To) && (is_signed_integer(to) || is_unsigned_integer(from));
  else if constexpr (from_integer) return 2 * sizeof(From) <= sizeof(To);
  else return false;
}

/// Copies a value as elements of `Type`, widening where the stored type is a narrower one. `invalid_type` where a
/// stored number might not fit, an error about `name`.
template <Element Type>
result<Values<Type>> typed_copy(const TensorView& view, std::string_view name) {
  if (view.type == element_type_of<Type>) {
    LOUPE_ASSIGN(Array same, Array::copy_of(view));
    return Values<Type>(std::move(same));
  }
  return visit_element_type(view.type, [&]<class From>() -> result<Values<Type>> {
    if constexpr (!std::is_void_v<From> && widens_to<From, Type>()) {
      LOUPE_ASSIGN(Array wide, Array::make(element_type_of<Type>, view.shape));
      Type* out = wide.elements<Type>().data();
      for_each_run(view, [&](const std::byte* first, std::int64_t count) {
        for (std::int64_t index = 0; index < count; ++index) {
          const From element = load_element<From>(first + static_cast<std::size_t>(index) * sizeof(From));
          if constexpr (std::same_as<From, Float16> || std::same_as<From, BFloat16>)
            *out++ = static_cast<Type>(to_float(element));
          else
            *out++ = static_cast<Type>(element);
        }
      });
      return Values<Type>(std::move(wide));
    } else {
      return fail(ErrorKind::invalid_type, name,
                  Text::join("elements of type ", element_type_name(view.type), " can't be had as ",
                             element_type_name(element_type_of<Type>)));
    }
  });
}

}  // namespace loupe::inline LOUPE_ABI
